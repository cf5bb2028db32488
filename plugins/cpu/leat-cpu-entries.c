/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The table of all calls that the driver offers, for cuGetProcAddress.  Changes nothing. */

#include "leat-cpu-exports.h"
#include "leat-cpu-gate.h"

#include <glib.h>
#include <string.h>

typedef struct
{
  const char *name;
  int version;
  void *function;
} LeatCpuEntry;

#define LEAT_ENTRY(group, need, name, exported, version, params, args) { #name, version, (void *) exported },

static const LeatCpuEntry leat_cpu_entries[] = {
#include "driver/leat-driver-entries.h"
};

/* A name is served from the version on that introduced the signature offered here: CUDA would answer an older version
 * with an older signature, which this driver does not have. */
CUresult
cuGetProcAddress_v2 (const char *symbol, void **function, int version, uint64_t flags,
                     CUdriverProcAddressQueryResult *status)
{
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;

  if (symbol == NULL || function == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *function = NULL;
  for (guint i = 0; i < G_N_ELEMENTS (leat_cpu_entries); i++)
    if (strcmp (leat_cpu_entries[i].name, symbol) == 0)
      {
        found = version >= leat_cpu_entries[i].version ? CU_GET_PROC_ADDRESS_SUCCESS
                                                       : CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
        *function =
          found == CU_GET_PROC_ADDRESS_SUCCESS ? leat_cpu_gate_get (symbol, leat_cpu_entries[i].function) : NULL;
      }
  if (status != NULL)
    *status = found;
  return *function != NULL || status != NULL ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
