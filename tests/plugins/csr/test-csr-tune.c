/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tune-fixture.h"

#include <string.h>

/* `csr:bfs` with limits that it measures: what it keeps of the times that it took, and what it takes of it. */

static TuneEntry *
tune_find_sources (TuneTable *table, guint bits)
{
  for (guint i = 0; i < TUNE_ENTRIES; i++)
    if (table->entries[i].key != 0 && (table->entries[i].key >> 8 & 0xff) == bits)
      return &table->entries[i];
  return NULL;
}

/* All limits are tried, and none is better by more than a sixteenth than the one that was chosen. */
static void
test_csr_tune_measures (void)
{
  TuneFixture self;
  TuneTable table;
  const TuneEntry *entry;

  tune_fixture_open (&self, "symmetric=true alone=0 pull-from=0");
  for (guint run = 0; run < 70; run++)
    tune_fixture_search (&self, TUNE_GRID, 0, 1);
  table = tune_fixture_load (&self);
  entry = tune_find_sources (&table, 1);
  g_assert_cmpuint (table.runs, ==, 70);
  g_assert_nonnull (entry);
  g_assert_cmpuint (entry->runs, ==, 70);
  for (guint axis = 0; axis < TUNE_AXES; axis++)
    for (guint i = 0; i < TUNE_LIMITS; i++)
      {
        guint64 best = entry->choice[axis];

        g_assert_cmpuint (best, <, TUNE_LIMITS);
        g_assert_cmpuint (entry->ns[axis][i], >, 0);
        g_assert_cmpuint (entry->ns[axis][i], >=, entry->ns[axis][best] - entry->ns[axis][best] / 16);
      }
  tune_fixture_close (&self);
}

/* A time is for as many levels as there are, however they were done: blocks that go on apart do many in a round, of
 * which the last may be over after a few. */
static void
test_csr_tune_steps (void)
{
  static const struct
  {
    TuneGraph graph;
    guint levels;
  } searches[] = { { TUNE_GRID, 59 }, { TUNE_PATH, 900 }, { TUNE_ONE_WAY, 900 } };
  TuneFixture self;

  tune_fixture_open (&self, "alone=0");
  for (guint i = 0; i < G_N_ELEMENTS (searches); i++)
    for (guint run = 0; run < TUNE_LIMITS; run++)
      {
        TuneTable table;
        const TuneEntry *last;

        tune_fixture_search (&self, searches[i].graph, 0, 1);
        table = tune_fixture_load (&self);
        last = &table.entries[0];
        for (guint entry = 1; entry < TUNE_ENTRIES; entry++)
          if (table.entries[entry].used > last->used)
            last = &table.entries[entry];
        g_assert_cmpuint (last->runs, ==, run + 1);
        g_assert_cmpuint (last->steps, ==, searches[i].levels);
      }
  tune_fixture_close (&self);
}

/* Each is tried in its turn, and what is not measured is what was set. */
static void
test_csr_tune_tries (void)
{
  static const guint64 alone[] = { 256, 512, 128, 64, 1024, 32 }, from[] = { 14, 4, 56, 14, 14, 0 },
                       until[] = { 24, 24, 24, 6, 96, 24 };
  TuneFixture self;

  tune_fixture_open (&self, "symmetric=true pull-from=0 alone=77");
  for (guint run = 0; run < 12; run++)
    {
      tune_fixture_search (&self, TUNE_GRID, 0, 1);
      g_assert_cmpuint (self.limits[TUNE_IS_ALONE], ==, 77);
      g_assert_cmpuint (self.limits[TUNE_IS_FROM], ==, from[run % 6]);
      g_assert_cmpuint (self.limits[TUNE_IS_UNTIL], ==, until[run % 6]);
      g_assert_cmpuint (self.limits[TUNE_IS_RUNS], ==, run + 1);
      g_assert_cmpuint (self.limits[TUNE_IS_TRIED], ==, 1);
    }
  tune_fixture_search (&self, TUNE_GRID, 0, 1);
  g_assert_cmpuint (self.limits[TUNE_IS_TRIED], ==, 0);
  tune_fixture_close (&self);
  tune_fixture_open (&self, "symmetric=true alone=0 pull-from=9 pull-until=8");
  for (guint run = 0; run < 12; run++)
    {
      tune_fixture_search (&self, TUNE_GRID, 0, 1);
      g_assert_cmpuint (self.limits[TUNE_IS_ALONE], ==, alone[run % 6]);
      g_assert_cmpuint (self.limits[TUNE_IS_FROM], ==, 9);
      g_assert_cmpuint (self.limits[TUNE_IS_UNTIL], ==, 8);
    }
  tune_fixture_close (&self);
}

typedef struct
{
  TuneGraph graph;
  guint n;
  guint runs;
} TuneModel;

/* The last searches of each kind, the latest first. */
static guint
tune_model_search (GArray *model, TuneGraph graph, guint n)
{
  TuneModel now = { graph, n, 1 };

  for (guint i = 0; i < model->len; i++)
    {
      const TuneModel *it = &g_array_index (model, TuneModel, i);

      if (it->graph != graph || g_bit_storage (it->n) != g_bit_storage (n))
        continue;
      now.runs = it->runs + 1;
      g_array_remove_index (model, i);
      break;
    }
  g_array_prepend_val (model, now);
  if (model->len > TUNE_ENTRIES)
    g_array_set_size (model, TUNE_ENTRIES);
  return now.runs;
}

/* Random searches in graphs of several densities, from several numbers of vertices: each goes on with what was found
 * for its kind, of the eight that were there last, and with nothing that was found for another one. */
static void
test_csr_tune_forgets (void)
{
  g_autoptr (GArray) model = g_array_new (FALSE, FALSE, sizeof (TuneModel));
  guint64 seed = 11;
  TuneFixture self;

  tune_fixture_open (&self, "alone=0");
  for (guint run = 0; run < 400; run++)
    {
      TuneGraph graph = (TuneGraph) (primitive_random (&seed) % TUNE_GRAPHS);
      guint n = 1u << primitive_random (&seed) % 6;
      guint runs = tune_model_search (model, graph, n);

      tune_fixture_search (&self, graph, 0, n);
      g_assert_cmpuint (self.limits[TUNE_IS_RUNS], ==, runs);
      g_assert_cmpuint (self.limits[TUNE_IS_DENSITY], ==, self.densities[graph]);
    }
  tune_fixture_close (&self);
}

/* A search that comes to less is not counted, but where it is the rule, the entry is for it. */
static void
test_csr_tune_work (void)
{
  TuneFixture self;

  tune_fixture_open (&self, "alone=0");
  tune_fixture_search (&self, TUNE_ONE_WAY, 0, 1);
  tune_fixture_search (&self, TUNE_ONE_WAY, 0, 1);
  for (guint i = 1; i < 16; i++)
    {
      tune_fixture_search (&self, TUNE_ONE_WAY, 890, 1);
      g_assert_cmpuint (self.limits[TUNE_IS_RUNS], ==, 2);
    }
  tune_fixture_search (&self, TUNE_ONE_WAY, 890, 1);
  g_assert_cmpuint (self.limits[TUNE_IS_RUNS], ==, 1);
  tune_fixture_search (&self, TUNE_ONE_WAY, 890, 1);
  g_assert_cmpuint (self.limits[TUNE_IS_RUNS], ==, 2);
  tune_fixture_search (&self, TUNE_ONE_WAY, 0, 1);
  g_assert_cmpuint (self.limits[TUNE_IS_RUNS], ==, 1);
  tune_fixture_close (&self);
}

/* A choice that is none, or of another version, is forgotten. */
static void
test_csr_tune_corrupt (void)
{
  TuneFixture self;
  TuneTable table;

  tune_fixture_open (&self, "alone=0");
  for (guint bad = 0; bad < 5; bad++)
    {
      TuneEntry *planted;

      tune_fixture_search (&self, TUNE_GRID, 0, 1);
      tune_fixture_search (&self, TUNE_GRID, 0, 1);
      table = tune_fixture_load (&self);
      planted = tune_find_sources (&table, 1);
      g_assert_cmpuint (planted->runs, >=, 2);
      planted->runs = 13;
      if (bad < 2)
        planted->choice[bad] = TUNE_LIMITS;
      else if (bad == 2)
        planted->work = 11;
      else if (bad == 3)
        memset (&table, 0xff, sizeof table);
      else
        {
          table.magic ^= 1;
          planted->choice[0] = 5;
        }
      tune_fixture_store (&self, &table);
      tune_fixture_search (&self, TUNE_GRID, 0, 1);
      g_assert_cmpuint (self.limits[TUNE_IS_RUNS], ==, 1);
      g_assert_cmpuint (self.limits[TUNE_IS_ALONE], ==, 256);
    }
  tune_fixture_close (&self);
}

/* What was found under other conditions is not taken, whichever of them is another one. */
static void
test_csr_tune_conditions (void)
{
  static const guint shifts[] = { 1, 8, 16, 24, 37, 44 };
  TuneFixture self;
  TuneTable table;

  tune_fixture_open (&self, "alone=0");
  for (guint i = 0; i < G_N_ELEMENTS (shifts); i++)
    {
      TuneEntry *entry;

      tune_fixture_search (&self, TUNE_GRID, 0, 1);
      table = tune_fixture_load (&self);
      entry = tune_find_sources (&table, 1);
      entry->runs = 13;
      entry->choice[0] = 5;
      for (guint k = 0; k < TUNE_LIMITS; k++)
        entry->ns[0][k] = k == 5 ? 1 : (guint64) 1 << 60;
      tune_fixture_store (&self, &table);
      tune_fixture_search (&self, TUNE_GRID, 0, 1);
      g_assert_cmpuint (self.limits[TUNE_IS_ALONE], ==, 32);
      entry->key ^= (guint64) 1 << shifts[i];
      tune_fixture_store (&self, &table);
      tune_fixture_search (&self, TUNE_GRID, 0, 1);
      g_assert_cmpuint (self.limits[TUNE_IS_ALONE], ==, 256);
      memset (&table, 0, sizeof table);
      tune_fixture_store (&self, &table);
    }
  tune_fixture_close (&self);
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

  for (guint c = 0; c < 2 * G_N_ELEMENTS (cases); c++)
    {
      guint axis = c % 2;
      TuneFixture self;
      TuneTable table;
      TuneEntry *entry;

      tune_fixture_open (&self, "symmetric=true alone=0 pull-from=0");
      tune_fixture_search (&self, TUNE_GRID, 0, 1);
      table = tune_fixture_load (&self);
      entry = tune_find_sources (&table, 1);
      entry->runs = 25;
      entry->choice[0] = entry->choice[1] = 2;
      for (guint i = 0; i < TUNE_LIMITS; i++)
        entry->ns[0][i] = entry->ns[1][i] = (guint64) much;
      entry->ns[axis][3] = (guint64) (cases[c / 2].other * much);
      tune_fixture_store (&self, &table);
      tune_fixture_search (&self, TUNE_GRID, 0, 1);
      table = tune_fixture_load (&self);
      g_assert_cmpuint (tune_find_sources (&table, 1)->runs, ==, 26);
      g_assert_cmpuint (tune_find_sources (&table, 1)->choice[axis], ==, cases[c / 2].choice);
      g_assert_cmpuint (tune_find_sources (&table, 1)->choice[1 - axis], ==, 2);
      tune_fixture_close (&self);
    }
}

/* When all were tried, the one with the least time is taken, by however little it is less. */
static void
test_csr_tune_least (void)
{
  TuneFixture self;
  TuneTable table;
  TuneEntry *entry;

  tune_fixture_open (&self, "alone=0");
  tune_fixture_search (&self, TUNE_GRID, 0, 1);
  table = tune_fixture_load (&self);
  entry = tune_find_sources (&table, 1);
  entry->runs = 11;
  for (guint i = 0; i < TUNE_LIMITS; i++)
    entry->ns[0][i] = i == 3 ? 99 : 100;
  tune_fixture_store (&self, &table);
  tune_fixture_search (&self, TUNE_GRID, 0, 1);
  g_assert_cmpuint (self.limits[TUNE_IS_TRIED], ==, 1);
  table = tune_fixture_load (&self);
  g_assert_cmpuint (tune_find_sources (&table, 1)->choice[0], ==, 3);
  tune_fixture_search (&self, TUNE_GRID, 0, 1);
  g_assert_cmpuint (self.limits[TUNE_IS_TRIED], ==, 0);
  g_assert_cmpuint (self.limits[TUNE_IS_ALONE], ==, 64);
  tune_fixture_close (&self);
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = tune_fixture_init (&argc, &argv);

  g_test_add_func ("/leat/csr/tune/measures", test_csr_tune_measures);
  g_test_add_func ("/leat/csr/tune/steps", test_csr_tune_steps);
  g_test_add_func ("/leat/csr/tune/tries", test_csr_tune_tries);
  g_test_add_func ("/leat/csr/tune/forgets", test_csr_tune_forgets);
  g_test_add_func ("/leat/csr/tune/work", test_csr_tune_work);
  g_test_add_func ("/leat/csr/tune/corrupt", test_csr_tune_corrupt);
  g_test_add_func ("/leat/csr/tune/conditions", test_csr_tune_conditions);
  g_test_add_func ("/leat/csr/tune/least", test_csr_tune_least);
  g_test_add_func ("/leat/csr/tune/holds-on", test_csr_tune_holds_on);
  return tune_fixture_end (cache, g_test_run ());
}
