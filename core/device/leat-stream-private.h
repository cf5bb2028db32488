/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-device-private.h"

G_BEGIN_DECLS

typedef struct _LeatStream LeatStream;
typedef struct _LeatEvent LeatEvent;

typedef enum
{
  LEAT_STREAM_PRIORITY_NORMAL,
  LEAT_STREAM_PRIORITY_LOW,
  LEAT_STREAM_PRIORITY_HIGH,
} LeatStreamPriority;

/* Non-blocking streams: never ordered with the default stream. */
LeatStream *leat_stream_new (LeatDevice *device, LeatStreamPriority priority, GError **error);
void leat_stream_free (LeatStream *self); /* waits for nothing */
CUstream leat_stream_get (LeatStream *self);
gboolean leat_stream_synchronize (LeatStream *self, GError **error);
gboolean leat_stream_wait (LeatStream *self, LeatEvent *event, GError **error); /* on the device, not the host */
/* @is_done tells whether all work submitted so far has ended. */
gboolean leat_stream_query (LeatStream *self, gboolean *is_done, GError **error);

typedef enum
{
  LEAT_EVENT_DEFAULT = 0,       /* no timing; a waiting thread spins */
  LEAT_EVENT_TIMING = 1 << 0,   /* leat_event_get_elapsed_ms */
  LEAT_EVENT_BLOCKING = 1 << 1, /* a waiting thread sleeps */
} LeatEventFlags;

LeatEvent *leat_event_new (LeatDevice *device, LeatEventFlags flags, GError **error);
void leat_event_free (LeatEvent *self);
CUevent leat_event_get (LeatEvent *self);
gboolean leat_event_record (LeatEvent *self, LeatStream *stream, GError **error);
gboolean leat_event_query (LeatEvent *self, gboolean *is_done, GError **error);
gboolean leat_event_synchronize (LeatEvent *self, GError **error);
/* As synchronize, for at most @timeout_us; FALSE with HUNG after that, the device then counts as dead. */
gboolean leat_event_synchronize_timed (LeatEvent *self, guint64 timeout_us, const char *what, GError **error);
gboolean leat_event_get_elapsed_ms (LeatEvent *start, LeatEvent *end, float *ms, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatStream, leat_stream_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatEvent, leat_event_free)

G_END_DECLS
