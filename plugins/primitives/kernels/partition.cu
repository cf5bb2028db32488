
/* The node `partition`, behind select-core.cu: two kernels, of which the first learns how many rows go to the front, or
 * one where there is one tile. */

static __device__ Source
make_source (const Item *x, const Flag *flags, Word *out, uint64_t front)
{
  Source s;

  s.x = x;
  s.flags = flags;
  s.out = out;
  s.front = front;
  return s;
}

__global__ void __launch_bounds__ (THREADS, BUSY_BLOCKS)
partition_sum (const Item *x, uint64_t x_count, const Flag *flags, uint64_t flags_count, uint64_t *parts,
               uint32_t *arrived)
{
  x_count = x_count < flags_count ? x_count : flags_count;
  uint64_t tiles = (x_count + TILE - 1) / TILE;
  Source s = make_source (x, flags, nullptr, 0);

  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    {
      uint32_t sum;

      count_tile (choose_tile (s, tile * TILE, x_count), &sum);
      if (threadIdx.x == 0)
        ((Part *) parts)[tile] = make_part (sum);
    }
  if (arrive_last (arrived, gridDim.x))
    scan_parts ((Part *) parts, tiles);
}

LEAT_HOST_VARIANT void
partition_sum (const Item *x, uint64_t x_count, const Flag *flags, uint64_t flags_count, uint64_t *parts,
               uint32_t *arrived)
{
  x_count = x_count < flags_count ? x_count : flags_count;
  uint64_t tiles = (x_count + TILE - 1) / TILE;
  Source s = make_source (x, flags, nullptr, 0);

  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    ((Part *) parts)[tile] = host_sum_tile (s, tile * TILE, x_count);
  if (atomicAdd (arrived, 1u) != gridDim.x - 1)
    return;
  *arrived = 0;
  host_scan_parts ((Part *) parts, tiles);
}

__global__ void __launch_bounds__ (THREADS, BUSY_BLOCKS)
partition_give (const Item *x, uint64_t x_count, const Flag *flags, uint64_t flags_count, const uint64_t *parts,
                Word *out, uint64_t *live, uint64_t *front)
{
  x_count = x_count < flags_count ? x_count : flags_count;
  __shared__ uint16_t order[TILE];
  Source s = make_source (x, flags, out, parts[(x_count + TILE - 1) / TILE]);

  if (blockIdx.x == 0 && threadIdx.x == 0)
    {
      *live = x_count;
      *front = s.front;
    }
  for (uint64_t first = (uint64_t) blockIdx.x * TILE; first < x_count; first += (uint64_t) gridDim.x * TILE)
    {
      uint32_t n = get_tile_length (first, x_count), bits = choose_tile (s, first, x_count), sum;
      uint32_t before = count_tile (bits, &sum);

      order_tile (bits, before, sum, n, order);
      __syncthreads ();
      give_rows (s, first, n, order, sum, parts[first / TILE]);
      __syncthreads ();
    }
}

LEAT_HOST_VARIANT void
partition_give (const Item *x, uint64_t x_count, const Flag *flags, uint64_t flags_count, const uint64_t *parts,
                Word *out, uint64_t *live, uint64_t *front)
{
  x_count = x_count < flags_count ? x_count : flags_count;
  Source s = make_source (x, flags, out, parts[(x_count + TILE - 1) / TILE]);

  if (blockIdx.x == 0)
    {
      *live = x_count;
      *front = s.front;
    }
  for (uint64_t tile = blockIdx.x; tile * TILE < x_count; tile += gridDim.x)
    host_give_tile (s, tile * TILE, x_count, parts[tile]);
}

/* One block, up to TILE rows. */
__global__ void __launch_bounds__ (THREADS, BUSY_BLOCKS)
partition_tile (const Item *x, uint64_t x_count, const Flag *flags, uint64_t flags_count, Word *out, uint64_t *live,
                uint64_t *front)
{
  x_count = x_count < flags_count ? x_count : flags_count;
  __shared__ uint16_t order[TILE];
  uint32_t n = (uint32_t) x_count, sum = 0;

  if (n > 0)
    {
      Source s = make_source (x, flags, out, 0);
      uint32_t bits = choose_tile (s, 0, n), before = count_tile (bits, &sum);

      order_tile (bits, before, sum, n, order);
      __syncthreads ();
      s.front = sum;
      give_rows (s, 0, n, order, sum, 0);
    }
  if (threadIdx.x == 0)
    {
      *live = n;
      *front = sum;
    }
}

LEAT_HOST_VARIANT void
partition_tile (const Item *x, uint64_t x_count, const Flag *flags, uint64_t flags_count, Word *out, uint64_t *live,
                uint64_t *front)
{
  x_count = x_count < flags_count ? x_count : flags_count;
  Source s = make_source (x, flags, out, 0);

  *live = x_count;
  *front = s.front = host_sum_tile (s, 0, x_count).value;
  host_give_tile (s, 0, x_count, 0);
}
