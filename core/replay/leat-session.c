/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

#include "graph/leat-node-private.h"
#include "graph/leat-pipeline-private.h"
#include "leat-nvtx-private.h"

/**
 * LeatSession:
 *
 * A pipeline made resident on one device: planned, memory allocated, kernels loaded, graph instantiated.
 *
 * Make one for a pipeline and a device, open it, then let it run to the end of its sources (leat_session_run ()) or
 * replay it run by run (leat_session_replay ()).  What a run costs is what the bound plan predicts: in steady state one
 * graph launch and one wait.  While a session is open, nodes and links of its pipeline stay as they are; properties and
 * arguments of nodes may be set, from any thread, and the next run takes them.  All calls of a session come from one
 * thread at a time; close () ends it, and it can be opened again.
 */

enum
{
  PROP_0,
  PROP_PIPELINE,
  PROP_DEVICE,
  PROP_EXECUTOR,
  PROP_EARLY_START,
  PROP_REPEAT,
  PROP_READBACK,
  PROP_REUSE,
  PROP_CALIBRATE,
  PROP_WAIT,
  PROP_MEMO,
  PROP_MEMO_ENTRIES,
  PROP_MEMO_BYTES,
  PROP_CACHE_BYTES,
  PROP_TIMING,
  PROP_TRACE,
  PROP_LAST_REASON,
  N_PROPS
};

static GParamSpec *leat_session_props[N_PROPS];

G_DEFINE_FINAL_TYPE (LeatSession, leat_session, G_TYPE_OBJECT)
/**
 * leat_session_error_quark:
 *
 * Gets the domain of #LeatSessionError.
 *
 * Returns: the quark
 */
/* clang-format off */
G_DEFINE_QUARK (leat-session-error-quark, leat_session_error)
/* clang-format on */

/* A registered type, so that the description for other languages gives the domain to the codes, not to LeatSession. */
GType
leat_session_error_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_SESSION_ERROR_FAILED, "LEAT_SESSION_ERROR_FAILED", "failed" },
                                       { LEAT_SESSION_ERROR_STATE, "LEAT_SESSION_ERROR_STATE", "state" },
                                       { LEAT_SESSION_ERROR_OVERFLOW, "LEAT_SESSION_ERROR_OVERFLOW", "overflow" },
                                       { LEAT_SESSION_ERROR_ARGUMENT, "LEAT_SESSION_ERROR_ARGUMENT", "argument" },
                                       { LEAT_SESSION_ERROR_UNEVEN, "LEAT_SESSION_ERROR_UNEVEN", "uneven" },
                                       { LEAT_SESSION_ERROR_MEMO, "LEAT_SESSION_ERROR_MEMO", "memo" },
                                       { LEAT_SESSION_ERROR_CAPTURE, "LEAT_SESSION_ERROR_CAPTURE", "capture" },
                                       { LEAT_SESSION_ERROR_BUSY, "LEAT_SESSION_ERROR_BUSY", "busy" },
                                       { LEAT_SESSION_ERROR_UNBOUND, "LEAT_SESSION_ERROR_UNBOUND", "unbound" },
                                       { LEAT_SESSION_ERROR_MEMORY, "LEAT_SESSION_ERROR_MEMORY", "memory" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatSessionError", values));
  return type;
}

GType
leat_executor_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_EXECUTOR_AUTO, "LEAT_EXECUTOR_AUTO", "auto" },
                                       { LEAT_EXECUTOR_GRAPH, "LEAT_EXECUTOR_GRAPH", "graph" },
                                       { LEAT_EXECUTOR_EAGER, "LEAT_EXECUTOR_EAGER", "eager" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatExecutor", values));
  return type;
}

GType
leat_early_start_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_EARLY_START_AUTO, "LEAT_EARLY_START_AUTO", "auto" },
                                       { LEAT_EARLY_START_OFF, "LEAT_EARLY_START_OFF", "off" },
                                       { LEAT_EARLY_START_ON, "LEAT_EARLY_START_ON", "on" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatEarlyStart", values));
  return type;
}

GType
leat_wait_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_WAIT_AUTO, "LEAT_WAIT_AUTO", "auto" },
                                       { LEAT_WAIT_SPIN, "LEAT_WAIT_SPIN", "spin" },
                                       { LEAT_WAIT_BLOCK, "LEAT_WAIT_BLOCK", "block" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatWait", values));
  return type;
}

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

/* Adds the time since @since to one part of the opening, and begins the next. */
static void
leat_session_note_time (gint64 *part, gint64 *since)
{
  gint64 now = g_get_monotonic_time ();

  *part = now - *since;
  *since = now;
}

static gboolean
leat_session_check_room (LeatSession *self, LeatMemoryKind kind, guint64 bytes, GError **error)
{
  guint places = kind == LEAT_MEMORY_PINNED ? 1u << LEAT_PLACE_STAGING : 1u << LEAT_PLACE_ARENA | 1u << LEAT_PLACE_OWN;
  const LeatBuffer *largest = leat_plan_find_largest (self->plan, places);
  LeatNode *node;
  g_autofree char *share = NULL;
  g_autofree char *what = NULL;

  if (largest == NULL)
    return TRUE;
  share = leat_device_format_bytes (largest->bytes);
  what = g_strdup_printf ("the buffers of the pipeline (the largest is %s with %s)", largest->name, share);
  if (leat_device_check_budget (self->device, kind, bytes, what, error))
    return TRUE;
  node = leat_plan_find_writer (self->plan, largest->id);
  if (node != NULL)
    leat_node_prefix_error (node, error);
  return FALSE;
}

/* Not frozen yet: what was set since the last time is in the nodes, and prepared. */
static gboolean
leat_session_plan (LeatSession *self, GError **error)
{
  gint64 since = self->open_since_us;

  self->plan = leat_plan_new (self->pipeline, error);
  if (self->plan == NULL)
    return FALSE;
  leat_session_note_time (&self->stats.plan_us, &since);
  return TRUE;
}

static gboolean
leat_session_bind (LeatSession *self, GError **error)
{
  static const LeatCaptureMode captures[] = { [LEAT_EXECUTOR_AUTO] = LEAT_CAPTURE_AUTO,
                                              [LEAT_EXECUTOR_GRAPH] = LEAT_CAPTURE_ALL,
                                              [LEAT_EXECUTOR_EAGER] = LEAT_CAPTURE_NONE };
  static const LeatEarlyMode earlies[] = { [LEAT_EARLY_START_AUTO] = LEAT_EARLY_AUTO,
                                           [LEAT_EARLY_START_OFF] = LEAT_EARLY_NONE,
                                           [LEAT_EARLY_START_ON] = LEAT_EARLY_ALL };
  LeatTraits traits = { .bound = TRUE };
  gint64 since = g_get_monotonic_time ();

  self->device = leat_device_open (self->selector, error);
  if (self->device == NULL)
    return FALSE;
  leat_device_settle (self->device);
  leat_session_note_time (&self->stats.attach_us, &since);
  traits.capture = captures[self->executor];
  traits.early = earlies[self->early_start];
  traits.integrated = leat_device_get_facts (self->device)->integrated;
  leat_plan_bind (self->plan, &traits);
  leat_session_plan_calibration (self);
  return leat_session_check_room (self, LEAT_MEMORY_DEVICE, leat_plan_get_device_bytes (self->plan), error)
         && leat_session_check_room (self, LEAT_MEMORY_PINNED, leat_plan_get_host_bytes (self->plan), error);
}

static void
leat_session_count_copy (LeatSession *self, const LeatLane *lane, const LeatOp *op)
{
  gboolean up = lane->hosts[op->from] != NULL || leat_plan_get_user (lane->plan, op->from) != NULL;
  gboolean back = lane->hosts[op->to] != NULL || leat_plan_get_user (lane->plan, op->to) != NULL;

  for (guint path = 0; path < LEAT_N_PATHS; path++)
    if (!leat_path_skips (path, op))
      {
        self->up_bytes[path] += up && !back ? op->bytes : 0;
        self->back_bytes[path] += back && !up ? op->bytes : 0;
      }
}

void
leat_session_count_copies (LeatSession *self, const LeatLane *lane)
{
  memset (self->up_bytes, 0, sizeof self->up_bytes);
  memset (self->back_bytes, 0, sizeof self->back_bytes);
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (op->kind == LEAT_OP_COPY || op->kind == LEAT_OP_TRANSFER)
        leat_session_count_copy (self, lane, op);
    }
}

static gboolean
leat_session_make_resident (LeatSession *self, GCancellable *cancellable, GError **error)
{
  gint64 since = g_get_monotonic_time ();

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (!leat_session_make_setup (self, error) || !leat_session_make_memo (self, error))
    return FALSE;
  leat_session_note_time (&self->stats.load_us, &since);
  if (!leat_session_build_setup (self, error))
    return FALSE;
  if (self->measured && !leat_session_open_timing (self, error))
    return FALSE;
  if (!leat_session_open_trace (self, error))
    return FALSE;
  leat_session_note_time (&self->stats.build_us, &since);
  return leat_session_start_endpoints (self, error);
}

static gboolean
leat_session_check_may_open (LeatSession *self, GError **error)
{
  const char *why = NULL;

  if (self->pipeline == NULL)
    why = "the session was made without a pipeline";
  else if (self->is_open)
    why = "the session is open already";
  else if (leat_pipeline_is_frozen (self->pipeline))
    why = "another session of this pipeline is open; close it first, or make a second pipeline from the same text";
  if (why != NULL)
    g_set_error_literal (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE, why);
  return why == NULL;
}

static void
leat_session_take_down (LeatSession *self)
{
  g_atomic_int_set (&self->is_open, FALSE);
  leat_session_stop_endpoints (self);
  leat_session_close_trace (self);
  leat_session_drop_memo (self);
  g_clear_pointer (&self->changeable, g_hash_table_unref);
  leat_session_drop_setups (self);
  leat_session_leave_buffers (self);
  leat_session_call_in_states (self);
  g_array_set_size (self->inputs, 0);
  g_array_set_size (self->outputs, 0);
  if (self->device != NULL)
    leat_device_settle (self->device);
  g_clear_object (&self->plan);
  g_clear_object (&self->device);
  leat_pipeline_thaw (self->pipeline);
}

static void
leat_session_tell_device (LeatSession *self)
{
  g_mutex_lock (&self->told_lock);
  g_free (self->told_device);
  self->told_device = g_strdup (leat_device_get_id (self->device));
  g_mutex_unlock (&self->told_lock);
}

static gboolean
leat_session_build (LeatSession *self, GCancellable *cancellable, GError **error)
{
  leat_nvtx_load ();
  self->open_since_us = g_get_monotonic_time ();
  memset (&self->stats, 0, sizeof self->stats);
  leat_session_tell_reason (self, NULL);
  leat_session_clear_times (self);
  self->measured = self->timing_mode == LEAT_TIMING_NODES;
  self->n_measured = 0;
  self->flushed = self->ended = self->failed = FALSE;
  self->n_filled = 0;
  if (!leat_session_plan (self, error))
    return FALSE;
  leat_pipeline_freeze (self->pipeline);
  if (!leat_session_bind (self, error) || !leat_session_make_resident (self, cancellable, error))
    {
      leat_session_take_down (self);
      return FALSE;
    }
  self->stats.opened_us = g_get_monotonic_time () - self->open_since_us;
  leat_session_tell_device (self);
  self->levels_changed = TRUE;
  leat_session_tell_stats (self);
  g_atomic_int_set (&self->is_open, TRUE);
  return TRUE;
}

/**
 * leat_session_open:
 * @self: a session that is not open
 * @cancellable: (nullable): to give up between steps
 * @error: return location for an error
 *
 * Plans the pipeline, chooses the device, and makes everything that runs will need: memory, kernels, the graph.
 *
 * Errors of planning (%LEAT_GRAPH_ERROR, %LEAT_PLAN_ERROR, %LEAT_KERNEL_ERROR), of the device (%LEAT_DRIVER_ERROR) and
 * of sources and sinks that cannot begin.  After an error nothing is left over and open () may be called again.
 *
 * Returns: whether the session is open
 */
gboolean
leat_session_open (LeatSession *self, GCancellable *cancellable, GError **error)
{
  gboolean opened;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  if (!leat_session_take (self, error))
    return FALSE;
  opened = leat_session_check_may_open (self, error) && leat_session_build (self, cancellable, error);
  leat_session_let_go (self);
  return opened;
}

/**
 * leat_session_close:
 * @self: a session
 *
 * Gives back everything that open () made.  Sinks that did not finish undo what they began.  A session that is not open
 * is left as it is.  A run that another thread has under way is called off and waited for.
 */
void
leat_session_close (LeatSession *self)
{
  g_return_if_fail (LEAT_IS_SESSION (self));
  leat_session_take_over (self);
  if (self->is_open)
    leat_session_take_down (self);
  leat_session_let_go_over (self);
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
  return g_atomic_int_get (&self->is_open);
}

/**
 * leat_session_get_plan:
 * @self: a session
 *
 * Gets the bound plan of an open session.
 *
 * Returns: (transfer none) (nullable): the plan; %NULL while the session is not open
 */
LeatPlan *
leat_session_get_plan (LeatSession *self)
{
  return self->plan;
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
leat_session_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  LeatSession *self = LEAT_SESSION (object);

  switch (id)
    {
    case PROP_PIPELINE:
      self->pipeline = g_value_dup_object (value);
      break;
    case PROP_DEVICE:
      self->selector = g_value_dup_string (value);
      break;
    case PROP_EXECUTOR:
      if (leat_session_is_open (self))
        g_warning ("cannot change the executor of an open session: close it first");
      else
        self->executor = g_value_get_enum (value);
      break;
    case PROP_EARLY_START:
      self->early_start = g_value_get_enum (value);
      break;
    case PROP_REUSE:
      self->reuse = g_value_get_boolean (value);
      break;
    case PROP_CALIBRATE:
      self->calibrate = g_value_get_boolean (value);
      break;
    case PROP_WAIT:
      g_atomic_int_set (&self->wait, g_value_get_enum (value));
      break;
    case PROP_MEMO:
      self->memo_mode = g_value_get_enum (value);
      break;
    case PROP_MEMO_ENTRIES:
      self->memo_entries = g_value_get_uint (value);
      break;
    case PROP_MEMO_BYTES:
      self->memo_bytes = g_value_get_uint64 (value);
      break;
    case PROP_CACHE_BYTES:
      self->cache_bytes = g_value_get_uint64 (value);
      break;
    case PROP_TIMING:
      self->timing_mode = g_value_get_enum (value);
      break;
    case PROP_REPEAT:
      self->repeat = g_value_get_uint64 (value);
      break;
    case PROP_READBACK:
      self->readback = g_value_get_enum (value);
      break;
    case PROP_TRACE:
      g_free (self->trace_path);
      self->trace_path = g_value_dup_string (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
leat_session_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  LeatSession *self = LEAT_SESSION (object);

  switch (id)
    {
    case PROP_PIPELINE:
      g_value_set_object (value, self->pipeline);
      break;
    case PROP_DEVICE:
      g_value_set_string (value, self->selector);
      break;
    case PROP_EXECUTOR:
      g_value_set_enum (value, self->executor);
      break;
    case PROP_EARLY_START:
      g_value_set_enum (value, self->early_start);
      break;
    case PROP_REUSE:
      g_value_set_boolean (value, self->reuse);
      break;
    case PROP_CALIBRATE:
      g_value_set_boolean (value, self->calibrate);
      break;
    case PROP_WAIT:
      g_value_set_enum (value, g_atomic_int_get (&self->wait));
      break;
    case PROP_MEMO:
      g_value_set_enum (value, self->memo_mode);
      break;
    case PROP_MEMO_ENTRIES:
      g_value_set_uint (value, self->memo_entries);
      break;
    case PROP_MEMO_BYTES:
      g_value_set_uint64 (value, self->memo_bytes);
      break;
    case PROP_CACHE_BYTES:
      g_value_set_uint64 (value, self->cache_bytes);
      break;
    case PROP_TIMING:
      g_value_set_enum (value, self->timing_mode);
      break;
    case PROP_REPEAT:
      g_value_set_uint64 (value, self->repeat);
      break;
    case PROP_READBACK:
      g_value_set_enum (value, self->readback);
      break;
    case PROP_TRACE:
      g_value_set_string (value, self->trace_path);
      break;
    case PROP_LAST_REASON:
      g_value_take_string (value, leat_session_dup_reason (self));
      break;
    default:
      if (id < N_PROPS || !leat_session_get_counter (self, id - N_PROPS, value))
        G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
leat_session_finalize (GObject *object)
{
  LeatSession *self = LEAT_SESSION (object);

  leat_session_close (self);
  if (self->waiter != NULL)
    leat_waiter_stop (self->waiter);
  g_clear_pointer (&self->waiter, leat_waiter_unref);
  g_ptr_array_unref (self->lanes);
  g_ptr_array_unref (self->setups);
  g_ptr_array_unref (self->lent);
  g_array_unref (self->inputs);
  g_array_unref (self->outputs);
  g_array_unref (self->trials);
  g_clear_object (&self->pipeline);
  g_free (self->selector);
  g_free (self->told_device);
  g_free (self->told_reason);
  g_free (self->trace_path);
  leat_session_clear_times (self);
  g_array_unref (self->times.nodes);
  g_mutex_clear (&self->told_lock);
  G_OBJECT_CLASS (leat_session_parent_class)->finalize (object);
}

static void
leat_session_class_init (LeatSessionClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = leat_session_set_property;
  object_class->get_property = leat_session_get_property;
  object_class->finalize = leat_session_finalize;
  /**
   * LeatSession:pipeline:
   *
   * What the session runs.
   */
  leat_session_props[PROP_PIPELINE] = g_param_spec_object (
    "pipeline", NULL, NULL, LEAT_TYPE_PIPELINE, G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:device:
   *
   * Where it runs: "auto", "cuda:N" or "cpu"; %NULL for the environment variable LEAT_DEVICE.
   */
  leat_session_props[PROP_DEVICE] = g_param_spec_string (
    "device", NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:executor:
   *
   * How ops are run; read when the session opens.  What came of it is in the plan.
   */
  leat_session_props[PROP_EXECUTOR] = g_param_spec_enum ("executor", NULL, NULL, LEAT_TYPE_EXECUTOR, LEAT_EXECUTOR_AUTO,
                                                         G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:repeat:
   *
   * How many runs are done on each set of inputs, as by leat_session_repeat (); set it between runs.
   */
  leat_session_props[PROP_REPEAT] =
    g_param_spec_uint64 ("repeat", NULL, NULL, 1, G_MAXUINT64, 1, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:readback:
   *
   * With #LeatSession:repeat above 1, which of their results sinks get.
   */
  leat_session_props[PROP_READBACK] = g_param_spec_enum (
    "readback", NULL, NULL, LEAT_TYPE_READBACK, LEAT_READBACK_FINAL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:early-start:
   *
   * Which kernels may begin before a kernel that they depend on has ended; read when the session opens.
   *
   * It takes a device of compute capability 9.0 and a driver for CUDA 12.3, and shortens chains of kernels that take
   * little time each.  The plan says which kernels it is, or why it is none.
   */
  leat_session_props[PROP_EARLY_START] =
    g_param_spec_enum ("early-start", NULL, NULL, LEAT_TYPE_EARLY_START, LEAT_EARLY_START_AUTO,
                       G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:reuse:
   *
   * Whether a run whose inputs were not changed since the last one leaves their upload out.
   *
   * That is so for inputs that the program fills in place (leat_session_map_input ()), where the plan says that it may:
   * no node may write over its own input.  Statistics count such runs as "runs-resident".
   */
  leat_session_props[PROP_REUSE] =
    g_param_spec_boolean ("reuse", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:calibrate:
   *
   * Whether the first run finds out by measuring how data go best between host and device; read when the session opens.
   *
   * It tries the ways that `upload` and `readback` nodes with `mode=auto` leave open, on the run's own inputs and
   * before the run proper, which takes some milliseconds.  What it finds is kept on disk for later sessions of the same
   * pipeline and device; leat_session_dup_stats() tells it.  Devices whose memory is the host's have nothing to choose.
   */
  leat_session_props[PROP_CALIBRATE] =
    g_param_spec_boolean ("calibrate", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:wait:
   *
   * How a thread waits for the device: looking, sleeping, or first the one and then the other.  It may be set at any
   * time, and holds from the next wait on.
   *
   * The context's own flags stay as they are.  On the CPU driver a thread that waits does the work itself, so there
   * "auto" neither looks nor sleeps.
   */
  leat_session_props[PROP_WAIT] =
    g_param_spec_enum ("wait", NULL, NULL, LEAT_TYPE_WAIT, LEAT_WAIT_AUTO, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:memo:
   *
   * Whether results are remembered and given again for the same inputs, without any work of the device; read when the
   * session opens.
   *
   * It pays where inputs come again and a run costs more than to hash and compare them.  Only pipelines whose nodes
   * keep nothing from run to run can be remembered; others are refused with %LEAT_SESSION_ERROR_MEMO.  Where it does
   * not pay, the memo turns itself off with a warning on the bus.
   */
  leat_session_props[PROP_MEMO] = g_param_spec_enum ("memo", NULL, NULL, LEAT_TYPE_MEMO_MODE, LEAT_MEMO_OFF,
                                                     G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:memo-entries:
   *
   * The most results that are remembered at a time; the oldest goes first.
   */
  leat_session_props[PROP_MEMO_ENTRIES] =
    g_param_spec_uint ("memo-entries", NULL, NULL, 0, G_MAXUINT, 32, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:memo-bytes:
   *
   * The most bytes, of inputs and results, that are remembered at a time.
   */
  leat_session_props[PROP_MEMO_BYTES] =
    g_param_spec_uint64 ("memo-bytes", NULL, NULL, 0, G_MAXUINT64, 8 << 20, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:cache-bytes:
   *
   * The most memory that is kept for plans that the session does not run at the moment.
   *
   * When a property that is set while the session is open gives the data another shape, the memory and the graph for
   * the former one stay, so that a return to it costs little.  What each of them took is measured when it is made;
   * those that were not used for longest go first.  With 0 none is kept, and the executable graph of the former shape
   * is updated for the new one where the driver does that.
   */
  leat_session_props[PROP_CACHE_BYTES] = g_param_spec_uint64 ("cache-bytes", NULL, NULL, 0, G_MAXUINT64, 256 << 20,
                                                              G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:timing:
   *
   * What is measured; read when the session opens.
   *
   * With %LEAT_TIMING_NODES the first 64 runs and then every 32nd are measured on the device, op by op; the others go
   * as they would without.  leat_session_dup_times () tells what was found.
   */
  leat_session_props[PROP_TIMING] = g_param_spec_enum ("timing", NULL, NULL, LEAT_TYPE_TIMING_MODE, LEAT_TIMING_OFF,
                                                       G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:trace:
   *
   * A file to write what each run goes through to, in the trace event format that Perfetto and Chrome read; %NULL for
   * none; read when the session opens, and complete when it is closed.
   *
   * It has the host's steps (fill, launch, wait, drain) on a track, and with #LeatSession:timing set to
   * %LEAT_TIMING_NODES, every run being measured then, each node's time on the device on another.  Of the runs after
   * the first 10000 nothing is written.
   */
  leat_session_props[PROP_TRACE] =
    g_param_spec_string ("trace", NULL, NULL, NULL, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatSession:last-reason:
   *
   * Why an executable graph was built for the last plan that needed one; empty while none has, since the session was
   * opened.  Any thread may ask.
   */
  leat_session_props[PROP_LAST_REASON] =
    g_param_spec_string ("last-reason", NULL, NULL, "", G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, leat_session_props);
  leat_session_install_counters (object_class, N_PROPS);
}

static void
leat_trial_clear (LeatTrial *trial)
{
  g_free (trial->ways);
}

static void
leat_session_init (LeatSession *self)
{
  self->reuse = TRUE;
  self->repeat = 1;
  self->calibrate = TRUE;
  self->trials = g_array_new (FALSE, TRUE, sizeof (LeatTrial));
  g_array_set_clear_func (self->trials, (GDestroyNotify) leat_trial_clear);
  self->memo_entries = 32;
  self->memo_bytes = 8 << 20;
  self->cache_bytes = 256 << 20;
  self->lanes = g_ptr_array_new ();
  self->lent = g_ptr_array_new_with_free_func (g_object_unref);
  self->setups = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_setup_free);
  self->inputs = g_array_new (FALSE, TRUE, sizeof (LeatSessionInput));
  self->outputs = g_array_new (FALSE, TRUE, sizeof (LeatSessionOutput));
  self->times.nodes = leat_session_times_new ();
  g_mutex_init (&self->told_lock);
}
