/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-fuzz-choices.h"
#include "leat.h"

G_BEGIN_DECLS

#define LANES_CHAINS_MOST 9
#define LANES_RUNS_MOST   12

typedef enum
{
  LANES_CHAIN_PLAIN,
  LANES_CHAIN_MAP,
  LANES_CHAIN_STAGES,
  LANES_CHAIN_COMPACT,
  LANES_CHAIN_SUM,
} LanesChainKind;

/* A source, what is done with its items, and a sink for each result. */
typedef struct
{
  LanesChainKind kind;
  guint bytes; /* of an item: 1 or 4 */
  guint room;
  gboolean bounded;
  guint32 a, b;
  guint up, back[2]; /* by what data cross */
} LanesChain;

/* Chains beside each other, and how often they are run. */
typedef struct
{
  LanesChain chains[LANES_CHAINS_MOST];
  guint n_chains, n_runs;
} LanesCase;

void lanes_case_make (LanesCase *self, LeatFuzzChoices *choices);
/* The pipeline; sources are in0, in1 ..., sinks out0, out1 ... */
char *lanes_case_dup_text (const LanesCase *self);
guint lanes_chain_get_outputs (const LanesChain *self);
/* What a source gives in a run. (transfer full) */
GBytes *lanes_chain_make_input (const LanesChain *self, GRand *random);
/* What comes of it, by C. (transfer full) */
GBytes *lanes_chain_compute (const LanesChain *self, guint output, GBytes *input);

G_END_DECLS
