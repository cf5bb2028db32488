/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A session of one node of csr:, for cases that search graphs.  Writes the graph into the folder of leat-bench, and
 * times the replays. */

#include "leat-bench-search-session.h"

gboolean
leat_bench_search_save (const LeatBench *bench, const char *name, const guint32 *words, gsize n, GError **error)
{
  g_autofree char *path = g_build_filename (bench->folder, name, NULL);

  return g_file_set_contents (path, (const char *) words, (gssize) (n * sizeof *words), error);
}

gboolean
leat_bench_search_save_graph (const LeatBenchSearch *self, const LeatBench *bench, GError **error)
{
  return leat_bench_search_save (bench, "offsets.bin", self->offsets, self->vertices + 1, error)
         && leat_bench_search_save (bench, "indices.bin", self->indices, self->n_edges, error);
}

void
leat_bench_search_session_clear (LeatBenchSearchSession *self)
{
  if (self->session != NULL)
    leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

/* Where nothing changes, nothing is done: so a word does, that the node does not look at. */
static char *
leat_bench_search_dup_text (const LeatBench *bench, const LeatBenchSearch *graph, const char *node, const char *links,
                            const char *result, gboolean checked)
{
  return g_strdup_printf ("leat 1\nn = %s\n"
                          "const path=\"%s/offsets.bin\" spec=u32[%u] -> n.offsets\n"
                          "const path=\"%s/indices.bin\" spec=u32[%u] -> n.indices\n"
                          "%sn.%s -> %s\nn.report -> readback -> app name=report\n"
                          "app name=again spec=u32[1] -> upload -> discard\n",
                          node, bench->folder, graph->vertices + 1, bench->folder, graph->n_edges,
                          links != NULL ? links : "", result, checked ? "readback -> app name=found" : "discard");
}

gboolean
leat_bench_search_session_open (LeatBenchSearchSession *self, const LeatBench *bench, const LeatBenchSearch *graph,
                                const char *node, const char *links, const char *result, gboolean checked,
                                GError **error)
{
  g_autofree char *text = leat_bench_search_dup_text (bench, graph, node, links, result, checked);
  LeatView in;

  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  if (self->pipeline == NULL)
    return FALSE;
  self->session = leat_session_new (self->pipeline, bench->selector);
  g_object_set (self->session, "wait", bench->wait, NULL);
  return leat_session_open (self->session, NULL, error) && leat_session_map_input (self->session, "again", &in, error)
         && leat_session_map_output (self->session, "report", &self->report, error)
         && (!checked || leat_session_map_output (self->session, "found", &self->found, error));
}

gboolean
leat_bench_search_session_measure (LeatBenchSearchSession *self, guint settle, guint runs, LeatBenchSeries *times,
                                   GError **error)
{
  for (guint i = 0; i < settle + runs; i++)
    {
      double begin = leat_bench_now_us ();

      if (leat_session_replay (self->session, FALSE, NULL, error) == LEAT_FLOW_ERROR)
        return FALSE;
      if (i >= settle)
        leat_bench_series_add (times, leat_bench_now_us () - begin);
    }
  return TRUE;
}
