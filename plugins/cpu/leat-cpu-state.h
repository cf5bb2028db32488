/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <pthread.h>
#include <stdatomic.h>

#include "driver/leat-cuda.h"

G_BEGIN_DECLS

/* Shared by the whole library: one lock, the state of the device, and what each thread remembers.
 *
 * The lock guards every queue, event, capture and graph.  It is never held while work runs, so it is only ever held for
 * some tens of nanoseconds.  POSIX mutexes and conditions are used, not GLib's, because ThreadSanitizer sees them. */

extern pthread_mutex_t leat_cpu_lock;

static inline void
leat_cpu_acquire (void)
{
  pthread_mutex_lock (&leat_cpu_lock);
}

static inline void
leat_cpu_release (void)
{
  pthread_mutex_unlock (&leat_cpu_lock);
}

#define LEAT_CPU_MAX_CONTEXT_STACK 32

typedef struct _LeatCpuStream LeatCpuStream;

/* The data that a thread keeps between calls. */
typedef struct
{
  guint depth; /* of the context stack */
  gpointer contexts[LEAT_CPU_MAX_CONTEXT_STACK];
  CUstreamCaptureMode capture_mode; /* how this thread minds captures */
  guint in_host_function;           /* driver calls are refused in there */
} LeatCpuThread;

LeatCpuThread *leat_cpu_thread_get (void);

/* Every exported function that needs a context begins with LEAT_CPU_ENTER (): initialised, not inside a host function,
 * a context current, the device not dead. */
CUresult leat_cpu_enter (void);
CUresult leat_cpu_enter_without_context (void);
/* As on CUDA (tried on an H200): what names a stream, an event, an executable graph or memory takes the context from
 * that and needs none to be current; the implicit streams do. */
CUresult leat_cpu_enter_by_handle (void);
CUresult leat_cpu_enter_stream (CUstream stream);

#define LEAT_CPU_ENTER()                                                                                               \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    CUresult entered_ = leat_cpu_enter ();                                                                             \
    if (entered_ != CUDA_SUCCESS)                                                                                      \
      return entered_;                                                                                                 \
  }                                                                                                                    \
  G_STMT_END

#define LEAT_CPU_ENTER_BY_HANDLE()                                                                                     \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    CUresult entered_ = leat_cpu_enter_by_handle ();                                                                   \
    if (entered_ != CUDA_SUCCESS)                                                                                      \
      return entered_;                                                                                                 \
  }                                                                                                                    \
  G_STMT_END

#define LEAT_CPU_ENTER_STREAM(stream)                                                                                  \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    CUresult entered_ = leat_cpu_enter_stream (stream);                                                                \
    if (entered_ != CUDA_SUCCESS)                                                                                      \
      return entered_;                                                                                                 \
  }                                                                                                                    \
  G_STMT_END

#define LEAT_CPU_ENTER_WITHOUT_CONTEXT()                                                                               \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    CUresult entered_ = leat_cpu_enter_without_context ();                                                             \
    if (entered_ != CUDA_SUCCESS)                                                                                      \
      return entered_;                                                                                                 \
  }                                                                                                                    \
  G_STMT_END

/* The first error that work hit; every later call answers with it until the primary context is reset. */
void leat_cpu_fail (CUresult code);
CUresult leat_cpu_get_failure (void);
/* For what gives something back: a failure of earlier work does not keep it from doing so, and is its answer. */
CUresult leat_cpu_enter_to_give_back (gboolean by_handle);
/* Has anybody retained the primary context? */
gboolean leat_cpu_context_is_alive (void);
/* As the context ends: the modules that were unloaded while their kernels might run. */
void leat_cpu_module_unload_rest (void);
/* A lost device stays lost. */
void leat_cpu_lose_device (void);
void leat_cpu_clear_failure (void);

void leat_cpu_set_initialized (void);

gint64 leat_cpu_now_ns (void);

/* While the context ends: when loops of graphs are over that have not ended by themselves; 0: never. */
void leat_cpu_set_end_of_loops (gint64 ns);
gboolean leat_cpu_loops_are_over (void);

G_END_DECLS
