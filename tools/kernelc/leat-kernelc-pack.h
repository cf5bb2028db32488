/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Writes @path, or without one prints the names of what would be in it: a pack of the images for all of @targets, with
 * commas between, that the pipelines in the file @list ask for.  FALSE with the first error; what was compiled stays in
 * the cache. */
gboolean leat_kernelc_pack (const char *path, const char *targets, const char *list, GError **error);

G_END_DECLS
