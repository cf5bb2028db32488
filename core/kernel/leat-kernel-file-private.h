/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The text of a kernel file or of one that it includes, with a 0 behind it.  Errors are of G_IO_ERROR and name no path:
 * the caller knows how it came to this one. */
char *leat_kernel_file_read (const char *path, gsize *length, GError **error);

G_END_DECLS
