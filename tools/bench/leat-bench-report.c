/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The figures of all cases: printed as a table when they come, kept for JSON at the end. */

#include "leat-bench-report.h"

#include <stdio.h>

struct _LeatBenchReport
{
  gboolean table;
  JsonArray *cases;
  JsonObject *figures; /* of the case that runs */
  JsonArray *notes;
  char *name;
};

LeatBenchReport *
leat_bench_report_new (gboolean table)
{
  LeatBenchReport *self = g_new0 (LeatBenchReport, 1);

  self->table = table;
  self->cases = json_array_new ();
  if (table)
    printf ("%-36s %7s %10s %10s %10s %10s %10s\n", "case", "runs", "median", "p10", "p90", "p99", "least");
  return self;
}

void
leat_bench_report_free (LeatBenchReport *self)
{
  json_array_unref (self->cases);
  g_free (self->name);
  g_free (self);
}

void
leat_bench_report_begin (LeatBenchReport *self, const char *case_name)
{
  JsonObject *object = json_object_new ();

  self->figures = json_object_new ();
  self->notes = json_array_new ();
  json_object_set_string_member (object, "name", case_name);
  json_object_set_object_member (object, "figures", self->figures);
  json_object_set_array_member (object, "notes", self->notes);
  json_array_add_object_element (self->cases, object);
  g_free (self->name);
  self->name = g_strdup (case_name);
}

void
leat_bench_report_add_times (LeatBenchReport *self, const char *figure, LeatBenchSeries *times)
{
  JsonObject *object = json_object_new ();
  g_autofree char *label = g_strdup_printf ("%s %s", self->name, figure);
  LeatBenchSummary summary;

  leat_bench_series_summarize (times, &summary);
  json_object_set_string_member (object, "unit", "us");
  json_object_set_int_member (object, "runs", summary.n);
  json_object_set_double_member (object, "median", summary.median);
  json_object_set_double_member (object, "p10", summary.p10);
  json_object_set_double_member (object, "p90", summary.p90);
  json_object_set_double_member (object, "p99", summary.p99);
  json_object_set_double_member (object, "least", summary.least);
  json_object_set_double_member (object, "most", summary.most);
  json_object_set_object_member (self->figures, figure, object);
  if (!self->table)
    return;
  printf ("%-36s %7u %10.3f %10.3f %10.3f %10.3f %10.3f us\n", label, summary.n, summary.median, summary.p10,
          summary.p90, summary.p99, summary.least);
  fflush (stdout);
}

void
leat_bench_report_add_value (LeatBenchReport *self, const char *figure, double value, const char *unit)
{
  JsonObject *object = json_object_new ();
  g_autofree char *label = g_strdup_printf ("%s %s", self->name, figure);

  json_object_set_string_member (object, "unit", unit);
  json_object_set_double_member (object, "value", value);
  json_object_set_object_member (self->figures, figure, object);
  if (!self->table)
    return;
  printf ("%-36s %7s %10.*f %s\n", label, "", g_str_equal (unit, "us") || g_str_equal (unit, "s") ? 3 : 0, value, unit);
  fflush (stdout);
}

void
leat_bench_report_add_median (LeatBenchReport *self, const char *figure, LeatBenchSeries *times)
{
  LeatBenchSummary summary;

  leat_bench_series_summarize (times, &summary);
  leat_bench_report_add_value (self, figure, summary.median, "us");
}

void
leat_bench_report_add_note (LeatBenchReport *self, const char *text)
{
  json_array_add_string_element (self->notes, text);
  if (self->table)
    printf ("%-36s %s\n", self->name, text);
}

JsonNode *
leat_bench_report_to_json (LeatBenchReport *self)
{
  JsonNode *node = json_node_new (JSON_NODE_ARRAY);

  json_node_set_array (node, self->cases);
  return node;
}
