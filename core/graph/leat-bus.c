/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its queue of messages, under its lock, and its watch in a main loop. */

#include "leat-bus.h"

#include <errno.h>
#include <pthread.h>
#include <time.h>

/**
 * LeatBus:
 *
 * The queue through which a running pipeline talks to the program.
 *
 * Any thread may post.  A program either pops messages, or has them emitted as the signal #LeatBus::message in its main
 * loop after leat_bus_add_watch().
 *
 * Since: 0.1
 */
struct _LeatBus
{
  GObject parent_instance;

  /* pthread's own, because thread sanitizers see through them without an instrumented GLib. */
  pthread_mutex_t lock;
  pthread_cond_t arrived;
  GQueue messages;
  GSource *watch; /* (nullable) */
  guint n_watches;
};

/* The watch: ready while there are messages.  It holds the bus weakly, so that a forgotten watch keeps nothing alive.
 */
typedef struct
{
  GSource source;
  GWeakRef bus;
} LeatBusSource;

G_DEFINE_FINAL_TYPE (LeatBus, leat_bus, G_TYPE_OBJECT)

enum
{
  SIGNAL_MESSAGE,
  N_SIGNALS
};
static guint leat_bus_signals[N_SIGNALS];

static gboolean
leat_bus_has_messages (LeatBus *self)
{
  gboolean has;

  pthread_mutex_lock (&self->lock);
  has = !g_queue_is_empty (&self->messages);
  pthread_mutex_unlock (&self->lock);
  return has;
}

static gboolean
leat_bus_source_check (GSource *source)
{
  g_autoptr (LeatBus) bus = g_weak_ref_get (&((LeatBusSource *) source)->bus);

  return bus != NULL && leat_bus_has_messages (bus);
}

static gboolean
leat_bus_source_prepare (GSource *source, int *timeout)
{
  *timeout = -1;
  return leat_bus_source_check (source);
}

/* One message a dispatch, so that other sources of the loop get their turn. */
static gboolean
leat_bus_source_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  g_autoptr (LeatBus) bus = g_weak_ref_get (&((LeatBusSource *) source)->bus);
  g_autoptr (LeatMessage) message = bus != NULL ? leat_bus_pop (bus, 0) : NULL;

  if (message != NULL)
    g_signal_emit (bus, leat_bus_signals[SIGNAL_MESSAGE], 0, message);
  return bus != NULL ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void
leat_bus_source_finalize (GSource *source)
{
  g_weak_ref_clear (&((LeatBusSource *) source)->bus);
}

static GSourceFuncs leat_bus_source_funcs = {
  .prepare = leat_bus_source_prepare,
  .check = leat_bus_source_check,
  .dispatch = leat_bus_source_dispatch,
  .finalize = leat_bus_source_finalize,
};

static void
leat_bus_finalize (GObject *object)
{
  LeatBus *self = LEAT_BUS (object);

  if (self->watch != NULL)
    g_source_destroy (self->watch);
  g_clear_pointer (&self->watch, g_source_unref);
  g_queue_clear_full (&self->messages, (GDestroyNotify) leat_message_unref);
  pthread_cond_destroy (&self->arrived);
  pthread_mutex_destroy (&self->lock);
  G_OBJECT_CLASS (leat_bus_parent_class)->finalize (object);
}

static void
leat_bus_class_init (LeatBusClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = leat_bus_finalize;

  /**
   * LeatBus::message:
   * @self: the bus
   * @message: what was posted
   *
   * A message has arrived; emitted in the main loop of the thread that called leat_bus_add_watch().
   *
   * Since: 0.1
   */
  leat_bus_signals[SIGNAL_MESSAGE] =
    g_signal_new ("message", LEAT_TYPE_BUS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, LEAT_TYPE_MESSAGE);
}

static void
leat_bus_init (LeatBus *self)
{
  pthread_condattr_t attributes;

  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init (&self->lock, NULL);
  pthread_cond_init (&self->arrived, &attributes);
  pthread_condattr_destroy (&attributes);
  g_queue_init (&self->messages);
}

/**
 * leat_bus_new:
 *
 * Makes a bus.  A pipeline has one already.
 *
 * Returns: (transfer full): the bus
 *
 * Since: 0.1
 */
LeatBus *
leat_bus_new (void)
{
  return g_object_new (LEAT_TYPE_BUS, NULL);
}

/* Under the lock.  An application that does not read, or reads late, is not told of all the progress meanwhile. */
static void
leat_bus_drop_old_progress (LeatBus *self, LeatMessage *message)
{
  LeatMessage *last = g_queue_peek_tail (&self->messages);

  if (last != NULL && leat_message_get_kind (message) == LEAT_MESSAGE_PROGRESS
      && leat_message_get_kind (last) == LEAT_MESSAGE_PROGRESS)
    leat_message_unref (g_queue_pop_tail (&self->messages));
}

/**
 * leat_bus_post:
 * @self: a bus
 * @message: (transfer full): a message
 *
 * Puts a message at the end of the queue.  Any thread may call it.  Progress takes the place of progress that nobody
 * has read yet.
 *
 * Since: 0.1
 */
void
leat_bus_post (LeatBus *self, LeatMessage *message)
{
  g_autoptr (GSource) watch = NULL;

  g_return_if_fail (LEAT_IS_BUS (self));
  g_return_if_fail (message != NULL);

  pthread_mutex_lock (&self->lock);
  leat_bus_drop_old_progress (self, message);
  g_queue_push_tail (&self->messages, message);
  watch = self->watch != NULL ? g_source_ref (self->watch) : NULL;
  pthread_cond_signal (&self->arrived);
  pthread_mutex_unlock (&self->lock);
  if (watch != NULL)
    g_main_context_wakeup (g_source_get_context (watch));
}

static struct timespec
leat_bus_deadline (gint64 timeout_us)
{
  gint64 at_us = g_get_monotonic_time () + MIN (timeout_us, G_MAXINT64 / 4);

  return (struct timespec){ .tv_sec = at_us / G_USEC_PER_SEC, .tv_nsec = at_us % G_USEC_PER_SEC * 1000 };
}

/**
 * leat_bus_pop:
 * @self: a bus
 * @timeout_us: how long to wait in microseconds; 0: not at all, -1: for ever
 *
 * Takes the oldest message.
 *
 * Returns: (transfer full) (nullable): the message, or %NULL when there was none in time
 *
 * Since: 0.1
 */
LeatMessage *
leat_bus_pop (LeatBus *self, gint64 timeout_us)
{
  LeatMessage *message;
  struct timespec deadline = { 0 };
  int waited = 0;

  g_return_val_if_fail (LEAT_IS_BUS (self), NULL);

  if (timeout_us > 0)
    deadline = leat_bus_deadline (timeout_us);
  pthread_mutex_lock (&self->lock);
  while (g_queue_is_empty (&self->messages) && timeout_us != 0 && waited != ETIMEDOUT)
    waited = timeout_us < 0 ? pthread_cond_wait (&self->arrived, &self->lock)
                            : pthread_cond_timedwait (&self->arrived, &self->lock, &deadline);
  message = g_queue_pop_head (&self->messages);
  pthread_mutex_unlock (&self->lock);
  return message;
}

/**
 * leat_bus_add_watch:
 * @self: a bus
 *
 * Has messages emitted as #LeatBus::message in the thread-default main context of the caller.
 *
 * Calls nest: leat_bus_remove_watch() is called as often.  The first call decides the context.
 *
 * Since: 0.1
 */
void
leat_bus_add_watch (LeatBus *self)
{
  GSource *source;

  g_return_if_fail (LEAT_IS_BUS (self));

  if (self->n_watches++ > 0)
    return;
  source = g_source_new (&leat_bus_source_funcs, sizeof (LeatBusSource));
  g_weak_ref_init (&((LeatBusSource *) source)->bus, self);
  g_source_set_static_name (source, "Leat bus");
  g_source_attach (source, g_main_context_get_thread_default ());
  pthread_mutex_lock (&self->lock);
  self->watch = source;
  pthread_mutex_unlock (&self->lock);
}

/**
 * leat_bus_remove_watch:
 * @self: a bus
 *
 * Undoes one leat_bus_add_watch().
 *
 * Since: 0.1
 */
void
leat_bus_remove_watch (LeatBus *self)
{
  GSource *source;

  g_return_if_fail (LEAT_IS_BUS (self));
  g_return_if_fail (self->n_watches > 0);

  if (--self->n_watches > 0)
    return;
  pthread_mutex_lock (&self->lock);
  source = g_steal_pointer (&self->watch);
  pthread_mutex_unlock (&self->lock);
  g_source_destroy (source);
  g_source_unref (source);
}
