/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The node `app` inside: leat-app.c is the node and its queue, leat-app-session.c what a session does with it,
 * leat-app-program.c what the program does. */

#include "leat-app-private.h"

#include <pthread.h>

G_BEGIN_DECLS

/* LEAT_APP_IDLE: no session has been there.  LEAT_APP_FINISHED: the last one came to the end of the stream;
 * LEAT_APP_STOPPED: it did not. */
typedef enum
{
  LEAT_APP_IDLE,
  LEAT_APP_RUNNING,
  LEAT_APP_FINISHED,
  LEAT_APP_STOPPED
} LeatAppState;

/* The owner of the memory that holds the data. */
typedef enum
{
  LEAT_APP_MEMORY_SESSION,
  LEAT_APP_MEMORY_USER
} LeatAppMemory;

/* The buffer that gives way where the queue is full. */
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
  guint dropped;  /* atomic: of what came since the session was opened */
  guint stops;    /* sessions that have gone: who waited for one must not wait for the next */
  LeatSpec *planned;
  char *planned_from; /* what the property said then */
};

/* The queue's lock; the program's threads and the session's take it. */
void leat_app_lock (LeatApp *self);
void leat_app_unlock (LeatApp *self);
/* Under the lock, as the four after it. */
void leat_app_wake_all (LeatApp *self);
/* FALSE: @deadline_us (monotonic; negative: none) is over. */
gboolean leat_app_wait (LeatApp *self, gint64 deadline_us);
gboolean leat_app_is_full (LeatApp *self);
/* There is room, or it is leaky. */
void leat_app_put (LeatApp *self, GBytes *bytes);
/* Fails for a queue that is full, and says what to do. */
gboolean leat_app_refuse_full (LeatApp *self, const char *advice, GError **error);

/* Puts the node's title in front of errors where no session will.  Returns FALSE. */
gboolean leat_app_prefix_title (LeatApp *self, GError **error);
gboolean leat_app_check_size (gsize size, LeatSpec *spec, GError **error);

/* #LeatEndpointClass. */
void leat_app_respec (LeatEndpoint *endpoint);
gboolean leat_app_start (LeatEndpoint *endpoint, GError **error);
LeatFlow leat_app_fill (LeatEndpoint *endpoint, LeatView *view, gboolean wait, GCancellable *cancellable,
                        GError **error);
gboolean leat_app_drain (LeatEndpoint *endpoint, const LeatView *view, GCancellable *cancellable, GError **error);
gboolean leat_app_finish (LeatEndpoint *endpoint, GError **error);
void leat_app_stop (LeatEndpoint *endpoint);
void leat_app_unblock (LeatEndpoint *endpoint);

G_END_DECLS
