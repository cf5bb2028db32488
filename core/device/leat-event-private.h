/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-device-private.h"

G_BEGIN_DECLS

/* A point in the work of a stream, which the host or another stream can wait for. */
typedef struct _LeatEvent LeatEvent;
typedef struct _LeatStream LeatStream;

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

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatEvent, leat_event_free)

G_END_DECLS
