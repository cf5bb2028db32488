/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life.  leat-session-open.c and its neighbours have the rest. */

#include "leat-session-setup-private.h"
#include "leat-session-told-private.h"

/**
 * LeatSession:
 *
 * A pipeline opened on one device: planned, memory allocated, kernels loaded, graph instantiated.
 *
 * Make one for a pipeline and a device, open it, then let it run to the end of its sources (leat_session_run ()) or
 * replay it run by run (leat_session_replay ()).  The cost of a run is as the bound plan predicts: in steady state one
 * graph launch and one wait.  While a session is open, nodes and links of its pipeline stay as they are; properties and
 * arguments of nodes may be set, from any thread, and the next run takes them.  All calls of a session come from one
 * thread at a time; close () ends it, and it can be opened again.
 */
G_DEFINE_FINAL_TYPE (LeatSession, leat_session, G_TYPE_OBJECT)

/**
 * leat_session_new:
 * @pipeline: what to run
 * @device: (nullable): "auto", "cuda:N" or "cpu"; %NULL for what the environment variable LEAT_DEVICE says, else "auto"
 *
 * Makes a session; nothing is looked at yet.
 *
 * Returns: (transfer full): a session, not open
 */
LeatSession *
leat_session_new (LeatPipeline *pipeline, const char *device)
{
  return g_object_new (LEAT_TYPE_SESSION, "pipeline", pipeline, "device", device, NULL);
}

/**
 * leat_session_is_open:
 * @self: a session
 *
 * Tells whether the session is open.
 *
 * Returns: %TRUE between open () and close ()
 */
gboolean
leat_session_is_open (LeatSession *self)
{
  return g_atomic_int_get (&self->hold.is_open);
}

/**
 * leat_session_dup_plan:
 * @self: a session
 *
 * Gets the bound plan of an open session.
 *
 * A session has another one after a property was set that takes a new plan; the one that was had stays as it is.  What
 * runs find out, such as how data go best, is entered in the plan that the session has.  Safe from any thread.
 *
 * Returns: (transfer full) (nullable): the plan; %NULL while the session is not open
 */
LeatPlan *
leat_session_dup_plan (LeatSession *self)
{
  LeatPlan *plan;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);

  g_mutex_lock (&self->told.lock);
  plan = self->plan != NULL ? g_object_ref (self->plan) : NULL;
  g_mutex_unlock (&self->told.lock);
  return plan;
}

/**
 * leat_session_get_device:
 * @self: a session
 *
 * Gets the device of an open session.
 *
 * Returns: (transfer none) (nullable): the device; %NULL while the session is not open
 */
LeatDevice *
leat_session_get_device (LeatSession *self)
{
  return self->device;
}

static void
leat_session_finalize (GObject *object)
{
  LeatSession *self = LEAT_SESSION (object);

  leat_session_close (self);
  if (self->await.waiter != NULL)
    leat_waiter_stop (self->await.waiter);
  g_clear_pointer (&self->await.waiter, leat_waiter_unref);
  g_ptr_array_unref (self->lanes);
  leat_states_clear (&self->states);
  g_ptr_array_unref (self->shapes.setups);
  g_array_unref (self->ends.inputs);
  g_array_unref (self->ends.outputs);
  g_ptr_array_unref (self->ends.endpoints);
  leat_tuning_clear (&self->tuning);
  g_array_unref (self->flights);
  g_clear_pointer (&self->account, leat_memory_account_unref);
  g_clear_object (&self->pipeline);
  g_free (self->options.selector);
  g_free (self->options.trace_path);
  g_weak_ref_clear (&self->overseen.overseer);
  leat_session_set_scratch (self, NULL);
  leat_repeating_clear (&self->repeating);
  leat_told_clear (&self->told);
  G_OBJECT_CLASS (leat_session_parent_class)->finalize (object);
}

static void
leat_session_class_init (LeatSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = leat_session_set_property;
  object_class->get_property = leat_session_get_property;
  object_class->finalize = leat_session_finalize;
  leat_session_install_props (object_class);
}

static void
leat_session_flight_clear (LeatFlight *flight)
{
  g_free (flight->inputs);
  g_free (flight->outputs);
}

static void
leat_session_init (LeatSession *self)
{
  self->options.reuse = TRUE;
  self->options.repeat = 1;
  self->options.persistent_idle_ms = LEAT_SESSION_PERSISTENT_IDLE_MS;
  self->options.persistent_limit_ms = LEAT_SESSION_PERSISTENT_LIMIT_MS;
  self->options.priority = LEAT_PRIORITY_NORMAL;
  self->options.weight = 1;
  self->options.calibrate = TRUE;
  leat_tuning_init (&self->tuning, leat_session_fits_traits, self);
  self->flights = g_array_new (FALSE, TRUE, sizeof (LeatFlight));
  g_array_set_clear_func (self->flights, (GDestroyNotify) leat_session_flight_clear);
  self->options.memo_entries = 32;
  self->options.memo_bytes = 8 << 20;
  self->options.cache_bytes = 256 << 20;
  self->lanes = self->states.lanes = g_ptr_array_new ();
  leat_states_init (&self->states);
  self->shapes.setups = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_setup_free);
  self->ends.inputs = g_array_new (FALSE, TRUE, sizeof (LeatSessionInput));
  self->ends.outputs = g_array_new (FALSE, TRUE, sizeof (LeatSessionOutput));
  self->ends.endpoints = g_ptr_array_new ();
  g_weak_ref_init (&self->overseen.overseer, NULL);
  leat_told_init (&self->told);
  leat_repeating_init (&self->repeating);
  self->told.owner = self;
  self->told.get_state = leat_session_get_state_name;
}
