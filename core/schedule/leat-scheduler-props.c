/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The properties of a scheduler. */

#include "leat-scheduler-private.h"

enum
{
  PROP_0,
  PROP_DEVICE,
  PROP_IN_FLIGHT,
  PROP_QUEUE_LIMIT,
  PROP_SHARE,
  PROP_DROP_LATE,
  PROP_BUDGET,
  PROP_EVICT_IDLE,
  PROP_STATS,
  N_PROPS
};

static GParamSpec *leat_scheduler_props[N_PROPS];

/* More may begin. */
static void
leat_scheduler_set_in_flight (LeatScheduler *self, guint in_flight)
{
  self->in_flight = in_flight;
  if (self->workers != NULL)
    g_thread_pool_set_max_threads (self->workers, (gint) leat_scheduler_count_workers (self), NULL);
  leat_scheduler_dispatch (self);
}

/* Threads that wait for room look again. */
static void
leat_scheduler_tell_awaiting (LeatScheduler *self)
{
  self->is_other = TRUE;
  g_cond_broadcast (&self->ended);
}

void
leat_scheduler_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  LeatScheduler *self = LEAT_SCHEDULER (object);

  g_mutex_lock (&self->lock);
  switch (id)
    {
    case PROP_DEVICE:
      self->device = g_value_dup_object (value);
      break;
    case PROP_IN_FLIGHT:
      leat_scheduler_set_in_flight (self, g_value_get_uint (value));
      break;
    case PROP_QUEUE_LIMIT:
      self->queue_limit = g_value_get_uint (value);
      break;
    case PROP_SHARE:
      self->share = g_value_get_enum (value);
      break;
    case PROP_DROP_LATE:
      self->drop_late = g_value_get_boolean (value);
      leat_scheduler_dispatch (self); /* what waits may be late by now */
      break;
    case PROP_BUDGET:
      self->budget = g_value_get_uint64 (value);
      leat_scheduler_tell_awaiting (self);
      break;
    case PROP_EVICT_IDLE:
      self->evict_idle = g_value_get_boolean (value);
      leat_scheduler_tell_awaiting (self);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
  leat_scheduler_unlock (self);
}

static gboolean
leat_scheduler_read_property (LeatScheduler *self, guint id, GValue *value)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  switch (id)
    {
    case PROP_DEVICE:
      g_value_set_object (value, self->device);
      return TRUE;
    case PROP_IN_FLIGHT:
      g_value_set_uint (value, self->in_flight);
      return TRUE;
    case PROP_QUEUE_LIMIT:
      g_value_set_uint (value, self->queue_limit);
      return TRUE;
    case PROP_SHARE:
      g_value_set_enum (value, self->share);
      return TRUE;
    case PROP_DROP_LATE:
      g_value_set_boolean (value, self->drop_late);
      return TRUE;
    case PROP_BUDGET:
      g_value_set_uint64 (value, leat_scheduler_get_allowed (self));
      return TRUE;
    case PROP_EVICT_IDLE:
      g_value_set_boolean (value, self->evict_idle);
      return TRUE;
    default:
      return FALSE;
    }
}

void
leat_scheduler_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  LeatScheduler *self = LEAT_SCHEDULER (object);

  if (id == PROP_STATS)
    g_value_take_variant (value, leat_scheduler_dup_stats (self, NULL));
  else if (!leat_scheduler_read_property (self, id, value))
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* Properties that limit the runs under way and those that wait. */
static void
leat_scheduler_describe_limits (void)
{
  /**
   * LeatScheduler:device:
   *
   * The device of the sessions.
   */
  leat_scheduler_props[PROP_DEVICE] = g_param_spec_object (
    "device", NULL, NULL, LEAT_TYPE_DEVICE, G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_STATIC_STRINGS);
  /**
   * LeatScheduler:in-flight:
   *
   * The most runs of each priority that are under way, of different sessions.
   *
   * Each priority has places of its own, so that a run never waits for the end of one that it goes before.  With more
   * of them the device is less often idle between two runs; with fewer, the order is kept more strictly.
   */
  leat_scheduler_props[PROP_IN_FLIGHT] =
    g_param_spec_uint ("in-flight", NULL, NULL, 1, 64, 2, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatScheduler:queue-limit:
   *
   * The most runs of each session that may wait; more are refused with %LEAT_SCHEDULER_ERROR_FULL.
   */
  leat_scheduler_props[PROP_QUEUE_LIMIT] =
    g_param_spec_uint ("queue-limit", NULL, NULL, 1, G_MAXUINT, 1024, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

/* Properties that order the sessions. */
static void
leat_scheduler_describe_order (void)
{
  /**
   * LeatScheduler:share:
   *
   * The resource that sessions of one priority without deadlines share by their #LeatSession:weight.
   */
  leat_scheduler_props[PROP_SHARE] = g_param_spec_enum ("share", NULL, NULL, LEAT_TYPE_SHARE, LEAT_SHARE_TIME,
                                                        G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatScheduler:drop-late:
   *
   * Whether a run whose deadline has passed at its turn is dropped, with %LEAT_SCHEDULER_ERROR_LATE. If not, it is
   * done, and counted as missed.
   */
  leat_scheduler_props[PROP_DROP_LATE] =
    g_param_spec_boolean ("drop-late", NULL, NULL, FALSE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

/* Properties that say which sessions are on the device. */
static void
leat_scheduler_describe_memory (void)
{
  /**
   * LeatScheduler:budget:
   *
   * The most device memory that the application may use when a session is opened or restored. A session that needs
   * more is refused with %LEAT_SCHEDULER_ERROR_BUDGET.  0, as at first, is the device's budget
   * (leat_device_get_budget ()).
   */
  leat_scheduler_props[PROP_BUDGET] =
    g_param_spec_uint64 ("budget", NULL, NULL, 0, G_MAXUINT64, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  /**
   * LeatScheduler:evict-idle:
   *
   * Whether idle sessions are evicted (leat_session_evict ()) if another one needs their memory. Those unused for
   * longest go first.  They come back for their next run.
   */
  leat_scheduler_props[PROP_EVICT_IDLE] =
    g_param_spec_boolean ("evict-idle", NULL, NULL, TRUE, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

static void
leat_scheduler_describe_stats (void)
{
  /**
   * LeatScheduler:stats:
   *
   * The statistics of all sessions since the scheduler was made: a dictionary (a{sv}) with the keys that
   * leat_scheduler_dup_stats() lists.  Any thread may ask.  It does not notify.
   */
  leat_scheduler_props[PROP_STATS] =
    g_param_spec_variant ("stats", NULL, NULL, G_VARIANT_TYPE_VARDICT, NULL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
}

void
leat_scheduler_install_props (GObjectClass *klass)
{
  leat_scheduler_describe_limits ();
  leat_scheduler_describe_order ();
  leat_scheduler_describe_memory ();
  leat_scheduler_describe_stats ();
  g_object_class_install_properties (klass, N_PROPS, leat_scheduler_props);
}
