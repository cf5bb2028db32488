/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-npy-header.h"

G_BEGIN_DECLS

/* The text is one Python dictionary with three known keys.  It is read as just that: nothing is evaluated. */
typedef struct
{
  const char *at;
  const char *end;
  LeatNpyHeader *header;
  gboolean fortran;
  guint seen; /* bits of the keys */
  GError **error;
} LeatNpyText;

/* FALSE, with LEAT_GRAPH_ERROR_DATA. */
gboolean leat_npy_refuse (GError **error, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* The next character that is no blank; 0 at the end. */
char leat_npy_text_peek (LeatNpyText *self);
gboolean leat_npy_text_take (LeatNpyText *self, char c);
gboolean leat_npy_text_expect (LeatNpyText *self, char c, const char *where);
gboolean leat_npy_text_read_string (LeatNpyText *self, char *to, gsize size);
gboolean leat_npy_text_read_word (LeatNpyText *self, const char *word);
gboolean leat_npy_text_read_number (LeatNpyText *self, guint64 *number);

/* The type of the items, into the header: one, or the fields of a record. */
gboolean leat_npy_text_read_descr (LeatNpyText *self);
/* Python's text for the items of @spec. */
void leat_npy_append_descr (GString *text, LeatSpec *spec);

G_END_DECLS
