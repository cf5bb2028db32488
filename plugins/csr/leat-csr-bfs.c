/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `csr:bfs`.  kernels/bfs.cu says how it works. */

#include "leat-csr-bfs.h"

#include "leat-csr-call.h"
#include "leat-csr-input.h"
#include "leat-csr-limits.h"

#include <string.h>

#define LEAT_CSR_BFS_WORDS   8    /* of a report */
#define LEAT_CSR_BFS_CONTROL 2048 /* bytes; kernels/frontier.cu says what is where */
#define LEAT_CSR_BFS_PIECE   64   /* edges of a piece of a row */
#define LEAT_CSR_BFS_LIMITS  6    /* words of what it was done by */
/* Where the other one is set. */
#define LEAT_CSR_BFS_PULL_FROM  14
#define LEAT_CSR_BFS_PULL_UNTIL 24

struct _LeatCsrBfs
{
  LeatNode parent_instance;

  guint64 source;
  guint64 max_iterations;
  int on_limit;
  double budget;
  gboolean symmetric;
  guint64 threads;
  guint64 alone, pull_from, pull_until;

  LeatCsrInput graph, back;
  gboolean has_back, tunes;
  LeatKernelSource *text;
};

G_DEFINE_FINAL_TYPE (LeatCsrBfs, leat_csr_bfs, LEAT_TYPE_NODE)

static const LeatCsrLimits limits_texts = {
  .steps = "levels",
  .left = "with {value} rows left in the frontier",
  .raise = "raise max-iterations= (0: as many as there are)",
};

/* In the order of what the kernel takes for them. */
static const char *const limit_choices[] = { "stop", "warn", "error", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "source", LEAT_PROP_UINT, 0, offsetof (LeatCsrBfs, source), .max.u = G_MAXUINT32 - 1,
    .blurb = "Vertex at which the search begins if the input sources is not linked" },
  { sizeof (LeatProp), "symmetric", LEAT_PROP_BOOL, 0, offsetof (LeatCsrBfs, symmetric),
    .blurb = "true: every edge has its opposite, as csr:read gives them with edges=undirected" },
  { sizeof (LeatProp), "max-iterations", LEAT_PROP_UINT, 0, offsetof (LeatCsrBfs, max_iterations),
    .blurb = "Most levels to search; 0: no limit, as no search has more levels than vertices" },
  { sizeof (LeatProp), "on-limit", LEAT_PROP_CHOICE, 0, offsetof (LeatCsrBfs, on_limit), .def.i = 2,
    .choices = limit_choices,
    .blurb = "If max-iterations is reached with work left; stop: give the results so far; warn: "
             "give them with a warning; error: fail the run" },
  { sizeof (LeatProp), "budget", LEAT_PROP_DOUBLE, 0, offsetof (LeatCsrBfs, budget), .def.d = 60, .min.d = 0,
    .max.d = 1e9, .blurb = "Seconds after which the run fails; 0: never" },
  { sizeof (LeatProp), "threads", LEAT_PROP_UINT, 0, offsetof (LeatCsrBfs, threads), .def.u = 640, .min.u = 32,
    .max.u = 1024, .blurb = "Threads of a block on a GPU, a multiple of 32" },
  { sizeof (LeatProp), "alone", LEAT_PROP_UINT, 0, offsetof (LeatCsrBfs, alone), .min.u = 0, .max.u = 1024,
    .blurb = "Most rows of a level that one block of a GPU does by itself; a row of more than 64 "
             "edges counts several times.  0: the limit that earlier runs found best" },
  { sizeof (LeatProp), "pull-from", LEAT_PROP_UINT, 0, offsetof (LeatCsrBfs, pull_from), .min.u = 0, .max.u = 1 << 20,
    .blurb = "A growing level is searched from its far side if it has more than one in so many of "
             "the edges that are left.  0: the limit that earlier runs found best, or 14 if "
             "pull-until is set" },
  { sizeof (LeatProp), "pull-until", LEAT_PROP_UINT, 0, offsetof (LeatCsrBfs, pull_until), .min.u = 0, .max.u = 1 << 20,
    .blurb = "Searching from the far side ends when a level does not grow and has less than one "
             "in so many of the vertices.  0: the limit that earlier runs found best, or 24 if "
             "pull-from is set" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "offsets", LEAT_PORT_INPUT, 0, "any", "Where each vertex's edges begin, u32 or u64" },
  { sizeof (LeatPortInfo), "indices", LEAT_PORT_INPUT, 0, "any", "Where each edge leads, u32" },
  { sizeof (LeatPortInfo), "back_offsets", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "Offsets of the same graph with every edge turned around; they make the search of a "
    "directed graph faster" },
  { sizeof (LeatPortInfo), "back_indices", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "Indices that belong to back_offsets" },
  { sizeof (LeatPortInfo), "sources", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "any",
    "Vertices at which the search begins, u32, instead of the property source" },
  { sizeof (LeatPortInfo), "levels", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "For each vertex the number of edges from the nearest source, u32; 4294967295 if no "
    "path leads there" },
  { sizeof (LeatPortInfo), "parents", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "For each vertex the one before it on a shortest path, u32: the least if there are "
    "several; a source is its own parent" },
  { sizeof (LeatPortInfo), "report", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "u64[8]: iterations; 0, or 1 if max-iterations or 2 if the budget ended the search; "
    "vertices reached; levels that one block did alone; levels done by pushing; levels "
    "done by pulling; rows left in the frontier; levels that blocks did apart" },
  { sizeof (LeatPortInfo), "limits", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "u64[6]: alone, pull-from and pull-until of this run; density (bits of the number of "
    "edges of 16 vertices); searches measured in such graphs; whether this run tried a "
    "limit" },
};

const LeatNodeInfo leat_csr_bfs_info = {
  sizeof (LeatNodeInfo),
  "csr:bfs",
  NULL,
  "Breadth-first search in a graph",
  "For each vertex the search finds the number of edges from the nearest source, and "
  "the vertex before it on a shortest path.  The whole search is one kernel.\n\n"
  "Example: csr:bfs source=5 symmetric=true",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_csr_bfs_get_type,
};

static gboolean
leat_csr_bfs_is_linked (LeatCsrBfs *self, const char *port)
{
  return leat_port_is_linked (leat_node_get_port (LEAT_NODE (self), port, NULL));
}

static gboolean
leat_csr_bfs_refuse (LeatCsrBfs *self, int code, const char *what, GError **error)
{
  g_set_error (error, LEAT_GRAPH_ERROR, code, "csr:bfs \"%s\": %s", leat_node_get_name (LEAT_NODE (self)), what);
  return FALSE;
}

static gboolean
leat_csr_bfs_compile (LeatCsrBfs *self, GError **error)
{
  const char *const files[] = { "frontier.cu",  "tune.cu",     "bfs-level.cu",
                                "bfs-alone.cu", "bfs-tune.cu", "bfs-parents.cu",
                                "bfs.cu",       "bfs-host.cu", NULL };
  g_autoptr (GString) head = g_string_new (NULL);

  gboolean pulls = self->has_back || self->symmetric,
           tunes_pull = pulls && self->pull_from == 0 && self->pull_until == 0;

  self->tunes = self->alone == 0 || tunes_pull;
  leat_csr_input_write (&self->graph, "indices", head);
  leat_csr_limits_write (&limits_texts, head);
  g_string_append_printf (head,
                          "#define PULLS %d\n#define PARENTS %d\n"
                          "#define TUNES %d\n#define TUNES_ALONE %d\n#define TUNES_PULL %d\n"
                          "#define BFS_THREADS %" G_GUINT64_FORMAT "\n",
                          pulls, leat_csr_bfs_is_linked (self, "parents"), self->tunes, self->alone == 0, tunes_pull,
                          self->threads);
  g_clear_pointer (&self->text, leat_kernel_source_unref);
  self->text = leat_csr_source_new (head->str, files, error);
  return self->text != NULL;
}

static gboolean
leat_csr_bfs_find_back (LeatCsrBfs *self, LeatNegotiation *negotiation, GError **error)
{
  self->back = self->graph;
  self->has_back = leat_csr_bfs_is_linked (self, "back_offsets");
  if (self->has_back != leat_csr_bfs_is_linked (self, "back_indices"))
    return leat_csr_bfs_refuse (self, LEAT_GRAPH_ERROR_UNLINKED,
                                "back_offsets and back_indices go together; link both or none", error);
  if (!self->has_back)
    return TRUE;
  if (!leat_csr_input_find (&self->back, LEAT_NODE (self), negotiation, "back_", error))
    return FALSE;
  if (self->back.vertices != self->graph.vertices || self->back.wide != self->graph.wide)
    return leat_csr_bfs_refuse (self, LEAT_GRAPH_ERROR_SPEC, "offsets and back_offsets are not of one size and type",
                                error);
  return TRUE;
}

static gboolean
leat_csr_bfs_check_source (LeatCsrBfs *self, LeatNegotiation *negotiation, GError **error)
{
  g_autofree char *what = NULL;

  if (leat_csr_bfs_is_linked (self, "sources"))
    return leat_csr_input_check_numbers (LEAT_NODE (self), "sources",
                                         leat_negotiation_get_input (negotiation, "sources"), error);
  if (self->source < self->graph.vertices)
    return TRUE;
  what = g_strdup_printf ("source=%" G_GUINT64_FORMAT ", and vertices are numbered from 0 to %" G_GUINT64_FORMAT,
                          self->source, self->graph.vertices - 1);
  leat_node_blame (LEAT_NODE (self), "source");
  return leat_csr_bfs_refuse (self, LEAT_GRAPH_ERROR_RANGE, what, error);
}

static gboolean
leat_csr_bfs_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatCsrBfs *self = LEAT_CSR_BFS (node);
  const guint64 words = LEAT_CSR_BFS_WORDS, limits_words = LEAT_CSR_BFS_LIMITS;
  g_autoptr (LeatSpec) each = NULL, report = leat_spec_new (LEAT_DTYPE_U64, &words, 1, FALSE);
  g_autoptr (LeatSpec) limits = leat_spec_new (LEAT_DTYPE_U64, &limits_words, 1, FALSE);

  if (!leat_csr_input_check_threads (node, self->threads, error)
      || !leat_csr_input_find (&self->graph, node, negotiation, "", error)
      || !leat_csr_bfs_find_back (self, negotiation, error) || !leat_csr_bfs_check_source (self, negotiation, error)
      || !leat_csr_bfs_compile (self, error))
    return FALSE;
  each = leat_spec_new (LEAT_DTYPE_U32, &self->graph.vertices, 1, FALSE);
  return leat_negotiation_set_output (negotiation, "levels", each, error)
         && leat_negotiation_set_output (negotiation, "parents", each, error)
         && leat_negotiation_set_output (negotiation, "limits", limits, error)
         && leat_negotiation_set_output (negotiation, "report", report, error);
}

static LeatBufferId
leat_csr_bfs_get_sources (LeatCsrBfs *self, LeatRecorder *recorder)
{
  guint32 source = (guint32) self->source;
  g_autoptr (GBytes) bytes = NULL;

  if (leat_csr_bfs_is_linked (self, "sources"))
    return leat_recorder_get_input (recorder, "sources");
  bytes = g_bytes_new (&source, sizeof source);
  return leat_recorder_add_const (recorder, "source", bytes);
}

static void
leat_csr_bfs_add_graph (LeatCsrBfs *self, LeatCsrCall *call)
{
  const char *const back[] = { self->has_back ? "back_offsets" : "offsets",
                               self->has_back ? "back_indices" : "indices" };
  LeatBufferId sources = leat_csr_bfs_get_sources (self, call->recorder);

  leat_csr_call_add (call, leat_recorder_get_input (call->recorder, "offsets"), LEAT_ACCESS_READ);
  leat_csr_call_add (call, leat_recorder_get_input (call->recorder, "indices"), LEAT_ACCESS_READ);
  leat_csr_call_add (call, leat_recorder_get_input (call->recorder, back[0]), LEAT_ACCESS_READ);
  leat_csr_call_add (call, leat_recorder_get_input (call->recorder, back[1]), LEAT_ACCESS_READ);
  leat_csr_call_add (call, sources, LEAT_ACCESS_READ);
  if (leat_csr_bfs_is_linked (self, "sources"))
    leat_csr_call_add_count (call, sources);
  else
    leat_csr_call_add_number (call, 1);
}

static gboolean
leat_csr_bfs_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatCsrBfs *self = LEAT_CSR_BFS (node);
  guint64 vertices = self->graph.vertices, room = vertices + self->graph.edges / LEAT_CSR_BFS_PIECE;
  guint64 most = self->max_iterations > 0 ? self->max_iterations : vertices;
  guint64 bits = (vertices + 31) / 32 * sizeof (guint32);
  LeatCsrCall call = { .recorder = recorder };

  leat_csr_bfs_add_graph (self, &call);
  leat_csr_call_add_number (&call, vertices);
  leat_csr_call_add_count (&call, leat_recorder_get_input (recorder, "indices"));
  leat_csr_call_add_count (&call, leat_recorder_get_input (recorder, self->has_back ? "back_indices" : "indices"));
  leat_csr_call_add_number (&call, MIN (most, vertices));
  leat_csr_call_add_number (&call, self->alone);
  leat_csr_call_add_number (&call, self->pull_from > 0 ? self->pull_from : LEAT_CSR_BFS_PULL_FROM);
  leat_csr_call_add_number (&call, self->pull_until > 0 ? self->pull_until : LEAT_CSR_BFS_PULL_UNTIL);
  leat_csr_call_add_number (&call, (guint64) self->on_limit);
  leat_csr_call_add_budget (&call, self->budget);
  leat_csr_call_add_number (&call, room);
  leat_csr_call_add_zeros (&call, "control", LEAT_CSR_BFS_CONTROL);
  leat_csr_call_add_scratch (&call, "list", room * sizeof (guint64));
  leat_csr_call_add_scratch (&call, "other list", room * sizeof (guint64));
  leat_csr_call_add_scratch (&call, "bits", bits);
  leat_csr_call_add_scratch (&call, "other bits", bits);
  leat_csr_call_add_scratch (&call, "seen", bits);
  leat_csr_call_add_output (&call, node, "levels", vertices * sizeof (guint32));
  leat_csr_call_add_output (&call, node, "parents", sizeof (guint32));
  leat_csr_call_add_tuning (&call, self->tunes);
  leat_csr_call_add_output (&call, node, "limits", LEAT_CSR_BFS_LIMITS * sizeof (guint64));
  leat_csr_call_add_output (&call, node, "report", LEAT_CSR_BFS_WORDS * sizeof (guint64));
  leat_csr_call_finish (&call, self->text, "bfs_search", (guint) self->threads);
  return TRUE;
}

static void
leat_csr_bfs_finalize (GObject *object)
{
  LeatCsrBfs *self = LEAT_CSR_BFS (object);

  g_clear_pointer (&self->text, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_csr_bfs_parent_class)->finalize (object);
}

static void
leat_csr_bfs_class_init (LeatCsrBfsClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_csr_bfs_finalize;
  node_class->negotiate = leat_csr_bfs_negotiate;
  node_class->record = leat_csr_bfs_record;
  leat_node_class_describe (node_class, &leat_csr_bfs_info);
}

static void
leat_csr_bfs_init (LeatCsrBfs *self)
{
}
