/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* cub::BlockLoad, cub::BlockStore and cub::BlockRadixSort on the CPU, behind leat-cub-block.h.  Loads and stores need nobody;
 * the first thread sorts what all have, byte by byte. */

namespace cub {

enum BlockLoadAlgorithm
{
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm
{
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

template <class T, int Items, class I>
LEAT_INLINE void
LoadDirectBlocked (int rank, I from, T (&items)[Items], int valid = 0x7fffffff)
{
  for (int i = 0; i < Items; i++)
    if (rank * Items + i < valid)
      items[i] = from[rank * Items + i];
}
template <int Threads, class T, int Items, class I>
LEAT_INLINE void
LoadDirectStriped (int rank, I from, T (&items)[Items], int valid = 0x7fffffff)
{
  for (int i = 0; i < Items; i++)
    if (i * Threads + rank < valid)
      items[i] = from[i * Threads + rank];
}
template <class T, int Items, class O>
LEAT_INLINE void
StoreDirectBlocked (int rank, O to, T (&items)[Items], int valid = 0x7fffffff)
{
  for (int i = 0; i < Items; i++)
    if (rank * Items + i < valid)
      to[rank * Items + i] = items[i];
}
template <int Threads, class T, int Items, class O>
LEAT_INLINE void
StoreDirectStriped (int rank, O to, T (&items)[Items], int valid = 0x7fffffff)
{
  for (int i = 0; i < Items; i++)
    if (i * Threads + rank < valid)
      to[i * Threads + rank] = items[i];
}

struct leat_no_storage
{
  unsigned char leat_none;
};

template <class T, int X, int Items, BlockLoadAlgorithm Algorithm = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int = 0>
struct BlockLoad
{
  typedef leat_no_storage TempStorage;
  int leat_rank;

  LEAT_MEMBER BlockLoad () : BlockLoad (LEAT_THREAD) {}
  LEAT_MEMBER BlockLoad (TempStorage &) : BlockLoad (LEAT_THREAD) {}
  LEAT_MEMBER explicit BlockLoad (leat_module *thread) : leat_rank ((int) leat_rank_in (thread->threadIdx, thread->blockDim)) {}
  template <class I> LEAT_MEMBER void Load (I from, T (&items)[Items], int valid = 0x7fffffff)
  {
    if constexpr (Algorithm == BLOCK_LOAD_STRIPED)
      LoadDirectStriped<X * Y * Z> (leat_rank, from, items, valid);
    else
      LoadDirectBlocked (leat_rank, from, items, valid);
  }
  template <class I, class D> LEAT_MEMBER void Load (I from, T (&items)[Items], int valid, D other)
  {
    for (T &item : items)
      item = other;
    Load (from, items, valid);
  }
};

template <class T, int X, int Items, BlockStoreAlgorithm Algorithm = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int = 0>
struct BlockStore
{
  typedef leat_no_storage TempStorage;
  int leat_rank;

  LEAT_MEMBER BlockStore () : BlockStore (LEAT_THREAD) {}
  LEAT_MEMBER BlockStore (TempStorage &) : BlockStore (LEAT_THREAD) {}
  LEAT_MEMBER explicit BlockStore (leat_module *thread) : leat_rank ((int) leat_rank_in (thread->threadIdx, thread->blockDim)) {}
  template <class O> LEAT_MEMBER void Store (O to, T (&items)[Items], int valid = 0x7fffffff)
  {
    if constexpr (Algorithm == BLOCK_STORE_STRIPED)
      StoreDirectStriped<X * Y * Z> (leat_rank, to, items, valid);
    else
      StoreDirectBlocked (leat_rank, to, items, valid);
  }
};

/* Bits in the order of the keys. */
template <class K>
LEAT_INLINE uint64_t
leat_get_order (K key)
{
  const uint64_t top = (uint64_t) 1 << (8 * sizeof (K) - 1);
  uint64_t bits = 0;

  if constexpr (leat_is_real<K>::value)
    {
      key = key == 0 ? (K) 0 : key;
      __builtin_memcpy (&bits, &key, sizeof key);
      return (bits & top ? ~bits : bits | top) & (top | (top - 1));
    }
  __builtin_memcpy (&bits, &key, sizeof key);
  return (K) -1 < (K) 0 ? bits ^ top : bits;
}

/* Sorts @n keys, and what belongs to them, by the bits from @begin to @end; what is equal stays in its order. */
template <class K, class V>
void
leat_sort_items (K *keys, V *values, unsigned int n, int begin, int end, bool descending)
{
  char *room = (char *) __builtin_malloc (n * (sizeof (K) + sizeof (V)));
  K *other_keys = (K *) room, *from = keys, *to = other_keys;
  V *other_values = (V *) (room + n * sizeof (K)), *from_values = values, *to_values = other_values;

  for (int bit = begin; bit < end; bit += 8)
    {
      unsigned int starts[257] = {}, digit, mask = end - bit < 8 ? (1u << (end - bit)) - 1 : 255;

      for (unsigned int i = 0; i < n; i++)
        {
          digit = (unsigned int) (leat_get_order (from[i]) >> bit) & mask;
          starts[(descending ? mask - digit : digit) + 1]++;
        }
      for (unsigned int i = 1; i < 257; i++)
        starts[i] += starts[i - 1];
      for (unsigned int i = 0; i < n; i++)
        {
          unsigned int place;

          digit = (unsigned int) (leat_get_order (from[i]) >> bit) & mask;
          place = starts[descending ? mask - digit : digit]++;
          __builtin_memcpy ((void *) (to + place), (const void *) (from + i), sizeof (K));
          __builtin_memcpy ((void *) (to_values + place), (const void *) (from_values + i), sizeof (V));
        }
      from = to, from_values = to_values;
      to = from == keys ? other_keys : keys, to_values = from_values == values ? other_values : values;
    }
  if (from != keys)
    {
      __builtin_memcpy ((void *) keys, (const void *) from, n * sizeof (K));
      __builtin_memcpy ((void *) values, (const void *) from_values, n * sizeof (V));
    }
  __builtin_free (room);
}

template <class K, int X, int Items, class V = NullType, int Bits = 4, bool = true, BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS,
          int Config = 0, int Y = 1, int Z = 1, int = 0>
struct BlockRadixSort
{
  static constexpr int leat_threads = X * Y * Z, leat_all = X * Y * Z * Items, leat_bits = 8 * sizeof (K);
  struct TempStorage
  {
    alignas (V) alignas (K) unsigned char leat_keys[leat_all * sizeof (K)];
    alignas (V) unsigned char leat_values[leat_all * sizeof (V)];
  };
  leat_module *leat_thread;
  TempStorage &leat_temp;
  int leat_rank;

  LEAT_MEMBER BlockRadixSort (TempStorage &temp)
      : leat_thread (LEAT_THREAD), leat_temp (temp), leat_rank ((int) leat_rank_in (leat_thread->threadIdx, leat_thread->blockDim))
  {
  }
  LEAT_MEMBER void leat_sort (K (&keys)[Items], V (&values)[Items], int begin, int end, bool descending, bool striped)
  {
    K *all = (K *) leat_temp.leat_keys;
    V *all_values = (V *) leat_temp.leat_values;

    StoreDirectBlocked (leat_rank, all, keys);
    StoreDirectBlocked (leat_rank, all_values, values);
    leat_thread->__syncthreads ();
    if (leat_rank == 0)
      leat_sort_items (all, all_values, leat_all, begin, end, descending);
    leat_thread->__syncthreads ();
    for (int i = 0; i < Items; i++)
      {
        int place = striped ? i * leat_threads + leat_rank : leat_rank * Items + i;

        keys[i] = all[place];
        values[i] = all_values[place];
      }
  }
#define LEAT_SORT(name, descending, striped)                                                                           \
  LEAT_MEMBER void name (K (&keys)[Items], int begin = 0, int end = leat_bits)                                         \
  {                                                                                                                    \
    V none[Items];                                                                                                     \
    leat_sort (keys, none, begin, end, descending, striped);                                                           \
  }                                                                                                                    \
  LEAT_MEMBER void name (K (&keys)[Items], V (&values)[Items], int begin = 0, int end = leat_bits)                     \
  {                                                                                                                    \
    leat_sort (keys, values, begin, end, descending, striped);                                                         \
  }
  LEAT_SORT (Sort, false, false)
  LEAT_SORT (SortDescending, true, false)
  LEAT_SORT (SortBlockedToStriped, false, true)
  LEAT_SORT (SortDescendingBlockedToStriped, true, true)
#undef LEAT_SORT
};

} // namespace cub
