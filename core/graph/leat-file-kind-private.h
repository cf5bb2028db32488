/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The kind of a file, told by how it begins. */
typedef struct
{
  const char *what; /* "an .npy file" */
  const char *node; /* (nullable): what reads it, as in `io:npy` */
  const char *then; /* (nullable): what would make it one that can be read */
} LeatFileKind;

/* As many bytes tell. */
#define LEAT_FILE_KIND_BYTES 512

/* (nullable): what nobody takes for text of another kind */
const LeatFileKind *leat_file_kind_find (gconstpointer bytes, gsize size);
/* The advice what would work with the file, for the end of a message: "image:read path=a.png reads it". */
char *leat_file_kind_dup_advice (const LeatFileKind *self, const char *path);

G_END_DECLS
