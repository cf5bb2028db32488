/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-base-const.h"

#include "leat-file-role.h"
#include "leat-npy-header.h"

#include <string.h>

/**
 * LeatBaseConst:
 *
 * Data that is uploaded once and stays, the node `const`: a table, weights, a picture's mask.
 *
 * It reads a file when the pipeline is planned and gives its contents, in device memory, to every run.
 */
struct _LeatBaseConst
{
  LeatNode parent_instance;

  char *path;
  char *spec;
};

G_DEFINE_FINAL_TYPE (LeatBaseConst, leat_base_const, LEAT_TYPE_NODE)

static LeatInputFile *
leat_base_const_open (LeatBaseConst *self, GError **error)
{
  g_autofree char *path = leat_file_role_dup_path (LEAT_NODE (self), self->path);
  g_autoptr (LeatInputFile) input = leat_input_file_open (path, error);

  if (input == NULL)
    return NULL;
  if (!leat_input_file_is_regular (input) || g_str_equal (path, "-"))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
                   "cannot keep \"%s\": it is no regular file, and its size must be known; save it to a file first",
                   leat_input_file_get_path (input));
      return NULL;
    }
  return g_steal_pointer (&input);
}

static gboolean
leat_base_const_is_npy (LeatBaseConst *self)
{
  return g_str_has_suffix (self->path, ".npy");
}

/* Raw bytes are what the property, the node's port or the link says, else u8. */
static LeatSpec *
leat_base_const_choose_spec (LeatBaseConst *self, guint64 size, LeatSpec *allowed, GError **error)
{
  if (self->spec != NULL)
    return leat_spec_parse (self->spec, error);
  if (leat_spec_is_fixed (allowed))
    return leat_spec_ref (allowed);
  if (size == 0)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "\"%s\" is empty", self->path);
      return NULL;
    }
  return leat_spec_new (LEAT_DTYPE_U8, &size, 1, FALSE);
}

static gboolean
leat_base_const_check_raw (LeatBaseConst *self, LeatSpec *spec, guint64 size, GError **error)
{
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

  if (!leat_spec_is_fixed (spec) || leat_spec_is_bounded (spec))
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                 "constant data has a fixed size, and %s has none; write numbers, as in spec=f32[480,640]", text);
  else if (leat_spec_get_bytes (spec) != size)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                 "\"%s\" holds %" G_GUINT64_FORMAT " bytes; %s needs %" G_GUINT64_FORMAT, self->path, size, text,
                 leat_spec_get_bytes (spec));
  else
    return TRUE;
  return FALSE;
}

static LeatSpec *
leat_base_const_find_spec (LeatBaseConst *self, LeatSpec *allowed, GError **error)
{
  g_autoptr (LeatInputFile) input = leat_base_const_open (self, error);
  g_autoptr (LeatSpec) spec = NULL;
  LeatNpyHeader header;

  if (input == NULL)
    return NULL;
  if (!leat_base_const_is_npy (self))
    {
      spec = leat_base_const_choose_spec (self, leat_input_file_get_size (input), allowed, error);
      if (spec == NULL || !leat_base_const_check_raw (self, spec, leat_input_file_get_size (input), error))
        return NULL;
      return g_steal_pointer (&spec);
    }
  if (!leat_npy_header_read (&header, input, error))
    return NULL;
  spec = leat_npy_header_new_spec (&header, 0, error);
  if (spec == NULL)
    g_prefix_error (error, "cannot read \"%s\": ", self->path);
  return g_steal_pointer (&spec);
}

static gboolean
leat_base_const_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatBaseConst *self = LEAT_BASE_CONST (node);
  g_autoptr (LeatSpec) allowed = leat_negotiation_get_allowed (negotiation, "out");
  g_autoptr (LeatSpec) spec = leat_base_const_find_spec (self, allowed, error);
  g_autoptr (LeatSpec) own = NULL;
  g_autoptr (LeatSpec) both = NULL;

  if (spec == NULL)
    return FALSE;
  if (self->spec != NULL)
    {
      own = leat_spec_parse (self->spec, error);
      both = own != NULL ? leat_spec_intersect (own, spec, error) : NULL;
      if (both == NULL)
        {
          g_prefix_error (error, "\"%s\" is not what spec= says: ", self->path);
          return FALSE;
        }
    }
  return leat_negotiation_set_output (negotiation, "out", spec, error);
}

static GBytes *
leat_base_const_read (LeatBaseConst *self, LeatSpec *spec, GError **error)
{
  g_autoptr (LeatInputFile) input = leat_base_const_open (self, error);
  gsize size = leat_spec_get_bytes (spec), got = 0;
  LeatNpyHeader header = { 0 };
  g_autofree guint8 *data = NULL;

  if (input == NULL || (leat_base_const_is_npy (self) && !leat_npy_header_read (&header, input, error)))
    return NULL;
  data = g_try_malloc (size);
  if (data == NULL)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                   "\"%s\" is too large for this machine's memory: %" G_GSIZE_FORMAT " bytes", self->path, size);
      return NULL;
    }
  if (leat_input_file_read (input, data, size, &got, TRUE, NULL, error) == LEAT_FLOW_ERROR)
    return NULL;
  if (got < size)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "\"%s\" became shorter while it was read",
                   self->path);
      return NULL;
    }
  leat_npy_header_swap (&header, data, size);
  return g_bytes_new_take (g_steal_pointer (&data), size);
}

static gboolean
leat_base_const_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatSpec *spec = leat_recorder_get_spec (recorder, leat_recorder_get_output (recorder, "out"));
  g_autoptr (GBytes) bytes = leat_base_const_read (LEAT_BASE_CONST (node), spec, error);

  if (bytes == NULL)
    return FALSE;
  leat_recorder_set_output_const (recorder, "out", bytes);
  return TRUE;
}

static const LeatProp leat_base_const_props[] = {
  { sizeof (LeatProp), "path", LEAT_PROP_PATH, LEAT_PROP_REQUIRED, offsetof (LeatBaseConst, path),
    .blurb = "File with the data: an .npy array, or raw bytes" },
  { sizeof (LeatProp), "spec", LEAT_PROP_STRING, 0, offsetof (LeatBaseConst, spec),
    .blurb = "What raw bytes are, such as f32[256]; u8 as long as the file when not given" },
};

static const LeatPortInfo leat_base_const_ports[] = {
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "The data, in device memory" },
};

const LeatNodeInfo leat_base_const_info = {
  sizeof (LeatNodeInfo),
  "const",
  NULL,
  "Data from a file that stays on the device",
  "The file is read and uploaded once, when the session opens; every run finds it there.  An .npy file says itself "
  "what "
  "it holds; any other file is raw bytes, with the type and shape of spec=, of the node's out= or of its link, or "
  "u8.\n\n"
  "Example: const path=weights.npy",
  leat_base_const_props,
  G_N_ELEMENTS (leat_base_const_props),
  leat_base_const_ports,
  G_N_ELEMENTS (leat_base_const_ports),
  leat_base_const_get_type,
};

static void
leat_base_const_class_init (LeatBaseConstClass *klass)
{
  LEAT_NODE_CLASS (klass)->negotiate = leat_base_const_negotiate;
  LEAT_NODE_CLASS (klass)->record = leat_base_const_record;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_base_const_info);
}

static void
leat_base_const_init (LeatBaseConst *self)
{
}
