/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-case.h"

G_BEGIN_DECLS

/* A session between the app nodes "source" and "sink", both filled and read in place, of single-precision numbers. */

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  float *in;
  const float *out;
  gsize n;    /* numbers in, and out */
  gsize step; /* between those that change from run to run */
} LeatBenchSubject;

/* A number becomes number * times + plus. */
typedef struct
{
  double times, plus;
} LeatBenchRule;

/* The text is in the file form; then properties of the session with their values, and NULL.  Nothing is left over after
 * an error. */
gboolean leat_bench_subject_open (LeatBenchSubject *self, const LeatBench *bench, const char *text, GError **error,
                                  const char *first_property, ...) G_GNUC_NULL_TERMINATED;
/* The same with a session that is open; takes both. */
gboolean leat_bench_subject_take (LeatBenchSubject *self, LeatPipeline *pipeline, LeatSession *session, GError **error);
void leat_bench_subject_close (LeatBenchSubject *self);
/* Fills the whole input, replays, and looks at the whole output. */
gboolean leat_bench_subject_try (LeatBenchSubject *self, const LeatBenchRule *rule, GError **error);
/* Says that the input is about to change. */
gboolean leat_bench_subject_lend (LeatBenchSubject *self, GError **error);
/* Changes numbers all over the input. */
void leat_bench_subject_stir (LeatBenchSubject *self, guint round);
/* One replay as an application does it, its time in microseconds; negative after an error. */
double leat_bench_subject_replay (LeatBenchSubject *self, gboolean lend, GError **error);
/* Are the numbers that were changed what they must become? */
gboolean leat_bench_subject_check (LeatBenchSubject *self, guint round, const LeatBenchRule *rule, GError **error);
guint64 leat_bench_subject_get_stat (LeatBenchSubject *self, const char *name);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchSubject, leat_bench_subject_close)

G_END_DECLS
