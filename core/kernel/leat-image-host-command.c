/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The compiler of images for the CPU driver: which one it is, and the options of each call. */

#include "leat-image-internal-private.h"
#include "leat-kernel-source-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

char **
leat_image_host_find_compiler (GError **error)
{
  static const char *const names[] = { "clang++",    "clang++-20", "clang++-19", "clang++-18",
                                       "clang++-17", "clang++-16", "clang++-15", "clang++-14",
                                       "c++",        "g++",        NULL };
  /* The sanitizer's runtime is the program's, which most often is that of the system's own compiler. */
  static const char *const sanitizing[] = { "c++", "g++", "clang++", NULL };
  const char *const *name = leat_image_get_sanitizer () != NULL ? sanitizing : names;
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
  for (; *name != NULL; name++)
    {
      path = g_find_program_in_path (*name);
      if (path != NULL)
        {
          words = g_new0 (char *, 2);
          words[0] = g_steal_pointer (&path);
          return words;
        }
    }
  g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER,
               "running this kernel on the CPU needs a C++ compiler, and there is no clang++, c++ or g++ here; install "
               "clang, or name one in LEAT_CXX");
  return NULL;
}

/* A name that says it, of the command (before which another may stand, such as ccache) or behind its links. */
static gboolean
leat_image_host_is_clang (char **compiler)
{
  for (guint i = 0; compiler[i] != NULL && compiler[i][0] != '-'; i++)
    {
      g_autofree char *path = g_find_program_in_path (compiler[i]), *name = g_path_get_basename (compiler[i]);
      g_autofree char *real = path != NULL ? realpath (path, NULL) : NULL;

      if (strstr (name, "clang") != NULL || (real != NULL && strstr (real, "clang") != NULL))
        return TRUE;
    }
  return FALSE;
}

gboolean
leat_image_host_settles (char **compiler)
{
  return leat_image_get_sanitizer () == NULL && leat_image_host_is_clang (compiler);
}

GError *
leat_image_host_check_values (void)
{
  g_auto (GStrv) compiler = leat_image_host_find_compiler (NULL);

  if (compiler == NULL || leat_image_get_sanitizer () != NULL || leat_image_host_settles (compiler))
    return NULL;
  return g_error_new (
    LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER,
    "kernels for the CPU are compiled by %s, which makes anything of the casts, shifts and divisions that "
    "C++ leaves open and a GPU defines; with clang++ installed, or named in LEAT_CXX, they are as on a GPU",
    compiler[0]);
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
  return g_strdup_printf ("%s %s %" G_GINT64_FORMAT " %" G_GINT64_FORMAT ".%ld %s", command, real,
                          (gint64) info.st_size, (gint64) info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                          leat_image_host_settles (words) ? "settled" : "open");
}

static void
leat_image_host_add_sanitizer (GPtrArray *args, gboolean is_clang)
{
  const char *sanitizer = leat_image_get_sanitizer ();

  if (sanitizer == NULL)
    return;
  g_ptr_array_add (args, g_strdup_printf ("-fsanitize=%s", sanitizer));
  g_ptr_array_add (args, g_strdup ("-g1"));
  g_ptr_array_add (args, g_strdup ("-fno-omit-frame-pointer"));
  if (strstr (sanitizer, "undefined") != NULL)
    g_ptr_array_add (args, g_strdup ("-fno-sanitize=vptr,alignment"));
  /* GCC up to 13.2 aligns frames outside the stack to 32 bytes, and stores words of 64 into them that have to be
   * aligned: kernels for AVX-512 crash (GCC's bug 110027). */
  if (!is_clang && strstr (sanitizer, "address") != NULL)
    g_ptr_array_add (args, g_strdup ("--param=asan-use-after-return=0"));
}

static void
leat_image_host_add_all (GPtrArray *args, const char *const *words)
{
  for (guint i = 0; words[i] != NULL; i++)
    g_ptr_array_add (args, g_strdup (words[i]));
}

/* Options for C++.  No line of the text is shown in messages: users know neither the text that the compiler is given,
 * nor a file that has the kernel's name by chance. */
static void
leat_image_host_add_language (GPtrArray *args, gboolean is_clang, gboolean strict)
{
  static const char *const options[] = {
    "-std=gnu++17", "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fno-math-errno", "-fno-trapping-math",
    "-fno-strict-aliasing",
    /* A wrong pointer or an endless loop must stay one: what the compiler drops,
       nobody is told of. */
    "-fno-delete-null-pointer-checks", "-fno-finite-loops", "-fwrapv", "-fvisibility=hidden", "-fno-stack-protector",
    "-fstack-clash-protection", /* a large frame must not step over the guard page */
    "-fdiagnostics-color=never", NULL
  };
  static const char *const gcc[] = { "-fno-isolate-erroneous-paths-dereference", "-fno-diagnostics-show-caret",
                                     "-ftabstop=1", NULL };
  static const char *const clang[] = { "-fno-caret-diagnostics", NULL };

  leat_image_host_add_all (args, options);
  leat_image_host_add_all (args, is_clang ? clang : gcc);
  if (!strict)
    g_ptr_array_add (args, g_strdup ("-DLEAT_FAST"));
  leat_image_host_add_sanitizer (args, is_clang);
}

static void
leat_image_host_add_linker (GPtrArray *args)
{
  static const char *const options[] = {
    "-shared", "-nostdlib", "-Wl,-Bsymbolic", "-Wl,-z,relro", "-Wl,-z,noexecstack", "-Wl,--build-id=none", NULL
  };
  g_autofree char *gold = g_find_program_in_path ("ld.gold");

  leat_image_host_add_all (args, options);
  if (leat_image_get_sanitizer () == NULL)
    g_ptr_array_add (args, g_strdup ("-s"));
  if (gold != NULL)
    g_ptr_array_add (args, g_strdup ("-fuse-ld=gold"));
}

char **
leat_image_host_make_command (char **compiler, const LeatImageTarget *target, gboolean strict, const char *language,
                              const char *output)
{
  static const char *const settled[] = {
    "-S", "-emit-llvm", "-Xclang", "-disable-llvm-passes", "-Xclang", "-ffp-exception-behavior=maytrap", NULL
  };
  const char *const ends[] = { "-o",  output,  "-x", language, "-", "-Wl,--as-needed",
                               "-lm", "-lgcc", /* what takes no single instruction, such as a product of __int128 */
                               NULL };
  gboolean from_llvm = g_str_equal (language, "ir"), to_llvm = !from_llvm && leat_image_host_settles (compiler);
  GPtrArray *args = g_ptr_array_new ();

  leat_image_host_add_all (args, (const char *const *) compiler);
  leat_image_host_add_all (args, (const char *[]){ "-O3", "-w", "-fPIC", NULL });
  g_ptr_array_add (args, g_strdup (strict ? "-ffp-contract=off" : "-ffp-contract=fast"));
  g_ptr_array_add (args, g_strdup_printf ("-march=%s", target->level));
  if (leat_image_get_sanitizer () == NULL)
    g_ptr_array_add (args, g_strdup ("-fno-asynchronous-unwind-tables"));
  if (!from_llvm)
    leat_image_host_add_language (args, leat_image_host_is_clang (compiler), strict);
  if (to_llvm)
    leat_image_host_add_all (args, settled);
  else
    leat_image_host_add_linker (args);
  leat_image_host_add_all (args, ends);
  g_ptr_array_add (args, NULL);
  return (char **) g_ptr_array_free (args, FALSE);
}
