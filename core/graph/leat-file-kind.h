/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib.h>

G_BEGIN_DECLS

/**
 * LeatFileKind: (skip)
 * @name: what such a file is, behind "it is": "an .npy file"
 * @node: (nullable): the node that reads it, such as `io:npy`
 * @advice: (nullable): what makes it a file that a node reads; %NULL where nothing is known, or @node reads it as it is
 *
 * The kind of a file, as its first bytes tell.
 */
typedef struct
{
  const char *name;
  const char *node;
  const char *advice;
} LeatFileKind;

/**
 * LEAT_FILE_KIND_BYTES: (skip)
 *
 * How many bytes from the beginning of a file tell its kind.
 */
#define LEAT_FILE_KIND_BYTES 512

const LeatFileKind *leat_file_kind_find (gconstpointer bytes, gsize size);
char *leat_file_kind_dup_advice (const LeatFileKind *self, const char *path);

G_END_DECLS
