/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* OS threads that help the caller of a launch.  There are workers - 1 of them for all launches together, since each
 * caller works too; crew that a launch cannot do without comes on top, made when it is needed and gone after a while.
 */
typedef void (*LeatCpuPoolFunc) (gpointer data);

typedef struct _LeatCpuPoolRequest LeatCpuPoolRequest;

/* Lives with the caller, from ask to finish. */
struct _LeatCpuPoolRequest
{
  LeatCpuPoolFunc func;
  gpointer data;
  guint n_wanted;  /* not yet taken by a thread */
  guint n_running; /* atomic reads outside the lock */
  guint n_crew;    /* asked for by leat_cpu_pool_ask_crew () */
  LeatCpuPoolRequest *next;
  gboolean queued;
};

void leat_cpu_pool_request_init (LeatCpuPoolRequest *request, LeatCpuPoolFunc func, gpointer data);
/* Up to @n helpers, when and if they are free. */
void leat_cpu_pool_ask (LeatCpuPoolRequest *request, guint n);
/* Exactly @n threads, each of which will call the function; FALSE (and none asked) when the system refuses. */
gboolean leat_cpu_pool_ask_crew (LeatCpuPoolRequest *request, guint n);
/* Takes back what no thread has taken and waits for those that have. */
void leat_cpu_pool_finish (LeatCpuPoolRequest *request);

G_END_DECLS
