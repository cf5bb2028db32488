/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib.h>

G_BEGIN_DECLS

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

G_END_DECLS
