/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* @ptx, for the oldest driver that knows all of its instructions: with the lowest `.version` that they need.
 * (transfer full) */
char *leat_image_ptx_lower (const char *ptx);

G_END_DECLS
