/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Where compact's rows go on a CPU, from bits that say which are kept; behind compact-store.cu. */

#ifdef LEAT_HOST
#define COMPACT_LINE 64                 /* bytes */
#define COMPACT_STAGE_BYTES 4096        /* that are stored at once where they go around the cache */
#define COMPACT_STREAM_BYTES (16 << 20) /* of all rows; what is less stays in the cache for who reads it next */

template <class W>
static __device__ inline uint64_t
compact_store_singly (W *out, const W *in, uint64_t bits)
{
  uint64_t at = 0;

  for (uint32_t i = 0; i < 64; i++)
    {
      out[at] = in[i];
      at += bits >> i & 1;
    }
  return at;
}

/* compact_store_64 () stores those of 64 items together that are kept, and behind them something up to where the 64th
 * would be. */
#if defined __AVX512F__ && defined __AVX512VBMI2__
#define COMPACT_PACKS(W) (sizeof (W) <= 8)
typedef char CompactBytes __attribute__ ((vector_size (64)));
typedef short CompactHalves __attribute__ ((vector_size (64)));
typedef int CompactWords __attribute__ ((vector_size (64)));
typedef long long CompactLongs __attribute__ ((vector_size (64)));

template <class W>
static __device__ inline CompactWords
compact_pack_line (CompactWords line, uint64_t kept)
{
  if (sizeof (W) == 8)
    return (CompactWords) __builtin_ia32_compressdi512_mask ((CompactLongs) line, CompactLongs (), (uint8_t) kept);
  if (sizeof (W) == 4)
    return __builtin_ia32_compresssi512_mask (line, CompactWords (), (uint16_t) kept);
  if (sizeof (W) == 2)
    return (CompactWords) __builtin_ia32_compresshi512_mask ((CompactHalves) line, CompactHalves (), (uint32_t) kept);
  return (CompactWords) __builtin_ia32_compressqi512_mask ((CompactBytes) line, CompactBytes (), kept);
}

template <class W>
static __device__ inline uint64_t
compact_store_64 (W *out, const W *in, uint64_t bits)
{
  const uint32_t each = COMPACT_LINE / sizeof (W);
  uint64_t at = 0;

  for (uint32_t i = 0; i < 64; i += each)
    {
      uint64_t some = bits >> i & (~(uint64_t) 0 >> (64 - each) % 64);
      CompactWords line;

      __builtin_memcpy (&line, in + i, COMPACT_LINE);
      line = compact_pack_line<W> (line, some);
      __builtin_memcpy (out + at, &line, COMPACT_LINE);
      at += (uint64_t) __builtin_popcountll (some);
    }
  return at;
}
#elif defined __AVX2__
#define COMPACT_PACKS(W) (sizeof (W) == 4 || sizeof (W) == 8)
/* For eight bits, the numbers of those that are set, a byte each, the lowest first. */
struct CompactOrders
{
  uint64_t at[256];

  constexpr CompactOrders () : at ()
  {
    for (uint32_t bits = 0; bits < 256; bits++)
      for (uint32_t i = 0, n = 0; i < 8; i++)
        if (bits >> i & 1)
          at[bits] |= (uint64_t) i << 8 * n++;
  }
};
typedef uint8_t CompactBytes __attribute__ ((vector_size (8)));
typedef int CompactWords __attribute__ ((vector_size (32)));

/* Eight words, of which the first few of @order, and then any. */
static __device__ inline void
compact_store_eight (void *out, const void *in, uint64_t order)
{
  CompactBytes bytes;
  CompactWords words;

  __builtin_memcpy (&bytes, &order, 8);
  __builtin_memcpy (&words, in, 32);
  words = __builtin_ia32_permvarsi256 (words, __builtin_convertvector (bytes, CompactWords));
  __builtin_memcpy (out, &words, 32);
}

template <class W>
static __device__ inline uint64_t
compact_store_64 (W *out, const W *in, uint64_t bits)
{
  static const CompactOrders orders;
  const uint32_t each = sizeof (W) < 4 ? 8 : 32 / sizeof (W);
  uint64_t at = 0;

  if (sizeof (W) < 4) /* nothing here puts so small ones together */
    return compact_store_singly (out, in, bits);

  for (uint32_t i = 0; i < 64; i += each, bits >>= each)
    {
      uint32_t some = (uint32_t) bits & ((1u << each) - 1), pairs = some;

      if (sizeof (W) == 8) /* each bit twice, as each item is two words */
        pairs = 3 * ((some & 1) | (some & 2) << 1 | (some & 4) << 2 | (some & 8) << 3);
      compact_store_eight (out + at, in + i, orders.at[pairs]);
      at += (uint64_t) __builtin_popcount (some);
    }
  return at;
}
#else
#define COMPACT_PACKS(W) false
template <class W>
static __device__ inline uint64_t
compact_store_64 (W *out, const W *in, uint64_t bits)
{
  return compact_store_singly (out, in, bits);
}
#endif

/* Words that are neither read before nor kept in the cache. */
typedef long long CompactStreamed __attribute__ ((vector_size (16)));

static __device__ inline void
compact_stream_lines (void *out, const void *lines, uint64_t n)
{
  CompactStreamed *to = (CompactStreamed *) out;
  const CompactStreamed *from = (const CompactStreamed *) lines;

  for (uint64_t i = 0; i < n * (COMPACT_LINE / sizeof *to); i++)
#if defined __clang__
    __builtin_nontemporal_store (from[i], to + i);
#elif defined __SSE2__
    __builtin_ia32_movntdq (to + i, from[i]);
#else
    to[i] = from[i];
#endif
}

/* In whole lines of memory but for the first and the last, which may belong to others too. */
template <class W>
static __device__ inline void
compact_stream_on_host (W *out, const W *in, const uint64_t *kept, uint64_t n)
{
  const uint64_t each = COMPACT_LINE / sizeof (W), most = COMPACT_STAGE_BYTES / sizeof (W);
  W stage[most + 64 + each] __attribute__ ((aligned (COMPACT_LINE)));
  uint64_t first = (uint64_t) out % COMPACT_LINE / sizeof (W), at = first;

  out -= first;
  for (uint64_t i = 0; i < n / 64; i++, in += 64)
    {
      at += compact_store_64 (stage + at, in, kept[i]);
      if (at < most)
        continue;
      if (first > 0)
        __builtin_memcpy (out + first, stage + first, (each - first) * sizeof (W));
      else
        compact_stream_lines (out, stage, 1);
      compact_stream_lines (out + each, stage + each, at / each - 1);
      out += at / each * each;
      __builtin_memcpy (stage, stage + at / each * each, COMPACT_LINE);
      at %= each;
      first = 0;
    }
  for (uint64_t bits = n % 64 > 0 ? kept[n / 64] : 0; bits != 0; bits &= bits - 1)
    stage[at++] = in[__builtin_ctzll (bits)];
  __builtin_memcpy (out + first, stage + first, (at - first) * sizeof (W));
#ifdef __SSE2__
  __builtin_ia32_sfence (); /* who is told that the rows are there finds them */
#endif
}

/* Rows of @words W each.  @room: for how many there is room; those behind are another's or nobody's, so that storing
 * without looking is for where 64 rows fit.  @all: how many rows there are before the choice, where all that are kept of
 * these are stored; else 0 */
template <class W, uint64_t words>
static __device__ inline void
compact_store_on_host (W *out, const W *in, const uint64_t *kept, uint64_t n, uint64_t room, uint64_t all)
{
  uint64_t at = 0;

  if constexpr (words == 1 && sizeof (W) <= 8)
    if (COMPACT_PACKS (W) && all * sizeof (W) >= COMPACT_STREAM_BYTES && room > n / 8)
      return compact_stream_on_host (out, in, kept, n);
  for (uint64_t i = 0; i * 64 < n && at < room; i++, in += 64 * words)
    {
      uint64_t bits = kept[i];

      if (bits == ~(uint64_t) 0 && at + 64 <= room)
        {
          __builtin_memmove (out + at * words, in, 64 * words * sizeof (W));
          at += 64;
          continue;
        }
      if constexpr (words == 1 && sizeof (W) <= 8)
        if (at + 64 <= room && __builtin_popcountll (bits) > (COMPACT_PACKS (W) ? 4 : 12))
          {
            at += compact_store_64 (out + at, in, bits);
            continue;
          }
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
