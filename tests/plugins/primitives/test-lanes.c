/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "primitive-fixture.h"

#include <string.h>

/* Many inputs in one call give what each gives by itself, which other tests hold against C: of lanes of different
 * length, some of them empty, all outputs. */

#define LANES 19

typedef struct
{
  const char *node, *inputs, *outputs; /* N: room */
  guint item_bytes[2];
  guint64 below[2]; /* 0: any bits */
} LanesCase;

static const LanesCase lanes_cases[] = {
  { "histogram bins=200 max=200", "x=u8[<=N]", "out", { 1 }, { 0 } },
  { "histogram bins=16384 max=65536", "x=u16[<=N]", "out", { 2 }, { 0 } },
  { "unique", "x=u16[<=N]", "out starts lengths", { 2 }, { 3 } },
  { "partition where=x>5", "x=i32[<=N]", "out front", { 4 }, { 11 } },
  { "partition", "x=u8[<=N,12] flags=u8[<=N]", "out front", { 12, 1 }, { 0, 2 } },
  { "sort", "keys=u32[<=N]", "sorted from", { 4 }, { 1000 } },
  { "sort order=descending", "keys=i16[<=N] values=u64[<=N]", "sorted carried", { 2, 8 }, { 0, 0 } },
  { "gather outside=zero", "items=u32[<=N] at=u16[<=N]", "out", { 4, 2 }, { 0, 50000 } },
  { "scatter size=700", "items=u32[<=N] at=u16[<=N]", "out", { 4, 2 }, { 0, 700 } },
  { "scatter size=700 op=add", "items=u32[<=N] at=u16[<=N]", "out", { 4, 2 }, { 0, 700 } },
  { "reduce op=argmax", "x=u8[<=N]", "out", { 1 }, { 0 } },
  { "scan type=u32", "x=u8[<=N] starts=u8[<=N]", "out", { 1, 1 }, { 0, 2 } },
  { "compact by=flags emit=both", "x=u8[<=N,12] flags=u8[<=N]", "out indices", { 12, 1 }, { 0, 2 } },
};

static GBytes *
test_lanes_make (guint64 rows, guint item_bytes, guint64 below, guint64 *seed)
{
  guint8 *data = g_malloc (rows * item_bytes + 1);

  for (guint64 i = 0; i < rows; i++)
    for (guint b = 0; b < item_bytes; b += 8)
      {
        guint64 value = primitive_random (seed);

        value = below > 0 ? value % below : value;
        memcpy (data + i * item_bytes + b, &value, MIN (item_bytes - b, 8));
      }
  return g_bytes_new_take (data, rows * item_bytes);
}

/* Of each lane as many rows in all inputs. */
static GPtrArray *
test_lanes_make_inputs (const LanesCase *c, guint n_inputs, guint64 room, guint64 *seed)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint lane = 0; lane < LANES; lane++)
    {
      guint64 rows = lane == 3 ? 0 : lane == 5 ? room : primitive_random (seed) % (room + 1);

      for (guint i = 0; i < n_inputs; i++)
        g_ptr_array_add (inputs, test_lanes_make (rows, c->item_bytes[i], c->below[i], seed));
    }
  return inputs;
}

static void
test_lanes_compare (PrimitiveFixture *fixture, guint lane, GPtrArray *inputs, GPtrArray *results)
{
  for (guint i = 0; i < fixture->n_inputs; i++)
    {
      GBytes *bytes = g_ptr_array_index (inputs, lane * fixture->n_inputs + i);

      primitive_fixture_push (fixture, i, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
    }
  primitive_fixture_replay (fixture);
  for (guint i = 0; i < fixture->n_outputs; i++)
    {
      g_autoptr (GBytes) single = primitive_fixture_pull (fixture, i);
      GBytes *found = g_ptr_array_index (results, lane * fixture->n_outputs + i);

      if (found == NULL || !g_bytes_equal (found, single))
        g_error ("output %u of lane %u is not what a single run gives", i, lane);
    }
}

static void
test_lanes_of (const LanesCase *c, guint64 room)
{
  g_autofree char *number = g_strdup_printf ("%" G_GUINT64_FORMAT, room);
  GString *specs = g_string_new (c->inputs);
  PrimitiveFixture fixture;
  GError *error = NULL;
  guint64 seed = room;

  g_string_replace (specs, "N", number, 0);
  g_test_message ("%s, %s", c->node, specs->str);
  primitive_fixture_open (&fixture, c->node, specs->str, c->outputs);
  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (GPtrArray) inputs = test_lanes_make_inputs (c, fixture.n_inputs, room, &seed);
      g_autoptr (GPtrArray) results = NULL;

      leat_session_replay_batch (fixture.session, LANES, inputs, &results, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (results->len, ==, LANES * fixture.n_outputs);
      for (guint lane = 0; lane < LANES; lane++)
        test_lanes_compare (&fixture, lane, inputs, results);
    }
  primitive_fixture_close (&fixture);
  g_string_free (specs, TRUE);
}

/* Where one tile is all there may be, and where there are several. */
static void
test_lanes (gconstpointer data)
{
  test_lanes_of (data, 1000);
  test_lanes_of (data, 30011);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (lanes_cases); i++)
    {
      g_auto (GStrv) words = g_strsplit (lanes_cases[i].node, " ", 2);
      g_autofree char *name = g_strdup_printf ("/leat/primitives/lanes/%s-%u", words[0], i);

      g_test_add_data_func (name, &lanes_cases[i], test_lanes);
    }
  return g_test_run ();
}
