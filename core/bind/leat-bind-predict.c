/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The cost of one run in steady state, from the bound ops alone.  The other side of the comparison is never filled
 * here: it comes from the driver's counters and from the nodes of the graph that was built. */

#include "bind/leat-bound-plan-private.h"
#include "leat-bind-private.h"

gboolean
leat_plan_is_on_host (LeatPlan *self, LeatBufferId id)
{
  LeatPlace place = LEAT_BOUND_BUFFER (leat_plan_get_root (self, id))->place;

  return place == LEAT_PLACE_STAGING || place == LEAT_PLACE_USER;
}

gboolean
leat_plan_is_captured (LeatPlan *self, const LeatOp *op)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);

  for (guint i = 0; i < bound->pieces->len; i++)
    {
      const LeatPiece *piece = &g_array_index (bound->pieces, LeatPiece, i);

      if (op->index >= piece->first && op->index < piece->end)
        return piece->captured;
    }
  return FALSE;
}

/* How often an op of a plan for several entries is there.  Outside of a graph there is no copy of many rows, and
 * nothing for entries that are not in use. */
static guint
leat_plan_predict_nodes (LeatPlan *self, const LeatOp *op, const LeatPrediction *sum)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  if (bound->why_spread == NULL && !bound->by_rows)
    return 1;
  if (!leat_plan_is_captured (self, op))
    return sum->entries;
  return bound->why_spread != NULL ? LEAT_BOUND_PLAN (self)->traits.entries : 1;
}

/* With the gaps between entries, where one copy takes all of them. */
static guint64
leat_plan_predict_bytes (LeatPlan *self, const LeatOp *op)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);
  guint entries = MAX (LEAT_BOUND_PLAN (self)->traits.entries, 1);

  if (entries == 1 || bound->why_spread != NULL || bound->by_rows || leat_op_launches (op))
    return op->bytes * entries;
  return (entries - 1) * LEAT_BOUND_BUFFER (leat_plan_get_buffer (self, op->to))->stride + op->bytes;
}

/* The bounded data that a kernel of ours moves depends on its count; the bytes are the most.  Memory that the
 * application brings counts as the host's. */
static void
leat_plan_predict_moved (LeatPlan *self, const LeatOp *op, LeatPrediction *sum)
{
  gboolean from_host = leat_plan_is_on_host (self, op->from);
  gboolean to_host = leat_plan_is_on_host (self, op->to);
  guint64 bytes = leat_plan_predict_bytes (self, op);

  if (from_host && !to_host)
    sum->upload_bytes += bytes;
  else if (to_host && !from_host)
    sum->readback_bytes += bytes;
  else
    sum->device_copy_bytes += bytes;
}

static void
leat_plan_predict_copy (LeatPlan *self, const LeatOp *op, LeatPrediction *sum)
{
  if (leat_op_launches (op))
    sum->kernels += leat_plan_predict_nodes (self, op, sum);
  else
    sum->copies += leat_plan_predict_nodes (self, op, sum);
  leat_plan_predict_moved (self, op, sum);
}

static void
leat_plan_predict_work (LeatPlan *self, const LeatOp *op, LeatPrediction *sum)
{
  switch (op->kind)
    {
    case LEAT_OP_KERNEL:
      sum->kernels += leat_plan_predict_nodes (self, op, sum);
      break;
    case LEAT_OP_COPY:
    case LEAT_OP_TRANSFER:
      leat_plan_predict_copy (self, op, sum);
      break;
    case LEAT_OP_FILL:
      sum->fills += leat_plan_predict_nodes (self, op, sum);
      sum->fill_bytes += leat_plan_predict_bytes (self, op);
      break;
    case LEAT_OP_FOREIGN:
      sum->foreign += leat_plan_predict_nodes (self, op, sum);
      break;
    case LEAT_OP_LOOP:
      sum->loops++;
      break;
    case LEAT_OP_SOURCE:
    case LEAT_OP_SINK:
      break;
    }
}

static void
leat_plan_predict_op (LeatPlan *self, const LeatOp *op, LeatPrediction *sum)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  if (bound->packed_with != NULL)
    leat_plan_predict_moved (self, op, sum);
  if (bound->elided || op->loop != NULL)
    return;
  sum->early_starts += bound->n_early;
  leat_plan_predict_work (self, op, sum);
}

/* How many iterations there are is for the data to say; what each of them is, is known. */
static void
leat_plan_predict_loop (LeatPlan *self, LeatPlanLoop *loop, LeatPrediction *all)
{
  LeatBoundLoop *bound = LEAT_BOUND_LOOP (loop);
  LeatPrediction sum = { .entries = MAX (LEAT_BOUND_PLAN (self)->traits.entries, 1) };

  for (guint i = loop->first + 1; i <= loop->last; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if (op->loop == loop && !LEAT_BOUND_OP (op)->elided)
        leat_plan_predict_work (self, op, &sum);
    }
  bound->kernels = sum.kernels;
  bound->copies = sum.copies;
  bound->fills = sum.fills;
  bound->foreign = sum.foreign;
  bound->loops = sum.loops;
  all->iteration_kernels += sum.kernels;
  all->iteration_copies += sum.copies;
  all->iteration_fills += sum.fills;
}

/* @reuses: its inputs are on the device already */
static void
leat_plan_predict_run (LeatPlan *self, guint entries, gboolean reuses, LeatPrediction *sum)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);

  *sum = (LeatPrediction){ .entries = entries };
  /* Stages of a kernel that is there already: nothing is launched, and no copy is the driver's. */
  for (guint i = 0; i < self->ops->len && !bound->traits.persistent; i++)
    if (!reuses || !LEAT_BOUND_OP (leat_plan_get_op (self, i))->kept)
      leat_plan_predict_op (self, leat_plan_get_op (self, i), sum);
  sum->graph_launches = leat_plan_count_graphs (self);
  sum->waits = bound->pieces->len > 0 ? 1 : 0;
}

void
leat_plan_predict_entries (LeatPlan *self, guint entries, LeatPrediction *sum)
{
  leat_plan_predict_run (self, entries, FALSE, sum);
}

void
leat_bind_predict (LeatBoundPlan *bound)
{
  LeatPlan *self = &bound->plan;
  LeatPrediction sum;
  g_autoptr (GArray) counted = leat_plan_list_counted (self);
  guint entries = MAX (bound->traits.entries, 1);

  leat_plan_predict_run (self, entries, FALSE, &sum);
  for (guint i = 0; i < self->loops->len; i++)
    leat_plan_predict_loop (self, g_ptr_array_index (self->loops, i), &sum);
  sum.allocations = (bound->arena_bytes > 0) + (bound->marks_bytes > 0);
  for (guint i = 0; i < self->buffers->len; i++)
    {
      LeatPlace place = LEAT_BOUND_BUFFER (leat_plan_get_buffer (self, i))->place;

      sum.allocations += place == LEAT_PLACE_OWN || place == LEAT_PLACE_ARRAY;
      sum.pinned_allocations += place == LEAT_PLACE_STAGING;
    }
  sum.pinned_allocations += (counted->len > 0) + (leat_plan_get_told_bytes (self) > 0);
  sum.allocations += leat_plan_get_report_bytes (self) > 0;
  bound->prediction = sum;
  leat_plan_predict_run (self, entries, TRUE, &bound->reused_prediction);
}

void
leat_prediction_add (LeatPrediction *self, const LeatPrediction *run)
{
  self->kernels += run->kernels;
  self->copies += run->copies;
  self->fills += run->fills;
  self->early_starts += run->early_starts;
  self->graph_launches += run->graph_launches;
  self->waits += run->waits;
}

GVariant *
leat_prediction_to_variant (const LeatPrediction *sum)
{
  const struct
  {
    const char *name;
    guint64 value;
  } rows[] = {
    { "kernels", sum->kernels },
    { "copies", sum->copies },
    { "fills", sum->fills },
    { "foreign", sum->foreign },
    { "early-starts", sum->early_starts },
    { "upload-bytes", sum->upload_bytes },
    { "readback-bytes", sum->readback_bytes },
    { "device-copy-bytes", sum->device_copy_bytes },
    { "fill-bytes", sum->fill_bytes },
    { "graph-launches", sum->graph_launches },
    { "waits", sum->waits },
    { "allocations", sum->allocations },
    { "pinned-allocations", sum->pinned_allocations },
    { "loops", sum->loops },
    { "iteration-kernels", sum->iteration_kernels },
    { "iteration-copies", sum->iteration_copies },
    { "iteration-fills", sum->iteration_fills },
  };
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{st}"));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_variant_builder_add (&builder, "{st}", rows[i].name, rows[i].value);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/**
 * leat_plan_dup_prediction:
 * @self: a plan
 *
 * Gets what one run in steady state will cost, and what opening a session allocates.
 *
 * Of foreign ops only the number is known: their work is to be added to the rest.
 *
 * Ops in loops are in none of these sums, since the number of iterations is not known.  One iteration of each loop
 * launches iteration-kernels, iteration-copies and iteration-fills.
 *
 * Returns: (transfer full): a dictionary (a{st}): kernels, copies, fills, foreign, early-starts (dependencies for whose
 *   end a kernel waits by itself), upload-bytes, readback-bytes, device-copy-bytes, fill-bytes, graph-launches, waits,
 *   allocations, pinned-allocations; loops, iteration-kernels, iteration-copies, iteration-fills
 */
GVariant *
leat_plan_dup_prediction (LeatPlan *self)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&bound->lock);

  return leat_prediction_to_variant (&bound->prediction);
}
