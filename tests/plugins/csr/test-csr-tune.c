/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "csr-graphs.h"
#include "primitive-fixture.h"

#include <string.h>

/* `csr:bfs alone=0`: what it keeps of the times that it took.  Plain C has limits of its own and keeps nothing. */

#define LIMITS  6
#define ENTRIES 4

typedef struct
{
  guint64 key, used, runs, choice, ns[LIMITS], rest[6];
} TuneEntry;

typedef struct
{
  guint64 magic, runs;
  TuneEntry entries[ENTRIES];
} TuneTable;

typedef struct
{
  CsrGraph graph;
  PrimitiveFixture fixture;
} TuneTest;

static gboolean
tune_is_skipped (void)
{
  const char *device = g_getenv ("LEAT_DEVICE");

  if (g_strcmp0 (g_getenv ("LEAT_CPU_VARIANTS"), "0") == 0 || (device != NULL && g_str_has_prefix (device, "cuda")))
    return FALSE;
  g_test_skip ("plain C has limits of its own");
  return TRUE;
}

static void
tune_open (TuneTest *self)
{
  g_autofree char *inputs = NULL;

  self->graph = csr_graph_make_grid (900);
  inputs = g_strdup_printf ("offsets=u32[%u] indices=u32[%u] sources=u32[<=100]", self->graph.vertices + 1,
                            self->graph.n_edges);
  primitive_fixture_open (&self->fixture, "csr:bfs threads=32 alone=0", inputs, "levels report");
}

static void
tune_close (TuneTest *self)
{
  primitive_fixture_close (&self->fixture);
  csr_graph_clear (&self->graph);
}

/* A search from vertices 0 to @n - 1, whose levels are right. */
static void
tune_search (TuneTest *self, guint n)
{
  g_autofree guint32 *levels = g_new (guint32, self->graph.vertices);
  guint32 sources[100];
  g_autoptr (GBytes) found = NULL, report = NULL;

  for (guint i = 0; i < n; i++)
    sources[i] = i;
  primitive_fixture_push (&self->fixture, 0, self->graph.offsets, (self->graph.vertices + 1) * sizeof (guint32));
  primitive_fixture_push (&self->fixture, 1, self->graph.indices, self->graph.n_edges * sizeof (guint32));
  primitive_fixture_push (&self->fixture, 2, sources, n * sizeof *sources);
  primitive_fixture_replay (&self->fixture);
  found = primitive_fixture_pull (&self->fixture, 0);
  report = primitive_fixture_pull (&self->fixture, 1);
  csr_graph_search (&self->graph, sources, n, levels, NULL);
  g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), levels,
                   self->graph.vertices * sizeof *levels);
}

static LeatDeviceBuffer *
tune_get_state (TuneTest *self)
{
  GError *error = NULL;
  LeatDeviceBuffer *state = leat_session_get_state (self->fixture.session, "n.tuning", &error);

  g_assert_no_error (error);
  return state;
}

static TuneTable
tune_load (TuneTest *self)
{
  g_autoptr (LeatDeviceBuffer) state = tune_get_state (self);
  GError *error = NULL;
  g_autoptr (GBytes) bytes = leat_device_buffer_download (state, 0, sizeof (TuneTable), &error);
  TuneTable table;

  g_assert_no_error (error);
  memcpy (&table, g_bytes_get_data (bytes, NULL), sizeof table);
  return table;
}

static void
tune_store (TuneTest *self, const TuneTable *table)
{
  g_autoptr (LeatDeviceBuffer) state = tune_get_state (self);
  g_autoptr (GBytes) bytes = g_bytes_new (table, sizeof *table);
  GError *error = NULL;

  leat_device_buffer_upload (state, 0, bytes, &error);
  g_assert_no_error (error);
}

static const TuneEntry *
tune_find (const TuneTable *table, guint64 key)
{
  for (guint i = 0; i < ENTRIES; i++)
    if (table->entries[i].key == key)
      return &table->entries[i];
  return NULL;
}

/* All limits are tried, and none is better by more than a sixteenth than the one that was chosen. */
static void
test_csr_tune_measures (void)
{
  TuneTest self;
  TuneTable table;
  const TuneEntry *entry;

  if (tune_is_skipped ())
    return;
  tune_open (&self);
  for (guint run = 0; run < 70; run++)
    tune_search (&self, 1);
  table = tune_load (&self);
  entry = tune_find (&table, 1);
  g_assert_cmpuint (table.runs, ==, 70);
  g_assert_nonnull (entry);
  g_assert_cmpuint (entry->runs, ==, 70);
  g_assert_cmpuint (entry->choice, <, LIMITS);
  for (guint i = 0; i < LIMITS; i++)
    {
      g_assert_cmpuint (entry->ns[i], >, 0);
      g_assert_cmpuint (entry->ns[i], >=, entry->ns[entry->choice] - entry->ns[entry->choice] / 16);
    }
  tune_close (&self);
}

/* There is room for four kinds of searches; the one that was not made for longest goes. */
static void
test_csr_tune_forgets (void)
{
  TuneTest self;
  TuneTable table;

  if (tune_is_skipped ())
    return;
  tune_open (&self);
  for (guint n = 1; n <= 8; n *= 2)
    tune_search (&self, n);
  tune_search (&self, 1);
  tune_search (&self, 16);
  table = tune_load (&self);
  g_assert_null (tune_find (&table, 2));
  for (guint64 key = 1; key <= 5; key += key == 1 ? 2 : 1)
    g_assert_nonnull (tune_find (&table, key));
  g_assert_cmpuint (tune_find (&table, 1)->runs, ==, 2);
  tune_close (&self);
}

/* A choice that is none, or of another version, is forgotten. */
static void
test_csr_tune_corrupt (void)
{
  TuneTest self;
  TuneTable table;
  TuneEntry *planted;
  guint anew = 0;

  if (tune_is_skipped ())
    return;
  tune_open (&self);
  tune_search (&self, 1);
  tune_search (&self, 1);
  table = tune_load (&self);
  g_assert_cmpuint (tune_find (&table, 1)->runs, ==, 2);
  planted = (TuneEntry *) tune_find (&table, 1);
  planted->choice = LIMITS;
  planted->runs = 13;
  tune_store (&self, &table);
  tune_search (&self, 1);
  table = tune_load (&self);
  g_assert_cmpuint (table.runs, ==, 3);
  for (guint i = 0; i < ENTRIES; i++)
    if (table.entries[i].key == 1 && table.entries[i].runs == 1)
      anew++;
  g_assert_cmpuint (anew, ==, 1);
  memset (&table, 0xff, sizeof table);
  tune_store (&self, &table);
  tune_search (&self, 1);
  table = tune_load (&self);
  g_assert_cmpuint (table.runs, ==, 1);
  g_assert_nonnull (tune_find (&table, 1));
  g_assert_cmpuint (tune_find (&table, 1)->choice, ==, 0);
  g_assert_cmpuint (tune_find (&table, 1)->runs, ==, 1);
  tune_close (&self);
}

/* The best stays what it is unless another is better by more than a sixteenth.  Times are planted that are so large
 * that what the run itself takes is nothing beside them: it counts for a quarter. */
static void
test_csr_tune_holds_on (void)
{
  static const struct
  {
    double other;
    guint64 choice;
  } cases[] = { { 0.72, 2 }, { 0.69, 3 } };
  const double much = (double) ((guint64) 1 << 60);

  if (tune_is_skipped ())
    return;
  for (guint c = 0; c < G_N_ELEMENTS (cases); c++)
    {
      TuneTest self;
      TuneTable table;
      TuneEntry *entry;

      tune_open (&self);
      tune_search (&self, 1);
      table = tune_load (&self);
      entry = (TuneEntry *) tune_find (&table, 1);
      entry->runs = 13;
      entry->choice = 2;
      for (guint i = 0; i < LIMITS; i++)
        entry->ns[i] = (guint64) (i == 3 ? cases[c].other * much : much);
      tune_store (&self, &table);
      tune_search (&self, 1);
      table = tune_load (&self);
      g_assert_cmpuint (tune_find (&table, 1)->runs, ==, 14);
      g_assert_cmpuint (tune_find (&table, 1)->choice, ==, cases[c].choice);
      tune_close (&self);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/csr/tune/measures", test_csr_tune_measures);
  g_test_add_func ("/leat/csr/tune/forgets", test_csr_tune_forgets);
  g_test_add_func ("/leat/csr/tune/corrupt", test_csr_tune_corrupt);
  g_test_add_func ("/leat/csr/tune/holds-on", test_csr_tune_holds_on);
  return g_test_run ();
}
