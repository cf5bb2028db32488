/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The binary interface between a kernel image built for the CPU driver (a shared object that the source transformation
 * generates and the host C++ compiler builds) and the CPU driver that runs it.  C and C++; includes nothing of GLib, so
 * that it can be prepended to a kernel's text.
 *
 * An image exports one symbol, `leat_host_module`.  Before any entry of it is called, the driver stores its runtime
 * table in `*leat_host_module.runtime` and checks magic and abi.
 */

#include <stddef.h>
#include <stdint.h>

#define LEAT_HOST_MODULE_MAGIC 0x5441454cu /* "LEAT" */
#define LEAT_HOST_MODULE_ABI 1u
#define LEAT_HOST_MODULE_SYMBOL "leat_host_module"

/* Bytes handed to cuModuleLoadData on the CPU driver: this header, then the shared object. */
#define LEAT_HOST_IMAGE_MAGIC "LEATIMG1"

typedef struct
{
  char magic[8];    /* LEAT_HOST_IMAGE_MAGIC, no terminator */
  uint64_t size;    /* bytes of the shared object that follow */
  uint64_t check;   /* XXH3_64bits of those bytes */
  uint64_t target;  /* reserved, 0 */
} LeatHostImageHeader;

typedef struct
{
  uint32_t x, y, z;
} LeatHostDim3;

/* One running block.  The driver fills it; kernels read it.  `shared` is the arena of the block: static shared memory
 * from offset 0 (leat_host_kernel.static_shared bytes), then dynamic shared memory at `dynamic_offset`, 16-byte aligned. */
typedef struct
{
  LeatHostDim3 grid;
  LeatHostDim3 block;
  LeatHostDim3 index;
  unsigned char *shared;
  uint32_t dynamic_offset;
  uint32_t dynamic_bytes;
  void *engine; /* the driver's own */
} LeatHostBlock;

typedef enum
{
  LEAT_HOST_WARP_SHFL_IDX,  /* value of lane `arg` */
  LEAT_HOST_WARP_SHFL_UP,   /* value of lane - arg, own value outside the segment */
  LEAT_HOST_WARP_SHFL_DOWN, /* value of lane + arg */
  LEAT_HOST_WARP_SHFL_XOR,  /* value of lane ^ arg */
  LEAT_HOST_WARP_BALLOT,    /* bit per lane whose value is not 0 */
  LEAT_HOST_WARP_ANY,
  LEAT_HOST_WARP_ALL,
  LEAT_HOST_WARP_MATCH_ANY, /* mask of the lanes with an equal 64-bit value */
  LEAT_HOST_WARP_SYNC,
  LEAT_HOST_WARP_REDUCE_ADD, /* 32-bit unsigned, as __reduce_*_sync */
  LEAT_HOST_WARP_REDUCE_MIN,
  LEAT_HOST_WARP_REDUCE_MAX,
  LEAT_HOST_WARP_REDUCE_AND,
  LEAT_HOST_WARP_REDUCE_OR,
  LEAT_HOST_WARP_REDUCE_XOR,
  LEAT_HOST_WARP_REDUCE_ADD_SIGNED,
  LEAT_HOST_WARP_REDUCE_MIN_SIGNED,
  LEAT_HOST_WARP_REDUCE_MAX_SIGNED,
  LEAT_HOST_WARP_MEET /* mask of the lanes that are at the place `arg` when no other thread can go on */
} LeatHostWarpOp;

typedef enum
{
  LEAT_HOST_BARRIER_PLAIN,
  LEAT_HOST_BARRIER_COUNT, /* how many threads passed a non-zero predicate */
  LEAT_HOST_BARRIER_AND,
  LEAT_HOST_BARRIER_OR
} LeatHostBarrierOp;

/* The driver's functions for running kernels.  Every function is called on the thread (fiber) of the CUDA thread it
 * serves, by kernels whose entry says may_wait.  Any kernel may call trap, print, clock and set_conditional. */
typedef struct
{
  uint32_t size;
  uint32_t abi;
  int (*barrier) (LeatHostBlock *block, LeatHostBarrierOp op, int predicate);
  uint64_t (*warp) (LeatHostBlock *block, LeatHostWarpOp op, uint32_t mask, uint64_t value, uint32_t arg, uint32_t width);
  uint32_t (*active_mask) (LeatHostBlock *block);
  void (*grid_barrier) (LeatHostBlock *block);
  void (*nanosleep) (LeatHostBlock *block, uint32_t ns); /* lets other threads of the block, then of the host, run */
  void (*trap) (LeatHostBlock *block, const char *what, const char *file, uint32_t line); /* does not return */
  int (*print) (LeatHostBlock *block, const char *format, ...);
  uint64_t (*clock) (LeatHostBlock *block); /* nanoseconds */
  void (*set_conditional) (LeatHostBlock *block, uint64_t handle, uint32_t value); /* a driver may end before it */
  /* Where an image keeps which CUDA thread this thread of the host runs.  Images have no thread-local variables: these
   * outlive an image that is unloaded.  A driver may end before it. */
  void **(*own) (void);
} LeatHostRuntime;

typedef struct
{
  uint32_t offset; /* in the packed argument block, aligned as in C */
  uint32_t size;
} LeatHostParam;

enum
{
  LEAT_HOST_KERNEL_MAY_WAIT = 1u << 0,    /* barriers, warp operations or nanosleep can be reached: needs fibers */
  LEAT_HOST_KERNEL_GRID_BARRIER = 1u << 1 /* waits for the whole grid: cooperative launches only */
};

/* The upper half of a kernel's flags: how many threads its block may have; 0: as many as any. */
#define LEAT_HOST_KERNEL_BOUNDS_SHIFT 16

/* `flat` runs all threads of a block in a loop and is NULL when MAY_WAIT is set, and in an image that ThreadSanitizer
 * checks, which has to see the threads apart; `thread` runs one; `variant` is the plain C form of a whole block (same
 * result as all threads together), or NULL.  Where it is all that is ever run, the others may be NULL. */
typedef struct
{
  const char *name;
  uint32_t n_params;
  const LeatHostParam *params;
  uint32_t params_size;
  uint32_t static_shared;
  uint32_t flags;
  void (*flat) (LeatHostBlock *block, const void *params);
  void (*thread) (LeatHostBlock *block, const void *params, LeatHostDim3 thread);
  void (*variant) (LeatHostBlock *block, const void *params);
} LeatHostKernel;

typedef struct
{
  const char *name;
  void *address;
  uint64_t size;
} LeatHostGlobal;

typedef struct
{
  uint32_t magic;
  uint32_t abi;
  const LeatHostRuntime **runtime;
  uint32_t n_kernels;
  uint32_t n_globals;
  const LeatHostKernel *kernels;
  const LeatHostGlobal *globals;
} LeatHostModule;
