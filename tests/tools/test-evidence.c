/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include "leat-evidence.h"

#include <glib/gstdio.h>
#include <string.h>

/* A row to which nothing can be said, by column. */
static const char *const good_row[][2] = {
  { "case", "evidence-chain-8" },
  { "device", "\"A device, with a \"\"name\"\"\"" },
  { "compute", "9.0" },
  { "driver", "cuda 13.0" },
  { "memory-bytes", "85000000000" },
  { "nodes", "12" },
  { "edges", "11" },
  { "repetitions", "100" },
  { "seed", "1" },
  { "host-median-us", "50.000" },
  { "host-p10-us", "45.000" },
  { "host-p90-us", "55.000" },
  { "host-least-us", "40.000" },
  { "host-most-us", "90.000" },
  { "host-total-us", "5100.000" },
  { "host-setup-us", "300.000" },
  { "host-uploads", "800" },
  { "host-readbacks", "800" },
  { "host-allocations", "1600" },
  { "host-launches", "800" },
  { "host-waits", "800" },
  { "host-bytes-up", "52428800" },
  { "resident-median-us", "10.000" },
  { "resident-p10-us", "9.000" },
  { "resident-p90-us", "12.000" },
  { "resident-least-us", "8.000" },
  { "resident-most-us", "20.000" },
  { "resident-total-us", "1040.000" },
  { "resident-setup-us", "900.000" },
  { "resident-uploads", "100" },
  { "resident-readbacks", "100" },
  { "resident-allocations", "0" },
  { "resident-launches", "100" },
  { "resident-waits", "100" },
  { "resident-bytes-up", "6553600" },
  { "output-bytes", "65536" },
  { "output-sha256", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" },
  { "outputs", "equal" },
  { "clock-us", "0.030" },
  { "delayed-us", "12.000" },
  { "date", "2026-11-22T12:00:00Z" },
  { "version", "0.1.0" },
  { "commit", "0123456789ab" },
};

/* With other values for some columns: @changes is name, value, ..., NULL. (transfer full) */
static char *
make_row (const char *const *changes)
{
  GString *row = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (good_row); i++)
    {
      const char *value = good_row[i][1];

      for (guint c = 0; changes != NULL && changes[c] != NULL; c += 2)
        if (g_str_equal (changes[c], good_row[i][0]))
          value = changes[c + 1];
      g_string_append_printf (row, "%s%s", i > 0 ? "," : "", value);
    }
  return g_string_free (g_string_append_c (row, '\n'), FALSE);
}

static char *
make_file (const char *first, const char *second)
{
  g_autofree char *header = leat_evidence_dup_header ();

  return g_strconcat (header, first, second, NULL);
}

/* (transfer full) */
static GPtrArray *
find_faults (const char *text, const char *requirement, guint *n_rows)
{
  GPtrArray *faults = leat_evidence_faults_new ();
  g_autoptr (GPtrArray) rows = leat_evidence_parse (text, strlen (text), faults);
  static const char *const names[] = { "evidence-chain-8", "evidence-resident-1m", NULL };

  leat_evidence_check (rows, faults);
  if (requirement != NULL)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatRequirement) parsed = leat_requirement_parse (requirement, &error);

      g_assert_no_error (error);
      leat_requirement_check (parsed, rows, names, faults);
    }
  for (guint i = 0; i < faults->len; i++)
    {
      const LeatEvidenceFault *fault = faults->pdata[i];

      g_test_message ("%u:%u: %s", fault->line, fault->column, fault->text);
    }
  if (n_rows != NULL)
    *n_rows = rows->len;
  return faults;
}

/* Where a column's field begins in a row, counted from 1. */
static guint
find_place (const char *row, const char *name)
{
  gboolean quoted = FALSE;
  const char *at = row;

  for (guint i = 0; !g_str_equal (good_row[i][0], name); i++)
    {
      for (; *at != ',' || quoted; at++)
        quoted ^= *at == '"';
      at++;
    }
  return 1 + (guint) (at - row);
}

static void
test_evidence_columns_are_known (void)
{
  guint n;
  const LeatEvidenceColumn *columns = leat_evidence_get_columns (&n);

  g_assert_cmpuint (n, ==, G_N_ELEMENTS (good_row));
  for (guint i = 0; i < n; i++)
    g_assert_cmpstr (columns[i].name, ==, good_row[i][0]);
}

static void
test_evidence_takes_good_rows (void)
{
  g_autofree char *row = make_row (NULL), *text = make_file (row, row);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autofree char *other_ends = g_strjoinv ("\r\n", lines);
  guint n_rows = 0;
  g_autoptr (GPtrArray) faults = find_faults (text, NULL, &n_rows);
  g_autoptr (GPtrArray) other_faults = find_faults (other_ends, "speedup>=5", NULL);

  g_assert_cmpuint (faults->len, ==, 0);
  g_assert_cmpuint (other_faults->len, ==, 0);
  g_assert_cmpuint (n_rows, ==, 2);
}

/* What is written is what is read. */
static void
test_evidence_writes_what_it_reads (void)
{
  g_autofree char *row = make_row (NULL), *text = make_file (row, "");
  g_autoptr (GPtrArray) faults = leat_evidence_faults_new ();
  g_autoptr (GPtrArray) rows = leat_evidence_parse (text, strlen (text), faults);
  g_autofree char *again = NULL;

  g_assert_cmpuint (rows->len, ==, 1);
  again = leat_evidence_to_line (rows->pdata[0]);
  g_assert_cmpstr (again, ==, row);
  g_assert_cmpstr (((LeatEvidence *) rows->pdata[0])->device, ==, "A device, with a \"name\"");
}

static const struct
{
  const char *column, *value, *why;
} bad_fields[] = {
  /* incomplete */
  { "device", "", "device is missing" },
  { "host-median-us", "", "host-median-us is missing" },
  { "commit", "", "commit is missing" },
  /* no numbers, other units */
  { "nodes", "many", "is no number" },
  { "host-median-us", "nan", "is no number" },
  { "host-median-us", "inf", "is no number" },
  { "host-median-us", "50ms", "has \"ms\" behind the number; its unit is us" },
  { "memory-bytes", "80GiB", "has \"GiB\" behind the number; its unit is bytes" },
  { "host-uploads", "800.5", "behind the number" },
  { "host-median-us", "5e1", "behind the number" },
  { "host-median-us", "0.050", "and p10-us is 45.000" },
  { "host-total-us", "5.100", "in another unit?" },
  { "resident-total-us", "1040000.000", "in another unit?" },
  { "host-uploads", "-800", "is negative" },
  { "resident-allocations", "-1", "is negative" },
  { "delayed-us", "-3.0", "is negative" },
  { "host-uploads", "99999999999999999999", "is beyond any measure" },
  { "date", "yesterday", "is no date" },
  /* polluted */
  { "resident-allocations", "4", "polluted: 4 while the clock ran" },
  { "host-p90-us", "80.000", "polluted: eight of ten runs are up to 70 %" },
  { "delayed-us", "400.000", "polluted: for 400 us of 6140" },
  { "outputs", "differ", "there is no claim" },
  { "resident-launches", "99", "99 in 100 runs: some were not done" },
  { "resident-waits", "0", "the end of some was not awaited" },
  { "host-allocations", "7", "7 in 100 runs: not what is compared with" },
  { "host-waits", "0", "not what is compared with" },
  /* too small */
  { "resident-least-us", "0.400", "too small: 0.400 is less than 20 steps of the clock" },
  { "clock-us", "0.000", "no clock has such a step" },
  { "output-bytes", "0", "nothing was compared" },
  { "host-bytes-up", "0", "0 in 100 runs: not what is compared with" },
  { "output-sha256", "0123456789abcdef", "is no SHA-256" },
  { "output-sha256", "x123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "is no SHA-256" },
  { "nodes", "0", "too small" },
  { "edges", "0", "too small" },
  { "memory-bytes", "0", "no device has no memory" },
  { "resident-setup-us", "0.000", "in no time" },
};

static void
test_evidence_refuses_bad_fields (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad_fields); i++)
    {
      const char *const changes[] = { bad_fields[i].column, bad_fields[i].value, NULL };
      g_autofree char *row = make_row (changes), *text = make_file (row, "");
      g_autoptr (GPtrArray) faults = find_faults (text, NULL, NULL);
      const LeatEvidenceFault *fault;

      g_test_message ("%s=%s", bad_fields[i].column, bad_fields[i].value);
      g_assert_cmpuint (faults->len, ==, 1);
      fault = faults->pdata[0];
      g_assert_cmpuint (fault->line, ==, 2);
      g_assert_cmpuint (fault->column, ==, find_place (row, bad_fields[i].column));
      tool_assert_contains (fault->text, bad_fields[i].why);
    }
}

/* Few runs make few of everything. */
static void
test_evidence_refuses_few_runs (void)
{
  const char *const changes[] = {
    "repetitions", "10", "host-total-us", "510.000", "resident-total-us", "104.000", NULL
  };
  g_autofree char *row = make_row (changes), *text = make_file (row, "");
  g_autoptr (GPtrArray) faults = find_faults (text, NULL, NULL);

  g_assert_cmpuint (faults->len, ==, 1);
  tool_assert_contains (((LeatEvidenceFault *) faults->pdata[0])->text, "repetitions: too small: 10, at least 64");
}

static const struct
{
  const char *changes[7], *why;
} other_rows[] = {
  { { "resident-median-us", "14.000", "resident-p90-us", "14.500", "resident-p10-us", "13.000", NULL },
    "not reproducible: 14.000, and 10.000 in line 2" },
  { { "output-sha256", "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", NULL },
    "the same inputs gave other results in line 2" },
  { { "nodes", "13", NULL }, "\"evidence-chain-8\" in line 2 is another pipeline" },
};

static void
test_evidence_refuses_what_is_not_reproducible (void)
{
  g_autofree char *first = make_row (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (other_rows); i++)
    {
      g_autofree char *row = make_row (other_rows[i].changes), *text = make_file (first, row);
      g_autoptr (GPtrArray) faults = NULL;

      if (i == 0)
        {
          /* Within the spread of eight of ten runs it is the same. */
          const char *const near[] = { "resident-median-us", "11.000", NULL };
          g_autofree char *near_row = make_row (near), *near_text = make_file (first, near_row);
          g_autoptr (GPtrArray) none = find_faults (near_text, NULL, NULL);

          g_assert_cmpuint (none->len, ==, 0);
        }
      faults = find_faults (text, NULL, NULL);
      g_assert_cmpuint (faults->len, ==, 1);
      g_assert_cmpuint (((LeatEvidenceFault *) faults->pdata[0])->line, ==, 3);
      tool_assert_contains (((LeatEvidenceFault *) faults->pdata[0])->text, other_rows[i].why);
    }
}

/* Another device, or another commit, may well be faster. */
static void
test_evidence_compares_like_with_like (void)
{
  const char *const changes[] = {
    "resident-median-us", "14.000", "resident-p90-us", "14.500", "resident-p10-us", "13.000", "commit",
    "ba9876543210",       NULL
  };
  g_autofree char *first = make_row (NULL), *row = make_row (changes), *text = make_file (first, row);
  g_autoptr (GPtrArray) faults = find_faults (text, NULL, NULL);

  g_assert_cmpuint (faults->len, ==, 0);
}

static const struct
{
  const char *text;
  guint line, column;
  const char *why;
} bad_files[] = {
  { "", 1, 1, "is empty" },
  { "case,device\n", 1, 6, "the column \"compute\" is missing" },
  { "case,divice\n", 1, 6, "column \"divice\" where \"device\" belongs" },
  { "case,device", 1, 1, "ends within a row" },
  { "case,\"device\n", 1, 6, "a quote that does not end" },
  { "case,\"device\"x\n", 1, 6, "a quote that does not end" },
  { "case,de\tvice\n", 1, 8, "is no text" },
  { "case\n\xff\n", 2, 1, "is no text" },
};

static void
test_evidence_refuses_bad_files (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad_files); i++)
    {
      g_autoptr (GPtrArray) faults = find_faults (bad_files[i].text, NULL, NULL);
      const LeatEvidenceFault *fault;

      g_assert_cmpuint (faults->len, ==, 1);
      fault = faults->pdata[0];
      g_assert_cmpuint (fault->line, ==, bad_files[i].line);
      g_assert_cmpuint (fault->column, ==, bad_files[i].column);
      tool_assert_contains (fault->text, bad_files[i].why);
    }
}

/* Lines that are no rows do not hide those that are. */
static void
test_evidence_goes_on_after_bad_lines (void)
{
  g_autofree char *row = make_row (NULL), *bad = g_strconcat ("a,b\n\"x\n", row, "cut", NULL);
  g_autofree char *text = make_file (row, bad);
  guint n_rows = 0;
  g_autoptr (GPtrArray) faults = find_faults (text, NULL, &n_rows);

  g_assert_cmpuint (n_rows, ==, 2);
  g_assert_cmpuint (faults->len, ==, 3);
  tool_assert_contains (((LeatEvidenceFault *) faults->pdata[0])->text, "2 fields, and there are 43 columns");
  g_assert_cmpuint (((LeatEvidenceFault *) faults->pdata[1])->line, ==, 4);
  g_assert_cmpuint (((LeatEvidenceFault *) faults->pdata[2])->line, ==, 6);
}

static const struct
{
  const char *requirement, *why; /* why: NULL where it is met */
} requirements[] = {
  { "resident-not-slower", NULL },
  { "speedup>=5", NULL },
  { "speedup>=5.1", "speedup>=5.1 is required, and it is 5" },
  { "speedup<=4", "is required" },
  { "rows>=1", NULL },
  { "rows>=2", "case: rows>=2 is required, and it is 1" },
  { "case=evidence-chain-8", NULL },
  { "case=evidence-graph", "there is no row of the case \"evidence-graph\"" },
  { "all-cases", "there is no row of the case \"evidence-resident-1m\"" },
  { "committed", NULL },
  { "compute>=8.0", NULL },
  { "compute>=10", "compute: compute>=10 is required, and it is 9" },
  { "memory-bytes>=17179869184", NULL },
  { "resident-uploads<=100", NULL },
  { "resident-uploads<=99", "resident-uploads<=99 is required, and it is 100" },
};

static void
test_evidence_requires (void)
{
  g_autofree char *row = make_row (NULL), *text = make_file (row, "");

  for (guint i = 0; i < G_N_ELEMENTS (requirements); i++)
    {
      g_autoptr (GPtrArray) faults = find_faults (text, requirements[i].requirement, NULL);

      g_test_message ("%s", requirements[i].requirement);
      g_assert_cmpuint (faults->len, ==, requirements[i].why != NULL);
      if (faults->len > 0)
        tool_assert_contains (((LeatEvidenceFault *) faults->pdata[0])->text, requirements[i].why);
    }
}

static void
test_evidence_requires_of_bad_rows (void)
{
  const char *const slower[] = { "resident-median-us",
                                 "60.000",
                                 "resident-p10-us",
                                 "59.000",
                                 "resident-p90-us",
                                 "62.000",
                                 "resident-least-us",
                                 "58.000",
                                 "resident-most-us",
                                 "70.000",
                                 "resident-total-us",
                                 "6040.000",
                                 "commit",
                                 "12-dirty",
                                 NULL };
  g_autofree char *row = make_row (slower), *text = make_file (row, "");
  g_autoptr (GPtrArray) none = find_faults (text, NULL, NULL);
  g_autoptr (GPtrArray) faults = find_faults (text, "resident-not-slower", NULL);
  g_autoptr (GPtrArray) others = find_faults (text, "committed", NULL);

  g_assert_cmpuint (none->len, ==, 0);
  g_assert_cmpuint (faults->len, ==, 1);
  tool_assert_contains (((LeatEvidenceFault *) faults->pdata[0])->text,
                        "60.000, and orchestrated from the host 50.000");
  g_assert_cmpuint (others->len, ==, 1);
  tool_assert_contains (((LeatEvidenceFault *) others->pdata[0])->text,
                        "\"12-dirty\" is nothing that others can build");
}

static void
test_evidence_refuses_requirements (void)
{
  static const char *const wrong[] = { "",          "faster",     "speedup",     "speedup>3",
                                       "speedup>=", "speedup>=x", "speedup>=3x", "device>=3",
                                       "case=",     ">=3",        "speedup=>3",  NULL };

  for (guint i = 0; wrong[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (leat_requirement_parse (wrong[i], &error));
      g_assert_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE);
    }
}

#define APPENDERS 8
#define APPENDED  32

static gpointer
append_many (gpointer path)
{
  g_autofree char *row = make_row (NULL), *text = make_file (row, "");
  g_autoptr (GPtrArray) faults = leat_evidence_faults_new ();
  g_autoptr (GPtrArray) rows = leat_evidence_parse (text, strlen (text), faults);

  for (guint i = 0; i < APPENDED; i++)
    {
      g_autoptr (GError) error = NULL;

      leat_evidence_append (rows->pdata[0], path, &error);
      g_assert_no_error (error);
    }
  return NULL;
}

/* No row is lost or torn, and there is one header. */
static void
test_evidence_appends_from_many (void)
{
  g_autofree char *folder = tool_make_folder (), *path = g_build_filename (folder, "rows.csv", NULL), *text = NULL;
  g_autoptr (GPtrArray) faults = NULL;
  GThread *threads[APPENDERS];
  guint n_rows = 0;

  for (guint i = 0; i < APPENDERS; i++)
    threads[i] = g_thread_new ("append", append_many, path);
  for (guint i = 0; i < APPENDERS; i++)
    g_thread_join (threads[i]);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  faults = find_faults (text, NULL, &n_rows);
  g_assert_cmpuint (faults->len, ==, 0);
  g_assert_cmpuint (n_rows, ==, APPENDERS * APPENDED);
  tool_remove_folder (folder);
}

static void
test_evidence_leaves_other_files_alone (void)
{
  g_autofree char *folder = tool_make_folder (), *row = make_row (NULL), *whole = make_file (row, "");
  const struct
  {
    const char *text, *why;
  } files[] = { { "a letter\n", "does not begin with the columns" }, { whole, "ends within a row" } };

  whole[strlen (whole) - 5] = '\0';
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = tool_write (folder, "rows.csv", files[i].text), *after = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_false (leat_evidence_check_file (path, &error));
      g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
      tool_assert_contains (error->message, files[i].why);
      g_assert_true (g_file_get_contents (path, &after, NULL, NULL));
      g_assert_cmpstr (after, ==, files[i].text);
    }
  tool_remove_folder (folder);
}

static void
test_evidence_needs_a_file (void)
{
  g_autoptr (GError) error = NULL, other = NULL;

  g_assert_false (leat_evidence_check_file ("/dev/null", &error));
  g_assert_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL);
  g_assert_false (leat_evidence_check_file ("/proc/nonexistent/rows.csv", &other));
  g_assert_error (other, G_FILE_ERROR, G_FILE_ERROR_NOENT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/tools/evidence/columns-are-known", test_evidence_columns_are_known);
  g_test_add_func ("/leat/tools/evidence/takes-good-rows", test_evidence_takes_good_rows);
  g_test_add_func ("/leat/tools/evidence/writes-what-it-reads", test_evidence_writes_what_it_reads);
  g_test_add_func ("/leat/tools/evidence/refuses-bad-fields", test_evidence_refuses_bad_fields);
  g_test_add_func ("/leat/tools/evidence/refuses-few-runs", test_evidence_refuses_few_runs);
  g_test_add_func ("/leat/tools/evidence/refuses-what-is-not-reproducible",
                   test_evidence_refuses_what_is_not_reproducible);
  g_test_add_func ("/leat/tools/evidence/compares-like-with-like", test_evidence_compares_like_with_like);
  g_test_add_func ("/leat/tools/evidence/refuses-bad-files", test_evidence_refuses_bad_files);
  g_test_add_func ("/leat/tools/evidence/goes-on-after-bad-lines", test_evidence_goes_on_after_bad_lines);
  g_test_add_func ("/leat/tools/evidence/requires", test_evidence_requires);
  g_test_add_func ("/leat/tools/evidence/requires-of-bad-rows", test_evidence_requires_of_bad_rows);
  g_test_add_func ("/leat/tools/evidence/refuses-requirements", test_evidence_refuses_requirements);
  g_test_add_func ("/leat/tools/evidence/appends-from-many", test_evidence_appends_from_many);
  g_test_add_func ("/leat/tools/evidence/leaves-other-files-alone", test_evidence_leaves_other_files_alone);
  g_test_add_func ("/leat/tools/evidence/needs-a-file", test_evidence_needs_a_file);
  return g_test_run ();
}
