/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Text as a terminal may have it, whoever wrote it: a file's contents and its name, a node's, a kernel's, a compiler's.
 * What a terminal would take for a command, or what turns the direction of writing around, is written as C does
 * ("\x1b", "\u202e"), and so is what is no UTF-8; line feeds and tabs stay, and so does everything else. */

/* @size: in bytes; -1: to its end */
void leat_plain_append (GString *self, const char *text, gssize size);
/* (transfer full) */
char *leat_plain_dup (const char *text);

G_END_DECLS
