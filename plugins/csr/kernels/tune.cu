/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* By which limits the way of a step is chosen, as they were measured on this device in runs before.  Behind frontier.cu and
 *
 *   TUNES_ALONE, TUNES_PULL   whether those of an axis are measured
 *   TUNES                     whether any are
 *
 * There are two axes: up to how large a frontier block 0 goes on alone, and from where to where steps are pulled.  On each
 * a few limits are tried, twice, while the other axis has its best; which they are, the search knows, to which they are
 * numbers.  Then the best is taken.  Later, now and then, one is tried again, which takes its place only where it is better
 * by a sixteenth.
 *
 * What is found is kept by the conditions under which it was found: what kind of search it was, about how many sources,
 * vertices, and edges for each vertex there are, which and how many blocks, and what the limits are that are set.  An entry
 * is taken under those alone.  There is room for a few; that which was not used for longest goes.  Times within one are of
 * searches that came to about as much: one that comes to less is not counted, and one that comes to more begins the entry
 * anew, as do many in a row that come to less.
 *
 * A number that is none of a limit is forgotten.  Each step is still looked at by itself: what was found in other runs moves
 * a limit, and decides nothing. */

/* Plain C is compiled for several processors at once; this is not for any of them. */
#ifdef LEAT_HOST
#define TUNE_ONCE __attribute__ ((noinline, cold))
#else
#define TUNE_ONCE
#endif

#define TUNE_MAGIC 0x6c65617462667305ul /* and a version */
#define TUNE_LIMITS 6
#define TUNE_TRIALS 2 /* of each limit */
#define TUNE_STAGE (TUNE_TRIALS * TUNE_LIMITS)
#define TUNE_COUNT (TUNES_ALONE + TUNES_PULL > 1 ? 2 : 1) /* axes that are measured */
#define TUNE_AGAIN 64 /* runs, after which another limit is tried again */
#define TUNE_ENTRIES 8
#define TUNE_HEAD 2  /* words before the entries: the magic number, and how many runs there were */
#define TUNE_WORDS 20 /* of an entry */
#define TUNE_MISSES 16 /* in a row that begin an entry anew */
#define TUNE_HOLDS 16 /* part of a time by which another limit must be better */
#define TUNE_STEP 8192 /* vertices that take about as long as a step does by itself */

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
  TUNE_WORK,   /* how much they came to: the number of bits */
  TUNE_STEPS,  /* of the last one */
  TUNE_MISSED, /* how many were not, since the last one */
  TUNE_CHOICE, /* the best limit's number, of each axis */
  TUNE_NS = TUNE_CHOICE + TUNE_AXES, /* of a step's worth in 1/256 ns, for each limit of each axis; 0: not tried */
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
tune_count_bits (uint64_t x)
{
  return 64 - (uint64_t) __clzll ((long long) x);
}

/* Edges are counted, not the memory that there is for them: a bounded graph may have others in each run. */
static __device__ __forceinline__ uint64_t
tune_get_density (const Graph &graph)
{
  return tune_count_bits (16 * graph_count_edges (graph) / graph.vertices);
}

/* @kind: of the search, up to 127; @set: limits that are set, which are the same where this is */
static __device__ __forceinline__ uint64_t
tune_get_key (const Graph &graph, uint64_t sources, uint64_t kind, uint64_t set)
{
  uint64_t blocks = (uint64_t) blockDim.x << 32 | (uint64_t) gridDim.x << 44;

  return 1 | kind << 1 | tune_count_bits (sources) << 8 | tune_count_bits (graph.vertices) << 16
         | tune_get_density (graph) << 24 | (blocks ^ set * 0x9e3779b97f4a7c15ul >> 32 << 32);
}

static __device__ __forceinline__ bool
tune_is_sound (const uint64_t *entry, uint64_t most)
{
  return entry[TUNE_CHOICE + TUNE_ALONE] < TUNE_LIMITS && entry[TUNE_CHOICE + TUNE_PULL] < TUNE_LIMITS
         && entry[TUNE_WORK] <= tune_count_bits (most);
}

/* Its own entry, or that which was not used for longest.  All are asked for before the first is looked at. */
static __device__ __forceinline__ void
tune_find_entry (const uint64_t *words, uint64_t most, Tune *tune)
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
  tune->fresh = !found || !tune_is_sound (words + TUNE_HEAD + TUNE_WORDS * tune->entry, most);
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

/* By a thread of each block, which all find the same: nothing is written before all have met.  @most: that a search can come
 * to */
static __device__ TUNE_ONCE Tune
tune_begin (const uint64_t *words, uint64_t key, uint64_t most)
{
  Tune tune = { key, 0, { 0, 0 }, TUNE_NONE, true };
  const uint64_t *entry;

  if (words[0] == TUNE_MAGIC)
    tune_find_entry (words, most, &tune);
  entry = words + TUNE_HEAD + TUNE_WORDS * tune.entry;
  for (int axis = 0; axis < TUNE_AXES && !tune.fresh; axis++)
    tune.numbers[axis] = (uint32_t) entry[TUNE_CHOICE + axis];
  tune_try (tune.fresh ? 0 : entry[TUNE_RUNS], &tune);
  return tune;
}

/* Which limit of an axis is taken from now on, by the times of all.  @holds: part of a time by which it must be better */
static __device__ __forceinline__ uint64_t
tune_choose (const uint64_t *ns, uint64_t best, uint64_t holds)
{
  for (uint32_t i = 0; i < TUNE_LIMITS; i++)
    if (ns[i] != 0 && (ns[best] == 0 || ns[i] < ns[best] - ns[best] / holds))
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
      if (entry[TUNE_RUNS] >= stage)
        entry[TUNE_CHOICE + axis] = tune_choose (ns, entry[TUNE_CHOICE + axis], TUNE_HOLDS);
      else if (entry[TUNE_RUNS] % TUNE_STAGE == TUNE_STAGE - 1)
        entry[TUNE_CHOICE + axis] = tune_choose (ns, entry[TUNE_CHOICE + axis], ~(uint64_t) 0);
    }
  entry[TUNE_RUNS]++;
}

/* By one thread, when all blocks have met.  @came_to: vertices that the @steps came to.
 *
 * Searches from here and there take different times, and limits are compared by what each took for what it had to do: where
 * there are many steps that is their number, and where a few have all the work, the vertices. */
static __device__ TUNE_ONCE void
tune_end (uint64_t *words, const Tune &tune, uint64_t ns, uint64_t steps, uint64_t came_to)
{
  uint64_t *entry = words + TUNE_HEAD + TUNE_WORDS * tune.entry, work = tune_count_bits (came_to);
  uint64_t worth = steps + came_to / TUNE_STEP;

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
  entry[TUNE_STEPS] = steps;
  tune_note (entry, tune, ns * 256 / (worth > 0 ? worth : 1) + 1);
}
