/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What blocks of a launch tell each other, in words of which each has a piece of it and the number of the launch: nothing
 * has to be in order, and nothing to be cleared.  Who waits has to be sure that the block it waits for has begun.
 * Numbers of launches are even, and stand there as the odd ones behind them: what nobody has told is 0. */

#define PIECES(T) ((uint32_t) (sizeof (T) + 3) / 4)

template <class T>
union Pieces
{
  uint32_t at[PIECES (T)];
  T whole;
};

/* @words: for the @index-th of those who tell something */
template <class T>
static __device__ __forceinline__ void
tell_in_words (uint64_t *words, uint64_t index, uint64_t launch, T whole)
{
  Pieces<T> pieces;

  pieces.at[PIECES (T) - 1] = 0;
  pieces.whole = whole;
#pragma unroll
  for (uint32_t i = 0; i < PIECES (T); i++)
    leat_store_relaxed (words + index * PIECES (T) + i, (launch | 1) << 32 | pieces.at[i]);
}

/* Whether it has been told. */
template <class T>
static __device__ __forceinline__ bool
see_in_words (const uint64_t *words, uint64_t index, uint64_t launch, T *whole)
{
  Pieces<T> pieces;
  bool there = true;

#pragma unroll
  for (uint32_t i = 0; i < PIECES (T); i++)
    {
      uint64_t seen = leat_load_relaxed (words + index * PIECES (T) + i);

      there &= seen >> 32 == ((uint32_t) launch | 1);
      pieces.at[i] = (uint32_t) seen;
    }
  *whole = pieces.whole;
  return there;
}

template <class T>
static __device__ __forceinline__ T
await_in_words (const uint64_t *words, uint64_t index, uint64_t launch)
{
  T whole;

  while (!see_in_words (words, index, launch, &whole))
    __nanosleep (20);
  return whole;
}
