/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* By which limits the way of a level is chosen, as they were measured on this device in runs before.  Behind bfs-level.cu
 * and
 *
 *   TUNES_ALONE, TUNES_PULL   whether those of an axis are measured
 *   TUNES                     whether any are
 *
 * There are two axes: up to how large a frontier block 0 goes on alone, and from where to where levels are pulled.  On each
 * a few limits are tried, twice, while the other axis has its best; later, now and then, one is tried again, which takes
 * the place of the best only where it is better by a sixteenth.
 *
 * What is found is kept by the conditions under which it was found: about how many sources, vertices, and edges for each
 * vertex there are, which and how many blocks, and what the limits are that are set.  An entry is taken under those alone.
 * There is room for a few; that which was not used for longest goes.  Times within one are of searches that reached about as many vertices: one that comes to less
 * is not counted, and one that comes to more begins the entry anew, as do many in a row that come to less.
 *
 * What is kept is the number of limits among those below, and one that is none of them is forgotten.  Each level is still
 * looked at by itself, by bfs_choose (): what was found in other runs moves a limit, and decides nothing. */

#define TUNE_MAGIC 0x6c65617462667302ul /* and a version */
#define TUNE_LIMITS 6
#define TUNE_TRIALS 2 /* of each limit */
#define TUNE_STAGE (TUNE_TRIALS * TUNE_LIMITS)
#define TUNE_COUNT (TUNES_ALONE + TUNES_PULL > 1 ? 2 : 1) /* axes that are measured */
#define TUNE_AGAIN 64 /* runs, after which another limit is tried again */
#define TUNE_ENTRIES 8
#define TUNE_HEAD 2  /* words before the entries: the magic number, and how many runs there were */
#define TUNE_WORDS 19 /* of an entry */
#define TUNE_MISSES 16 /* in a row that begin an entry anew */
#define TUNE_HOLDS 16 /* part of a time by which another limit must be better */

enum
{
  TUNE_ALONE,
  TUNE_PULL,
  TUNE_AXES,
  TUNE_NONE = TUNE_AXES /* nothing is tried */
};

/* Words of an entry. */
enum
{
  TUNE_KEY,    /* the conditions; 0: empty */
  TUNE_USED,   /* the last run */
  TUNE_RUNS,   /* how many were counted */
  TUNE_WORK,   /* of how many vertices they reached: the number of bits */
  TUNE_MISSED, /* how many were not, since the last one */
  TUNE_CHOICE, /* the best limit's number, of each axis */
  TUNE_NS = TUNE_CHOICE + TUNE_AXES, /* of a level in 1/256 ns, for each limit of each axis; 0: not tried */
};

/* The entry of a run, and the limits that it takes. */
struct Tune
{
  uint64_t key;
  uint32_t entry, numbers[TUNE_AXES];
  uint32_t axis; /* on which a limit is tried */
  bool fresh;
};

static __device__ __forceinline__ uint64_t
tune_get_pieces (uint32_t number)
{
  return number == 0 ? 512 : number == 1 ? 256 : number == 2 ? 128 : number == 3 ? 64 : number == 4 ? 1024 : 32;
}

/* The last: never. */
static __device__ __forceinline__ uint64_t
tune_get_pull_from (uint32_t number)
{
  return number == 0 || number == 3 || number == 4 ? 14 : number == 1 ? 4 : number == 2 ? 56 : 0;
}

static __device__ __forceinline__ uint64_t
tune_get_pull_until (uint32_t number)
{
  return number == 3 ? 6 : number == 4 ? 96 : 24;
}

static __device__ __forceinline__ uint64_t
tune_count_bits (uint64_t x)
{
  return 64 - (uint64_t) __clzll ((long long) x);
}

/* Edges are counted, not the memory that there is for them: a bounded graph may have others in each run. */
static __device__ __forceinline__ uint64_t
tune_get_density (const Graph &graph)
{
  return tune_count_bits (16 * bfs_count_edges (graph) / graph.vertices);
}

/* Of the limits that are set, in the upper half of a word. */
static __device__ __forceinline__ uint64_t
tune_mix_limits (const Limits &limits)
{
  uint64_t set = 0;

  if (!TUNES_ALONE)
    set = limits.alone;
  if (PULLS && !TUNES_PULL)
    set |= limits.pull_from << 11 | limits.pull_until << 32;
  return set * 0x9e3779b97f4a7c15ul >> 32 << 32;
}

static __device__ __forceinline__ uint64_t
tune_get_key (const Graph &graph, uint64_t sources, const Limits &limits)
{
  uint64_t blocks = (uint64_t) blockDim.x << 32 | (uint64_t) gridDim.x << 44;

  return 1 | PULLS << 1 | tune_count_bits (sources) << 8 | tune_count_bits (graph.vertices) << 16
         | tune_get_density (graph) << 24 | (blocks ^ tune_mix_limits (limits));
}

static __device__ __forceinline__ bool
tune_is_sound (const uint64_t *entry, uint64_t vertices)
{
  return entry[TUNE_CHOICE + TUNE_ALONE] < TUNE_LIMITS && entry[TUNE_CHOICE + TUNE_PULL] < TUNE_LIMITS
         && entry[TUNE_WORK] <= tune_count_bits (vertices);
}

/* Its own entry, or that which was not used for longest.  All are asked for before the first is looked at. */
static __device__ __forceinline__ void
tune_find_entry (const uint64_t *words, uint64_t vertices, Tune *tune)
{
  uint64_t keys[TUNE_ENTRIES], used[TUNE_ENTRIES], least = ~(uint64_t) 0;
  bool found = false;

#pragma unroll
  for (uint32_t i = 0; i < TUNE_ENTRIES; i++)
    {
      keys[i] = words[TUNE_HEAD + TUNE_WORDS * i + TUNE_KEY];
      used[i] = words[TUNE_HEAD + TUNE_WORDS * i + TUNE_USED];
    }
#pragma unroll
  for (uint32_t i = 0; i < TUNE_ENTRIES; i++)
    {
      uint64_t last = keys[i] != 0 ? used[i] : 0;
      bool same = keys[i] == tune->key;

      if (found || (!same && last >= least))
        continue;
      found = same;
      least = last;
      tune->entry = i;
    }
  tune->fresh = !found || !tune_is_sound (words + TUNE_HEAD + TUNE_WORDS * tune->entry, vertices);
}

/* The axis on which the next limit is tried, and which one. */
static __device__ __forceinline__ void
tune_try (uint64_t runs, Tune *tune)
{
  uint32_t axes = TUNE_COUNT, turn;

  tune->axis = TUNE_NONE;
  if (runs >= axes * TUNE_STAGE && (runs % TUNE_AGAIN != 0))
    return;
  turn = (uint32_t) (runs >= axes * TUNE_STAGE ? runs / TUNE_AGAIN % axes : runs / TUNE_STAGE);
  tune->axis = TUNES_ALONE && turn == 0 ? TUNE_ALONE : TUNE_PULL;
  tune->numbers[tune->axis] =
    (uint32_t) (runs >= axes * TUNE_STAGE ? runs / TUNE_AGAIN / axes % TUNE_LIMITS : runs % TUNE_LIMITS);
}

/* By a thread of each block, which all find the same: nothing is written before all have met. */
static __device__ Tune
tune_begin (const uint64_t *words, uint64_t key, uint64_t vertices)
{
  Tune tune = { key, 0, { 0, 0 }, TUNE_NONE, true };
  const uint64_t *entry;

  if (words[0] == TUNE_MAGIC)
    tune_find_entry (words, vertices, &tune);
  entry = words + TUNE_HEAD + TUNE_WORDS * tune.entry;
  for (int axis = 0; axis < TUNE_AXES && !tune.fresh; axis++)
    tune.numbers[axis] = (uint32_t) entry[TUNE_CHOICE + axis];
  tune_try (tune.fresh ? 0 : entry[TUNE_RUNS], &tune);
  return tune;
}

/* What is not measured is as it was set. */
static __device__ __forceinline__ Limits
tune_get_limits (const Tune &tune, Limits limits)
{
  if (TUNES_ALONE)
    limits.alone = tune_get_pieces (tune.numbers[TUNE_ALONE]);
  if (TUNES_PULL)
    {
      limits.pull_from = tune_get_pull_from (tune.numbers[TUNE_PULL]);
      limits.pull_until = tune_get_pull_until (tune.numbers[TUNE_PULL]);
    }
  return limits;
}

/* Which limit of an axis is taken from now on, by the times of all. */
static __device__ __forceinline__ uint64_t
tune_choose (const uint64_t *ns, uint64_t best)
{
  for (uint32_t i = 0; i < TUNE_LIMITS; i++)
    if (ns[i] != 0 && (ns[best] == 0 || ns[i] < ns[best] - ns[best] / TUNE_HOLDS))
      best = i;
  return best;
}

/* A limit that is tried again is measured anew, as is the best one all the time, since others may be at work on the device
 * now. */
static __device__ __forceinline__ void
tune_note (uint64_t *entry, const Tune &tune, uint64_t each)
{
  uint64_t stage = TUNE_STAGE * TUNE_COUNT;

  for (uint32_t axis = 0; axis < TUNE_AXES; axis++)
    {
      uint64_t *ns = entry + TUNE_NS + TUNE_LIMITS * axis, *time = ns + tune.numbers[axis];

      if (tune.axis != axis && tune.axis != TUNE_NONE)
        continue;
      if (*time == 0 || entry[TUNE_RUNS] >= stage)
        *time = *time == 0 ? each : (3 * *time + each) / 4;
      else
        *time = each < *time ? each : *time;
      if (entry[TUNE_RUNS] >= stage || entry[TUNE_RUNS] % TUNE_STAGE == TUNE_STAGE - 1)
        entry[TUNE_CHOICE + axis] = tune_choose (ns, entry[TUNE_CHOICE + axis]);
    }
  entry[TUNE_RUNS]++;
}

/* By one thread, when all blocks have met. */
static __device__ void
tune_end (uint64_t *words, const Tune &tune, uint64_t ns, uint64_t levels, uint64_t reached)
{
  uint64_t *entry = words + TUNE_HEAD + TUNE_WORDS * tune.entry, work = tune_count_bits (reached);

  if (words[0] != TUNE_MAGIC)
    for (uint32_t i = 0; i < TUNE_HEAD + TUNE_WORDS * TUNE_ENTRIES; i++)
      words[i] = 0;
  if (tune.fresh || work > entry[TUNE_WORK] || (work < entry[TUNE_WORK] && entry[TUNE_MISSED] + 1 >= TUNE_MISSES))
    for (uint32_t i = 0; i < TUNE_WORDS; i++)
      entry[i] = 0;
  words[0] = TUNE_MAGIC;
  words[1]++;
  entry[TUNE_USED] = words[1];
  if (entry[TUNE_KEY] != 0 && work < entry[TUNE_WORK])
    {
      entry[TUNE_MISSED]++;
      return;
    }
  entry[TUNE_MISSED] = 0;
  entry[TUNE_KEY] = tune.key;
  entry[TUNE_WORK] = work;
  tune_note (entry, tune, ns * 256 / (levels > 0 ? levels : 1) + 1);
}
