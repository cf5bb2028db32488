/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How a session comes to run another plan: a setup that it has already is adjusted in place; else one is made, with the
 * executable of one that goes, or with one of its own.  Setups for other shapes are kept as long as they fit. */

#include "leat-session-private.h"

#include "bind/leat-bind-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-run-private.h"

/* How a plan was taken, for statistics and the bus. */
typedef struct
{
  const char *how;
  char *reason;
  const LeatGrowth *growth; /* NULL: properties were set */
} LeatTaking;

LeatSetupBase
leat_session_get_base (LeatSession *self)
{
  return (LeatSetupBase){ self->device, self->store, &self->told.ledger.graph_counts, self->told.measuring.is_on };
}

static void
leat_session_list_endpoints (LeatSession *self)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self->plan, i);

      LeatBuffer *buffer;

      if (op->kind != LEAT_OP_SOURCE && op->kind != LEAT_OP_SINK)
        continue;
      buffer = leat_plan_get_buffer (self->plan, op->touches[0].buffer);
      if (op->kind == LEAT_OP_SOURCE)
        g_array_append_vals (self->ends.inputs,
                             &(LeatSessionInput){ .op = op,
                                                  .buffer = buffer,
                                                  .name = leat_node_get_name (op->node),
                                                  .direct = buffer->user,
                                                  .app = LEAT_IS_APP (op->node) ? LEAT_APP (op->node) : NULL },
                             1);
      else
        g_array_append_vals (self->ends.outputs,
                             &(LeatSessionOutput){ .op = op,
                                                   .buffer = buffer,
                                                   .app = LEAT_IS_APP (op->node) ? LEAT_APP (op->node) : NULL,
                                                   .name = leat_node_get_name (op->node),
                                                   .direct = buffer->user },
                             1);
    }
}

/* The same endpoints stand in the same order in every plan of a pipeline.  Uploaded data is there as long as the memory
 * is the same. */
static void
leat_session_carry_endpoints (LeatSession *self, const GArray *inputs, const GArray *outputs, gboolean same_memory)
{
  for (guint i = 0; i < inputs->len; i++)
    {
      const LeatSessionInput *old = &g_array_index (inputs, LeatSessionInput, i);
      LeatSessionInput *input = leat_session_get_input (self, i);

      input->direct = old->direct;
      input->generation = old->generation + !same_memory;
      input->on_device = same_memory ? old->on_device : 0;
    }
  for (guint i = 0; i < outputs->len; i++)
    leat_session_get_output (self, i)->direct = g_array_index (outputs, LeatSessionOutput, i).direct;
}

/* Counts and times of the former lanes say nothing about these. */
static void
leat_session_begin_counts (LeatSession *self, gboolean same_memory)
{
  const LeatLane *lane = g_ptr_array_index (self->lanes, 0);

  leat_ledger_list_kernel_transfers (&self->told.ledger, self->plan);
  for (guint i = 0; i < self->lanes->len && !same_memory; i++)
    leat_lane_begin_work_counts (g_ptr_array_index (self->lanes, i));
  if (!same_memory || !lane->executables[LEAT_PATH_TIMED].is_built)
    leat_told_clear_times (&self->told);
}

/* @plan: (nullable) */
void
leat_session_set_plan (LeatSession *self, LeatPlan *plan)
{
  g_autoptr (LeatPlan) before = NULL;

  g_mutex_lock (&self->told.lock);
  before = self->plan;
  self->plan = self->states.plan = plan != NULL ? g_object_ref (plan) : NULL;
  g_mutex_unlock (&self->told.lock);
}

static void
leat_session_lend_bindings (LeatSession *self, LeatSetup *setup)
{
  for (guint i = 0; self->setup != NULL && self->setup != setup && i < MIN (setup->lanes->len, self->setup->lanes->len);
       i++)
    leat_lane_take_bindings (g_ptr_array_index (setup->lanes, i), g_ptr_array_index (self->setup->lanes, i));
}

static void
leat_session_point_at (LeatSession *self, LeatSetup *setup)
{
  g_autoptr (GArray) inputs = self->ends.inputs;
  g_autoptr (GArray) outputs = self->ends.outputs;
  gboolean same_memory = self->setup == setup;

  leat_session_lend_bindings (self, setup);
  leat_ledger_settle_counts (&self->told.ledger, self->lanes);
  self->setup = setup;
  setup->used = ++self->shapes.clock;
  leat_session_set_plan (self, setup->plan);
  self->program = setup->program;
  g_ptr_array_unref (self->lanes);
  self->lanes = self->states.lanes = g_ptr_array_ref (setup->lanes);
  self->ends.inputs = g_array_new (FALSE, FALSE, sizeof (LeatSessionInput));
  self->ends.outputs = g_array_new (FALSE, FALSE, sizeof (LeatSessionOutput));
  leat_session_list_endpoints (self);
  leat_session_carry_endpoints (self, inputs, outputs, same_memory);
  leat_session_make_flights (self);
  g_clear_pointer (&self->changeable, g_hash_table_unref);
  leat_session_list_changeable (self);
  leat_session_begin_counts (self, same_memory);
  leat_states_call_in (&self->states);
}

/* The lanes go with their setups. */
void
leat_session_drop_setups (LeatSession *self)
{
  g_ptr_array_unref (self->lanes);
  self->lanes = self->states.lanes = g_ptr_array_new ();
  g_array_set_size (self->flights, 0);
  self->setup = NULL;
  self->program = NULL;
  g_ptr_array_set_size (self->shapes.setups, 0);
  g_clear_pointer (&self->store, leat_store_unref);
  g_clear_pointer (&self->bindings.address_map, leat_address_map_free);
}

void
leat_session_drop_batch (LeatSession *self)
{
  g_clear_pointer (&self->batch, leat_batch_free);
}

/* Those with another spec than in @before hear of it. */
static void
leat_session_tell_endpoint (LeatPlan *before, LeatPlan *plan, const LeatOp *op)
{
  LeatEndpoint *endpoint = LEAT_ENDPOINT (op->node);
  const LeatBuffer *buffer = leat_plan_get_buffer (plan, op->touches[0].buffer);

  for (guint i = 0; i < before->ops->len; i++)
    {
      const LeatOp *old = leat_plan_get_op (before, i);

      if (old->node == op->node && old->kind == op->kind
          && !leat_spec_equal (leat_plan_get_buffer (before, old->touches[0].buffer)->spec, buffer->spec)
          && LEAT_ENDPOINT_GET_CLASS (endpoint)->respec != NULL)
        LEAT_ENDPOINT_GET_CLASS (endpoint)->respec (endpoint);
    }
}

static void
leat_session_tell_endpoints (LeatSession *self, LeatPlan *before)
{
  for (guint i = 0; i < self->ends.inputs->len; i++)
    leat_session_tell_endpoint (before, self->plan, leat_session_get_input (self, i)->op);
  for (guint i = 0; i < self->ends.outputs->len; i++)
    leat_session_tell_endpoint (before, self->plan, leat_session_get_output (self, i)->op);
}

/* From here on there is no way back: what the former setup kept may be written over. */
static gboolean
leat_session_switch (LeatSession *self, LeatSetup *setup, GError **error)
{
  g_autoptr (LeatPlan) before = g_object_ref (self->plan);

  if ((setup != self->setup && !leat_states_put_lanes_away (&self->states, NULL, error))
      || !leat_setup_begin (setup, self->setup, error))
    {
      self->hold.failed = TRUE;
      return FALSE;
    }
  leat_session_point_at (self, setup);
  if (!leat_states_bring_lanes_back (&self->states, error))
    {
      self->hold.failed = TRUE;
      return FALSE;
    }
  leat_session_tell_endpoints (self, before);
  if (self->recall.memo != NULL)
    leat_memo_clear (self->recall.memo);
  return TRUE;
}

/* The first one, when the session opens. */
gboolean
leat_session_make_setup (LeatSession *self, GError **error)
{
  LeatSetupBase base;
  LeatSetup *setup;
  gint64 begin;

  self->store = leat_store_new (self->device, self->account);
  leat_session_choose_scratch (self);
  memset (&self->told.ledger.graph_counts, 0, sizeof self->told.ledger.graph_counts);
  base = leat_session_get_base (self);
  setup = leat_setup_new (&base, self->plan, NULL, error);
  if (setup == NULL)
    return FALSE;
  g_ptr_array_add (self->shapes.setups, setup);
  begin = g_get_monotonic_time ();
  if (!leat_setup_begin (setup, NULL, error))
    return FALSE;
  self->told.ledger.stats.contents_us = g_get_monotonic_time () - begin;
  leat_session_point_at (self, setup);
  return TRUE;
}

gboolean
leat_session_build_setup (LeatSession *self, GError **error)
{
  g_autofree char *why = NULL;

  if (!leat_setup_build (self->setup, NULL, &why, error))
    return FALSE;
  self->told.ledger.stats.instantiate_us = self->told.ledger.graph_counts.instantiate_us;
  return TRUE;
}

static LeatSetup *
leat_session_choose_donor (LeatSession *self, LeatPlan *plan, GPtrArray *out, gboolean keep)
{
  g_autofree char *why = NULL;

  if (!keep && leat_setup_has_graphs (self->setup)
      && leat_plan_compare (self->setup->plan, plan, &why) != LEAT_PLANS_DIFFER)
    return self->setup;
  for (guint i = 0; i < out->len; i++)
    {
      LeatSetup *setup = g_ptr_array_index (out, i);
      g_autofree char *unlike = NULL;

      if (leat_setup_has_graphs (setup) && leat_plan_compare (setup->plan, plan, &unlike) != LEAT_PLANS_DIFFER)
        return setup;
    }
  return NULL;
}

/* Memory that setups for other shapes hold is better used for the one that is needed. */
static LeatSetup *
leat_session_new_setup (LeatSession *self, LeatPlan *plan, GPtrArray *out, GError **error)
{
  const LeatSetupBase base = leat_session_get_base (self);
  GError *inner = NULL;
  LeatSetup *setup = leat_setup_new (&base, plan, self->setup, &inner);

  if (setup == NULL && g_error_matches (inner, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY)
      && self->shapes.setups->len + out->len > 1)
    {
      g_clear_error (&inner);
      leat_shapes_make_room (&self->shapes, self->setup, self->options.cache_bytes, G_MAXUINT64 / 2, out);
      g_ptr_array_set_size (out, 0);
      setup = leat_setup_new (&base, plan, self->setup, &inner);
    }
  if (setup == NULL)
    g_propagate_error (error, inner);
  else
    leat_session_lend_bindings (self, setup);
  return setup;
}

/* A build that failed may have left half of an update in the donor. */
static gboolean
leat_session_fail_build (LeatSession *self, LeatSetup *donor)
{
  if (donor == self->setup && !leat_setup_rebuild (donor, NULL))
    self->hold.failed = TRUE;
  return FALSE;
}

static gboolean
leat_session_build_from (LeatSession *self, LeatSetup *setup, LeatSetup *donor, LeatTaking *taking, GError **error)
{
  const LeatGraphCounts before = self->told.ledger.graph_counts;
  g_autofree char *why = NULL;

  if (!leat_setup_build (setup, donor, &why, error))
    return leat_session_fail_build (self, donor);
  if (self->told.ledger.graph_counts.instantiations > before.instantiations)
    taking->how = "instantiated";
  else if (self->told.ledger.graph_counts.graph_updates > before.graph_updates)
    taking->how = "graph-updated";
  if (why != NULL)
    {
      g_free (taking->reason);
      taking->reason = g_steal_pointer (&why);
    }
  return TRUE;
}

/* @keep: the setup that runs now may be of use again. */
static gboolean
leat_session_replace_setup (LeatSession *self, LeatPlan *plan, gboolean keep, LeatTaking *taking, GError **error)
{
  g_autoptr (GPtrArray) out = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_setup_free);
  LeatSetup *old = self->setup, *donor;
  g_autoptr (LeatSetup) setup = NULL;

  keep =
    keep
    && leat_shapes_make_room (&self->shapes, self->setup, self->options.cache_bytes, leat_setup_get_bytes (old), out);
  setup = leat_session_new_setup (self, plan, out, error);
  if (setup == NULL)
    return FALSE;
  /* The run that is done again has the arguments that it had; what was set since then is for the next one. */
  if (taking->growth != NULL)
    leat_setup_take_args (setup, old);
  donor = leat_session_choose_donor (self, plan, out, keep);
  if (!leat_session_build_from (self, setup, donor, taking, error))
    return FALSE;
  g_ptr_array_add (self->shapes.setups, setup);
  if (!leat_session_switch (self, g_steal_pointer (&setup), error))
    return FALSE;
  if (!keep)
    g_ptr_array_add (out, leat_shapes_steal (&self->shapes, old));
  return TRUE;
}

static gboolean
leat_session_adjust_setup (LeatSession *self, LeatSetup *setup, LeatPlan *plan, LeatTaking *taking, GError **error)
{
  const LeatSetupBase base = leat_session_get_base (self);
  g_autoptr (GError) inner = NULL;
  gboolean broken;

  if (leat_setup_adjust (setup, &base, plan, &broken, &inner))
    {
      taking->how = setup == self->setup ? "updated" : "cached";
      self->told.ledger.stats.shape_hits += setup != self->setup;
      return leat_session_switch (self, setup, error);
    }
  if (!broken)
    {
      g_propagate_error (error, g_steal_pointer (&inner));
      return FALSE;
    }
  taking->reason = g_strdup (inner->message);
  if (setup != self->setup)
    {
      leat_setup_free (leat_shapes_steal (&self->shapes, setup));
      return leat_session_replace_setup (self, plan, TRUE, taking, error);
    }
  if (leat_session_replace_setup (self, plan, FALSE, taking, error))
    return TRUE;
  self->hold.failed = self->hold.failed || !leat_setup_rebuild (setup, NULL);
  return FALSE;
}

static gboolean
leat_session_take_new_plan (LeatSession *self, LeatPlan *plan, LeatTaking *taking, GError **error)
{
  leat_plan_compare (self->plan, plan, &taking->reason);
  /* Where kernels alone have changed, the former ones are not likely to come back; too little room will not. */
  return leat_session_replace_setup (self, plan, taking->growth == NULL && !leat_plan_has_shape_of (self->plan, plan),
                                     taking, error);
}

static void
leat_session_post_taking (LeatSession *self, const LeatTaking *taking)
{
  GVariantDict details;

  g_variant_dict_init (&details, NULL);
  g_variant_dict_insert (&details, "how", "s", taking->how);
  g_variant_dict_insert (&details, "reason", "s", taking->reason != NULL ? taking->reason : "");
  if (taking->growth != NULL)
    {
      g_variant_dict_insert (&details, "grown", "s", taking->growth->output);
      g_variant_dict_insert (&details, "needed", "t", taking->growth->needed);
      g_variant_dict_insert (&details, "from", "t", taking->growth->from);
      g_variant_dict_insert (&details, "to", "t", taking->growth->to);
    }
  leat_bus_post (leat_pipeline_get_bus (self->pipeline),
                 leat_message_new (LEAT_MESSAGE_CHANGE, NULL, NULL, g_variant_dict_end (&details)));
}

static void
leat_taking_tell_growth (LeatTaking *self)
{
  g_free (self->reason);
  self->reason = g_strdup_printf ("there were %" G_GUINT64_FORMAT " items to give in %s and room for %" G_GUINT64_FORMAT
                                  ": it has room for %" G_GUINT64_FORMAT " now",
                                  self->growth->needed, self->growth->output, self->growth->from, self->growth->to);
}

static void
leat_session_note_taking (LeatSession *self, LeatTaking *taking)
{
  if (taking->growth != NULL)
    leat_taking_tell_growth (taking);
  if (taking->reason == NULL)
    return;
  leat_told_set_reason (&self->told, taking->reason);
  leat_session_post_taking (self, taking);
}

/* FALSE: the session runs what it ran, unless it has failed. */
gboolean
leat_session_take_plan (LeatSession *self, LeatPlan *plan, const LeatGrowth *growth, GError **error)
{
  LeatTaking taking = { "planned", NULL, growth };
  /* A kept setup is given the arguments as they are now.  A run that is done again has those that it had. */
  LeatSetup *setup = growth == NULL ? leat_shapes_find (&self->shapes, plan) : NULL;
  gboolean good;

  if (setup != NULL)
    good = leat_session_adjust_setup (self, setup, plan, &taking, error);
  else
    good = leat_session_take_new_plan (self, plan, &taking, error);
  self->told.ledger.levels_changed = TRUE;
  if (good)
    leat_session_note_taking (self, &taking);
  g_free (taking.reason);
  return good;
}
