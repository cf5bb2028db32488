/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, its properties and its queue.  leat-app-program.c and leat-app-session.c have its two sides. */

#include "leat-app-internal-private.h"

#include "leat-graph-error.h"
#include "leat-node-private.h"

#include <errno.h>
#include <time.h>

/**
 * LeatApp:
 *
 * The node `app`, through which data of the application enters or leaves a pipeline.
 *
 * As a source it gives what the program pushes, one push a run; as a sink it keeps what the runs give until the program
 * pulls it.  Both have a queue, so that the program and the session may be at work at the same time; any thread may
 * push and pull.  The program says that there will be no more with leat_app_end(); it learns it from a pull that gives
 * nothing.
 */

G_DEFINE_FINAL_TYPE (LeatApp, leat_app, LEAT_TYPE_ENDPOINT)

void
leat_app_lock (LeatApp *self)
{
  pthread_mutex_lock (&self->lock);
}

void
leat_app_unlock (LeatApp *self)
{
  pthread_mutex_unlock (&self->lock);
}

void
leat_app_wake_all (LeatApp *self)
{
  pthread_cond_broadcast (&self->changed);
}

/* Under the lock. FALSE: @deadline_us (monotonic; negative: none) is over. */
gboolean
leat_app_wait (LeatApp *self, gint64 deadline_us)
{
  struct timespec until = { deadline_us / G_USEC_PER_SEC, (deadline_us % G_USEC_PER_SEC) * 1000 };

  if (deadline_us < 0)
    return pthread_cond_wait (&self->changed, &self->lock) == 0;
  return pthread_cond_timedwait (&self->changed, &self->lock, &until) != ETIMEDOUT;
}

gboolean
leat_app_is_full (LeatApp *self)
{
  return self->max_queue > 0 && self->queue.length >= self->max_queue;
}

/* Where it is leaky, something gives way. */
void
leat_app_put (LeatApp *self, GBytes *bytes)
{
  while (self->leaky == LEAT_APP_LEAKY_OLDEST && leat_app_is_full (self))
    {
      g_bytes_unref (g_queue_pop_head (&self->queue));
      g_atomic_int_inc (&self->dropped);
    }
  if (self->leaky == LEAT_APP_LEAKY_NEWEST && leat_app_is_full (self))
    g_atomic_int_inc (&self->dropped);
  else
    g_queue_push_tail (&self->queue, g_bytes_ref (bytes));
}

/* The spec as far as it is known before a session says it all. (transfer full) (nullable) */
static LeatSpec *
leat_app_parse_spec (LeatApp *self, GError **error)
{
  LeatSpec *spec = self->spec != NULL ? leat_spec_parse (self->spec, error) : NULL;

  if (spec == NULL && self->spec != NULL)
    g_prefix_error (error, "spec=%s: ", self->spec);
  return spec;
}

static const char *const leat_app_leakies[] = { "none", "oldest", "newest", NULL };

/* Without a limit nothing would ever be dropped, and the queue grow as long as data come. */
static gboolean
leat_app_check_leaky (LeatApp *self, GError **error)
{
  if (self->leaky == LEAT_APP_LEAKY_NONE || self->max_queue > 0)
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
               "leaky=%s is about a queue that is full, and this one has no limit; set it, as in max-queue=8",
               leat_app_leakies[self->leaky]);
  return FALSE;
}

static gboolean
leat_app_prepare (LeatNode *node, GError **error)
{
  LeatApp *self = LEAT_APP (node);
  g_autoptr (LeatSpec) spec = NULL;

  if (!leat_app_check_leaky (self, error))
    return FALSE;
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

gboolean
leat_app_has_user_memory (LeatApp *self)
{
  return self->memory == LEAT_APP_MEMORY_USER;
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

static const char *const leat_app_memories[] = { "session", "user", NULL };

static const LeatProp leat_app_props[] = {
  { sizeof (LeatProp), "spec", LEAT_PROP_STRING, LEAT_PROP_REPLANS, offsetof (LeatApp, spec),
    .blurb = "Spec of the data that is pushed or pulled, such as f32[480,640]; a source needs it "
             "unless its link gives it" },
  { sizeof (LeatProp), "max-queue", LEAT_PROP_UINT, 0, offsetof (LeatApp, max_queue), .def.u = 0,
    .blurb = "Most pushes or results that wait in the queue; 0: no limit" },
  { sizeof (LeatProp), "block", LEAT_PROP_BOOL, 0, offsetof (LeatApp, block), .def.i = TRUE,
    .blurb = "true: a full queue makes the push, or the run that gives a result, wait; false: it "
             "fails" },
  { sizeof (LeatProp), "memory", LEAT_PROP_CHOICE, 0, offsetof (LeatApp, memory), .def.i = LEAT_APP_MEMORY_SESSION,
    .choices = leat_app_memories,
    .blurb = "session: data is pushed and pulled, or the session's memory is mapped; user: the "
             "application brings its own memory for each run" },
  { sizeof (LeatProp), "leaky", LEAT_PROP_CHOICE, 0, offsetof (LeatApp, leaky), .def.i = LEAT_APP_LEAKY_NONE,
    .choices = leat_app_leakies,
    .blurb = "What a full queue drops when one more item comes, for live data; none: nothing (see "
             "block); oldest: the item that has waited longest; newest: the item that comes.  "
             "oldest and newest need max-queue" },
};

static const LeatPortInfo leat_app_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL | LEAT_PORT_HOST, "any",
    "Results that the application pulls; linked when the node is a sink" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL | LEAT_PORT_HOST, "any",
    "Data that the application pushed; linked when the node is a source" },
};

const LeatNodeInfo leat_app_info = {
  sizeof (LeatNodeInfo),
  "app",
  NULL,
  "Passes an application's own data in, or its results out",
  "With out linked, the node is a source: it passes on what the application pushes "
  "with leat_app_push_bytes (), one push for each run, until leat_app_end ().  With in "
  "linked, it is a sink: it keeps the results of every run until the application takes "
  "them with leat_app_pull_bytes ().  Any thread may push and pull.\n\nA push has "
  "exactly the bytes of the spec.  If the spec is bounded, as in f32[<=1000], a push "
  "may have fewer items.\n\nExample: app name=data spec=f32[480,640] + upload + map "
  "expr=2*x + readback + app name=results",
  leat_app_props,
  G_N_ELEMENTS (leat_app_props),
  leat_app_ports,
  G_N_ELEMENTS (leat_app_ports),
  leat_app_get_type,
};

/**
 * LeatApp:spec:
 *
 * The spec of the data, such as `f32[480,640]`; a source needs it unless its link gives it.
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
 * Whether a full queue makes leat_app_push_bytes(), or the run that gives a result, wait for room. If not, they fail
 * with %G_IO_ERROR_WOULD_BLOCK: the push is not taken, or the run is not begun, and the call can be repeated.
 */

/**
 * LeatApp:memory:
 *
 * The owner of the memory for the data. With `session`, pushed and pulled data goes through memory of the session.
 * With `user`, the application brings memory for each run (leat_session_bind_input (), leat_session_bind_output ()),
 * and nothing can be pushed or pulled.
 */

/**
 * LeatApp:leaky:
 *
 * The item that a queue of #LeatApp:max-queue items drops when one more comes, for live data. `none` drops nothing,
 * and #LeatApp:block decides. `oldest` drops the item that has waited longest, `newest` the one that comes.  The push
 * to a source then succeeds at once, and the run that gives a result to a sink goes on.  The session's statistics
 * count both as "dropped".  Without a limit to the queue it is an error.
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
