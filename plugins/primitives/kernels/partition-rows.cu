/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What the node `partition` chooses and where it goes, before select-core.cu.  What stands before this text, by
 * leat-primitives-partition.c:
 *
 *   Item, Flag            types of what is looked at
 *   keeps (x, flags, i)   whether row i goes to the front
 *   Word, ROW             a row is ROW of these, the widest that divide it */

#define OTHERS 1

struct Source
{
  const Item *x;
  const Flag *flags;
  Word *out;
  uint64_t front; /* how many rows go there */
};

static __device__ __forceinline__ bool
chosen (const Source &s, uint64_t i)
{
  return keeps (s.x, s.flags, i);
}

/* By a block: the words of @n rows, by their numbers in the tile that begins at @in, one behind the other.  A thread has
 * several loads under way before it stores the first. */
static __device__ __forceinline__ void
move_rows (Word *out, const Word *in, const uint16_t *order, uint32_t n)
{
  const uint32_t moves = sizeof (Word) < 16 ? 8 : 4;
  uint64_t all = (uint64_t) n * ROW;

  for (uint64_t from = threadIdx.x; from < all; from += moves * THREADS)
    {
      Word some[moves];

#pragma unroll
      for (uint32_t k = 0; k < moves; k++)
        {
          uint64_t i = from + k * THREADS < all ? from + k * THREADS : all - 1;

          some[k] = in[order[i / ROW] * (uint64_t) ROW + i % ROW];
        }
#pragma unroll
      for (uint32_t k = 0; k < moves; k++)
        if (from + k * THREADS < all)
          out[from + k * THREADS] = some[k];
    }
}

static __device__ __forceinline__ void
give_rows (const Source &s, uint64_t first, uint32_t n, const uint16_t *order, uint32_t sum, uint64_t before)
{
  const Word *in = (const Word *) s.x + first * ROW;

  move_rows (s.out + before * ROW, in, order, sum);
  move_rows (s.out + (s.front + first - before) * ROW, in, order + sum, n - sum);
}

#ifdef LEAT_HOST
static __device__ inline void
host_give_row (const Source &s, uint64_t i, bool yes, uint64_t before)
{
  uint64_t to = yes ? before : s.front + i - before;

  for (uint64_t word = 0; word < ROW; word++)
    s.out[to * ROW + word] = ((const Word *) s.x)[i * ROW + word];
}
#endif
