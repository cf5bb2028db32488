
/* The node `scan`, behind scan-core.cu. */

static __device__ Source
make_source (const Item *x, const Flag *starts, Out *out)
{
  Source s;

  s.x = x;
  s.starts = starts;
  s.out = out;
  return s;
}

__global__ void __launch_bounds__ (THREADS, BUSY_BLOCKS)
scan_sum (const Item *x, uint64_t x_count, const Flag *starts, uint64_t starts_count, uint64_t *parts,
          uint32_t *arrived)
{
  x_count = x_count < starts_count ? x_count : starts_count;
  sum_tiles (make_source (x, starts, nullptr), x_count, (Part *) parts, arrived);
}

LEAT_HOST_VARIANT void
scan_sum (const Item *x, uint64_t x_count, const Flag *starts, uint64_t starts_count, uint64_t *parts,
          uint32_t *arrived)
{
  x_count = x_count < starts_count ? x_count : starts_count;
  host_sum_tiles (make_source (x, starts, nullptr), x_count, (Part *) parts, arrived);
}

/* step: items to a step of the leading dimension, of which *live tells */
__global__ void __launch_bounds__ (THREADS, BUSY_BLOCKS)
scan_give (const Item *x, uint64_t x_count, const Flag *starts, uint64_t starts_count, const uint64_t *parts,
           uint64_t step, Out *out, uint64_t *live)
{
  x_count = x_count < starts_count ? x_count : starts_count;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *live = x_count / step;
  give_tiles (make_source (x, starts, out), x_count, (const Part *) parts);
}

LEAT_HOST_VARIANT void
scan_give (const Item *x, uint64_t x_count, const Flag *starts, uint64_t starts_count, const uint64_t *parts,
           uint64_t step, Out *out, uint64_t *live)
{
  x_count = x_count < starts_count ? x_count : starts_count;
  if (blockIdx.x == 0)
    *live = x_count / step;
  host_give_tiles (make_source (x, starts, out), x_count, (const Part *) parts);
}

__global__ void __launch_bounds__ (THREADS, ONCE_BLOCKS)
scan_once (const Item *x, uint64_t x_count, const Flag *starts, uint64_t starts_count, uint64_t *parts,
           uint64_t *control, uint64_t step, Out *out, uint64_t *live)
{
  x_count = x_count < starts_count ? x_count : starts_count;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *live = x_count / step;
  give_once (make_source (x, starts, out), x_count, (Part *) parts, control);
}

LEAT_HOST_VARIANT void
scan_once (const Item *x, uint64_t x_count, const Flag *starts, uint64_t starts_count, uint64_t *parts,
           uint64_t *control, uint64_t step, Out *out, uint64_t *live)
{
  x_count = x_count < starts_count ? x_count : starts_count;
  if (blockIdx.x == 0)
    *live = x_count / step;
  host_give_once (make_source (x, starts, out), x_count, (Part *) parts, control);
}
