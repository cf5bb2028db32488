/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Where compact's rows go; in front of the text that names the columns.  compact.cu says how it works. */

#define COMPACT_TILE (COMPACT_THREADS * COMPACT_PACK * COMPACT_RUNS)

/* Items of 1 or 2 bytes stay in the words in which they were loaded: by itself each would take a register. */
template <class T>
static __device__ __forceinline__ T
compact_unpack (const uint32_t *words, uint32_t i)
{
  const uint32_t each = 4 / sizeof (T);

  return (T) (words[i / each] >> (i % each * 8 * (uint32_t) sizeof (T)));
}

/* Into words that have been zeros. */
template <class T>
static __device__ __forceinline__ void
compact_pack (uint32_t *words, uint32_t i, T x)
{
  const uint32_t each = 4 / sizeof (T), bits = 8 * sizeof (T);

  words[i / each] |= ((uint32_t) x & ((1u << bits) - 1)) << (i % each * bits);
}

/* How many of @n rows that are to begin at @first there is room for. */
static __device__ __forceinline__ uint32_t
compact_clip (uint64_t first, uint32_t n, uint64_t room)
{
  return first + n <= room ? n : first < room ? (uint32_t) (room - first) : 0;
}

/* Single items of 4 or 8 bytes, and such items of 16 as are rows.  Each warp fills whole lines of memory from its first
 * store to the last but one. */
template <class T>
static __device__ __forceinline__ void
compact_store_items (T *out, const T *stage, uint32_t n)
{
  uint32_t line = 128 / sizeof (T), lead = (uint32_t) ((uint64_t) out / sizeof (T) % line);

#if COMPACT_WIDE
  for (uint32_t i = 4 * threadIdx.x; i < n + lead; i += 4 * COMPACT_THREADS)
    if (i >= lead && i + 4 <= n + lead)
      *(uint4 *) (out - lead + i) = make_uint4 (stage[i - lead], stage[i - lead + 1], stage[i - lead + 2], stage[i - lead + 3]);
    else
      for (uint32_t k = i < lead ? lead : i; k < i + 4 && k < n + lead; k++)
        out[k - lead] = stage[k - lead];
#else
  for (uint32_t i = threadIdx.x; i < n + lead; i += COMPACT_THREADS)
    if (i >= lead)
      out[i - lead] = stage[i - lead];
#endif
}

/* Items of 1 or 2 bytes, four bytes at a time: `stage` lies at a multiple of four, `out` anywhere. */
static __device__ __forceinline__ void
compact_store_bytes (uint8_t *out, const uint8_t *stage, uint32_t n)
{
  uint32_t lead = (uint32_t) ((uint64_t) out % 128), skew = lead % 4;
  const uint32_t *words = (const uint32_t *) stage;
  uint8_t *line = out - lead;

  for (uint32_t at = 4 * threadIdx.x; at < n + lead; at += 4 * COMPACT_THREADS)
    if (at >= lead && at + 4 <= n + lead)
      {
        uint32_t word = (at - lead) / 4; /* with a skew, the last bytes of one and the first of the next */

        *(uint32_t *) (line + at) = skew == 0 ? words[word] : __funnelshift_r (words[word], words[word + 1], 32 - 8 * skew);
      }
    else
      for (uint32_t i = at < lead ? lead : at; i < at + 4 && i < n + lead; i++)
        line[i] = stage[i - lead];
}

/* Word @i of the rows that are kept. */
template <class W, uint64_t words>
static __device__ __forceinline__ W
compact_find_word (const W *in, const uint16_t *stage, uint64_t i)
{
  if (words < COMPACT_THREADS) /* a tile of these has less than 2^32 words */
    return in[stage[(uint32_t) i / (uint32_t) words] * (uint32_t) words + (uint32_t) i % (uint32_t) words];
  return in[stage[i / words] * words + i % words];
}

/* Rows of @words W each, by their numbers in the tile, which begins at @in.  A thread has several loads under way before
 * it stores the first; behind the end it loads the last word again, so that no branch stands between them. */
template <class W, uint64_t words>
static __device__ __forceinline__ void
compact_store_rows (W *out, const W *in, const uint16_t *stage, uint32_t n)
{
  const uint32_t moves = sizeof (W) < 16 ? 8 : 4;
  const uint64_t all = n * words;

  for (uint64_t first = threadIdx.x; first < all; first += moves * COMPACT_THREADS)
    {
      W some[moves];

#pragma unroll
      for (uint32_t k = 0; k < moves; k++)
        {
          uint64_t i = first + k * COMPACT_THREADS;

          some[k] = compact_find_word<W, words> (in, stage, i < all ? i : all - 1);
        }
#pragma unroll
      for (uint32_t k = 0; k < moves; k++)
        if (first + k * COMPACT_THREADS < all)
          out[first + k * COMPACT_THREADS] = some[k];
    }
}

template <class I>
static __device__ __forceinline__ void
compact_store_numbers (I *out, uint64_t base, const uint16_t *stage, uint32_t n)
{
  uint32_t line = 128 / sizeof (I), lead = (uint32_t) ((uint64_t) out / sizeof (I) % line);

  for (uint32_t i = threadIdx.x; i < n + lead; i += COMPACT_THREADS)
    if (i >= lead)
      out[i - lead] = (I) (base + stage[i - lead]);
}
