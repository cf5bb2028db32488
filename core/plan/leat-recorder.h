/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "../kernel/leat-kernel-source.h"
#include "../graph/leat-node.h"
#include "leat-array-info.h"
#include "leat-loop-call.h"

G_BEGIN_DECLS

/**
 * LeatRecorder:
 *
 * Records the ops of a node, in its `record ()`.
 *
 * The planner lends one for that call and owns it; it must not be kept.  The node names the buffers of its ports, asks
 * for more where it needs some, and adds operations, which run in the order that their reads and writes demand. Nothing
 * happens at that time: no memory is taken and no driver is called.  The first fault is kept and fails the plan.
 */

/**
 * LEAT_BUFFER_NONE: (skip)
 *
 * The number that no buffer has: an unlinked port has this one.
 */
#define LEAT_BUFFER_NONE G_MAXUINT

/**
 * LeatBufferId:
 *
 * A buffer of a plan: a number into its table, the same until the plan is gone.
 */
typedef guint LeatBufferId;

/**
 * LeatArgKind:
 * @LEAT_ARG_ITEMS: the address of a buffer's first item
 * @LEAT_ARG_COUNT: the address of a buffer's count, a `uint64_t *`; where the kernel takes an input's count by value,
 * the count times the `uint64_t` at `value` (1 where that is %NULL). A count above the capacity is cut to it, and the
 * run fails
 * @LEAT_ARG_VALUE: bytes, copied when the call is recorded
 * @LEAT_ARG_NODE_ARG: an argument of the node, read when the session opens
 * @LEAT_ARG_QUEUE: a queue of leat_recorder_add_queue()
 * @LEAT_ARG_TEXTURE: a texture of an array of leat_recorder_add_array(); `value` points to its #LeatSampling
 * @LEAT_ARG_SURFACE: a surface of such an array
 * @LEAT_ARG_LOOP: for the test of a loop: what `leat_graph_set_conditional ()` is given, a `uint64_t`; 0 where the host
 * decides whether the loop goes on
 *
 * The kind of value that a parameter of a kernel gets.
 */
typedef enum
{
  LEAT_ARG_ITEMS,
  LEAT_ARG_COUNT,
  LEAT_ARG_VALUE,
  LEAT_ARG_NODE_ARG,
  LEAT_ARG_QUEUE,
  LEAT_ARG_LOOP,
  LEAT_ARG_TEXTURE,
  LEAT_ARG_SURFACE,
} LeatArgKind;

/**
 * LeatArg:
 * @kind: what is given
 * @buffer: the buffer, for %LEAT_ARG_ITEMS, %LEAT_ARG_COUNT, %LEAT_ARG_QUEUE, %LEAT_ARG_TEXTURE and %LEAT_ARG_SURFACE
 * @value: (nullable): the bytes, for %LEAT_ARG_VALUE and %LEAT_ARG_TEXTURE; the factor, for %LEAT_ARG_COUNT
 * @size: how many bytes, for %LEAT_ARG_VALUE and %LEAT_ARG_TEXTURE
 * @name: (nullable): the argument's name, for %LEAT_ARG_NODE_ARG
 *
 * One argument of a kernel's launch, in the place that its parameter has in #LeatPrototype.
 */
typedef struct
{
  LeatArgKind kind;
  LeatBufferId buffer;
  gconstpointer value;
  gsize size;
  const char *name;
} LeatArg;

/**
 * LeatAccess:
 * @LEAT_ACCESS_READ: it reads the buffer
 * @LEAT_ACCESS_WRITE: it writes the buffer and takes nothing from it
 * @LEAT_ACCESS_READ_WRITE: it reads and writes the buffer
 *
 * Access of an op to a buffer. It decides which ops wait for each other.
 */
typedef enum
{
  LEAT_ACCESS_READ = 1,
  LEAT_ACCESS_WRITE = 2,
  LEAT_ACCESS_READ_WRITE = 3
} LeatAccess;

/**
 * LeatPattern:
 * @LEAT_PATTERN_ANY: nothing is known
 * @LEAT_PATTERN_BLOCK: a block reads what blocks with its number have written, and what nobody writes meanwhile
 * @LEAT_PATTERN_ELEMENTWISE: an item of every output follows from the items with the same number, and one thread does
 * it
 * @LEAT_PATTERN_STENCIL: an item of every output follows from the items up to a distance away, and the thread with its
 * number does it
 *
 * The parts of its inputs that a kernel's outputs depend on, so that kernels can be fused.
 */
typedef enum
{
  LEAT_PATTERN_ANY,
  LEAT_PATTERN_BLOCK,
  LEAT_PATTERN_ELEMENTWISE,
  LEAT_PATTERN_STENCIL,
} LeatPattern;

/**
 * LEAT_BLOCK_MOST_CHOICES: (skip)
 *
 * The most sizes of a block that a launch may choose among.
 */
#define LEAT_BLOCK_MOST_CHOICES 8

/**
 * LeatBlockChoice:
 * @block: threads of a block along x, y and z
 * @grid: blocks along x, y and z; ignored where the launch has as many as run at once
 * @name: as it is printed and remembered, such as `16x16`
 *
 * One size of a block that a kernel may be launched with.
 *
 * Since: 0.1
 */
typedef struct
{
  guint block[3];
  guint grid[3];
  char name[20];
} LeatBlockChoice;

/**
 * LeatKernelCall:
 * @source: where the kernel is
 * @entry: its name there
 * @grid: blocks along x, y and z; ignored with @grid_by_occupancy
 * @block: threads of a block along x, y and z
 * @shared_bytes: dynamic shared memory of a block
 * @cooperative: whether all blocks must run at once, as a kernel with a grid barrier needs
 * @grid_by_occupancy: to take as many blocks as run at once, which is known when the session opens
 * @args: (array length=n_args): one for each parameter of the kernel
 * @n_args: how many
 * @buffers: (array length=n_buffers): the buffers that it reads or writes; those whose count it takes by value are
 * known by @args
 * @access: (array length=n_buffers): what it does with each of them
 * @n_buffers: how many
 * @pattern: what of its inputs its outputs follow from
 * @reach: with %LEAT_PATTERN_STENCIL: how many items away they may be, along each axis of the grid
 * @choices: (array length=n_choices) (nullable): sizes of a block, of which the first run finds the fastest; the first
 * one is @block and @grid. The results must be the same with each
 * @n_choices: how many, at most %LEAT_BLOCK_MOST_CHOICES
 *
 * A launch of a kernel, for leat_recorder_add_kernel(), which copies it and keeps a reference on the source.
 */
typedef struct
{
  LeatKernelSource *source;
  const char *entry;
  guint grid[3];
  guint block[3];
  guint shared_bytes;
  gboolean cooperative;
  gboolean grid_by_occupancy;
  const LeatArg *args;
  guint n_args;
  const LeatBufferId *buffers;
  const LeatAccess *access;
  guint n_buffers;
  LeatPattern pattern;
  guint64 reach;
  const LeatBlockChoice *choices;
  guint n_choices;
} LeatKernelCall;

/**
 * LeatStateScope:
 * @LEAT_STATE_SESSION: one for the session: each run finds what the run before it left, whatever lanes they are on
 * @LEAT_STATE_LANE: one for each lane
 *
 * The runs that a state continues through.
 */
typedef enum
{
  LEAT_STATE_SESSION,
  LEAT_STATE_LANE,
} LeatStateScope;

/**
 * LeatQueueInfo:
 * @name: what it is called, in messages and printed plans
 * @item_bytes: bytes of an item
 * @capacity: items that may be pushed and not done at one time, at least 1
 * @is_kept: whether a run finds what the run before it left; else it is empty when a run begins
 * @scope: whose runs, where it is kept
 * @loses: whether items that there was no room for are a warning, and not an error that fails the run
 * @patience: seconds that a thread waits for items in which none is claimed or done, before the run fails; 0 for ever
 *
 * A queue of work items in the device's memory, for leat_recorder_add_queue().
 */
typedef struct
{
  const char *name;
  gsize item_bytes;
  guint64 capacity;
  gboolean is_kept;
  LeatStateScope scope;
  gboolean loses;
  double patience;
} LeatQueueInfo;

LeatBufferId leat_recorder_get_input (LeatRecorder *self, const char *port);
LeatBufferId leat_recorder_get_output (LeatRecorder *self, const char *port);
LeatSpec *leat_recorder_get_spec (LeatRecorder *self, LeatBufferId buffer); /* (transfer none) (nullable) */
/* Gives an output the input's memory: in place. Refused (FALSE) when the input has other readers; then it is a new one.
 */
gboolean leat_recorder_alias (LeatRecorder *self, const char *output, const char *input);
LeatBufferId leat_recorder_add_scratch (LeatRecorder *self, const char *name, guint64 bytes);
/* A state that later sessions begin with; no result follows from it. */
LeatBufferId leat_recorder_add_learned (LeatRecorder *self, const char *name, guint64 bytes);
LeatBufferId leat_recorder_add_marks (LeatRecorder *self, const char *name, guint64 bytes);
/* Survives from run to run; starts as @initial (NULL: zeros). */
LeatBufferId leat_recorder_add_state (LeatRecorder *self, const char *name, guint64 bytes, GBytes *initial);
/* An output that gives a state, starting as @initial (NULL: zeros, and no live items). */
void leat_recorder_set_output_state (LeatRecorder *self, const char *port, GBytes *initial, LeatStateScope scope);
/* The data that come to @input, a delayed port, become the state that @output gives in the next run. */
void leat_recorder_align (LeatRecorder *self, const char *input, const char *other);
void leat_recorder_delay (LeatRecorder *self, const char *input, const char *output);
/* As alias, and only where the input is a state that the output becomes. */
gboolean leat_recorder_update (LeatRecorder *self, const char *output, const char *input);
/* Uploaded once when the session opens. */
LeatBufferId leat_recorder_add_const (LeatRecorder *self, const char *name, GBytes *bytes);
/* An output whose contents are uploaded once when the session opens (the node `const`). */
void leat_recorder_set_output_const (LeatRecorder *self, const char *port, GBytes *bytes);

/* For groups: what is recorded from here on is a loop's body, up to leat_recorder_end_loop ().  For the test: */
void leat_recorder_begin_loop (LeatRecorder *self, const LeatLoopCall *call);
/* what the body brings to an output; */
LeatBufferId leat_recorder_get_result (LeatRecorder *self, const char *port);
/* memory of 64 bytes that is zeros when the loop begins; a LeatLoopReport; of the loop at hand. */
LeatBufferId leat_recorder_get_loop_memory (LeatRecorder *self);
LeatBufferId leat_recorder_get_outer_loop_memory (LeatRecorder *self);
LeatBufferId leat_recorder_get_loop_report (LeatRecorder *self);
/* An output of a group is what a buffer is; gets a buffer of its own. */
void leat_recorder_set_output (LeatRecorder *self, const char *port, LeatBufferId buffer);
LeatBufferId leat_recorder_add_output (LeatRecorder *self, const char *port);

/* For a parameter `LeatQueue<T>`. */
LeatBufferId leat_recorder_add_queue (LeatRecorder *self, const LeatQueueInfo *info);
/* For parameters that are textures or surfaces. */
LeatBufferId leat_recorder_add_array (LeatRecorder *self, const LeatArrayInfo *info);

void leat_recorder_add_kernel (LeatRecorder *self, const LeatKernelCall *call);
/* Of the kernel that was added last. */
void leat_recorder_keep_count (LeatRecorder *self, LeatBufferId from);
/* Whole buffer, header included; both have one size. */
void leat_recorder_add_copy (LeatRecorder *self, LeatBufferId to, LeatBufferId from);
/* The count alone, between two buffers of bounded specs. */
void leat_recorder_copy_count (LeatRecorder *self, LeatBufferId to, LeatBufferId from);
void leat_recorder_add_fill (LeatRecorder *self, LeatBufferId buffer, guint8 value);
void leat_recorder_clear_count (LeatRecorder *self, LeatBufferId buffer);
/**
 * LeatTransferMode:
 * @LEAT_TRANSFER_AUTO: the fastest, by measuring in the first run, or as was measured before
 * @LEAT_TRANSFER_COPY: always a copy
 * @LEAT_TRANSFER_MAPPED: no copy where that can be: kernels read and write the host's memory in place
 * @LEAT_TRANSFER_KERNEL: a kernel of Leat's moves what is live
 *
 * The mode of a transfer between host and device, as for the property `mode` of `upload` and `readback`.
 */
typedef enum
{
  LEAT_TRANSFER_AUTO,
  LEAT_TRANSFER_COPY,
  LEAT_TRANSFER_MAPPED,
  LEAT_TRANSFER_KERNEL
} LeatTransferMode;
void leat_recorder_add_transfer (LeatRecorder *self, LeatBufferId to, LeatBufferId from, LeatTransferMode mode);
/* After the last data, one more run with a count of 0 on every bounded input, so that kept data can be given out. The
 * buffer is one uint64_t: 1 in that run, which nothing else tells from a run of empty data, and 0 in all others. */
LeatBufferId leat_recorder_request_flush (LeatRecorder *self);
/* Something that is no error and is likely to be a mistake; goes to the pipeline's bus. */
void leat_recorder_warn (LeatRecorder *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

G_END_DECLS
