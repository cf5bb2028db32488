/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Components: behind frontier.cu.  Each vertex points to one that is not above it, at first to itself.  An edge between two
 * trees lets the higher of their roots point to the lower one (Jaiganesh and Burtscher, 2018, do so), so that in the end the
 * root of each tree is the least vertex of a component, whichever edges were first.  Pointers only go down, and whoever
 * follows an old one comes to the same root. */

LEAT_REPORT (NO_SUCH_LABEL = 9, error, "a known label that is above its vertex")

#define COMPONENTS_LONG 1024 /* edges of a row that are too many for one warp */

/* On the way up, those that are passed are made to point to the one after the next. */
static __device__ __forceinline__ uint32_t
components_find_root (uint32_t *labels, uint32_t v)
{
  uint32_t next = leat_load_relaxed (labels + v), behind;

  while ((behind = leat_load_relaxed (labels + next)) != next)
    {
      leat_store_relaxed (labels + v, behind);
      v = next;
      next = behind;
    }
  return next;
}

/* At the end, when each is given its label: who made others on the way point to something else might do so after these
 * were given theirs. */
static __device__ __forceinline__ uint32_t
components_follow (const uint32_t *labels, uint32_t v)
{
  uint32_t next = leat_load_relaxed (labels + v), behind;

  while ((behind = leat_load_relaxed (labels + next)) != next)
    next = behind;
  return next;
}

static __device__ __forceinline__ void
components_join (const Graph &graph, uint32_t *labels, uint64_t edge, uint32_t v)
{
  uint32_t to = graph.indices[edge], one, other, was;

  if (to >= graph.vertices)
    {
      leat_report_at (CORRUPT_INDEX, edge, to);
      return;
    }
  one = components_find_root (labels, v);
  other = components_find_root (labels, to);
  while (one != other)
    {
      uint32_t high = one > other ? one : other, low = one > other ? other : one;
      was = atomicCAS (labels + high, high, low);
      if (was == high)
        return;
      one = components_find_root (labels, was); /* no root any more */
      other = low;
    }
}

/* The rows of 32 vertices; one that is too long for a warp goes into a list, which `rebuilt` counts. */
static __device__ void
components_join_rows (const Graph &graph, const Frontier &frontier, uint64_t v, uint32_t *long_rows, uint64_t long_room,
                      uint32_t *labels)
{
  Offset begin = 0, end = 0;
  uint32_t mine, upto, total;

  if (v < graph.vertices)
    graph_find_row (graph, v, &begin, &end);
  if (end - begin > COMPONENTS_LONG)
    {
      uint64_t at = atomicAdd (frontier.control + FRONTIER_REBUILT, (uint64_t) 1);

      if (at < long_room)
        long_rows[at] = (uint32_t) v;
      else
        leat_report_at (NO_ROOM, v, at);
      end = begin;
    }
  mine = (uint32_t) (end - begin);
  upto = frontier_scan_of_warp (mine);
  total = __shfl_sync (0xffffffffu, upto, 31);
  for (uint32_t first = 0; first < total; first += 32)
    {
      uint32_t k = first + frontier_lane (), owner;
      uint64_t edge = frontier_find_edge (k, upto, mine, begin, &owner);
      uint32_t from = __shfl_sync (0xffffffffu, (uint32_t) v, (int) owner);

      if (k < total)
        components_join (graph, labels, edge, from);
    }
}

/* By all threads there are. */
static __device__ void
components_join_long_rows (const Graph &graph, const uint32_t *long_rows, uint64_t n, uint32_t *labels)
{
  for (uint64_t i = 0; i < n; i++)
    {
      Offset begin, end;

      graph_find_row (graph, long_rows[i], &begin, &end);
      for (uint64_t e = (uint64_t) begin + (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; e < end;
           e += (uint64_t) gridDim.x * blockDim.x)
        components_join (graph, labels, e, long_rows[i]);
    }
}

/* Any forest whose pointers go down will do that is no coarser than the components. */
static __device__ __forceinline__ uint32_t
components_begin (const uint32_t *known, uint64_t warm, uint64_t v)
{
  if (warm == WARM_COLD || known[v] <= v)
    return warm == WARM_COLD ? (uint32_t) v : known[v];
  leat_report_at (NO_SUCH_LABEL, v, known[v]);
  return (uint32_t) v;
}

/* `vertices` where there is none. */
static __device__ __forceinline__ uint64_t
components_get_row (uint64_t warm, const uint32_t *changed, uint64_t at, uint64_t vertices)
{
  if (warm != WARM_CHANGED || changed[at] < vertices)
    return warm == WARM_CHANGED ? changed[at] : at;
  leat_report_at (NO_SUCH_CHANGED, at, changed[at]);
  return vertices;
}

__global__ void __launch_bounds__ (1024, 1)
components_find (const Offset *offsets, const uint32_t *indices, const uint32_t *known, uint64_t warm,
                 const uint32_t *changed, uint64_t changed_count, uint64_t vertices, uint64_t indices_count,
                 uint64_t *control, uint32_t *long_rows, uint64_t long_room, uint32_t *labels)
{
  Graph graph = { offsets, indices, vertices, indices_count };
  Frontier frontier = { control, nullptr, nullptr, 0, nullptr, nullptr, nullptr, 0 };
  uint64_t warps = (uint64_t) gridDim.x * (blockDim.x / 32), rows = warm == WARM_CHANGED ? changed_count : vertices, n_long;

  GRID_FOR (v, vertices)
    labels[v] = components_begin (known, warm, v);
  frontier_sync (&frontier);
  for (uint64_t i = (uint64_t) (threadIdx.x / 32) * gridDim.x + blockIdx.x; i < (rows + 31) / 32; i += warps)
    {
      uint64_t at = 32 * i + frontier_lane ();

      components_join_rows (graph, frontier, at >= rows ? vertices : components_get_row (warm, changed, at, vertices),
                            long_rows, long_room, labels);
    }
  frontier_sync (&frontier);
  n_long = leat_load_relaxed (control + FRONTIER_REBUILT);
  components_join_long_rows (graph, long_rows, n_long < long_room ? n_long : long_room, labels);
  frontier_sync (&frontier);
  GRID_FOR (v, vertices)
    leat_store_relaxed (labels + v, components_follow (labels, (uint32_t) v));
}

/* Plain C: a block is a thread of the host, which takes some vertices at a time. */
#ifdef LEAT_HOST
#define HOST_SHARE 1024

LEAT_HOST_VARIANT void
components_find (const Offset *offsets, const uint32_t *indices, const uint32_t *known, uint64_t warm,
                 const uint32_t *changed, uint64_t changed_count, uint64_t vertices, uint64_t indices_count,
                 uint64_t *control, uint32_t *long_rows, uint64_t long_room, uint32_t *labels)
{
  Graph graph = { offsets, indices, vertices, indices_count };
  uint64_t first = vertices * blockIdx.x / gridDim.x, last = vertices * (blockIdx.x + 1) / gridDim.x, at;
  uint64_t rows = warm == WARM_CHANGED ? changed_count : vertices;

  for (uint64_t v = first; v < last; v++)
    labels[v] = components_begin (known, warm, v);
  leat_grid_sync ();
  while ((at = atomicAdd (control + FRONTIER_WAKE, (uint64_t) HOST_SHARE)) < rows)
    for (uint64_t i = at; i < at + HOST_SHARE && i < rows; i++)
      {
        uint64_t v = components_get_row (warm, changed, i, vertices);
        Offset begin, end;

        if (v == vertices)
          continue;
        graph_find_row (graph, v, &begin, &end);
        for (uint64_t e = begin; e < end; e++)
          components_join (graph, labels, e, (uint32_t) v);
      }
  leat_grid_sync ();
  for (uint64_t v = first; v < last; v++)
    leat_store_relaxed (labels + v, components_follow (labels, (uint32_t) v));
}
#endif
