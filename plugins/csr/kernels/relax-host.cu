/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Behind relax.cu, in plain C: a block is a thread of the host.  Lists are taken by shares. */
#ifdef LEAT_HOST
#define HOST_SHARE 64
#define HOST_ALONE_EDGES 32 /* for each vertex up to which a GPU's block goes on alone */
#define HOST_TICKET FRONTIER_WAKE
#define HOST_ENDED (FRONTIER_STATE + 3)

static __device__ inline void
relax_push_on_host (const Relax &relax, const RelaxCrew &crew, uint64_t round, uint32_t v)
{
  uint32_t *bits = relax_queued (relax, round);
  Offset begin, end;

  if (crew.blocks > 1 ? !leat_bits_add (bits, v) : leat_bits_have (bits, v))
    return;
  graph_find_row (relax.graph, v, &begin, &end);
  if (crew.blocks == 1)
    bits[v / 32] |= 1u << v % 32;
  relax.lists[round % 2 * relax.room
              + (uint32_t) atomicAdd (crew.tails + 16 * (round % 3), (uint64_t) frontier_count_units (end - begin) << 32 | 1)] = v;
}

static __device__ inline void
relax_do_on_host (const Relax &relax, const RelaxCrew &crew, uint64_t round, uint64_t first, uint64_t last)
{
  for (uint64_t i = first; i < last; i++)
    {
      uint32_t v = relax.lists[round % 2 * relax.room + i], *bits = relax_queued (relax, round);
      Offset begin, end;
      Value value;

      if (crew.blocks > 1)
        leat_bits_remove (bits, v);
      else
        bits[v / 32] &= ~(1u << v % 32);
      value = leat_load_relaxed (relax.values + v);
      graph_find_row (relax.graph, v, &begin, &end);
      for (uint64_t e = begin; e < end; e++)
        {
          uint32_t to = relax.graph.indices[e];

          if (to >= relax.graph.vertices)
            leat_report_at (CORRUPT_INDEX, e, to);
          else if (relax_offer (relax.values + to, value, e, relax.weights))
            relax_push_on_host (relax, crew, round + 1, to);
        }
    }
}

static __device__ inline void
relax_begin_warm_on_host (const Relax &relax, const RelaxCrew &crew, uint64_t warm, const uint32_t *changed, uint64_t n)
{
  for (uint64_t i = 0; i < (warm == WARM_KNOWN ? relax.graph.vertices : n); i++)
    {
      uint32_t v = warm == WARM_KNOWN ? (uint32_t) i : changed[i];

      if (v >= relax.graph.vertices)
        leat_report_at (NO_SUCH_CHANGED, i, v);
      else if (relax.values[v] != RELAX_FIRST)
        relax_push_on_host (relax, crew, 0, v);
    }
}

/* Block 0, while the others wait at the barrier: small rounds, and what comes then. */
static __device__ inline void
relax_step_on_host (const Relax &relax, uint64_t *control, uint64_t *came_to)
{
  Frontier frontier = { control, nullptr, nullptr, 0, nullptr, nullptr, nullptr, 0 };
  RelaxCrew crew = { control + FRONTIER_TAILS, 0, 1, 0 };
  uint64_t round = control[FRONTIER_STATE], *tail = crew.tails + 16 * (round % 3);

  frontier_look_at_clock (frontier, relax.budget, 1);
  while ((uint32_t) *tail > 0 && round < relax.most && *tail >> 32 << EDGE_SHIFT <= relax.alone * HOST_ALONE_EDGES
         && control[FRONTIER_LATE] == 0)
    {
      if (round % 32 == 0)
        frontier_look_at_clock (frontier, relax.budget, 1);
      relax_do_on_host (relax, crew, round, 0, (uint32_t) *tail);
      *came_to += (uint32_t) *tail;
      *tail = 0;
      tail = crew.tails + 16 * (++round % 3);
    }
  control[FRONTIER_STATE] = round;
  control[HOST_TICKET] = 0;
  control[HOST_ENDED] = (uint32_t) *tail == 0 || round >= relax.most || control[FRONTIER_LATE] != 0;
}

LEAT_HOST_VARIANT void
relax_run (const Offset *offsets, const uint32_t *indices, const float *weights, const uint32_t *sources,
           uint64_t sources_count, const Value *known, uint64_t warm, const uint32_t *changed, uint64_t changed_count,
           uint64_t vertices, uint64_t indices_count, uint64_t weights_count, uint64_t most, uint64_t alone, uint64_t tells, uint64_t budget,
           uint64_t *control, uint32_t *lists, uint32_t *long_lists, uint64_t long_room, uint32_t *queued, Value *values,
           uint64_t *tuning, uint64_t *report)
{
  uint64_t limit = alone, came_to = 0;
  Relax relax = { { offsets, indices, vertices, relax_count_edges (indices_count, weights_count) }, weights, values, lists, long_lists, queued, vertices, long_room, most,
                  limit, { budget, leat_clock_now () } };
  RelaxCrew crew = { control + FRONTIER_TAILS, 0, gridDim.x, blockIdx.x }, single = { control + FRONTIER_TAILS, 0, 1, 0 };
  uint64_t words = 2 * ((vertices + 31) / 32);
  Tune tune = {};

  if (TUNES && blockIdx.x == 0) /* which alone looks at the limit */
    {
      tune = tune_begin (tuning, relax_get_key (relax, sources_count, warm, alone), ~(uint64_t) 0);
      limit = relax_get_alone (tune.numbers[TUNE_ALONE]);
    }
  for (uint64_t v = vertices * blockIdx.x / gridDim.x; v < vertices * (blockIdx.x + 1) / gridDim.x; v++)
    values[v] = warm != WARM_COLD ? known[v] : RELAX_FIRST;
  for (uint64_t i = words * blockIdx.x / gridDim.x; i < words * (blockIdx.x + 1) / gridDim.x; i++)
    queued[i] = 0;
  leat_grid_sync ();
  for (uint64_t i = 0; i < sources_count && blockIdx.x == 0; i++)
    if (sources[i] >= vertices)
      leat_report_at (NO_SUCH_SOURCE, i, sources[i]);
    else
      {
        relax_begin (values + sources[i], i);
        relax_push_on_host (relax, single, 0, sources[i]);
      }
  if (blockIdx.x == 0 && warm != WARM_COLD)
    relax_begin_warm_on_host (relax, single, warm, changed, changed_count);
  for (;;)
    {
      uint64_t round, size, at;

      if (blockIdx.x == 0)
        relax_step_on_host (relax, control, &came_to);
      leat_grid_sync ();
      if (control[HOST_ENDED])
        break;
      round = control[FRONTIER_STATE];
      size = (uint32_t) crew.tails[16 * (round % 3)];
      while ((at = atomicAdd (control + HOST_TICKET, (uint64_t) HOST_SHARE)) < size)
        relax_do_on_host (relax, crew, round, at, at + HOST_SHARE < size ? at + HOST_SHARE : size);
      leat_grid_sync ();
      if (blockIdx.x == 0)
        {
          crew.tails[16 * (round % 3)] = 0;
          control[FRONTIER_STATE]++;
          came_to += size;
        }
    }
  if (blockIdx.x == 0)
    {
      RelaxRound last = { control[FRONTIER_STATE], crew.tails[16 * (control[FRONTIER_STATE] % 3)], 0, came_to,
                          control[FRONTIER_LATE] != 0 };

      relax_note (relax, last, tune, tuning);
      relax_tell (last, limit, tells, report);
    }
}
#endif
