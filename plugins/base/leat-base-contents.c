/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The file of a `const` or a `state`: its spec and its bytes, read when the pipeline is planned.  Touches neither the
 * node nor the plan: the bytes are the caller's. */

#include "leat-base-contents.h"

#include "leat-file-role.h"
#include "leat-input-file.h"
#include "leat-npy-header.h"

static LeatInputFile *
leat_contents_open (const LeatContents *self, GError **error)
{
  g_autofree char *path = leat_file_role_dup_path (self->node, self->path);
  g_autoptr (LeatInputFile) input = leat_input_file_open (path, error);

  if (input == NULL)
    return NULL;
  if (!leat_input_file_is_regular (input) || g_str_equal (path, "-"))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
                   "cannot keep \"%s\": it is not a regular file, and its size must be known; save it to a file first",
                   leat_input_file_get_path (input));
      return NULL;
    }
  return g_steal_pointer (&input);
}

static gboolean
leat_contents_is_npy (const LeatContents *self)
{
  return g_str_has_suffix (self->path, ".npy");
}

/* Raw bytes are what the property, the node's port or the link says, else u8. */
static LeatSpec *
leat_contents_choose_spec (const LeatContents *self, guint64 size, LeatSpec *allowed, GError **error)
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
leat_contents_check_raw (const LeatContents *self, LeatSpec *spec, guint64 size, GError **error)
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

/* An array's items may have a size only, and spec= their type.  What they are otherwise, the file says. */
static LeatDtype
leat_contents_name_type (LeatDtype dtype)
{
  return dtype == LEAT_DTYPE_F8E4M3 || dtype == LEAT_DTYPE_F8E5M2 || dtype == LEAT_DTYPE_BF16 ? dtype : LEAT_DTYPE_ANY;
}

static LeatDtype
leat_contents_get_type (const LeatContents *self)
{
  g_autoptr (LeatSpec) own = self->spec != NULL ? leat_spec_parse (self->spec, NULL) : NULL;

  return own != NULL ? leat_contents_name_type (leat_spec_get_dtype (own)) : LEAT_DTYPE_ANY;
}

LeatSpec *
leat_contents_find_spec (const LeatContents *self, LeatSpec *allowed, GError **error)
{
  g_autoptr (LeatInputFile) input = leat_contents_open (self, error);
  g_autoptr (LeatSpec) spec = NULL;
  g_auto (LeatNpyHeader) header = { 0 };

  if (input == NULL)
    return NULL;
  if (!leat_contents_is_npy (self))
    {
      spec = leat_contents_choose_spec (self, leat_input_file_get_size (input), allowed, error);
      if (spec == NULL || !leat_contents_check_raw (self, spec, leat_input_file_get_size (input), error))
        return NULL;
      return g_steal_pointer (&spec);
    }
  if (!leat_npy_header_read_as (&header, leat_contents_get_type (self), input, error))
    return NULL;
  spec = leat_npy_header_new_spec (&header, 0, error);
  if (spec == NULL)
    g_prefix_error (error, "cannot read \"%s\": ", self->path);
  return g_steal_pointer (&spec);
}

GBytes *
leat_contents_read (const LeatContents *self, LeatSpec *spec, GError **error)
{
  g_autoptr (LeatInputFile) input = leat_contents_open (self, error);
  gsize size = leat_spec_get_bytes (spec), got = 0;
  g_auto (LeatNpyHeader) header = { 0 };
  g_autofree guint8 *data = NULL;

  if (input == NULL
      || (leat_contents_is_npy (self)
          && !leat_npy_header_read_as (&header, leat_contents_name_type (leat_spec_get_dtype (spec)), input, error)))
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

gboolean
leat_contents_check_spec (const LeatContents *self, LeatSpec *found, GError **error)
{
  g_autoptr (LeatSpec) own = self->spec != NULL ? leat_spec_parse (self->spec, error) : NULL;
  g_autoptr (LeatSpec) both = NULL;

  if (self->spec == NULL)
    return TRUE;
  both = own != NULL ? leat_spec_intersect (own, found, error) : NULL;
  if (both == NULL)
    g_prefix_error (error, "\"%s\" does not have the spec that spec= gives: ", self->path);
  return both != NULL;
}
