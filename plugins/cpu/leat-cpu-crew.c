/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* OS threads that help the callers of launches to run blocks.  Touches its own threads and the requests that callers
 * lend it, under a lock of its own. */

#include "leat-cpu-crew.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "leat-cpu-engine.h"

#define LEAT_CPU_CREW_MAX_WORKERS  1024
#define LEAT_CPU_CREW_IDLE_SECONDS 2
#define LEAT_CPU_CREW_SPINS        200

/* POSIX threads, mutexes and conditions, because ThreadSanitizer sees them. */
static struct
{
  pthread_mutex_t mutex;
  pthread_cond_t helpers_wanted;
  pthread_cond_t required;
  pthread_cond_t ended;
  LeatCpuCrewRequest *requests; /* oldest first */
  guint n_helpers;
  guint n_idle;
  guint n_required; /* by all requests */
} leat_cpu_crew = {
  .mutex = PTHREAD_MUTEX_INITIALIZER,
  .helpers_wanted = PTHREAD_COND_INITIALIZER,
  .required = PTHREAD_COND_INITIALIZER,
  .ended = PTHREAD_COND_INITIALIZER,
};

static guint
leat_cpu_engine_read_workers (void)
{
  const char *text = g_getenv ("LEAT_CPU_WORKERS");
  guint64 n;

  if (text != NULL && *text != '\0')
    {
      if (g_ascii_string_to_unsigned (text, 10, 1, LEAT_CPU_CREW_MAX_WORKERS, &n, NULL))
        return (guint) n;
      g_printerr ("cpu driver: LEAT_CPU_WORKERS=%s ignored: give a number from 1 to %d\n", text,
                  LEAT_CPU_CREW_MAX_WORKERS);
    }
  return CLAMP (g_get_num_processors (), 1, LEAT_CPU_CREW_MAX_WORKERS);
}

guint
leat_cpu_engine_get_workers (void)
{
  static gsize workers;

  if (g_once_init_enter (&workers))
    g_once_init_leave (&workers, leat_cpu_engine_read_workers ());
  return (guint) workers;
}

static LeatCpuCrewRequest *
leat_cpu_crew_find_request (gboolean crew)
{
  LeatCpuCrewRequest *request = leat_cpu_crew.requests;
  while (request != NULL && (crew ? request->n_required : request->n_wanted) == 0)
    request = request->next;
  return request;
}

/* Called and left with the lock held. */
static void
leat_cpu_crew_serve (LeatCpuCrewRequest *request)
{
  __atomic_fetch_add (&request->n_running, 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock (&leat_cpu_crew.mutex);
  request->func (request->data);
  pthread_mutex_lock (&leat_cpu_crew.mutex);
  /* The request may be gone as soon as this reads 0. */
  if (__atomic_sub_fetch (&request->n_running, 1, __ATOMIC_RELEASE) == 0)
    pthread_cond_broadcast (&leat_cpu_crew.ended);
}

static void *
leat_cpu_crew_help (void *data)
{
  pthread_mutex_lock (&leat_cpu_crew.mutex);
  for (;;)
    {
      LeatCpuCrewRequest *request = leat_cpu_crew_find_request (FALSE);
      if (request == NULL)
        {
          pthread_cond_wait (&leat_cpu_crew.helpers_wanted, &leat_cpu_crew.mutex);
          continue;
        }
      request->n_wanted--;
      leat_cpu_crew_serve (request);
    }
  return NULL;
}

static gboolean
leat_cpu_crew_wait_for_work (void)
{
  struct timespec until;

  clock_gettime (CLOCK_REALTIME, &until);
  until.tv_sec += LEAT_CPU_CREW_IDLE_SECONDS;
  while (leat_cpu_crew.n_required == 0)
    if (pthread_cond_timedwait (&leat_cpu_crew.required, &leat_cpu_crew.mutex, &until) == ETIMEDOUT)
      return leat_cpu_crew.n_required > 0;
  return TRUE;
}

static void *
leat_cpu_crew_serve_required (void *data)
{
  pthread_mutex_lock (&leat_cpu_crew.mutex);
  while (leat_cpu_crew_wait_for_work ())
    {
      LeatCpuCrewRequest *request = leat_cpu_crew_find_request (TRUE);
      request->n_required--;
      leat_cpu_crew.n_required--;
      leat_cpu_crew.n_idle--;
      leat_cpu_crew_serve (request);
      leat_cpu_crew.n_idle++;
    }
  leat_cpu_crew.n_idle--;
  pthread_mutex_unlock (&leat_cpu_crew.mutex);
  return NULL;
}

void
leat_cpu_crew_block_signals (sigset_t *before)
{
  static const int faults[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
  sigset_t others;

  sigfillset (&others);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    sigdelset (&others, faults[i]);
  pthread_sigmask (SIG_SETMASK, &others, before);
}

static gboolean
leat_cpu_crew_spawn (void *(*func) (void *) )
{
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t before;
  int failure;

  leat_cpu_crew_block_signals (&before);
  pthread_attr_init (&attributes);
  pthread_attr_setdetachstate (&attributes, PTHREAD_CREATE_DETACHED);
  failure = pthread_create (&thread, &attributes, func, NULL);
  pthread_attr_destroy (&attributes);
  pthread_sigmask (SIG_SETMASK, &before, NULL);
  return failure == 0;
}

static void
leat_cpu_crew_enqueue (LeatCpuCrewRequest *request)
{
  LeatCpuCrewRequest **end = &leat_cpu_crew.requests;

  if (request->queued)
    return;
  while (*end != NULL)
    end = &(*end)->next;
  *end = request;
  request->queued = TRUE;
}

static void
leat_cpu_crew_dequeue (LeatCpuCrewRequest *request)
{
  LeatCpuCrewRequest **at = &leat_cpu_crew.requests;

  while (*at != request)
    at = &(*at)->next;
  *at = request->next;
  leat_cpu_crew.n_required -= request->n_required;
  request->n_wanted = request->n_required = 0;
  request->queued = FALSE;
}

void
leat_cpu_crew_request_init (LeatCpuCrewRequest *request, LeatCpuCrewFunc func, gpointer data)
{
  *request = (LeatCpuCrewRequest){ .func = func, .data = data };
}

void
leat_cpu_crew_ask (LeatCpuCrewRequest *request, guint n)
{
  pthread_mutex_lock (&leat_cpu_crew.mutex);
  while (leat_cpu_crew.n_helpers < leat_cpu_engine_get_workers () - 1 && leat_cpu_crew_spawn (leat_cpu_crew_help))
    leat_cpu_crew.n_helpers++;
  request->n_wanted = MIN (n, leat_cpu_crew.n_helpers);
  leat_cpu_crew_enqueue (request);
  for (guint i = 0; i < request->n_wanted; i++)
    pthread_cond_signal (&leat_cpu_crew.helpers_wanted);
  pthread_mutex_unlock (&leat_cpu_crew.mutex);
}

gboolean
leat_cpu_crew_require (LeatCpuCrewRequest *request, guint n)
{
  gboolean enough;

  pthread_mutex_lock (&leat_cpu_crew.mutex);
  enough = !request->finished;
  while (enough && leat_cpu_crew.n_idle < leat_cpu_crew.n_required + n)
    {
      enough = leat_cpu_crew_spawn (leat_cpu_crew_serve_required);
      leat_cpu_crew.n_idle += enough;
    }
  if (enough)
    {
      request->n_required += n;
      leat_cpu_crew.n_required += n;
      leat_cpu_crew_enqueue (request);
      pthread_cond_broadcast (&leat_cpu_crew.required);
    }
  pthread_mutex_unlock (&leat_cpu_crew.mutex);
  return enough;
}

void
leat_cpu_crew_finish (LeatCpuCrewRequest *request)
{
  /* Nobody has been asked, so nobody knows of it. */
  if (!request->queued)
    return;
  pthread_mutex_lock (&leat_cpu_crew.mutex);
  /* A thread of the crew may be about to require more for blocks that have since been taken. */
  request->finished = TRUE;
  if (request->queued)
    leat_cpu_crew_dequeue (request);
  pthread_mutex_unlock (&leat_cpu_crew.mutex);
  /* The last blocks end at about the same time: a short look is cheaper than sleeping and being woken. */
  for (guint i = 0; i < LEAT_CPU_CREW_SPINS && __atomic_load_n (&request->n_running, __ATOMIC_ACQUIRE) > 0; i++)
    sched_yield ();
  if (__atomic_load_n (&request->n_running, __ATOMIC_ACQUIRE) == 0)
    return;
  pthread_mutex_lock (&leat_cpu_crew.mutex);
  while (__atomic_load_n (&request->n_running, __ATOMIC_ACQUIRE) > 0)
    pthread_cond_wait (&leat_cpu_crew.ended, &leat_cpu_crew.mutex);
  pthread_mutex_unlock (&leat_cpu_crew.mutex);
}
