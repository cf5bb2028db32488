/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A thread that waits for the device, and a file descriptor and a GSource that tell of the end.  Touches its own state
 * only. */

#include "leat-waiter-private.h"

#include <errno.h>
#include <gio/gio.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

struct _LeatWaiter
{
  gatomicrefcount refs;
  int fd;
  gint told; /* atomic: the descriptor can be read */

  GMutex lock;
  GCond changed;
  GThread *thread;
  LeatWaiterFunc await; /* NULL where nothing is watched */
  gpointer data;
  GError *failure; /* (nullable): of what was watched last, until it is collected */
  gint64 ended_us;
  gboolean quit;
};

LeatWaiter *
leat_waiter_new (GError **error)
{
  int fd = eventfd (0, EFD_CLOEXEC | EFD_NONBLOCK);
  LeatWaiter *self;

  if (fd < 0)
    {
      g_set_error (error, G_IO_ERROR, g_io_error_from_errno (errno),
                   "cannot make a file descriptor that tells of the end of runs: %s", g_strerror (errno));
      return NULL;
    }
  self = g_new0 (LeatWaiter, 1);
  g_atomic_ref_count_init (&self->refs);
  self->fd = fd;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  return self;
}

static LeatWaiter *
leat_waiter_ref (LeatWaiter *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
leat_waiter_unref (LeatWaiter *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  close (self->fd);
  g_clear_error (&self->failure);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
  g_free (self);
}

int
leat_waiter_get_fd (LeatWaiter *self)
{
  return self->fd;
}

gboolean
leat_waiter_is_told (LeatWaiter *self)
{
  return g_atomic_int_get (&self->told);
}

void
leat_waiter_tell (LeatWaiter *self)
{
  const guint64 one = 1;

  g_atomic_int_set (&self->told, TRUE);
  /* It cannot be full: it is emptied before every run. */
  if (write (self->fd, &one, sizeof one) != sizeof one)
    g_warning ("cannot tell of the end of a run: %s", g_strerror (errno));
}

void
leat_waiter_reset (LeatWaiter *self)
{
  guint64 n;

  if (read (self->fd, &n, sizeof n) < 0 && errno != EAGAIN)
    g_warning ("cannot empty what tells of the end of runs: %s", g_strerror (errno));
  g_atomic_int_set (&self->told, FALSE);
}

static void
leat_waiter_wait_for_end (LeatWaiter *self)
{
  LeatWaiterFunc await = self->await;
  gpointer data = self->data;
  GError *failure = NULL;

  g_mutex_unlock (&self->lock);
  (*await) (data, &failure);
  g_mutex_lock (&self->lock);
  g_clear_error (&self->failure);
  self->failure = failure;
  self->ended_us = g_get_monotonic_time ();
  /* Told before anybody can collect: the next run empties the descriptor. */
  leat_waiter_tell (self);
  self->await = NULL;
  g_cond_broadcast (&self->changed);
}

static gpointer
leat_waiter_main (gpointer data)
{
  LeatWaiter *self = data;

  g_mutex_lock (&self->lock);
  while (!self->quit)
    if (self->await != NULL)
      leat_waiter_wait_for_end (self);
    else
      g_cond_wait (&self->changed, &self->lock);
  g_mutex_unlock (&self->lock);
  return NULL;
}

/* The program's signals are for the program's threads. */
static gboolean
leat_waiter_start (LeatWaiter *self, GError **error)
{
  sigset_t all, before;

  if (self->thread != NULL)
    return TRUE;
  sigfillset (&all);
  pthread_sigmask (SIG_SETMASK, &all, &before);
  self->thread = g_thread_try_new ("leat-waiter", leat_waiter_main, self, error);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return self->thread != NULL;
}

gboolean
leat_waiter_watch (LeatWaiter *self, LeatWaiterFunc await, gpointer data, GError **error)
{
  if (!leat_waiter_start (self, error))
    return FALSE;
  g_mutex_lock (&self->lock);
  self->await = await;
  self->data = data;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  return TRUE;
}

gboolean
leat_waiter_collect (LeatWaiter *self, gint64 *ended_us, GError **error)
{
  GError *failure;

  g_mutex_lock (&self->lock);
  while (self->await != NULL)
    g_cond_wait (&self->changed, &self->lock);
  failure = g_steal_pointer (&self->failure);
  *ended_us = self->ended_us;
  g_mutex_unlock (&self->lock);
  if (failure == NULL)
    return TRUE;
  g_propagate_error (error, failure);
  return FALSE;
}

void
leat_waiter_stop (LeatWaiter *self)
{
  if (self->thread == NULL)
    return;
  g_mutex_lock (&self->lock);
  self->quit = TRUE;
  g_cond_broadcast (&self->changed);
  g_mutex_unlock (&self->lock);
  g_thread_join (g_steal_pointer (&self->thread));
}

typedef struct
{
  GSource source; /* first */
  LeatWaiter *waiter;
} LeatWaiterSource;

/* Also when its time has come, or a child source is ready: then the descriptor need not be. */
static gboolean
leat_waiter_source_dispatch (GSource *source, GSourceFunc callback, gpointer data)
{
  if (callback != NULL)
    return (*callback) (data);
  g_warning ("a source of a session was attached without a callback");
  return G_SOURCE_REMOVE;
}

static gboolean
leat_waiter_source_check (GSource *source)
{
  return leat_waiter_is_told (((LeatWaiterSource *) source)->waiter);
}

static void
leat_waiter_source_finalize (GSource *source)
{
  leat_waiter_unref (((LeatWaiterSource *) source)->waiter);
}

GSource *
leat_waiter_create_source (LeatWaiter *self, const char *name)
{
  static GSourceFuncs funcs = {
    .check = leat_waiter_source_check,
    .dispatch = leat_waiter_source_dispatch,
    .finalize = leat_waiter_source_finalize,
  };
  GSource *source = g_source_new (&funcs, sizeof (LeatWaiterSource));

  ((LeatWaiterSource *) source)->waiter = leat_waiter_ref (self);
  g_source_add_unix_fd (source, self->fd, G_IO_IN);
  g_source_set_static_name (source, name);
  return source;
}
