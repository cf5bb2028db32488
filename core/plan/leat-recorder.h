/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "../kernel/leat-kernel-source.h"
#include "../graph/leat-node.h"

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
} LeatArgKind;

/**
 * LeatArg:
 * @kind: what is given
 * @buffer: the buffer, for %LEAT_ARG_ITEMS, %LEAT_ARG_COUNT and %LEAT_ARG_QUEUE
 * @value: (nullable): the bytes, for %LEAT_ARG_VALUE; the factor, for %LEAT_ARG_COUNT
 * @size: how many bytes, for %LEAT_ARG_VALUE
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
} LeatKernelCall;

/**
 * LeatFuseCall:
 * @is_checked: whether kernels that say which items they touch are held to it
 *
 * Describes how kernels are fused, for leat_recorder_end_fusion().
 */
typedef struct
{
  gboolean is_checked;
} LeatFuseCall;

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

/**
 * LeatLoopMethod:
 * @LEAT_LOOP_AUTO: the fastest that can do it
 * @LEAT_LOOP_WHILE: a node of the graph that does its body again as long as a kernel says so
 * @LEAT_LOOP_UNROLLED: the body as often in the graph as it is done; only without a test
 * @LEAT_LOOP_HOST: the host launches each iteration, and looks whether there is to be another one
 * @LEAT_LOOP_FUSED: one kernel does all iterations, and its blocks meet at barriers
 *
 * The methods of a loop; the results are the same.
 */
typedef enum
{
  LEAT_LOOP_AUTO,
  LEAT_LOOP_WHILE,
  LEAT_LOOP_UNROLLED,
  LEAT_LOOP_HOST,
  LEAT_LOOP_FUSED,
} LeatLoopMethod;

/**
 * LeatLoopEnd:
 * @LEAT_LOOP_END_NONE: it has not run
 * @LEAT_LOOP_END_CONVERGED: its test said so
 * @LEAT_LOOP_END_CAP: it has done as many iterations as it may
 * @LEAT_LOOP_END_BUDGET: its time was over
 * @LEAT_LOOP_END_AROUND: the time of another one was over: in its body, or in that of a loop around both
 *
 * Why a loop ended.
 */
typedef enum
{
  LEAT_LOOP_END_NONE,
  LEAT_LOOP_END_CONVERGED,
  LEAT_LOOP_END_CAP,
  LEAT_LOOP_END_BUDGET,
  LEAT_LOOP_END_AROUND,
} LeatLoopEnd;

/**
 * LEAT_LOOP_OPERANDS: (skip)
 *
 * Operands of its test that the report of a loop has room for.
 */
#define LEAT_LOOP_OPERANDS 8

/**
 * LeatLoopReport:
 * @goes_on: whether there is to be another iteration
 * @iterations: done so far
 * @end: a #LeatLoopEnd
 * @away: how many there were when its time was over; stays when the loop is done again, until the host clears it
 * @ends: nobody wants any more of it: it has run away before, or the host says so; it is looked at once in
 *   %LEAT_LOOP_LOOK iterations, and stays likewise
 * @values: the operands of the test, as they were in the last iteration
 *
 * The outcome of a loop, written by its test to host memory that the device sees.  It may be written in the last
 * iteration alone, unless the host decides.
 */
typedef struct
{
  guint64 goes_on;
  guint64 iterations;
  guint64 end;
  guint64 away;
  guint64 ends;
  double values[LEAT_LOOP_OPERANDS];
} LeatLoopReport;

/**
 * LEAT_LOOP_LOOK:
 *
 * In so many iterations a loop looks once whether anybody wants more of it, as reading memory of the host takes as long
 * as a small iteration.
 */
#define LEAT_LOOP_LOOK 64

/**
 * LeatLoopCall:
 * @most: iterations that it does at most, at least 1
 * @method: how they are done
 * @is_tested: whether it may end before
 * @budget_ns: what it may take; 0: any time
 * @fused_test: (nullable): for %LEAT_LOOP_FUSED, a kernel in the file of the test and with the same parameters,
 *   which all threads run.  In place of the loop's memory each has three numbers of its own: the iterations that are
 *   done, whether it goes on, which the kernel writes, and 1 where its time is over or 2 where that of another one is
 * @operands: (nullable) (array zero-terminated=1): what the values in the report are called
 * @inputs: (array zero-terminated=1): inputs of the group that go on from one iteration to the next
 * @outputs: (array zero-terminated=1): for each of them, what it becomes: an output of the group
 *
 * A loop, for leat_recorder_begin_loop().
 */
typedef struct
{
  guint64 most;
  LeatLoopMethod method;
  gboolean is_tested;
  guint64 budget_ns;
  const char *fused_test;
  const char *const *operands;
  const char *const *inputs;
  const char *const *outputs;
} LeatLoopCall;

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
/* What comes to @input, a delayed port, is what the state that @output gives is in the next run. */
void leat_recorder_delay (LeatRecorder *self, const char *input, const char *output);
/* As alias, and only where the input is a state that the output becomes. */
gboolean leat_recorder_update (LeatRecorder *self, const char *output, const char *input);
/* Uploaded once when the session opens. */
LeatBufferId leat_recorder_add_const (LeatRecorder *self, const char *name, GBytes *bytes);
/* An output whose contents are uploaded once when the session opens (the node `const`). */
void leat_recorder_set_output_const (LeatRecorder *self, const char *port, GBytes *bytes);

/* For groups: what is recorded from here on is a loop's body; at the end of the body, the kernel that tests.  For that:
 */
void leat_recorder_begin_loop (LeatRecorder *self, const LeatLoopCall *call);
gboolean leat_recorder_end_loop (LeatRecorder *self, const LeatKernelCall *test, GError **error);
/* what the body brings to an output; */
LeatBufferId leat_recorder_get_result (LeatRecorder *self, const char *port);
/* memory of 64 bytes that is zeros when the loop begins; a LeatLoopReport; of the loop at hand. */
LeatBufferId leat_recorder_get_loop_memory (LeatRecorder *self);
LeatBufferId leat_recorder_get_outer_loop_memory (LeatRecorder *self);
LeatBufferId leat_recorder_get_loop_report (LeatRecorder *self);
/* An output of a group is what a buffer is; gets a buffer of its own. */
void leat_recorder_set_output (LeatRecorder *self, const char *port, LeatBufferId buffer);
LeatBufferId leat_recorder_add_output (LeatRecorder *self, const char *port);

/* For groups: what is recorded between the two becomes one kernel. */
guint leat_recorder_begin_fusion (LeatRecorder *self);
gboolean leat_recorder_end_fusion (LeatRecorder *self, guint first, const LeatFuseCall *call, GError **error);

/* For a parameter `LeatQueue<T>`. */
LeatBufferId leat_recorder_add_queue (LeatRecorder *self, const LeatQueueInfo *info);

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
