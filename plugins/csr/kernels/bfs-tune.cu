/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Up to how large a frontier block 0 goes on alone, as it was measured on this device in runs before.  Behind
 * bfs-level.cu and
 *
 *   TUNES   whether that is measured at all
 *
 * Searches from many vertices look otherwise than those from one, so there is an entry for each power of two of sources,
 * of the few that were there lately.  In it each limit has the least time for a level that a search with it has taken.
 * Each is tried twice, then the best is taken; later, now and then, another one is tried again, which takes the place of
 * the best only where it is better by a sixteenth.
 *
 * What is kept is the number of a limit among those below, and one that is none of them is forgotten.  Each level is still
 * looked at by itself, by bfs_is_small (): what was found in other runs moves the limit, and decides nothing. */

#define TUNE_MAGIC 0x6c65617462667301ul /* and a version */
#define TUNE_LIMITS 6
#define TUNE_TRIALS 2 /* of each limit */
#define TUNE_AGAIN 64 /* runs, after which another limit is tried again */
#define TUNE_ENTRIES 4
#define TUNE_HEAD 2  /* words before the entries: the magic number, and how many runs there were */
#define TUNE_WORDS 16 /* of an entry */

/* Words of an entry. */
enum
{
  TUNE_KEY,    /* 1 and the power of two; 0: empty */
  TUNE_USED,   /* the last run */
  TUNE_RUNS,   /* how many */
  TUNE_CHOICE, /* the best limit's number */
  TUNE_NS      /* of a level in 1/256 ns, for each limit; 0: not tried */
};

/* The entry of a run, and the limit that it takes. */
struct Tune
{
  uint32_t entry, limit;
  bool fresh;
};

static __device__ __forceinline__ uint64_t
tune_get_pieces (uint32_t limit)
{
  return limit == 0 ? 512 : limit == 1 ? 256 : limit == 2 ? 128 : limit == 3 ? 64 : limit == 4 ? 1024 : 32;
}

static __device__ __forceinline__ uint64_t
tune_get_key (uint64_t sources)
{
  uint64_t key = 1;

  for (; sources > 1; sources /= 2)
    key++;
  return key;
}

/* Its own entry, or that which was not used for longest. */
static __device__ __forceinline__ Tune
tune_find_entry (const uint64_t *words, uint64_t key)
{
  Tune tune = { 0, 0, true };
  uint64_t least = ~(uint64_t) 0;

  for (uint32_t i = 0; i < TUNE_ENTRIES; i++)
    {
      const uint64_t *entry = words + TUNE_HEAD + TUNE_WORDS * i;
      uint64_t used = entry[TUNE_KEY] != 0 ? entry[TUNE_USED] : 0;

      if (entry[TUNE_KEY] == key && entry[TUNE_CHOICE] < TUNE_LIMITS)
        return { i, 0, false };
      if (used < least)
        {
          least = used;
          tune.entry = i;
        }
    }
  return tune;
}

/* All threads find the same; nothing is written before all blocks have met. */
static __device__ Tune
tune_begin (const uint64_t *words, uint64_t sources)
{
  Tune tune = { 0, 0, true };
  const uint64_t *entry;
  uint64_t runs;

  if (words[0] != TUNE_MAGIC)
    return tune;
  tune = tune_find_entry (words, tune_get_key (sources));
  entry = words + TUNE_HEAD + TUNE_WORDS * tune.entry;
  if (tune.fresh)
    return tune;
  runs = entry[TUNE_RUNS];
  tune.limit = (uint32_t) entry[TUNE_CHOICE];
  if (runs < TUNE_TRIALS * TUNE_LIMITS)
    tune.limit = (uint32_t) (runs % TUNE_LIMITS);
  else if (runs % TUNE_AGAIN == 0)
    tune.limit = (uint32_t) (runs / TUNE_AGAIN % TUNE_LIMITS);
  return tune;
}

/* Which limit is taken from now on, by the times of all. */
static __device__ __forceinline__ uint64_t
tune_choose (const uint64_t *entry)
{
  uint64_t best = entry[TUNE_CHOICE];

  for (uint32_t i = 0; i < TUNE_LIMITS; i++)
    if (entry[TUNE_NS + i] != 0
        && (entry[TUNE_NS + best] == 0 || entry[TUNE_NS + i] < entry[TUNE_NS + best] - entry[TUNE_NS + best] / 16))
      best = i;
  return best;
}

/* By one thread.  A limit that is tried again is measured anew, as is the best one all the time, since others may be at
 * work on the device now. */
static __device__ void
tune_end (uint64_t *words, const Tune &tune, uint64_t sources, uint64_t ns, uint64_t levels)
{
  uint64_t *entry = words + TUNE_HEAD + TUNE_WORDS * tune.entry, *time = entry + TUNE_NS + tune.limit;
  uint64_t each = ns * 256 / (levels > 0 ? levels : 1) + 1;

  if (words[0] != TUNE_MAGIC)
    for (uint32_t i = 0; i < TUNE_HEAD + TUNE_WORDS * TUNE_ENTRIES; i++)
      words[i] = 0;
  if (tune.fresh)
    for (uint32_t i = 0; i < TUNE_WORDS; i++)
      entry[i] = 0;
  words[0] = TUNE_MAGIC;
  words[1]++;
  entry[TUNE_KEY] = tune_get_key (sources);
  entry[TUNE_USED] = words[1];
  if (*time == 0 || entry[TUNE_RUNS] >= TUNE_TRIALS * TUNE_LIMITS)
    *time = *time == 0 ? each : (3 * *time + each) / 4;
  else
    *time = each < *time ? each : *time;
  entry[TUNE_RUNS]++;
  if (entry[TUNE_RUNS] >= TUNE_TRIALS * TUNE_LIMITS)
    entry[TUNE_CHOICE] = tune_choose (entry);
}
