/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-app-private.h"

#include "leat-graph-error.h"
#include "leat-node-private.h"
#include "leat-pipeline-private.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

/**
 * LeatApp:
 *
 * Where a program's own data enters or leaves a pipeline: the node `app`.
 *
 * As a source it gives what the program pushes, one push a run; as a sink it keeps what the runs give until the program
 * pulls it.  Both have a queue, so that the program and the session may be at work at the same time; any thread may
 * push and pull.  The program says that there will be no more with leat_app_end(); it learns it from a pull that gives
 * nothing.
 */

/* LEAT_APP_IDLE: no session has been there.  LEAT_APP_FINISHED: the last one came to the end of the stream;
 * LEAT_APP_STOPPED: it did not. */
typedef enum
{
  LEAT_APP_IDLE,
  LEAT_APP_RUNNING,
  LEAT_APP_FINISHED,
  LEAT_APP_STOPPED
} LeatAppState;

/* Whose memory holds the data. */
typedef enum
{
  LEAT_APP_MEMORY_SESSION,
  LEAT_APP_MEMORY_USER
} LeatAppMemory;

/* What gives way where the queue of a source is full. */
typedef enum
{
  LEAT_APP_LEAKY_NONE,
  LEAT_APP_LEAKY_OLDEST,
  LEAT_APP_LEAKY_NEWEST
} LeatAppLeaky;

struct _LeatApp
{
  LeatEndpoint parent_instance;

  char *spec;
  guint64 max_queue;
  gboolean block;
  int memory; /* LeatAppMemory */
  int leaky;  /* LeatAppLeaky */

  /* pthread's own, because the thread sanitizer knows these where it does not know GLib's. */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  GQueue queue; /* GBytes */
  LeatAppState state;
  gboolean ended; /* leat_app_end () was called */
  gboolean woken; /* unblock () was called */
  gboolean asked; /* a run has asked for data since the session was opened */
  guint dropped;  /* atomic: of what was pushed since the session was opened */
  guint stops;    /* sessions that have gone: who waited for one must not wait for the next */
  LeatSpec *planned;
  char *planned_from; /* what the property said then */
};

G_DEFINE_FINAL_TYPE (LeatApp, leat_app, LEAT_TYPE_ENDPOINT)

static void
leat_app_lock (LeatApp *self)
{
  pthread_mutex_lock (&self->lock);
}

static void
leat_app_unlock (LeatApp *self)
{
  pthread_mutex_unlock (&self->lock);
}

static void
leat_app_wake_all (LeatApp *self)
{
  pthread_cond_broadcast (&self->changed);
}

/* Under the lock. FALSE: @deadline_us (monotonic; negative: none) is over. */
static gboolean
leat_app_wait (LeatApp *self, gint64 deadline_us)
{
  struct timespec until = { deadline_us / G_USEC_PER_SEC, (deadline_us % G_USEC_PER_SEC) * 1000 };

  if (deadline_us < 0)
    return pthread_cond_wait (&self->changed, &self->lock) == 0;
  return pthread_cond_timedwait (&self->changed, &self->lock, &until) != ETIMEDOUT;
}

static gboolean
leat_app_is_full (LeatApp *self)
{
  return self->max_queue > 0 && self->queue.length >= self->max_queue;
}

/* What is known of the data before a session says it all. (transfer full) (nullable) */
static LeatSpec *
leat_app_parse_spec (LeatApp *self, GError **error)
{
  LeatSpec *spec = self->spec != NULL ? leat_spec_parse (self->spec, error) : NULL;

  if (spec == NULL && self->spec != NULL)
    g_prefix_error (error, "spec=%s: ", self->spec);
  return spec;
}

static gboolean
leat_app_prepare (LeatNode *node, GError **error)
{
  LeatApp *self = LEAT_APP (node);
  g_autoptr (LeatSpec) spec = NULL;

  if (self->spec == NULL)
    return TRUE;
  spec = leat_app_parse_spec (self, error);
  return spec != NULL;
}

static gboolean
leat_app_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatApp *self = LEAT_APP (node);
  gboolean source = leat_endpoint_is_source (LEAT_ENDPOINT (self));
  g_autoptr (LeatSpec) there = NULL;
  g_autoptr (LeatSpec) own = NULL;
  g_autoptr (LeatSpec) both = NULL;

  there = source ? leat_negotiation_get_allowed (negotiation, "out")
                 : leat_spec_ref (leat_negotiation_get_input (negotiation, "in"));
  if (self->spec == NULL)
    both = leat_spec_ref (there);
  else if ((own = leat_app_parse_spec (self, error)) == NULL
           || (both = leat_spec_intersect (own, there, error)) == NULL)
    return FALSE;
  if (!source)
    return TRUE;
  if (leat_spec_is_fixed (both))
    return leat_negotiation_set_output (negotiation, "out", both, error);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "app \"%s\": nothing says what will be pushed; set it, as in spec=f32[480,640]",
               leat_node_get_name (LEAT_NODE (self)));
  return FALSE;
}

/* Under the lock: what flows from now on. */
static gboolean
leat_app_set_planned (LeatApp *self, GError **error)
{
  gboolean source = leat_endpoint_is_source (LEAT_ENDPOINT (self));
  LeatPort *port = leat_node_get_port (LEAT_NODE (self), source ? "out" : "in", error);

  if (port == NULL)
    return FALSE;
  g_clear_pointer (&self->planned, leat_spec_unref);
  self->planned = leat_spec_ref (leat_port_get_spec (port));
  g_free (self->planned_from);
  self->planned_from = g_strdup (self->spec);
  return TRUE;
}

static void
leat_app_respec (LeatEndpoint *endpoint)
{
  LeatApp *self = LEAT_APP (endpoint);

  leat_app_lock (self);
  leat_app_set_planned (self, NULL);
  leat_app_unlock (self);
}

static gboolean
leat_app_start (LeatEndpoint *endpoint, GError **error)
{
  LeatApp *self = LEAT_APP (endpoint);
  gboolean source = leat_endpoint_is_source (endpoint);

  leat_app_lock (self);
  if (!leat_app_set_planned (self, error))
    {
      leat_app_unlock (self);
      return FALSE;
    }
  if (!source)
    g_queue_clear_full (&self->queue, (GDestroyNotify) g_bytes_unref);
  self->state = LEAT_APP_RUNNING;
  self->woken = self->asked = FALSE;
  g_atomic_int_set (&self->dropped, 0);
  leat_app_wake_all (self);
  leat_app_unlock (self);
  return TRUE;
}

/* Data are pushed to a source and pulled from a sink; one that is not linked may become either. */
static gboolean
leat_app_check_direction (LeatApp *self, LeatDirection direction, const char *refused, GError **error)
{
  GPtrArray *ports = leat_node_get_ports (LEAT_NODE (self));
  gboolean is_other = FALSE;

  for (guint i = 0; i < ports->len; i++)
    {
      if (!leat_port_is_linked (ports->pdata[i]))
        continue;
      if (leat_port_get_direction (ports->pdata[i]) == direction)
        return TRUE;
      is_other = TRUE;
    }
  if (is_other)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION, "app \"%s\" %s",
                 leat_node_get_name (LEAT_NODE (self)), refused);
  return !is_other;
}

gboolean
leat_app_has_user_memory (LeatApp *self)
{
  return self->memory == LEAT_APP_MEMORY_USER;
}

static gboolean
leat_app_check_memory (LeatApp *self, const char *refused, GError **error)
{
  if (!leat_app_has_user_memory (self))
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION, "app \"%s\" has memory=user: %s",
               leat_node_get_name (LEAT_NODE (self)), refused);
  return FALSE;
}

/* Is @size right for @spec?  Fewer rows than there is room for are, where the number of rows is data. */
static gboolean
leat_app_fits (gsize size, LeatSpec *spec)
{
  guint64 capacity = leat_spec_get_bytes (spec);

  return size == capacity
         || (leat_spec_is_bounded (spec) && size < capacity && size % leat_spec_get_row_bytes (spec) == 0);
}

static gboolean
leat_app_check_size (LeatApp *self, gsize size, LeatSpec *spec, GError **error)
{
  guint64 capacity = leat_spec_get_bytes (spec);
  g_autofree char *text = NULL;

  if (leat_app_fits (size, spec))
    return TRUE;
  text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  if (leat_spec_is_bounded (spec))
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                 "app \"%s\" was given %" G_GSIZE_FORMAT " bytes; %s takes a multiple of %" G_GUINT64_FORMAT
                 " bytes, at most %" G_GUINT64_FORMAT,
                 leat_node_get_name (LEAT_NODE (self)), size, text, leat_spec_get_row_bytes (spec), capacity);
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                 "app \"%s\" was given %" G_GSIZE_FORMAT " bytes; %s takes %" G_GUINT64_FORMAT " bytes",
                 leat_node_get_name (LEAT_NODE (self)), size, text, capacity);
  return FALSE;
}

/* Was another spec set, that the session has not taken over yet? */
static gboolean
leat_app_waits_for_spec (LeatApp *self)
{
  LeatPipeline *pipeline = leat_node_get_pipeline (LEAT_NODE (self));
  gboolean waits;

  if (pipeline == NULL || !leat_changes_have_props (leat_pipeline_get_changes (pipeline)))
    return FALSE;
  leat_node_lock (LEAT_NODE (self));
  waits = leat_changes_peek_prop (leat_pipeline_get_changes (pipeline), LEAT_NODE (self),
                                  leat_node_find_prop (LEAT_NODE (self), "spec"))
          != NULL;
  leat_node_unlock (LEAT_NODE (self));
  return waits;
}

/* The next push, or why there is none. */
static LeatFlow
leat_app_take (LeatApp *self, gboolean wait, GBytes **bytes)
{
  LeatFlow flow;

  leat_app_lock (self);
  self->asked = TRUE;
  while (wait && self->queue.length == 0 && !self->ended && !self->woken)
    leat_app_wait (self, -1);
  if (self->queue.length == 0)
    self->woken = FALSE;
  *bytes = g_queue_pop_head (&self->queue);
  flow = *bytes != NULL ? LEAT_FLOW_DATA : self->ended ? LEAT_FLOW_END : LEAT_FLOW_EMPTY;
  leat_app_wake_all (self);
  leat_app_unlock (self);
  return flow;
}

/* It is for the run after the session has taken another spec over. */
static void
leat_app_put_back (LeatApp *self, GBytes *bytes)
{
  leat_app_lock (self);
  g_queue_push_head (&self->queue, bytes);
  leat_app_unlock (self);
}

static LeatFlow
leat_app_fill (LeatEndpoint *endpoint, LeatView *view, gboolean wait, GCancellable *cancellable, GError **error)
{
  LeatApp *self = LEAT_APP (endpoint);
  g_autoptr (GBytes) bytes = NULL;
  gconstpointer data;
  LeatFlow flow;
  gsize size;

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return LEAT_FLOW_ERROR;
  flow = leat_app_take (self, wait, &bytes);
  if (flow == LEAT_FLOW_EMPTY && g_cancellable_set_error_if_cancelled (cancellable, error))
    return LEAT_FLOW_ERROR;
  if (flow != LEAT_FLOW_DATA)
    return flow;
  data = g_bytes_get_data (bytes, &size);
  if (!leat_app_fits (size, view->spec) && leat_app_waits_for_spec (self))
    {
      leat_app_put_back (self, g_steal_pointer (&bytes));
      return LEAT_FLOW_EMPTY;
    }
  if (!leat_app_check_size (self, size, view->spec, error))
    return LEAT_FLOW_ERROR;
  if (size > 0)
    memcpy (view->data, data, size);
  view->count = size / leat_spec_get_row_bytes (view->spec);
  return LEAT_FLOW_DATA;
}

static gboolean
leat_app_refuse_full (LeatApp *self, const char *advice, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK,
               "the queue of app \"%s\" is full with %u items: %s, or raise max-queue",
               leat_node_get_name (LEAT_NODE (self)), self->queue.length, advice);
  return FALSE;
}

/* Under the lock. */
static gboolean
leat_app_wait_for_room (LeatApp *self, GError **error)
{
  while (self->block && leat_app_is_full (self) && !self->woken)
    leat_app_wait (self, -1);
  if (!leat_app_is_full (self))
    return TRUE;
  if (!self->block)
    return leat_app_refuse_full (self, "pull from it, in another thread or between runs", error);
  self->woken = FALSE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "waiting for a pull from app \"%s\" was called off",
               leat_node_get_name (LEAT_NODE (self)));
  return FALSE;
}

static gboolean
leat_app_drain (LeatEndpoint *endpoint, const LeatView *view, GCancellable *cancellable, GError **error)
{
  LeatApp *self = LEAT_APP (endpoint);
  g_autoptr (GBytes) bytes = NULL;
  gboolean room;

  /* Who woke an earlier run may have come too late for it.  Whoever means this one has cancelled it before, or wakes it
   * again. */
  leat_app_lock (self);
  self->woken = FALSE;
  leat_app_unlock (self);
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  bytes = g_bytes_new (view->data, leat_view_get_bytes (view));
  leat_app_lock (self);
  room = leat_app_wait_for_room (self, error);
  if (room)
    g_queue_push_tail (&self->queue, g_steal_pointer (&bytes));
  leat_app_wake_all (self);
  leat_app_unlock (self);
  return room;
}

static gboolean
leat_app_finish (LeatEndpoint *endpoint, GError **error)
{
  LeatApp *self = LEAT_APP (endpoint);

  leat_app_lock (self);
  self->state = LEAT_APP_FINISHED;
  leat_app_wake_all (self);
  leat_app_unlock (self);
  return TRUE;
}

static void
leat_app_stop (LeatEndpoint *endpoint)
{
  LeatApp *self = LEAT_APP (endpoint);

  leat_app_lock (self);
  if (self->state == LEAT_APP_RUNNING)
    self->state = LEAT_APP_STOPPED;
  /* What no run has asked for (another node could not begin) is there for the next session. */
  if (leat_endpoint_is_source (endpoint) && self->asked)
    {
      g_queue_clear_full (&self->queue, (GDestroyNotify) g_bytes_unref);
      g_clear_pointer (&self->planned, leat_spec_unref);
      self->ended = FALSE;
    }
  self->stops++;
  leat_app_wake_all (self);
  leat_app_unlock (self);
}

static void
leat_app_unblock (LeatEndpoint *endpoint)
{
  LeatApp *self = LEAT_APP (endpoint);

  leat_app_lock (self);
  self->woken = TRUE;
  leat_app_wake_all (self);
  leat_app_unlock (self);
}

static void
leat_app_finalize (GObject *object)
{
  LeatApp *self = LEAT_APP (object);

  g_queue_clear_full (&self->queue, (GDestroyNotify) g_bytes_unref);
  g_clear_pointer (&self->planned, leat_spec_unref);
  g_free (self->planned_from);
  pthread_cond_destroy (&self->changed);
  pthread_mutex_destroy (&self->lock);
  G_OBJECT_CLASS (leat_app_parent_class)->finalize (object);
}

static const char *const leat_app_leakies[] = { "none", "oldest", "newest", NULL };
static const char *const leat_app_memories[] = { "session", "user", NULL };

static const LeatProp leat_app_props[] = {
  { sizeof (LeatProp), "spec", LEAT_PROP_STRING, LEAT_PROP_REPLANS, offsetof (LeatApp, spec),
    .blurb = "What is pushed or pulled, such as f32[480,640]; a source needs it unless its link says it" },
  { sizeof (LeatProp), "max-queue", LEAT_PROP_UINT, 0, offsetof (LeatApp, max_queue), .def.u = 0,
    .blurb = "Most items that wait in the queue; 0 sets no limit" },
  { sizeof (LeatProp), "block", LEAT_PROP_BOOL, 0, offsetof (LeatApp, block), .def.i = TRUE,
    .blurb = "Whether a full queue makes the push, or the run that gives a result, wait instead of fail" },
  { sizeof (LeatProp), "memory", LEAT_PROP_CHOICE, 0, offsetof (LeatApp, memory), .def.i = LEAT_APP_MEMORY_SESSION,
    .choices = leat_app_memories,
    .blurb = "session: data are pushed and pulled, or the session's memory is mapped; user: the program brings memory "
             "for each run" },
  { sizeof (LeatProp), "leaky", LEAT_PROP_CHOICE, 0, offsetof (LeatApp, leaky), .def.i = LEAT_APP_LEAKY_NONE,
    .choices = leat_app_leakies,
    .blurb = "What a push to a full queue drops, for live data: none (see block), the oldest in it, or the newest, "
             "which is what is pushed" },
};

static const LeatPortInfo leat_app_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL | LEAT_PORT_HOST, "any",
    "What the program pulls; linked when the node is a sink" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL | LEAT_PORT_HOST, "any",
    "What the program pushed; linked when the node is a source" },
};

const LeatNodeInfo leat_app_info = {
  sizeof (LeatNodeInfo),
  "app",
  NULL,
  "Push a program's own data in, pull its results out",
  "With out linked, the node gives what the program pushes with leat_app_push_bytes (), one push a run, until "
  "leat_app_end ().  With in linked, it keeps what every run gives until the program takes it with "
  "leat_app_pull_bytes ().  Pushes and pulls may come from any thread.\n\n"
  "A push has the bytes of the spec; where the spec is bounded, as in f32[<=1000], it may have fewer.\n\n"
  "Example: app name=data spec=f32[480,640] + upload + map expr=2*x + readback + app name=results",
  leat_app_props,
  G_N_ELEMENTS (leat_app_props),
  leat_app_ports,
  G_N_ELEMENTS (leat_app_ports),
  leat_app_get_type,
};

/**
 * LeatApp:spec:
 *
 * What is pushed or pulled, such as `f32[480,640]`; a source needs it unless its link says it.
 *
 * A text that is no spec fails when the pipeline is checked or planned.  Set while a session is open, it is what the
 * next run takes; pushes are held against it from then on, so what was pushed before should have run.
 */

/**
 * LeatApp:max-queue:
 *
 * The most items (pushes, or results of runs) that wait in the queue; 0 sets no limit.
 */

/**
 * LeatApp:block:
 *
 * Whether a full queue makes leat_app_push_bytes(), or the run that gives a result, wait for room; without it they fail
 * with %G_IO_ERROR_WOULD_BLOCK.
 */

/**
 * LeatApp:memory:
 *
 * Whose memory holds the data: with `session`, what is pushed and pulled goes through memory of the session; with
 * `user` the program brings memory of its own, another one for each run (leat_session_bind_input (),
 * leat_session_bind_output ()), and nothing can be pushed or pulled.
 */

/**
 * LeatApp:leaky:
 *
 * What a push to a source drops when #LeatApp:max-queue items are in the queue, for live data: with `none` nothing, and
 * #LeatApp:block says what is done; with `oldest` what has waited longest; with `newest` what is pushed.  The push then
 * succeeds at once.  The session's statistics count it as "dropped".
 */

static void
leat_app_class_init (LeatAppClass *klass)
{
  LeatEndpointClass *endpoint_class = LEAT_ENDPOINT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_app_finalize;
  LEAT_NODE_CLASS (klass)->prepare = leat_app_prepare;
  LEAT_NODE_CLASS (klass)->negotiate = leat_app_negotiate;
  endpoint_class->start = leat_app_start;
  endpoint_class->fill = leat_app_fill;
  endpoint_class->drain = leat_app_drain;
  endpoint_class->finish = leat_app_finish;
  endpoint_class->stop = leat_app_stop;
  endpoint_class->unblock = leat_app_unblock;
  endpoint_class->respec = leat_app_respec;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_app_info);
}

static void
leat_app_init (LeatApp *self)
{
  pthread_condattr_t attributes;

  pthread_mutex_init (&self->lock, NULL);
  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (&self->changed, &attributes);
  pthread_condattr_destroy (&attributes);
  g_queue_init (&self->queue);
}

/* Under the lock: room for one more. */
static void
leat_app_drop_oldest (LeatApp *self)
{
  while (leat_app_is_full (self))
    {
      g_bytes_unref (g_queue_pop_head (&self->queue));
      g_atomic_int_inc (&self->dropped);
    }
}

/* Under the lock. */
static void
leat_app_put (LeatApp *self, GBytes *bytes)
{
  if (self->leaky == LEAT_APP_LEAKY_NEWEST && leat_app_is_full (self))
    g_atomic_int_inc (&self->dropped);
  else
    g_queue_push_tail (&self->queue, g_bytes_ref (bytes));
}

guint
leat_app_get_dropped (LeatApp *self)
{
  return (guint) g_atomic_int_get (&self->dropped);
}

guint
leat_app_get_queue_length (LeatApp *self)
{
  guint length;

  pthread_mutex_lock (&self->lock);
  length = self->queue.length;
  pthread_mutex_unlock (&self->lock);
  return length;
}

/* Under the lock: may one more be pushed? */
static gboolean
leat_app_admit_push (LeatApp *self, GError **error)
{
  guint stops = self->stops;

  if (self->ended)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED,
                   "cannot push to app \"%s\": the stream was ended with leat_app_end ()",
                   leat_node_get_name (LEAT_NODE (self)));
      return FALSE;
    }
  if (self->leaky == LEAT_APP_LEAKY_OLDEST)
    leat_app_drop_oldest (self);
  if (self->leaky != LEAT_APP_LEAKY_NONE)
    return TRUE;
  if (leat_app_is_full (self) && !self->block)
    return leat_app_refuse_full (self, "run the session, in another thread or between pushes", error);
  while (leat_app_is_full (self) && self->stops == stops)
    leat_app_wait (self, -1);
  if (self->stops == stops)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED, "cannot push to app \"%s\": its session was closed",
               leat_node_get_name (LEAT_NODE (self)));
  return FALSE;
}

/**
 * leat_app_push_bytes:
 * @self: an `app` node that is a source
 * @bytes: the data of one run, items in this machine's byte order, row after row
 * @error: return location for an error
 *
 * Gives the pipeline data for one run.
 *
 * Before a session is open the data is queued.  @bytes must have the size of the spec; where that is bounded, fewer
 * whole rows are fine and are the run's count.  With a full queue (property `max-queue`) the call waits, or fails with
 * %G_IO_ERROR_WOULD_BLOCK when `block` is off.  Any thread may push.
 *
 * Returns: whether the data was taken; %LEAT_GRAPH_ERROR_DATA for the wrong size, %LEAT_GRAPH_ERROR_DIRECTION for a
 * sink, or a source whose memory is the program's
 */
gboolean
leat_app_push_bytes (LeatApp *self, GBytes *bytes, GError **error)
{
  g_autoptr (LeatSpec) spec = NULL;
  gboolean good;

  g_return_val_if_fail (LEAT_IS_APP (self), FALSE);
  g_return_val_if_fail (bytes != NULL, FALSE);

  if (!leat_app_check_direction (self, LEAT_PORT_OUTPUT, "is a sink: it gives data and takes none", error)
      || !leat_app_check_memory (self, "bind its memory with leat_session_bind_input ()", error))
    return FALSE;
  spec = leat_app_dup_spec (self);
  if (spec != NULL && leat_spec_is_fixed (spec) && !leat_app_check_size (self, g_bytes_get_size (bytes), spec, error))
    return FALSE;
  leat_app_lock (self);
  good = leat_app_admit_push (self, error);
  if (good)
    leat_app_put (self, bytes);
  leat_app_wake_all (self);
  leat_app_unlock (self);
  return good;
}

/**
 * leat_app_end:
 * @self: an `app` node that is a source
 *
 * Says that nothing more will be pushed: when what is queued has run, the stream ends.
 *
 * With the session's end this is forgotten, so that the next session can be fed again.
 */
void
leat_app_end (LeatApp *self)
{
  g_return_if_fail (LEAT_IS_APP (self));

  leat_app_lock (self);
  self->ended = TRUE;
  leat_app_wake_all (self);
  leat_app_unlock (self);
}

/* Under the lock: why a pull gets nothing. Without an error: the stream is over. */
static void
leat_app_explain_nothing (LeatApp *self, GError **error)
{
  if (self->state == LEAT_APP_STOPPED)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED,
                 "nothing more comes from app \"%s\": its session was closed before the stream ended",
                 leat_node_get_name (LEAT_NODE (self)));
  else if (self->state != LEAT_APP_FINISHED)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT, "nothing came from app \"%s\" in the time given",
                 leat_node_get_name (LEAT_NODE (self)));
}

/**
 * leat_app_pull_bytes:
 * @self: an `app` node that is a sink
 * @timeout_us: how long to wait for data, in microseconds; negative waits for ever, 0 not at all
 * @error: return location for an error
 *
 * Takes the result of one run: its live items, row after row.
 *
 * Results come in the order of the runs, and what is queued when a session ends can still be pulled.
 * leat_app_dup_spec() says what the bytes are; where it is bounded, their number says how many rows there are.
 *
 * Returns: (transfer full) (nullable): the data.  %NULL without an error at the end of the stream; with
 *   %G_IO_ERROR_TIMED_OUT when nothing came in time, with %G_IO_ERROR_CLOSED when the session was closed before,
 *   with %LEAT_GRAPH_ERROR_DIRECTION for a source, or a sink whose memory is the program's
 */
GBytes *
leat_app_pull_bytes (LeatApp *self, gint64 timeout_us, GError **error)
{
  gint64 deadline = timeout_us < 0 ? -1 : g_get_monotonic_time () + timeout_us;
  gboolean in_time = timeout_us != 0;
  GBytes *bytes;

  g_return_val_if_fail (LEAT_IS_APP (self), NULL);

  if (!leat_app_check_direction (self, LEAT_PORT_INPUT, "is a source: it takes data and gives none", error)
      || !leat_app_check_memory (self, "its data are where leat_session_bind_output () put them", error))
    return NULL;
  leat_app_lock (self);
  while (in_time && self->queue.length == 0 && self->state <= LEAT_APP_RUNNING)
    in_time = leat_app_wait (self, deadline);
  bytes = g_queue_pop_head (&self->queue);
  if (bytes == NULL)
    leat_app_explain_nothing (self, error);
  leat_app_wake_all (self);
  leat_app_unlock (self);
  return bytes;
}

/**
 * leat_app_dup_spec:
 * @self: an `app` node
 *
 * Tells what is pushed or pulled: the fixed spec once a session has begun; before that, and when it was set and no run
 * has taken it yet, what the property `spec` says.
 *
 * Returns: (transfer full) (nullable): the spec, or %NULL when nothing is known yet
 */
LeatSpec *
leat_app_dup_spec (LeatApp *self)
{
  g_autofree char *text = NULL;
  LeatSpec *spec = NULL;

  g_return_val_if_fail (LEAT_IS_APP (self), NULL);

  /* A session that takes another spec over is not done with it when the property is no longer waiting. */
  g_object_get (self, "spec", &text, NULL);
  leat_app_lock (self);
  if (self->planned != NULL && g_strcmp0 (text, self->planned_from) == 0)
    spec = leat_spec_ref (self->planned);
  leat_app_unlock (self);
  return spec != NULL || text == NULL ? spec : leat_spec_parse (text, NULL);
}
