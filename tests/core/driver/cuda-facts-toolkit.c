/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The toolkit declares every version of an entry under its exported name, instead of renaming the newest. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <cudaTypedefs.h>

#define TABLE cuda_facts_toolkit
#define COUNT cuda_facts_n_toolkit
#include "cuda-facts-table.h"

/* First, so that an entry that the toolkit does not have is an error here. */
const CudaPrototype cuda_prototypes[] = {
#define LEAT_ENTRY(group, need, name, exported, version, params, args)                                                 \
  { #exported, version, __builtin_types_compatible_p (typeof (exported), typeof (*(PFN_##name##_v##version) 0)) },
#include "driver/leat-driver-entries.h"
};

/* Declares each entry a second time, as Leat has it: the compiler refuses what conflicts. */
#define LEAT_ENTRY(group, need, name, exported, version, params, args) CUresult CUDAAPI exported params;
#include "driver/leat-driver-entries.h"

const size_t cuda_prototypes_n = sizeof cuda_prototypes / sizeof cuda_prototypes[0];
const int cuda_facts_toolkit_version = CUDA_VERSION;
