/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-input-file.h"

G_BEGIN_DECLS

/* Room that a written header takes when it must be written anew with another shape; that of records may take more. */
#define LEAT_NPY_HEADER_BYTES 256

/* The head of an .npy file says this about the array that follows it. */
typedef struct
{
  LeatDtype dtype;
  LeatSpec *items;   /* (nullable): of records, their fields; no shape */
  gboolean swapped;  /* items are in the other byte order */
  gboolean nameless; /* the file tells the size of an item alone, and several types are of that size */
  guint n_dims;
  guint64 dims[LEAT_SPEC_MAX_DIMS];
  guint64 offset; /* where the items begin */
  guint64 bytes;  /* that they take */
} LeatNpyHeader;

void leat_npy_header_clear (LeatNpyHeader *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatNpyHeader, leat_npy_header_clear)

/* Reads the header of an array of which @size bytes are at @data.  LEAT_GRAPH_ERROR_DATA; the message does not name
 * the file, the caller does.  What was in @self is not cleared. */
gboolean leat_npy_header_parse (LeatNpyHeader *self, const guint8 *data, gsize size, GError **error);
/* Reads the header from the front of @input, which must be regular and hold all the items; the items are next. */
gboolean leat_npy_header_read (LeatNpyHeader *self, LeatInputFile *input, GError **error);
/* The same where the items are known to be of @type, if the file does not say so itself; ANY as above. */
gboolean leat_npy_header_read_as (LeatNpyHeader *self, LeatDtype type, LeatInputFile *input, GError **error);
/* The spec of the whole array, or, with @rows, of chunks of at most so many rows.  NULL and LEAT_GRAPH_ERROR_DATA when
 * there is no such spec. */
LeatSpec *leat_npy_header_new_spec (const LeatNpyHeader *self, guint64 rows, GError **error);
/* Turns @bytes of items into the byte order of this machine, and those of bool into 0 and 1. */
void leat_npy_header_swap (const LeatNpyHeader *self, gpointer items, guint64 bytes);
/* A header for an array of @spec; its size depends on the type of the items alone. (transfer full) */
GBytes *leat_npy_header_format (LeatSpec *spec);

G_END_DECLS
