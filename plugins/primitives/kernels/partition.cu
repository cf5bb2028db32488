
/* The node `partition`, behind scan-core.cu: two kernels, of which the first learns how many rows go to the front.
 * Source has what is read, where rows go, and in `front` that number. */

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

__global__ void __launch_bounds__ (THREADS)
partition_sum (const Item *x, uint64_t x_count, const Flag *flags, uint64_t *parts, uint32_t *arrived)
{
  sum_tiles (make_source (x, flags, nullptr, 0), x_count, (Part *) parts, arrived);
}

LEAT_HOST_VARIANT void
partition_sum (const Item *x, uint64_t x_count, const Flag *flags, uint64_t *parts, uint32_t *arrived)
{
  host_sum_tiles (make_source (x, flags, nullptr, 0), x_count, (Part *) parts, arrived);
}

__global__ void __launch_bounds__ (THREADS)
partition_give (const Item *x, uint64_t x_count, const Flag *flags, const uint64_t *parts, Word *out, uint64_t *live,
                uint64_t *front)
{
  uint64_t sum = parts[(x_count + TILE - 1) / TILE];

  if (blockIdx.x == 0 && threadIdx.x == 0)
    {
      *live = x_count;
      *front = sum;
    }
  give_tiles (make_source (x, flags, out, sum), x_count, (const Part *) parts, false);
}

LEAT_HOST_VARIANT void
partition_give (const Item *x, uint64_t x_count, const Flag *flags, const uint64_t *parts, Word *out, uint64_t *live,
                uint64_t *front)
{
  uint64_t sum = parts[(x_count + TILE - 1) / TILE];

  if (blockIdx.x == 0)
    {
      *live = x_count;
      *front = sum;
    }
  host_give_tiles (make_source (x, flags, out, sum), x_count, (const Part *) parts, false);
}
