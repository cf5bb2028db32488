/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What is in an .npy file, read without Leat. */
typedef struct
{
  char *header; /* Python's dictionary */
  float *items;
  gsize n;
} NpyFloats;

void npy_floats_read (NpyFloats *self, const char *folder, const char *name);
void npy_floats_clear (NpyFloats *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (NpyFloats, npy_floats_clear)

G_END_DECLS
