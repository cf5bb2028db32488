/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-tool.h"

G_BEGIN_DECLS

/* What is in an artifact, or with @check whether every checksum in it is right.  No device is used and nothing of it is
 * run, so it may be anybody's. */
LeatExit leat_inspect_show_artifact (const char *path, gboolean check, gboolean json);

G_END_DECLS
