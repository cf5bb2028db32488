/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-node.h"

G_BEGIN_DECLS

/**
 * LEAT_BUFFER_HEADER:
 *
 * The bytes before the first item in a buffer whose spec is bounded.
 *
 * The first eight of them are the count of live items, a `uint64_t`, so that one transfer moves both.
 */
#define LEAT_BUFFER_HEADER 256

#define LEAT_TYPE_ENDPOINT (leat_endpoint_get_type ())
G_DECLARE_DERIVABLE_TYPE (LeatEndpoint, leat_endpoint, LEAT, ENDPOINT, LeatNode)

/**
 * LeatView:
 * @data: the first item; for a source's view, memory to fill
 * @capacity: bytes that fit
 * @count: steps of the leading dimension that are live; a source sets it when its spec is bounded
 * @spec: (transfer none): the port's fixed spec
 *
 * One port's memory on the host, lent for one call.
 */
typedef struct
{
  gpointer data;
  guint64 capacity;
  guint64 count;
  LeatSpec *spec;
} LeatView;

/**
 * LeatFlow:
 * @LEAT_FLOW_DATA: there is data
 * @LEAT_FLOW_END: there is none and there will be none
 * @LEAT_FLOW_EMPTY: none now (an `app` source whose queue is empty, asked not to wait)
 * @LEAT_FLOW_ERROR: the error is set
 *
 * The outcome of a call for data.
 */
typedef enum
{
  LEAT_FLOW_ERROR = -1,
  LEAT_FLOW_DATA = 0,
  LEAT_FLOW_END,
  LEAT_FLOW_EMPTY
} LeatFlow;

/**
 * LeatEndpointClass:
 * @start: opens what is read or written, before the first run of a session
 * @fill: (nullable): as a source, puts the next data into @view
 * @drain: (nullable): as a sink, takes the data of one run
 * @finish: the stream has ended well: flush, close, move into place.  Not called after an error or a cancel
 * @stop: always called last: gives back everything; what @finish did not complete is undone (no half-written file)
 * @unblock: makes a waiting @fill or @drain return soon; called from another thread
 * @get_total: (nullable): bytes that a source will give in all, for progress; 0 when not known
 * @respec: (nullable): between two runs, another spec flows through the port from now on; without it the spec stays
 * @check: (nullable): finds what @start would refuse, without opening, making or waiting for anything
 * @begin: (nullable): as a source, begins to put the next data into @view and does not wait; %FALSE where it cannot
 * @complete: where there is @begin: waits for the first that was begun and is not complete; %LEAT_FLOW_EMPTY where that
 *   is not there yet: it is asked for again.  One that is given up after @unblock is %LEAT_FLOW_END
 *
 * A node where data enters or leaves the pipeline: a source when its port `out` is linked, a sink when `in` is.  Its
 * ports are in host memory.  Where a session has several runs under way (#LeatSession:lanes), all @fill, @begin and
 * @complete calls come from one thread, all @drain calls from another one, and both at the same time; what two nodes
 * share needs a lock.  All other calls but @unblock come from the session's thread while neither is going on.
 */
struct _LeatEndpointClass
{
  LeatNodeClass parent_class;

  gboolean (*start) (LeatEndpoint *self, GError **error);
  LeatFlow (*fill) (LeatEndpoint *self, LeatView *view, gboolean wait, GCancellable *cancellable, GError **error);
  gboolean (*drain) (LeatEndpoint *self, const LeatView *view, GCancellable *cancellable, GError **error);
  gboolean (*finish) (LeatEndpoint *self, GError **error);
  void (*stop) (LeatEndpoint *self);
  void (*unblock) (LeatEndpoint *self);
  guint64 (*get_total) (LeatEndpoint *self);
  gboolean (*check) (LeatEndpoint *self, GError **error);
  void (*respec) (LeatEndpoint *self);
  gboolean (*begin) (LeatEndpoint *self, LeatView *view);
  LeatFlow (*complete) (LeatEndpoint *self, LeatView *view, GError **error);

  gpointer padding[5];
};

gboolean leat_endpoint_is_source (LeatEndpoint *self);
gboolean leat_endpoint_check (LeatEndpoint *self, GError **error);
void leat_endpoint_warn (LeatEndpoint *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
guint64 leat_view_get_bytes (const LeatView *self); /* (skip): that are live */

G_END_DECLS
