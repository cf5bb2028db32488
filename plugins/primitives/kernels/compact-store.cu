/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Where compact's rows go; in front of the text that names the columns.  compact.cu says how it works. */

#define COMPACT_TILE (COMPACT_THREADS * COMPACT_PACK * COMPACT_RUNS)

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

/* Rows of @words W each, by their numbers in the tile, which begins at @in. */
template <class W, uint64_t words>
static __device__ __forceinline__ void
compact_store_rows (W *out, const W *in, const uint16_t *stage, uint32_t n)
{
  if (words < COMPACT_THREADS)
    for (uint32_t i = threadIdx.x; i < n * (uint32_t) words; i += COMPACT_THREADS)
      out[i] = in[stage[i / (uint32_t) words] * (uint32_t) words + i % (uint32_t) words];
  else
    for (uint32_t row = 0; row < n; row++)
      for (uint64_t i = threadIdx.x; i < words; i += COMPACT_THREADS)
        out[row * words + i] = in[stage[row] * words + i];
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

#ifdef LEAT_HOST
/* Rows of @words W each.  @room: for how many there is room; those behind are another's or nobody's, so that storing
 * without looking is for where 64 rows fit. */
template <class W, uint64_t words>
static __device__ inline void
compact_store_on_host (W *out, const W *in, const uint64_t *kept, uint64_t n, uint64_t room)
{
  uint64_t at = 0;

  for (uint64_t i = 0; i * 64 < n && at < room; i++, in += 64 * words)
    {
      uint64_t bits = kept[i];

      if (bits == ~(uint64_t) 0 && at + 64 <= room)
        {
          __builtin_memmove (out + at * words, in, 64 * words * sizeof (W));
          at += 64;
        }
      else if (words == 1 && at + 64 <= room && __builtin_popcountll (bits) > 12)
        for (uint32_t j = 0; j < 64; j++)
          {
            out[at] = in[j];
            at += bits >> j & 1;
          }
      else
        for (; bits != 0 && at < room; bits &= bits - 1, at++)
          for (uint64_t w = 0; w < words; w++)
            out[at * words + w] = in[(uint64_t) __builtin_ctzll (bits) * words + w];
    }
}

template <class I>
static __device__ inline void
compact_number_on_host (I *out, uint64_t base, const uint64_t *kept, uint64_t n, uint64_t room)
{
  uint64_t at = 0;

  for (uint64_t i = 0; i * 64 < n; i++)
    for (uint64_t bits = kept[i]; bits != 0 && at < room; bits &= bits - 1)
      out[at++] = (I) (base + 64 * i + (uint64_t) __builtin_ctzll (bits));
}
#endif
