/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* csr:bfs's kernel by itself, in a grid of 2^LOG2 x 2^LOG2 vertices from a corner, for several values of `alone`:
 *
 *   nvcc -std=c++17 -O3 -arch=sm_90 -I core/kernel/device -I plugins/csr/kernels tests/bench/peers/bfs-grid.cu -o bfs-peer
 *   ./bfs-peer [LOG2 [ALONE...]]
 *
 * What else can be varied is defined with -D: APART_LEVELS, APART_LEVELS_MOST (levels between two meetings), APART_LEASH
 * (levels that a block may be ahead), APART_UNEVEN (times its share, from which on frontiers are shared out anew), OWN_AHEAD
 * (0: no memory is fetched ahead), OWN_EDGES (of a lane at a time), FRONTIER_RECENT_SHIFT (0: no memory of recent
 * vertices), SHUFFLED (1: vertices are numbered by chance, so that neighbours lie apart).  Levels are held against what
 * they are in a grid. */

#include "bfs-peer.cuh"

#ifndef SHUFFLED
#define SHUFFLED 0
#endif
#define RUNS 9

struct Grid
{
  uint32_t side;
  std::vector<uint32_t> number, offsets, indices; /* number: of the vertex at a place */
};

static Grid
make_grid (uint32_t side)
{
  uint64_t n = (uint64_t) side * side;
  Grid grid = { side, std::vector<uint32_t> (n), std::vector<uint32_t> (n + 1), {} };
  std::vector<uint32_t> at (n);

  std::iota (grid.number.begin (), grid.number.end (), 0);
  if (SHUFFLED)
    std::shuffle (grid.number.begin (), grid.number.end (), std::mt19937 (1));
  for (uint64_t i = 0; i < n; i++)
    at[grid.number[i]] = (uint32_t) i;
  grid.indices.reserve (4 * n);
  for (uint64_t v = 0; v < n; v++)
    {
      uint32_t i = at[v], x = i % side, y = i / side;

      if (y > 0)
        grid.indices.push_back (grid.number[i - side]);
      if (x > 0)
        grid.indices.push_back (grid.number[i - 1]);
      if (x + 1 < side)
        grid.indices.push_back (grid.number[i + 1]);
      if (y + 1 < side)
        grid.indices.push_back (grid.number[i + side]);
      grid.offsets[v + 1] = (uint32_t) grid.indices.size ();
    }
  return grid;
}

static uint64_t
count_wrong (const Grid &grid, const uint32_t *levels)
{
  std::vector<uint32_t> is (grid.number.size ());
  uint64_t wrong = 0;

  MUST (cudaMemcpy (is.data (), levels, is.size () * sizeof (uint32_t), cudaMemcpyDeviceToHost));
  for (uint64_t i = 0; i < is.size (); i++)
    wrong += is[grid.number[i]] != i % grid.side + i / grid.side;
  return wrong;
}

int
main (int argc, char **argv)
{
  uint32_t log2 = argc > 1 ? (uint32_t) atoi (argv[1]) : 12;
  std::vector<uint64_t> alones = { 16, 32, 64, 128, 256, 512, 1024 };
  Grid grid = make_grid (1u << log2);
  uint64_t n = grid.number.size (), m = grid.indices.size (), pieces = n + m / FRONTIER_PIECE, words = (n + 31) / 32;
  uint64_t one = 1, none = 0, most = n, alone, from = 14, until = 24, *limits = room<uint64_t> (LIMITS_WORDS), *control = room<uint64_t> (256), *report = room<uint64_t> (REPORT_WORDS);
  uint64_t *list = room<uint64_t> (pieces), *other_list = room<uint64_t> (pieces);
  uint32_t *offsets = place (grid.offsets), *indices = place (grid.indices), *levels = room<uint32_t> (n);
  uint32_t *bits = room<uint32_t> (words), *other_bits = room<uint32_t> (words), *seen = room<uint32_t> (words);
  uint32_t *parents = room<uint32_t> (1), *sources = place (std::vector<uint32_t>{ grid.number[0] });
  void *args[] = { &offsets, &indices, &offsets, &indices, &sources, &one, &n, &m, &m, &most, &alone, &from, &until, &none, &none,
                   &pieces, &control, &list, &other_list, &bits, &other_bits, &seen, &levels, &parents, &control, &limits, &report };
  cudaEvent_t begin, end;
  cudaDeviceProp device;
  unsigned int told;

  MUST (cudaGetDeviceProperties (&device, 0));
  MUST (cudaEventCreate (&begin));
  MUST (cudaEventCreate (&end));
  if (argc > 2)
    alones.clear ();
  for (int i = 2; i < argc; i++)
    alones.push_back ((uint64_t) atoi (argv[i]));
  printf ("%s, %u x %u, APART_LEVELS %d to %d, APART_LEASH %d, APART_UNEVEN %d, OWN_AHEAD %d, OWN_EDGES %d, FRONTIER_RECENT_SHIFT %d%s\n", device.name, grid.side,
          grid.side, APART_LEVELS, APART_LEVELS_MOST, APART_LEASH, APART_UNEVEN, OWN_AHEAD, OWN_EDGES, FRONTIER_RECENT_SHIFT, SHUFFLED ? ", shuffled" : "");
  printf ("%6s %9s %9s  %7s %7s %7s %7s  %s\n", "alone", "ms", "us/level", "alone", "apart", "pushed", "pulled", "wrong");
  for (uint64_t a : alones)
    {
      std::vector<float> times;
      uint64_t is[REPORT_WORDS];

      alone = a;
      for (int run = 0; run < RUNS; run++)
        {
          float ms;

          MUST (cudaMemset (control, 0, 256 * sizeof *control));
          MUST (cudaEventRecord (begin));
          MUST (cudaLaunchCooperativeKernel ((const void *) bfs_search, dim3 (device.multiProcessorCount), dim3 (BFS_THREADS), args,
                                             0, 0));
          MUST (cudaEventRecord (end));
          MUST (cudaEventSynchronize (end));
          MUST (cudaEventElapsedTime (&ms, begin, end));
          times.push_back (ms);
        }
      std::sort (times.begin (), times.end ());
      MUST (cudaMemcpy (is, report, sizeof is, cudaMemcpyDeviceToHost));
      printf ("%6lu %9.3f %9.3f  %7lu %7lu %7lu %7lu  %lu\n", alone, times[RUNS / 2],
              1000 * times[RUNS / 2] / is[REPORT_ITERATIONS], is[REPORT_ALONE], is[REPORT_APART], is[REPORT_PUSHED],
              is[REPORT_PULLED], count_wrong (grid, levels));
    }
  MUST (cudaMemcpyFromSymbol (&told, reports, sizeof told));
  if (told > 0)
    printf ("%u reports\n", told);
  return told > 0;
}
