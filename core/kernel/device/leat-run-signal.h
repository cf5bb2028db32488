/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Messages between the host and a persistent kernel.  Shared by C and the text of kernels. */

#include <stdint.h>

#define LEAT_RUN_SIGNAL_SLOTS 64 /* runs that may be signalled at once, and lanes */
#define LEAT_PERSISTENT_STAGES 48
#define LEAT_PERSISTENT_BLOCKS 0x7fffffffu /* of a stage: the number of one that is not there is no other's */
#define LEAT_PERSISTENT_PARAM 48 /* bytes that a parameter has, as LEAT_PARAM_SLOT */

/* A word that one side writes and the other looks at: the number of a run, the lane that it is for, and whether the
 * kernel is to leave when that run has ended. */
#define LEAT_ORDER_MAKE(number, lane) ((uint64_t) (number) << 16 | (uint64_t) (lane) << 8)
#define LEAT_ORDER_NUMBER(order) ((order) >> 16)
#define LEAT_ORDER_LANE(order) ((unsigned int) ((order) >> 8 & 255))
#define LEAT_ORDER_LEAVE 1u

/* In pinned memory.  Each side writes cache lines of its own; a line crosses the link as a whole. */
typedef struct
{
  uint64_t order; /* the host's: an order, for the last run that was signalled */
  uint64_t unused_host[15];

  uint64_t done; /* the device's: number of the last run that has ended */
  uint64_t left; /* the last launch that has ended */
  /* Number of the run that took too long; what follows says where it was, and is written before. */
  uint64_t fault;
  uint64_t fault_stage, fault_block, fault_ticks;
  uint64_t unused_device[10];

  uint64_t lanes[LEAT_RUN_SIGNAL_SLOTS]; /* the host's: the lane of run n, at n modulo their number */
} LeatRunSignal;

/* Messages between the blocks, in memory of the device; all zeros when a launch begins. */
typedef struct
{
  uint64_t order;  /* from block 0 */
  uint64_t unused_order[15];
  uint64_t arrived; /* times that another block has ended a run */
  uint64_t unused_arrived[15];
  uint64_t met; /* times that a block has come to a barrier */
  uint64_t unused_met[15];
  unsigned int over; /* not 0: a run took too long, and all leave */
} LeatPersistentGrid;

/* One block's own data; in its shared memory, or behind the grid on the CPU. */
typedef struct
{
  LeatRunSignal *signal;
  LeatPersistentGrid *grid;
  uint64_t order;
  uint64_t limit_ns, deadline; /* of a run; 0: not known yet */
  uint64_t meets; /* barriers of all blocks so far */
  unsigned int stage;
} LeatPersistentBlock;

typedef enum
{
  LEAT_STAGE_COPY, /* parameters: to, from, bytes */
  LEAT_STAGE_FILL, /* to, value, bytes */
  LEAT_STAGE_KERNEL /* and on: by the place of the kernel in its file */
} LeatPersistentStageKind;

typedef struct
{
  unsigned int kind;
  unsigned int meets; /* with what the stages before have written */
  unsigned int grid[3];
  unsigned int args; /* where its parameters begin in those of a lane */
} LeatPersistentStage;

/* The one parameter of the kernel. */
typedef struct
{
  LeatRunSignal *signal;
  LeatPersistentGrid *grid;
  const unsigned char *args;
  uint64_t lane_bytes; /* from one lane's parameters to the next one's */
  uint64_t done;       /* runs that have ended before it began */
  uint64_t launch;     /* its number */
  uint64_t idle_ns;    /* without a run: it leaves */
  uint64_t limit_ns;   /* for one run */
  unsigned int n_stages;
  LeatPersistentStage stages[LEAT_PERSISTENT_STAGES];
} LeatPersistentParams;
