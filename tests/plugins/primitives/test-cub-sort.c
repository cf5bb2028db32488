/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "primitive-fixture.h"

#include <math.h>
#include <string.h>

/* `cub:sort` against a sort by the host, of keys as whole numbers in their order with their places behind them. */

static const guint test_sizes[] = { 0, 1, 2, 31, 256, 4096, 4097, 40000, 39999, 5, 40000 };
#define TEST_MOST 40000

typedef enum
{
  TEST_UNSIGNED,
  TEST_SIGNED,
  TEST_REAL
} TestKind;

typedef struct
{
  const char *type;
  TestKind kind;
  guint bytes;
} TestKeys;

static const TestKeys test_keys[] = {
  { "u32", TEST_UNSIGNED, 4 }, { "i32", TEST_SIGNED, 4 }, { "f32", TEST_REAL, 4 },
  { "u64", TEST_UNSIGNED, 8 }, { "i64", TEST_SIGNED, 8 }, { "f64", TEST_REAL, 8 },
};

typedef struct
{
  guint rank;
  guint64 key; /* in its order, within the rank */
  guint32 place;
} TestItem;

static int
test_compare (gconstpointer a, gconstpointer b)
{
  const TestItem *x = a, *y = b;

  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return x->place < y->place ? -1 : 1;
}

/* NaN is the greatest.  @alike: whichever it is; else one with a sign is greater than one without. */
static guint
test_get_rank (const TestKeys *keys, gconstpointer data, guint i, gboolean alike)
{
  double x = keys->bytes == 4 ? ((const float *) data)[i] : ((const double *) data)[i];

  if (keys->kind != TEST_REAL || !isnan (x))
    return 0;
  return alike || signbit (x) ? 2 : 1;
}

static guint64
test_get_key (const TestKeys *keys, gconstpointer data, guint i, gboolean alike)
{
  guint64 bits = keys->bytes == 4 ? ((const guint32 *) data)[i] : ((const guint64 *) data)[i];
  guint64 top = G_GUINT64_CONSTANT (1) << (8 * keys->bytes - 1), all = top | (top - 1);

  if (keys->kind == TEST_UNSIGNED)
    return bits;
  if (alike && test_get_rank (keys, data, i, TRUE) > 0)
    return 0;
  return keys->kind == TEST_REAL && (bits & top) != 0 ? ~bits & all : bits ^ top;
}

/* @pattern 0: any bits, NaNs and infinities among those of floats; 1: few values; 2: all the greatest key and the least
 * in turns. */
static void
test_fill (const TestKeys *keys, guint pattern, gpointer data, guint n)
{
  guint64 seed = 7 + pattern;

  for (guint i = 0; i < n; i++)
    {
      guint64 bits = primitive_random (&seed);

      bits = pattern == 1 ? bits % 5 : pattern == 2 ? (i % 2 == 0 ? G_MAXUINT64 : 0) : bits;
      if (keys->bytes == 4)
        ((guint32 *) data)[i] = (guint32) (bits ^ bits >> 32);
      else
        ((guint64 *) data)[i] = bits;
    }
}

static void
test_check (PrimitiveFixture *fixture, const TestKeys *keys, gboolean descending, gconstpointer data, guint n)
{
  g_autofree TestItem *items = g_new (TestItem, n + 1);
  g_autoptr (GBytes) sorted = NULL, from = NULL;

  primitive_fixture_push (fixture, 0, data, n * keys->bytes);
  primitive_fixture_replay (fixture);
  sorted = primitive_fixture_pull (fixture, 0);
  g_assert_cmpuint (g_bytes_get_size (sorted), ==, n * keys->bytes);
  for (guint i = 0; i < n; i++)
    {
      guint rank = test_get_rank (keys, data, i, fixture->n_outputs > 1);
      guint64 key = test_get_key (keys, data, i, fixture->n_outputs > 1);

      items[i] = (TestItem){ descending ? 2 - rank : rank, descending ? ~key : key, i };
    }
  qsort (items, n, sizeof *items, test_compare);
  for (guint i = 0; i < n; i++)
    g_assert_cmpmem ((const guint8 *) g_bytes_get_data (sorted, NULL) + i * keys->bytes, keys->bytes,
                     (const guint8 *) data + items[i].place * keys->bytes, keys->bytes);
  if (fixture->n_outputs < 2)
    return;
  from = primitive_fixture_pull (fixture, 1);
  g_assert_cmpuint (g_bytes_get_size (from), ==, n * sizeof (guint32));
  for (guint i = 0; i < n; i++)
    g_assert_cmpuint (((const guint32 *) g_bytes_get_data (from, NULL))[i], ==, items[i].place);
}

static void
test_sort (gconstpointer data)
{
  const TestKeys *keys = data;
  g_autofree guint64 *numbers = g_new (guint64, TEST_MOST);

  for (guint way = 0; way < 8; way++)
    {
      gboolean bounded = way % 2, descending = way / 2 % 2, has_from = way / 4;
      g_autofree char *node = g_strconcat ("cub:sort", descending ? " order=descending" : "", NULL);
      g_autofree char *input = g_strdup_printf ("keys=%s[%s%d]", keys->type, bounded ? "<=" : "", TEST_MOST);
      PrimitiveFixture fixture;

      primitive_fixture_open (&fixture, node, input, has_from ? "sorted from" : "sorted");
      for (guint pattern = 0; pattern < 3; pattern++)
        {
          test_fill (keys, pattern, numbers, TEST_MOST);
          for (guint s = 0; s < (bounded ? G_N_ELEMENTS (test_sizes) : 1); s++)
            test_check (&fixture, keys, descending, numbers, bounded ? test_sizes[s] : TEST_MOST);
        }
      primitive_fixture_close (&fixture);
    }
}

/* The work is in the graph: nothing is allocated or launched beside it. */
static void
test_captured (gconstpointer data)
{
  g_autofree guint32 *numbers = g_new0 (guint32, TEST_MOST);
  g_autoptr (GVariant) counts = NULL;
  GError *error = NULL;
  PrimitiveFixture fixture;
  guint64 launches = 0;
  LeatMessage *message;

  primitive_fixture_open (&fixture, "cub:sort", "keys=f32[<=40000]", "sorted from");
  test_check (&fixture, &test_keys[2], FALSE, numbers, TEST_MOST);
  leat_session_start_counting (fixture.session, &error);
  g_assert_no_error (error);
  test_check (&fixture, &test_keys[2], FALSE, numbers, 77);
  counts = leat_session_stop_counting (fixture.session, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (counts, "graph-launches", "t", &launches));
  g_assert_cmpuint (launches, ==, 1);
  while ((message = leat_bus_pop (leat_pipeline_get_bus (fixture.pipeline), 0)) != NULL)
    {
      g_assert_no_error (leat_message_get_error (message));
      leat_message_unref (message);
    }
  primitive_fixture_close (&fixture);
}

static void
test_refuses (void)
{
  static const struct
  {
    const char *input, *says;
  } table[] = {
    { "keys=u8[40]", "the node sort takes any type that has an order" },
    { "keys=f16[40]", "have 4 or 8 bytes" },
    { "keys=u32[4,4]", "keys have one dimension" },
    { "keys=u32[4294967296]", "less than 2^32" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GError) error = primitive_fixture_fail ("cub:sort", table[i].input, "sorted");

      g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
      g_assert_nonnull (strstr (error->message, table[i].says));
    }
}

/* On the CPU it says what to use before anything runs. */
static void
test_on_cpu (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = primitive_fixture_parse ("cub:sort", "keys=u32[4]", "sorted", &error);
  g_autoptr (LeatSession) session = NULL;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, "cpu");
  g_assert_false (leat_session_open (session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_DEVICE);
  g_assert_nonnull (strstr (error->message, "the node sort gives the same"));
}

static void
test_skip (gconstpointer data)
{
  g_test_skip ("the device is the CPU, and CUB runs on a GPU");
}

int
main (int argc, char **argv)
{
  g_autoptr (LeatDevice) device = NULL;
  gboolean on_cpu;

  g_test_init (&argc, &argv, NULL);
  device = leat_device_open (NULL, NULL);
  on_cpu = device == NULL || leat_device_is_cpu (device);
  for (guint i = 0; i < G_N_ELEMENTS (test_keys); i++)
    {
      g_autofree char *path = g_strconcat ("/cub/sort/", test_keys[i].type, NULL);

      g_test_add_data_func (path, &test_keys[i], on_cpu ? test_skip : test_sort);
    }
  g_test_add_data_func ("/cub/sort/captured", NULL, on_cpu ? test_skip : test_captured);
  g_test_add_func ("/cub/sort/refuses", test_refuses);
  g_test_add_func ("/cub/sort/on-cpu", test_on_cpu);
  return g_test_run ();
}
