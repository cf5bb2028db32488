/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "early-fixture.h"

/* Results with kernels that begin early, run by run with other inputs: one that did not wait would read what an earlier
 * run left there, or write over what is still to be read. */

#define MOST  70001
#define LINKS 64

typedef struct
{
  guint count, add, rounds;
} Link;

static GRand *chance;

/* Small and large, quick and slow; the first takes what the program gives. */
static void
choose_links (Link *links, guint most)
{
  for (guint i = 0; i < LINKS; i++)
    links[i] =
      (Link){ (guint) g_rand_int_range (chance, 1, i % 5 == 0 ? (gint) most : 600),
              (guint) g_rand_int_range (chance, 0, 100), i % 3 == 0 ? (guint) g_rand_int_range (chance, 0, 3000) : 1 };
}

static void
follow_links (const Link *links, const guint32 *input, guint n, guint32 *output)
{
  g_autofree guint32 *x = g_memdup2 (input, n * sizeof *input), *y = g_new (guint32, MOST);

  for (guint l = 0; l < LINKS; l++)
    {
      guint32 *swap = x;

      for (guint i = 0; i < links[l].count; i++)
        y[i] = early_step (x[(i * 7u + links[l].add) % n], links[l].rounds);
      n = links[l].count;
      if (l == 0)
        x = g_realloc_n (x, MOST, sizeof *x);
      swap = x;
      x = y;
      y = swap;
    }
  memcpy (output, x, n * sizeof *output);
}

static char *
write_chain (const Link *links, guint n, const char *mode)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "app name=source spec=u32[%u] -> upload mode=%s\n", n, mode);
  for (guint i = 0; i < LINKS; i++)
    g_string_append_printf (text, "  -> KERNEL entry=turn y=u32[%u] add=%u rounds=%u\n", links[i].count, links[i].add,
                            links[i].rounds);
  g_string_append_printf (text, "  -> readback mode=%s -> app name=sink\n", mode);
  return g_string_free (text, FALSE);
}

static void
stir (guint32 *x, guint n)
{
  for (guint i = 0; i < n; i++)
    x[i] = g_rand_int (chance);
}

static guint
get_runs (SessionFixture *fixture, guint on_gpu, guint on_cpu)
{
  return leat_device_is_cpu (leat_session_get_device (fixture->session)) ? on_cpu : on_gpu;
}

/* The chain's buffers take turns in a few places of the arena. */
static void
check_chain (gconstpointer mode, LeatEarlyStart early)
{
  enum
  {
    COUNT = 1021
  };
  g_autofree guint32 *x = g_new (guint32, MOST), *expected = g_new (guint32, MOST);
  g_autofree char *text = NULL;
  EarlyFixture fixture;
  Link links[LINKS];
  guint runs;

  g_rand_set_seed (chance, 20261);
  choose_links (links, 2000);
  text = write_chain (links, COUNT, mode);
  early_fixture_open (&fixture, text, early, LEAT_EXECUTOR_GRAPH);
  runs = get_runs (&fixture.base, 400, 4);
  for (guint run = 0; run < runs; run++)
    {
      g_autoptr (GBytes) output = NULL;

      stir (x, COUNT);
      follow_links (links, x, COUNT, expected);
      output = session_fixture_run (&fixture.base, x, COUNT * sizeof *x);
      g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), expected,
                       links[LINKS - 1].count * sizeof *expected);
    }
  if (early != LEAT_EARLY_START_OFF && early_fixture_can (&fixture))
    g_assert_cmpuint (early_fixture_get_predicted (&fixture, "early-starts"), ==,
                      g_str_equal (mode, "kernel") ? LINKS + 1 : LINKS - 1);
  early_fixture_close (&fixture);
}

static void
test_early_order_chain (gconstpointer mode)
{
  check_chain (mode, LEAT_EARLY_START_AUTO);
}

static void
test_early_order_chain_off (void)
{
  check_chain ("copy", LEAT_EARLY_START_OFF);
}

/* Grids that fill the device several times over, forced to begin early. */
static void
test_early_order_large (void)
{
  static const Link links[] = { { 69997, 1, 300 }, { 70001, 5, 1 }, { 50021, 9, 700 }, { 70000, 2, 1 }, { 31, 0, 9 } };
  g_autofree guint32 *x = g_new (guint32, MOST), *y = g_new (guint32, MOST), *z = g_new (guint32, MOST);
  g_autoptr (GString) text = g_string_new ("app name=source spec=u32[70001] -> upload mode=copy\n");
  EarlyFixture fixture;
  guint runs;

  for (guint i = 0; i < G_N_ELEMENTS (links); i++)
    g_string_append_printf (text, "  -> KERNEL entry=turn block=32 grid=9000 y=u32[%u] add=%u rounds=%u\n",
                            links[i].count, links[i].add, links[i].rounds);
  g_string_append (text, "  -> readback mode=copy -> app name=sink\n");
  early_fixture_open (&fixture, text->str, LEAT_EARLY_START_ON, LEAT_EXECUTOR_GRAPH);
  runs = get_runs (&fixture.base, 20, 1);
  for (guint run = 0; run < runs; run++)
    {
      g_autoptr (GBytes) output = NULL;
      guint n = MOST;

      stir (x, MOST);
      output = session_fixture_run (&fixture.base, x, MOST * sizeof *x);
      memcpy (y, x, MOST * sizeof *x);
      for (guint l = 0; l < G_N_ELEMENTS (links); l++)
        {
          for (guint i = 0; i < links[l].count; i++)
            z[i] = early_step (y[(i * 7u + links[l].add) % n], links[l].rounds);
          n = links[l].count;
          memcpy (y, z, n * sizeof *y);
        }
      g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), y, n * sizeof *y);
    }
  early_fixture_close (&fixture);
}

/* The quick side is there long before the slow one, and the memory that both read from is used again behind them. */
static void
test_early_order_diamond (void)
{
  enum
  {
    COUNT = 3001
  };
  static const char text[] =
    "top = KERNEL entry=turn add=2 rounds=40\njoin = KERNEL entry=join rounds=3\nlast = KERNEL entry=join rounds=200\n"
    "app name=source spec=u32[3001] -> upload mode=copy -> top\n"
    "top -> KERNEL entry=turn add=5 rounds=4000 -> join.x\n"
    "top -> KERNEL entry=turn add=1 rounds=1 -> join.z\n"
    "join -> KERNEL entry=turn add=4 rounds=1 -> last.x\n"
    "join -> KERNEL entry=turn add=6 rounds=2500 -> KERNEL entry=turn add=0 rounds=1 -> last.z\n"
    "last -> readback mode=copy -> app name=sink\n";
  guint32 x[COUNT], top[COUNT], join[COUNT], z[COUNT], y[COUNT];
  EarlyFixture fixture;
  guint runs;

  early_fixture_open (&fixture, text, LEAT_EARLY_START_AUTO, LEAT_EXECUTOR_GRAPH);
  runs = get_runs (&fixture.base, 400, 4);
#define TURNED(from, at, add, rounds) early_step (from[((at) *7u + (add)) % COUNT], rounds)
  for (guint run = 0; run < runs; run++)
    {
      g_autoptr (GBytes) output = NULL;

      stir (x, COUNT);
      for (guint i = 0; i < COUNT; i++)
        top[i] = TURNED (x, i, 2, 40);
      for (guint i = 0; i < COUNT; i++)
        join[i] = early_step (TURNED (top, COUNT - 1 - i, 5, 4000), 3) ^ TURNED (top, i, 1, 1);
      for (guint i = 0; i < COUNT; i++)
        z[i] = TURNED (join, i, 6, 2500);
      for (guint i = 0; i < COUNT; i++)
        y[i] = early_step (TURNED (join, COUNT - 1 - i, 4, 1), 200) ^ TURNED (z, i, 0, 1);
      output = session_fixture_run (&fixture.base, x, sizeof x);
      g_assert_cmpmem (g_bytes_get_data (output, NULL), g_bytes_get_size (output), y, sizeof y);
    }
#undef TURNED
  if (early_fixture_can (&fixture))
    g_assert_cmpuint (early_fixture_get_predicted (&fixture, "early-starts"), ==, 9);
  early_fixture_close (&fixture);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const guint32 *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

#define KEEPS 8

/* What comes out, in the order of its size: in which order the kernel keeps it, it does not say. */
static guint
keep_on (guint32 *x, guint n)
{
  for (guint k = 0; k < KEEPS; k++)
    {
      guint kept = 0;

      for (guint i = 0; i < n; i++)
        if (early_step (x[i], 100 * k) >> 29 != 0 && early_step (x[i], 1000) >> 29 != 0)
          x[kept++] = early_step (x[i], 10 + k);
      n = kept;
    }
  qsort (x, n, sizeof *x, compare);
  return n;
}

/* Counts are cleared by fills beside the chain, loaded by the wrappers, and copied before a kernel that does not count.
 */
static void
test_early_order_counts (void)
{
  enum
  {
    COUNT = 5000
  };
  g_autoptr (GString) text = g_string_new ("app name=source spec=u32[<=5000] -> upload mode=copy\n");
  EarlyFixture fixture;
  guint32 x[COUNT];
  guint runs;

  for (guint k = 0; k < KEEPS; k++)
    g_string_append_printf (text,
                            "  -> KERNEL entry=keep rounds=%u y=u32[<=5000]\n"
                            "  -> KERNEL entry=keep rounds=1000 y=u32[<=5000]\n"
                            "  -> KERNEL entry=mix rounds=%u y=u32[<=5000]\n",
                            100 * k, 10 + k);
  g_string_append (text, "  -> readback mode=copy -> app name=sink\n");
  early_fixture_open (&fixture, text->str, LEAT_EARLY_START_AUTO, LEAT_EXECUTOR_GRAPH);
  runs = get_runs (&fixture.base, 400, 8);
  for (guint run = 0; run < runs; run++)
    {
      guint n = (guint) g_rand_int_range (chance, 0, COUNT + 1);
      g_autoptr (GBytes) output = NULL;
      g_autofree guint32 *found = NULL;
      gsize bytes;

      stir (x, n);
      output = session_fixture_run (&fixture.base, x, n * sizeof *x);
      n = keep_on (x, n);
      bytes = g_bytes_get_size (output);
      g_assert_cmpuint (bytes, ==, n * sizeof *x);
      found = g_malloc (bytes + 1);
      memcpy (found, g_bytes_get_data (output, NULL), bytes);
      qsort (found, n, sizeof *found, compare);
      g_assert_cmpmem (found, bytes, x, n * sizeof *x);
    }
  if (early_fixture_can (&fixture))
    g_assert_cmpuint (early_fixture_get_predicted (&fixture, "early-starts"), ==, 2 * KEEPS - 1);
  early_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  chance = g_rand_new_with_seed (20262);
  g_test_add_data_func ("/leat/session/early/order/chain/copy", "copy", test_early_order_chain);
  g_test_add_data_func ("/leat/session/early/order/chain/mapped", "mapped", test_early_order_chain);
  g_test_add_data_func ("/leat/session/early/order/chain/kernel", "kernel", test_early_order_chain);
  g_test_add_func ("/leat/session/early/order/chain/off", test_early_order_chain_off);
  g_test_add_func ("/leat/session/early/order/large", test_early_order_large);
  g_test_add_func ("/leat/session/early/order/diamond", test_early_order_diamond);
  g_test_add_func ("/leat/session/early/order/counts", test_early_order_counts);
  status = g_test_run ();
  g_rand_free (chance);
  return status;
}
