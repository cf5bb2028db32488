/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds libraries and headers of the CUDA toolkit where the environment, toolkits and distributions have them, and
 * opens the libraries. */

#include "leat-toolkit-private.h"

#include <dlfcn.h>
#include <stdlib.h>

/* Below one root, such as /usr/local/cuda. */
static char *
leat_toolkit_look_below (const char *root, const char *const *names)
{
  static const char *const folders[] = { "lib64",
                                         "lib",
                                         "extras/CUPTI/lib64",
                                         "targets/x86_64-linux/lib",
                                         "targets/sbsa-linux/lib",
                                         "lib/x86_64-linux-gnu",
                                         "lib/aarch64-linux-gnu" };

  for (guint f = 0; f < G_N_ELEMENTS (folders); f++)
    for (guint n = 0; names[n] != NULL; n++)
      {
        g_autofree char *path = g_build_filename (root, folders[f], names[n], NULL);
        char *real = realpath (path, NULL);

        if (real != NULL)
          return real;
      }
  return NULL;
}

char *
leat_toolkit_find_library (const char *variable, const char *const *names)
{
  const char *roots[] = { g_getenv ("CUDA_HOME"), g_getenv ("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda", "/usr" };
  const char *given = g_getenv (variable);

  if (given != NULL && *given != '\0')
    return realpath (given, NULL);
  for (guint r = 0; r < G_N_ELEMENTS (roots); r++)
    {
      char *found = roots[r] != NULL ? leat_toolkit_look_below (roots[r], names) : NULL;

      if (found != NULL)
        return found;
    }
  return NULL;
}

gpointer
leat_toolkit_open_library (const char *variable, const char *const *names)
{
  g_autofree char *path = leat_toolkit_find_library (variable, names);
  const char *given = g_getenv (variable);
  gpointer library = path != NULL ? dlopen (path, RTLD_NOW | RTLD_LOCAL) : NULL;

  if (given != NULL && *given != '\0')
    return library;
  for (guint i = 0; library == NULL && names[i] != NULL; i++)
    library = dlopen (names[i], RTLD_NOW | RTLD_LOCAL);
  return library;
}

static gboolean
leat_toolkit_has_header (const char *folder, const char *header)
{
  g_autofree char *path = g_build_filename (folder, header, NULL),
                  *below = g_build_filename (folder, "cccl", header, NULL);

  return g_file_test (path, G_FILE_TEST_IS_REGULAR) || g_file_test (below, G_FILE_TEST_IS_REGULAR);
}

/* Below one root, such as /usr/local/cuda. */
static char *
leat_toolkit_look_for_include (const char *root, const char *header)
{
  static const char *const folders[] = { "include", "targets/x86_64-linux/include", "targets/sbsa-linux/include" };

  for (guint f = 0; f < G_N_ELEMENTS (folders); f++)
    {
      g_autofree char *folder = g_build_filename (root, folders[f], NULL);

      if (leat_toolkit_has_header (folder, header))
        return g_steal_pointer (&folder);
    }
  return NULL;
}

char *
leat_toolkit_find_include (const char *variable, const char *library, const char *header)
{
  g_autofree char *beside = library != NULL ? g_path_get_dirname (library) : NULL;
  g_autofree char *above = beside != NULL ? g_path_get_dirname (beside) : NULL;
  g_autofree char *higher = above != NULL ? g_path_get_dirname (above) : NULL; /* of targets/x86_64-linux/lib */
  const char *roots[] = {
    g_getenv ("CUDA_HOME"), g_getenv ("CUDA_PATH"), above, higher, "/usr/local/cuda", "/opt/cuda", "/usr"
  };
  const char *given = g_getenv (variable);

  if (given != NULL && *given != '\0')
    return leat_toolkit_has_header (given, header) ? g_strdup (given) : NULL;
  for (guint r = 0; r < G_N_ELEMENTS (roots); r++)
    {
      char *found = roots[r] != NULL ? leat_toolkit_look_for_include (roots[r], header) : NULL;

      if (found != NULL)
        return found;
    }
  return NULL;
}
