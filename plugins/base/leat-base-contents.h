/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* A file that is read when the pipeline is planned: an .npy array, or raw bytes. */
typedef struct
{
  LeatNode *node;
  const char *path;
  const char *spec; /* (nullable): what raw bytes are */
} LeatContents;

/* The spec of the data in the file. @allowed: what the port may be.  (transfer full) */
LeatSpec *leat_contents_find_spec (const LeatContents *self, LeatSpec *allowed, GError **error);
/* As much as @spec says. (transfer full) */
GBytes *leat_contents_read (const LeatContents *self, LeatSpec *spec, GError **error);
/* FALSE when the spec that was given is not the one that was found. */
gboolean leat_contents_check_spec (const LeatContents *self, LeatSpec *found, GError **error);

G_END_DECLS
