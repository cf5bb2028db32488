/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Lists the folders of the installation, as configured or as the environment names them. */

#include "leat-system-folders-private.h"

char **
leat_system_folders_list (void)
{
  const char *variable = g_getenv ("LEAT_PLUGIN_SYSTEM_PATH");
  g_auto (GStrv) named = g_strsplit (variable != NULL ? variable : LEAT_PLUGIN_DIR, G_SEARCHPATH_SEPARATOR_S, -1);
  g_autoptr (GStrvBuilder) folders = g_strv_builder_new ();

  for (guint i = 0; named[i] != NULL; i++)
    if (*named[i] != '\0')
      {
        g_autofree char *folder = g_canonicalize_filename (named[i], NULL);

        g_strv_builder_add (folders, folder);
      }
  return g_strv_builder_end (folders);
}
