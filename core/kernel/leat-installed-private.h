/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Data that are installed beside the library: graphs in leat/graphs, documents in doc/leat. */

/* The path of @name, such as "doc/leat/README.md", where Leat or the system keeps such; NULL where it is not installed.
 */
char *leat_installed_find (const char *name);
/* For a file that is not there: the installed graph, or file of a graph, of the same name.  Only where @path is a name
 * alone or one in graphs/, as documents write it. */
char *leat_installed_suggest (const char *path);

G_END_DECLS
