/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-series.h"

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* The results of cases: a line of a table at once, and all of it as JSON at the end. */

typedef struct _LeatBenchReport LeatBenchReport;

LeatBenchReport *leat_bench_report_new (gboolean table);
void leat_bench_report_free (LeatBenchReport *self);
void leat_bench_report_begin (LeatBenchReport *self, const char *case_name);
void leat_bench_report_add_times (LeatBenchReport *self, const char *figure, LeatBenchSeries *times);
void leat_bench_report_add_value (LeatBenchReport *self, const char *figure, double value, const char *unit);
/* The one in the middle, of differences for one. */
void leat_bench_report_add_median (LeatBenchReport *self, const char *figure, LeatBenchSeries *times);
/* Why a figure is not there. */
void leat_bench_report_add_note (LeatBenchReport *self, const char *text);
/* An array of {"name", "figures", "notes"}. (transfer full) */
JsonNode *leat_bench_report_to_json (LeatBenchReport *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatBenchReport, leat_bench_report_free)

G_END_DECLS
