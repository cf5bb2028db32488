/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Starts threads that may be refused, and says which limit was in the way. */

#include "leat-thread-private.h"

#include <sys/resource.h>

static char *
leat_thread_describe_limit (void)
{
  struct rlimit limit;

  if (getrlimit (RLIMIT_NPROC, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return g_strdup ("no more processes and threads are allowed here");
  return g_strdup_printf ("this user may have %" G_GUINT64_FORMAT " processes and threads (ulimit -u)",
                          (guint64) limit.rlim_cur);
}

GThread *
leat_thread_start (const char *name, GThreadFunc func, gpointer data, GError **error)
{
  GThread *thread = g_thread_try_new (name, func, data, NULL);
  g_autofree char *limit = thread == NULL ? leat_thread_describe_limit () : NULL;

  if (thread == NULL)
    g_set_error (error, G_THREAD_ERROR, G_THREAD_ERROR_AGAIN,
                 "cannot start the thread \"%s\": %s; end others, or raise the limit", name, limit);
  return thread;
}

static gpointer
leat_thread_do_nothing (gpointer data)
{
  return NULL;
}

gboolean
leat_thread_check (GError **error)
{
  GThread *thread = leat_thread_start ("leat-check", leat_thread_do_nothing, NULL, error);

  if (thread != NULL)
    g_thread_join (thread);
  return thread != NULL;
}
