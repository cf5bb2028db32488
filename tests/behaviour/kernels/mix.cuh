/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Data that header-cases.c makes too. */

__host__ __device__ inline uint32_t
mix (uint32_t i)
{
  i = (i ^ (i >> 16)) * 0x7feb352du;
  i = (i ^ (i >> 15)) * 0x846ca68bu;
  return i ^ (i >> 16);
}

__host__ __device__ inline uint32_t
item (uint32_t i, uint32_t n)
{
  return i < n ? mix (i) : 0;
}
