/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Text as a terminal may have it, whoever wrote it: a file's contents and its name, a node's, a kernel's, a compiler's.
 * Commands to a terminal, characters that turn the direction of writing around, and bytes that are no UTF-8 are written
 * as C does ("\x1b", "\u202e").  Line feeds, tabs and everything else stay. */

/* @size: in bytes; -1: to its end */
void leat_plain_append (GString *self, const char *text, gssize size);
/* (transfer full) */
char *leat_plain_dup (const char *text);

G_END_DECLS
