/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The folders of the installation, where plugins, the CPU driver and shipped images are: the one that was configured,
 * or those that LEAT_PLUGIN_SYSTEM_PATH names, which may be none.  (transfer full), NULL-terminated */
char **leat_system_folders_list (void);

G_END_DECLS
