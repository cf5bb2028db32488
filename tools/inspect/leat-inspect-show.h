/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-inspect-print.h"
#include "leat-tool.h"

G_BEGIN_DECLS

/* To standard output. */
LeatExit leat_inspect_write_text (GString *out);
LeatExit leat_inspect_write_json (JsonBuilder *builder);

/* @words: those behind `kernel`. @device: (nullable): where it is looked at too */
LeatExit leat_inspect_show_kernel (char **words, const char *device, gboolean json);

G_END_DECLS
