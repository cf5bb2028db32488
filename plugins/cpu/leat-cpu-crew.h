/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <signal.h>

G_BEGIN_DECLS

/* OS threads that help the caller of a launch.  There are workers - 1 of them for all launches together, since each
 * caller works too; crew that a launch cannot do without comes on top, made when it is needed and gone after a while.
 */
typedef void (*LeatCpuCrewFunc) (gpointer data);

typedef struct _LeatCpuCrewRequest LeatCpuCrewRequest;

/* Lives with the caller, from ask to finish. */
struct _LeatCpuCrewRequest
{
  LeatCpuCrewFunc func;
  gpointer data;
  guint n_wanted;   /* not yet taken by a thread */
  guint n_running;  /* atomic reads outside the lock */
  guint n_required; /* asked for by leat_cpu_crew_require () */
  LeatCpuCrewRequest *next;
  gboolean queued;
  gboolean finished; /* nothing more can be asked for */
};

void leat_cpu_crew_request_init (LeatCpuCrewRequest *request, LeatCpuCrewFunc func, gpointer data);
/* Up to @n helpers, when and if they are free. */
void leat_cpu_crew_ask (LeatCpuCrewRequest *request, guint n);
/* Exactly @n threads, each of which will call the function; FALSE (and none asked) when the system refuses
 * or the request is finished. */
gboolean leat_cpu_crew_require (LeatCpuCrewRequest *request, guint n);
/* Takes back what no thread has taken and waits for those that have. */
void leat_cpu_crew_finish (LeatCpuCrewRequest *request);

/* Signals to the application are for its own threads: a thread started before @before is set again takes none.  But a
 * kernel's fault is a signal to the thread that runs it, and a handler or a debugger must see that. */
void leat_cpu_crew_block_signals (sigset_t *before);

G_END_DECLS
