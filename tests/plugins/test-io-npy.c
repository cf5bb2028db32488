/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "leat-npy-header.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

typedef LeatHarness Harness;

static void
test_io_npy_write (const char *path, LeatDtype dtype, const guint64 *dims, guint n_dims, gconstpointer data, gsize size)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  guint8 header[LEAT_NPY_HEADER_BYTES];

  leat_harness_format_npy (dtype, dims, n_dims, header);
  g_byte_array_append (bytes, header, sizeof header);
  g_byte_array_append (bytes, data, (guint) size);
  leat_harness_write_file (path, bytes->data, bytes->len);
}

static void
test_io_npy_whole (void)
{
  g_autofree char *path = leat_harness_dup_path ("a.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autofree char *spec = NULL;
  const guint64 dims[] = { 2, 3 };
  GError *error = NULL;
  Harness harness;

  test_io_npy_write (path, LEAT_DTYPE_U16, dims, 2, "aabbccddeeff", 12);
  leat_harness_init_source (&harness, "io:npy", setting, NULL);
  leat_harness_start (&harness);
  spec = leat_harness_dup_spec (&harness);
  g_assert_cmpstr (spec, ==, "u16[2,3]");
  g_assert_cmpuint (LEAT_ENDPOINT_GET_CLASS (harness.node)->get_total (harness.node), ==, 12);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpmem (harness.memory->data, harness.memory->len, "aabbccddeeff", 12);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
  leat_harness_clear (&harness);
}

#define AHEAD_ROWS 1000
#define ROW        512 /* items */

/* Runs that were begun before those before them were complete, the last one shorter. */
static void
test_io_npy_ahead (void)
{
  const guint64 dims[] = { 3 * AHEAD_ROWS - 300, ROW };
  const gsize n = dims[0] * ROW;
  g_autofree char *path = leat_harness_dup_path ("a.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autofree guint16 *items = g_new (guint16, n);
  g_autofree guint16 *memory = g_new (guint16, 3 * AHEAD_ROWS * ROW);
  GError *error = NULL;
  Harness harness;
  guint64 count;

  for (gsize i = 0; i < n; i++)
    items[i] = (guint16) (i * 40503);
  test_io_npy_write (path, LEAT_DTYPE_U16, dims, 2, items, n * sizeof *items);
  leat_harness_init_source (&harness, "io:npy", setting, "rows=1000", "readers=3", NULL);
  leat_harness_start (&harness);
  for (guint i = 0; i < 3; i++)
    g_assert_true (leat_harness_begin (&harness, memory + i * AHEAD_ROWS * ROW));
  g_assert_false (leat_harness_begin (&harness, memory));
  for (guint i = 0; i < 3; i++)
    {
      g_assert_cmpint (leat_harness_complete (&harness, memory + i * AHEAD_ROWS * ROW, &count, &error), ==,
                       LEAT_FLOW_DATA);
      g_assert_cmpuint (count, ==, i < 2 ? AHEAD_ROWS : AHEAD_ROWS - 300);
    }
  g_assert_cmpmem (memory, n * sizeof *memory, items, n * sizeof *items);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
  leat_harness_clear (&harness);
}

/* Again and again round the lanes that runs are read into, with any number of them begun before the first is complete,
 * and by any number of threads.  Rows are counted both as begun and as given. */
static void
test_io_npy_ahead_turns (void)
{
  enum
  {
    LANES = 5,
    RUNS = 4 * LANES
  };
  const guint64 dims[] = { RUNS * AHEAD_ROWS - 300, ROW };
  const gsize n = dims[0] * ROW;
  g_autofree char *path = leat_harness_dup_path ("a.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autofree guint16 *items = g_new (guint16, n);
  g_autofree guint16 *memory = g_new (guint16, LANES * AHEAD_ROWS * ROW);

  for (gsize i = 0; i < n; i++)
    items[i] = (guint16) (i * 40503 ^ i >> 16);
  test_io_npy_write (path, LEAT_DTYPE_U16, dims, 2, items, n * sizeof *items);
  for (guint depth = 1; depth <= LANES; depth++)
    for (guint readers = 2; readers <= 5; readers += 3)
      {
        g_autofree char *threads = g_strdup_printf ("readers=%u", readers);
        guint begun = 0, given = 0;
        GError *error = NULL;
        Harness harness;

        leat_harness_init_source (&harness, "io:npy", setting, "rows=1000", threads, NULL);
        leat_harness_start (&harness);
        for (; given < RUNS; given++)
          {
            guint16 *to = memory + given % LANES * AHEAD_ROWS * ROW;
            const guint64 rows = given < RUNS - 1 ? AHEAD_ROWS : AHEAD_ROWS - 300;
            guint64 count;

            for (; begun < MIN (given + depth, RUNS); begun++)
              g_assert_true (leat_harness_begin (&harness, memory + begun % LANES * AHEAD_ROWS * ROW));
            if (begun == RUNS)
              g_assert_false (leat_harness_begin (&harness, memory));
            g_assert_cmpint (leat_harness_complete (&harness, to, &count, &error), ==, LEAT_FLOW_DATA);
            g_assert_no_error (error);
            g_assert_cmpuint (count, ==, rows);
            g_assert_cmpmem (to, rows * ROW * sizeof *to, items + (gsize) given * AHEAD_ROWS * ROW,
                             rows * ROW * sizeof *items);
          }
        g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
        leat_harness_clear (&harness);
      }
}

/* Runs begun and completed in turn, more often than there are at once. */
static void
test_io_npy_ahead_in_turn (void)
{
  const guint n_runs = 7, depth = 2;
  const guint64 dims[] = { n_runs * AHEAD_ROWS - 300, ROW };
  const gsize n = dims[0] * ROW, run = (gsize) AHEAD_ROWS * ROW;
  g_autofree char *path = leat_harness_dup_path ("a.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autofree guint16 *items = g_new (guint16, n);
  g_autofree guint16 *memory = g_new (guint16, depth * run);
  GError *error = NULL;
  Harness harness;
  guint64 count;

  for (gsize i = 0; i < n; i++)
    items[i] = (guint16) (i * 40503);
  test_io_npy_write (path, LEAT_DTYPE_U16, dims, 2, items, n * sizeof *items);
  leat_harness_init_source (&harness, "io:npy", setting, "rows=1000", "readers=3", NULL);
  leat_harness_start (&harness);
  for (guint i = 0; i < n_runs + depth; i++)
    {
      guint16 *at = memory + i % depth * run;

      if (i >= depth)
        {
          g_assert_cmpint (leat_harness_complete (&harness, at, &count, &error), ==, LEAT_FLOW_DATA);
          g_assert_cmpuint (count, ==, MIN (AHEAD_ROWS, dims[0] - (i - depth) * AHEAD_ROWS));
          g_assert_cmpmem (at, count * ROW * 2, items + (i - depth) * run, count * ROW * 2);
        }
      if (i < n_runs)
        g_assert_true (leat_harness_begin (&harness, at));
    }
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
  leat_harness_clear (&harness);
}

/* An array that loses rows while runs of it are begun: it ends with a run, or within the next. */
static void
test_io_npy_ahead_shortened (void)
{
  static const struct
  {
    gsize items;
    const char *says;
  } table[] = {
    { AHEAD_ROWS * ROW, "1000 rows are missing: \"" },
    { AHEAD_ROWS * ROW + 1, "1000 rows are missing: \"" },
    { (AHEAD_ROWS + 1) * ROW, "999 rows are missing: \"" },
    { 2 * AHEAD_ROWS * ROW - 1, "1 rows are missing: \"" },
  };
  const guint64 dims[] = { 2 * AHEAD_ROWS, ROW };
  g_autofree char *path = leat_harness_dup_path ("a.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autofree guint16 *memory = g_new0 (guint16, 2 * AHEAD_ROWS * ROW);

  for (guint k = 0; k < G_N_ELEMENTS (table); k++)
    {
      GError *error = NULL;
      Harness harness;
      guint64 count;

      test_io_npy_write (path, LEAT_DTYPE_U16, dims, 2, memory, 2 * AHEAD_ROWS * ROW * sizeof *memory);
      leat_harness_init_source (&harness, "io:npy", setting, "rows=1000", "readers=3", NULL);
      leat_harness_start (&harness);
      g_assert_no_errno (truncate (path, (off_t) (LEAT_NPY_HEADER_BYTES + table[k].items * sizeof *memory)));
      for (guint i = 0; i < 2; i++)
        g_assert_true (leat_harness_begin (&harness, memory + i * AHEAD_ROWS * ROW));
      g_assert_cmpint (leat_harness_complete (&harness, memory, &count, &error), ==, LEAT_FLOW_DATA);
      g_assert_cmpuint (count, ==, AHEAD_ROWS);
      g_assert_cmpint (leat_harness_complete (&harness, memory + AHEAD_ROWS * ROW, &count, &error), ==,
                       LEAT_FLOW_ERROR);
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, table[k].says);
      leat_harness_clear (&harness);
    }
}

/* The most rows that a run takes bound it, though they are one or more than there are. */
static void
test_io_npy_rows (void)
{
  static const struct
  {
    const char *rows, *spec;
    guint n; /* bytes of each run but the last */
  } table[] = {
    { "rows=1", "u16[<=1,2]", 4 },
    { "rows=2", "u16[<=2,2]", 8 },
    { "rows=3", "u16[<=3,2]", 12 },
    { "rows=4", "u16[<=4,2]", 12 },
  };
  g_autofree char *path = leat_harness_dup_path ("a.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  const guint64 dims[] = { 3, 2 };

  test_io_npy_write (path, LEAT_DTYPE_U16, dims, 2, "aabbccddeeff", 12);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *spec = NULL;
      GError *error = NULL;
      Harness harness;

      leat_harness_init_source (&harness, "io:npy", setting, table[i].rows, NULL);
      leat_harness_start (&harness);
      spec = leat_harness_dup_spec (&harness);
      g_assert_cmpstr (spec, ==, table[i].spec);
      for (guint at = 0; at < 12; at += table[i].n)
        {
          g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
          g_assert_cmpmem (harness.memory->data, harness.memory->len, &"aabbccddeeff"[at], MIN (table[i].n, 12 - at));
        }
      g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
      leat_harness_clear (&harness);
    }
}

static void
test_io_npy_swaps (void)
{
  static const struct
  {
    const char *descr, *in, *out;
  } table[] = {
    { ">u2", "badcfehg", "abcdefgh" },
    { ">f4", "dcbahgfe", "abcdefgh" },
    { ">i8", "hgfedcba", "abcdefgh" },
    { "|u1", "abcdefgh", "abcdefgh" },
    { ">c8", "dcbahgfe", "abcdefgh" },
    { "<c8", "abcdefgh", "abcdefgh" },
    { ">V2", "badcfehg", "abcdefgh" },
    { "|V2", "abcdefgh", "abcdefgh" },
    { "|b1", "\1\2\1\1\1\1\1\377", "\1\1\1\1\1\1\1\1" },
  };
  g_autofree char *path = leat_harness_dup_path ("a.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);

#if G_BYTE_ORDER != G_LITTLE_ENDIAN
  g_test_skip ("the table is for little-endian machines");
  return;
#endif
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      guint size = (guint) (table[i].descr[2] - '0');
      g_autofree char *text = g_strdup_printf ("{'descr': '%s', 'fortran_order': False, 'shape': (%u,), }%20s\n",
                                               table[i].descr, 8 / size, "");
      g_autofree char *file =
        g_strdup_printf ("\x93NUMPY\x01%c%c%c%s%s", 'x', (char) strlen (text), 'x', text, table[i].in);
      gsize length = strlen (file);
      GError *error = NULL;
      Harness harness;

      file[7] = file[9] = '\0';
      leat_harness_write_file (path, file, length);
      leat_harness_init_source (&harness, "io:npy", setting, NULL);
      leat_harness_start (&harness);
      g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
      g_assert_cmpmem (harness.memory->data, harness.memory->len, table[i].out, 8);
      leat_harness_clear (&harness);
    }
}

static void
test_io_npy_assert_refused (const char *path, const char *extra, int code, const char *says)
{
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  GError *error = NULL;
  Harness harness;

  leat_harness_init_source (&harness, "io:npy", setting, extra, NULL);
  g_assert_false (leat_harness_plan (&harness, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, code, says);
  leat_harness_clear (&harness);
}

static void
test_io_npy_refuses (void)
{
  g_autofree char *path = leat_harness_dup_path ("a.npy");
  const guint64 dims[] = { 3, 2 }, none[] = { 0, 2 }, vast[] = { G_GUINT64_CONSTANT (1) << 50, 2 };

  test_io_npy_write (path, LEAT_DTYPE_U16, dims, 2, "aabbccddeef", 11);
  test_io_npy_assert_refused (path, NULL, LEAT_GRAPH_ERROR_DATA, "claims 12 bytes of items and holds 11");
  test_io_npy_write (path, LEAT_DTYPE_U16, vast, 2, "aabbccddeef", 11);
  test_io_npy_assert_refused (path, NULL, LEAT_GRAPH_ERROR_DATA, "holds 11");
  test_io_npy_write (path, LEAT_DTYPE_U16, none, 2, "", 0);
  test_io_npy_assert_refused (path, NULL, LEAT_GRAPH_ERROR_DATA, "dimension 0 has the size 0");
  test_io_npy_write (path, LEAT_DTYPE_U16, NULL, 0, "aa", 2);
  test_io_npy_assert_refused (path, "rows=2", LEAT_GRAPH_ERROR_DATA, "leave \"rows\" out");
  test_io_npy_write (path, LEAT_DTYPE_U16, dims, 2, "aabbccddeeff", 12);
  test_io_npy_assert_refused (path, "rows=18446744073709551615", LEAT_GRAPH_ERROR_DATA, "any memory");
  test_io_npy_assert_refused (path, "out=f32", LEAT_GRAPH_ERROR_SPEC, "u16");
  leat_harness_write_file (path, "hello, world", 12);
  test_io_npy_assert_refused (path, NULL, LEAT_GRAPH_ERROR_DATA, "not an .npy file");
  leat_harness_write_file (path, "", 0);
  test_io_npy_assert_refused (path, NULL, LEAT_GRAPH_ERROR_DATA, "not an .npy file");
  leat_harness_write_file (path, "PK\3\4\x14\0\0\0\0\0\0\0", 12);
  test_io_npy_assert_refused (path, NULL, LEAT_GRAPH_ERROR_DATA, "but a ZIP archive, such as an .npz file; unpack it");
  test_io_npy_assert_refused ("-", NULL, LEAT_GRAPH_ERROR_IO, "standard input");
  test_io_npy_assert_refused ("/dev/null", NULL, LEAT_GRAPH_ERROR_IO, "not a regular file");
  test_io_npy_assert_refused ("/proc/none/such", NULL, LEAT_GRAPH_ERROR_IO, "/proc/none/such");
}

/* Rows of an empty array are a stream that ends at once. */
static void
test_io_npy_empty_rows (void)
{
  g_autofree char *path = leat_harness_dup_path ("a.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  const guint64 dims[] = { 0, 2 };
  GError *error = NULL;
  Harness harness;

  test_io_npy_write (path, LEAT_DTYPE_F32, dims, 2, "", 0);
  leat_harness_init_source (&harness, "io:npy", setting, "rows=5", NULL);
  leat_harness_start (&harness);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
  leat_harness_clear (&harness);
}

/* Of two arrays in a file one would be lost; so would what somebody adds while it is read. */
static void
test_io_npy_more (void)
{
  g_autofree char *path = leat_harness_dup_path ("a.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autofree char *bytes = NULL, *twice = NULL;
  const guint64 dims[] = { 3, 2 };
  GError *error = NULL;
  Harness harness;
  gsize size;

  test_io_npy_write (path, LEAT_DTYPE_U16, dims, 2, "aabbccddeeff", 12);
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  twice = g_malloc (2 * size);
  memcpy (twice, bytes, size);
  memcpy (twice + size, bytes, size);
  leat_harness_write_file (path, twice, 2 * size);
  test_io_npy_assert_refused (path, NULL, LEAT_GRAPH_ERROR_DATA,
                              "behind its array are 268 bytes more, another array; save each to a file of its own");
  leat_harness_write_file (path, twice, size + 1);
  test_io_npy_assert_refused (path, "rows=2", LEAT_GRAPH_ERROR_DATA, "behind its array are 1 bytes more; save");
  leat_harness_write_file (path, bytes, size);
  leat_harness_init_source (&harness, "io:npy", setting, "rows=2", NULL);
  leat_harness_start (&harness);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_errno (truncate (path, (off_t) size + 4));
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_ERROR);
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                             "had 268 bytes when it was opened and has 272 now");
  leat_harness_clear (&harness);
}

/* Another file, or none, between the plan and the start. */
static void
test_io_npy_changed (void)
{
  g_autofree char *path = leat_harness_dup_path ("a.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  const guint64 dims[] = { 3, 2 }, other[] = { 2, 3 }, none[] = { 0, 2 };
  enum
  {
    OTHER,
    NO_ROWS,
    NO_ARRAY,
    NO_FILE,
    N_CHANGES
  };
  static const char *const says[N_CHANGES] = { "a.npy\" holds u16[2,3] now, and held u16[3,2] when",
                                               "a.npy\": the array is empty", "not an .npy file", "a.npy\": No such" };

  for (guint change = 0; change < N_CHANGES; change++)
    {
      const int code = change == NO_FILE ? LEAT_GRAPH_ERROR_IO : LEAT_GRAPH_ERROR_DATA;
      GError *error = NULL;
      Harness harness;

      test_io_npy_write (path, LEAT_DTYPE_U16, dims, 2, "aabbccddeeff", 12);
      leat_harness_init_source (&harness, "io:npy", setting, NULL);
      g_assert_true (leat_harness_plan (&harness, &error));
      if (change == OTHER)
        test_io_npy_write (path, LEAT_DTYPE_U16, other, 2, "aabbccddeeff", 12);
      else if (change == NO_ROWS)
        test_io_npy_write (path, LEAT_DTYPE_U16, none, 2, "", 0);
      else if (change == NO_ARRAY)
        leat_harness_write_file (path, "hello, world", 12);
      else
        g_assert_no_errno (g_unlink (path));
      g_assert_false (LEAT_ENDPOINT_GET_CLASS (harness.node)->start (harness.node, &error));
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, code, says[change]);
      leat_harness_clear (&harness);
    }
}

/* What a sink wrote, read by the source. */
static void
test_io_npy_assert_array (const char *path, const char *spec, gconstpointer data, gsize size)
{
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autofree char *found = NULL;
  GError *error = NULL;
  Harness harness;

  leat_harness_init_source (&harness, "io:npy", setting, NULL);
  leat_harness_start (&harness);
  found = leat_harness_dup_spec (&harness);
  g_assert_cmpstr (found, ==, spec);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpmem (harness.memory->data, harness.memory->len, data, size);
  leat_harness_clear (&harness);
}

static void
test_io_npy_sink (void)
{
  static const struct
  {
    const char *in;
    const char *parts[4];
    const char *spec, *data;
  } table[] = {
    { "u16[2,3]", { "aabbccddeeff", NULL }, "u16[2,3]", "aabbccddeeff" },
    { "u16[1,3]", { "aabbcc", "ddeeff", NULL }, "u16[2,3]", "aabbccddeeff" },
    { "f32[]", { "abcd", NULL }, "f32[]", "abcd" },
    { "f32[]", { "abcd", "efgh", NULL }, "f32[2]", "abcdefgh" },
    { "u8[<=4]", { "abcd", "", "ef", NULL }, "u8[6]", "abcdef" },
    { "i16[<=2,2]", { "abcdefgh", "ijkl", NULL }, "i16[3,2]", "abcdefghijkl" },
  };
  g_autofree char *path = leat_harness_dup_path ("b.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      Harness harness;

      leat_harness_init_sink (&harness, "io:npy", table[i].in, setting, NULL);
      leat_harness_start (&harness);
      for (const char *const *part = table[i].parts; *part != NULL; part++)
        g_assert_true (leat_harness_drain (&harness, *part, strlen (*part), &error));
      g_assert_true (leat_harness_finish (&harness, &error));
      leat_harness_clear (&harness);
      test_io_npy_assert_array (path, table[i].spec, table[i].data, strlen (table[i].data));
    }
}

/* What @program, given @path, prints in an interpreter that has NumPy; NULL where there is none. (transfer full) */
static char *
test_io_npy_dup_said (const char *program, const char *path)
{
  static const char *const interpreters[] = { "/usr/bin/python3", "python3" };

  for (guint i = 0; i < G_N_ELEMENTS (interpreters); i++)
    {
      const char *argv[] = { interpreters[i], "-c", program, path, NULL };
      g_autofree char *said = NULL;
      int status = 1;

      if (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &said, NULL, &status, NULL)
          && status == 0)
        return g_steal_pointer (&said);
    }
  return NULL;
}

/* NumPy itself reads what was written. */
static void
test_io_npy_sink_numpy (void)
{
  g_autofree char *path = leat_harness_dup_path ("b.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  const char *program = "import sys, numpy; a = numpy.load (sys.argv[1]); print (a.dtype.str, a.shape, a.tolist ())";
  const gint32 items[] = { 1, -2, 3, 4, 5, 6 };
  g_autofree char *said = NULL;
  GError *error = NULL;
  Harness harness;

  leat_harness_init_sink (&harness, "io:npy", "i32[<=4,2]", setting, NULL);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_drain (&harness, items, sizeof items, &error));
  g_assert_true (leat_harness_finish (&harness, &error));
  leat_harness_clear (&harness);
  said = test_io_npy_dup_said (program, path);
  if (said == NULL)
    g_test_skip ("no NumPy here");
  else
    g_assert_cmpstr (said, ==, "<i4 (3, 2) [[1, -2], [3, 4], [5, 6]]\n");
}

/* The names that NumPy knows are its own; the others are those of ml_dtypes, of which NumPy alone sees bytes. */
static void
test_io_npy_sink_types_numpy (void)
{
  static const struct
  {
    const char *spec, *items;
    guint size;
    const char *said;
  } table[] = {
    { "bool[2]", "\0\1", 2, "|b1 [False, True]\n" },
    { "f16[2]", "\0\x3c\0\xc0", 4, "<f2 [1.0, -2.0]\n" },
    { "c64[1]", "\0\0\x80\x3f\0\0\0\xc0", 8, "<c8 [(1-2j)]\n" },
    { "c128[1]", "\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\xc0", 16, "<c16 [(1-2j)]\n" },
    { "bf16[2]", "\x80\x3f\0\xc0", 4, "|V2 [16256, 49152]\n" },
    { "f8e4m3[2]", "\x38\xc0", 2, "|V1 [56, 192]\n" },
    { "f8e5m2[2]", "\x3c\xc0", 2, "|V1 [60, 192]\n" },
    { "{v:f8e4m3,w:f8e5m2}[1]", "\x38\x3c", 2, "|V2 [15416]\n" },
  };
  const char *program = "import sys, numpy; a = numpy.load (sys.argv[1]);"
                        "print (a.dtype.str, (a.view ('u%d' % a.itemsize) if a.dtype.kind == 'V' else a).tolist ())";
  g_autofree char *path = leat_harness_dup_path ("b.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *said = NULL;
      GError *error = NULL;
      Harness harness;

      leat_harness_init_sink (&harness, "io:npy", table[i].spec, setting, NULL);
      leat_harness_start (&harness);
      g_assert_true (leat_harness_drain (&harness, table[i].items, table[i].size, &error));
      g_assert_true (leat_harness_finish (&harness, &error));
      leat_harness_clear (&harness);
      said = test_io_npy_dup_said (program, path);
      if (said == NULL)
        {
          g_test_skip ("no NumPy here");
          return;
        }
      g_assert_cmpstr (said, ==, table[i].said);
    }
}

/* Types of which a file tells the size alone. */
static void
test_io_npy_type (void)
{
  static const struct
  {
    LeatDtype saved;
    const char *setting, *spec, *says;
  } table[] = {
    { LEAT_DTYPE_F8E4M3, "type=f8e4m3", "f8e4m3[2]", NULL },
    { LEAT_DTYPE_F8E5M2, "type=f8e5m2", "f8e5m2[2]", NULL },
    { LEAT_DTYPE_F8E5M2, "type=file", NULL, "which is how several types of 8 bits are saved; say which they are" },
    { LEAT_DTYPE_F8E4M3, "type=bf16", NULL, "is not to be taken for bf16" },
    { LEAT_DTYPE_BF16, "type=file", "bf16[1]", NULL },
    { LEAT_DTYPE_BF16, "type=bf16", "bf16[1]", NULL },
    { LEAT_DTYPE_U8, "type=f8e5m2", "f8e5m2[2]", NULL },
    { LEAT_DTYPE_U8, "type=bool", "bool[2]", NULL },
    { LEAT_DTYPE_U16, "type=bf16", "bf16[1]", NULL },
    { LEAT_DTYPE_U16, "type=f16", "f16[1]", NULL },
    { LEAT_DTYPE_F16, "type=bf16", NULL, "it holds f16, which is not to be taken for bf16; leave type= out" },
    { LEAT_DTYPE_I8, "type=f8e4m3", NULL, "it holds i8, which is not to be taken for f8e4m3" },
  };
  g_autofree char *path = leat_harness_dup_path ("a.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      const guint64 n = 2 / leat_dtype_get_size (table[i].saved);
      g_autofree char *spec = NULL;
      GError *error = NULL;
      Harness harness;

      test_io_npy_write (path, table[i].saved, &n, 1, "\0\1", 2);
      if (table[i].says != NULL)
        {
          test_io_npy_assert_refused (path, table[i].setting, LEAT_GRAPH_ERROR_DATA, table[i].says);
          continue;
        }
      leat_harness_init_source (&harness, "io:npy", setting, table[i].setting, NULL);
      leat_harness_start (&harness);
      spec = leat_harness_dup_spec (&harness);
      g_assert_cmpstr (spec, ==, table[i].spec);
      g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
      g_assert_cmpmem (harness.memory->data, harness.memory->len, "\0\1", 2);
      leat_harness_clear (&harness);
    }
}

static void
test_io_npy_sink_nothing (void)
{
  g_autofree char *path = leat_harness_dup_path ("b.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autofree char *data = NULL;
  GError *error = NULL;
  LeatNpyHeader header;
  Harness harness;
  gsize size;

  leat_harness_init_sink (&harness, "io:npy", "f32[<=4,2]", setting, NULL);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_finish (&harness, &error));
  leat_harness_clear (&harness);
  g_file_get_contents (path, &data, &size, &error);
  g_assert_no_error (error);
  g_assert_true (leat_npy_header_parse (&header, (guint8 *) data, size, &error));
  g_assert_cmpuint (header.n_dims, ==, 2);
  g_assert_cmpuint (header.dims[0], ==, 0);
  g_assert_cmpuint (header.dims[1], ==, 2);
  g_assert_cmpuint (header.offset, ==, size);
}

static void
test_io_npy_sink_undone (void)
{
  g_autofree char *path = leat_harness_dup_path ("b.npy");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  GError *error = NULL;
  Harness harness;

  leat_harness_remove_files ();
  leat_harness_init_sink (&harness, "io:npy", "u8[<=4]", setting, NULL);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_drain (&harness, "abcd", 4, &error));
  leat_harness_clear (&harness);
  leat_harness_assert_folder_has (0);
}

/* Where the header cannot be written over: one run whose shape is known. */
static void
test_io_npy_sink_pipe (void)
{
  GError *error = NULL;
  Harness harness;

  leat_harness_init_sink (&harness, "io:npy", "u8[4]", "path=/dev/null", NULL);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_drain (&harness, "abcd", 4, &error));
  g_assert_true (leat_harness_finish (&harness, &error));
  leat_harness_stop (&harness);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_drain (&harness, "abcd", 4, &error));
  g_assert_false (leat_harness_drain (&harness, "abcd", 4, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "write to a file");
  leat_harness_clear (&harness);
  leat_harness_init_sink (&harness, "io:npy", "u8[<=4]", "path=/dev/null", NULL);
  leat_harness_start (&harness);
  g_assert_false (leat_harness_drain (&harness, "ab", 2, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "write to a file");
  leat_harness_clear (&harness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/io-npy/source/ahead", test_io_npy_ahead);
  g_test_add_func ("/leat/io-npy/source/ahead/turns", test_io_npy_ahead_turns);
  g_test_add_func ("/leat/io-npy/source/ahead/shortened", test_io_npy_ahead_shortened);
  g_test_add_func ("/leat/io-npy/source/ahead/in-turn", test_io_npy_ahead_in_turn);
  g_test_add_func ("/leat/io-npy/source/more-than-it-says", test_io_npy_more);
  g_test_add_func ("/leat/io-npy/source/whole", test_io_npy_whole);
  g_test_add_func ("/leat/io-npy/source/rows", test_io_npy_rows);
  g_test_add_func ("/leat/io-npy/source/empty-rows", test_io_npy_empty_rows);
  g_test_add_func ("/leat/io-npy/source/swaps", test_io_npy_swaps);
  g_test_add_func ("/leat/io-npy/source/refuses", test_io_npy_refuses);
  g_test_add_func ("/leat/io-npy/source/refuses-changed", test_io_npy_changed);
  g_test_add_func ("/leat/io-npy/sink/arrays", test_io_npy_sink);
  g_test_add_func ("/leat/io-npy/sink/numpy-reads-it", test_io_npy_sink_numpy);
  g_test_add_func ("/leat/io-npy/sink/numpy-reads-types", test_io_npy_sink_types_numpy);
  g_test_add_func ("/leat/io-npy/source/type", test_io_npy_type);
  g_test_add_func ("/leat/io-npy/sink/nothing", test_io_npy_sink_nothing);
  g_test_add_func ("/leat/io-npy/sink/undone-without-finish", test_io_npy_sink_undone);
  g_test_add_func ("/leat/io-npy/sink/pipe", test_io_npy_sink_pipe);
  return g_test_run ();
}
