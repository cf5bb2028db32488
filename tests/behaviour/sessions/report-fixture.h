/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session-fixture.h"

#define REPORT_ITEMS 4096

/* Codes of the kernels here. */
enum
{
  REPORT_NEGATIVE = 1, /* error: x < 0 */
  REPORT_LARGE = 2,    /* warning: x > 1000 */
  REPORT_ODD = 9,      /* not declared: x == 77 */
  REPORT_N_CODES = 10
};

/* A file with the kernels:
 * `judge`, x: i32 -> y: i32, y = x + 1, reports from a template that a function calls;
 * `meet`, the same with barriers, and a variant for the CPU;
 * `kinds`, x: i32 -> y: i32, reports values of each type, x[0] deciding;
 * `zed`, as `judge`, and the lanes of a batch cannot be done in one launch of it;
 * `codes`, x: i32 -> y: i32, reports with the codes x + 3. */
void report_fixture_init (void);
void report_fixture_clear (void);
/* @chain: what stands between upload and readback, KERNELS being the file. */
void report_fixture_open (SessionFixture *self, const char *chain, LeatExecutor executor);
/* The same for a whole pipeline. */
void report_fixture_open_text (SessionFixture *self, const char *text, LeatExecutor executor);
/* One run. NULL with an error where it failed: then there must be no result. */
GBytes *report_fixture_run (SessionFixture *self, const gint32 *x, guint n, GError **error);
/* Holds the reports of a run that @node made against what they must be for @x. */
void report_fixture_check (SessionFixture *self, const char *node, const gint32 *x, guint n);
/* What was posted since the last time; those that are no warnings of reports fail the test. */
guint report_fixture_count_warnings (SessionFixture *self);
