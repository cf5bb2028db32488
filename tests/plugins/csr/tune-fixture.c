/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tune-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

#define TUNE_VERTICES 900

char *
tune_fixture_init (int *argc, char ***argv)
{
  char *cache = g_dir_make_tmp ("leat-tune-XXXXXX", NULL);

  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_unsetenv ("LEAT_LEARNED");
  g_test_init (argc, argv, NULL);
  return cache;
}

int
tune_fixture_end (const char *cache, int status)
{
  const char *const remove[] = { "rm", "-rf", cache, NULL };

  g_spawn_sync (NULL, (char **) remove, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL);
  return status;
}

char *
tune_fixture_dup_folder (void)
{
  return g_build_filename (g_get_user_cache_dir (), "leat", "learned", NULL);
}

char *
tune_fixture_dup_path (void)
{
  g_autofree char *folder = tune_fixture_dup_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name = dir != NULL ? g_dir_read_name (dir) : NULL;
  char *path = name != NULL ? g_build_filename (folder, name, NULL) : NULL;

  if (name != NULL)
    g_assert_null (g_dir_read_name (dir));
  return path;
}

static void
tune_fixture_drop (void)
{
  g_autofree char *folder = tune_fixture_dup_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_assert_cmpint (g_remove (path), ==, 0);
    }
}

/* Each vertex but the last leads to the next one. */
static CsrGraph
tune_make_one_way (void)
{
  CsrGraph self = { TUNE_VERTICES, TUNE_VERTICES - 1, g_new (guint32, TUNE_VERTICES + 1),
                    g_new (guint32, TUNE_VERTICES - 1) };

  for (guint v = 0; v < TUNE_VERTICES; v++)
    self.offsets[v] = v;
  self.offsets[TUNE_VERTICES] = TUNE_VERTICES - 1;
  for (guint v = 0; v + 1 < TUNE_VERTICES; v++)
    self.indices[v] = v + 1;
  return self;
}

void
tune_fixture_open_again (TuneFixture *self, const char *props)
{
  g_autofree char *inputs = NULL, *node = g_strdup_printf ("csr:bfs threads=32 %s", props);
  guint room;

  memset (self, 0, sizeof *self);
  self->graphs[TUNE_GRID] = csr_graph_make_grid (TUNE_VERTICES);
  self->graphs[TUNE_PATH] = csr_graph_make_path (TUNE_VERTICES);
  self->graphs[TUNE_ONE_WAY] = tune_make_one_way ();
  room = self->graphs[TUNE_GRID].n_edges;
  for (guint i = 0; i < TUNE_GRAPHS; i++)
    {
      CsrGraph *graph = &self->graphs[i];

      self->densities[i] = g_bit_storage (16 * graph->n_edges / graph->vertices);
      graph->indices = g_renew (guint32, graph->indices, room);
      memset (graph->indices + graph->n_edges, 0, (room - graph->n_edges) * sizeof (guint32));
    }
  inputs = g_strdup_printf ("offsets=u32[%u] indices=u32[%u] sources=u32[<=100]", TUNE_VERTICES + 1, room);
  primitive_fixture_open (&self->fixture, node, inputs, "levels limits");
}

void
tune_fixture_open (TuneFixture *self, const char *props)
{
  tune_fixture_drop ();
  tune_fixture_open_again (self, props);
}

void
tune_fixture_close (TuneFixture *self)
{
  primitive_fixture_close (&self->fixture);
  for (guint i = 0; i < TUNE_GRAPHS; i++)
    csr_graph_clear (&self->graphs[i]);
}

void
tune_fixture_search (TuneFixture *self, TuneGraph which, guint first, guint n)
{
  const CsrGraph *graph = &self->graphs[which];
  g_autofree guint32 *levels = g_new (guint32, TUNE_VERTICES);
  guint32 sources[100];
  g_autoptr (GBytes) found = NULL, limits = NULL;

  for (guint i = 0; i < n; i++)
    sources[i] = first + i;
  primitive_fixture_push (&self->fixture, 0, graph->offsets, (TUNE_VERTICES + 1) * sizeof (guint32));
  primitive_fixture_push (&self->fixture, 1, graph->indices, self->graphs[TUNE_GRID].n_edges * sizeof (guint32));
  primitive_fixture_push (&self->fixture, 2, sources, n * sizeof *sources);
  primitive_fixture_replay (&self->fixture);
  found = primitive_fixture_pull (&self->fixture, 0);
  limits = primitive_fixture_pull (&self->fixture, 1);
  csr_graph_search (graph, sources, n, levels, NULL);
  g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), levels, TUNE_VERTICES * sizeof *levels);
  g_assert_cmpuint (g_bytes_get_size (limits), ==, sizeof self->limits);
  memcpy (self->limits, g_bytes_get_data (limits, NULL), sizeof self->limits);
}

static LeatDeviceBuffer *
tune_fixture_get_state (TuneFixture *self)
{
  GError *error = NULL;
  LeatDeviceBuffer *state = leat_session_get_state (self->fixture.session, "n.tuning", &error);

  g_assert_no_error (error);
  return state;
}

TuneTable
tune_fixture_load (TuneFixture *self)
{
  g_autoptr (LeatDeviceBuffer) state = tune_fixture_get_state (self);
  GError *error = NULL;
  g_autoptr (GBytes) bytes = leat_device_buffer_download (state, 0, sizeof (TuneTable), &error);
  TuneTable table;

  g_assert_no_error (error);
  memcpy (&table, g_bytes_get_data (bytes, NULL), sizeof table);
  return table;
}

void
tune_fixture_store (TuneFixture *self, const TuneTable *table)
{
  g_autoptr (LeatDeviceBuffer) state = tune_fixture_get_state (self);
  g_autoptr (GBytes) bytes = g_bytes_new (table, sizeof *table);
  GError *error = NULL;

  leat_device_buffer_upload (state, 0, bytes, &error);
  g_assert_no_error (error);
}
