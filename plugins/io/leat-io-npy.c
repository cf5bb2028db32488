/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, its properties, and its array in both directions. */

#include "leat-io-npy.h"

#include "leat-file-role.h"
#include "leat-npy-header.h"

/**
 * LeatIoNpy:
 *
 * An array from or to an `.npy` file, NumPy's own format.
 *
 * The type and the shape come from the file, or go into it.  As a source it gives the array whole, in one run, or some
 * rows a run; as a sink it appends the rows of every run and states the shape when the stream has ended.
 */
struct _LeatIoNpy
{
  LeatEndpoint parent_instance;

  char *path;
  guint64 rows;
  guint64 readers;
  guint64 run;
  int type;

  LeatInputFile *input;
  LeatNpyHeader header;
  guint64 rows_left;
  guint64 rows_ahead; /* of these, that were begun */

  LeatOutputFile *output;
  guint64 runs_seen;
  guint64 runs; /* of these, that were written */
  guint64 rows_written;
};

G_DEFINE_FINAL_TYPE (LeatIoNpy, leat_io_npy, LEAT_TYPE_ENDPOINT)

static const char *const leat_io_npy_types[] = { "file", "bf16", "f8e4m3", "f8e5m2", "f16", "bool", NULL };

static LeatInputFile *
leat_io_npy_open (LeatIoNpy *self, LeatNpyHeader *header, GError **error)
{
  g_autofree char *path = leat_file_role_dup_path (LEAT_NODE (self), self->path);
  LeatDtype type = self->type > 0 ? leat_dtype_from_name (leat_io_npy_types[self->type]) : LEAT_DTYPE_ANY;
  g_autoptr (LeatInputFile) input = NULL;

  if (g_str_equal (path, "-"))
    {
      g_set_error_literal (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
                           "cannot read standard input as .npy: its header is needed before the run; save the array "
                           "to a file first");
      return NULL;
    }
  if (!leat_input_file_check (path, error))
    return NULL;
  input = leat_input_file_open (path, error);
  if (input == NULL || !leat_npy_header_read_as (header, type, input, error))
    return NULL;
  return g_steal_pointer (&input);
}

static LeatSpec *
leat_io_npy_new_spec (LeatIoNpy *self, const LeatNpyHeader *header, GError **error)
{
  LeatSpec *spec = leat_npy_header_new_spec (header, self->rows, error);

  if (spec == NULL)
    g_prefix_error (error, "cannot read \"%s\": ", self->path);
  return spec;
}

static gboolean
leat_io_npy_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatIoNpy *self = LEAT_IO_NPY (node);
  g_autoptr (LeatInputFile) input = NULL;
  g_autoptr (LeatSpec) spec = NULL;
  g_auto (LeatNpyHeader) header = { 0 };

  if (!leat_endpoint_is_source (LEAT_ENDPOINT (self)))
    return TRUE;
  input = leat_io_npy_open (self, &header, error);
  spec = input != NULL ? leat_io_npy_new_spec (self, &header, error) : NULL;
  return spec != NULL && leat_negotiation_set_output (negotiation, "out", spec, error);
}

/* The file may have changed since the plan was made. */
static gboolean
leat_io_npy_start_source (LeatIoNpy *self, GError **error)
{
  LeatSpec *planned = leat_file_role_get_spec (LEAT_NODE (self));
  g_autoptr (LeatSpec) spec = NULL;

  leat_npy_header_clear (&self->header);
  self->input = leat_io_npy_open (self, &self->header, error);
  spec = self->input != NULL ? leat_io_npy_new_spec (self, &self->header, error) : NULL;
  if (spec == NULL)
    return FALSE;
  if (!leat_spec_equal (spec, planned))
    {
      g_autofree char *was = leat_spec_to_string (planned, LEAT_SPEC_STYLE_FILE);
      g_autofree char *is = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                   "\"%s\" holds %s now, and held %s when the pipeline was planned", self->path, is, was);
      return FALSE;
    }
  leat_input_file_set_readers (self->input, (guint) self->readers);
  self->rows_left = self->header.n_dims > 0 ? self->header.dims[0] : 1;
  self->rows_ahead = 0;
  return TRUE;
}

static gboolean
leat_io_npy_check_output (LeatEndpoint *endpoint, GError **error)
{
  g_autofree char *path = leat_file_role_dup_path (LEAT_NODE (endpoint), LEAT_IO_NPY (endpoint)->path);

  return leat_endpoint_is_source (endpoint) || leat_output_file_check (path, error);
}

static gboolean
leat_io_npy_start (LeatEndpoint *endpoint, GError **error)
{
  LeatIoNpy *self = LEAT_IO_NPY (endpoint);
  g_autofree char *path = NULL;

  if (leat_endpoint_is_source (endpoint))
    return leat_io_npy_start_source (self, error);
  self->runs_seen = self->runs = self->rows_written = 0;
  path = leat_file_role_dup_path (LEAT_NODE (self), self->path);
  self->output = leat_output_file_open (path, error);
  return self->output != NULL;
}

/* Of the run behind @ahead rows that were begun. */
static guint64
leat_io_npy_get_rows (LeatIoNpy *self, const LeatView *view, guint64 ahead)
{
  return MIN (self->rows_left - ahead, leat_spec_get_bytes (view->spec) / leat_spec_get_row_bytes (view->spec));
}

static LeatFlow
leat_io_npy_give (LeatIoNpy *self, LeatView *view, gsize got, GError **error)
{
  guint64 row = leat_spec_get_row_bytes (view->spec);
  guint64 rows = leat_io_npy_get_rows (self, view, 0);

  if (got < rows * row)
    {
      if (leat_input_file_check_size (self->input, error))
        g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                     "\"%s\" became shorter while it was read: %" G_GUINT64_FORMAT " rows are missing",
                     leat_input_file_get_path (self->input), self->rows_left - got / row);
      else
        g_prefix_error (error, "%" G_GUINT64_FORMAT " rows are missing: ", self->rows_left - got / row);
      return LEAT_FLOW_ERROR;
    }
  leat_npy_header_swap (&self->header, view->data, got);
  self->rows_left -= rows;
  view->count = rows;
  return LEAT_FLOW_DATA;
}

static LeatFlow
leat_io_npy_fill (LeatEndpoint *endpoint, LeatView *view, gboolean wait, GCancellable *cancellable, GError **error)
{
  LeatIoNpy *self = LEAT_IO_NPY (endpoint);
  gsize size = leat_io_npy_get_rows (self, view, 0) * leat_spec_get_row_bytes (view->spec), got;

  if (self->rows_left == 0)
    return leat_input_file_check_size (self->input, error) ? LEAT_FLOW_END : LEAT_FLOW_ERROR;
  if (leat_input_file_read (self->input, view->data, size, &got, TRUE, cancellable, error) == LEAT_FLOW_ERROR)
    return LEAT_FLOW_ERROR;
  return leat_io_npy_give (self, view, got, error);
}

static gboolean
leat_io_npy_begin (LeatEndpoint *endpoint, LeatView *view)
{
  LeatIoNpy *self = LEAT_IO_NPY (endpoint);
  guint64 rows = leat_io_npy_get_rows (self, view, self->rows_ahead);

  if (!leat_input_file_begin (self->input, view->data, rows * leat_spec_get_row_bytes (view->spec)))
    return FALSE;
  self->rows_ahead += rows;
  return TRUE;
}

static LeatFlow
leat_io_npy_complete (LeatEndpoint *endpoint, LeatView *view, GError **error)
{
  LeatIoNpy *self = LEAT_IO_NPY (endpoint);
  guint64 rows = leat_io_npy_get_rows (self, view, 0);
  gsize size = rows * leat_spec_get_row_bytes (view->spec), got;

  self->rows_ahead -= rows;
  if (!leat_input_file_complete (self->input, view->data, size, &got, error))
    return LEAT_FLOW_ERROR;
  return leat_io_npy_give (self, view, got, error);
}

/* One run of a spec that is not bounded is that array; several are one array, joined along the first dimension. */
static GBytes *
leat_io_npy_format_header (LeatIoNpy *self, LeatSpec *spec)
{
  guint n_dims = leat_spec_get_n_dims (spec);
  guint64 dims[LEAT_SPEC_MAX_DIMS] = { 0 };
  g_autoptr (LeatSpec) array = NULL;

  for (guint i = 0; i < n_dims; i++)
    dims[i] = leat_spec_get_dim (spec, i);
  dims[0] = self->rows_written;
  if (n_dims == 0 && self->runs != 1)
    n_dims = 1;
  array = leat_spec_new_with_shape (spec, dims, n_dims, FALSE);
  return leat_npy_header_format (array);
}

/* Where nothing can be written over, the shape must be known with the first run, which is then the only one. */
static gboolean
leat_io_npy_write_header (LeatIoNpy *self, LeatSpec *spec, GError **error)
{
  g_autoptr (GBytes) header = NULL;

  if (!leat_output_file_is_seekable (self->output) && (leat_spec_is_bounded (spec) || self->runs > 1))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
                   "cannot write a growing array to %s: the shape stands in front and is known last; write to a file",
                   leat_output_file_get_path (self->output));
      return FALSE;
    }
  if (self->runs > 1)
    return TRUE;
  header = leat_io_npy_format_header (self, spec);
  return leat_output_file_write (self->output, g_bytes_get_data (header, NULL), g_bytes_get_size (header), NULL, error);
}

static gboolean
leat_io_npy_drain (LeatEndpoint *endpoint, const LeatView *view, GCancellable *cancellable, GError **error)
{
  LeatIoNpy *self = LEAT_IO_NPY (endpoint);
  guint64 bytes = leat_view_get_bytes (view);

  self->runs_seen++;
  if (self->run > 0 && self->run != self->runs_seen)
    return TRUE;
  self->runs++;
  self->rows_written += bytes / leat_spec_get_row_bytes (view->spec);
  return leat_io_npy_write_header (self, view->spec, error)
         && leat_output_file_write (self->output, view->data, bytes, cancellable, error);
}

static gboolean
leat_io_npy_finish (LeatEndpoint *endpoint, GError **error)
{
  LeatIoNpy *self = LEAT_IO_NPY (endpoint);
  g_autoptr (GBytes) header = NULL;
  gconstpointer data;
  gsize size;

  if (self->output == NULL)
    return TRUE;
  if (self->run > self->runs_seen)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                   "run %" G_GUINT64_FORMAT " never came, only %" G_GUINT64_FORMAT " did: name one of these", self->run,
                   self->runs_seen);
      return FALSE;
    }
  header = leat_io_npy_format_header (self, leat_file_role_get_spec (LEAT_NODE (self)));
  data = g_bytes_get_data (header, &size);
  if (self->runs == 0 && !leat_output_file_write (self->output, data, size, NULL, error))
    return FALSE;
  if (leat_output_file_is_seekable (self->output) && !leat_output_file_write_at (self->output, 0, data, size, error))
    return FALSE;
  return leat_output_file_commit (self->output, error);
}

static void
leat_io_npy_stop (LeatEndpoint *endpoint)
{
  LeatIoNpy *self = LEAT_IO_NPY (endpoint);

  g_clear_pointer (&self->input, leat_input_file_free);
  g_clear_pointer (&self->output, leat_output_file_free);
  leat_npy_header_clear (&self->header);
}

static void
leat_io_npy_unblock (LeatEndpoint *endpoint)
{
  LeatIoNpy *self = LEAT_IO_NPY (endpoint);

  if (self->output != NULL)
    leat_output_file_wake (self->output);
}

static guint64
leat_io_npy_get_total (LeatEndpoint *endpoint)
{
  LeatIoNpy *self = LEAT_IO_NPY (endpoint);

  return self->input != NULL ? self->header.bytes : 0;
}

static const LeatProp leat_io_npy_props[] = {
  { sizeof (LeatProp), "path", LEAT_PROP_PATH, LEAT_PROP_REQUIRED, offsetof (LeatIoNpy, path),
    .blurb = "The .npy file; -: standard output.  A sink takes no pipe" },
  { sizeof (LeatProp), "rows", LEAT_PROP_UINT, 0, offsetof (LeatIoNpy, rows), .def.u = 0,
    .blurb = "Most rows that one run reads; 0: the whole array in one run" },
  { sizeof (LeatProp), "readers", LEAT_PROP_UINT, 0, offsetof (LeatIoNpy, readers), .def.u = 0, .max.u = 16,
    .blurb = "Threads that read parts of a run of 512 KiB or more; 0: as for io:file" },
  { sizeof (LeatProp), "run", LEAT_PROP_UINT, 0, offsetof (LeatIoNpy, run), .def.u = 0,
    .blurb = "The only run that a sink writes, from 1 on; 0: all runs, one behind the other" },
  { sizeof (LeatProp), "type", LEAT_PROP_CHOICE, 0, offsetof (LeatIoNpy, type), .choices = leat_io_npy_types,
    .blurb = "Type of the items that are read; file: as the file says.  Any other is for arrays of V1, u8 or u16, "
             "which hold the bits of such items" },
};

static const LeatPortInfo leat_io_npy_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL | LEAT_PORT_HOST, "any",
    "Array to write; linked when the node is a sink" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL | LEAT_PORT_HOST, "any",
    "Array that was read; linked when the node is a source" },
};

const LeatNodeInfo leat_io_npy_info = {
  sizeof (LeatNodeInfo),
  "io:npy",
  NULL,
  "Reads or writes an array as an .npy file",
  "With out linked, the node reads an array that NumPy's save () wrote.  The file "
  "gives the spec, such as f32[480,640], or {x:f32,y:f32}[9] of an array with fields.  With rows=1000 the array comes "
  "in pieces, "
  "f32[<=1000,640], so that it may be larger than memory.  Items "
  "in the other byte order are converted.  The whole header is checked before any item "
  "is read.\n\nWith in linked, the node writes one array.  Data of several runs is "
  "joined along the first dimension.  The file appears under its name when the stream "
  "has ended well.\n\nExample: io:npy path=in.npy + upload + map expr=2*x+1 + readback "
  "+ io:npy path=out.npy",
  leat_io_npy_props,
  G_N_ELEMENTS (leat_io_npy_props),
  leat_io_npy_ports,
  G_N_ELEMENTS (leat_io_npy_ports),
  leat_io_npy_get_type,
};

static void
leat_io_npy_class_init (LeatIoNpyClass *klass)
{
  LeatEndpointClass *endpoint_class = LEAT_ENDPOINT_CLASS (klass);

  LEAT_NODE_CLASS (klass)->negotiate = leat_io_npy_negotiate;
  endpoint_class->check = leat_io_npy_check_output;
  endpoint_class->start = leat_io_npy_start;
  endpoint_class->fill = leat_io_npy_fill;
  endpoint_class->begin = leat_io_npy_begin;
  endpoint_class->complete = leat_io_npy_complete;
  endpoint_class->drain = leat_io_npy_drain;
  endpoint_class->finish = leat_io_npy_finish;
  endpoint_class->stop = leat_io_npy_stop;
  endpoint_class->unblock = leat_io_npy_unblock;
  endpoint_class->get_total = leat_io_npy_get_total;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_io_npy_info);
}

static void
leat_io_npy_init (LeatIoNpy *self)
{
}
