/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "compact-fixture.h"

#include <math.h>
#include <string.h>

/* `compact` of several columns, by flags and bits, with arguments, without room, and what it refuses. */

#define LIST(...)                                                                                                      \
  (const char *const[])                                                                                                \
  {                                                                                                                    \
    __VA_ARGS__, NULL                                                                                                  \
  }

/* Rows of 12 bytes that are chosen by two numbers beside them, one of which is given out as well as the indices. */
static void
test_compact_columns (void)
{
  CompactFixture fixture;
  gsize n = 9001, k = 0;
  g_autofree float *rows = g_new (float, 3 * n), *kept_rows = g_new (float, 3 * n), *t = g_new (float, n);
  g_autofree guint8 *q = g_new (guint8, n), *kept_q = g_new (guint8, n);
  g_autofree guint64 *indices = g_new (guint64, n);

  for (gsize i = 0; i < n; i++)
    {
      for (guint c = 0; c < 3; c++)
        rows[3 * i + c] = (float) (3 * i + c);
      t[i] = (float) (i * 7919 % 1000) / 1000;
      q[i] = (guint8) (i % 5);
      if (!(t[i] > 0.25f && q[i] != 3))
        continue;
      memcpy (kept_rows + 3 * k, rows + 3 * i, 3 * sizeof *rows);
      kept_q[k] = q[i];
      indices[k++] = i;
    }
  compact_fixture_open (&fixture,
                        "compact inputs=r,q,t keep=r,q where=\"t > above && q != 3\" above=0.25 emit=both index=u64",
                        LIST ("r=f32[9001,3]", "q=u8[9001]", "t=f32[9001]"), LIST ("out", "out_q", "indices"));
  compact_fixture_push (&fixture, "r", rows, 3 * n * sizeof *rows);
  compact_fixture_push (&fixture, "q", q, n);
  compact_fixture_push (&fixture, "t", t, n * sizeof *t);
  compact_fixture_run (&fixture);
  compact_fixture_assert (&fixture, "out", kept_rows, 3 * k * sizeof *rows);
  compact_fixture_assert (&fixture, "out_q", kept_q, k);
  compact_fixture_assert (&fixture, "indices", indices, k * sizeof *indices);
  compact_fixture_close (&fixture);
}

/* Rows of 1, 6 and 16,400 bytes, which go byte by byte, in words and by whole blocks. */
static void
test_compact_rows (void)
{
  static const guint n = 700, bytes[] = { 1, 6, 16400 };
  CompactFixture fixture;
  g_autofree guint8 *flags = g_new0 (guint8, n), *rows = g_new (guint8, n * 16400), *kept = g_new (guint8, n * 16400);

  compact_fixture_open (&fixture, "compact inputs=p,q,r by=flags",
                        LIST ("p=u8[700]", "q=u16[700,3]", "r=u8[700,16400]", "flags=u8[700]"),
                        LIST ("out", "out_q", "out_r"));
  for (gsize i = 0; i < (gsize) n * 16400; i++)
    rows[i] = (guint8) (i * 31 >> 3);
  for (guint i = 0; i < n; i++)
    flags[i] = i % 3 == 0 ? (guint8) (i | 128) : 0;
  for (guint i = 0; i < 3; i++)
    compact_fixture_push (&fixture, ((const char *const[]){ "p", "q", "r" })[i], rows, (gsize) n * bytes[i]);
  compact_fixture_push (&fixture, "flags", flags, n);
  compact_fixture_run (&fixture);
  for (guint b = 0; b < 3; b++)
    {
      gsize k = 0;

      for (guint i = 0; i < n; i++)
        if (flags[i] != 0)
          memcpy (kept + bytes[b] * k++, rows + (gsize) bytes[b] * i, bytes[b]);
      compact_fixture_assert (&fixture, ((const char *const[]){ "out", "out_q", "out_r" })[b], kept, bytes[b] * k);
    }
  compact_fixture_close (&fixture);
}

/* A predicate that looks at no row keeps all of them or none. */
static void
test_compact_all_or_none (void)
{
  static const struct
  {
    const char *node;
    gboolean all;
  } table[] = {
    { "compact where=least>1 least=2", TRUE },
    { "compact where=least>1 least=1", FALSE },
  };
  static const char *const inputs[] = { "x=u8[5000]", "x=u8[<=6000,3]" };
  static const gsize sizes[] = { 5000, 15000 };
  guint8 rows[15000];

  for (guint i = 0; i < sizeof rows; i++)
    rows[i] = (guint8) (i * 31 >> 3);
  for (guint i = 0; i < G_N_ELEMENTS (table) * G_N_ELEMENTS (inputs); i++)
    {
      const guint k = i / G_N_ELEMENTS (inputs), in = i % G_N_ELEMENTS (inputs);
      CompactFixture fixture;

      compact_fixture_open (&fixture, table[k].node, LIST (inputs[in]), LIST ("out"));
      compact_fixture_push (&fixture, "x", rows, sizes[in]);
      compact_fixture_run (&fixture);
      compact_fixture_assert (&fixture, "out", rows, table[k].all ? sizes[in] : 0);
      compact_fixture_close (&fixture);
    }
}

/* A bit for each row, the lowest first, whatever the words are; here the indices alone. */
static void
test_compact_bits (void)
{
  guint32 bits[400];
  g_autofree guint32 *indices = g_new (guint32, 12800);
  g_autofree guint64 *x = g_new (guint64, 12790), *kept = g_new (guint64, 12790);
  CompactFixture fixture;
  gsize k = 0;

  for (guint i = 0; i < 400; i++)
    bits[i] = i % 5 == 0 ? 0xffffffffu : i % 7 == 0 ? 0 : i * 2654435761u;
  for (guint i = 0; i < 12800; i++)
    if (bits[i / 32] >> i % 32 & 1)
      indices[k++] = i;
  compact_fixture_open (&fixture, "compact by=bits emit=indices", LIST ("bits=u32[400]"), LIST ("out"));
  compact_fixture_push (&fixture, "bits", bits, sizeof bits);
  compact_fixture_run (&fixture);
  compact_fixture_assert (&fixture, "out", indices, k * sizeof *indices);
  compact_fixture_close (&fixture);

  for (guint i = 0; i < 12790; i++)
    x[i] = (guint64) i << 33;
  while (k > 0 && indices[k - 1] >= 12790)
    k--;
  for (gsize i = 0; i < k; i++)
    kept[i] = x[indices[i]];
  compact_fixture_open (&fixture, "compact by=bits", LIST ("x=u64[12790]", "bits=u16[800]"), LIST ("out"));
  compact_fixture_push (&fixture, "x", x, 12790 * sizeof *x);
  compact_fixture_push (&fixture, "bits", bits, sizeof bits);
  compact_fixture_run (&fixture);
  compact_fixture_assert (&fixture, "out", kept, k * sizeof *kept);
  compact_fixture_close (&fixture);
}

/* Of several bounded inputs, as many rows as the shortest has. */
static void
test_compact_least_count (void)
{
  static const guint32 x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  static const guint8 flags[8] = { 1, 0, 1, 1, 0, 1, 1, 1 };
  CompactFixture fixture;

  compact_fixture_open (&fixture, "compact by=flags", LIST ("x=u32[<=8]", "flags=u8[<=8]"), LIST ("out"));
  for (guint n = 0; n <= 8; n++)
    {
      compact_fixture_push (&fixture, "x", x, n * sizeof *x);
      compact_fixture_push (&fixture, "flags", flags, 8 - n);
    }
  compact_fixture_run (&fixture);
  for (guint n = 0; n <= 8; n++)
    {
      guint32 kept[8], k = 0;

      for (guint i = 0; i < MIN (n, 8 - n); i++)
        if (flags[i] != 0)
          kept[k++] = x[i];
      compact_fixture_assert (&fixture, "out", kept, k * sizeof *kept);
    }
  compact_fixture_close (&fixture);
}

/* What an argument is may change between runs, and the order of NaN and infinities is C's. */
static void
test_compact_arguments (void)
{
  static const float x[6] = { -1, NAN, 0.5f, INFINITY, 0.1f, -INFINITY };
  static const float above_none[3] = { 0.5f, INFINITY, 0.1f }, above_half[1] = { INFINITY };
  CompactFixture fixture;
  GError *error = NULL;

  compact_fixture_open (&fixture, "compact where=x>above above=0", LIST ("x=f32[6]"), LIST ("out"));
  compact_fixture_push (&fixture, "x", x, sizeof x);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  leat_node_set_from_string (leat_pipeline_get_node (fixture.pipeline, "c", NULL), "above", "0.5", &error);
  g_assert_no_error (error);
  compact_fixture_push (&fixture, "x", x, sizeof x);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  compact_fixture_assert (&fixture, "out", above_none, sizeof above_none);
  compact_fixture_assert (&fixture, "out", above_half, sizeof above_half);
  compact_fixture_close (&fixture);
}

/* One row too many fails the run and says how many there are; with truncate it is a warning, and those that fit come.
 */
static void
test_compact_overflow (void)
{
  static const guint32 x[6] = { 5, 6, 7, 8, 9, 1 };
  CompactFixture fixture;
  GError *error = NULL;
  g_autoptr (LeatMessage) message = NULL;

  compact_fixture_open (&fixture, "compact where=x>4 out=u32[<=4]", LIST ("x=u32[6]"), LIST ("out"));
  compact_fixture_push (&fixture, "x", x, sizeof x);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "5"));
  g_assert_nonnull (strstr (error->message, "4"));
  g_clear_error (&error);
  compact_fixture_close (&fixture);

  compact_fixture_open (&fixture, "compact where=x>4 out=u32[<=4] on-overflow=truncate", LIST ("x=u32[6]"),
                        LIST ("out"));
  compact_fixture_push (&fixture, "x", x, sizeof x);
  compact_fixture_push (&fixture, "x", x, sizeof x);
  compact_fixture_run (&fixture);
  compact_fixture_assert (&fixture, "out", x, 4 * sizeof *x);
  compact_fixture_assert (&fixture, "out", x, 4 * sizeof *x);
  while (
    (message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0)) != NULL
    && (leat_message_get_error (message) == NULL
        || strstr (leat_message_get_error (message)->message, "5 rows were kept, and there is room for 4") == NULL))
    g_clear_pointer (&message, leat_message_unref);
  g_assert_nonnull (message);
  compact_fixture_close (&fixture);
}

static void
test_compact_refuses (void)
{
  static const struct
  {
    const char *node;
    const char *inputs[4];
    int code;
    const char *says;
  } table[] = {
    { "compact", { "x=f32[4]" }, LEAT_GRAPH_ERROR_MISSING, "set where=PREDICATE" },
    { "compact where=x>>>1", { "x=f32[4]" }, LEAT_GRAPH_ERROR_TYPE, "column 4" },
    { "compact where=sqr(x)>1", { "x=f32[4]" }, LEAT_GRAPH_ERROR_TYPE, "did you mean \"sqrt\"" },
    { "compact where=x>1 by=flags", { "x=f32[4]" }, LEAT_GRAPH_ERROR_TYPE, "leave one of them out" },
    { "compact where=x%3",
      { "x=f32[4]" },
      LEAT_GRAPH_ERROR_TYPE,
      "expression \"x%3\", column 2: % takes whole numbers" },
    { "compact where=x>least",
      { "x=f32[4]" },
      LEAT_GRAPH_ERROR_MISSING,
      "compact \"c\": expression \"x>least\", column 3: \"least\" is not one of the inputs (x)" },
    { "compact where=x>k k=0.5", { "x=u8[4]" }, LEAT_GRAPH_ERROR_TYPE, "\"k\" takes a whole number, not 0.5" },
    { "compact inputs=x,x where=x>1", { "x=f32[4]" }, LEAT_GRAPH_ERROR_TYPE, "\"x\" occurs twice" },
    { "compact inputs=out_x where=out_x>1", { "out_x=f32[4]" }, LEAT_GRAPH_ERROR_TYPE, "cannot be the name" },
    { "compact inputs=x,y where=x>1 keep=x",
      { "x=f32[4]", "y=f32[4]" },
      LEAT_GRAPH_ERROR_TYPE,
      "input \"y\" is neither kept nor looked at" },
    { "compact where=x>1 keep=z", { "x=f32[4]" }, LEAT_GRAPH_ERROR_UNKNOWN_PORT, "\"z\" is to be kept" },
    { "compact where=x>1", { "x=f32[4,2]" }, LEAT_GRAPH_ERROR_SPEC, "one number for each row" },
    { "compact where=x>1", { "x=c64[4]" }, LEAT_GRAPH_ERROR_SPEC, "it does not look at complex numbers" },
    { "compact by=flags",
      { "x=f32[4]", "flags=u8[5]" },
      LEAT_GRAPH_ERROR_SPEC,
      "input \"flags\" is u8[5], and the first input is f32[4]" },
    { "compact by=flags",
      { "x=f32[<=4]", "flags=u8[4]" },
      LEAT_GRAPH_ERROR_SPEC,
      "input \"flags\" is u8[4], and the first input is f32[<=4]: all are bounded or none is" },
    { "compact by=bits",
      { "x=f32[33]", "bits=u32[1]" },
      LEAT_GRAPH_ERROR_SPEC,
      "input \"bits\" is u32[1], and the first input is f32[33]: as many rows have 2 words of bits" },
    { "compact by=bits", { "x=f32[32]", "bits=i32[1]" }, LEAT_GRAPH_ERROR_SPEC, "bits come in u8" },
    { "compact where=x>1 emit=indices", { "x=u8[4294967297]" }, LEAT_GRAPH_ERROR_SPEC, "set index=u64" },
    { "compact where=x>1 out=u8[<=0]", { "x=u8[9]" }, LEAT_GRAPH_ERROR_SPEC, "has a bounded one, such as <=1" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      g_autoptr (LeatPipeline) pipeline = compact_fixture_parse (table[i].node, table[i].inputs, LIST ("out"), &error);

      if (pipeline != NULL)
        g_assert_null (leat_plan_new (pipeline, &error));
      g_assert_nonnull (error);
      g_test_message ("%s: %s", table[i].node, error->message);
      if (pipeline != NULL)
        g_assert_error (error, LEAT_GRAPH_ERROR, table[i].code);
      if (strstr (error->message, table[i].says) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, table[i].says);
      g_clear_error (&error);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/primitives/compact-columns/columns", test_compact_columns);
  g_test_add_func ("/leat/primitives/compact-columns/rows", test_compact_rows);
  g_test_add_func ("/leat/primitives/compact-columns/all-or-none", test_compact_all_or_none);
  g_test_add_func ("/leat/primitives/compact-columns/bits", test_compact_bits);
  g_test_add_func ("/leat/primitives/compact-columns/least-count", test_compact_least_count);
  g_test_add_func ("/leat/primitives/compact-columns/arguments", test_compact_arguments);
  g_test_add_func ("/leat/primitives/compact-columns/overflow", test_compact_overflow);
  g_test_add_func ("/leat/primitives/compact-columns/refuses", test_compact_refuses);
  return g_test_run ();
}
