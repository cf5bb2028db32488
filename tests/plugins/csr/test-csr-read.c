/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <string.h>
#include <unistd.h>

/* `csr:read`: what comes out of files, and what is said of bad ones. */

static LeatPipeline *
csr_read_parse (const char *properties)
{
  static const char *const ports[] = { "offsets", "indices", "weights", "back_offsets", "back_indices", "source" };
  g_autoptr (GString) text = g_string_new ("leat 1\n");
  LeatPipeline *pipeline;
  GError *error = NULL;

  g_string_append_printf (text, "g = csr:read %s\n", properties);
  for (guint i = 0; i < G_N_ELEMENTS (ports); i++)
    g_string_append_printf (text, "g.%s -> readback -> app name=%s\n", ports[i], ports[i]);
  g_string_append (text, "app name=go spec=u32[1] -> upload -> discard\n");
  pipeline = leat_parse_text (text->str, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  return pipeline;
}

/* What a port gives, as numbers with spaces between. */
static char *
csr_read_format (LeatPipeline *pipeline, const char *port)
{
  GError *error = NULL;
  g_autoptr (GBytes) bytes = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, port, NULL)), -1, &error);
  GString *text = g_string_new (NULL);
  gsize size;
  const guint32 *words;

  g_assert_no_error (error);
  words = g_bytes_get_data (bytes, &size);
  for (gsize i = 0; i < size / sizeof *words; i++)
    if (g_str_equal (port, "weights"))
      g_string_append_printf (text, "%s%g", i > 0 ? " " : "", ((const float *) words)[i]);
    else
      g_string_append_printf (text, "%s%u", i > 0 ? " " : "", words[i]);
  return g_string_free (text, FALSE);
}

typedef struct
{
  const char *text, *properties;
  const char *offsets, *indices, *weights, *back_offsets, *back_indices;
} CsrReadCase;

static void
csr_read_check (const CsrReadCase *self, const char *properties)
{
  const char *const ports[] = { "offsets", "indices", "weights", "back_offsets", "back_indices" };
  const char *const wanted[] = { self->offsets, self->indices, self->weights, self->back_offsets, self->back_indices };
  g_autoptr (LeatPipeline) pipeline = csr_read_parse (properties);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  g_autoptr (GBytes) go = g_bytes_new_static ("\0\0\0", 4);
  GError *error = NULL;

  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "go", NULL)), go, NULL);
  leat_session_replay (session, TRUE, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (ports); i++)
    {
      g_autofree char *text = csr_read_format (pipeline, ports[i]);

      g_assert_cmpstr (text, ==, wanted[i]);
    }
  leat_session_close (session);
}

static void
test_csr_read_text (void)
{
  static const CsrReadCase cases[] = {
    { "\xef\xbb\xbf"
      "0 1\n",
      "", "0 1 1", "1", "1", "0 0 1", "0" },
    { "\xef\xbb\xbf"
      "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n",
      "", "0 1 1", "1", "1", "0 0 1", "0" },
    { "# a comment\n% another\n\n0 2\n0\t1\r\n2,0\n", "", "0 2 2 3", "1 2 0", "1 1 1", "0 1 2 3", "2 0 0" },
    { "0 1 2.5\n1 0 -1\n0 1 0.5", "", "0 2 3", "1 1 0", "2.5 0.5 -1", "0 1 3", "1 0 0" },
    { "0 1 2.5\n1 0 -1\n0 1 0.5", "dedup=true", "0 1 2", "1 0", "0.5 -1", "0 1 2", "1 0" },
    { "0 1 3\n1 1 4\n", "edges=undirected", "0 1 3", "1 0 1", "3 3 4", "0 1 3", "1 0 1" },
    { "0 1\n", "vertices=4", "0 1 1 1 1", "1", "1", "0 0 1 1 1", "0" },
    { "", "vertices=2", "0 0 0", "0", "1", "0 0 0", "0" },
    { "%%MatrixMarket matrix coordinate real general\n% c\n3 3 2\n1 3 0.5\n3 2 7\n", "", "0 1 1 2", "2 1", "0.5 7",
      "0 0 1 2", "2 0" },
    { "%%matrixmarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n", "", "0 1 2 3", "1 0 2", "1 1 1",
      "0 1 2 3", "1 0 2" },
    { "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 2\n1 2\n3 3\n", "", "0 1 3 4", "1 0 1 2", "1 1 1 1",
      "0 1 3 4", "1 0 1 2" },
    { "%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n2 1 4\n3 1 5\n", "edges=reversed", "0 2 3 4", "1 2 0 0",
      "4 5 4 5", "0 2 3 4", "1 2 0 0" },
    { "0 1 3\n1 1 4\n", "edges=reversed", "0 0 2", "0 1", "3 4", "0 1 2", "1 1" },
    { "%%MATRIXMARKET MATRIX COORDINATE PATTERN GENERAL\n2 2 1\n1 2\n", "", "0 1 1", "1", "1", "0 0 1", "0" },
    { "% sym weighted\n# from a MatrixMarket file\n# a general graph\n0 1\n", "", "0 1 1", "1", "1", "0 0 1", "0" },
    { "% a real matrix\n# a pattern, integer\n% coordinate\n0 1\n", "", "0 1 1", "1", "1", "0 0 1", "0" },
    { "%MM matrix coordinate\n0 1\n", "format=edges", "0 1 1", "1", "1", "0 0 1", "0" },
  };
  g_autofree char *path = leat_harness_dup_path ("graph");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *properties = g_strdup_printf ("path=\"%s\" %s", path, cases[i].properties);

      g_test_message ("%s", cases[i].text);
      leat_harness_write_file (path, cases[i].text, strlen (cases[i].text));
      csr_read_check (&cases[i], properties);
    }
}

/* An .npy file of version 1.0. */
static char *
csr_read_save (const char *name, const char *type, guint n, gconstpointer items, gsize size)
{
  char *path = leat_harness_dup_path (name);
  g_autoptr (GByteArray) file = g_byte_array_new ();
  g_autofree char *head = g_strdup_printf ("{'descr': '%s', 'fortran_order': False, 'shape': (%u,), }", type, n);
  guint8 length[2] = { 118, 0 };
  char padded[118];

  memset (padded, ' ', sizeof padded);
  memcpy (padded, head, strlen (head));
  padded[117] = '\n';
  g_byte_array_append (file, (const guint8 *) "\x93NUMPY\1\0", 8);
  g_byte_array_append (file, length, 2);
  g_byte_array_append (file, (const guint8 *) padded, sizeof padded);
  g_byte_array_append (file, items, (guint) size);
  leat_harness_write_file (path, file->data, file->len);
  return path;
}

static void
test_csr_read_arrays (void)
{
  const gint64 offsets[] = { 0, 2, 2, 3 };
  const gint32 indices[] = { 2, 1, 0 };
  const double weights[] = { 2.5, 1.5, 0.25 };
  static const CsrReadCase wanted = { NULL, NULL, "0 2 2 3", "1 2 0", "1.5 2.5 0.25", "0 1 2 3", "2 0 0" };
  g_autofree char *a = csr_read_save ("o.npy", "<i8", 4, offsets, sizeof offsets);
  g_autofree char *b = csr_read_save ("i.npy", "<i4", 3, indices, sizeof indices);
  g_autofree char *c = csr_read_save ("w.npy", "<f8", 3, weights, sizeof weights);
  g_autofree char *properties =
    g_strdup_printf ("offsets-path=\"%s\" indices-path=\"%s\" weights-path=\"%s\"", a, b, c);

  csr_read_check (&wanted, properties);
}

/* Vertices that the files have no rows for. */
static void
test_csr_read_arrays_more (void)
{
  const guint32 offsets[] = { 0, 2, 3 }, indices[] = { 3, 1, 0 };
  static const CsrReadCase wanted = { NULL, NULL, "0 2 3 3 3 3", "1 3 0", "1 1 1", "0 1 2 2 3 3", "1 0 0" };
  static const CsrReadCase fewer = { NULL, NULL, "0 2 3", "0 1 0", "1 1 1", "0 2 3", "0 1 0" };
  g_autofree char *a = csr_read_save ("o.npy", "<u4", 3, offsets, sizeof offsets);
  g_autofree char *b = csr_read_save ("i.npy", "<u4", 3, indices, sizeof indices);
  g_autofree char *c = csr_read_save ("few.npy", "<u4", 3, (guint32[]){ 1, 0, 0 }, sizeof indices);
  g_autofree char *more = g_strdup_printf ("offsets-path=\"%s\" indices-path=\"%s\" vertices=5", a, b);
  g_autofree char *less = g_strdup_printf ("offsets-path=\"%s\" indices-path=\"%s\" vertices=1", a, c);

  csr_read_check (&wanted, more);
  csr_read_check (&fewer, less);
}

static void
csr_read_assert_fails (const char *properties, int code, const char *word)
{
  g_autoptr (LeatPipeline) pipeline = csr_read_parse (properties);
  GError *error = NULL;
  g_autoptr (LeatPlan) plan = leat_plan_new (pipeline, &error);

  g_assert_null (plan);
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, code, word);
}

static void
test_csr_read_bad_text (void)
{
  static const struct
  {
    const char *text, *properties, *word;
  } cases[] = {
    { "0 1\n2\n", "", "graph:2: expected \"from to\"" },
    { "0 1\n1 2 3 4\n", "", "graph:2: expected \"from to\"" },
    { "0 1\n\n-1 2\n", "", "graph:3: \"-1\" is not a whole number" },
    { "0 x\n", "", "\"x\" is not a whole number" },
    { "0 99999999999999999999\n", "", "is too large" },
    { "0 1 nan\n", "", "not a finite number" },
    { "0 1 1e99\n", "", "not a finite number" },
    { "0 1\n1 2 5\n", "", "graph:2: this edge has a weight" },
    { "0 2000000000\n", "", "say vertices=2000000001" },
    { "", "", "say how many there are with vertices=" },
    { "\x1f\x8b\x08", "", "graph: it is compressed by gzip, and no text with edges; unpack it first" },
    { "\x93NUMPY\x01", "", "graph: it is an .npy file; give rows in such files with offsets-path=" },
    { "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n", "format=edges",
      "graph: it is a Matrix Market file, whose line of sizes would be taken for an edge" },
    { "0 1\n", "format=matrix-market", "begins with \"%%MatrixMarket" },
    { "%%MatrixMarket matrix array real general\n2 2\n", "",
      "graph:1: the matrix is dense (\"array\"); a graph is \"coordinate\"" },
    { "%%MatrixMarket matrix coordinate complex general\n2 2 0\n", "",
      "graph:1: entries are \"complex\"; real, integer and pattern can be read" },
    { "%%MatrixMarket matrix coordinate real hermitian\n2 2 0\n", "",
      "graph:1: the matrix is \"hermitian\"; general and symmetric ones can be read" },
    { "%%MatrixMarket matrix coordinate real general\n", "", "is missing" },
    { "%%MatrixMarket matrix coordinate real general\n2 3 0\n", "", "a square matrix" },
    { "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n0 1\n", "", "graph:3: rows and columns" },
    { "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 3\n", "", "at most 2 will do" },
    { "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n", "", "2 entries are promised and 1" },
    { "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n2 1\n", "", "graph:4: there are more" },
    { "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2\n", "", "expected \"row column value\"" },
    { "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1.5\n", "",
      "graph:3: \"1.5\" is not a whole number, and the banner says integer" },
    { "%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file begins" },
    { "%% MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file begins" },
    { "%%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file begins" },
    { "#MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file begins" },
    { "%%Matrix Market matrix coordinate real general\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file begins" },
    { "%%MatrixMarket\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file begins" },
    { "%%MatrixMarket coordinate real general\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file begins" },
    { "%%MatrixMarket matrix coordinate real\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file begins" },
    { "%%MatrixMarkt matrix coordinate real general\n3 3 1\n1 1 1\n", "", "for lines of edges use format=edges" },
    { "% array, real\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file begins" },
    { "% general coordinate\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file begins" },
    { "% a real, general matrix\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file begins" },
    { "%%MM matrix coordinate\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file begins" },
    { "% saved by hand\n%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix" },
    { "\n%%MatrixMarket matrix coordinate real general\n3 3 1\n1 1 1\n", "", "graph:1: a Matrix Market file" },
    { "%%MatrixMarket vector coordinate real general\n2 2 0\n", "", "graph:1: a Matrix Market file begins" },
    { "%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 0\n", "", "general and symmetric" },
    { "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n2 2 1\n2 1 4\n3 1 5\n1 2 4\n", "",
      "graph:6: a symmetric matrix has entries on one side of its diagonal" },
    { "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 3\n1 2\n2 1\n", "",
      "graph:5: a symmetric matrix has entries on one side of its diagonal" },
  };
  g_autofree char *path = leat_harness_dup_path ("graph");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *properties = g_strdup_printf ("path=\"%s\" %s", path, cases[i].properties);

      leat_harness_write_file (path, cases[i].text, strlen (cases[i].text));
      csr_read_assert_fails (properties, LEAT_GRAPH_ERROR_DATA, cases[i].word);
    }
}

/* Of a word that goes on and on the message has the beginning alone, and of a short one nothing that is behind it. */
static void
test_csr_read_bad_words (void)
{
  static const struct
  {
    const char *front, *says;
    const char *more; /* words behind */
  } cases[] = {
    { "%%MatrixMarket matrix ", "graph:1: the matrix is dense (\"7777", " real behind" },
    { "%%MatrixMarket matrix coordinate ", "graph:1: entries are \"7777", " behind" },
    { "%%MatrixMarket matrix coordinate real ", "graph:1: the matrix is \"7777" },
    { "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 1.5", "\"1.57777" },
    { "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 ", "graph:3: 7777" },
    { "0 1\n1 9999999999", "graph:2: 99999999997777" },
    { "0 1\n1 x", "graph:2: \"x7777" },
    { "0 1 x", "graph:1: the weight \"x7777" },
  };
  g_autofree char *path = leat_harness_dup_path ("graph");
  g_autofree char *properties = g_strdup_printf ("path=\"%s\"", path);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint length = 4; length <= 2500; length *= 25)
      {
        g_autofree char *word = g_strnfill (length, '7');
        g_autofree char *text =
          g_strconcat (cases[i].front, word, cases[i].more != NULL ? cases[i].more : "", "\nbehind\n", NULL);
        g_autoptr (LeatPipeline) pipeline = csr_read_parse (properties);
        GError *error = NULL;

        leat_harness_write_file (path, text, strlen (text));
        g_assert_null (leat_plan_new (pipeline, &error));
        g_test_message ("%s", error->message);
        g_assert_null (strstr (error->message, "behind"));
        g_assert_cmpuint (strlen (error->message), <, 300);
        leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, cases[i].says);
      }
}

static void
test_csr_read_bad_arrays (void)
{
  static const struct
  {
    gint32 offsets[3], indices[3];
    guint n_offsets, n_indices;
    const char *type, *word;
  } cases[] = {
    { { 1, 2, 3 }, { 0, 0, 0 }, 3, 3, "<i4", "offset 0 is 1" },
    { { 0, 4, 3 }, { 0, 0, 0 }, 3, 3, "<i4", "offset 2 is 3, after 4; offsets begin" },
    { { 0, -1, 3 }, { 0, 0, 0 }, 3, 3, "<i4", "offset 1 is -1, after 0; offsets begin" },
    { { 0, 1, 2 }, { 0, 0, 0 }, 3, 3, "<i4", "3 indices, and the last offset in" },
    { { 0, 1, 3 }, { 0, 2, 0 }, 3, 3, "<i4", "index 1 is 2, and vertices are numbered from 0 to 1" },
    { { 0, 1, 3 }, { 0, -2, 0 }, 3, 3, "<i4", "index 1 is -2" },
    { { 0, 1, 3 }, { 0, 0, 0 }, 3, 3, "<f4", "it holds f32; integers are expected" },
    { { 0 }, { 0, 0, 0 }, 0, 3, "<i4", "it has 0 offsets; a graph has one more offset than vertices" },
    { { 0, 1, 3 }, { 0, 0, 0 }, 3, 2, "<i4", "it has 2 indices, and the last offset in" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *a =
        csr_read_save ("o.npy", cases[i].type, cases[i].n_offsets, cases[i].offsets, 4 * cases[i].n_offsets);
      g_autofree char *b = csr_read_save ("i.npy", "<i4", cases[i].n_indices, cases[i].indices, 4 * cases[i].n_indices);
      g_autofree char *properties = g_strdup_printf ("offsets-path=\"%s\" indices-path=\"%s\"", a, b);

      csr_read_assert_fails (properties, LEAT_GRAPH_ERROR_DATA, cases[i].word);
    }
}

/* Numbers of 64 bits are as they are in the file. */
static void
test_csr_read_bad_wide_arrays (void)
{
  static const struct
  {
    guint64 offsets[3], indices[3];
    const char *word;
  } cases[] = {
    { { 0, 3, G_MAXUINT64 }, { 0, 0, 0 }, "o.npy is 18446744073709551615" },
    { { G_MAXUINT64, 3, 3 }, { 0, 0, 0 }, "offset 0 is 18446744073709551615; offsets begin" },
    { { 0, G_MAXUINT64, 3 }, { 0, 0, 0 }, "offset 2 is 3, after 18446744073709551615; offsets begin" },
    { { 0, 1, 3 }, { 0, G_MAXUINT64, 0 }, "index 1 is 18446744073709551615" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *a = csr_read_save ("o.npy", "<u8", 3, cases[i].offsets, sizeof cases[i].offsets);
      g_autofree char *b = csr_read_save ("i.npy", "<u8", 3, cases[i].indices, sizeof cases[i].indices);
      g_autofree char *properties = g_strdup_printf ("offsets-path=\"%s\" indices-path=\"%s\"", a, b);

      csr_read_assert_fails (properties, LEAT_GRAPH_ERROR_DATA, cases[i].word);
    }
}

/* What is said of weights that f32 does not hold, NULL: nothing. */
static void
csr_read_check_rounding (const char *properties, const char *says)
{
  g_autoptr (LeatPipeline) pipeline = csr_read_parse (properties);
  GError *error = NULL;
  g_autoptr (LeatPlan) plan = leat_plan_new (pipeline, &error);
  g_autoptr (LeatMessage) message = leat_bus_pop (leat_pipeline_get_bus (pipeline), 0);
  g_autoptr (LeatMessage) another = leat_bus_pop (leat_pipeline_get_bus (pipeline), 0);

  g_assert_no_error (error);
  g_assert_null (another);
  g_assert_true ((message != NULL) == (says != NULL));
  if (says == NULL)
    return;
  g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_WARNING);
  g_assert_nonnull (strstr (leat_message_get_error (message)->message, says));
}

static void
test_csr_read_rounding_text (void)
{
  static const struct
  {
    const char *text, *says;
  } cases[] = {
    { "0 1 16777217\n", "1 weight that f32 does not hold, such as 16777217, which becomes 16777216;" },
    { "0 1 16777216\n1 0 -16777216\n0 0 0016777218\n1 1 33554436\n", NULL },
    { "0 1 1\n1 0 -16777217\n0 0 16777219\n", "2 weights that f32 does not hold, such as -16777217" },
    { "0 1 0.1\n1 0 1e-30\n1 1 -0\n1 2 0.0\n", NULL },
    { "0 1 16777217.0\n", "1 weight that f32 does not hold, such as 16777217.0" },
    { "0 1 1.6777217e7\n", "such as 1.6777217e7, which becomes 16777216" },
    { "0 1 9007199254740993\n", "such as 9007199254740993, which becomes 9.00719925e+15" },
    { "0 1 9007199254740992\n0 2 340282346638528859811704183484516925440\n", NULL },
    { "0 1 1e-60\n", "such as 1e-60, which becomes 0" },
    { "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 2 123456789\n", "such as 123456789" },
    { "%%MatrixMarket matrix coordinate integer symmetric\n2 2 1\n2 1 123456789\n", "1 weight that f32" },
  };
  g_autofree char *path = leat_harness_dup_path ("graph");
  g_autofree char *properties = g_strdup_printf ("path=\"%s\"", path);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_test_message ("%s", cases[i].text);
      leat_harness_write_file (path, cases[i].text, strlen (cases[i].text));
      csr_read_check_rounding (properties, cases[i].says);
    }
}

static void
test_csr_read_rounding_arrays (void)
{
  const guint32 offsets[] = { 0, 3 }, indices[] = { 0, 0, 0 };
  static const struct
  {
    const char *type;
    guint64 weights[3];
    const char *says;
  } cases[] = {
    { "<i8", { 1, 16777217, -(guint64) 16777219 }, "2 weights that f32 does not hold, such as 16777217" },
    { "<i8", { 1, 16777218, 1ull << 63 }, NULL },
    { "<u8", { 1, G_MAXUINT64, 1ull << 63 }, "1 weight that f32 does not hold, such as 18446744073709551615" },
    { "<f8",
      { 0x3FB999999999999A /* 0.1 */, 0x4170000000000000 /* 2^24 */, 0x4170000010000000 /* and 1 */ },
      "1 weight that f32 does not hold, such as 16777217" },
    { "<f8", { 0, 0x0000000000000001, 0x7FE0000000000000 }, "is no finite f32" },
    { "<f8", { 0, 0x0000000000000001, 0x3FF0000000000000 }, "1 weight that f32 does not hold, such as 4.94065" },
  };
  g_autofree char *a = csr_read_save ("o.npy", "<u4", 2, offsets, sizeof offsets);
  g_autofree char *b = csr_read_save ("i.npy", "<u4", 3, indices, sizeof indices);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *c = csr_read_save ("w.npy", cases[i].type, 3, cases[i].weights, sizeof cases[i].weights);
      g_autofree char *properties =
        g_strdup_printf ("offsets-path=\"%s\" indices-path=\"%s\" weights-path=\"%s\"", a, b, c);

      if (cases[i].says != NULL && g_str_has_prefix (cases[i].says, "is no"))
        csr_read_assert_fails (properties, LEAT_GRAPH_ERROR_DATA, cases[i].says);
      else
        csr_read_check_rounding (properties, cases[i].says);
    }
}

/* Another package between two plans is another number, though the file is the same. */
static void
test_csr_read_from_again (void)
{
  static const char text[] = "Package: one\nStatus: install ok installed\nDepends: two\n\n"
                             "Package: two\nStatus: install ok installed\n\n";
  static const char *const packages[] = { "one", "two", "one" };
  g_autofree char *path = leat_harness_dup_path ("status");
  g_autofree char *file =
    g_strdup_printf ("leat 1\ng = csr:read path=\"%s\" from=one\ng.offsets -> discard\ng.source -> readback -> app "
                     "name=source\napp name=go spec=u32[1] -> upload -> discard\n",
                     path);
  guint32 numbers[G_N_ELEMENTS (packages)];
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (GBytes) go = g_bytes_new_static ("\0\0\0", 4);
  GError *error = NULL;

  leat_harness_write_file (path, text, strlen (text));
  pipeline = leat_parse_text (file, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (packages); i++)
    {
      g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
      g_autoptr (GBytes) bytes = NULL;

      leat_harness_set (leat_pipeline_get_node (pipeline, "g", NULL), "from", packages[i]);
      leat_session_open (session, NULL, &error);
      g_assert_no_error (error);
      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "go", NULL)), go, NULL);
      leat_session_replay (session, TRUE, NULL, &error);
      g_assert_no_error (error);
      bytes = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "source", NULL)), -1, &error);
      g_assert_no_error (error);
      memcpy (&numbers[i], g_bytes_get_data (bytes, NULL), sizeof numbers[i]);
      leat_session_close (session);
    }
  g_assert_cmpuint (numbers[0], !=, numbers[1]);
  g_assert_cmpuint (numbers[0], ==, numbers[2]);
}

static gpointer
cut_soon (gpointer path)
{
  g_usleep (500);
  g_assert_cmpint (truncate (path, 7001), ==, 0);
  return NULL;
}

/* Whenever somebody cuts it short it is read, or refused; pages of a mapping that are gone would end the process. */
static void
test_csr_read_cut_short (void)
{
  g_autofree char *path = leat_harness_dup_path ("graph"), *properties = g_strdup_printf ("path=\"%s\"", path);
  g_autoptr (GString) text = g_string_new (NULL);

  while (text->len < 4 << 20)
    g_string_append_printf (text, "%u %u\n", (guint) (text->len % 5000), (guint) (text->len * 7 % 5000));
  for (guint i = 0; i < 8; i++)
    {
      g_autoptr (LeatPipeline) pipeline = csr_read_parse (properties);
      g_autoptr (LeatPlan) plan = NULL;
      g_autoptr (GError) error = NULL;
      GThread *thread;

      leat_harness_write_file (path, text->str, text->len);
      thread = g_thread_new ("cut", cut_soon, path);
      plan = leat_plan_new (pipeline, &error);
      g_thread_join (thread);
      if (plan == NULL)
        g_assert_nonnull (strstr (error->message, "graph"));
    }
}

/* As many vertices as text may have for so many edges; one more is taken for a slip of the pen. */
static void
test_csr_read_sparse (void)
{
  static const struct
  {
    guint edges;
    const char *last, *properties; /* the vertex with the highest number */
    gboolean refused;
  } cases[] = {
    { 1, "16777215", "", FALSE },      { 1, "16777216", "vertices=16777217", FALSE },
    { 1, "16777216", "", TRUE },       { 1, "16777216", "vertices=16777216", TRUE },
    { 262144, "16777278", "", FALSE }, { 262143, "16777278", "", TRUE },
    { 262144, "16777279", "", TRUE },
  };
  g_autofree char *path = leat_harness_dup_path ("graph");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *properties = g_strdup_printf ("path=\"%s\" %s", path, cases[i].properties);
      g_autofree char *says = g_strdup_printf (" vertices for %u edges; if that is meant", cases[i].edges);
      g_autoptr (GString) text = g_string_new (NULL);

      for (guint n = 1; n < cases[i].edges; n++)
        g_string_append (text, "0 1\n");
      g_string_append_printf (text, "0 %s\n", cases[i].last);
      leat_harness_write_file (path, text->str, text->len);
      if (cases[i].refused)
        csr_read_assert_fails (properties, LEAT_GRAPH_ERROR_DATA, says);
      else
        {
          g_autoptr (LeatPipeline) pipeline = csr_read_parse (properties);
          g_autoptr (GError) error = NULL;
          g_autoptr (LeatPlan) plan = leat_plan_new (pipeline, &error);

          g_assert_no_error (error);
        }
    }
}

static void
test_csr_read_refuses (void)
{
  csr_read_assert_fails ("vertices=1", LEAT_GRAPH_ERROR_MISSING, "set path=FILE");
  csr_read_assert_fails ("path=a offsets-path=b", LEAT_GRAPH_ERROR_MISSING, "leave one of them out");
  csr_read_assert_fails ("offsets-path=b", LEAT_GRAPH_ERROR_MISSING, "needs indices-path=");
  csr_read_assert_fails (
    "path=/proc/nonexistent/graph", LEAT_GRAPH_ERROR_IO,
    "cannot read \"/proc/nonexistent/graph\": No such file or directory; give the path of a file that");
  csr_read_assert_fails ("path=/tmp", LEAT_GRAPH_ERROR_IO,
                         "cannot read \"/tmp\": Is a directory; give the path of a file");
  csr_read_assert_fails ("path=-", LEAT_GRAPH_ERROR_IO, "not a regular file");
}

/* A run of an open session, all ports one after the other. */
static char *
csr_read_run (LeatPipeline *pipeline, LeatSession *session)
{
  static const char *const ports[] = { "offsets", "indices", "weights", "back_offsets", "back_indices", "source" };
  g_autoptr (GBytes) go = g_bytes_new_static ("\0\0\0", 4);
  GString *text = g_string_new (NULL);
  GError *error = NULL;

  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "go", NULL)), go, NULL);
  leat_session_replay (session, TRUE, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (ports); i++)
    {
      g_autofree char *words = csr_read_format (pipeline, ports[i]);

      g_string_append_printf (text, "%s; ", words);
    }
  return g_string_free (text, FALSE);
}

/* The same of a session that never had other properties. */
static char *
csr_read_run_once (const char *properties)
{
  g_autoptr (LeatPipeline) pipeline = csr_read_parse (properties);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  GError *error = NULL;
  char *text;

  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  text = csr_read_run (pipeline, session);
  leat_session_close (session);
  return text;
}

/* Whatever property is set while a session is open, the graph is the one that it makes: none of them is left out of
 * what a graph that was read is known by. */
static void
test_csr_read_follows_each_property (void)
{
  static const char edges[] = "0 1 3\n0 1 2\n1 2 4\n";
  static const char packages[] = "Package: a\nDepends: b\n\nPackage: b\nDepends: c\n\nPackage: c\n\n";
  static const struct
  {
    const char *text, *prop, *value;
  } sets[] = { { edges, "edges", "undirected" }, { edges, "edges", "reversed" },  { edges, "dedup", "true" },
               { edges, "vertices", "6" },       { edges, "offset-type", "u64" }, { packages, "from", "b" },
               { packages, "from", "c" },        { edges, "path", "OTHER" } };
  g_autofree char *path = leat_harness_dup_path ("graph"), *other = leat_harness_dup_path ("other");
  g_autofree char *first = g_strdup_printf ("path=\"%s\"", path);

  leat_harness_write_file (other, "3 0 1\n2 1 5\n", 12);
  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    {
      const char *value = g_str_equal (sets[i].prop, "path") ? other : sets[i].value;
      g_autoptr (LeatPipeline) pipeline = NULL;
      g_autoptr (LeatSession) session = NULL;
      g_autofree char *before = NULL, *after = NULL, *wanted = NULL, *properties = NULL;
      GError *error = NULL;

      leat_harness_write_file (path, sets[i].text, strlen (sets[i].text));
      pipeline = csr_read_parse (first);
      session = leat_session_new (pipeline, NULL);
      leat_session_open (session, NULL, &error);
      g_assert_no_error (error);
      before = csr_read_run (pipeline, session);
      leat_node_set_from_string (leat_pipeline_get_node (pipeline, "g", NULL), sets[i].prop, value, &error);
      g_assert_no_error (error);
      after = csr_read_run (pipeline, session);
      leat_session_close (session);
      properties = value == other ? g_strdup_printf ("path=\"%s\"", other)
                                  : g_strdup_printf ("%s %s=%s", first, sets[i].prop, value);
      wanted = csr_read_run_once (properties);
      g_assert_cmpstr (after, ==, wanted);
      g_assert_cmpstr (after, !=, before);
    }
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/csr/read/text", test_csr_read_text);
  g_test_add_func ("/leat/csr/read/arrays", test_csr_read_arrays);
  g_test_add_func ("/leat/csr/read/arrays/more", test_csr_read_arrays_more);
  g_test_add_func ("/leat/csr/read/bad-text", test_csr_read_bad_text);
  g_test_add_func ("/leat/csr/read/bad-words", test_csr_read_bad_words);
  g_test_add_func ("/leat/csr/read/bad-arrays", test_csr_read_bad_arrays);
  g_test_add_func ("/leat/csr/read/bad-wide-arrays", test_csr_read_bad_wide_arrays);
  g_test_add_func ("/leat/csr/read/follows-each-property", test_csr_read_follows_each_property);
  g_test_add_func ("/leat/csr/read/rounding/text", test_csr_read_rounding_text);
  g_test_add_func ("/leat/csr/read/rounding/arrays", test_csr_read_rounding_arrays);
  g_test_add_func ("/leat/csr/read/from-again", test_csr_read_from_again);
  g_test_add_func ("/leat/csr/read/cut-short", test_csr_read_cut_short);
  g_test_add_func ("/leat/csr/read/sparse", test_csr_read_sparse);
  g_test_add_func ("/leat/csr/read/refuses", test_csr_read_refuses);
  result = g_test_run ();
  leat_harness_remove_files ();
  return result;
}
