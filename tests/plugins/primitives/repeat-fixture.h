/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "primitive-fixture.h"
#include "repeat-watch.h"

G_BEGIN_DECLS

/* The same run again and again, each held against C: a race shows as a result that is another one now and then.  How
 * often is LEAT_TEST_REPEAT; else 100 times on a GPU, and twice where it is the CPU, with fewer nodes and rows; "few"
 * is the same on a GPU.  "watched" is for a tool that makes kernels some hundred times slower: once, some rows, every
 * third pattern, but as much room as on a GPU, which decides what kernels there are. */

typedef struct
{
  gconstpointer data;
  guint64 rows;
  gsize row_bytes;
} RepeatData;

typedef struct
{
  PrimitiveFixture fixture;
  RepeatWatch watch;
  char *node;
  guint times;
  guint64 runs; /* so far */
} Repeat;

/* From one pattern to the next. */
guint repeat_get_pattern_step (void);
/* @inputs and @outputs as primitive_fixture_open () takes them; inputs are bounded. */
void repeat_open (Repeat *self, const char *node, const char *inputs, const char *outputs);
/* @in, @out: as many as there are; what has no data in @out is what came first.  @what: for a message */
void repeat_check (Repeat *self, const RepeatData *in, const RepeatData *out, const char *what);
void repeat_close (Repeat *self);

/* Of how many rows, by number; 0 behind the last but for the first.  @most: room */
gboolean repeat_get_size (guint index, guint64 most, guint64 *n);
/* The largest of these. */
guint64 repeat_get_most_rows (guint64 most);

G_END_DECLS
