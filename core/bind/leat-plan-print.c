/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The plan for people: ops with what they read and write, buffers with where they lie and how long they live. */

#include "bind/leat-bound-plan-private.h"
#include "leat-bind-private.h"
#include "plan/leat-op-private.h"
#include "fuse/leat-fusible-private.h"

static void
leat_plan_print_touches (LeatPlan *self, const LeatOp *op, LeatAccess access, const char *lead, GString *text)
{
  for (guint t = 0; t < op->n_touches; t++)
    if (op->touches[t].access & access)
      {
        g_string_append_printf (text, "%s%s", lead, leat_plan_get_buffer (self, op->touches[t].buffer)->name);
        lead = ", ";
      }
}

static void
leat_plan_print_geometry (const LeatOp *op, GString *text)
{
  g_string_append_printf (text, "  %s grid ", op->prototype->entry);
  if (op->grid_by_occupancy)
    g_string_append (text, "by occupancy");
  else
    g_string_append_printf (text, "%ux%ux%u", op->grid[0], op->grid[1], op->grid[2]);
  g_string_append_printf (text, " block %ux%ux%u", op->block[0], op->block[1], op->block[2]);
  leat_op_describe_block (op, text);
  if (op->shared_bytes > 0)
    g_string_append_printf (text, " shared %u", op->shared_bytes);
  if (op->cooperative)
    g_string_append (text, " cooperative");
  if (op->prototype->reports)
    g_string_append (text, " reports");
}

static void
leat_plan_print_after (const LeatOp *op, gboolean early, const char *lead, GString *text)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  for (guint i = 0; i < bound->n_after; i++)
    if ((bound->early[i] != 0) == early)
      {
        g_string_append_printf (text, "%s%u", lead, bound->after[i]);
        lead = ",";
      }
}

static void
leat_plan_print_entries (LeatPlan *self, const LeatOp *op, GString *text)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  if (LEAT_BOUND_PLAN (self)->traits.entries == 0 || !leat_op_is_on_device (op))
    return;
  if (bound->why_spread == NULL)
    g_string_append (text, "  coalesced");
  else
    g_string_append_printf (text, "  spread%s (%s)", bound->in_order ? ", in order" : "", bound->why_spread);
}

static void
leat_plan_print_number (guint64 n, const char *one, const char *many, const char **before, GString *text)
{
  if (n == 0)
    return;
  g_string_append_printf (text, "%s%" G_GUINT64_FORMAT " %s", *before, n, n == 1 ? one : many);
  *before = ", ";
}

static void
leat_plan_print_executor (const LeatPlanLoop *loop, GString *text)
{
  const LeatBoundLoop *bound = LEAT_BOUND_LOOP (loop);

  if (loop->most < G_MAXUINT64)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT " times, ", loop->is_tested ? "at most " : "", loop->most);
  g_string_append_printf (text, "%s (%s); in an iteration", leat_loop_method_get_name (bound->method), bound->why);
}

static void
leat_plan_print_loop (const LeatPlanLoop *loop, GString *text)
{
  const LeatBoundLoop *bound = LEAT_BOUND_LOOP (loop);
  const char *before = " ";

  g_string_append_printf (text, "  ops %u-%u, ", loop->first + 1, loop->last);
  leat_plan_print_executor (loop, text);
  leat_plan_print_number (bound->kernels, "kernel", "kernels", &before, text);
  leat_plan_print_number (bound->copies, "copy", "copies", &before, text);
  leat_plan_print_number (bound->fills, "fill", "fills", &before, text);
  leat_plan_print_number (bound->foreign, "foreign op", "foreign ops", &before, text);
  leat_plan_print_number (bound->loops, "loop", "loops", &before, text);
}

static void
leat_plan_print_fusion (const LeatOp *op, GString *text)
{
  const LeatFusion *fusion = op->fusion;

  g_string_append (text, "      ");
  if (op->runs != NULL)
    {
      leat_plan_print_executor (op->runs, text);
      g_string_append_printf (text, " %u op%s, %u barrier%s of %s", fusion->n_ops, fusion->n_ops == 1 ? "" : "s",
                              fusion->n_syncs, fusion->n_syncs == 1 ? "" : "s",
                              op->cooperative ? "the grid" : "the one block");
    }
  else
    g_string_append_printf (text, "one launch for %u op%s, %u barrier%s; %u launch%s less", fusion->n_ops,
                            fusion->n_ops == 1 ? "" : "s", fusion->n_syncs, fusion->n_syncs == 1 ? "" : "s",
                            fusion->n_ops - 1, fusion->n_ops == 2 ? "" : "es");
  if (fusion->n_waits > 0)
    g_string_append_printf (text, ", %u wait%s for blocks around", fusion->n_waits, fusion->n_waits == 1 ? "" : "s");
  if (fusion->n_windows > 0)
    g_string_append_printf (text, ", %u buffer%s in shared memory", fusion->n_windows,
                            fusion->n_windows == 1 ? "" : "s");
  if (fusion->n_kept > 0)
    g_string_append_printf (text, ", %u buffer%s in registers", fusion->n_kept, fusion->n_kept == 1 ? "" : "s");
  if (fusion->kept_bytes > 0)
    g_string_append_printf (text, ": %" G_GUINT64_FORMAT " bytes less written and read", fusion->kept_bytes);
  if (op->fusible != NULL)
    g_string_append_printf (text, " (%s)", LEAT_BOUND_FUSIBLE (op->fusible)->why);
  g_string_append_c (text, '\n');
  for (guint i = 0; i < fusion->lines->len; i++)
    g_string_append_printf (text, "        %s\n", (const char *) g_ptr_array_index (fusion->lines, i));
}

/* Of kernels that stay what they are. */
static void
leat_plan_print_fusible (const LeatFusible *fusible, GString *text)
{
  const LeatFusion *fusion = fusible->fused->fusion;

  g_string_append_printf (
    text,
    "      %u-%u, \"%s\" to \"%s\", could be one kernel, with %u barrier%s and %u launch%s less, and "
    "are not: %s\n",
    fusible->first->index, fusible->last->index, leat_node_get_name (fusible->first->node),
    leat_node_get_name (fusible->last->node), fusion->n_syncs, fusion->n_syncs == 1 ? "" : "s", fusion->n_ops - 1,
    fusion->n_ops == 2 ? "" : "es", LEAT_BOUND_FUSIBLE (fusible)->why);
}

static void
leat_plan_print_op (LeatPlan *self, const LeatOp *op, GString *text)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  g_string_append_printf (text, "  %3u ", op->index);
  for (const LeatPlanLoop *loop = op->loop; loop != NULL; loop = loop->parent)
    g_string_append (text, "  ");
  g_string_append_printf (text, "%-8s %-14s", leat_op_kind_get_name (op->kind), leat_node_get_name (op->node));
  leat_plan_print_touches (self, op, LEAT_ACCESS_READ, " ", text);
  leat_plan_print_touches (self, op, LEAT_ACCESS_WRITE, " -> ", text);
  if (op->kind == LEAT_OP_KERNEL)
    leat_plan_print_geometry (op, text);
  if (op->kind == LEAT_OP_COPY || op->kind == LEAT_OP_FILL)
    g_string_append_printf (text, "  %" G_GUINT64_FORMAT " bytes", op->bytes);
  if (op->kind == LEAT_OP_TRANSFER)
    g_string_append_printf (text, "  %s%s%s%s", leat_transfer_mode_get_name (bound->way), bound->reason ? " (" : "",
                            bound->reason ? bound->reason : "", bound->reason ? ")" : "");
  if (op->kind == LEAT_OP_LOOP)
    leat_plan_print_loop (op->runs, text);
  if (bound->packed_with != NULL)
    g_string_append_printf (text, "  with %u", bound->packed_with->index);
  if (op->kind == LEAT_OP_FOREIGN)
    g_string_append_printf (text, "  %s", op->name);
  if (op->kind == LEAT_OP_FOREIGN && leat_op_get_why_alone (op) != NULL)
    g_string_append_printf (text, " (not captured: %s)", leat_op_get_why_alone (op));
  else if (op->kind == LEAT_OP_FOREIGN && bound->tried)
    g_string_append_printf (text, " (%u nodes)", bound->n_captured_nodes);
  leat_plan_print_entries (self, op, text);
  leat_plan_print_after (op, FALSE, "  after ", text);
  leat_plan_print_after (op, TRUE, "  early after ", text);
  g_string_append_c (text, '\n');
  if (op->fusion != NULL)
    leat_plan_print_fusion (op, text);
  if (op->kind == LEAT_OP_LOOP && op->runs->why_not_fused != NULL)
    g_string_append_printf (text, "      cannot be one kernel: %s\n", op->runs->why_not_fused);
  if (op->why_separate != NULL)
    g_string_append_printf (text, "      %s\n", op->why_separate);
}

static void
leat_plan_print_buffer (LeatPlan *self, const LeatBuffer *buffer, GString *text)
{
  const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);
  g_autofree char *spec = buffer->spec != NULL ? leat_spec_to_string (buffer->spec, LEAT_SPEC_STYLE_FILE) : NULL;

  g_string_append_printf (text, "  %3u %-8s %-20s %-18s %12" G_GUINT64_FORMAT " bytes", buffer->id,
                          leat_buffer_kind_get_name (buffer->kind), buffer->name, spec != NULL ? spec : "-",
                          buffer->bytes);
  if (bound->place == LEAT_PLACE_ALIAS)
    g_string_append_printf (text, "  in the memory of %s", leat_plan_get_root (self, buffer->id)->name);
  else if (bound->place == LEAT_PLACE_ARENA)
    g_string_append_printf (text, "  at %" G_GUINT64_FORMAT, bound->offset);
  else if (bound->place == LEAT_PLACE_MARKS)
    g_string_append_printf (text, "  at %" G_GUINT64_FORMAT " of what a lane keeps", bound->offset);
  else if (bound->place == LEAT_PLACE_NOWHERE)
    g_string_append (text, "  not used");
  else if (bound->place == LEAT_PLACE_USER)
    g_string_append_printf (text, "  memory of the application, slot %u", buffer->slot);
  if (bound->stride > 0)
    g_string_append_printf (text, "  an entry every %" G_GUINT64_FORMAT, bound->stride);
  if (buffer->grows != NULL)
    g_string_append (text, "  may grow");
  if (bound->first_op != G_MAXUINT)
    g_string_append_printf (text, "  ops %u-%u", bound->first_op, bound->last_op);
  g_string_append_c (text, '\n');
}

static void
leat_plan_print_delays (LeatPlan *self, GString *text)
{
  for (guint i = 0; i < self->delays->len; i++)
    {
      const LeatDelay *delay = &g_array_index (self->delays, LeatDelay, i);
      const LeatBuffer *state = leat_plan_get_buffer (self, delay->state);
      const char *from = delay->from != LEAT_BUFFER_NONE ? leat_plan_get_buffer (self, delay->from)->name : NULL;

      if (i == 0)
        g_string_append (text, "state\n");
      g_string_append_printf (text, "  %-14s %" G_GUINT64_FORMAT " bytes of the %s, ", leat_node_get_name (delay->node),
                              state->bytes, leat_state_scope_get_name (state->scope));
      if (from == NULL || delay->from == delay->state)
        g_string_append (text, "stays what it is\n");
      else
        g_string_append_printf (text, "becomes %s %s\n", from, delay->in_place ? "in place" : "by a copy");
    }
}

static void
leat_plan_print_prediction (LeatPlan *self, GString *text)
{
  const LeatPrediction *sum = &LEAT_BOUND_PLAN (self)->prediction;

  g_string_append_printf (text,
                          "a run: %" G_GUINT64_FORMAT " graph launch%s, %" G_GUINT64_FORMAT
                          " wait; in it %" G_GUINT64_FORMAT " kernels, %" G_GUINT64_FORMAT " copies, %" G_GUINT64_FORMAT
                          " fills; %" G_GUINT64_FORMAT " bytes up, %" G_GUINT64_FORMAT " back",
                          sum->graph_launches, sum->graph_launches > 1 ? "es" : "", sum->waits, sum->kernels,
                          sum->copies, sum->fills, sum->upload_bytes, sum->readback_bytes);
  if (sum->foreign > 0)
    g_string_append_printf (text, "; and what %" G_GUINT64_FORMAT " foreign op%s", sum->foreign,
                            sum->foreign > 1 ? "s do" : " does");
  if (sum->loops > 0)
    g_string_append_printf (text, "; and what is in %" G_GUINT64_FORMAT " loop%s", sum->loops,
                            sum->loops > 1 ? "s" : "");
  if (sum->early_starts > 0)
    g_string_append_printf (text, "; %" G_GUINT64_FORMAT " early start%s", sum->early_starts,
                            sum->early_starts > 1 ? "s" : "");
  g_string_append_c (text, '\n');
}

static void
leat_plan_print_pass_notes (LeatPlan *self, GString *text)
{
  for (guint i = 0; i < self->pass_notes->len; i++)
    {
      const LeatPassNote *note = &g_array_index (self->pass_notes, LeatPassNote, i);

      if (i == 0)
        g_string_append (text, "optimised\n");
      g_string_append_printf (text, "  %-8s %s%s%s\n", note->pass, leat_node_get_name (note->node),
                              note->into == NULL                  ? ""
                              : g_str_equal (note->pass, "merge") ? " into "
                                                                  : " out of ",
                              note->into != NULL ? leat_node_get_name (note->into) : "");
    }
}

static gboolean
leat_plan_has_kernels_in_turn (LeatPlan *self)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);
      const LeatBoundOp *bound = LEAT_BOUND_OP (op);

      for (guint k = 0; leat_op_launches (op) && k < bound->n_after; k++)
        if (leat_op_launches (leat_plan_get_op (self, bound->after[k])))
          return TRUE;
    }
  return FALSE;
}

/* Where all is one graph there is nothing to say. */
static void
leat_plan_print_pieces (LeatPlan *self, GString *text)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);

  if (bound->pieces->len == leat_plan_count_graphs (self))
    return;
  for (guint i = 0; i < bound->pieces->len; i++)
    {
      const LeatPiece *piece = &g_array_index (bound->pieces, LeatPiece, i);

      g_string_append_printf (text, "  ops %u-%u: %s%s%s\n", piece->first, piece->end - 1,
                              piece->captured ? "a graph" : "one by one", piece->why_not != NULL ? ": " : "",
                              piece->why_not != NULL ? piece->why_not : "");
    }
}

/**
 * leat_plan_to_text:
 * @self: a plan
 *
 * Prints a plan for people.
 *
 * Returns: (transfer full): several lines of text
 */
char *
leat_plan_to_text (LeatPlan *self)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&bound->lock);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text,
                          "%s plan: %u ops, %u buffers, %" G_GUINT64_FORMAT " bytes on the device, %" G_GUINT64_FORMAT
                          " bytes of pinned host memory\n",
                          bound->traits.bound ? "bound" : "logical", self->ops->len, self->buffers->len,
                          bound->arena_bytes + bound->own_bytes, bound->staging_bytes);
  g_string_append (text, "ops\n");
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if (!LEAT_BOUND_OP (op)->hidden)
        leat_plan_print_op (self, op, text);
      else if (op->fusible != NULL && LEAT_BOUND_FUSIBLE (op->fusible)->way == LEAT_FUSION_SEPARATE
               && !LEAT_BOUND_FUSIBLE (op->fusible)->is_gone)
        leat_plan_print_fusible (op->fusible, text);
    }
  g_string_append (text, "buffers\n");
  for (guint i = 0; i < self->buffers->len; i++)
    leat_plan_print_buffer (self, leat_plan_get_buffer (self, i), text);
  leat_plan_print_delays (self, text);
  leat_plan_print_pass_notes (self, text);
  leat_plan_print_prediction (self, text);
  leat_plan_print_pieces (self, text);
  if (bound->traits.bound && bound->why_not_early != NULL && leat_plan_has_kernels_in_turn (self))
    g_string_append_printf (text, "no kernel begins before what it depends on has ended: %s\n", bound->why_not_early);
  if (bound->traits.bound)
    g_string_append_printf (text, "a run on the same inputs: %s%s\n",
                            bound->why_not_reusable != NULL ? "as any other, because " : "without the uploads",
                            bound->why_not_reusable != NULL ? bound->why_not_reusable : "");
  if (bound->traits.entries > 0)
    g_string_append_printf (text, "%u entries at once%s%s\n", bound->traits.entries,
                            bound->why_in_turn != NULL ? " cannot be: " : "",
                            bound->why_in_turn != NULL ? bound->why_in_turn : "");
  if (self->flush)
    g_string_append (text, "after the last data, one more run gives out what was kept\n");
  return g_string_free (text, FALSE);
}
