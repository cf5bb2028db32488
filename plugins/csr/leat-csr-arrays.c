/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A graph in CSR form from .npy files, for `csr:read`: read, checked and converted.  The graph is the caller's. */

#include "leat-csr-arrays.h"

#include "leat-npy-header.h"

#include <math.h>
#include <string.h>

/* One .npy file in memory. */
typedef struct
{
  const char *path;
  LeatNpyHeader header;
  guint64 n;
  guint8 *items;
} LeatCsrArray;

static void
leat_csr_array_clear (LeatCsrArray *self)
{
  g_clear_pointer (&self->items, g_free);
  leat_npy_header_clear (&self->header);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatCsrArray, leat_csr_array_clear)

static gboolean leat_csr_array_refuse (const LeatCsrArray *self, GError **error, const char *format, ...)
  G_GNUC_PRINTF (3, 4);

static gboolean
leat_csr_array_refuse (const LeatCsrArray *self, GError **error, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "%s: %s", self->path, what);
  return FALSE;
}

static gboolean
leat_csr_array_is_real (const LeatCsrArray *self)
{
  return self->header.dtype == LEAT_DTYPE_F32 || self->header.dtype == LEAT_DTYPE_F64;
}

/* Neither a whole number nor one that C computes with. */
static gboolean
leat_csr_array_is_other (const LeatCsrArray *self)
{
  return self->header.dtype == LEAT_DTYPE_F16 || self->header.dtype > LEAT_DTYPE_F64;
}

static gboolean
leat_csr_array_check (const LeatCsrArray *self, gboolean real_too, GError **error)
{
  if (self->header.n_dims != 1)
    return leat_csr_array_refuse (self, error, "it has %u dimensions; one is expected", self->header.n_dims);
  if (leat_csr_array_is_other (self) || (!real_too && leat_csr_array_is_real (self)))
    return leat_csr_array_refuse (self, error, "it holds %s; %s are expected", leat_dtype_get_name (self->header.dtype),
                                  real_too ? "f32, f64 or integers" : "integers");
  return TRUE;
}

static gboolean
leat_csr_array_read (LeatCsrArray *self, const char *path, gboolean real_too, GError **error)
{
  g_autoptr (LeatInputFile) input = leat_input_file_open (path, error);
  gsize got;

  self->path = path;
  if (input == NULL)
    return FALSE;
  if (!leat_input_file_is_regular (input))
    return leat_csr_array_refuse (self, error, "it is not a regular file; save the array to one first");
  if (!leat_npy_header_read (&self->header, input, error) || !leat_csr_array_check (self, real_too, error))
    return FALSE;
  self->n = self->header.dims[0];
  self->items = g_try_malloc (MAX (self->header.bytes, 1));
  if (self->items == NULL)
    return leat_csr_array_refuse (self, error, "no memory for its %" G_GUINT64_FORMAT " bytes", self->header.bytes);
  if (leat_input_file_read (input, self->items, self->header.bytes, &got, TRUE, NULL, error) == LEAT_FLOW_ERROR)
    return FALSE;
  if (got < self->header.bytes)
    return leat_csr_array_refuse (self, error, "it became shorter while it was read");
  leat_npy_header_swap (&self->header, self->items, got);
  return TRUE;
}

#define LEAT_CSR_ARRAY_ITEM(type) ((const type *) (gpointer) self->items)[i]

static double
leat_csr_array_get_real (const LeatCsrArray *self, guint64 i)
{
  return self->header.dtype == LEAT_DTYPE_F32 ? (double) LEAT_CSR_ARRAY_ITEM (float) : LEAT_CSR_ARRAY_ITEM (double);
}

/* Numbers below 0 come out as very large ones; which of the two it was, leat_csr_array_is_below_0 () knows. */
static guint64
leat_csr_array_get_whole (const LeatCsrArray *self, guint64 i)
{
  switch (self->header.dtype)
    {
    case LEAT_DTYPE_U8:
      return LEAT_CSR_ARRAY_ITEM (guint8);
    case LEAT_DTYPE_I8:
      return (guint64) (gint64) LEAT_CSR_ARRAY_ITEM (gint8);
    case LEAT_DTYPE_U16:
      return LEAT_CSR_ARRAY_ITEM (guint16);
    case LEAT_DTYPE_I16:
      return (guint64) (gint64) LEAT_CSR_ARRAY_ITEM (gint16);
    case LEAT_DTYPE_U32:
      return LEAT_CSR_ARRAY_ITEM (guint32);
    case LEAT_DTYPE_I32:
      return (guint64) (gint64) LEAT_CSR_ARRAY_ITEM (gint32);
    default:
      return LEAT_CSR_ARRAY_ITEM (guint64);
    }
}

#undef LEAT_CSR_ARRAY_ITEM

static gboolean
leat_csr_array_is_below_0 (const LeatCsrArray *self, guint64 value)
{
  return self->header.dtype != LEAT_DTYPE_U64 && value > G_MAXINT64;
}

/* As it is in the file. */
static char *
leat_csr_array_dup_whole (const LeatCsrArray *self, guint64 value)
{
  return leat_csr_array_is_below_0 (self, value) ? g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) value)
                                                 : g_strdup_printf ("%" G_GUINT64_FORMAT, value);
}

static gboolean
leat_csr_array_refuse_offset (const LeatCsrArray *self, const LeatCsrGraph *graph, guint64 i, GError **error)
{
  g_autofree char *now = leat_csr_array_dup_whole (self, graph->offsets[i]);
  g_autofree char *before = i > 0 ? leat_csr_array_dup_whole (self, graph->offsets[i - 1]) : NULL;

  if (i == 0)
    return leat_csr_array_refuse (self, error, "offset 0 is %s; offsets begin with 0", now);
  return leat_csr_array_refuse (
    self, error, "offset %" G_GUINT64_FORMAT " is %s, after %s; offsets begin with 0 and never become less", i, now,
    before);
}

static gboolean
leat_csr_array_copy_offsets (const LeatCsrArray *self, LeatCsrGraph *graph, GError **error)
{
  for (guint64 i = 0; i < self->n; i++)
    {
      graph->offsets[i] = leat_csr_array_get_whole (self, i);
      if (i == 0 ? graph->offsets[0] != 0
                 : graph->offsets[i] < graph->offsets[i - 1] || leat_csr_array_is_below_0 (self, graph->offsets[i]))
        return leat_csr_array_refuse_offset (self, graph, i, error);
    }
  for (guint64 i = self->n; i <= graph->vertices; i++)
    graph->offsets[i] = graph->offsets[i - 1];
  return TRUE;
}

static gboolean
leat_csr_array_copy_indices (const LeatCsrArray *self, LeatCsrGraph *graph, GError **error)
{
  for (guint64 i = 0; i < self->n; i++)
    {
      guint64 to = leat_csr_array_get_whole (self, i);

      if (to >= graph->vertices)
        {
          g_autofree char *is = leat_csr_array_dup_whole (self, to);

          return leat_csr_array_refuse (
            self, error, "index %" G_GUINT64_FORMAT " is %s, and vertices are numbered from 0 to %" G_GUINT64_FORMAT, i,
            is, graph->vertices - 1);
        }
      graph->indices[i] = (guint32) to;
    }
  return TRUE;
}

static float
leat_csr_array_get_weight (const LeatCsrArray *self, guint64 i, LeatCsrRounding *rounding)
{
  guint64 whole;
  double real;

  if (leat_csr_array_is_real (self))
    {
      real = leat_csr_array_get_real (self, i);
      leat_csr_rounding_add_real (rounding, real);
      return (float) real;
    }
  whole = leat_csr_array_get_whole (self, i);
  if (self->header.dtype == LEAT_DTYPE_U64)
    {
      leat_csr_rounding_add_unsigned (rounding, whole);
      return (float) whole;
    }
  leat_csr_rounding_add_signed (rounding, (gint64) whole);
  return (float) (gint64) whole;
}

static gboolean
leat_csr_array_copy_weights (const LeatCsrArray *self, LeatCsrGraph *graph, LeatCsrRounding *rounding, GError **error)
{
  for (guint64 i = 0; i < self->n; i++)
    {
      graph->weights[i] = leat_csr_array_get_weight (self, i, rounding);
      if (!isfinite (graph->weights[i]))
        return leat_csr_array_refuse (self, error, "weight %" G_GUINT64_FORMAT " is no finite f32", i);
    }
  return TRUE;
}

static gboolean
leat_csr_arrays_check_sizes (const LeatCsrArray *offsets, const LeatCsrArray *indices, const LeatCsrArray *weights,
                             GError **error)
{
  guint64 promised;

  if (offsets->n - 1 > LEAT_CSR_MOST_VERTICES) /* none is too many of them, too */
    return leat_csr_array_refuse (offsets, error,
                                  "it has %" G_GUINT64_FORMAT
                                  " offsets; a graph has one more offset than vertices, and at most 2^31 vertices",
                                  offsets->n);
  promised = leat_csr_array_get_whole (offsets, offsets->n - 1);
  if (promised != indices->n)
    {
      g_autofree char *last = leat_csr_array_dup_whole (offsets, promised);

      return leat_csr_array_refuse (indices, error,
                                    "it has %" G_GUINT64_FORMAT " indices, and the last offset in %s is %s", indices->n,
                                    offsets->path, last);
    }
  if (weights->path != NULL && weights->n != indices->n)
    return leat_csr_array_refuse (
      weights, error, "it has %" G_GUINT64_FORMAT " weights for %" G_GUINT64_FORMAT " indices", weights->n, indices->n);
  return TRUE;
}

LeatCsrGraph *
leat_csr_arrays_read (const char *offsets_path, const char *indices_path, const char *weights_path, guint64 vertices,
                      LeatCsrRounding *rounding, GError **error)
{
  g_auto (LeatCsrArray) offsets = { 0 }, indices = { 0 }, weights = { 0 };
  g_autoptr (LeatCsrGraph) graph = NULL;

  if (!leat_csr_array_read (&offsets, offsets_path, FALSE, error)
      || !leat_csr_array_read (&indices, indices_path, FALSE, error)
      || (weights_path != NULL && !leat_csr_array_read (&weights, weights_path, TRUE, error))
      || !leat_csr_arrays_check_sizes (&offsets, &indices, &weights, error))
    return NULL;
  graph = leat_csr_graph_new (MAX (offsets.n - 1, vertices), indices.n, weights_path != NULL, error);
  if (graph == NULL || !leat_csr_array_copy_offsets (&offsets, graph, error)
      || !leat_csr_array_copy_indices (&indices, graph, error)
      || (weights_path != NULL && !leat_csr_array_copy_weights (&weights, graph, rounding, error)))
    return NULL;
  return g_steal_pointer (&graph);
}
