/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-cub-sort.cuh"

int
leat_cub_sort_long_words (const LeatCubSort *sort, size_t *wanted)
{
  return leat::run<uint64_t> (*sort, *wanted);
}
