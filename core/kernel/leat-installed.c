/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds pipelines and documents that are installed beside the library. */

#include "leat-installed-private.h"

char *
leat_installed_find (const char *name)
{
  char *path = g_build_filename (LEAT_DATA_DIR, name, NULL);

  for (const char *const *folder = g_get_system_data_dirs (); !g_file_test (path, G_FILE_TEST_EXISTS); folder++)
    {
      g_free (path);
      if (*folder == NULL)
        return NULL;
      path = g_build_filename (*folder, name, NULL);
    }
  return path;
}

char *
leat_installed_suggest (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path), *name = g_path_get_basename (path);
  g_autofree char *graph = g_build_filename ("leat", "graphs", name, NULL);

  return g_str_equal (folder, ".") || g_str_equal (folder, "graphs") ? leat_installed_find (graph) : NULL;
}
