/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-fuzz-choices.h"
#include "leat.h"

G_BEGIN_DECLS

#define MODEL_ROOM_MOST   1000
#define MODEL_INPUTS_MOST 2

/* What a pipeline gives. */
typedef enum
{
  MODEL_PLAIN, /* each item times a, and one more */
  MODEL_SUM,   /* of all runs */
  MODEL_LATE,  /* what was plain in the run before */
  MODEL_FEW,   /* those below a limit */
  MODEL_TOTAL, /* of the items, as a number of 64 bits */
  MODEL_TOLD,  /* one more, and of some items is reported */
  MODEL_OUTS
} ModelOut;

typedef struct
{
  guint32 items[MODEL_ROOM_MOST];
  guint n;
} ModelItems;

/* What goes on from run to run. */
typedef struct
{
  guint32 sum[MODEL_ROOM_MOST];
  ModelItems late;
} ModelStates;

/* A pipeline of whole numbers, and what it would be at by C. */
typedef struct
{
  guint room, n_inputs;
  gboolean bounded, user_in, user_out;
  guint up[MODEL_INPUTS_MOST], back[MODEL_OUTS]; /* by what data cross */
  gboolean has[MODEL_OUTS];
  guint few_room; /* that the output of those has at first, and grows; 0: for all */
  guint expr;
  guint32 a;
  ModelStates states;
} SessionModel;

typedef struct
{
  ModelItems outs[MODEL_OUTS];
  guint64 warnings, errors; /* reports */
} ModelResult;

void session_model_make (SessionModel *self, LeatFuzzChoices *choices);
void session_model_choose_room (SessionModel *self, LeatFuzzChoices *choices);
gboolean session_model_has_states (const SessionModel *self);
/* The pipeline; sources are in0, in1, sinks out0 ... by what they give, the map is m, transfers up0 ..., back0 ... */
char *session_model_dup_text (const SessionModel *self, const char *kernels);
char *session_model_dup_spec (const SessionModel *self);
/* The expression of the map, for what is in `expr`. */
const char *session_model_get_expr (const SessionModel *self);
const char *session_model_get_mode (guint mode);
#define MODEL_MODES 4
#define MODEL_EXPRS 3
/* As when a session has been opened. */
void session_model_begin (SessionModel *self);
/* Of all sources. */
void session_model_make_inputs (const SessionModel *self, GRand *random, ModelItems *inputs);
/* A run. */
void session_model_run (SessionModel *self, const ModelItems *inputs, ModelResult *result);
/* Bytes of a result when all that there is room for is there. */
gsize session_model_get_bytes (const SessionModel *self, ModelOut out);

G_END_DECLS
