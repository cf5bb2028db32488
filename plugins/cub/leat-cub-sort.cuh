/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cub-kernels.h"

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>

/* A sort of keys of one width by CUB.  Keys of all kinds become unsigned ones in the same order, so that one
 * instantiation serves them: they take half a minute each to compile.  Where only some are live, the others become the
 * greatest key; they come in behind the live ones, of which equal ones keep their order. */

namespace leat
{

template <typename Key> constexpr Key top = (Key) 1 << (8 * sizeof (Key) - 1);

template <typename Key>
__device__ Key
flip (Key key, LeatCubKeys kind, bool descending)
{
  if (kind != LEAT_CUB_KEYS_UNSIGNED)
    key = kind == LEAT_CUB_KEYS_REAL && (key & top<Key>) ? ~key : key ^ top<Key>;
  return descending ? ~key : key;
}

template <typename Key>
__device__ Key
unflip (Key key, LeatCubKeys kind, bool descending)
{
  key = descending ? ~key : key;
  if (kind == LEAT_CUB_KEYS_UNSIGNED)
    return key;
  return kind == LEAT_CUB_KEYS_REAL && !(key & top<Key>) ? ~key : key ^ top<Key>;
}

/* Counts are handed on as they are: who reads more than there is room for says so. */
template <typename Key>
__global__ void
stage (LeatCubSort sort)
{
  const uint64_t live = sort.count != nullptr ? *sort.count : sort.n;
  const uint64_t first = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x;

  for (uint64_t i = first; i < sort.n; i += (uint64_t) gridDim.x * blockDim.x)
    {
      if (sort.staged != nullptr)
        ((Key *) sort.staged)[i] =
          i < live ? flip (((const Key *) sort.keys)[i], sort.kind, sort.descending) : (Key) ~(Key) 0;
      if (sort.from != nullptr)
        sort.numbers[i] = (uint32_t) i;
    }
  if (first != 0 || sort.count == nullptr)
    return;
  *sort.sorted_count = live;
  if (sort.from != nullptr)
    *sort.from_count = live;
}

template <typename Key>
__global__ void
restore (LeatCubSort sort)
{
  Key *sorted = (Key *) sort.sorted;

  for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < sort.n;
       i += (uint64_t) gridDim.x * blockDim.x)
    sorted[i] = unflip (sorted[i], sort.kind, sort.descending);
}

template <typename Key>
cudaError_t
call (const LeatCubSort &sort, void *temp, size_t &bytes)
{
  const Key *keys = (const Key *) (sort.staged != nullptr ? sort.staged : sort.keys);
  const int bits = 8 * sizeof (Key);
  const cudaStream_t stream = (cudaStream_t) sort.stream;

  if (sort.from == nullptr)
    return cub::DeviceRadixSort::SortKeys (temp, bytes, keys, (Key *) sort.sorted, (uint32_t) sort.n, 0, bits, stream);
  return cub::DeviceRadixSort::SortPairs (temp, bytes, keys, (Key *) sort.sorted, (const uint32_t *) sort.numbers,
                                          sort.from, (uint32_t) sort.n, 0, bits, stream);
}

template <typename Key>
int
run (const LeatCubSort &sort, size_t &wanted)
{
  const cudaStream_t stream = (cudaStream_t) sort.stream;
  const unsigned threads = 256;
  const unsigned blocks = (unsigned) std::clamp<uint64_t> ((sort.n + threads - 1) / threads, 1, 1u << 20);
  const bool flips = sort.kind != LEAT_CUB_KEYS_UNSIGNED || sort.descending;
  size_t bytes = sort.temp_bytes;
  cudaError_t error = call<Key> (sort, nullptr, wanted);

  if (error == cudaSuccess && wanted > bytes)
    return LEAT_CUB_NO_ROOM;
  if (error == cudaSuccess && (sort.staged != nullptr || sort.from != nullptr || sort.count != nullptr))
    {
      stage<Key><<<blocks, threads, 0, stream>>> (sort);
      error = cudaGetLastError ();
    }
  if (error == cudaSuccess)
    error = call<Key> (sort, sort.temp, bytes);
  if (error == cudaSuccess && flips)
    {
      restore<Key><<<blocks, threads, 0, stream>>> (sort);
      error = cudaGetLastError ();
    }
  return error;
}

} // namespace leat
