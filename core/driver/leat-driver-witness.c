/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The used part of CUPTI, the profiling interface of the CUDA toolkit: its callback API, documented in the toolkit's
 * cupti_callbacks.h.  It is opened when it is first needed. */

#include "leat-driver-witness-private.h"

#include "leat-driver-watch-private.h"
#include "leat-toolkit-private.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#define LEAT_CUPTI_VARIABLE "LEAT_CUPTI"

enum
{
  LEAT_CUPTI_DOMAIN_DRIVER = 1,
  LEAT_CUPTI_DOMAIN_RUNTIME = 2,
};

#define LEAT_CUPTI_SITE_EXIT 1

/* The beginning of CUpti_CallbackData. */
typedef struct
{
  int site;
  const char *function;
  const void *params;
  const int *result; /* when the call returns */
} LeatCuptiCall;

typedef void (*LeatCuptiCallback) (void *data, int domain, guint32 id, const void *call);

typedef struct
{
  int (*subscribe) (gpointer *subscriber, LeatCuptiCallback callback, void *data);
  int (*unsubscribe) (gpointer subscriber);
  int (*enable_domain) (guint32 enable, gpointer subscriber, int domain);
} LeatCupti;

static const char *const leat_cupti_names[] = { "libcupti.so.13", "libcupti.so.12", "libcupti.so", NULL };

static gboolean
leat_cupti_load (LeatCupti *self)
{
  gpointer library = leat_toolkit_open_library (LEAT_CUPTI_VARIABLE, leat_cupti_names);

  if (library == NULL)
    return FALSE;
  *(gpointer *) &self->subscribe = dlsym (library, "cuptiSubscribe");
  *(gpointer *) &self->unsubscribe = dlsym (library, "cuptiUnsubscribe");
  *(gpointer *) &self->enable_domain = dlsym (library, "cuptiEnableDomain");
  return self->subscribe != NULL && self->unsubscribe != NULL && self->enable_domain != NULL;
}

/* NULL where it is not there.  It stays: it cannot be taken out of a process again. */
static const LeatCupti *
leat_cupti_get (void)
{
  static LeatCupti table;
  static gsize state = 0;

  if (g_once_init_enter (&state))
    g_once_init_leave (&state, leat_cupti_load (&table) ? 1 : 2);
  return state == 1 ? &table : NULL;
}

/* "cuMemAlloc_v2" and "cudaMalloc_v3020" are names for programs. */
static const char *
leat_driver_witness_name (const char *function)
{
  const char *end = strstr (function, "_v");
  g_autofree char *plain = NULL;

  if (end == NULL || !g_ascii_isdigit (end[2]))
    return g_intern_string (function);
  plain = g_strndup (function, end - function);
  return g_intern_string (plain);
}

/* A call of the runtime API returns right after the driver's that it made. */
static void
leat_driver_witness_hear (void *data, int domain, guint32 id, const void *call)
{
  LeatDriverWitness *self = data;
  const LeatCuptiCall *it = call;
  gboolean within = self->within && domain == LEAT_CUPTI_DOMAIN_RUNTIME;

  if (self->thread != (gulong) pthread_self ())
    return;
  self->within = FALSE;
  if (it->site != LEAT_CUPTI_SITE_EXIT || it->result == NULL || !leat_driver_result_is_about_capture (*it->result))
    return;
  if (self->call != NULL && !within)
    return;
  self->within = self->call == NULL;
  self->failure = (CUresult) *it->result;
  self->call = leat_driver_witness_name (it->function);
}

/* The CPU driver's calls are none of CUPTI's, but may be those of what somebody has put in its place. */
gboolean
leat_driver_witness_begin (LeatDriverWitness *self, LeatDriver *driver)
{
  const LeatCupti *cupti = NULL;

  *self = (LeatDriverWitness){ .thread = (gulong) pthread_self () };
  if (leat_driver_get_kind (driver) != LEAT_DRIVER_CPU || g_getenv (LEAT_CUPTI_VARIABLE) != NULL)
    cupti = leat_cupti_get ();
  if (cupti == NULL || (*cupti->subscribe) (&self->subscriber, leat_driver_witness_hear, self) != 0)
    return FALSE;
  (*cupti->enable_domain) (TRUE, self->subscriber, LEAT_CUPTI_DOMAIN_DRIVER);
  (*cupti->enable_domain) (TRUE, self->subscriber, LEAT_CUPTI_DOMAIN_RUNTIME);
  return TRUE;
}

void
leat_driver_witness_end (LeatDriverWitness *self)
{
  (*leat_cupti_get ()->unsubscribe) (self->subscriber);
}
