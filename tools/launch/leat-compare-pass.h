/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-compare-side.h"
#include "leat-difference.h"

G_BEGIN_DECLS

/* The first difference of two ways. */
typedef struct
{
  gboolean found;
  guint64 runs;  /* that were held against each other; with a difference, the last is the one that has it */
  guint64 items; /* of all outputs in all of them */
  guint n_outputs;
  char *failure;          /* (nullable): the way @failed ends with this error, the other one does not */
  guint failed;           /* 0 or 1 */
  char *node, *port, *id; /* else: whose data differ */
  char *loop;             /* (nullable): the outermost one around it */
  guint64 iterations;     /* of that: as many as both ways did */
  LeatDifference difference;
} LeatCompareFound;

void leat_compare_found_clear (LeatCompareFound *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatCompareFound, leat_compare_found_clear)

/* Runs both ways side by side, up to the first run with a difference or the end. @ways: two. */
gboolean leat_compare_pass (LeatCompareFound *self, const LeatLaunchOptions *options, const LeatCompareWay *ways,
                            LeatCompareKeep keep, const LeatCompareLimit *limit, GError **error);

G_END_DECLS
