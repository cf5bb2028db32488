/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leat-plugin-scan PLUGIN...: opens plugins and writes their descriptions to standard output, for the registry.  It is
 * a process of its own because to open a plugin is to run code of it.
 */

/* leat-plugin-scan: the helper process that opens plugins and writes their descriptions to its output.  A plugin that
 * crashes ends this process, and not the application. */

#include "../leat-plugin-entry-private.h"
#include "leat.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
/* A crash shall end the process by its signal, which the registry tells, and not in a report. */
const char *__asan_default_options (void);

__attribute__ ((visibility ("default"))) const char *
__asan_default_options (void)
{
  return "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0:handle_sigill=0:detect_leaks=0";
}
#endif

static gboolean
leat_plugin_scan_write (int fd, gconstpointer data, gsize size)
{
  for (const char *at = data; size > 0;)
    {
      gssize n = write (fd, at, size);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      at += n;
      size -= n;
    }
  return TRUE;
}

static GVariant *
leat_plugin_scan_refuse (const char *reason)
{
  g_autofree char *valid = g_utf8_make_valid (reason, -1);

  return g_variant_new (LEAT_PLUGIN_ANSWER_VARIANT, valid, NULL);
}

static GVariant *
leat_plugin_scan_open (const char *path)
{
  void *module = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  const LeatPluginInfo *info = module != NULL ? dlsym (module, LEAT_PLUGIN_SYMBOL) : NULL;
  g_autoptr (GError) error = NULL;

  if (module == NULL)
    return leat_plugin_scan_refuse (dlerror ());
  if (info == NULL)
    return leat_plugin_scan_refuse ("it is not a Leat plugin: it has no symbol " LEAT_PLUGIN_SYMBOL);
  if (!leat_plugin_info_check (info, &error))
    return leat_plugin_scan_refuse (error->message);
  return g_variant_new ("(s@m" LEAT_PLUGIN_VARIANT ")", "",
                        g_variant_new_maybe (NULL, leat_plugin_info_to_variant (info)));
}

static gboolean
leat_plugin_scan_answer (int fd, const char *path)
{
  g_autoptr (GVariant) answer = g_variant_ref_sink (leat_plugin_scan_open (path));
  guint32 size = (guint32) g_variant_get_size (answer);

  return leat_plugin_scan_write (fd, &size, sizeof size)
         && leat_plugin_scan_write (fd, g_variant_get_data (answer), size);
}

int
main (int argc, char **argv)
{
  const struct rlimit no_core = { 0, 0 };
  int fd = fcntl (STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);

  /* The output of a plugin goes elsewhere than our answers. */
  if (fd < 0 || dup2 (STDERR_FILENO, STDOUT_FILENO) < 0)
    return 1;
  setrlimit (RLIMIT_CORE, &no_core);
  if (!leat_plugin_scan_write (fd, LEAT_PLUGIN_SCAN_HELLO, strlen (LEAT_PLUGIN_SCAN_HELLO)))
    return 1;
  for (int i = 1; i < argc; i++)
    if (!leat_plugin_scan_answer (fd, argv[i]))
      return 1;
  /* Destructors are code of the plugins too. */
  _exit (0);
}
