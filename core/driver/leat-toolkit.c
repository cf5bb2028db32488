/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds and opens libraries of the CUDA toolkit where the environment, toolkits and distributions have them, and finds
 * its headers. */

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

char *
leat_toolkit_find_headers (const char *name)
{
  static const char *const folders[] = { "include", "targets/x86_64-linux/include", "targets/sbsa-linux/include" };
  const char *roots[] = { g_getenv ("CUDA_HOME"), g_getenv ("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda", "/usr" };

  for (guint r = 0; r < G_N_ELEMENTS (roots); r++)
    for (guint f = 0; roots[r] != NULL && f < G_N_ELEMENTS (folders); f++)
      {
        g_autofree char *folder = g_build_filename (roots[r], folders[f], NULL);
        g_autofree char *path = g_build_filename (folder, name, NULL);
        g_autofree char *below = g_build_filename (folder, "cccl", name, NULL);

        if (g_file_test (path, G_FILE_TEST_IS_REGULAR) || g_file_test (below, G_FILE_TEST_IS_REGULAR))
          return g_steal_pointer (&folder);
      }
  return NULL;
}
