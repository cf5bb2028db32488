/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "driver/leat-cuda.h"

#ifdef CUDA_VERSION
#error "a toolkit's cuda.h came in"
#endif

#define TABLE cuda_facts_ours
#define COUNT cuda_facts_n_ours
#include "cuda-facts-table.h"
