/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* All of a text, read and not mapped: a file that somebody cuts short while it is mapped ends the process. */
GBytes *leat_csr_load (const char *path, GError **error);

G_END_DECLS
