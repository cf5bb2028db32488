/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Do WHILE nodes stand it that other processes use the GPU?  Several processes at once, each with graphs of a kernel, a
 * WHILE node and a kernel; the loop goes on for so many iterations, or until so much time has passed.
 *
 *   nvcc -std=c++17 -O3 -arch=sm_90 tests/bench/peers/while.cu -o while-peer && ./while-peer
 *
 * Without arguments all ways, one after the other:
 *   plain       no kernel of the body says anything to the ones behind it
 *   waits       they wait for those before them (griddepcontrol.wait), where nothing is to be waited for
 *   tells       they let those behind them begin (griddepcontrol.launch_dependents), which no edge of the body asks for
 *   both        as wrappers with leat_wait_for_others ()
 *   outside     as both, in the kernels before and behind the loop alone
 * ./while-peer WAY [PROCESSES [ROUNDS [ITERATIONS [MS]]]], 5 10 300000 100 by default: each process does so many rounds,
 * each of a loop by iterations and one by time; MS 0 leaves the second out.  A line is how many processes of a way came
 * to their end with right results.  With an error a context is lost, and the process ends.
 *
 * With BESIDE=WHAT in the environment four more processes do, over and over, until the others are through:
 *   contexts    make a context and destroy it
 *   traps       begin, launch a kernel that traps, and end
 *   memory      take 64 MiB, fill them, and give them back
 *   grids       fill the device with blocks for 5 ms */

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MUST(call)                                                                                                     \
  do                                                                                                                   \
    {                                                                                                                  \
      cudaError_t must = (call);                                                                                       \
      if (must != cudaSuccess)                                                                                         \
        {                                                                                                              \
          fprintf (stderr, "  process %d, round %d: %s: %s\n", (int) getpid (), round_now, #call,                      \
                   cudaGetErrorString (must));                                                                         \
          _exit (2);                                                                                                   \
        }                                                                                                              \
    }                                                                                                                  \
  while (0)

static int round_now;

struct Loop
{
  unsigned long long iterations, most, begin, budget_ns, work;
};

enum
{
  WAITS = 1,
  TELLS = 2
};

template <int SAYS>
__device__ __forceinline__ void
say ()
{
  if (SAYS & TELLS)
    asm volatile ("griddepcontrol.launch_dependents;");
  if (SAYS & WAITS)
    asm volatile ("griddepcontrol.wait;" ::: "memory");
}

__device__ __forceinline__ unsigned long long
now_ns ()
{
  unsigned long long ns;

  asm volatile ("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

template <int SAYS>
__global__ void
begin (Loop *loop, unsigned long long most, unsigned long long budget_ns)
{
  say<SAYS> ();
  *loop = { 0, most, now_ns (), budget_ns, 0 };
}

template <int SAYS>
__global__ void
work (Loop *loop)
{
  say<SAYS> ();
  loop->work++;
}

template <int SAYS>
__global__ void
test (Loop *loop, cudaGraphConditionalHandle handle)
{
  say<SAYS> ();
  loop->iterations++;
  cudaGraphSetConditional (handle, loop->iterations < loop->most && now_ns () - loop->begin < loop->budget_ns);
}

template <int SAYS>
__global__ void
end (const Loop *loop, Loop *result)
{
  say<SAYS> ();
  *result = *loop;
}

static cudaGraphNode_t
add (cudaGraph_t graph, cudaGraphNode_t after, const void *kernel, void **args)
{
  cudaKernelNodeParams params = {};
  cudaGraphNode_t node;

  params.func = (void *) kernel;
  params.gridDim = params.blockDim = dim3 (1);
  params.kernelParams = args;
  MUST (cudaGraphAddKernelNode (&node, graph, after != nullptr ? &after : nullptr, after != nullptr, &params));
  return node;
}

/* INSIDE: what kernels of the body say; OUTSIDE: the others */
template <int INSIDE, int OUTSIDE>
static cudaGraphExec_t
make (Loop *loop, Loop *result, unsigned long long most, unsigned long long budget_ns)
{
  cudaGraph_t graph, body;
  cudaGraphNode_t node, last;
  cudaGraphExec_t exec;
  cudaGraphConditionalHandle handle;
  cudaGraphNodeParams params = {};
  void *begin_args[] = { &loop, &most, &budget_ns }, *work_args[] = { &loop }, *test_args[] = { &loop, &handle },
       *end_args[] = { &loop, &result };

  MUST (cudaGraphCreate (&graph, 0));
  MUST (cudaGraphConditionalHandleCreate (&handle, graph, 1, cudaGraphCondAssignDefault));
  last = add (graph, nullptr, (const void *) begin<OUTSIDE>, begin_args);
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
#if CUDART_VERSION >= 13000
  MUST (cudaGraphAddNode (&node, graph, &last, nullptr, 1, &params));
#else
  MUST (cudaGraphAddNode (&node, graph, &last, 1, &params));
#endif
  body = params.conditional.phGraph_out[0];
  last = add (body, nullptr, (const void *) work<INSIDE>, work_args);
  add (body, last, (const void *) test<INSIDE>, test_args);
  add (graph, node, (const void *) end<OUTSIDE>, end_args);
  MUST (cudaGraphInstantiate (&exec, graph, 0));
  MUST (cudaGraphDestroy (graph));
  return exec;
}

static void
run (cudaGraphExec_t exec, cudaStream_t stream, const volatile Loop *result, unsigned long long most)
{
  MUST (cudaGraphLaunch (exec, stream));
  MUST (cudaStreamSynchronize (stream));
  if (result->iterations == result->work && (most == 0 ? result->iterations > 0 : result->iterations == most))
    return;
  fprintf (stderr, "  process %d, round %d: %llu iterations, %llu times the work\n", (int) getpid (), round_now,
           result->iterations, result->work);
  _exit (3);
}

template <int INSIDE, int OUTSIDE>
static void
live (int rounds, unsigned long long iterations, unsigned long long ms)
{
  Loop *loop, *result;
  cudaStream_t stream;
  cudaGraphExec_t counted, timed;

  MUST (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking));
  MUST (cudaMalloc (&loop, sizeof *loop));
  MUST (cudaHostAlloc (&result, sizeof *result, cudaHostAllocMapped));
  counted = make<INSIDE, OUTSIDE> (loop, result, iterations, ~0ull >> 1);
  timed = make<INSIDE, OUTSIDE> (loop, result, ~0ull, ms * 1000000);
  for (round_now = 1; round_now <= rounds; round_now++)
    {
      run (counted, stream, result, iterations);
      if (ms > 0)
        run (timed, stream, result, 0);
    }
  _exit (0);
}

static void
live_by (const char *way, int rounds, unsigned long long iterations, unsigned long long ms)
{
  if (strcmp (way, "plain") == 0)
    live<0, 0> (rounds, iterations, ms);
  else if (strcmp (way, "waits") == 0)
    live<WAITS, 0> (rounds, iterations, ms);
  else if (strcmp (way, "tells") == 0)
    live<TELLS, 0> (rounds, iterations, ms);
  else if (strcmp (way, "both") == 0)
    live<WAITS | TELLS, WAITS | TELLS> (rounds, iterations, ms);
  else if (strcmp (way, "outside") == 0)
    live<0, WAITS | TELLS> (rounds, iterations, ms);
  fprintf (stderr, "no such way: %s\n", way);
  _exit (4);
}

__global__ void
trap ()
{
  asm volatile ("trap;");
}

__global__ void
spin (unsigned long long ns)
{
  unsigned long long begin = now_ns ();

  while (now_ns () - begin < ns)
    __nanosleep (100);
}

static void
disturb_by_trap ()
{
  int status;

  if (fork () == 0)
    {
      trap<<<1, 1>>> ();
      _exit (cudaDeviceSynchronize () == cudaSuccess ? 5 : 0);
    }
  wait (&status);
}

static void
disturb_by_memory ()
{
  void *p;

  MUST (cudaMalloc (&p, 64 << 20));
  MUST (cudaMemset (p, 1, 64 << 20));
  MUST (cudaFree (p));
}

/* A process of its own, until @stop. */
static void
disturb (const char *what, const volatile int *stop)
{
  while (*stop == 0)
    if (strcmp (what, "contexts") == 0)
      {
        MUST (cudaFree (nullptr));
        MUST (cudaDeviceReset ());
      }
    else if (strcmp (what, "traps") == 0)
      disturb_by_trap ();
    else if (strcmp (what, "memory") == 0)
      disturb_by_memory ();
    else if (strcmp (what, "grids") == 0)
      {
        spin<<<1056, 256>>> (5000000);
        MUST (cudaDeviceSynchronize ());
      }
    else
      _exit (4);
  _exit (0);
}

static const int disturbers = 4;

static volatile int *
begin_disturbers (const char *what)
{
  int *stop = (int *) mmap (nullptr, sizeof *stop, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  for (int i = 0; i < disturbers && what != nullptr; i++)
    if (fork () == 0)
      disturb (what, stop);
  return stop;
}

/* The processes begin before any of them has touched the driver. */
static bool
try_way (const char *way, int processes, int rounds, unsigned long long iterations, unsigned long long ms)
{
  const char *beside = getenv ("BESIDE");
  pid_t living[64];
  int good = 0;

  fflush (stdout);
  volatile int *stop = begin_disturbers (beside);
  for (int i = 0; i < processes; i++)
    if ((living[i] = fork ()) == 0)
      live_by (way, rounds, iterations, ms);
  for (int i = 0; i < processes; i++)
    {
      int status = 0;

      waitpid (living[i], &status, 0);
      good += WIFEXITED (status) && WEXITSTATUS (status) == 0;
    }
  *stop = 1;
  while (wait (nullptr) > 0)
    ;
  printf ("%-8s %-8s %d of %d processes came to their end\n", way, beside != nullptr ? beside : "", good, processes);
  return good == processes;
}

int
main (int argc, char **argv)
{
  static const char *const ways[] = { "plain", "outside", "waits", "tells", "both" };
  const int processes = argc > 2 && atoi (argv[2]) <= 64 ? atoi (argv[2]) : 5, rounds = argc > 3 ? atoi (argv[3]) : 10;
  const unsigned long long iterations = argc > 4 ? strtoull (argv[4], nullptr, 10) : 300000;
  const unsigned long long ms = argc > 5 ? strtoull (argv[5], nullptr, 10) : 100;
  bool good = true;

  if (argc > 1)
    return try_way (argv[1], processes, rounds, iterations, ms) ? 0 : 1;
  for (const char *way : ways)
    good &= try_way (way, processes, rounds, iterations, ms);
  return good ? 0 : 1;
}
