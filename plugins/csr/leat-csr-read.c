/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its properties, and the graph, which is kept as long as its files stay the same. */

#include "leat-csr-read.h"

#include "leat-csr-files.h"

#include <glib/gstdio.h>
#include <string.h>

/**
 * LeatCsrRead:
 *
 * A graph from files, in device memory, the node `csr:read`.
 *
 * The files are read when the pipeline is planned, since sizes follow from them, and are uploaded once, when the
 * session opens; every run finds the graph there.
 */
struct _LeatCsrRead
{
  LeatNode parent_instance;

  char *path;
  char *offsets_path;
  char *indices_path;
  char *weights_path;
  char *from;
  int format;
  int edges;
  int offset_type;
  gboolean dedup;
  guint64 vertices;

  char *loaded; /* what the graph was read from, as long as none of it changes */
  LeatCsrGraph *graph, *back;
  guint32 source;
  LeatCsrRounding rounding;
};

G_DEFINE_FINAL_TYPE (LeatCsrRead, leat_csr_read, LEAT_TYPE_NODE)

static const char *const format_choices[] = { "auto", "edges", "matrix-market", "packages", NULL };
static const char *const edges_choices[] = { "directed", "undirected", "reversed", NULL };
static const char *const offset_choices[] = { "auto", "u32", "u64", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "path", LEAT_PROP_PATH, 0, offsetof (LeatCsrRead, path),
    .blurb = "Text with the edges (\"from to\" or \"from to weight\" on each line), a Matrix "
             "Market file, or a list of packages" },
  { sizeof (LeatProp), "format", LEAT_PROP_CHOICE, 0, offsetof (LeatCsrRead, format), .choices = format_choices,
    .blurb = "Format of the text; auto: recognised by its beginning; packages: packages of a "
             "Debian system and their dependencies" },
  { sizeof (LeatProp), "from", LEAT_PROP_STRING, 0, offsetof (LeatCsrRead, from),
    .blurb = "Package whose number appears at the output source" },
  { sizeof (LeatProp), "offsets-path", LEAT_PROP_PATH, 0, offsetof (LeatCsrRead, offsets_path),
    .blurb = "Instead of path: .npy file with the position at which each vertex's edges begin, "
             "and at which the last one's end" },
  { sizeof (LeatProp), "indices-path", LEAT_PROP_PATH, 0, offsetof (LeatCsrRead, indices_path),
    .blurb = "With offsets-path: .npy file with the vertex to which each edge leads" },
  { sizeof (LeatProp), "weights-path", LEAT_PROP_PATH, 0, offsetof (LeatCsrRead, weights_path),
    .blurb = "With offsets-path: .npy file with the weight of each edge" },
  { sizeof (LeatProp), "edges", LEAT_PROP_CHOICE, 0, offsetof (LeatCsrRead, edges), .choices = edges_choices,
    .blurb = "undirected: each edge leads both ways, but an edge from a vertex to itself stays "
             "one edge; reversed: each edge is turned around" },
  { sizeof (LeatProp), "dedup", LEAT_PROP_BOOL, 0, offsetof (LeatCsrRead, dedup),
    .blurb = "true: of several edges from one vertex to another, keep the one with the least "
             "weight" },
  { sizeof (LeatProp), "vertices", LEAT_PROP_UINT, 0, offsetof (LeatCsrRead, vertices), .max.u = LEAT_CSR_MOST_VERTICES,
    .blurb = "Least number of vertices, for graphs whose last vertices have no edges" },
  { sizeof (LeatProp), "offset-type", LEAT_PROP_CHOICE, 0, offsetof (LeatCsrRead, offset_type),
    .choices = offset_choices, .blurb = "Type of the offsets; auto: u32 if that is enough" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "offsets", LEAT_PORT_OUTPUT, 0, "any",
    "For each vertex where its edges begin in indices; the last item is the number of "
    "edges" },
  { sizeof (LeatPortInfo), "indices", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "For each edge where it leads, u32; ascending for each vertex" },
  { sizeof (LeatPortInfo), "weights", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "For each edge its weight, f32; 1 if the file has none" },
  { sizeof (LeatPortInfo), "back_offsets", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "Offsets of the same graph with every edge turned around; made only if linked" },
  { sizeof (LeatPortInfo), "back_indices", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "Indices that belong to back_offsets; made only if linked" },
  { sizeof (LeatPortInfo), "source", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "any",
    "Number of the package that from names, u32[1]; otherwise 0" },
};

const LeatNodeInfo leat_csr_read_info = {
  sizeof (LeatNodeInfo),
  "csr:read",
  NULL,
  "Reads a graph from files and keeps it on the device",
  "The files are read and checked when the pipeline is planned, and uploaded once, "
  "when the session opens; every run finds the graph on the device.  Vertices are "
  "numbered from 0.\n\nExample: g = csr:read path=roads.txt edges=undirected",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_csr_read_get_type,
};

static gboolean
leat_csr_read_gives (LeatCsrRead *self, const char *port)
{
  return leat_port_is_linked (leat_node_get_port (LEAT_NODE (self), port, NULL));
}

/* The files, each with what tells whether it has changed. (nullable) */
static char *
leat_csr_read_dup_state (LeatCsrRead *self)
{
  static const char *const files[] = { "path", "offsets-path", "indices-path", "weights-path" };
  g_autoptr (GString) state = g_string_new (NULL);

  g_string_printf (state, "%d %d %d %d %" G_GUINT64_FORMAT " %s", self->format, self->edges, self->dedup,
                   self->offset_type, self->vertices, self->from != NULL ? self->from : "");
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    {
      g_autofree char *path = leat_node_dup_path (LEAT_NODE (self), files[i]);
      GStatBuf st;

      if (path != NULL && g_stat (path, &st) == 0)
        g_string_append_printf (state, "\n%s %" G_GINT64_FORMAT " %ld.%09ld", path, (gint64) st.st_size,
                                (long) st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
      else
        g_string_append_printf (state, "\n%s", path != NULL ? path : "");
    }
  return g_string_free (g_steal_pointer (&state), FALSE);
}

static gboolean
leat_csr_read_check_properties (LeatCsrRead *self, GError **error)
{
  LeatNode *node = LEAT_NODE (self);
  const char *what = NULL;

  if (self->path == NULL && self->offsets_path == NULL)
    what = "set path=FILE, or offsets-path= and indices-path=";
  else if (self->path != NULL
           && (self->offsets_path != NULL || self->indices_path != NULL || self->weights_path != NULL))
    what = "path= and .npy files are both set; leave one of them out";
  else if (self->path == NULL && self->indices_path == NULL)
    what = "offsets-path= needs indices-path=";
  if (what == NULL)
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING, "csr:read \"%s\": %s", leat_node_get_name (node),
               what);
  return FALSE;
}

static gboolean
leat_csr_read_is_usable (LeatCsrRead *self, const LeatCsrGraph *graph, GError **error)
{
  if (graph->vertices == 0)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                 "csr:read \"%s\": the graph has no vertices; say how many there are with vertices=",
                 leat_node_get_name (LEAT_NODE (self)));
  else if (self->offset_type == 1 && graph->n_edges > G_MAXUINT32)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                 "csr:read \"%s\": %" G_GUINT64_FORMAT " edges need offset-type=u64",
                 leat_node_get_name (LEAT_NODE (self)), graph->n_edges);
  else
    return TRUE;
  return FALSE;
}

static LeatCsrGraph *
leat_csr_read_build (LeatCsrRead *self, GError **error)
{
  g_auto (LeatCsrFiles) files = { .path = leat_node_dup_path (LEAT_NODE (self), "path"),
                                  .offsets = leat_node_dup_path (LEAT_NODE (self), "offsets-path"),
                                  .indices = leat_node_dup_path (LEAT_NODE (self), "indices-path"),
                                  .weights = leat_node_dup_path (LEAT_NODE (self), "weights-path"),
                                  .from = self->from,
                                  .format = (LeatCsrFormat) self->format,
                                  .direction = (LeatCsrDirection) self->edges,
                                  .dedup = self->dedup,
                                  .vertices = self->vertices };
  g_autoptr (LeatCsrGraph) graph = leat_csr_files_read (&files, &self->source, &self->rounding, error);

  return graph != NULL && leat_csr_read_is_usable (self, graph, error) ? g_steal_pointer (&graph) : NULL;
}

static gboolean
leat_csr_read_load (LeatCsrRead *self, GError **error)
{
  g_autofree char *state = leat_csr_read_dup_state (self);

  if (g_strcmp0 (state, self->loaded) != 0)
    {
      g_clear_pointer (&self->loaded, g_free);
      g_clear_pointer (&self->graph, leat_csr_graph_free);
      g_clear_pointer (&self->back, leat_csr_graph_free);
      self->graph = leat_csr_read_build (self, error);
      if (self->graph == NULL)
        return FALSE;
      self->loaded = g_steal_pointer (&state);
    }
  if (self->back == NULL && (leat_csr_read_gives (self, "back_offsets") || leat_csr_read_gives (self, "back_indices")))
    self->back = leat_csr_graph_transpose (self->graph, error);
  return self->back != NULL
         || (!leat_csr_read_gives (self, "back_offsets") && !leat_csr_read_gives (self, "back_indices"));
}

static gboolean
leat_csr_read_has_wide_offsets (LeatCsrRead *self)
{
  return self->offset_type == 2 || self->graph->n_edges > G_MAXUINT32;
}

static gboolean
leat_csr_read_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatCsrRead *self = LEAT_CSR_READ (node);
  g_autoptr (LeatSpec) offsets = NULL, indices = NULL, weights = NULL, source = NULL;
  const guint64 one = 1;
  guint64 rows, edges;

  if (!leat_csr_read_check_properties (self, error) || !leat_csr_read_load (self, error))
    return FALSE;
  rows = self->graph->vertices + 1;
  edges = MAX (self->graph->n_edges, 1); /* an array has something in it; offsets say that it is no edge */
  offsets = leat_spec_new (leat_csr_read_has_wide_offsets (self) ? LEAT_DTYPE_U64 : LEAT_DTYPE_U32, &rows, 1, FALSE);
  indices = leat_spec_new (LEAT_DTYPE_U32, &edges, 1, FALSE);
  weights = leat_spec_new (LEAT_DTYPE_F32, &edges, 1, FALSE);
  source = leat_spec_new (LEAT_DTYPE_U32, &one, 1, FALSE);
  return leat_negotiation_set_output (negotiation, "offsets", offsets, error)
         && leat_negotiation_set_output (negotiation, "source", source, error)
         && leat_negotiation_set_output (negotiation, "indices", indices, error)
         && leat_negotiation_set_output (negotiation, "weights", weights, error)
         && leat_negotiation_set_output (negotiation, "back_offsets", offsets, error)
         && leat_negotiation_set_output (negotiation, "back_indices", indices, error);
}

static void
leat_csr_read_give_offsets (LeatCsrRead *self, LeatRecorder *recorder, const char *port, const LeatCsrGraph *graph)
{
  gsize n = graph->vertices + 1;
  g_autoptr (GBytes) bytes = NULL;

  if (leat_csr_read_has_wide_offsets (self))
    bytes = g_bytes_new (graph->offsets, n * sizeof (guint64));
  else
    {
      guint32 *narrow = g_new (guint32, n);

      for (gsize i = 0; i < n; i++)
        narrow[i] = (guint32) graph->offsets[i];
      bytes = g_bytes_new_take (narrow, n * sizeof (guint32));
    }
  leat_recorder_set_output_const (recorder, port, bytes);
}

static void
leat_csr_read_give_indices (LeatRecorder *recorder, const char *port, const LeatCsrGraph *graph)
{
  g_autoptr (GBytes) bytes = g_bytes_new (graph->indices, MAX (graph->n_edges, 1) * sizeof (guint32));

  leat_recorder_set_output_const (recorder, port, bytes);
}

static void
leat_csr_read_give_weights (LeatRecorder *recorder, const LeatCsrGraph *graph)
{
  gsize n = MAX (graph->n_edges, 1);
  float *weights = g_new (float, n);
  g_autoptr (GBytes) bytes = NULL;

  for (gsize i = 0; i < n; i++)
    weights[i] = graph->weights != NULL ? graph->weights[i] : 1;
  bytes = g_bytes_new_take (weights, n * sizeof (float));
  leat_recorder_set_output_const (recorder, "weights", bytes);
}

static void
leat_csr_read_warn_of_rounding (LeatCsrRead *self, LeatRecorder *recorder)
{
  if (self->rounding.n > 0)
    leat_recorder_warn (recorder,
                        "%" G_GUINT64_FORMAT " weight%s f32 does not hold, such as %s, which becomes %.9g; where that "
                        "matters, make the weights smaller",
                        self->rounding.n, self->rounding.n > 1 ? "s that" : " that", self->rounding.first,
                        (double) self->rounding.became);
}

static gboolean
leat_csr_read_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatCsrRead *self = LEAT_CSR_READ (node);

  leat_csr_read_give_offsets (self, recorder, "offsets", self->graph);
  if (leat_csr_read_gives (self, "indices"))
    leat_csr_read_give_indices (recorder, "indices", self->graph);
  if (leat_csr_read_gives (self, "weights"))
    {
      leat_csr_read_give_weights (recorder, self->graph);
      leat_csr_read_warn_of_rounding (self, recorder);
    }
  if (leat_csr_read_gives (self, "back_offsets"))
    leat_csr_read_give_offsets (self, recorder, "back_offsets", self->back);
  if (leat_csr_read_gives (self, "back_indices"))
    leat_csr_read_give_indices (recorder, "back_indices", self->back);
  if (leat_csr_read_gives (self, "source"))
    {
      g_autoptr (GBytes) bytes = g_bytes_new (&self->source, sizeof self->source);

      leat_recorder_set_output_const (recorder, "source", bytes);
    }
  return TRUE;
}

static void
leat_csr_read_finalize (GObject *object)
{
  LeatCsrRead *self = LEAT_CSR_READ (object);

  g_clear_pointer (&self->loaded, g_free);
  g_clear_pointer (&self->graph, leat_csr_graph_free);
  g_clear_pointer (&self->back, leat_csr_graph_free);
  G_OBJECT_CLASS (leat_csr_read_parent_class)->finalize (object);
}

static void
leat_csr_read_class_init (LeatCsrReadClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_csr_read_finalize;
  node_class->negotiate = leat_csr_read_negotiate;
  node_class->record = leat_csr_read_record;
  leat_node_class_describe (node_class, &leat_csr_read_info);
}

static void
leat_csr_read_init (LeatCsrRead *self)
{
}
