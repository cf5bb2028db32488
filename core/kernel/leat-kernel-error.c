/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The error domain of kernel files, and why a file cannot be read. */

#include "leat-installed-private.h"
#include "leat-kernel-source-internal-private.h"
#include "leat-suggest.h"

#include <errno.h>
#include <unistd.h>

/**
 * leat_kernel_error_quark:
 *
 * Gets the domain of #LeatKernelError.
 *
 * Returns: the quark
 */
/* clang-format off */
G_DEFINE_QUARK (leat-kernel-error-quark, leat_kernel_error)
/* clang-format on */

/* GLib's own message names the path once more, in other quotation marks. */
char *
leat_kernel_source_dup_read_fault (const char *path, const GError *error)
{
  int code = access (path, R_OK) != 0 ? errno : g_file_test (path, G_FILE_TEST_IS_DIR) ? EISDIR : 0;
  g_autofree char *installed = code == ENOENT ? leat_installed_suggest (path) : NULL;
  g_autofree char *near = code == ENOENT ? leat_suggest_file (path) : NULL;

  if (installed != NULL)
    return g_strdup_printf ("%s (the one that comes with Leat is \"%s\")", g_strerror (code), installed);
  if (near != NULL)
    return g_strdup_printf ("%s (did you mean \"%s\"?)", g_strerror (code), near);
  return g_strdup (code != 0 ? g_strerror (code) : error->message);
}
