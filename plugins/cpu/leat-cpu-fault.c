/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Faults that tests plant in the driver: each place counts its visits, and the chosen ones fail.  Touches its own
 * counts only, but for a planted loss of the device. */

#include "leat-cpu-fault.h"

#include <stdatomic.h>
#include <string.h>

#include "leat-cpu-error.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-state.h"

typedef struct
{
  guint64 first;
  gboolean and_later;
  CUresult code;
} LeatCpuFault;

static const struct
{
  const char *name;
  CUresult code; /* where the environment names none */
} leat_cpu_fault_places[LEAT_CPU_FAULT_N_PLACES] = {
  [LEAT_CPU_FAULT_INIT] = { "init", CUDA_ERROR_NO_DEVICE },
  [LEAT_CPU_FAULT_ALLOC] = { "alloc", CUDA_ERROR_OUT_OF_MEMORY },
  [LEAT_CPU_FAULT_HOST_ALLOC] = { "host-alloc", CUDA_ERROR_OUT_OF_MEMORY },
  [LEAT_CPU_FAULT_LAUNCH] = { "launch", CUDA_ERROR_ILLEGAL_ADDRESS },
  [LEAT_CPU_FAULT_COPY] = { "copy", CUDA_ERROR_ILLEGAL_ADDRESS },
  [LEAT_CPU_FAULT_SET] = { "set", CUDA_ERROR_ILLEGAL_ADDRESS },
  [LEAT_CPU_FAULT_HOST_FUNCTION] = { "host-function", CUDA_ERROR_LAUNCH_FAILED },
  [LEAT_CPU_FAULT_INSTANTIATE] = { "instantiate", CUDA_ERROR_OUT_OF_MEMORY },
  [LEAT_CPU_FAULT_MODULE] = { "module", CUDA_ERROR_INVALID_IMAGE },
  [LEAT_CPU_FAULT_STREAM] = { "stream", CUDA_ERROR_OUT_OF_MEMORY },
  [LEAT_CPU_FAULT_EVENT] = { "event", CUDA_ERROR_OUT_OF_MEMORY },
  [LEAT_CPU_FAULT_DEVICE_LOST] = { "device-lost", CUDA_ERROR_DEVICE_UNAVAILABLE },
  [LEAT_CPU_FAULT_CALL] = { "call", CUDA_ERROR_UNKNOWN },
};

static LeatCpuFault leat_cpu_faults[LEAT_CPU_FAULT_N_PLACES];
static atomic_ullong leat_cpu_fault_visits[LEAT_CPU_FAULT_N_PLACES];
static pthread_mutex_t leat_cpu_fault_lock = PTHREAD_MUTEX_INITIALIZER; /* of what is planted */
static pthread_once_t leat_cpu_fault_once = PTHREAD_ONCE_INIT;
gint leat_cpu_faults_state = LEAT_CPU_FAULTS_UNREAD;
static const char *_Atomic leat_cpu_fault_call; /* that failed last, because it was planned */

static pthread_mutex_t leat_cpu_hang_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t leat_cpu_hang_end = PTHREAD_COND_INITIALIZER;
static gboolean leat_cpu_hangs_end; /* while the context ends */

static gboolean
leat_cpu_fault_parse_number (const char *text, LeatCpuFault *fault)
{
  char *end;

  fault->first = g_ascii_strtoull (text, &end, 10);
  fault->and_later = *end == '+';
  return end != text && fault->first > 0 && (*end == '\0' || strcmp (end, "+") == 0);
}

static gboolean
leat_cpu_fault_parse_one (const char *text)
{
  g_auto (GStrv) sides = g_strsplit (text, "=", 2);
  g_auto (GStrv) place = g_strsplit (sides[0], ":", 2);
  LeatCpuFault fault = { 1, FALSE, CUDA_SUCCESS };
  guint which = 0;

  while (which < LEAT_CPU_FAULT_N_PLACES && g_strcmp0 (place[0], leat_cpu_fault_places[which].name) != 0)
    which++;
  if (which == LEAT_CPU_FAULT_N_PLACES || (place[1] != NULL && !leat_cpu_fault_parse_number (place[1], &fault)))
    return FALSE;
  fault.code = leat_cpu_fault_places[which].code;
  if (sides[1] != NULL && strcmp (sides[1], "hang") == 0)
    fault.code = LEAT_CPU_FAULT_HANG;
  else if (sides[1] != NULL && !leat_cpu_error_from_name (sides[1], &fault.code))
    return FALSE;
  leat_cpu_faults[which] = fault;
  return TRUE;
}

static gboolean
leat_cpu_fault_parse_list (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text != NULL ? text : "", ",", -1);
  LeatCpuFaults state = LEAT_CPU_FAULTS_NONE;
  gboolean good = TRUE;

  for (guint i = 0; parts[i] != NULL; i++)
    if (*parts[i] != '\0' && leat_cpu_fault_parse_one (parts[i]))
      state = LEAT_CPU_FAULTS_PLANTED;
    else if (*parts[i] != '\0')
      {
        g_printerr ("LEAT_CPU_FAULT: \"%s\" is not PLACE:N[=CODE|hang]; it plants nothing\n", parts[i]);
        good = FALSE;
      }
  __atomic_store_n (&leat_cpu_faults_state, state, __ATOMIC_RELEASE);
  return good;
}

static void
leat_cpu_fault_parse (void)
{
  leat_cpu_fault_parse_list (g_getenv ("LEAT_CPU_FAULT"));
}

/* While no call is under way and no work runs: forgets what was planted and counted, and plants anew. */
LEAT_CPU_EXPORT int
leat_cpu_plant_faults (const char *text)
{
  int good;

  pthread_once (&leat_cpu_fault_once, leat_cpu_fault_parse);
  pthread_mutex_lock (&leat_cpu_fault_lock);
  memset (leat_cpu_faults, 0, sizeof leat_cpu_faults);
  for (guint i = 0; i < LEAT_CPU_FAULT_N_PLACES; i++)
    atomic_store (&leat_cpu_fault_visits[i], 0);
  atomic_store (&leat_cpu_fault_call, NULL);
  good = leat_cpu_fault_parse_list (text);
  pthread_mutex_unlock (&leat_cpu_fault_lock);
  return good;
}

LEAT_CPU_EXPORT uint64_t
leat_cpu_count_calls (void)
{
  return atomic_load (&leat_cpu_fault_visits[LEAT_CPU_FAULT_CALL]);
}

LEAT_CPU_EXPORT const char *
leat_cpu_get_failed_call (void)
{
  return atomic_load (&leat_cpu_fault_call);
}

gboolean
leat_cpu_fault_watches_calls (void)
{
  return g_getenv ("LEAT_CPU_FAULT") != NULL;
}

/* As it is now: a thread that ends its last call may not know that others go on. */
static LeatCpuFault
leat_cpu_fault_get (LeatCpuFaultPlace place)
{
  LeatCpuFault fault;

  pthread_once (&leat_cpu_fault_once, leat_cpu_fault_parse);
  pthread_mutex_lock (&leat_cpu_fault_lock);
  fault = leat_cpu_faults[place];
  pthread_mutex_unlock (&leat_cpu_fault_lock);
  return fault;
}

CUresult
leat_cpu_fault_visit_planted (LeatCpuFaultPlace place)
{
  const LeatCpuFault planted = leat_cpu_fault_get (place), *fault = &planted;

  if (fault->first == 0)
    return CUDA_SUCCESS;

  guint64 visit = atomic_fetch_add (&leat_cpu_fault_visits[place], 1) + 1;
  return visit == fault->first || (fault->and_later && visit > fault->first) ? fault->code : CUDA_SUCCESS;
}

/* Counted whether or not a fault is planted, so that a test knows how far it has to go. */
CUresult
leat_cpu_fault_visit_call (const char *name)
{
  const LeatCpuFault planted = leat_cpu_fault_get (LEAT_CPU_FAULT_CALL), *fault = &planted;
  guint64 visit = atomic_fetch_add (&leat_cpu_fault_visits[LEAT_CPU_FAULT_CALL], 1) + 1;

  if (fault->first == 0 || visit < fault->first || (visit > fault->first && !fault->and_later))
    return CUDA_SUCCESS;
  atomic_store (&leat_cpu_fault_call, name);
  return fault->code;
}

static CUresult
leat_cpu_fault_hang (void)
{
  pthread_mutex_lock (&leat_cpu_hang_lock);
  while (!leat_cpu_hangs_end)
    pthread_cond_wait (&leat_cpu_hang_end, &leat_cpu_hang_lock);
  pthread_mutex_unlock (&leat_cpu_hang_lock);
  return CUDA_ERROR_LAUNCH_TIMEOUT;
}

void
leat_cpu_fault_set_hangs_end (gboolean end)
{
  pthread_mutex_lock (&leat_cpu_hang_lock);
  leat_cpu_hangs_end = end;
  pthread_cond_broadcast (&leat_cpu_hang_end);
  pthread_mutex_unlock (&leat_cpu_hang_lock);
}

CUresult
leat_cpu_fault_visit_work_planted (LeatCpuFaultPlace place)
{
  if (leat_cpu_fault_visit (LEAT_CPU_FAULT_DEVICE_LOST) != CUDA_SUCCESS)
    {
      leat_cpu_lose_device ();
      return CUDA_ERROR_DEVICE_UNAVAILABLE;
    }
  CUresult code = leat_cpu_fault_visit (place);
  if (code == LEAT_CPU_FAULT_HANG)
    code = leat_cpu_fault_hang ();
  return code;
}
