/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "device/leat-host-module.h"
#include "leat-image-internal-private.h"
#include "leat-image-scratch-private.h"
#include "leat-kernel-source-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* Images for the CPU driver, by the host's C++ compiler as a child process. */

#define LEAT_IMAGE_MESSAGES_MAX 6000

const char *
leat_image_get_sanitizer (void)
{
  const char *text = g_getenv ("LEAT_KERNEL_SANITIZE");

  return text != NULL && *text != '\0' ? text : NULL;
}

gboolean
leat_image_host_runs_variants (void)
{
  return g_strcmp0 (g_getenv ("LEAT_CPU_VARIANTS"), "0") != 0;
}

/* The words of the command that begin every call. */
static char **
leat_image_host_find_compiler (GError **error)
{
  static const char *const names[] = { "c++", "g++", "clang++" };
  const char *given = g_getenv ("LEAT_CXX");
  g_autoptr (GError) local = NULL;
  g_autofree char *path = NULL;
  char **words = NULL;

  if (given != NULL && *given != '\0')
    {
      if (!g_shell_parse_argv (given, NULL, &words, &local))
        {
          g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER, "cannot use LEAT_CXX: %s", local->message);
          return NULL;
        }
      path = g_find_program_in_path (words[0]);
      if (path != NULL)
        return words;
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER,
                   "LEAT_CXX names \"%s\", which is not a program", words[0]);
      g_strfreev (words);
      return NULL;
    }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      path = g_find_program_in_path (names[i]);
      if (path != NULL)
        {
          words = g_new0 (char *, 2);
          words[0] = g_steal_pointer (&path);
          return words;
        }
    }
  g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER,
               "running this kernel on the CPU needs a C++ compiler, and there is no c++, g++ or clang++ here; install "
               "g++, or name one in LEAT_CXX");
  return NULL;
}

/* The program behind all links, its size and its time: cheaper than asking it, and it changes when the program does. */
char *
leat_image_host_dup_identity (GError **error)
{
  g_auto (GStrv) words = leat_image_host_find_compiler (error);
  g_autofree char *path = NULL, *command = NULL, *real = NULL;
  struct stat info;

  if (words == NULL)
    return NULL;
  path = g_find_program_in_path (words[0]);
  real = path != NULL ? realpath (path, NULL) : NULL;
  if (real == NULL || stat (real, &info) != 0)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER, "cannot look at the compiler %s: %s", words[0],
                   g_strerror (errno));
      return NULL;
    }
  command = g_strjoinv (" ", words);
  return g_strdup_printf ("%s %s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%ld", command, real, (gint64) info.st_size,
                          (gint64) info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

static gboolean
leat_image_host_is_clang (const char *program)
{
  g_autofree char *path = g_find_program_in_path (program), *real = path != NULL ? realpath (path, NULL) : NULL;

  return real != NULL && strstr (real, "clang") != NULL;
}

/* What clang refuses or need not be told: it neither makes traps of what follows a null pointer, nor shows a line of a
 * file that has the kernel's name by chance. */
static void
leat_image_host_add_for_gcc (GPtrArray *args, const char *program)
{
  if (leat_image_host_is_clang (program))
    return;
  g_ptr_array_add (args, g_strdup ("-fno-isolate-erroneous-paths-dereference"));
  g_ptr_array_add (args, g_strdup ("-fno-diagnostics-show-caret"));
}

static void
leat_image_host_add_sanitizer (GPtrArray *args)
{
  const char *sanitizer = leat_image_get_sanitizer ();

  if (sanitizer == NULL)
    return;
  g_ptr_array_add (args, g_strdup_printf ("-fsanitize=%s", sanitizer));
  g_ptr_array_add (args, g_strdup ("-g1"));
  g_ptr_array_add (args, g_strdup ("-fno-omit-frame-pointer"));
  if (strstr (sanitizer, "undefined") != NULL)
    g_ptr_array_add (args, g_strdup ("-fno-sanitize=vptr,alignment"));
}

static char **
leat_image_host_make_command (char **compiler, const LeatImageTarget *target, gboolean strict, const char *output)
{
  static const char *const options[] = {
    "-x",
    "c++",
    "-std=gnu++17",
    "-O3",
    "-w",
    "-pipe",
    "-fPIC",
    "-shared",
    "-nostdlib",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    /* A wrong pointer or an endless loop must stay one: what the compiler drops, nobody is told of. */
    "-fno-delete-null-pointer-checks",
    "-fno-finite-loops",
    "-fvisibility=hidden",
    "-fno-stack-protector",
    "-fstack-clash-protection", /* a large frame must not step over the guard page */
    "-fdiagnostics-color=never",
    "-Wl,-Bsymbolic",
    "-Wl,-z,relro",
    "-Wl,-z,noexecstack",
    "-Wl,--build-id=none",
  };
  GPtrArray *args = g_ptr_array_new ();
  g_autofree char *gold = g_find_program_in_path ("ld.gold");

  for (guint i = 0; compiler[i] != NULL; i++)
    g_ptr_array_add (args, g_strdup (compiler[i]));
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    g_ptr_array_add (args, g_strdup (options[i]));
  leat_image_host_add_for_gcc (args, compiler[0]);
  g_ptr_array_add (args, g_strdup (strict ? "-ffp-contract=off" : "-ffp-contract=fast"));
  if (!strict)
    g_ptr_array_add (args, g_strdup ("-DLEAT_FAST"));
  if (leat_image_get_sanitizer () == NULL)
    {
      g_ptr_array_add (args, g_strdup ("-s"));
      g_ptr_array_add (args, g_strdup ("-fno-asynchronous-unwind-tables"));
    }
  if (gold != NULL)
    g_ptr_array_add (args, g_strdup ("-fuse-ld=gold"));
  g_ptr_array_add (args, g_strdup_printf ("-march=%s", target->level));
  leat_image_host_add_sanitizer (args);
  g_ptr_array_add (args, g_strdup ("-o"));
  g_ptr_array_add (args, g_strdup (output));
  g_ptr_array_add (args, g_strdup ("-"));
  g_ptr_array_add (args, g_strdup ("-Wl,--as-needed"));
  g_ptr_array_add (args, g_strdup ("-lm"));
  g_ptr_array_add (args, NULL);
  return (char **) g_ptr_array_free (args, FALSE);
}

/* The compiler's messages as the user needs them: their files, and no names of ours. */
static char *
leat_image_host_dup_messages (LeatKernelSource *source, const char *messages)
{
  static const char *const ours[] = { "{anonymous}::leat_module::", "(anonymous namespace)::leat_module::",
                                      "leat_module::", "{anonymous}::" };
  g_autofree char *named = leat_kernel_source_dup_messages (source, messages);
  GString *text = g_string_new (named);

  for (guint i = 0; i < G_N_ELEMENTS (ours); i++)
    g_string_replace (text, ours[i], "", 0);
  /* The struct around the file is ours too. */
  g_string_replace (text, ": In member function ", ": In function ", 0);
  if (text->len > LEAT_IMAGE_MESSAGES_MAX)
    {
      g_string_truncate (text, LEAT_IMAGE_MESSAGES_MAX);
      g_string_append (text, "\n(...)");
    }
  while (text->len > 0 && g_ascii_isspace (text->str[text->len - 1]))
    g_string_truncate (text, text->len - 1);
  return g_string_free (text, FALSE);
}

/* The text as a file to read from: a pipe to a compiler that ends early would end this process too (SIGPIPE). */
static int
leat_image_host_open_text (const char *text)
{
  int file = memfd_create ("leat-kernel", MFD_CLOEXEC);
  gsize size = strlen (text), done = 0;

  while (file >= 0 && done < size)
    {
      gssize n = write (file, text + done, size - done);

      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        {
          close (file);
          return -1;
        }
      done += n;
    }
  if (file >= 0)
    lseek (file, 0, SEEK_SET);
  return file;
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
  g_autofree char *errors = NULL, *messages = NULL;
  int file = leat_image_host_open_text (text);

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
  messages = leat_image_host_dup_messages (source, errors != NULL ? errors : "");
  if (*messages == '\0')
    {
      g_free (messages);
      messages = g_strdup_printf ("%s failed and did not say why", command[0]);
    }
  g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE, "%s does not compile for the CPU:\n%s",
               leat_kernel_source_get_name (source), messages);
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

GBytes *
leat_image_host_compile (LeatKernelSource *source, const LeatImageTarget *target, GError **error)
{
  g_auto (GStrv) compiler = leat_image_host_find_compiler (error), command = NULL;
  g_autoptr (LeatImageScratch) scratch = NULL;
  g_autofree char *output = NULL, *object = NULL, *own = NULL;
  g_autoptr (GError) local = NULL;
  const char *text;
  gsize size;
  LeatKernelForm form = leat_image_target_get_form (target) & ~LEAT_KERNEL_TIMED;

  source = compiler != NULL ? leat_image_target_get_source (target, source, error) : NULL;
  if (source == NULL)
    return NULL;
  own = form != LEAT_KERNEL_PLAIN ? leat_kernel_source_dup_host_text (source, form, error) : NULL;
  text = form != LEAT_KERNEL_PLAIN ? own : leat_kernel_source_get_host_text (source, error);
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
  command = leat_image_host_make_command (compiler, target, leat_kernel_source_is_strict (source), output);
  if (!leat_image_host_run (source, command, text, scratch, error))
    return NULL;
  if (!g_file_get_contents (output, &object, &size, &local))
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED, "cannot read the compiled %s: %s",
                 leat_kernel_source_get_name (source), local->message);
  return object != NULL ? leat_image_host_wrap (object, size) : NULL;
}
