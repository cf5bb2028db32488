/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-fuzz-choices.h"
#include "leat.h"

G_BEGIN_DECLS

#define LOOPS_INPUTS_MOST     4
#define LOOPS_OPS_MOST        6
#define LOOPS_OUTPUTS_MOST    5
#define LOOPS_VALUES_MOST     (LOOPS_INPUTS_MOST + LOOPS_OPS_MOST)
#define LOOPS_ITERATIONS_MOST 12

typedef enum
{
  LOOPS_OP_NEXT,
  LOOPS_OP_GROW,
  LOOPS_OP_HALF,
  LOOPS_OP_SUM,
  LOOPS_OP_APART,
  LOOPS_OP_LOOP, /* a loop in the body */
} LoopsOpKind;

/* A node of the body.  Values are numbered, inputs first. */
typedef struct
{
  LoopsOpKind kind;
  guint x, y, times;
} LoopsOp;

/* A loop over arrays of whole numbers. */
typedef struct
{
  guint n_items, n_inputs, n_ops, n_outputs, most;
  LoopsOp ops[LOOPS_OPS_MOST];
  guint outputs[LOOPS_OUTPUTS_MOST]; /* the value of each */
  gboolean is_read[LOOPS_OUTPUTS_MOST];
  guint becomes[LOOPS_INPUTS_MOST]; /* the output that each is in the next iteration; LOOPS_OUTPUTS_MOST: it stays */
  guint tested;                     /* the value whose greatest item is looked at */
  guint32 limit;
  gboolean is_used[LOOPS_VALUES_MOST];
} LoopsCase;

/* What a run brings. */
typedef struct
{
  guint32 *outputs[LOOPS_OUTPUTS_MOST]; /* NULL where nobody reads it */
  guint32 series[LOOPS_ITERATIONS_MOST];
  guint iterations;
  gboolean converged;
} LoopsResult;

void loops_case_make (LoopsCase *self, LeatFuzzChoices *choices);
gboolean loops_case_is_nested (const LoopsCase *self);
/* The pipeline; sources are in0 ... of the inputs that are used, sinks out0 ... of the outputs that are read, and
 * series. */
char *loops_case_dup_text (const LoopsCase *self, const char *executor);
/* What the source of each input gives: room for all, one after the other. */
guint32 *loops_case_make_inputs (const LoopsCase *self, GRand *random);
/* The same by C; it takes its values from @inputs and leaves them changed. */
void loops_case_compute (const LoopsCase *self, guint32 *inputs, LoopsResult *result);
void loops_result_clear (LoopsResult *self);

G_END_DECLS
