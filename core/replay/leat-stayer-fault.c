/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-stayer-object-private.h"

/* Runs that take too long.  The threads of the kernel notice it themselves and all end; one of them has written where
 * it was.  The context is as good as before, and the next run has the kernel launched again. */

#define LEAT_STAYER_LEAST_PATIENCE_US 2000000

gint64
leat_stayer_get_patience_us (LeatStayer *self)
{
  return LEAT_STAYER_LEAST_PATIENCE_US + 4 * (gint64) (self->stay.limit_ns / 1000);
}

static gboolean
leat_stayer_await_end (LeatStayer *self, GError **error)
{
  const LeatDriverTable *table = leat_device_get_table (self->device);
  gint64 until_us = g_get_monotonic_time () + leat_stayer_get_patience_us (self);
  CUresult result;

  while ((result = (*table->cuStreamQuery) (self->stream)) == CUDA_ERROR_NOT_READY
         && g_get_monotonic_time () < until_us)
    g_usleep (100);
  if (result == CUDA_SUCCESS)
    return TRUE;
  if (result != CUDA_ERROR_NOT_READY)
    return leat_device_set_error (self->device, error, "cuStreamQuery", result, "the resident kernel");
  leat_device_mark_hung (self->device, "a resident kernel that was to end does not");
  return leat_device_check (self->device, error);
}

/* The run counts as done; those that were rung for behind it begin anew with the next stay. */
gboolean
leat_stayer_settle_fault (LeatStayer *self, GError **error)
{
  LeatDoorbell *bell = self->bell;
  const guint64 number = __atomic_load_n (&bell->fault, __ATOMIC_ACQUIRE);
  LeatStayFault *fault = &self->faults[number % LEAT_DOORBELL_SLOTS];

  if (number == 0)
    return TRUE;
  if (!leat_stayer_await_end (self, error))
    return FALSE;
  fault->stage = bell->fault_stage;
  fault->block = bell->fault_block;
  fault->ticks = bell->fault_ticks;
  fault->behind = self->rung - number;
  __atomic_store_n (&fault->number, number, __ATOMIC_RELEASE);
  leat_stayer_count (&self->counts.faults);
  bell->fault = 0;
  __atomic_store_n (&bell->left, self->stay.stay, __ATOMIC_RELEASE);
  __atomic_store_n (&bell->done, number, __ATOMIC_RELEASE);
  return TRUE;
}

/* In which of its parts a kernel was that is made of several, nobody has written down. */
static char *
leat_stayer_dup_stage (const LeatOp *op)
{
  if (op->kind != LEAT_OP_KERNEL)
    return g_strdup ("a copy");
  if (op->fusion != NULL && strchr (op->fusion->kernels, ',') != NULL)
    return g_strdup_printf ("one of %s, which are one kernel,", op->fusion->kernels);
  return op->fusion != NULL ? g_strdup (op->fusion->kernels) : g_strdup_printf ("kernel %s", op->prototype->entry);
}

void
leat_stayer_fail_run (LeatStayer *self, const LeatStayFault *fault, GError **error)
{
  const LeatOp *op = self->ops[fault->stage];
  g_autofree char *what = leat_stayer_dup_stage (op);

  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_RUNAWAY,
               "%s was ended in run %" G_GUINT64_FORMAT " of the resident kernel, which took longer than "
               "%" G_GUINT64_FORMAT " ms: a thread of block %" G_GUINT64_FORMAT " was in round %" G_GUINT64_FORMAT
               " of a loop, and %" G_GUINT64_FORMAT " runs were rung for behind it; the run has no results; where it "
               "needs that long, allow more with resident-limit-ms",
               what, fault->number, self->stay.limit_ns / 1000000, fault->block, fault->ticks, fault->behind);
  if (op->fusion == NULL || !op->fusion->is_chain) /* a chain has the name of its last node, which may be none of it */
    leat_node_prefix_error (op->node, error);
}
