/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, its property, and the lines that it prints. */

#include "leat-csr-names.h"

#include "leat-csr-load.h"
#include "leat-csr-packages.h"

#include <string.h>

/**
 * LeatCsrNames:
 *
 * Prints the packages that a search has reached, the node `csr:names`: numbers become names again.
 */
struct _LeatCsrNames
{
  LeatEndpoint parent_instance;

  char *packages_path;

  LeatCsrPackages packages;
  LeatOutputFile *output;
};

G_DEFINE_FINAL_TYPE (LeatCsrNames, leat_csr_names, LEAT_TYPE_ENDPOINT)

static const LeatProp props[] = {
  { sizeof (LeatProp), "packages", LEAT_PROP_PATH, LEAT_PROP_REQUIRED, offsetof (LeatCsrNames, packages_path),
    .blurb = "File from which csr:read read the graph" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_HOST, "u32[*]", "Levels from csr:bfs" },
};

const LeatNodeInfo leat_csr_names_info = {
  sizeof (LeatNodeInfo),
  "csr:names",
  NULL,
  "Prints the names of packages that a search reached, with their levels",
  "Prints a line \"LEVEL NAME\" for each package, ordered by level and then by name.  "
  "Angle brackets mark names that other packages only provide.\n\nExample: readback + "
  "csr:names packages=/var/lib/dpkg/status",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_csr_names_get_type,
};

typedef struct
{
  guint32 level;
  const char *name;
} LeatCsrLine;

static int
leat_csr_line_compare (gconstpointer a, gconstpointer b)
{
  const LeatCsrLine *one = a, *other = b;

  if (one->level != other->level)
    return one->level < other->level ? -1 : 1;
  return g_strcmp0 (one->name, other->name);
}

static gboolean
leat_csr_names_load (LeatCsrNames *self, GError **error)
{
  g_autofree char *path = leat_node_dup_path (LEAT_NODE (self), "packages");
  g_autoptr (GBytes) file = leat_csr_load (path, error);
  g_auto (LeatCsrEdges) edges = { 0 };

  if (file == NULL)
    return FALSE;
  leat_csr_edges_init (&edges);
  return leat_csr_packages_read (&self->packages, &edges, path, g_bytes_get_data (file, NULL), g_bytes_get_size (file),
                                 error);
}

static gboolean
leat_csr_names_start (LeatEndpoint *endpoint, GError **error)
{
  LeatCsrNames *self = LEAT_CSR_NAMES (endpoint);

  leat_csr_packages_clear (&self->packages);
  if (!leat_csr_names_load (self, error))
    return FALSE;
  self->output = leat_output_file_open ("-", error);
  return self->output != NULL;
}

static gboolean
leat_csr_names_drain (LeatEndpoint *endpoint, const LeatView *view, GCancellable *cancellable, GError **error)
{
  LeatCsrNames *self = LEAT_CSR_NAMES (endpoint);
  guint64 n = leat_view_get_bytes (view) / sizeof (guint32);
  g_autoptr (GArray) lines = g_array_new (FALSE, FALSE, sizeof (LeatCsrLine));
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *plain = NULL;
  const char *shown;
  const guint32 *levels = view->data;

  if (n != self->packages.names->len)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                   "%" G_GUINT64_FORMAT " levels for %u packages in \"%s\": it is not the file that the graph is from, "
                   "or has changed",
                   n, self->packages.names->len, self->packages_path);
      return FALSE;
    }
  for (guint32 v = 0; v < n; v++)
    if (levels[v] != G_MAXUINT32)
      {
        LeatCsrLine line = { levels[v], self->packages.names->pdata[v] };

        g_array_append_val (lines, line);
      }
  g_array_sort (lines, leat_csr_line_compare);
  for (guint i = 0; i < lines->len; i++)
    g_string_append_printf (text, "%u %s\n", g_array_index (lines, LeatCsrLine, i).level,
                            g_array_index (lines, LeatCsrLine, i).name);
  plain = leat_output_file_is_terminal (self->output) ? leat_plain_dup (text->str) : NULL;
  shown = plain != NULL ? plain : text->str;
  return leat_output_file_write (self->output, shown, strlen (shown), cancellable, error);
}

static gboolean
leat_csr_names_finish (LeatEndpoint *endpoint, GError **error)
{
  LeatCsrNames *self = LEAT_CSR_NAMES (endpoint);

  return self->output == NULL || leat_output_file_commit (self->output, error);
}

static void
leat_csr_names_stop (LeatEndpoint *endpoint)
{
  LeatCsrNames *self = LEAT_CSR_NAMES (endpoint);

  g_clear_pointer (&self->output, leat_output_file_free);
}

static void
leat_csr_names_unblock (LeatEndpoint *endpoint)
{
  LeatCsrNames *self = LEAT_CSR_NAMES (endpoint);

  if (self->output != NULL)
    leat_output_file_wake (self->output);
}

static void
leat_csr_names_finalize (GObject *object)
{
  leat_csr_names_stop (LEAT_ENDPOINT (object));
  leat_csr_packages_clear (&LEAT_CSR_NAMES (object)->packages);
  G_OBJECT_CLASS (leat_csr_names_parent_class)->finalize (object);
}

static void
leat_csr_names_class_init (LeatCsrNamesClass *klass)
{
  LeatEndpointClass *endpoint_class = LEAT_ENDPOINT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_csr_names_finalize;
  endpoint_class->start = leat_csr_names_start;
  endpoint_class->drain = leat_csr_names_drain;
  endpoint_class->finish = leat_csr_names_finish;
  endpoint_class->stop = leat_csr_names_stop;
  endpoint_class->unblock = leat_csr_names_unblock;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_csr_names_info);
}

static void
leat_csr_names_init (LeatCsrNames *self)
{
}
