/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Gives the graph and the stream of a session to who measures the bare replay.  Changes nothing of the session. */

#include "leat-session-bare-private.h"

#include "leat-session-private.h"

gboolean
leat_session_get_bare (LeatSession *self, LeatBareReplay *bare)
{
  LeatLane *lane;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  if (!leat_session_is_open (self) || self->lanes->len == 0)
    return FALSE;
  lane = g_ptr_array_index (self->lanes, 0);
  *bare = (LeatBareReplay){ .table = lane->table,
                            .exec = lane->executables[LEAT_PATH_FULL].exec,
                            .stream = leat_stream_get (lane->stream) };
  return bare->exec != NULL && lane->executables[LEAT_PATH_FULL].next == NULL;
}
