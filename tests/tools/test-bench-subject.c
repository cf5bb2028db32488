/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-bench-subject.h"

/* What leat-bench trusts: wrong results are seen, and medians are medians. */

#define TEXT "leat 1\napp name=source spec=f32[5000] -> upload -> map expr=%s -> readback -> app name=sink\n"

static const LeatBench bench = { 0 };
static const LeatBenchRule rule = { 2, 1 };

static void
open_subject (LeatBenchSubject *subject, const char *expression)
{
  g_autofree char *text = g_strdup_printf (TEXT, expression);
  g_autoptr (GError) error = NULL;

  leat_bench_subject_open (subject, &bench, text, &error, "memo", LEAT_MEMO_OFF, NULL);
  g_assert_no_error (error);
}

static void
test_bench_subject_passes_right_results (void)
{
  g_auto (LeatBenchSubject) subject = { 0 };
  g_autoptr (GError) error = NULL;

  open_subject (&subject, "2*x+1");
  leat_bench_subject_try (&subject, &rule, &error);
  g_assert_no_error (error);
  for (guint round = 0; round < 20; round++)
    {
      leat_bench_subject_stir (&subject, round);
      g_assert_cmpfloat (leat_bench_subject_replay (&subject, TRUE, &error), >=, 0);
      leat_bench_subject_check (&subject, round, &rule, &error);
      g_assert_no_error (error);
    }
}

static void
test_bench_subject_sees_wrong_results (void)
{
  g_auto (LeatBenchSubject) subject = { 0 };
  g_autoptr (GError) error = NULL;

  /* right for all numbers but the one in the middle of the range */
  open_subject (&subject, "\"x == 2000 ? 0.0 : 2*x+1\"");
  g_assert_false (leat_bench_subject_try (&subject, &rule, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
}

/* A run that did not take what was written last. */
static void
test_bench_subject_sees_stale_results (void)
{
  g_auto (LeatBenchSubject) subject = { 0 };
  g_autoptr (GError) error = NULL;

  open_subject (&subject, "2*x+1");
  leat_bench_subject_stir (&subject, 1);
  g_assert_cmpfloat (leat_bench_subject_replay (&subject, TRUE, &error), >=, 0);
  g_assert_false (leat_bench_subject_check (&subject, 2, &rule, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
}

static void
test_bench_series_summarizes (void)
{
  g_auto (LeatBenchSeries) series = { 0 };
  LeatBenchSummary summary;

  leat_bench_series_init (&series, 1000);
  for (guint i = 0; i < 1001; i++)
    leat_bench_series_add (&series, (i * 7) % 1000);
  leat_bench_series_summarize (&series, &summary);
  g_assert_cmpuint (summary.n, ==, 1000);
  g_assert_cmpfloat (summary.least, ==, 0);
  g_assert_cmpfloat (summary.p10, ==, 100);
  g_assert_cmpfloat (summary.median, ==, 500);
  g_assert_cmpfloat (summary.p90, ==, 899);
  g_assert_cmpfloat (summary.p99, ==, 989);
  g_assert_cmpfloat (summary.most, ==, 999);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/tools/bench-subject/passes-right-results", test_bench_subject_passes_right_results);
  g_test_add_func ("/leat/tools/bench-subject/sees-wrong-results", test_bench_subject_sees_wrong_results);
  g_test_add_func ("/leat/tools/bench-subject/sees-stale-results", test_bench_subject_sees_stale_results);
  g_test_add_func ("/leat/tools/bench-series/summarizes", test_bench_series_summarizes);
  return g_test_run ();
}
