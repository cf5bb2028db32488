/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-cub-sort.cuh"

int
leat_cub_sort_words (const LeatCubSort *sort, size_t *wanted)
{
  return leat::run<uint32_t> (*sort, *wanted);
}

const char *
leat_cub_get_error (int error)
{
  return cudaGetErrorString ((cudaError_t) error);
}
