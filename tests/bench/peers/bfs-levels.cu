/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* csr:bfs's one kernel beside the same device code level by level: a host that launches each level, copies back how large
 * the next one is, waits for that and chooses its way, by the rule that the one kernel goes by or by pushing alone.
 *
 *   nvcc -std=c++17 -O3 -arch=sm_90 -I core/kernel/device -I plugins/csr/kernels tests/bench/peers/bfs-levels.cu -o bfs-levels
 *   ./bfs-levels SCALE EDGES      R-MAT of 2^SCALE vertices, EDGES edges each, both ways
 *   ./bfs-levels SCALE 0          a grid of 2^SCALE x 2^SCALE
 *
 * All three search from the same vertices in turns, and have to find the same levels. */

#include "bfs-peer.cuh"

#include <chrono>

#define SOURCES 5
#define ROUNDS 3

struct Adjacency
{
  std::vector<uint32_t> offsets, indices;
};

static uint64_t
next_random (uint64_t *state)
{
  uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

/* Chakrabarti, Zhan, Faloutsos: R-MAT (2004), with the parts 0.57, 0.19, 0.19 and 0.05 of Graph 500. */
static void
make_edge (uint64_t *state, int scale, uint32_t *from, uint32_t *to)
{
  *from = *to = 0;
  for (int i = 0; i < scale; i++)
    {
      uint64_t part = next_random (state) % 100;

      *from = 2 * *from + (part >= 76);
      *to = 2 * *to + ((part >= 57 && part < 76) || part >= 95);
    }
}

static void
make_grid_edge (uint64_t number, int scale, uint32_t *from, uint32_t *to)
{
  uint64_t side = 1ull << scale, v = number / 2, x = v % side, y = v / side;

  *from = *to = (uint32_t) v;
  if (number % 2 == 0 && x + 1 < side)
    *to = (uint32_t) (v + 1);
  if (number % 2 == 1 && y + 1 < side)
    *to = (uint32_t) (v + side);
}

/* The same edges come twice: to be counted, and to be put where they belong.  Loops are left out. */
static Adjacency
make_graph (int scale, uint64_t each)
{
  uint64_t n = 1ull << (each > 0 ? scale : 2 * scale), m = n * (each > 0 ? each : 2);
  Adjacency graph = { std::vector<uint32_t> (n + 1), {} };
  std::vector<uint32_t> at;

  for (int pass = 0; pass < 2; pass++)
    {
      uint64_t state = 7;

      for (uint64_t i = 0; i < m; i++)
        {
          uint32_t from, to;

          if (each > 0)
            make_edge (&state, scale, &from, &to);
          else
            make_grid_edge (i, scale, &from, &to);
          if (from == to)
            continue;
          if (pass == 0)
            graph.offsets[from + 1]++, graph.offsets[to + 1]++;
          else
            graph.indices[at[from]++] = to, graph.indices[at[to]++] = from;
        }
      if (pass > 0)
        break;
      std::partial_sum (graph.offsets.begin (), graph.offsets.end (), graph.offsets.begin ());
      graph.indices.resize (graph.offsets[n]);
      at.assign (graph.offsets.begin (), graph.offsets.end () - 1);
    }
  return graph;
}

/* What a search works on, for kernels of one level each. */
struct Place
{
  Graph graph;
  uint32_t *sources, *levels, *seen, *even_bits, *odd_bits;
  uint64_t *control, *even_list, *odd_list;
  uint64_t room;
};

#define PLACE_BEGIN(p)                                                                                                 \
  Limits limits = { 0, 14, 24 };                                                                                       \
  Search search = { (p).graph, (p).graph, ~0ull, limits, (p).levels, { 0, 0 } };                                       \
  Frontier frontier = { (p).control, (p).even_list, (p).odd_list, (p).room, (p).even_bits, (p).odd_bits, (p).seen, 0 }

__global__ void __launch_bounds__ (BFS_THREADS, 1)
level_clear (Place p)
{
  PLACE_BEGIN (p);
  bfs_clear (search, frontier, nullptr);
}

static __device__ void
level_zero_sums (uint32_t *sums)
{
  if (threadIdx.x < 2)
    sums[threadIdx.x] = 0;
  __syncthreads ();
}

__global__ void __launch_bounds__ (BFS_THREADS, 1)
level_begin (Place p)
{
  __shared__ uint32_t sums[2];
  Found found = {};

  PLACE_BEGIN (p);
  level_zero_sums (sums);
  bfs_begin (search, frontier, p.sources, 1, nullptr, &found);
  frontier_add_up (frontier_tail (frontier, 0), found, false, sums);
}

template <bool Pull>
__global__ void __launch_bounds__ (BFS_THREADS, 1)
level_go (Place p, Level level)
{
  __shared__ uint32_t sums[2];
  Found found = {};

  PLACE_BEGIN (p);
  level_zero_sums (sums);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    {
      *frontier_tail (frontier, level.round + 2) = 0;
      if (Pull)
        p.control[FRONTIER_REBUILT] = 0;
    }
  if (Pull)
    bfs_pull_level (search, frontier, level, &found);
  else
    bfs_push_level (search, frontier, level, &found);
  frontier_add_up (frontier_tail (frontier, level.round + 1), found, Pull, sums);
}

template <bool Pull>
__global__ void __launch_bounds__ (BFS_THREADS, 1)
level_turn (Place p, Level level)
{
  PLACE_BEGIN (p);
  if (Pull)
    frontier_set_bits (search.graph, frontier, search.levels, level.number);
  else
    frontier_list_bits (search.graph, frontier, level.number);
}

__global__ void __launch_bounds__ (BFS_THREADS, 1)
level_end (Place p)
{
  PLACE_BEGIN (p);
  bfs_sum_up (search, frontier);
}

struct Host
{
  Place place;
  cudaStream_t stream;
  uint64_t *back; /* pinned */
  unsigned int blocks;
};

static uint64_t
read_back (const Host &host, uint64_t word)
{
  MUST (cudaMemcpyAsync (host.back, host.place.control + word, sizeof (uint64_t), cudaMemcpyDeviceToHost, host.stream));
  MUST (cudaStreamSynchronize (host.stream));
  return *host.back;
}

/* bfs_choose () without the ways that one kernel alone has. */
static bool
choose_pull (const Host &host, const Level &level, bool pulls, uint64_t before)
{
  bool grows = level.units > before;

  if (pulls)
    return grows || level.size * 24 >= host.place.graph.vertices;
  return grows && level.units > level.unexplored / 14 && level.size * PULL_AT_LEAST > host.place.graph.vertices;
}

static uint64_t
search_by_host (const Host &host, bool may_pull)
{
  const Place &p = host.place;
  Level level = { 0, 0, 0, 0, p.graph.edges, false };
  uint64_t counts, before = 0;
  bool pulled = false;

  MUST (cudaMemsetAsync (p.control, 0, 256 * sizeof *p.control, host.stream));
  level_clear<<<host.blocks, BFS_THREADS, 0, host.stream>>> (p);
  level_begin<<<host.blocks, BFS_THREADS, 0, host.stream>>> (p);
  counts = read_back (host, FRONTIER_TAILS);
  level.size = (uint32_t) counts;
  level.units = counts >> 32;
  for (; level.size > 0; level.number++, level.round++)
    {
      bool pull = may_pull && choose_pull (host, level, pulled, before);

      before = level.units;
      if (pull && !pulled)
        level_turn<true><<<host.blocks, BFS_THREADS, 0, host.stream>>> (p, level);
      if (!pull && pulled)
        {
          level_turn<false><<<host.blocks, BFS_THREADS, 0, host.stream>>> (p, level);
          level.size = (uint32_t) read_back (host, FRONTIER_REBUILT);
        }
      pulled = pull;
      if (pull)
        level_go<true><<<host.blocks, BFS_THREADS, 0, host.stream>>> (p, level);
      else
        level_go<false><<<host.blocks, BFS_THREADS, 0, host.stream>>> (p, level);
      counts = read_back (host, FRONTIER_TAILS + 16 * ((level.round + 1) % 3));
      level.size = (uint32_t) counts;
      level.units = counts >> 32;
      level.unexplored -= level.units < level.unexplored ? level.units : level.unexplored;
    }
  level_end<<<host.blocks, BFS_THREADS, 0, host.stream>>> (p);
  read_back (host, FRONTIER_REACHED);
  return level.number;
}

static void
search_by_kernel (const Host &host, uint64_t *report, uint64_t *limits)
{
  Place p = host.place;
  uint64_t one = 1, none = 0, n = p.graph.vertices, m = p.graph.edges, alone = 128, from = 14, until = 24;
  uint32_t *parents = nullptr;
  void *args[] = { &p.graph.offsets, &p.graph.indices, &p.graph.offsets, &p.graph.indices, &p.sources, &one, &n, &m, &m, &n,
                   &alone, &from, &until, &none, &none, &p.room, &p.control, &p.even_list, &p.odd_list, &p.even_bits,
                   &p.odd_bits, &p.seen, &p.levels, &parents, &p.control, &limits, &report };

  MUST (cudaMemsetAsync (p.control, 0, 256 * sizeof *p.control, host.stream));
  MUST (cudaLaunchCooperativeKernel ((const void *) bfs_search, dim3 (host.blocks), dim3 (BFS_THREADS), args, 0, host.stream));
  read_back (host, FRONTIER_REACHED);
}

static double
measure (const Host &host, int way, uint64_t *report, uint64_t *limits, std::vector<uint32_t> *levels)
{
  auto begin = std::chrono::steady_clock::now ();
  double us;

  if (way == 0)
    search_by_kernel (host, report, limits);
  else
    search_by_host (host, way == 1);
  us = std::chrono::duration<double, std::micro> (std::chrono::steady_clock::now () - begin).count ();
  MUST (cudaMemcpy (levels->data (), host.place.levels, levels->size () * sizeof (uint32_t), cudaMemcpyDeviceToHost));
  return us;
}

static std::vector<uint32_t>
choose_sources (const Adjacency &graph)
{
  std::vector<uint32_t> sources;
  uint64_t state = 11, n = graph.offsets.size () - 1;

  while (sources.size () < SOURCES)
    {
      uint32_t v = (uint32_t) (next_random (&state) % n);

      if (graph.offsets[v + 1] > graph.offsets[v])
        sources.push_back (v);
    }
  return sources;
}

int
main (int argc, char **argv)
{
  int scale = argc > 1 ? atoi (argv[1]) : 21;
  Adjacency graph = make_graph (scale, argc > 2 ? (uint64_t) atoi (argv[2]) : 16);
  static const char *const names[] = { "one kernel", "host, same choice", "host, pushing" };
  uint64_t n = graph.offsets.size () - 1, m = graph.indices.size (), pieces = n + m / FRONTIER_PIECE, words = (n + 31) / 32;
  uint64_t *report = room<uint64_t> (REPORT_WORDS), *limits = room<uint64_t> (LIMITS_WORDS), is[REPORT_WORDS];
  std::vector<uint32_t> found[3] = { std::vector<uint32_t> (n), std::vector<uint32_t> (n), std::vector<uint32_t> (n) };
  std::vector<double> times[3];
  Host host = { { { place (graph.offsets), place (graph.indices), n, m }, room<uint32_t> (1), room<uint32_t> (n),
                  room<uint32_t> (words), room<uint32_t> (words), room<uint32_t> (words), room<uint64_t> (256),
                  room<uint64_t> (pieces), room<uint64_t> (pieces), pieces },
                nullptr, nullptr, 0 };
  cudaDeviceProp device;

  MUST (cudaGetDeviceProperties (&device, 0));
  MUST (cudaStreamCreateWithFlags (&host.stream, cudaStreamNonBlocking));
  MUST (cudaMallocHost (&host.back, sizeof *host.back));
  host.blocks = (unsigned int) device.multiProcessorCount;
  printf ("%s, %lu vertices, %lu edges\n", device.name, n, m);
  for (int round = 0; round <= ROUNDS; round++)
    for (uint32_t source : choose_sources (graph))
      {
        MUST (cudaMemcpy (host.place.sources, &source, sizeof source, cudaMemcpyHostToDevice));
        for (int way = 0; way < 3; way++)
          {
            double us = measure (host, way, report, limits, &found[way]);

            if (found[way] != found[0])
              return printf ("%s: other levels from %u\n", names[way], source), 1;
            if (round > 0)
              times[way].push_back (us);
          }
      }
  MUST (cudaMemcpy (is, report, sizeof is, cudaMemcpyDeviceToHost));
  for (int way = 0; way < 3; way++)
    {
      std::sort (times[way].begin (), times[way].end ());
      printf ("%-18s %10.1f us (%.1f to %.1f), %.2f of the first\n", names[way], times[way][times[way].size () / 2],
              times[way].front (), times[way].back (), times[way][times[way].size () / 2] / times[0][times[0].size () / 2]);
    }
  printf ("levels of the last: %lu (alone %lu, apart %lu, pushed %lu, pulled %lu)\n", is[REPORT_ITERATIONS], is[REPORT_ALONE],
          is[REPORT_APART], is[REPORT_PUSHED], is[REPORT_PULLED]);
  return 0;
}
