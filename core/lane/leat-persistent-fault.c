/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs that take too long.  The threads of the kernel notice it themselves and all end; one of them has written where
 * it was.  The context is as good as before, and the next run has the kernel launched again. */

#include "leat-persistent-object-private.h"

#define LEAT_PERSISTENT_LEAST_PATIENCE_US 2000000

gint64
leat_persistent_get_patience_us (LeatPersistent *self)
{
  return LEAT_PERSISTENT_LEAST_PATIENCE_US + 4 * (gint64) (self->params.limit_ns / 1000);
}

static gboolean
leat_persistent_await_end (LeatPersistent *self, GError **error)
{
  const LeatDriverTable *table = leat_device_get_table (self->device);
  gint64 until_us = g_get_monotonic_time () + leat_persistent_get_patience_us (self);
  CUresult result;

  while ((result = (*table->cuStreamQuery) (self->stream)) == CUDA_ERROR_NOT_READY
         && g_get_monotonic_time () < until_us)
    g_usleep (100);
  if (result == CUDA_SUCCESS)
    return TRUE;
  if (result != CUDA_ERROR_NOT_READY)
    return leat_device_set_error (self->device, error, "cuStreamQuery", result, "the persistent kernel");
  leat_device_mark_hung (self->device, "a persistent kernel that was to end does not");
  return leat_device_check (self->device, error);
}

/* The run counts as done; those that were signalled behind it begin anew with the next launch. */
gboolean
leat_persistent_settle_fault (LeatPersistent *self, GError **error)
{
  LeatRunSignal *signal = self->signal;
  const guint64 number = __atomic_load_n (&signal->fault, __ATOMIC_ACQUIRE);
  LeatPersistentFault *fault = &self->faults[number % LEAT_RUN_SIGNAL_SLOTS];

  if (number == 0)
    return TRUE;
  if (!leat_persistent_await_end (self, error))
    return FALSE;
  fault->stage = signal->fault_stage;
  fault->block = signal->fault_block;
  fault->ticks = signal->fault_ticks;
  fault->behind = self->signalled - number;
  __atomic_store_n (&fault->number, number, __ATOMIC_RELEASE);
  leat_persistent_count (&self->counts.faults);
  signal->fault = 0;
  __atomic_store_n (&signal->left, self->params.launch, __ATOMIC_RELEASE);
  __atomic_store_n (&signal->done, number, __ATOMIC_RELEASE);
  return TRUE;
}

/* In which of its parts a kernel was that is made of several, nobody has written down. */
static char *
leat_persistent_dup_stage (const LeatOp *op)
{
  if (op->kind != LEAT_OP_KERNEL)
    return g_strdup ("a copy");
  if (op->fusion != NULL && strchr (op->fusion->kernels, ',') != NULL)
    return g_strdup_printf ("one of %s, which are one kernel,", op->fusion->kernels);
  return op->fusion != NULL ? g_strdup (op->fusion->kernels) : g_strdup_printf ("kernel %s", op->prototype->entry);
}

void
leat_persistent_fail_run (LeatPersistent *self, const LeatPersistentFault *fault, GError **error)
{
  const LeatOp *op = self->ops[fault->stage];
  g_autofree char *what = leat_persistent_dup_stage (op);

  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_RUNAWAY,
               "%s was ended in run %" G_GUINT64_FORMAT " of the persistent kernel, which took longer than "
               "%" G_GUINT64_FORMAT " ms: a thread of block %" G_GUINT64_FORMAT " was in round %" G_GUINT64_FORMAT
               " of a loop, and %" G_GUINT64_FORMAT " runs were signalled behind it; the run has no results; where it "
               "needs that long, allow more with persistent-limit-ms",
               what, fault->number, self->params.limit_ns / 1000000, fault->block, fault->ticks, fault->behind);
  if (op->fusion == NULL || !op->fusion->is_chain) /* a chain has the name of its last node, which may be none of it */
    leat_node_prefix_error (op->node, error);
}
