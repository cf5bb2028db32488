/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* The file that was looked through, to print from it what was found.  All errors name the path. */
typedef struct _LeatTextQuote LeatTextQuote;

/* A regular file.  Errors: LEAT_GRAPH_ERROR_IO. */
LeatTextQuote *leat_text_quote_open (const char *path, GError **error);
void leat_text_quote_free (LeatTextQuote *self);

/* At most @size bytes from @offset on, and no line's end or what follows it where @is_line; 0 in @length for none. What
 * is returned is good until the next call.  NULL with LEAT_GRAPH_ERROR_DATA where the file ends before @offset. */
const char *leat_text_quote_get (LeatTextQuote *self, guint64 offset, guint64 size, gboolean is_line, gsize *length,
                                 GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatTextQuote, leat_text_quote_free)

G_END_DECLS
