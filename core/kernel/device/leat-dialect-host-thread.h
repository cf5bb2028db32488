/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* One CUDA thread on the CPU.  threadIdx and the operations that need other threads are members of leat_thread.  A
 * function of a kernel file that needs its thread has it as a parameter, `leat_self`.  Code that cannot have one, such as
 * the members of types, finds it in `leat_running` (leat-dialect-host-self.h). */

#ifdef LEAT_TSAN
#define LEAT_FLAT(loop) nullptr
#else
#define LEAT_FLAT(loop) loop
#endif

extern "C" void *malloc (size_t);
extern "C" void free (void *);

namespace {

const LeatHostRuntime *leat_runtime;

struct leat_module;
LEAT_INLINE leat_module *leat_me (leat_module *self);

#ifdef LEAT_ANYWHERE
struct leat_thread;
/* The thread that this thread of the host runs.  The threads of a block share one of the host, so each sets it again when
 * it has waited for others. */
#define LEAT_RUNNING ((leat_thread **) leat_runtime->own ())
#ifdef LEAT_TSAN /* it takes the threads of a block for threads of the host, and the one place for a race */
#define leat_running          __atomic_load_n (LEAT_RUNNING, __ATOMIC_RELAXED)
#define LEAT_RUN_NOW(thread)  __atomic_store_n (LEAT_RUNNING, thread, __ATOMIC_RELAXED)
#else
#define leat_running          (*LEAT_RUNNING)
#define LEAT_RUN_NOW(thread)  (leat_running = (thread))
#endif
#define LEAT_RUN_AGAIN() LEAT_RUN_NOW (this)
#else
#define LEAT_RUN_AGAIN() ((void) 0)
#endif

/* CUDA's heap of the device, as large as it is by itself; one for each image.  A word before each piece says how
 * large that is. */
uint64_t leat_heap_used;

void *
leat_heap_take (size_t bytes)
{
  const uint64_t most = 8u << 20, whole = bytes < most ? bytes + 16 : most + 1;
  unsigned char *memory = nullptr;

  if (__atomic_add_fetch (&leat_heap_used, whole, __ATOMIC_RELAXED) <= most)
    memory = (unsigned char *) malloc (whole);
  if (memory == nullptr)
    {
      __atomic_sub_fetch (&leat_heap_used, whole, __ATOMIC_RELAXED);
      return nullptr;
    }
  *(uint64_t *) memory = whole;
  return memory + 16;
}

void
leat_heap_give (void *memory)
{
  unsigned char *whole = (unsigned char *) memory - 16;

  if (memory == nullptr)
    return;
  __atomic_sub_fetch (&leat_heap_used, *(uint64_t *) whole, __ATOMIC_RELAXED);
  (free) (whole);
}

/* The count that a wrapper uses: `value`, or that many for each of those counted at `where`.  A count above `most`,
 * the room in memory, is cut to it and told at `over`.  Every thread that comes here tells the same. */
LEAT_MEMBER uint64_t
leat_take_count (const uint64_t *where, uint64_t value, uint64_t most, uint64_t *over)
{
  uint64_t count;

  if (where == nullptr)
    return value;
  count = *where;
  if (count <= most)
    return count * value;
  if (over != nullptr)
    __atomic_store_n (over, count, __ATOMIC_RELAXED);
  return most * value;
}

/* Of numbers that are never 0: leat-image-values.c leaves this function as it is.  A division that is defined by zero too would
 * be drawn into the loops of each thread by some compilers. */
LEAT_INLINE uint64_t leat_known_quotient (uint64_t a, uint64_t b) { return a / b; }

constexpr int warpSize = 32;

struct LeatBlockMeeting
{
};

struct leat_thread
{
  LeatHostBlock *leat_block;
  uint3 threadIdx, blockIdx;
  dim3 blockDim, gridDim;
  bool leat_trimmed; /* the loop over threads ends where the kernel's guard does */

  static void *malloc (size_t bytes) { return leat_heap_take (bytes); }
  static void free (void *memory) { leat_heap_give (memory); }

  /* Every wait for other threads goes through these three. */
  LEAT_MEMBER int leat_barrier (LeatHostBarrierOp op, int predicate)
  {
    int result = leat_runtime->barrier (leat_block, op, predicate);

    LEAT_RUN_AGAIN ();
    return result;
  }
  LEAT_MEMBER uint64_t leat_warp_op (LeatHostWarpOp op, unsigned int mask, uint64_t value, uint32_t arg, uint32_t width)
  {
    uint64_t result = leat_runtime->warp (leat_block, op, mask, value, arg, width);

    LEAT_RUN_AGAIN ();
    return result;
  }
  LEAT_MEMBER void __nanosleep (unsigned int ns)
  {
    leat_runtime->nanosleep (leat_block, ns);
    LEAT_RUN_AGAIN ();
  }
  LEAT_MEMBER void __syncthreads () { leat_barrier (LEAT_HOST_BARRIER_PLAIN, 0); }
  /* A barrier of those that have not left (see leat-dialect-cuda.h): they say that they are there, and who has left comes to
   * all barriers until nobody is. */
    LEAT_MEMBER void leat_block_begin (LeatBlockMeeting *) { }
  LEAT_MEMBER unsigned int leat_block_arrive (LeatBlockMeeting *) { return 0; }
  LEAT_MEMBER bool leat_block_has_met (LeatBlockMeeting *, unsigned int) { leat_barrier (LEAT_HOST_BARRIER_OR, 1); return true; }
  LEAT_MEMBER void leat_block_leave (LeatBlockMeeting *) { }
  LEAT_MEMBER void leat_block_end (LeatBlockMeeting *) { while (leat_barrier (LEAT_HOST_BARRIER_OR, 0)) ; }
  LEAT_MEMBER int __syncthreads_count (int p) { return leat_barrier (LEAT_HOST_BARRIER_COUNT, p); }
  LEAT_MEMBER int __syncthreads_and (int p) { return leat_barrier (LEAT_HOST_BARRIER_AND, p); }
  LEAT_MEMBER int __syncthreads_or (int p) { return leat_barrier (LEAT_HOST_BARRIER_OR, p); }
  LEAT_MEMBER void leat_grid_sync ()
  {
    leat_runtime->grid_barrier (leat_block);
    LEAT_RUN_AGAIN ();
  }
  LEAT_MEMBER long long clock64 () { return (long long) leat_runtime->clock (leat_block); }
  LEAT_MEMBER uint64_t leat_clock_now () { return leat_runtime->clock (leat_block); }
  LEAT_MEMBER long clock () { return (long) leat_runtime->clock (leat_block); }
  LEAT_MEMBER void leat_trap (const char *what, const char *file, unsigned int line)
  {
    leat_runtime->trap (leat_block, what, file, line);
    __builtin_unreachable ();
  }
  LEAT_MEMBER void leat_graph_set_conditional (uint64_t handle, unsigned int value)
  {
    if (leat_runtime->size <= __builtin_offsetof (LeatHostRuntime, set_conditional))
      leat_trap ("this CPU driver has no conditional nodes", nullptr, 0);
    leat_runtime->set_conditional (leat_block, handle, value);
  }
  template <class... Args> int printf (const char *format, Args... args)
  {
    return leat_runtime->print (leat_block, format, args...);
  }

  /* Values of 1 to 8 bytes travel as 64 bits. */
  template <class T>
  LEAT_MEMBER T
  leat_warp (LeatHostWarpOp op, unsigned int mask, T v, unsigned int arg, int width)
  {
    static_assert (sizeof (T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t bits = 0;

    __builtin_memcpy (&bits, &v, sizeof v);
    bits = leat_warp_op (op, mask, bits, arg, (uint32_t) width);
    __builtin_memcpy (&v, &bits, sizeof v);
    return v;
  }
  LEAT_MEMBER uint64_t leat_vote (LeatHostWarpOp op, unsigned int mask, uint64_t v)
  {
    return leat_warp_op (op, mask, v, 0, 32);
  }

  template <class T> LEAT_MEMBER T __shfl_sync (unsigned int mask, T v, int lane, int width = 32)
  {
    return leat_warp (LEAT_HOST_WARP_SHFL_IDX, mask, v, (unsigned int) lane, width);
  }
  template <class T> LEAT_MEMBER T __shfl_up_sync (unsigned int mask, T v, unsigned int delta, int width = 32)
  {
    return leat_warp (LEAT_HOST_WARP_SHFL_UP, mask, v, delta, width);
  }
  template <class T> LEAT_MEMBER T __shfl_down_sync (unsigned int mask, T v, unsigned int delta, int width = 32)
  {
    return leat_warp (LEAT_HOST_WARP_SHFL_DOWN, mask, v, delta, width);
  }
  template <class T> LEAT_MEMBER T __shfl_xor_sync (unsigned int mask, T v, int other, int width = 32)
  {
    return leat_warp (LEAT_HOST_WARP_SHFL_XOR, mask, v, (unsigned int) other, width);
  }
  LEAT_MEMBER void __syncwarp (unsigned int mask = 0xffffffffu) { leat_vote (LEAT_HOST_WARP_SYNC, mask, 0); }
  LEAT_MEMBER unsigned int __ballot_sync (unsigned int mask, int p) { return (unsigned int) leat_vote (LEAT_HOST_WARP_BALLOT, mask, p != 0); }
  LEAT_MEMBER int __any_sync (unsigned int mask, int p) { return leat_vote (LEAT_HOST_WARP_ANY, mask, p != 0) != 0; }
  LEAT_MEMBER int __all_sync (unsigned int mask, int p) { return leat_vote (LEAT_HOST_WARP_ALL, mask, p != 0) != 0; }
  LEAT_MEMBER unsigned int __activemask () { return leat_runtime->active_mask (leat_block); }
  template <class T> LEAT_MEMBER unsigned int __match_any_sync (unsigned int mask, T v)
  {
    uint64_t bits = 0;

    __builtin_memcpy (&bits, &v, sizeof v);
    return (unsigned int) leat_vote (LEAT_HOST_WARP_MATCH_ANY, mask, bits);
  }
  template <class T> LEAT_MEMBER unsigned int __match_all_sync (unsigned int mask, T v, int *all)
  {
    unsigned int equal = __match_any_sync (mask, v), there = __ballot_sync (mask, 1); /* lanes that returned take no part */

    *all = equal == there;
    return *all ? there : 0;
  }
#define LEAT_REDUCE(name, T, op)                                                                                       \
  LEAT_MEMBER T __reduce_##name##_sync (unsigned int mask, T v)                                                        \
  {                                                                                                                    \
    return (T) leat_vote (LEAT_HOST_WARP_REDUCE_##op, mask, (unsigned int) v);                                         \
  }
  LEAT_REDUCE (add, unsigned int, ADD) LEAT_REDUCE (min, unsigned int, MIN) LEAT_REDUCE (max, unsigned int, MAX)
  LEAT_REDUCE (and, unsigned int, AND) LEAT_REDUCE (or, unsigned int, OR) LEAT_REDUCE (xor, unsigned int, XOR)
  LEAT_REDUCE (add, int, ADD_SIGNED) LEAT_REDUCE (min, int, MIN_SIGNED) LEAT_REDUCE (max, int, MAX_SIGNED)
#undef LEAT_REDUCE

  /* Which of `n` items this thread has: a block's are neighbours, a thread's too, and no thread has fewer than a
   * vector loop can use while others have none. */
  LEAT_MEMBER void leat_split (uint64_t n, uint64_t blocks, uint64_t block, uint64_t threads, uint64_t thread, uint64_t *first, uint64_t *last)
  {
    uint64_t share = (leat_known_quotient (n + blocks - 1, blocks) + 15) / 16 * 16;
    uint64_t each = leat_known_quotient (share + threads - 1, threads);
    uint64_t begin = block * share < n ? block * share : n, end = begin + share < n ? begin + share : n;

    each = each < 64 ? 64 : each;
    *first = begin + thread * each < end ? begin + thread * each : end;
    *last = *first + each < end ? *first + each : end;
  }
  /* Those from 0 that are less than @n: of 2.5 there are three. */
  template <class N> LEAT_MEMBER uint64_t leat_items (N n)
  {
    return n > 0 ? (uint64_t) n + ((N) (uint64_t) n < n) : 0;
  }
  /* Over all dimensions, for GRID_FOR. */
  template <class N> LEAT_MEMBER N leat_grid_piece (N n, bool end)
  {
    uint64_t block = blockIdx.x + (uint64_t) gridDim.x * (blockIdx.y + (uint64_t) gridDim.y * blockIdx.z), first, last;
    uint64_t thread = threadIdx.x + (uint64_t) blockDim.x * (threadIdx.y + (uint64_t) blockDim.y * threadIdx.z);

    leat_split (leat_items (n), (uint64_t) gridDim.x * gridDim.y * gridDim.z, block,
                (uint64_t) blockDim.x * blockDim.y * blockDim.z, thread, &first, &last);
    return (N) (end ? last : first);
  }
  /* Along x, for grid-stride loops. */
  template <class T, class N> LEAT_MEMBER T leat_stride_piece (N n, bool end)
  {
    uint64_t first, last;

    leat_split (leat_items (n), gridDim.x, blockIdx.x, blockDim.x, threadIdx.x, &first, &last);
    return (T) (end ? last : first);
  }
};

} // namespace
