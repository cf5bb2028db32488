
/* The node `unique`, behind select-core.cu and prefix-once.cu: the first item of each run is chosen and stored, and where
 * it is; from where runs begin follows how long they are. */

static __device__ Source
make_source (const Item *x, Item *out, uint64_t *starts)
{
  Source s;

  s.x = x;
  s.out = out;
  s.starts = starts;
  return s;
}

/* Where it is told how many runs there are. */
struct Live
{
  uint64_t *out, *starts;
};

static __device__ Live
make_live (uint64_t *out, uint64_t *starts)
{
  Live live;

  live.out = out;
  live.starts = starts;
  return live;
}

static __device__ __forceinline__ void
tell_runs (Part *parts, uint64_t tiles, uint64_t runs, const Live &live)
{
  parts[tiles] = make_part (runs); /* for unique_measure () */
  *live.out = *live.starts = runs;
}

/* Both in one.  The count of all is left behind the last tile's. */
static __device__ void
give_once (const Source &s, uint64_t n, Part *parts, uint64_t *control, const Live &live)
{
  __shared__ uint16_t order[TILE];
  uint64_t tiles = (n + TILE - 1) / TILE, tile, launch;
  bool ended = false;

  if (tiles == 0 && blockIdx.x == 0 && threadIdx.x == 0)
    tell_runs (parts, tiles, 0, live);
  for (uint32_t round = 0; (tile = take_tile (control, tiles, round)) < tiles; round++)
    {
      uint64_t first = tile * TILE, place = 0;
      uint32_t bits = choose_tile (s, first, n), sum, before = count_tile (bits, &sum);

      launch = get_launch (control);
      if (threadIdx.x == 0 && tile + 1 < tiles)
        publish_tile (parts, control, launch, tile, make_part (sum));
      order_tile (bits, before, sum, get_tile_length (first, n), order);
      __syncthreads ();
      if (tile > 0)
        place = find_place (parts, control, launch, tile).value;
      if (threadIdx.x == 0 && tile + 1 == tiles)
        tell_runs (parts, tiles, place + sum, live);
      ended = !takes_tickets (tiles);
      if (ended && threadIdx.x == 0)
        end_launch (control, launch, tiles); /* before there is much for its fence to wait for */
      give_rows (s, first, get_tile_length (first, n), order, sum, place);
      __syncthreads ();
    }
  __syncthreads (); /* all have looked */
  if (!ended && threadIdx.x == 0)
    end_launch (control, get_launch (control), tiles);
}

#ifdef LEAT_HOST
static __device__ void
host_give_once (const Source &s, uint64_t n, Part *parts, uint64_t *control, const Live &live)
{
  uint64_t tiles = (n + TILE - 1) / TILE, launch = get_launch (control), known = 0, tile;
  Part before = make_nothing ();

  if (tiles <= 1 && blockIdx.x == 0)
    tell_runs (parts, tiles, host_give_tile (s, 0, n, 0), live);
  while (tiles > 1 && (tile = leat_take_ticket (control + ONCE_TICKET)) < tiles)
    {
      uint64_t sum;

      if (tile + 1 < tiles)
        publish_tile (parts, control, launch, tile, host_sum_tile (s, tile * TILE, n));
      before = tile > 0 ? host_find_place (parts, control, launch, tile, known, before) : before;
      known = tile;
      sum = host_give_tile (s, tile * TILE, n, before.value);
      if (tile + 1 == tiles)
        tell_runs (parts, tiles, sum, live);
    }
  end_launch (control, launch, tiles);
}
#endif

__global__ void __launch_bounds__ (THREADS, BUSY_BLOCKS)
unique_sum (const Item *x, uint64_t x_count, uint64_t *parts, uint32_t *arrived)
{
  sum_tiles (make_source (x, nullptr, nullptr), x_count, (Part *) parts, arrived);
}

LEAT_HOST_VARIANT void
unique_sum (const Item *x, uint64_t x_count, uint64_t *parts, uint32_t *arrived)
{
  host_sum_tiles (make_source (x, nullptr, nullptr), x_count, (Part *) parts, arrived);
}

__global__ void __launch_bounds__ (THREADS, BUSY_BLOCKS)
unique_give (const Item *x, uint64_t x_count, const uint64_t *parts, Item *out, uint64_t *starts, uint64_t *live,
             uint64_t *starts_live)
{
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *live = *starts_live = parts[(x_count + TILE - 1) / TILE];
  give_tiles (make_source (x, out, starts), x_count, (const Part *) parts);
}

LEAT_HOST_VARIANT void
unique_give (const Item *x, uint64_t x_count, const uint64_t *parts, Item *out, uint64_t *starts, uint64_t *live,
             uint64_t *starts_live)
{
  if (blockIdx.x == 0)
    *live = *starts_live = parts[(x_count + TILE - 1) / TILE];
  host_give_tiles (make_source (x, out, starts), x_count, (const Part *) parts);
}

__global__ void __launch_bounds__ (THREADS, ONCE_BLOCKS)
unique_once (const Item *x, uint64_t x_count, uint64_t *parts, uint64_t *control, Item *out, uint64_t *starts,
             uint64_t *live, uint64_t *starts_live)
{
  give_once (make_source (x, out, starts), x_count, (Part *) parts, control, make_live (live, starts_live));
}

LEAT_HOST_VARIANT void
unique_once (const Item *x, uint64_t x_count, uint64_t *parts, uint64_t *control, Item *out, uint64_t *starts,
             uint64_t *live, uint64_t *starts_live)
{
  host_give_once (make_source (x, out, starts), x_count, (Part *) parts, control, make_live (live, starts_live));
}

__global__ void
unique_measure (const Item *x, uint64_t x_count, const uint64_t *parts, const uint64_t *starts, uint64_t *lengths,
                uint64_t *live)
{
  uint64_t runs = parts[(x_count + TILE - 1) / TILE];

  GRID_FOR (k, runs)
    lengths[k] = (k + 1 < runs ? starts[k + 1] : x_count) - starts[k];
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *live = runs;
}
