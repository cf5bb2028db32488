/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One function for each driver call, which counts it and fails where the N-th call is to fail.  Applications get these
 * from cuGetProcAddress only where LEAT_CPU_FAULT is set; the driver's own calls never pass here. */

#include "leat-cpu-gate.h"

#include <string.h>

#include "leat-cpu-exports.h"
#include "leat-cpu-fault.h"
#include "leat-cpu-state.h"

/* As CUDA has it, what gives something back has done so even where it reports a failure: that of earlier work. */
static gboolean
leat_cpu_gate_gives_back (const char *name)
{
  static const char *const words[] = { "Destroy", "Free", "Unload", "Release", "Pop", "Unregister", "EndCapture" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (name, words[i]) != NULL)
      return TRUE;
  return FALSE;
}

/* Codes that on CUDA mean that the context is lost. */
static gboolean
leat_cpu_gate_is_sticky (CUresult code)
{
  switch (code)
    {
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
      return TRUE;
    default:
      return FALSE;
    }
}

/* Planted for a context that nobody has, a lasting failure would outlive everything. */
static void
leat_cpu_gate_fail (CUresult code)
{
  if (leat_cpu_gate_is_sticky (code) && leat_cpu_context_is_alive ())
    leat_cpu_fail (code);
}

#define LEAT_ENTRY(group, need, name, exported, version, params, args)                                                 \
  static CUresult leat_cpu_gate_##name params                                                                          \
  {                                                                                                                    \
    CUresult fault = leat_cpu_fault_visit_call (#name);                                                                \
                                                                                                                       \
    if (G_LIKELY (fault == CUDA_SUCCESS))                                                                              \
      return exported args;                                                                                            \
    if (leat_cpu_gate_gives_back (#name))                                                                              \
      exported args;                                                                                                   \
    leat_cpu_gate_fail (fault);                                                                                        \
    return fault;                                                                                                      \
  }
#include "driver/leat-driver-entries.h"

static const struct
{
  const char *name;
  void *function;
} leat_cpu_gates[] = {
#define LEAT_ENTRY(group, need, name, exported, version, params, args) { #name, (void *) leat_cpu_gate_##name },
#include "driver/leat-driver-entries.h"
};

gpointer
leat_cpu_gate_get (const char *name, gpointer function)
{
  if (!leat_cpu_fault_watches_calls ())
    return function;
  for (guint i = 0; i < G_N_ELEMENTS (leat_cpu_gates); i++)
    if (strcmp (leat_cpu_gates[i].name, name) == 0)
      return leat_cpu_gates[i].function;
  return function;
}
