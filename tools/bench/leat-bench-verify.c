/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The work of leat-bench --verify: a file of evidence is read, checked and summed up.  The file is never changed. */

#include "leat-bench-verify.h"

#include "leat-evidence.h"

#include <stdio.h>

/* (nullable) (transfer full) (element-type LeatRequirement) */
static GPtrArray *
leat_bench_verify_parse (char **requirements, GError **error)
{
  g_autoptr (GPtrArray) parsed = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_requirement_free);

  for (guint i = 0; requirements != NULL && requirements[i] != NULL; i++)
    {
      LeatRequirement *requirement = leat_requirement_parse (requirements[i], error);

      if (requirement == NULL)
        return NULL;
      g_ptr_array_add (parsed, requirement);
    }
  return g_steal_pointer (&parsed);
}

static int
leat_bench_verify_compare (gconstpointer a, gconstpointer b)
{
  const LeatEvidenceFault *x = *(LeatEvidenceFault *const *) a, *y = *(LeatEvidenceFault *const *) b;

  if (x->line != y->line)
    return x->line < y->line ? -1 : 1;
  return x->column < y->column ? -1 : x->column > y->column;
}

static void
leat_bench_verify_tell_fault (const char *path, const LeatEvidenceFault *fault)
{
  if (fault->line > 0)
    fprintf (stderr, "%s:%u:%u: %s\n", path, fault->line, fault->column, fault->text);
  else
    fprintf (stderr, "%s: %s\n", path, fault->text);
}

static void
leat_bench_verify_tell_rows (const GPtrArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    {
      const LeatEvidence *row = g_ptr_array_index (rows, i);

      printf ("%-24s %-28s host %12.3f us  resident %12.3f us  %8.2fx\n", row->name, row->device, row->host.median_us,
              row->resident.median_us, leat_evidence_get_speedup (row));
    }
}

static LeatExit
leat_bench_verify_text (const char *path, const char *text, gsize size, const GPtrArray *requirements,
                        const char *const *names)
{
  g_autoptr (GPtrArray) faults = leat_evidence_faults_new ();
  g_autoptr (GPtrArray) rows = leat_evidence_parse (text, size, faults);

  if (rows->len == 0 && faults->len == 0)
    leat_evidence_add_fault (faults, 0, 0, "has no rows");
  leat_evidence_check (rows, faults);
  for (guint i = 0; i < requirements->len; i++)
    leat_requirement_check (g_ptr_array_index (requirements, i), rows, names, faults);
  g_ptr_array_sort (faults, leat_bench_verify_compare);
  for (guint i = 0; i < faults->len; i++)
    leat_bench_verify_tell_fault (path, g_ptr_array_index (faults, i));
  if (faults->len > 0)
    {
      fprintf (stderr, "%s: refused for %u %s\n", path, faults->len, faults->len == 1 ? "reason" : "reasons");
      return LEAT_EXIT_FAILED;
    }
  leat_bench_verify_tell_rows (rows);
  return LEAT_EXIT_OK;
}

LeatExit
leat_bench_verify (const char *path, char **requirements, const char *const *names)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) parsed = leat_bench_verify_parse (requirements, &error);
  g_autofree char *text = NULL;
  gsize size;

  if (parsed == NULL)
    return leat_tool_report_usage ("%s", error->message);
  if (!g_file_get_contents (path, &text, &size, &error))
    {
      leat_tool_report (error);
      return LEAT_EXIT_FAILED;
    }
  return leat_bench_verify_text (path, text, size, parsed, names);
}
