/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-event-private.h"

G_BEGIN_DECLS

typedef struct _LeatStream LeatStream;

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

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatStream, leat_stream_free)

G_END_DECLS
