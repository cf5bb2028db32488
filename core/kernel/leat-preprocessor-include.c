/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* #include: files beside the one that names them, what the library brings, and system headers whose contents the
 * dialect provides. */

#include "leat-kernel-bring-private.h"
#include "leat-kernel-file-private.h"
#include "leat-kernel-source-private.h"
#include "leat-kernel-transform-private.h"
#include "leat-preprocessor-private.h"
#include "leat-supply-private.h"

#include <string.h>

#define LEAT_PP_INCLUDE_DEPTH 64

static const char *const leat_pp_provided[] = {
  "stdint.h",
  "cstdint",
  "inttypes.h",
  "cinttypes",
  "stddef.h",
  "cstddef",
  "stdbool.h",
  "math.h",
  "float.h",
  "cfloat",
  "limits.h",
  "climits",
  "stdio.h",
  "cstdio",
  "assert.h",
  "cassert",
  "string.h",
  "cuda.h",
  "cuda_runtime.h",
  "cuda_runtime_api.h",
  "device_launch_parameters.h",
  "device_functions.h",
  "device_atomic_functions.h",
  "vector_types.h",
  "vector_functions.h",
  "math_constants.h",
  "math_functions.h",
  "leat-kernel.h",
  "leat/kernel.h",
  NULL,
};

/* Texts for kernels that the library brings, in core/kernel/device. */
static const char *const leat_pp_brought[] = { "leat-frontier.h", NULL };

guint
leat_pp_add_label (LeatPreprocessor *self, const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  guint n = self->out->files->len, same = 0;

  for (guint i = 0; i < n; i++)
    {
      if (g_str_equal (g_ptr_array_index (self->out->files, i), path))
        return i;
      if (g_str_has_prefix (g_ptr_array_index (self->out->labels, i), base))
        same++;
    }
  g_ptr_array_add (self->out->files, g_strdup (path));
  g_strdelimit (base, "\"\\\n", '_');
  g_ptr_array_add (self->out->labels, same ? g_strdup_printf ("%s~%u", base, same) : g_strdup (base));
  return n;
}

/* The header that a line goes on with, marks included: "x.h" or <x.h>; NULL where it is neither. (transfer full) */
static char *
leat_pp_read_header (LeatPreprocessor *self)
{
  g_autoptr (GString) out = g_string_new (NULL);
  char open, close;

  leat_pp_skip_blanks (self);
  open = leat_pp_peek (self->file);
  close = open == '<' ? '>' : '"';
  if (open != '<' && open != '"')
    return NULL;
  do
    {
      g_string_append_c (out, *self->file->at);
      leat_pp_step (self->file);
      if (out->len > 1 && out->str[out->len - 1] == close)
        return g_string_free (g_steal_pointer (&out), FALSE);
      leat_pp_peek (self->file);
    }
  while (*self->file->at != '\0' && *self->file->at != '\n');
  return NULL;
}

/* The same where macros make it, up to the end of the line or, of __has_include, its parenthesis. */
static char *
leat_pp_expand_header (LeatPreprocessor *self)
{
  g_autoptr (GString) out = g_string_new (NULL);
  LeatPpToken token;

  for (leat_pp_next (self, &token); token.kind != LEAT_PP_END; leat_pp_next (self, &token))
    {
      if (token.kind == LEAT_PP_PADDING)
        continue;
      if (out->len > 0 && (token.flags & LEAT_PP_WHITE))
        g_string_append_c (out, ' ');
      g_string_append_len (out, token.text, token.length);
      if (token.kind == LEAT_PP_STRING || leat_pp_is (&token, ">"))
        break;
    }
  if (out->len > 2
      && ((out->str[0] == '<' && out->str[out->len - 1] == '>')
          || (out->str[0] == '"' && token.kind == LEAT_PP_STRING)))
    return g_string_free (g_steal_pointer (&out), FALSE);
  return NULL;
}

/* Where a file beside the one that is read lies. (transfer full) */
static char *
leat_pp_dup_target (LeatPreprocessor *self, const char *name)
{
  g_autofree char *folder = g_path_get_dirname (self->file->path);
  g_autofree char *joined = g_path_is_absolute (name) ? g_strdup (name) : g_build_filename (folder, name, NULL);

  return leat_supply_resolve (folder, g_str_has_prefix (joined, "./") ? joined + 2 : joined);
}

static void
leat_pp_note_asked (LeatPreprocessor *self, const char *path)
{
  if (!g_ptr_array_find_with_equal_func (self->out->asked, path, g_str_equal, NULL))
    g_ptr_array_add (self->out->asked, g_strdup (path));
}

static gboolean
leat_pp_is_there (LeatPreprocessor *self, const char *path)
{
  leat_pp_note_asked (self, path);
  return leat_kernel_texts_has (self->out->texts, path) || leat_supply_has (path);
}

/* The line is right, and the file that it names is not. */
G_GNUC_PRINTF (3, 4)
static void
leat_pp_fail_source (LeatPreprocessor *self, guint line, const char *format, ...)
{
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  leat_pp_fail (self, line, 0, "%s", message);
  self->error->code = LEAT_KERNEL_ERROR_SOURCE;
}

/* Headers that a program brings along for its host code, or that toolkits have for it; the rest of a program's own
 * headers have to be there. */
static gboolean
leat_pp_is_for_host (const char *name)
{
  static const char *const names[] = { "exception.h", "drvapi_error_string.h", "nvrtc_helper.h", "timer.h", NULL };
  static const char *const prefixes[] = { "helper_cuda",
                                          "helper_functions",
                                          "helper_timer",
                                          "helper_string",
                                          "helper_image",
                                          "helper_gl",
                                          "helper_multiprocess",
                                          "cublas",
                                          "cufft",
                                          "curand.h",
                                          "cusparse",
                                          "cusolver",
                                          "nvml",
                                          "nvToolsExt",
                                          "nvtx3/" };

  if (g_strv_contains (names, name))
    return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (g_str_has_prefix (name, prefixes[i]))
      return TRUE;
  return FALSE;
}

/* No header of C, C++ or the system: a name with a dot, and no folder of a library's before it. */
static gboolean
leat_pp_may_be_own (const char *header)
{
  static const char *const of_c[] = { "complex.h", "ctype.h", "errno.h",   "fenv.h",   "locale.h", "malloc.h",
                                      "memory.h",  "omp.h",   "pthread.h", "setjmp.h", "signal.h", "stdarg.h",
                                      "stdlib.h",  "time.h",  "unistd.h",  "wchar.h",  "fcntl.h",  "windows.h",
                                      "getopt.h",  "mpi.h",   "strings.h", NULL };

  return strchr (header, '.') != NULL && strchr (header, '/') == NULL && !g_strv_contains (of_c, header);
}

/* Host code needs system headers, and kernels have none of them.  What a kernel uses of one that Leat lacks is named
 * when the kernel is compiled.  Headers of the dialect are no such. */
static void
leat_pp_pass_header (LeatPreprocessor *self, guint line, const char *header)
{
  if (g_str_has_prefix (header, "leat"))
    leat_pp_fail_source (
      self, line,
      "cannot include <%s>: of Leat's own there is <leat-frontier.h>; the rest of the dialect needs no "
      "include",
      header);
  else if (g_str_has_prefix (header, "cuda_fp") || g_str_has_prefix (header, "cuda_bf"))
    leat_pp_fail_source (self, line,
                         "cannot include <%s>: of CUDA's number types there are <cuda_fp16.h>, <cuda_bf16.h>, "
                         "<cuda_fp8.h> and <cuComplex.h>",
                         header);
  else if (leat_pp_may_be_own (header) && !leat_pp_is_for_host (header)
           && !g_ptr_array_find_with_equal_func (self->out->passed, header, g_str_equal, NULL))
    g_ptr_array_add (self->out->passed, g_strdup (header));
}

/* A file may include itself for as long as a condition ends that. */
static gboolean
leat_pp_check_depth (LeatPreprocessor *self, guint line, const char *target)
{
  gboolean again = FALSE;

  if (self->depth < LEAT_PP_INCLUDE_DEPTH)
    return TRUE;
  for (const LeatPreprocessorFile *file = self->file; file != NULL; file = file->parent)
    again = again || g_str_equal (file->path, target);
  if (again)
    leat_pp_fail_source (self, line, "\"%s\" includes itself; put #pragma once at its top", target);
  else
    leat_pp_fail_source (self, line, "includes are nested more than %d deep", LEAT_PP_INCLUDE_DEPTH);
  return FALSE;
}

/* A file of the name that lies beside one of those that led here, as a program's own folders of headers would find it.
 * (transfer full) (nullable) */
static char *
leat_pp_find_elsewhere (LeatPreprocessor *self, const char *name)
{
  for (const LeatPreprocessorFile *file = self->file->parent; file != NULL; file = file->parent)
    {
      g_autofree char *folder = g_path_get_dirname (file->path), *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_strdup (g_str_has_prefix (path, "./") ? path + 2 : path);
    }
  return NULL;
}

static void
leat_pp_fail_read (LeatPreprocessor *self, guint line, const char *header, const char *target, const GError *error)
{
  g_autofree char *fault = leat_kernel_source_dup_read_fault (target, error);
  g_autofree char *folder = g_path_get_dirname (target), *base = g_path_get_basename (header);
  g_autofree char *elsewhere = leat_pp_find_elsewhere (self, header);

  if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    leat_pp_fail_source (self, line, "cannot include \"%s\": %s", header, fault);
  else if (elsewhere != NULL)
    leat_pp_fail_source (self, line,
                         "cannot include \"%s\": there is %s, but only the folder of the file with the #include is "
                         "searched; write the path from %s to it",
                         header, elsewhere, self->file->path);
  else
    leat_pp_fail_source (self, line,
                         "cannot include \"%s\": %s; only %s is searched, so put %s there, or write the path from %s "
                         "to it",
                         header, fault, g_str_equal (folder, ".") ? "the current folder" : folder, base,
                         self->file->path);
}

static void
leat_pp_inline (LeatPreprocessor *self, guint line, const char *header, const char *target, gboolean once)
{
  const char *identity = leat_kernel_texts_identify (self->out->texts, target), *text;
  g_autoptr (GError) local = NULL;

  if (once && g_hash_table_contains (self->seen, identity))
    g_hash_table_add (self->once, g_strdup (identity));
  if (g_hash_table_contains (self->once, identity))
    return;
  if (!leat_pp_check_depth (self, line, target))
    return;
  text = leat_kernel_texts_get (self->out->texts, target, &local);
  if (text == NULL)
    {
      leat_pp_fail_read (self, line, header, target, local);
      return;
    }
  if (once)
    g_hash_table_add (self->once, g_strdup (identity));
  g_hash_table_add (self->seen, g_strdup (identity));
  leat_pp_read_file (self, target, text);
}

void
leat_pp_mark_once (LeatPreprocessor *self)
{
  g_hash_table_add (self->once, g_strdup (leat_kernel_texts_identify (self->out->texts, self->file->path)));
}

static void
leat_pp_bring (LeatPreprocessor *self, const char *header)
{
  g_autofree char *text = NULL;

  if (!g_hash_table_add (self->once, g_strdup (header)))
    return;
  text = leat_kernel_dup_device_text (header);
  leat_kernel_texts_add (self->out->texts, header, text);
  leat_pp_read_file (self, header, leat_kernel_texts_get (self->out->texts, header, NULL));
}

/* What it declares stands before the whole text; here a pragma says so. */
static void
leat_pp_put_before (LeatPreprocessor *self, guint line, const char *header)
{
  g_autofree char *text = NULL;

  if (!g_hash_table_add (self->once, g_strdup (header)))
    return;
  text = leat_kernel_dup_bring_line (header);
  leat_pp_write_line (self, line, text);
}

/* A program has the number types of host libraries without naming their headers. */
static void
leat_pp_bring_along (LeatPreprocessor *self, guint line, const char *header)
{
  g_autoptr (GPtrArray) lines = leat_kernel_list_along_lines (header);

  for (guint i = 0; i < lines->len; i++)
    if (g_hash_table_add (self->once, g_strdup (g_ptr_array_index (lines, i))))
      leat_pp_write_line (self, line, g_ptr_array_index (lines, i));
}

/* @header: with its marks */
static void
leat_pp_open (LeatPreprocessor *self, guint line, char *header, gboolean once)
{
  gboolean beside = header[0] == '"';
  char *name = header + 1;
  g_autofree char *target = NULL;

  name[strlen (name) - 1] = '\0';
  target = leat_pp_dup_target (self, name);
  if (beside && leat_pp_is_there (self, target))
    {
      leat_pp_inline (self, line, name, target, once);
      return;
    }
  leat_pp_bring_along (self, line, name);
  if (g_strv_contains (leat_pp_provided, name))
    return;
  if (g_strv_contains (leat_pp_brought, name))
    leat_pp_bring (self, name);
  else if (leat_kernel_brings (name))
    leat_pp_put_before (self, line, name);
  else if (beside && !leat_pp_is_for_host (name))
    leat_pp_inline (self, line, name, target, once);
  else if (!beside)
    leat_pp_pass_header (self, line, name);
}

/* The rest of the line means nothing, whether it stands there or a macro brought it. */
static void
leat_pp_drop_line (LeatPreprocessor *self)
{
  LeatPpToken token;

  self->prevent++;
  do
    leat_pp_next (self, &token);
  while (token.kind != LEAT_PP_END);
  self->prevent--;
}

void
leat_pp_include (LeatPreprocessor *self, gboolean once)
{
  guint line = self->file->line;
  g_autofree char *header = leat_pp_read_header (self);

  if (header == NULL && self->error == NULL)
    header = leat_pp_expand_header (self);
  if (self->error != NULL)
    return;
  if (header == NULL)
    {
      leat_pp_fail (self, line, 0, "expected \"file\" after #include");
      return;
    }
  leat_pp_drop_line (self);
  if (self->error == NULL && *self->file->at == '\n')
    leat_pp_step (self->file);
  self->file->fresh = TRUE;
  if (self->collecting > 0 && self->error == NULL)
    leat_pp_fail (self, line, 0, "a file cannot be included between the arguments of a macro");
  self->in_directive = FALSE;
  if (self->error == NULL)
    leat_pp_open (self, line, header, once);
}

gboolean
leat_pp_has_include (LeatPreprocessor *self)
{
  g_autofree char *header = NULL, *target = NULL;
  guint line = self->file->line;
  LeatPpToken token;
  char *name;

  do
    leat_pp_next (self, &token);
  while (token.kind == LEAT_PP_PADDING);
  if (leat_pp_is (&token, "(") && self->contexts->len == 0)
    header = leat_pp_read_header (self);
  if (header == NULL && self->error == NULL && leat_pp_is (&token, "("))
    header = leat_pp_expand_header (self);
  do
    leat_pp_next (self, &token);
  while (token.kind == LEAT_PP_PADDING);
  if (header == NULL || !leat_pp_is (&token, ")"))
    {
      leat_pp_fail (self, line, 0, "expected a header in parentheses after __has_include");
      return FALSE;
    }
  name = header + 1;
  name[strlen (name) - 1] = '\0';
  target = leat_pp_dup_target (self, name);
  return (header[0] == '"' && leat_pp_is_there (self, target)) || g_strv_contains (leat_pp_provided, name)
         || g_strv_contains (leat_pp_brought, name) || leat_kernel_brings (name);
}
