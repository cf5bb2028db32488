/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A library of the CUDA toolkit: the file that the environment variable says; else the first of @names
 * (NULL-terminated) in the places where toolkits and distributions put them.  NULL where there is none; links are
 * followed. (transfer full) */
char *leat_toolkit_find_library (const char *variable, const char *const *names);

/* And opens it, by its name alone where it lies somewhere else.  NULL where that fails. */
gpointer leat_toolkit_open_library (const char *variable, const char *const *names);

/* The folder where a toolkit in the same places has the header @name, or has it in its folder "cccl".  NULL where none
 * has. (transfer full) */
char *leat_toolkit_find_headers (const char *name);

G_END_DECLS
