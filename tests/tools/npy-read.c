/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "npy-read.h"

#include <string.h>

void
npy_floats_read (NpyFloats *self, const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  const guint8 *bytes;
  gsize size, begin;

  g_file_get_contents (path, &text, &size, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (size, >=, 10);
  g_assert_cmpmem (text, 6, "\x93NUMPY", 6);
  bytes = (const guint8 *) text;
  begin = 10 + bytes[8] + 256 * (gsize) bytes[9];
  g_assert_cmpuint (size, >=, begin);
  self->header = g_strndup (text + 10, begin - 10);
  self->n = (size - begin) / sizeof (float);
  self->items = g_memdup2 (text + begin, size - begin);
}

void
npy_floats_clear (NpyFloats *self)
{
  g_free (self->header);
  g_free (self->items);
}
