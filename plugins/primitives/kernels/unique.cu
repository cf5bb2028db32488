
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

/* The last tile tells how many runs there are; unique_measure () finds it behind the tiles. */
static __device__ __forceinline__ void
tell_runs (Part *parts, uint64_t tiles, uint64_t runs, uint64_t *live, uint64_t *starts_live)
{
  parts[tiles] = make_part (runs);
  *live = *starts_live = runs;
}

__global__ void __launch_bounds__ (THREADS, ONCE_BLOCKS)
unique_give (const Item *x, uint64_t x_count, uint64_t *parts_memory, uint64_t *control, Item *out, uint64_t *starts,
             uint64_t *live, uint64_t *starts_live)
{
  __shared__ uint16_t order[TILE];
  __shared__ uint64_t next, number;
  uint64_t tiles = (x_count + TILE - 1) / TILE, tile = take_first (control, tiles);
  Source s = make_source (x, out, starts);
  Part *parts = (Part *) parts_memory;

  if (tiles == 0 && blockIdx.x == 0 && threadIdx.x == 0)
    tell_runs (parts, tiles, 0, live, starts_live);
  while (tile < tiles)
    {
      uint64_t first = tile * TILE, launch = 0, ahead = tiles, place = 0;
      uint32_t bits = choose_tile (s, first, x_count), sum, before = count_tile (bits, &sum);

      if (threadIdx.x == 0)
        {
          launch = get_launch (control);
          ahead = take_next (control, tiles);
          number = launch;
        }
      if (threadIdx.x == 0 && tile + 1 < tiles)
        publish_tile (parts, control, launch, tiles, tile, make_part (sum));
      order_tile (bits, before, sum, get_tile_length (first, x_count), order);
      __syncthreads ();
      launch = number;
      if (tile > 0)
        place = find_place (parts, control, launch, tiles, tile).value;
      if (threadIdx.x == 0 && tile + 1 == tiles)
        tell_runs (parts, tiles, place + sum, live, starts_live);
      if (threadIdx.x == 0)
        {
          end_tile (control, launch, tiles, tile, make_part (place + sum));
          next = ahead;
        }
      give_rows (s, first, get_tile_length (first, x_count), order, sum, place);
      __syncthreads ();
      tile = next;
    }
  __syncthreads (); /* all have looked */
  if (takes_tickets (tiles) && threadIdx.x == 0)
    end_launch (control, get_launch (control), tiles);
}

LEAT_HOST_VARIANT void
unique_give (const Item *x, uint64_t x_count, uint64_t *parts_memory, uint64_t *control, Item *out, uint64_t *starts,
             uint64_t *live, uint64_t *starts_live)
{
  uint64_t tiles = (x_count + TILE - 1) / TILE, launch = get_launch (control), tile;
  Source s = make_source (x, out, starts);
  Part *parts = (Part *) parts_memory;

  if (tiles <= 1 && blockIdx.x == 0)
    tell_runs (parts, tiles, host_give_tile (s, 0, x_count, 0), live, starts_live);
  while (tiles > 1 && (tile = leat_take_ticket (control + ONCE_TICKET)) < tiles)
    {
      uint64_t sum = host_sum_tile (s, tile * TILE, x_count).value, place = 0;

      publish_sum (parts, control, launch, tile, make_part (sum));
      if (tile > 0)
        {
          place = host_find_place (parts, control, launch, tile).value;
          publish_end (control, launch, tile, make_part (place + sum));
        }
      host_give_tile (s, tile * TILE, x_count, place);
      if (tile + 1 == tiles)
        tell_runs (parts, tiles, place + sum, live, starts_live);
    }
  end_launch (control, launch, tiles);
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
