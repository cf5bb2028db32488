/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* From a text such as `cuda:0`, or none, to a driver and a device of it.  Opens the driver's library, and no device. */

#include "leat-driver-private.h"
#include "leat-system-folders-private.h"

#include <dlfcn.h>
#include <string.h>

#define LEAT_CPU_LIBRARY  "libleat-cpu.so.1"
#define LEAT_CUDA_LIBRARY "libcuda.so.1"

typedef struct
{
  enum
  {
    LEAT_SELECT_AUTO,
    LEAT_SELECT_CUDA,
    LEAT_SELECT_CPU
  } mode;
  guint ordinal;
} LeatSelector;

static const char *
leat_selector_get_text (const char *selector)
{
  if (selector == NULL || *selector == '\0')
    selector = g_getenv ("LEAT_DEVICE");
  return selector == NULL || *selector == '\0' ? "auto" : selector;
}

static gboolean
leat_selector_parse (const char *text, LeatSelector *selector, GError **error)
{
  guint64 ordinal;

  *selector = (LeatSelector){ LEAT_SELECT_AUTO, 0 };
  if (strcmp (text, "auto") == 0)
    return TRUE;
  if (strcmp (text, "cpu") == 0)
    {
      selector->mode = LEAT_SELECT_CPU;
      return TRUE;
    }
  selector->mode = LEAT_SELECT_CUDA;
  if (strcmp (text, "cuda") == 0)
    return TRUE;
  if (g_str_has_prefix (text, "cuda:")
      && g_ascii_string_to_unsigned (text + strlen ("cuda:"), 10, 0, G_MAXINT, &ordinal, NULL))
    {
      selector->ordinal = (guint) ordinal;
      return TRUE;
    }
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_SELECTOR,
               "\"%s\" is no device: use auto, cpu, or cuda:N with N counting CUDA devices from 0", text);
  return FALSE;
}

static void
leat_driver_list_add (GPtrArray *paths, const char *folder, const char *below)
{
  char *path = g_build_filename (folder, below, LEAT_CPU_LIBRARY, NULL);

  if (g_ptr_array_find_with_equal_func (paths, path, g_str_equal, NULL))
    g_free (path);
  else
    g_ptr_array_add (paths, path);
}

/* LEAT_PLUGIN_PATH, then what lies beside libleat (an installation that was moved, or a build folder), then the
 * installation's folders. */
static GPtrArray *
leat_driver_list_cpu_paths (void)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  const char *folders = g_getenv ("LEAT_PLUGIN_PATH");
  g_auto (GStrv) installed = leat_system_folders_list ();
  Dl_info here;

  if (folders != NULL)
    {
      g_auto (GStrv) list = g_strsplit (folders, G_SEARCHPATH_SEPARATOR_S, -1);

      for (char **folder = list; *folder != NULL; folder++)
        if (**folder != '\0')
          leat_driver_list_add (paths, *folder, "");
    }
  if (dladdr ((gpointer) leat_driver_list_cpu_paths, &here) != 0 && here.dli_fname != NULL)
    {
      g_autofree char *folder = g_path_get_dirname (here.dli_fname);

      leat_driver_list_add (paths, folder, "leat-1.0");
      leat_driver_list_add (paths, folder, "../plugins/cpu");
    }
  for (char **folder = installed; *folder != NULL; folder++)
    leat_driver_list_add (paths, *folder, "");
  return paths;
}

char *
leat_driver_find_cpu (GError **error)
{
  const char *chosen = g_getenv ("LEAT_CPU_DRIVER");
  g_autoptr (GPtrArray) paths = NULL;
  g_autofree char *list = NULL;

  if (chosen != NULL && *chosen != '\0')
    return g_strdup (chosen);

  paths = leat_driver_list_cpu_paths ();
  for (guint i = 0; i < paths->len; i++)
    if (g_file_test (paths->pdata[i], G_FILE_TEST_IS_REGULAR))
      return g_strdup (paths->pdata[i]);

  g_ptr_array_add (paths, NULL);
  list = g_strjoinv (", ", (char **) paths->pdata);
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NO_DRIVER,
               "no CPU driver at %s: install Leat's plugins, or set LEAT_CPU_DRIVER to the path of " LEAT_CPU_LIBRARY,
               list);
  return NULL;
}

static gboolean
leat_driver_select_cpu (LeatDriverChoice *choice, GError **error)
{
  g_autofree char *path = leat_driver_find_cpu (error);

  if (path == NULL)
    return FALSE;
  choice->driver = leat_driver_open (LEAT_DRIVER_CPU, path, error);
  if (choice->driver == NULL)
    return FALSE;
  choice->ordinal = 0;
  if (leat_driver_get_device_count (choice->driver) > 0)
    return TRUE;
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NO_DEVICE, "the CPU driver %s has no device", path);
  return FALSE;
}

static LeatDriver *
leat_driver_open_cuda (GError **error)
{
  const char *chosen = g_getenv ("LEAT_CUDA_DRIVER");

  return leat_driver_open (LEAT_DRIVER_CUDA, chosen != NULL && *chosen != '\0' ? chosen : LEAT_CUDA_LIBRARY, error);
}

static gboolean
leat_driver_select_cuda (guint ordinal, LeatDriverChoice *choice, GError **error)
{
  g_autoptr (GError) local = NULL;
  guint count;

  choice->driver = leat_driver_open_cuda (&local);
  if (choice->driver == NULL)
    {
      g_prefix_error (&local, "device cuda:%u: ", ordinal);
      if (g_error_matches (local, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NO_DRIVER))
        g_set_error (error, local->domain, local->code,
                     "%s (install NVIDIA's driver 550 or newer, or use the device cpu)", local->message);
      else
        g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  choice->ordinal = ordinal;
  count = leat_driver_get_device_count (choice->driver);
  if (ordinal < count)
    return TRUE;
  if (count == 0)
    g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NO_DEVICE,
                 "no device cuda:%u: the CUDA driver has none (see nvidia-smi and CUDA_VISIBLE_DEVICES), or use the "
                 "device cpu",
                 ordinal);
  else
    g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NO_DEVICE,
                 "no device cuda:%u: the CUDA driver has %u, the last is cuda:%u", ordinal, count, count - 1);
  return FALSE;
}

/* Falls back on the CPU for an absent driver or device only; a driver that fails is for the user to see. */
static gboolean
leat_driver_select_auto (LeatDriverChoice *choice, GError **error)
{
  g_autoptr (GError) local = NULL;

  choice->driver = leat_driver_open_cuda (&local);
  if (choice->driver != NULL && leat_driver_get_device_count (choice->driver) > 0)
    return TRUE;
  if (local != NULL && !g_error_matches (local, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NO_DRIVER))
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&local),
                                  "the CUDA driver fails (use the device cpu to run without it): ");
      return FALSE;
    }
  choice->note =
    choice->driver == NULL ? "no CUDA driver found; running on the CPU" : "no CUDA device found; running on the CPU";
  return leat_driver_select_cpu (choice, error);
}

gboolean
leat_driver_select (const char *selector, LeatDriverChoice *choice, GError **error)
{
  LeatSelector parsed;

  *choice = (LeatDriverChoice){ 0 };
  if (!leat_selector_parse (leat_selector_get_text (selector), &parsed, error))
    return FALSE;
  switch (parsed.mode)
    {
    case LEAT_SELECT_AUTO:
      return leat_driver_select_auto (choice, error);
    case LEAT_SELECT_CPU:
      return leat_driver_select_cpu (choice, error);
    case LEAT_SELECT_CUDA:
      return leat_driver_select_cuda (parsed.ordinal, choice, error);
    }
  g_return_val_if_reached (FALSE);
}
