/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define COUNTS_INPUTS_MOST  2
#define COUNTS_OUTPUTS_MOST 3

/* Steps of the leading dimension, each some numbers of a type. */
typedef struct
{
  const char *port, *type;
  guint bytes;   /* of a number */
  guint columns; /* in a step; 0: one, without a dimension for it */
  guint share;   /* one step for so many rows of the first input; 0: for each */
  guint64 below; /* numbers are; 0: any */
} CountsInput;

/* What a node is given, and what C makes of it. */
typedef struct
{
  gconstpointer in[COUNTS_INPUTS_MOST];
  guint64 n[COUNTS_INPUTS_MOST]; /* steps that are live */
  GByteArray *out[COUNTS_OUTPUTS_MOST];
} CountsRun;

typedef struct
{
  const char *name, *node, *outputs;
  CountsInput inputs[COUNTS_INPUTS_MOST];
  void (*compute) (CountsRun *run); /* NULL: the run with as much as there is room for gives it */
} CountsCase;

/* map, and all primitives, which take data whose amount is data. */
extern const CountsCase counts_cases[];
extern const guint counts_n_cases;
/* Searches, whose runs are one stream. */
extern const CountsCase counts_searches[];
extern const guint counts_n_searches;

G_END_DECLS
