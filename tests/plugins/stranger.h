/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Item @i of what a kernel makes of the @n items @x. */
typedef gint32 (*StrangerOracle) (const gint32 *x, gsize i, gsize n);

/* The items that one of the results depends on: any, or the one with its number. */
typedef enum
{
  STRANGER_ANY,
  STRANGER_ITEM
} StrangerReach;

/* A CUDA file as programs have them, written for this test: its kernel takes numbers, x, and makes as many, y. */
typedef struct
{
  const char *name;       /* of strangers/NAME.cu */
  const char *properties; /* of the node */
  StrangerOracle oracle;
  const char *from, *to; /* a mistake, which has to show */
  StrangerReach reach;
  const char *spec; /* (nullable): what a number is where that is not i32; then no `map` is its neighbour */
} Stranger;

/* Each ends with a row of no name. */
extern const Stranger strangers_programs[], strangers_templates[], strangers_values[], strangers_functions[],
  strangers_threads[], strangers_headers[], strangers_numbers[];

/* How a kernel is run. */
typedef struct
{
  const char *name;
  LeatExecutor executor;
  guint n_entries;   /* of a batch; 0: a run by itself */
  gboolean is_fused; /* in a megakernel, between two maps */
  gboolean may_fuse; /* between two maps, with fuse=auto */
} StrangerForm;

/* Those that cost a compiler's time each; up to one of no name. */
extern const StrangerForm stranger_forms[];
/* What is said where a form of these is refused, or why the plan has none; NULL where it has. */
const char *stranger_find_refusal (const Stranger *self, const StrangerForm *form);

/* The text of the file. (transfer full) */
char *stranger_dup_text (const Stranger *self);
/* Whether the kernel, as @text has it, makes of @n random numbers what the oracle does.  @error where it did not run.
 */
gboolean stranger_agrees (const Stranger *self, const char *text, const StrangerForm *form, gsize n, GError **error);
/* A run of the kernel, on the numbers of each entry one behind the other. (transfer full) (element-type GBytes) */
GPtrArray *stranger_run (const Stranger *self, const char *text, const StrangerForm *form, const gint32 *x, gsize n,
                         GError **error);

G_END_DECLS
