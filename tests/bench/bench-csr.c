/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bench.h"

#include "csr-graphs.h"
#include "leat.h"
#include "plain-csr.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* The nodes of `csr:` on the CPU driver against plain C with as many threads, on graphs that both have at hand: both
 * sides in one run, alternating, results compared first.  Prints one line a node and graph: the ratio of medians, and
 * both with their spread. */

#define ROUNDS     15
#define SETTLE     3
#define ITERATIONS 20
#define SOURCES    64

static guint threads;

typedef struct
{
  const char *name;
  CsrGraph graph;
  PlainGraph plain;
  float *weights;
  guint32 sources[SOURCES];
  char *folder; /* with all of it in files */
} Subject;

typedef struct
{
  const char *name, *node, *result;
  const char *inputs; /* of offsets, indices, back_offsets, back_indices, weights, sources */
  gsize item_bytes;
  void (*run_plain) (const Subject *subject, gpointer result);
  gboolean is_float;
} Job;

static void
run_plain_bfs (const Subject *subject, gpointer result)
{
  plain_bfs (&subject->plain, subject->sources[0], result, threads);
}

static void
run_plain_components (const Subject *subject, gpointer result)
{
  plain_components (&subject->plain, result, threads);
}

static void
run_plain_pagerank (const Subject *subject, gpointer result)
{
  plain_pagerank (&subject->plain, ITERATIONS, result, threads);
}

static void
run_plain_sssp (const Subject *subject, gpointer result)
{
  plain_sssp (&subject->plain, subject->weights, subject->sources[0], result, threads);
}

static void
run_plain_reach (const Subject *subject, gpointer result)
{
  plain_reach (&subject->plain, subject->sources, result, threads);
}

static const Job jobs[] = {
  { "csr:bfs", "csr:bfs symmetric=true", "levels", "offsets indices source", 4, run_plain_bfs, FALSE },
  { "csr:components", "csr:components", "labels", "offsets indices", 4, run_plain_components, FALSE },
  { "csr:pagerank", "csr:pagerank max-iterations=20 tolerance=0 on-limit=stop", "ranks",
    "offsets back_offsets back_indices", 4, run_plain_pagerank, TRUE },
  { "csr:sssp", "csr:sssp", "distances", "offsets indices weights source", 4, run_plain_sssp, FALSE },
  { "csr:reach", "csr:reach", "reached", "offsets indices sources", 8, run_plain_reach, FALSE },
};

static void
subject_save (const Subject *self, const char *name, gconstpointer data, gsize items)
{
  g_autofree char *path = g_build_filename (self->folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, data, (gssize) (items * 4), &error);
  bench_must_not (error);
}

static void
subject_choose_sources (Subject *self)
{
  guint32 v = 0;

  for (guint i = 0; i < SOURCES; i++)
    {
      while (self->graph.offsets[v] == self->graph.offsets[v + 1])
        v = (v + 1) % self->graph.vertices;
      self->sources[i] = v;
      v = (v + self->graph.vertices / SOURCES + 1) % self->graph.vertices;
    }
}

static void
subject_init (Subject *self, const char *name, CsrGraph graph)
{
  *self = (Subject){ .name = name, .graph = graph, .plain = { graph.vertices, graph.offsets, graph.indices } };
  self->weights = g_new (float, graph.n_edges);
  for (guint32 i = 0; i < graph.n_edges; i++)
    self->weights[i] = 1 + (float) (i * 2654435761u >> 24) / 16.0f;
  subject_choose_sources (self);
  self->folder = g_dir_make_tmp ("leat-bench-XXXXXX", NULL);
  subject_save (self, "offsets", graph.offsets, graph.vertices + 1);
  subject_save (self, "indices", graph.indices, graph.n_edges);
  subject_save (self, "weights", self->weights, graph.n_edges);
  subject_save (self, "sources", self->sources, SOURCES);
  subject_save (self, "source", self->sources, 1);
}

static void
subject_clear (Subject *self)
{
  static const char *const names[] = { "offsets", "indices", "weights", "sources", "source" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (self->folder, names[i], NULL);

      g_unlink (path);
    }
  g_rmdir (self->folder);
  g_free (self->folder);
  g_free (self->weights);
  csr_graph_clear (&self->graph);
}

static guint32
subject_count (const Subject *self, const char *file)
{
  return g_str_equal (file, "source")    ? 1
         : g_str_equal (file, "sources") ? SOURCES
         : g_str_equal (file, "offsets") ? self->graph.vertices + 1
                                         : self->graph.n_edges;
}

static void
subject_append_input (const Subject *self, GString *text, const char *input)
{
  const char *file = g_str_has_prefix (input, "back_") ? input + strlen ("back_") : input;

  g_string_append_printf (text, "const path=\"%s/%s\" spec=%s[%u] -> n.%s\n", self->folder, file,
                          g_str_equal (file, "weights") ? "f32" : "u32", subject_count (self, file),
                          g_str_equal (file, "source") ? "sources" : input);
}

/* Where nothing changes, nothing is done: so a word does, that the node does not look at. */
static LeatSession *
open_session (const Subject *subject, const Job *job, const char *where)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");
  g_auto (GStrv) inputs = g_strsplit (job->inputs, " ", -1);
  g_autoptr (LeatPipeline) pipeline = NULL;
  GError *error = NULL;
  LeatSession *session;
  LeatView again;

  g_string_append_printf (text, "n = %s\n", job->node);
  for (guint i = 0; inputs[i] != NULL; i++)
    subject_append_input (subject, text, inputs[i]);
  g_string_append_printf (text, "n.%s -> %s\napp name=again spec=u32[1] -> upload -> discard\n", job->result, where);
  pipeline = leat_parse_text (text->str, LEAT_TEXT_STYLE_FILE, NULL, &error);
  bench_must_not (error);
  session = leat_session_new (pipeline, "cpu");
  leat_session_open (session, NULL, &error);
  bench_must_not (error);
  leat_session_map_input (session, "again", &again, &error);
  bench_must_not (error);
  return session;
}

static void
replay (LeatSession *session)
{
  GError *error = NULL;

  leat_session_replay (session, FALSE, NULL, &error);
  bench_must_not (error);
}

static gboolean
is_equal (const Job *job, gconstpointer a, gconstpointer b, gsize items)
{
  const float *x = a, *y = b;

  if (!job->is_float)
    return memcmp (a, b, items * job->item_bytes) == 0;
  for (gsize i = 0; i < items; i++)
    if (fabsf (x[i] - y[i]) > 1e-3f * fabsf (y[i]))
      return FALSE;
  return TRUE;
}

static void
compare (const Subject *subject, const Job *job, gconstpointer wanted)
{
  g_autoptr (LeatSession) session = open_session (subject, job, "readback -> app name=found");
  GError *error = NULL;
  LeatView found;

  leat_session_map_output (session, "found", &found, &error);
  bench_must_not (error);
  replay (session);
  if (!is_equal (job, found.data, wanted, subject->graph.vertices))
    g_error ("%s, %s: the two sides differ", job->name, subject->name);
  leat_session_close (session);
}

static void
report (const Subject *subject, const Job *job, double *leat, double *plain)
{
  bench_sort (leat, ROUNDS);
  bench_sort (plain, ROUNDS);
  g_print (
    "%-14s %-10s plain against leat %5.2f  leat %8.2f ms [%.2f, %.2f]  plain %8.2f ms [%.2f, %.2f]  (at least 0.5)\n",
    job->name, subject->name, plain[ROUNDS / 2] / leat[ROUNDS / 2], leat[ROUNDS / 2] / 1e3, leat[1] / 1e3,
    leat[ROUNDS - 2] / 1e3, plain[ROUNDS / 2] / 1e3, plain[1] / 1e3, plain[ROUNDS - 2] / 1e3);
}

static void
run (const Subject *subject, const Job *job)
{
  g_autofree guint64 *result = g_new (guint64, subject->graph.vertices);
  g_autoptr (LeatSession) session = NULL;
  double leat[ROUNDS], plain[ROUNDS];

  job->run_plain (subject, result);
  compare (subject, job, result);
  session = open_session (subject, job, "discard");
  for (guint i = 0; i < SETTLE; i++)
    replay (session);
  for (guint i = 0; i < ROUNDS; i++)
    {
      double begin = bench_now_us ();

      replay (session);
      leat[i] = bench_now_us () - begin;
      begin = bench_now_us ();
      job->run_plain (subject, result);
      plain[i] = bench_now_us () - begin;
    }
  report (subject, job, leat, plain);
  leat_session_close (session);
}

int
main (void)
{
  static const struct
  {
    const char *name;
    CsrMaker make;
    guint32 size;
  } makers[] = { { "R-MAT 2^18", csr_graph_make_rmat_both, 1u << 18 }, { "512^2", csr_graph_make_grid, 1u << 18 } };

  threads = g_get_num_processors ();
  g_print ("%u threads, medians of %u rounds [second least, second greatest]\n", threads, ROUNDS);
  for (guint i = 0; i < G_N_ELEMENTS (makers); i++)
    {
      Subject subject;

      subject_init (&subject, makers[i].name, makers[i].make (makers[i].size));
      for (guint k = 0; k < G_N_ELEMENTS (jobs); k++)
        run (&subject, &jobs[k]);
      subject_clear (&subject);
    }
  return 0;
}
