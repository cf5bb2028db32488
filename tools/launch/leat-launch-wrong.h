/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-dump.h"

G_BEGIN_DECLS

/* The way that a run is held against. */
typedef enum
{
  LEAT_COMPARE_OFF,
  LEAT_COMPARE_CPU,
  LEAT_COMPARE_EAGER,
  LEAT_COMPARE_UNFUSED,
  LEAT_COMPARE_UNOPTIMISED,
} LeatCompare;

/* What the command line asks for when results are wrong. */
typedef struct
{
  GPtrArray *dumps; /* LeatDump */
  LeatCompare compare;
  double tolerance;
  char *record_path; /* NULL: nothing is recorded */
  guint64 record_runs;
  char *code_folder; /* NULL: the code is not written */

  /*< private >*/
  char **dump_words;
  char *compare_word, *tolerance_word, *runs_word;
} LeatLaunchWrong;

void leat_launch_wrong_add_options (LeatLaunchWrong *self, GOptionContext *context);
/* When they are parsed. */
gboolean leat_launch_wrong_check (LeatLaunchWrong *self, GError **error);
void leat_launch_wrong_clear (LeatLaunchWrong *self);

G_END_DECLS
