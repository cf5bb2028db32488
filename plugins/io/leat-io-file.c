/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, its properties, and its bytes in both directions. */

#include "leat-io-file.h"

#include "leat-file-role.h"
#include "leat-input-file.h"

#include <string.h>

/**
 * LeatIoFile:
 *
 * Raw bytes from or to a file, a pipe, standard input or standard output.
 *
 * As a source it gives the file in chunks, the last one shorter; as a sink it writes the live bytes of every run one
 * after the other, into a file that gets its name when all is well.  One object is one of the two, by which port is
 * linked.  Data goes between the file and the session's own memory, with no buffer in between.
 */
struct _LeatIoFile
{
  LeatEndpoint parent_instance;

  char *path;
  guint64 chunk;
  guint64 readers;

  LeatInputFile *input;
  LeatOutputFile *output;
  guint64 unit; /* bytes that cannot be taken apart: a row, or the item where every run has the same */
  /* Bytes from a pipe beyond the last whole row, kept until the rest of the row comes. */
  guint8 *carry;
  gsize carried;
  guint64 given; /* bytes that were read so far */
};

G_DEFINE_FINAL_TYPE (LeatIoFile, leat_io_file, LEAT_TYPE_ENDPOINT)

static gboolean
leat_io_file_check (LeatIoFile *self, GError **error)
{
  g_autofree char *path = leat_file_role_dup_path (LEAT_NODE (self), self->path);

  return leat_input_file_check (path, error);
}

static guint64
leat_io_file_measure (LeatIoFile *self)
{
  g_autofree char *path = leat_file_role_dup_path (LEAT_NODE (self), self->path);
  g_autoptr (LeatInputFile) input = leat_input_file_open (path, NULL);

  return input != NULL ? leat_input_file_get_size (input) : 0;
}

/* Chunks of bytes, or what the link asks for: rows of its shape, as many as a chunk holds; the whole file where the
 * number of rows has a name (`out=f32[n,4]`).  NULL when
 * that leaves something open. */
static LeatSpec *
leat_io_file_choose_spec (LeatIoFile *self, LeatSpec *allowed)
{
  guint n_dims = leat_spec_has_shape (allowed) ? leat_spec_get_n_dims (allowed) : 1;
  gboolean whole = leat_spec_has_shape (allowed) && n_dims > 0 && leat_spec_get_dim_name (allowed, 0) != NULL
                   && !leat_spec_is_bounded (allowed);
  guint64 dims[LEAT_SPEC_MAX_DIMS] = { 0 };
  g_autoptr (LeatSpec) byte = leat_spec_new (LEAT_DTYPE_U8, NULL, 0, FALSE);
  LeatSpec *items = leat_spec_get_dtype (allowed) != LEAT_DTYPE_ANY ? allowed : byte;
  guint64 row = leat_spec_get_item_bytes (items);

  for (guint i = 1; i < n_dims; i++)
    {
      dims[i] = leat_spec_get_dim (allowed, i);
      if (dims[i] == 0 || !g_uint64_checked_mul (&row, row, dims[i]))
        return NULL;
    }
  if (n_dims == 0)
    return leat_spec_new_with_shape (items, dims, 0, FALSE);
  if (leat_spec_has_shape (allowed))
    dims[0] = leat_spec_get_dim (allowed, 0);
  if (dims[0] == 0)
    dims[0] = MAX ((whole ? leat_io_file_measure (self) : self->chunk) / row, 1);
  else
    whole = !leat_spec_is_bounded (allowed);
  return leat_spec_new_with_shape (items, dims, n_dims, !whole);
}

static gboolean
leat_io_file_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatIoFile *self = LEAT_IO_FILE (node);
  g_autoptr (LeatSpec) allowed = NULL;
  g_autoptr (LeatSpec) spec = NULL;

  if (!leat_endpoint_is_source (LEAT_ENDPOINT (self)))
    return TRUE;
  if (!leat_io_file_check (self, error))
    return FALSE;
  allowed = leat_negotiation_get_allowed (negotiation, "out");
  spec = leat_io_file_choose_spec (self, allowed);
  /* Without a spec, the caller reports what is still open. */
  return spec == NULL || leat_negotiation_set_output (negotiation, "out", spec, error);
}

static gboolean
leat_io_file_refuse_rest (LeatIoFile *self, guint64 rest, GError **error)
{
  g_autofree char *spec = leat_spec_to_string (leat_file_role_get_spec (LEAT_NODE (self)), LEAT_SPEC_STYLE_FILE);

  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
               "\"%s\" does not end with a whole piece of %s: the last one has %" G_GUINT64_FORMAT " bytes of "
               "%" G_GUINT64_FORMAT,
               leat_input_file_get_path (self->input), spec, rest, self->unit);
  return FALSE;
}

static gboolean
leat_io_file_start_source (LeatIoFile *self, const char *path, GError **error)
{
  LeatSpec *spec = leat_file_role_get_spec (LEAT_NODE (self));
  guint64 rest;

  self->given = 0;
  self->unit = leat_spec_is_bounded (spec) ? leat_spec_get_row_bytes (spec) : leat_spec_get_bytes (spec);
  self->input = leat_input_file_open (path, error);
  if (self->input == NULL)
    return FALSE;
  leat_input_file_set_readers (self->input, (guint) self->readers);
  if (!leat_input_file_is_regular (self->input))
    self->carry = g_malloc (self->unit);
  rest = leat_input_file_get_size (self->input) % self->unit;
  return rest == 0 || leat_io_file_refuse_rest (self, rest, error);
}

static gboolean
leat_io_file_check_output (LeatEndpoint *endpoint, GError **error)
{
  g_autofree char *path = leat_file_role_dup_path (LEAT_NODE (endpoint), LEAT_IO_FILE (endpoint)->path);

  return leat_endpoint_is_source (endpoint) || leat_output_file_check (path, error);
}

static gboolean
leat_io_file_start (LeatEndpoint *endpoint, GError **error)
{
  LeatIoFile *self = LEAT_IO_FILE (endpoint);
  g_autofree char *path = leat_file_role_dup_path (LEAT_NODE (self), self->path);

  if (leat_endpoint_is_source (endpoint))
    return leat_io_file_start_source (self, path, error);
  self->output = leat_output_file_open (path, error);
  return self->output != NULL;
}

/* Keeps back what is not a whole unit, and says how much of @got is. */
static gsize
leat_io_file_keep_rest (LeatIoFile *self, const guint8 *data, gsize got)
{
  gsize rest = got % self->unit;

  if (rest > 0)
    memcpy (self->carry, data + got - rest, rest);
  self->carried = rest;
  return got - rest;
}

static LeatFlow
leat_io_file_give (LeatIoFile *self, LeatView *view, gsize got, GError **error)
{
  /* All bytes that were known to be there were read; where a file ends elsewhere, somebody writes to it. */
  self->given += got - self->carried;
  if ((leat_input_file_is_at_end (self->input) || self->given > leat_input_file_get_size (self->input))
      && !leat_input_file_check_size (self->input, error))
    return LEAT_FLOW_ERROR;
  if (leat_input_file_is_at_end (self->input) && got % self->unit != 0)
    {
      leat_io_file_refuse_rest (self, got % self->unit, error);
      return LEAT_FLOW_ERROR;
    }
  got = leat_io_file_keep_rest (self, view->data, got);
  if (got == 0)
    return leat_input_file_is_at_end (self->input) ? LEAT_FLOW_END : LEAT_FLOW_EMPTY;
  view->count = got / leat_spec_get_row_bytes (view->spec);
  return LEAT_FLOW_DATA;
}

static LeatFlow
leat_io_file_fill (LeatEndpoint *endpoint, LeatView *view, gboolean wait, GCancellable *cancellable, GError **error)
{
  LeatIoFile *self = LEAT_IO_FILE (endpoint);
  gsize size = leat_spec_get_bytes (view->spec);
  gsize had = self->carried, got;
  LeatFlow flow;

  if (had > 0)
    memcpy (view->data, self->carry, had);
  flow = leat_input_file_read (self->input, (guint8 *) view->data + had, size - had, &got, wait, cancellable, error);
  if (flow == LEAT_FLOW_ERROR && got == 0 && g_cancellable_is_cancelled (cancellable))
    {
      g_clear_error (error); /* nothing is lost: who called it off knows why there is nothing */
      return LEAT_FLOW_EMPTY;
    }
  return flow == LEAT_FLOW_ERROR ? flow : leat_io_file_give (self, view, had + got, error);
}

static gboolean
leat_io_file_begin (LeatEndpoint *endpoint, LeatView *view)
{
  return leat_input_file_begin (LEAT_IO_FILE (endpoint)->input, view->data, leat_spec_get_bytes (view->spec));
}

static LeatFlow
leat_io_file_complete (LeatEndpoint *endpoint, LeatView *view, GError **error)
{
  LeatIoFile *self = LEAT_IO_FILE (endpoint);
  gsize got;

  if (!leat_input_file_complete (self->input, view->data, leat_spec_get_bytes (view->spec), &got, error))
    return LEAT_FLOW_ERROR;
  return leat_io_file_give (self, view, got, error);
}

static gboolean
leat_io_file_drain (LeatEndpoint *endpoint, const LeatView *view, GCancellable *cancellable, GError **error)
{
  LeatIoFile *self = LEAT_IO_FILE (endpoint);

  return leat_output_file_write (self->output, view->data, leat_view_get_bytes (view), cancellable, error);
}

static gboolean
leat_io_file_finish (LeatEndpoint *endpoint, GError **error)
{
  LeatIoFile *self = LEAT_IO_FILE (endpoint);

  return self->output == NULL || leat_output_file_commit (self->output, error);
}

static void
leat_io_file_stop (LeatEndpoint *endpoint)
{
  LeatIoFile *self = LEAT_IO_FILE (endpoint);

  g_clear_pointer (&self->input, leat_input_file_free);
  g_clear_pointer (&self->output, leat_output_file_free);
  g_clear_pointer (&self->carry, g_free);
  self->carried = 0;
}

static void
leat_io_file_unblock (LeatEndpoint *endpoint)
{
  LeatIoFile *self = LEAT_IO_FILE (endpoint);

  if (self->input != NULL)
    leat_input_file_wake (self->input);
  if (self->output != NULL)
    leat_output_file_wake (self->output);
}

static guint64
leat_io_file_get_total (LeatEndpoint *endpoint)
{
  LeatIoFile *self = LEAT_IO_FILE (endpoint);

  return self->input != NULL ? leat_input_file_get_size (self->input) : 0;
}

static const LeatProp leat_io_file_props[] = {
  { sizeof (LeatProp), "path", LEAT_PROP_PATH, LEAT_PROP_REQUIRED, offsetof (LeatIoFile, path),
    .blurb = "File to read or write; -: standard input or standard output" },
  { sizeof (LeatProp), "chunk", LEAT_PROP_BYTES, 0, offsetof (LeatIoFile, chunk), .def.u = 4 << 20, .min.u = 1,
    .max.u = G_GUINT64_CONSTANT (1) << 40,
    .blurb = "Most bytes that one run reads; a spec on the link or on out replaces it" },
  { sizeof (LeatProp), "readers", LEAT_PROP_UINT, 0, offsetof (LeatIoFile, readers), .def.u = 0, .max.u = 16,
    .blurb = "Threads that read parts of a chunk of 512 KiB or more of a regular file; 0: all "
             "processors but two, or 1 on fewer than four processors" },
};

static const LeatPortInfo leat_io_file_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL | LEAT_PORT_HOST, "any",
    "Bytes to write; linked when the node is a sink" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL | LEAT_PORT_HOST, "any",
    "Bytes that were read; linked when the node is a source" },
};

const LeatNodeInfo leat_io_file_info = {
  sizeof (LeatNodeInfo),
  "io:file",
  NULL,
  "Reads or writes the raw bytes of a file",
  "With out linked, the node reads the file in chunks u8[<=chunk], the last one "
  "shorter.  A spec on the link or on out changes that: out=f32[<=65536] reads items "
  "of another type, out=f32[480,640] one picture for each run, out=f32[n] the whole "
  "file at once.  The file must end with a whole row or item.  Pipes work, and path=- "
  "is standard input.\n\nWith in linked, the node writes what arrives, run after run: "
  "items of any type, as they are in memory.  The file appears under its name when the "
  "stream has ended well; after an error or a cancelled run, an earlier file of that "
  "name is untouched.  Standard output (path=-), pipes and devices are written "
  "directly.\n\nExample: io:file path=/var/log/syslog + upload + readback + io:file "
  "path=copy.log",
  leat_io_file_props,
  G_N_ELEMENTS (leat_io_file_props),
  leat_io_file_ports,
  G_N_ELEMENTS (leat_io_file_ports),
  leat_io_file_get_type,
};

static void
leat_io_file_class_init (LeatIoFileClass *klass)
{
  LeatEndpointClass *endpoint_class = LEAT_ENDPOINT_CLASS (klass);

  LEAT_NODE_CLASS (klass)->negotiate = leat_io_file_negotiate;
  endpoint_class->check = leat_io_file_check_output;
  endpoint_class->start = leat_io_file_start;
  endpoint_class->fill = leat_io_file_fill;
  endpoint_class->begin = leat_io_file_begin;
  endpoint_class->complete = leat_io_file_complete;
  endpoint_class->drain = leat_io_file_drain;
  endpoint_class->finish = leat_io_file_finish;
  endpoint_class->stop = leat_io_file_stop;
  endpoint_class->unblock = leat_io_file_unblock;
  endpoint_class->get_total = leat_io_file_get_total;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_io_file_info);
}

static void
leat_io_file_init (LeatIoFile *self)
{
}
