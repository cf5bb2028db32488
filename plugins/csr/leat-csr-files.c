/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The files of `csr:read`: their format is found, and their edges become rows, arranged as the properties ask.  Touches
 * no node: the graph is the caller's. */

#include "leat-csr-files.h"

#include "leat-csr-arrays.h"
#include "leat-csr-load.h"
#include "leat-csr-packages.h"
#include "leat-csr-text.h"

#include <string.h>

#define LEAT_CSR_FILES_SPARSE   64        /* vertices for each edge that are too many to be meant */
#define LEAT_CSR_FILES_HARMLESS (1 << 24) /* as many vertices are no harm in any case */

/* A text in memory, and what is found out about it. */
typedef struct
{
  const char *text;
  gsize size;
  gboolean symmetric; /* each pair of opposite edges is there once */
  guint32 source;
} LeatCsrFileText;

void
leat_csr_files_clear (LeatCsrFiles *self)
{
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->offsets, g_free);
  g_clear_pointer (&self->indices, g_free);
  g_clear_pointer (&self->weights, g_free);
}

static gboolean
leat_csr_files_begins (const LeatCsrFileText *text, const char *with)
{
  return text->size >= strlen (with) && g_ascii_strncasecmp (text->text, with, strlen (with)) == 0;
}

static LeatCsrFormat
leat_csr_files_find_format (const LeatCsrFiles *self, const LeatCsrFileText *text)
{
  if (self->format != LEAT_CSR_FORMAT_AUTO)
    return self->format;
  if (self->from != NULL || leat_csr_files_begins (text, "Package:"))
    return LEAT_CSR_FORMAT_PACKAGES;
  return leat_csr_text_find_banner (text->text, text->size) ? LEAT_CSR_FORMAT_MATRIX : LEAT_CSR_FORMAT_EDGES;
}

/* A number that was written by mistake would take all memory there is. */
static gboolean
leat_csr_files_check_vertices (const LeatCsrFiles *self, const LeatCsrEdges *edges, GError **error)
{
  if (edges->vertices <= LEAT_CSR_FILES_HARMLESS || edges->vertices <= self->vertices
      || edges->vertices / LEAT_CSR_FILES_SPARSE <= edges->from->len)
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
               "%s: %" G_GUINT64_FORMAT " vertices for %u edges; if that is meant, say vertices=%" G_GUINT64_FORMAT,
               self->path, edges->vertices, edges->from->len, edges->vertices);
  return FALSE;
}

static gboolean
leat_csr_files_read_packages (const LeatCsrFiles *self, LeatCsrFileText *text, LeatCsrEdges *edges, GError **error)
{
  g_auto (LeatCsrPackages) packages = { 0 };

  return leat_csr_packages_read (&packages, edges, self->path, text->text, text->size, error)
         && (self->from == NULL || leat_csr_packages_find (&packages, self->from, &text->source, error));
}

static void
leat_csr_files_refuse_kind (const LeatCsrFiles *self, const LeatFileKind *kind, GError **error)
{
  g_autofree char *advice = leat_file_kind_dup_advice (kind, self->path);

  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "%s: it is %s, and no text with edges%s", self->path,
               kind->name, advice);
}

/* Refuses files that read as lines of edges, and are something else. */
static gboolean
leat_csr_files_check_edges (const LeatCsrFiles *self, const LeatCsrFileText *text, GError **error)
{
  const char *what = NULL;

  const LeatFileKind *kind = leat_file_kind_find (text->text, text->size);

  if (leat_csr_files_begins (text, "\x93NUMPY"))
    what = "it is an .npy file; give rows in such files with offsets-path= and indices-path=";
  else if (leat_csr_files_begins (text, "%%MatrixMarket"))
    what = "it is a Matrix Market file, whose line of sizes would be taken for an edge; leave format=edges out";
  if (what != NULL)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "%s: %s", self->path, what);
  else if (kind != NULL)
    leat_csr_files_refuse_kind (self, kind, error);
  return what == NULL && kind == NULL;
}

static gboolean
leat_csr_files_read_edges (const LeatCsrFiles *self, LeatCsrFileText *text, LeatCsrEdges *edges, GError **error)
{
  switch (leat_csr_files_find_format (self, text))
    {
    case LEAT_CSR_FORMAT_PACKAGES:
      return leat_csr_files_read_packages (self, text, edges, error);
    case LEAT_CSR_FORMAT_MATRIX:
      return leat_csr_text_read_matrix (edges, self->path, text->text, text->size, &text->symmetric, error);
    default:
      return leat_csr_files_check_edges (self, text, error)
             && leat_csr_text_read_edges (edges, self->path, text->text, text->size, error);
    }
}

static LeatCsrGraph *
leat_csr_files_read_text (const LeatCsrFiles *self, gboolean *symmetric, guint32 *source, LeatCsrRounding *rounding,
                          GError **error)
{
  g_autoptr (GBytes) file = leat_csr_load (self->path, error);
  g_auto (LeatCsrEdges) edges = { 0 };
  LeatCsrFileText text = { 0 };

  if (file == NULL)
    return NULL;
  text.text = g_bytes_get_data (file, &text.size);
  text.text = text.text != NULL ? text.text : "";
  if (text.size >= 3 && memcmp (text.text, "\xef\xbb\xbf", 3) == 0) /* as some editors begin UTF-8 */
    text.text += 3, text.size -= 3;
  leat_csr_edges_init (&edges);
  if (!leat_csr_files_read_edges (self, &text, &edges, error) || !leat_csr_files_check_vertices (self, &edges, error))
    return NULL;
  *symmetric = text.symmetric;
  *source = text.source;
  *rounding = edges.rounding;
  edges.vertices = MAX (edges.vertices, self->vertices);
  return leat_csr_graph_new_from_edges (&edges, error);
}

/* Turning a graph around twice sorts its rows, turning it around once too. */
static LeatCsrGraph *
leat_csr_files_arrange (const LeatCsrFiles *self, LeatCsrGraph *graph, gboolean symmetric, GError **error)
{
  g_autoptr (LeatCsrGraph) raw = graph, back = NULL;

  if (self->direction == LEAT_CSR_REVERSED && !symmetric)
    return leat_csr_graph_transpose (raw, error);
  if (self->direction == LEAT_CSR_UNDIRECTED || symmetric)
    {
      LeatCsrGraph *both = leat_csr_graph_symmetrize (raw, error);

      leat_csr_graph_free (g_steal_pointer (&raw));
      if (both == NULL)
        return NULL;
      raw = both;
    }
  if (leat_csr_graph_is_sorted (raw))
    return g_steal_pointer (&raw);
  back = leat_csr_graph_transpose (raw, error);
  return back != NULL ? leat_csr_graph_transpose (back, error) : NULL;
}

LeatCsrGraph *
leat_csr_files_read (const LeatCsrFiles *self, guint32 *source, LeatCsrRounding *rounding, GError **error)
{
  gboolean symmetric = FALSE;
  LeatCsrGraph *graph;

  *source = 0;
  *rounding = (LeatCsrRounding){ 0 };
  graph = self->path != NULL
            ? leat_csr_files_read_text (self, &symmetric, source, rounding, error)
            : leat_csr_arrays_read (self->offsets, self->indices, self->weights, self->vertices, rounding, error);
  if (graph != NULL)
    graph = leat_csr_files_arrange (self, graph, symmetric, error);
  if (graph != NULL && self->dedup)
    leat_csr_graph_remove_doubles (graph);
  return graph;
}
