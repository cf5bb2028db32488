/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

/* What a run moves across the link.  Of most copies that is known when the plan is bound; a kernel that moves bounded
 * data takes what is live, which each run knows. */

typedef struct
{
  LeatBufferId host;        /* the end of it that has the count where the host can read it */
  guint64 bytes, before;    /* at most; in front of the items */
  guint64 row_bytes, chunk; /* of the items; what it moves at once */
  gboolean up;
  gboolean on[LEAT_N_PATHS]; /* runs of which path do it */
} LeatLiveCopy;

static guint64
leat_lane_get_live_rows (const LeatLane *self, LeatBufferId id)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, id);
  guint64 rows = 0;

  if (buffer->count_in == LEAT_BUFFER_NONE && buffer->user)
    return self->bindings[buffer->slot].count;
  if (buffer->count_in != LEAT_BUFFER_NONE)
    id = buffer->count_in;
  if (self->hosts[id] != NULL)
    memcpy (&rows, self->hosts[id], sizeof rows);
  return rows;
}

static guint64
leat_live_copy_get_bytes (const LeatLiveCopy *self, const LeatLane *lane)
{
  guint64 rows = leat_lane_get_live_rows (lane, self->host);
  guint64 most = (self->bytes - self->before) / self->row_bytes;
  guint64 live = rows < most ? self->before + rows * self->row_bytes : self->bytes;

  return (live + self->chunk - 1) / self->chunk * self->chunk;
}

static void
leat_session_add_live_copy (LeatSession *self, const LeatLane *lane, const LeatOp *op, gboolean up)
{
  const LeatBuffer *from = leat_plan_get_buffer (lane->plan, op->from);
  gboolean in_one =
    leat_plan_get_user (lane->plan, op->from) == NULL && leat_plan_get_user (lane->plan, op->to) == NULL;
  LeatLiveCopy copy = { .host = up ? op->from : op->to,
                        .bytes = op->bytes - (in_one ? 0 : LEAT_BUFFER_HEADER),
                        .before = in_one ? LEAT_BUFFER_HEADER : 0,
                        .row_bytes = MAX (leat_spec_get_row_bytes (from->spec), 1),
                        .chunk = in_one ? LEAT_TRANSFER_CHUNK : 1,
                        .up = up };

  for (guint path = 0; path < LEAT_N_PATHS; path++)
    copy.on[path] = !leat_path_skips (path, op);
  g_array_append_val (self->live_copies, copy);
}

static void
leat_session_count_copy (LeatSession *self, const LeatLane *lane, const LeatOp *op)
{
  gboolean up = lane->hosts[op->from] != NULL || leat_plan_get_user (lane->plan, op->from) != NULL;
  gboolean back = lane->hosts[op->to] != NULL || leat_plan_get_user (lane->plan, op->to) != NULL;

  if (up == back)
    return;
  if (op->kind == LEAT_OP_TRANSFER && op->way == LEAT_TRANSFER_KERNEL && !op->elided
      && leat_plan_get_buffer (lane->plan, op->from)->header)
    {
      leat_session_add_live_copy (self, lane, op, up);
      return;
    }
  for (guint path = 0; path < LEAT_N_PATHS; path++)
    if (!leat_path_skips (path, op))
      *(up ? &self->up_bytes[path] : &self->back_bytes[path]) += op->bytes;
}

void
leat_session_count_copies (LeatSession *self, const LeatLane *lane)
{
  memset (self->up_bytes, 0, sizeof self->up_bytes);
  memset (self->back_bytes, 0, sizeof self->back_bytes);
  if (self->live_copies == NULL)
    self->live_copies = g_array_new (FALSE, FALSE, sizeof (LeatLiveCopy));
  g_array_set_size (self->live_copies, 0);
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (op->kind == LEAT_OP_COPY || op->kind == LEAT_OP_TRANSFER)
        leat_session_count_copy (self, lane, op);
    }
}

void
leat_session_note_copies (LeatSession *self, const LeatLane *lane, LeatPath path, guint64 n)
{
  self->stats.bytes_up += n * self->up_bytes[path];
  self->stats.bytes_back += n * self->back_bytes[path];
  for (guint i = 0; i < self->live_copies->len; i++)
    {
      const LeatLiveCopy *copy = &g_array_index (self->live_copies, LeatLiveCopy, i);

      if (copy->on[path])
        *(copy->up ? &self->stats.bytes_up : &self->stats.bytes_back) += n * leat_live_copy_get_bytes (copy, lane);
    }
}
