
/* The node `unique`, behind scan-core.cu: which items begin a run is counted, then the first of each run and where it is
 * are stored at its number, and from where runs begin follows how long they are. */

static __device__ Source
make_source (const Item *x, Item *out, uint64_t *starts)
{
  Source s;

  s.x = x;
  s.out = out;
  s.starts = starts;
  return s;
}

__global__ void __launch_bounds__ (THREADS)
unique_sum (const Item *x, uint64_t x_count, uint64_t *parts, uint32_t *arrived)
{
  sum_tiles (make_source (x, nullptr, nullptr), x_count, (Part *) parts, arrived);
}

LEAT_HOST_VARIANT void
unique_sum (const Item *x, uint64_t x_count, uint64_t *parts, uint32_t *arrived)
{
  host_sum_tiles (make_source (x, nullptr, nullptr), x_count, (Part *) parts, arrived);
}

__global__ void __launch_bounds__ (THREADS)
unique_give (const Item *x, uint64_t x_count, const uint64_t *parts, Item *out, uint64_t *starts, uint64_t *live,
             uint64_t *starts_live)
{
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *live = *starts_live = parts[(x_count + TILE - 1) / TILE];
  give_tiles (make_source (x, out, starts), x_count, (const Part *) parts, false);
}

LEAT_HOST_VARIANT void
unique_give (const Item *x, uint64_t x_count, const uint64_t *parts, Item *out, uint64_t *starts, uint64_t *live,
             uint64_t *starts_live)
{
  if (blockIdx.x == 0)
    *live = *starts_live = parts[(x_count + TILE - 1) / TILE];
  host_give_tiles (make_source (x, out, starts), x_count, (const Part *) parts, false);
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
