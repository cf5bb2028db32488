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
template <typename Key> constexpr Key all = (Key) ~(Key) 0;
/* How many NaNs there are of each sign. */
template <typename Key> constexpr Key nans = ((Key) 1 << (sizeof (Key) == 4 ? 23 : 52)) - 1;

/* In the order of floats those with a sign are the other way round, and before the others; but their NaNs go round to the
 * end. */
template <typename Key>
__device__ bool
is_nan (Key ordered)
{
  return ordered > all<Key> - 2 * nans<Key>;
}

/* @alike: every NaN is the greatest key. */
template <typename Key>
__device__ Key
flip (Key key, LeatCubKeys kind, bool descending, bool alike)
{
  if (kind == LEAT_CUB_KEYS_REAL)
    {
      key = (key & top<Key> ? ~key : key ^ top<Key>) - nans<Key>;
      key = alike && is_nan (key) ? all<Key> : key;
    }
  else if (kind == LEAT_CUB_KEYS_SIGNED)
    key ^= top<Key>;
  return descending ? ~key : key;
}

/* @original: what a NaN that was made like all others is. */
template <typename Key>
__device__ Key
unflip (Key key, LeatCubKeys kind, bool descending, const Key *original)
{
  key = descending ? ~key : key;
  if (kind == LEAT_CUB_KEYS_UNSIGNED)
    return key;
  if (kind == LEAT_CUB_KEYS_SIGNED)
    return key ^ top<Key>;
  if (original != nullptr && is_nan (key))
    return *original;
  key += nans<Key>;
  return key & top<Key> ? key ^ top<Key> : ~key;
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
          i < live ? flip (((const Key *) sort.keys)[i], sort.kind, sort.descending, sort.from != nullptr) : all<Key>;
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
    sorted[i] = unflip (sorted[i], sort.kind, sort.descending,
                        sort.from != nullptr ? (const Key *) sort.keys + sort.from[i] : nullptr);
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
