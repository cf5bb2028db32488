/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Images for the CPU driver, by the host's C++ compiler as a child process.  Clang is asked twice, and between the two
 * what C++ leaves open is settled as a GPU has it (leat-image-values.c); of other compilers there is no asking for
 * that. */

#include "device/leat-host-module.h"
#include "leat-image-internal-private.h"
#include "leat-image-scratch-private.h"
#include "leat-image-values-private.h"
#include "leat-kernel-source-private.h"
#include "leat-supply-private.h"
#include "driver/leat-thread-private.h"

#include <errno.h>
#include <string.h>
#include <xxhash.h>

#define LEAT_IMAGE_MESSAGES_MAX 6000

/* 1 when a compiler was used that cannot be asked to settle anything, 2 when that was told. */
static int leat_image_host_left_open;

GError *
leat_image_host_take_warning (void)
{
  return g_atomic_int_compare_and_exchange (&leat_image_host_left_open, 1, 2) ? leat_image_host_check_values () : NULL;
}

/* Clang's notes on what else there is lead into headers of ours and into macros of theirs. */
static void
leat_image_host_append_without_notes (GString *text, const char *messages)
{
  g_auto (GStrv) lines = g_strsplit (messages, "\n", -1);

  for (guint i = 0; lines[i] != NULL; i++)
    if (strstr (lines[i], ": note: ") == NULL
        || !(g_str_has_prefix (lines[i], "leat-") || g_str_has_prefix (lines[i], "<scratch space>")))
      g_string_append_printf (text, "%s\n", lines[i]);
}

/* The compiler's messages as the user needs them: their files, and no names of ours. */
static char *
leat_image_host_dup_messages (LeatKernelSource *source, const char *messages, const char *compiled)
{
  static const char *const ours[] = { "(anonymous namespace)::",
                                      "{anonymous}::",
                                      "leat_module *leat_self, ",
                                      "leat_module *leat_self",
                                      "leat_module*, ",
                                      "leat_module *, ",
                                      "leat_module*",
                                      "leat_module *",
                                      "leat_module::",
                                      "leat_thread::",
                                      "leat_me (leat_self)->",
                                      "leat_me(leat_self)->" };
  g_autofree char *named = leat_kernel_source_dup_messages (source, messages, compiled);
  GString *text = g_string_new (NULL);

  leat_image_host_append_without_notes (text, named);
  for (guint i = 0; i < G_N_ELEMENTS (ours); i++)
    g_string_replace (text, ours[i], "", 0);
  /* Clang shows the text of an assertion as it is written. */
  g_string_replace (text, "\\\"", "\"", 0);
  if (text->len > LEAT_IMAGE_MESSAGES_MAX)
    {
      const char *end;

      /* Not in the midst of a character. */
      g_utf8_validate (text->str, LEAT_IMAGE_MESSAGES_MAX, &end);
      g_string_truncate (text, end - text->str);
      g_string_append (text, "\n(...)");
    }
  while (text->len > 0 && g_ascii_isspace (text->str[text->len - 1]))
    g_string_truncate (text, text->len - 1);
  return g_string_free (text, FALSE);
}

static gboolean
leat_image_host_run (LeatKernelSource *source, char **command, const char *text, LeatImageScratch *scratch,
                     GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher =
    g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE);
  g_autoptr (GSubprocess) child = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (GError) local = NULL;
  g_autofree char *errors = NULL, *messages = NULL, *passed = NULL;
  int file = leat_supply_make_file (text, strlen (text));

  if (file < 0)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED, "cannot hand %s to the compiler: %s",
                   leat_kernel_source_get_name (source), g_strerror (errno));
      return FALSE;
    }
  g_subprocess_launcher_take_stdin_fd (launcher, file);
  /* Its messages are read by people who may have set any language, and by us. */
  g_subprocess_launcher_setenv (launcher, "LC_ALL", "C.UTF-8", TRUE);
  g_subprocess_launcher_unsetenv (launcher, "LD_PRELOAD");
  g_subprocess_launcher_setenv (launcher, "TMPDIR", leat_image_scratch_get_folder (scratch), TRUE);
  /* GLib watches a child from a thread of its own. */
  if (leat_thread_check (&local))
    child = g_subprocess_launcher_spawnv (launcher, (const char *const *) command, &local);
  leat_image_scratch_set_child (scratch, child);
  if (child == NULL || !g_subprocess_communicate (child, NULL, NULL, NULL, &output, &local))
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER, "cannot run the C++ compiler %s: %s",
                   command[0], local->message);
      return FALSE;
    }
  if (g_subprocess_get_successful (child))
    return TRUE;
  /* It may quote the text, which can be of any encoding. */
  if (g_bytes_get_size (output) > 0)
    errors = g_utf8_make_valid (g_bytes_get_data (output, NULL), g_bytes_get_size (output));
  messages = leat_image_host_dup_messages (source, errors != NULL ? errors : "", text);
  if (*messages == '\0')
    {
      g_free (messages);
      messages = g_strdup_printf ("%s failed and did not say why", command[0]);
    }
  passed = leat_kernel_source_dup_passed (source);
  g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE, "%s does not compile for the CPU:\n%s%s",
               leat_kernel_source_get_name (source), messages, passed);
  return FALSE;
}

static GBytes *
leat_image_host_wrap (const char *object, gsize size)
{
  LeatHostImageHeader header = { .size = size, .check = XXH3_64bits (object, size) };
  guint8 *image = g_malloc (sizeof header + size);

  memcpy (header.magic, LEAT_HOST_IMAGE_MAGIC, sizeof header.magic);
  memcpy (image, &header, sizeof header);
  memcpy (image + sizeof header, object, size);
  return g_bytes_new_take (image, sizeof header + size);
}

/* The shared object of @text, at @output. */
static gboolean
leat_image_host_make_object (LeatKernelSource *source, const LeatImageTarget *target, char **compiler, const char *text,
                             LeatImageScratch *scratch, const char *output, GError **error)
{
  gboolean strict = (leat_kernel_source_get_floats (source) & LEAT_FLOATS_CONTRACT) == 0;
  g_autofree char *between = g_build_filename (leat_image_scratch_get_folder (scratch), "image.ll", NULL);
  g_auto (GStrv) first = leat_image_host_make_command (compiler, target, strict, "c++",
                                                       leat_image_host_settles (compiler) ? between : output);
  g_auto (GStrv) second = NULL;
  g_autofree char *open = NULL, *settled = NULL;
  g_autoptr (GError) local = NULL;

  if (!leat_image_host_run (source, first, text, scratch, error))
    return FALSE;
  if (!leat_image_host_settles (compiler))
    {
      g_atomic_int_compare_and_exchange (&leat_image_host_left_open, 0, 1);
      return TRUE;
    }
  if (!g_file_get_contents (between, &open, NULL, &local))
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED, "cannot read the compiled %s: %s",
                   leat_kernel_source_get_name (source), local->message);
      return FALSE;
    }
  settled = leat_image_settle_values (open);
  second = leat_image_host_make_command (compiler, target, strict, "ir", output);
  return leat_image_host_run (source, second, settled, scratch, error);
}

GBytes *
leat_image_host_compile (LeatKernelSource *source, const LeatImageTarget *target, GError **error)
{
  g_auto (GStrv) compiler = leat_image_host_find_compiler (error);
  g_autoptr (LeatImageScratch) scratch = NULL;
  g_autofree char *output = NULL, *object = NULL, *text = NULL;
  g_autoptr (GError) local = NULL;
  gsize size;

  source = compiler != NULL ? leat_image_target_get_source (target, source, error) : NULL;
  text = source != NULL ? leat_image_dup_text (source, target, error) : NULL;
  if (text == NULL)
    return NULL;
  scratch = leat_image_scratch_new (&local);
  if (scratch == NULL)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED, "cannot compile %s: %s",
                   leat_kernel_source_get_name (source), local->message);
      return NULL;
    }
  output = g_build_filename (leat_image_scratch_get_folder (scratch), "image.so", NULL);
  if (!leat_image_host_make_object (source, target, compiler, text, scratch, output, error))
    return NULL;
  if (!g_file_get_contents (output, &object, &size, &local))
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED, "cannot read the compiled %s: %s",
                 leat_kernel_source_get_name (source), local->message);
  return object != NULL ? leat_image_host_wrap (object, size) : NULL;
}
