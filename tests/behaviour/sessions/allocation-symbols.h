/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The function that @address, of a call in a backtrace, lies in, static ones too where the file has their names; "?" if
 * nobody knows. @object: the base name of the file. (transfer full) */
char *allocation_symbol_dup_name (void *address, char **object);

G_END_DECLS
