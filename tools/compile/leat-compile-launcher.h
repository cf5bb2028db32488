/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A small C project that opens an artifact in its folder by the public API. */

/* Makes @folder, which must have no such project yet.  The path in it that the artifact is to get. (transfer full)
 * (nullable) */
char *leat_compile_launcher_begin (const char *folder, const char *pipeline, GError **error);
/* Writes the project around the artifact, which is there. */
gboolean leat_compile_launcher_write (const char *folder, const char *artifact, GError **error);

G_END_DECLS
