/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-fuzz-choices.h"
#include "leat.h"

G_BEGIN_DECLS

#define JOIN_INPUTS_MOST 3
#define JOIN_NODES_MOST  8
#define JOIN_GIVES_MOST  3 /* outputs of a node */
#define JOIN_VALUES_MOST (JOIN_INPUTS_MOST + JOIN_NODES_MOST * JOIN_GIVES_MOST)
#define JOIN_VERTICES    20 /* of the graph in join-graph.txt */

typedef enum
{
  JOIN_MAP,
  JOIN_SUM, /* a map of two inputs */
  JOIN_COMPACT,
  JOIN_SORT,
  JOIN_CARRY, /* a sort with values */
  JOIN_GATHER,
  JOIN_SCATTER,
  JOIN_PARTITION,
  JOIN_SCAN,
  JOIN_REDUCE,
  JOIN_HISTOGRAM,
  JOIN_UNIQUE,
  JOIN_STEP, /* kernels of join-kernels.cu */
  JOIN_NEAR,
  JOIN_PICK,
  JOIN_LOOP,
  JOIN_STATE,
  JOIN_TEXT,
  JOIN_REACH, /* csr:bfs */
  JOIN_N_KINDS
} JoinKind;

/* Whole numbers, and how many of them there may be. */
typedef struct
{
  guint bytes; /* of a number; 0: rows of something that no other node takes */
  guint room;
  gboolean bounded;
  guint node; /* that gives it; JOIN_NODES_MOST: an input */
  const char *port;
  gboolean is_read; /* by the host */
  gboolean is_taken;
} JoinValue;

typedef struct
{
  JoinKind kind;
  guint takes[2];
  guint n_takes;
  guint gives, n_gives; /* values from there on */
  guint a, b;
} JoinNode;

/* Nodes that are linked at random. */
typedef struct
{
  guint n_inputs, n_nodes, n_values;
  JoinNode nodes[JOIN_NODES_MOST];
  JoinValue values[JOIN_VALUES_MOST];
  guint up[JOIN_INPUTS_MOST], back[JOIN_VALUES_MOST]; /* modes of transfers */
  guint group_first, group_end;                       /* nodes that are asked to become one kernel */
} JoinCase;

/* What is kept from run to run. */
typedef struct
{
  guint64 *sums[JOIN_NODES_MOST];
  guint64 scanned[JOIN_NODES_MOST];
} JoinMemory;

typedef struct
{
  guint64 *items; /* of a report of text two for each */
  gsize n;
} JoinData;

void join_case_make (JoinCase *self, LeatFuzzChoices *choices);
/* @grouped: with the nodes of the group in one; @loop_executor: of loops */
char *join_case_dup_text (const JoinCase *self, gboolean grouped, const char *loop_executor);
GBytes *join_case_make_input (const JoinCase *self, guint input, GRand *random);
/* All values of one run, by C. (transfer full): to be cleared */
void join_case_compute (const JoinCase *self, GPtrArray *inputs, guint first_input, JoinMemory *memory, JoinData *data);
GBytes *join_case_make_bytes (const JoinCase *self, guint value, const JoinData *data);
void join_data_clear (JoinData *data, guint n);
void join_memory_clear (JoinMemory *self);

G_END_DECLS
