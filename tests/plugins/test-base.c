/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "leat-npy-header.h"

#include "bind/leat-bound-plan-private.h"

#include <string.h>

static LeatPipeline *
test_base_make (const char *const *nodes, const char *const *links)
{
  LeatPipeline *pipeline = leat_pipeline_new ();
  GError *error = NULL;

  for (; *nodes != NULL; nodes += 2)
    {
      leat_pipeline_make (pipeline, nodes[0], nodes[1], &error);
      g_assert_no_error (error);
    }
  for (; *links != NULL; links += 2)
    {
      leat_pipeline_link (pipeline, links[0], links[1], &error);
      g_assert_no_error (error);
    }
  return pipeline;
}

static void
test_base_set (LeatPipeline *pipeline, const char *node, const char *name, const char *value)
{
  leat_harness_set (leat_pipeline_get_node (pipeline, node, NULL), name, value);
}

/* The two transfers of app + upload + readback + app, as planned. */
static void
test_base_transfers (void)
{
  const char *const nodes[] = { "app", "a", "upload", "u", "readback", "r", "app", "b", NULL };
  const char *const links[] = { "a.out", "u.in", "u.out", "r.in", "r.out", "b.in", NULL };
  static const struct
  {
    const char *word;
    LeatTransferMode mode;
  } modes[] = {
    { "auto", LEAT_TRANSFER_AUTO },
    { "copy", LEAT_TRANSFER_COPY },
    { "mapped", LEAT_TRANSFER_MAPPED },
  };

  for (guint i = 0; i < G_N_ELEMENTS (modes); i++)
    {
      g_autoptr (LeatPipeline) pipeline = test_base_make (nodes, links);
      g_autoptr (LeatPlan) plan = NULL;
      GError *error = NULL;
      guint transfers = 0;

      test_base_set (pipeline, "a", "spec", "f32[<=10,3]");
      test_base_set (pipeline, "u", "mode", modes[i].word);
      test_base_set (pipeline, "r", "mode", modes[i].word);
      plan = leat_plan_new (pipeline, &error);
      g_assert_no_error (error);
      for (guint j = 0; j < plan->ops->len; j++)
        {
          LeatOp *op = leat_plan_get_op (plan, j);

          if (op->kind != LEAT_OP_TRANSFER)
            continue;
          g_assert_cmpint (op->mode, ==, modes[i].mode);
          g_assert_cmpuint (op->bytes, ==, 120 + LEAT_BUFFER_HEADER);
          g_assert_true (
            leat_spec_equal (leat_plan_get_buffer (plan, op->from)->spec, leat_plan_get_buffer (plan, op->to)->spec));
          transfers++;
        }
      g_assert_cmpuint (transfers, ==, 2);
    }
}

/* What follows an upload may ask for something else than what comes. */
static void
test_base_upload_keeps_spec (void)
{
  const char *const nodes[] = { "app", "a", "upload", "u", "discard", "d", NULL };
  const char *const links[] = { "a.out", "u.in", "u.out", "d.in", NULL };
  g_autoptr (LeatPipeline) pipeline = test_base_make (nodes, links);
  GError *error = NULL;

  test_base_set (pipeline, "a", "spec", "f32[10]");
  test_base_set (pipeline, "u", "out", "f32[20]");
  g_assert_null (leat_plan_new (pipeline, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "10");
}

static void
test_base_residence (void)
{
  const char *const nodes[] = { "app", "a", "upload", "u", "readback", "r", NULL };
  const char *const none[] = { NULL };
  g_autoptr (LeatPipeline) pipeline = test_base_make (nodes, none);
  GError *error = NULL;

  g_assert_false (leat_pipeline_link (pipeline, "a.out", "r.in", &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RESIDENCE, "a.out");
  g_assert_false (leat_pipeline_link (pipeline, "u.out", "a.in", &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RESIDENCE, "a.in");
}

static void
test_base_discard_counts (void)
{
  LeatHarness harness;
  GError *error = NULL;
  guint64 bytes;

  leat_harness_init_sink (&harness, "discard", "u16[<=4]", NULL, NULL);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_drain (&harness, "abcdefgh", 8, &error));
  g_assert_true (leat_harness_drain (&harness, "ab", 2, &error));
  g_object_get (harness.node, "bytes", &bytes, NULL);
  g_assert_cmpuint (bytes, ==, 10);
  g_assert_true (leat_harness_finish (&harness, &error));
  leat_harness_stop (&harness);
  leat_harness_start (&harness);
  g_object_get (harness.node, "bytes", &bytes, NULL);
  g_assert_cmpuint (bytes, ==, 0);
  leat_harness_clear (&harness);
}

/* Device memory is discarded where it is. */
static void
test_base_discard_moves_nothing (void)
{
  const char *const nodes[] = { "app", "a", "upload", "u", "discard", "d", NULL };
  const char *const links[] = { "a.out", "u.in", "u.out", "d.in", NULL };
  g_autoptr (LeatPipeline) pipeline = test_base_make (nodes, links);
  g_autoptr (LeatPlan) plan = NULL;
  GError *error = NULL;
  guint transfers = 0;

  test_base_set (pipeline, "a", "spec", "f32[10]");
  plan = leat_plan_new (pipeline, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < plan->ops->len; i++)
    transfers += leat_plan_get_op (plan, i)->kind == LEAT_OP_TRANSFER;
  g_assert_cmpuint (transfers, ==, 1);
}

static void
test_base_assert_const (const char *path, const char *name, const char *value, const char *spec, const char *data)
{
  const char *const nodes[] = { "const", "c", "readback", "r", "app", "b", NULL };
  const char *const links[] = { "c.out", "r.in", "r.out", "b.in", NULL };
  g_autoptr (LeatPipeline) pipeline = test_base_make (nodes, links);
  LeatNode *node = leat_pipeline_get_node (pipeline, "c", NULL);
  LeatPort *port = leat_node_get_port (node, "out", NULL);
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *found = NULL;
  GError *error = NULL;
  LeatBuffer *buffer;

  leat_harness_set (node, "path", path);
  if (name != NULL)
    leat_harness_set (node, name, value);
  plan = leat_plan_new (pipeline, &error);
  g_assert_no_error (error);
  found = leat_spec_to_string (leat_port_get_spec (port), LEAT_SPEC_STYLE_FILE);
  g_assert_cmpstr (found, ==, spec);
  buffer = leat_plan_get_buffer (plan, leat_plan_get_port_buffer (plan, port));
  g_assert_cmpint (buffer->kind, ==, LEAT_BUFFER_CONST);
  g_assert_cmpmem (g_bytes_get_data (buffer->initial, NULL), g_bytes_get_size (buffer->initial), data, strlen (data));
}

static void
test_base_const (void)
{
  g_autofree char *raw = leat_harness_dup_path ("table.bin");
  g_autofree char *npy = leat_harness_dup_path ("table.npy");
  guint8 file[LEAT_NPY_HEADER_BYTES + 8];
  const guint64 dims[] = { 2, 2 };

  leat_harness_format_npy (LEAT_DTYPE_I16, dims, 2, file);
  memcpy (file + LEAT_NPY_HEADER_BYTES, "abcdefgh", 8);
  leat_harness_write_file (npy, file, sizeof file);
  leat_harness_write_file (raw, "abcdefgh", 8);
  test_base_assert_const (raw, NULL, NULL, "u8[8]", "abcdefgh");
  test_base_assert_const (raw, "spec", "f32[2]", "f32[2]", "abcdefgh");
  test_base_assert_const (raw, "out", "u16[2,2]", "u16[2,2]", "abcdefgh");
  test_base_assert_const (npy, NULL, NULL, "i16[2,2]", "abcdefgh");
  test_base_assert_const (npy, "spec", "i16", "i16[2,2]", "abcdefgh");
}

static void
test_base_refuse_const (const char *path, const char *spec, int code, const char *says)
{
  const char *const nodes[] = { "const", "c", "discard", "d", NULL };
  const char *const links[] = { "c.out", "d.in", NULL };
  g_autoptr (LeatPipeline) pipeline = test_base_make (nodes, links);
  GError *error = NULL;

  test_base_set (pipeline, "c", "path", path);
  if (spec != NULL)
    test_base_set (pipeline, "c", "spec", spec);
  g_assert_null (leat_plan_new (pipeline, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, code, says);
}

static void
test_base_const_refuses (void)
{
  g_autofree char *raw = leat_harness_dup_path ("table.bin");
  g_autofree char *npy = leat_harness_dup_path ("table.npy");
  g_autofree char *empty = leat_harness_dup_path ("empty.bin");
  guint8 file[LEAT_NPY_HEADER_BYTES + 8] = { 0 };
  const guint64 dims[] = { 2, 2 };

  leat_harness_format_npy (LEAT_DTYPE_I16, dims, 2, file);
  leat_harness_write_file (npy, file, sizeof file);
  leat_harness_write_file (raw, "abcdefgh", 8);
  leat_harness_write_file (empty, "", 0);
  test_base_refuse_const (raw, "f32[3]", LEAT_GRAPH_ERROR_DATA, "holds 8 bytes; f32[3] needs 12");
  test_base_refuse_const (raw, "f32[<=2]", LEAT_GRAPH_ERROR_SPEC, "f32[<=2]");
  test_base_refuse_const (raw, "f32[n]", LEAT_GRAPH_ERROR_SPEC, "f32[n]");
  test_base_refuse_const (npy, "f32", LEAT_GRAPH_ERROR_SPEC, "i16");
  test_base_refuse_const (empty, NULL, LEAT_GRAPH_ERROR_DATA, "is empty");
  test_base_refuse_const ("/proc/none/such", NULL, LEAT_GRAPH_ERROR_IO, "/proc/none/such");
  test_base_refuse_const ("/dev/zero", NULL, LEAT_GRAPH_ERROR_IO, "not a regular file");
  leat_harness_write_file (npy, file, sizeof file - 1);
  test_base_refuse_const (npy, NULL, LEAT_GRAPH_ERROR_DATA, "cut short");
}

/* The buffer of a state of two items; NULL where it is refused. (transfer full) */
static GBytes *
test_base_fill (const char *type, const char *init)
{
  g_autofree char *text =
    g_strdup_printf ("leat 1\ns = state spec=%s[2] init=\"%s\"\ns -> readback -> app\n", type, init);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatPlan) plan = NULL;

  g_assert_no_error (error);
  plan = leat_plan_new (pipeline, &error);
  if (plan == NULL)
    {
      g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE);
      g_assert_nonnull (strstr (error->message, "is not a number that"));
      return NULL;
    }
  for (guint i = 0; i < plan->buffers->len; i++)
    if (leat_plan_get_buffer (plan, i)->initial != NULL)
      return g_bytes_ref (leat_plan_get_buffer (plan, i)->initial);
  g_assert_not_reached ();
}

/* All that a type holds up to its ends, and nothing else. */
static void
test_base_state_init (void)
{
  static const struct
  {
    const char *type, *good, *bad;
  } types[] = {
    { "u8", "0 1 127 128 255 0x1f 017", "256 300 -1 -0" },
    { "i8", "0 1 127 -1 -128 -0x80", "128 -129 255" },
    { "u16", "0 1 32768 65535", "65536 -1" },
    { "i16", "0 1 32767 -1 -32768", "32768 -32769" },
    { "u32", "0 1 2147483648 4294967295", "4294967296 -1" },
    { "i32", "0 1 2147483647 -1 -2147483648", "2147483648 -2147483649" },
    { "u64", "0 1 9223372036854775808 18446744073709551615", "18446744073709551616 -1 99999999999999999999" },
    { "i64", "0 1 9223372036854775807 -1 -9223372036854775808", "9223372036854775808 -9223372036854775809" },
    { "f16", "0 0.0", "1 -0 -0.0 1e-9" },
  };
  static const char *const none[] = { "", " ", "1x", "x", "1 2", "--1", "0x" };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_auto (GStrv) good = g_strsplit (types[i].good, " ", -1), bad = g_strsplit (types[i].bad, " ", -1);

      for (guint k = 0; good[k] != NULL; k++)
        {
          g_autoptr (GBytes) bytes = test_base_fill (types[i].type, good[k]);
          gsize size = g_bytes_get_size (bytes) / 2;
          gint64 wanted =
            good[k][0] == '-' ? g_ascii_strtoll (good[k], NULL, 0) : (gint64) g_ascii_strtoull (good[k], NULL, 0);

          for (guint item = 0; item < 2; item++)
            g_assert_cmpmem ((const guint8 *) g_bytes_get_data (bytes, NULL) + item * size, size, &wanted, size);
        }
      for (guint k = 0; bad[k] != NULL; k++)
        g_assert_null (test_base_fill (types[i].type, bad[k]));
      for (guint k = 0; k < G_N_ELEMENTS (none); k++)
        g_assert_null (test_base_fill (types[i].type, none[k]));
    }
}

static void
test_base_state_init_floats (void)
{
  static const char *const numbers[] = { "0", "-0.0", "1.5", "-1e30", "0.1", "1e-40" };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (GBytes) narrow = test_base_fill ("f32", numbers[i]), wide = test_base_fill ("f64", numbers[i]);
      const double d[2] = { g_ascii_strtod (numbers[i], NULL), g_ascii_strtod (numbers[i], NULL) };
      const float f[2] = { (float) d[0], (float) d[0] };

      g_assert_cmpmem (g_bytes_get_data (narrow, NULL), g_bytes_get_size (narrow), f, sizeof f);
      g_assert_cmpmem (g_bytes_get_data (wide, NULL), g_bytes_get_size (wide), d, sizeof d);
    }
  g_assert_null (test_base_fill ("f32", "1x"));
  g_assert_null (test_base_fill ("f64", ""));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/base/transfer/modes", test_base_transfers);
  g_test_add_func ("/leat/base/transfer/keeps-spec", test_base_upload_keeps_spec);
  g_test_add_func ("/leat/base/transfer/refuses-residence", test_base_residence);
  g_test_add_func ("/leat/base/discard/counts", test_base_discard_counts);
  g_test_add_func ("/leat/base/discard/moves-nothing", test_base_discard_moves_nothing);
  g_test_add_func ("/leat/base/const/files", test_base_const);
  g_test_add_func ("/leat/base/const/refuses", test_base_const_refuses);
  g_test_add_func ("/leat/base/state/init", test_base_state_init);
  g_test_add_func ("/leat/base/state/init-floats", test_base_state_init_floats);
  return g_test_run ();
}
