/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Arrays of texels, which textures and surfaces lie in: buffers in an order that is the device's own, so that only
 * copies of the whole bring data there and back. */

#include "leat-plan-private.h"

/**
 * leat_recorder_add_array: (skip)
 * @self: a recorder
 * @info: its texels; copied
 *
 * Adds an array of texels, for %LEAT_ARG_TEXTURE and %LEAT_ARG_SURFACE.
 *
 * It has as many bytes as its texels one behind the other, so that leat_recorder_add_copy() fills it from a buffer of
 * that size, and brings what a kernel has written back.
 *
 * Returns: the buffer
 *
 * Since: 0.1
 */
LeatBufferId
leat_recorder_add_array (LeatRecorder *self, const LeatArrayInfo *info)
{
  guint64 bytes =
    info->width * MAX (info->height, 1) * MAX (info->depth, 1) * info->channels * leat_dtype_get_size (info->dtype);
  g_autofree char *name = g_strdup_printf ("%s.%s", info->name, leat_texture_form_get_name (info->form));
  LeatBufferId id = leat_recorder_add_scratch (self, name, bytes);
  LeatArrayInfo kept = *info;

  kept.name = NULL;
  leat_plan_get_buffer (self->plan, id)->array = g_bytes_new (&kept, sizeof kept);
  return id;
}

const LeatArrayInfo *
leat_buffer_get_array (const LeatBuffer *self)
{
  return self->array != NULL ? g_bytes_get_data (self->array, NULL) : NULL;
}

gboolean
leat_op_has_texture (const LeatOp *self)
{
  for (guint i = 0; i < self->n_args; i++)
    if (self->args[i].kind == LEAT_ARG_TEXTURE || self->args[i].kind == LEAT_ARG_SURFACE)
      return TRUE;
  return FALSE;
}
