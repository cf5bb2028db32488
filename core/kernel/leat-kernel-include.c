/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-kernel-file-private.h"
#include "leat-kernel-source-private.h"
#include "leat-kernel-token-private.h"
#include "leat-kernel-transform-private.h"

#include <string.h>
#include <xxhash.h>

/* Inlines `#include "x"`, and what the library brings, and drops the system headers whose contents the dialect header
 * provides. */

#define LEAT_KERNEL_MAX_BYTES (16u << 20)
#define LEAT_KERNEL_MAX_DEPTH 64

typedef struct
{
  LeatKernelText *out;
  GString *text;
  GHashTable *once; /* paths that are not inlined again */
  GPtrArray *stack; /* paths being read */
} LeatIncluder;

static const char *const leat_includer_provided[] = {
  "stdint.h",
  "cstdint",
  "inttypes.h",
  "cinttypes",
  "stddef.h",
  "cstddef",
  "stdbool.h",
  "math.h",
  "cmath",
  "float.h",
  "cfloat",
  "limits.h",
  "climits",
  "stdio.h",
  "cstdio",
  "assert.h",
  "cassert",
  "string.h",
  "cstring",
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
static const char *const leat_includer_brought[] = { "leat-frontier.h", NULL };

static gboolean leat_includer_read (LeatIncluder *self, const char *path, const char *text, GError **error);

/* Base names, made different where two files share one. */
static guint
leat_includer_add_file (LeatIncluder *self, const char *path)
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

static void
leat_includer_place (LeatIncluder *self, guint file, guint line)
{
  g_string_append_printf (self->text, "#line %u \"%s\"\n", line, (char *) g_ptr_array_index (self->out->labels, file));
}

static gboolean
leat_includer_refuse (const char *path, guint line, const char *header, GError **error)
{
  const char *hint = "kernels are compiled without system headers; what CUDA C and the C mathematics library offer is "
                     "there without an include";

  if (g_str_has_prefix (header, "cooperative_groups"))
    hint = "a block's sync () is __syncthreads (), that of a tile of a warp __syncwarp (), and that of the whole grid "
           "leat_grid_sync (), for which the node needs cooperative=true";
  else if (g_str_has_prefix (header, "leat"))
    hint = "of Leat's own there is <leat-frontier.h>; the rest of the dialect needs no include";
  else if (g_str_has_prefix (header, "cuda_fp16") || g_str_has_prefix (header, "cuda_bf16"))
    hint = "half-precision arithmetic is not offered in kernels yet";
  g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE, "%s:%u: cannot include <%s>: %s", path, line, header,
               hint);
  return FALSE;
}

static gboolean
leat_includer_check_stack (LeatIncluder *self, const char *path, guint line, const char *target, GError **error)
{
  for (guint i = 0; i < self->stack->len; i++)
    if (g_str_equal (g_ptr_array_index (self->stack, i), target))
      {
        g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE,
                     "%s:%u: \"%s\" includes itself; put #pragma once at its top", path, line, target);
        return FALSE;
      }
  if (self->stack->len < LEAT_KERNEL_MAX_DEPTH)
    return TRUE;
  g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE, "%s:%u: includes are nested more than %d deep", path,
               line, LEAT_KERNEL_MAX_DEPTH);
  return FALSE;
}

static gboolean
leat_includer_inline (LeatIncluder *self, const char *path, guint line, const char *header, GError **error)
{
  g_autofree char *folder = g_path_get_dirname (path), *text = NULL;
  g_autofree char *joined = g_path_is_absolute (header) ? g_strdup (header) : g_build_filename (folder, header, NULL);
  g_autofree char *target = g_str_has_prefix (joined, "./") ? g_strdup (joined + 2) : g_strdup (joined);
  g_autoptr (GError) local = NULL;
  gsize length;

  if (g_hash_table_contains (self->once, target))
    return TRUE;
  if (!leat_includer_check_stack (self, path, line, target, error))
    return FALSE;
  text = leat_kernel_file_read (target, &length, &local);
  if (text == NULL)
    {
      g_autofree char *fault = leat_kernel_source_dup_read_fault (target, local);

      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE, "%s:%u: cannot include \"%s\": %s", path, line,
                   header, fault);
      return FALSE;
    }
  if (memchr (text, '\0', length) != NULL)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE, "%s:%u: cannot include \"%s\": it is not text",
                   path, line, header);
      return FALSE;
    }
  return leat_includer_read (self, target, text, error);
}

static gboolean
leat_includer_bring (LeatIncluder *self, const char *header, GError **error)
{
  g_autofree char *text = NULL;

  if (!g_hash_table_add (self->once, g_strdup (header)))
    return TRUE;
  text = leat_kernel_dup_device_text (header);
  return leat_includer_read (self, header, text, error);
}

static gboolean
leat_includer_include (LeatIncluder *self, const char *path, guint line, const char *what, GError **error)
{
  char close = what[0] == '<' ? '>' : '"';
  const char *end = what[0] != '\0' ? strchr (what + 1, close) : NULL;
  g_autofree char *header = NULL;

  if ((what[0] != '<' && what[0] != '"') || end == NULL)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SYNTAX, "%s:%u: expected \"file\" after #include", path,
                   line);
      return FALSE;
    }
  header = g_strndup (what + 1, end - what - 1);
  if (g_strv_contains (leat_includer_provided, header))
    return TRUE;
  if (g_strv_contains (leat_includer_brought, header))
    return leat_includer_bring (self, header, error);
  if (what[0] == '<')
    return leat_includer_refuse (path, line, header, error);
  return leat_includer_inline (self, path, line, header, error);
}

/* Whether the line leaves a block comment open. */
static gboolean
leat_includer_track_comment (const char *line, gboolean inside)
{
  for (const char *p = line; *p != '\0'; p++)
    {
      if (inside)
        {
          if (p[0] == '*' && p[1] == '/')
            inside = FALSE, p++;
        }
      else if (p[0] == '/' && p[1] == '*')
        inside = TRUE, p++;
      else if (p[0] == '/' && p[1] == '/')
        return FALSE;
      else if (*p == '"' || *p == '\'')
        {
          const char *q = p + 1;

          while (*q != '\0' && *q != *p)
            q += q[0] == '\\' && q[1] != '\0' ? 2 : 1;
          if (*q == '\0')
            return FALSE;
          p = q;
        }
    }
  return inside;
}

/* The directive of a line and what follows it, or NULL. */
static const char *
leat_includer_directive (const char *line, char **args)
{
  static const char *const words[] = { "include", "pragma", "ifndef", "ifdef", "if", "else", "elif", "endif" };
  const char *p = line + strspn (line, " \t");

  if (*p++ != '#')
    return NULL;
  p += strspn (p, " \t");
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      gsize n = strlen (words[i]);

      if (strncmp (p, words[i], n) == 0 && !g_ascii_isalnum (p[n]))
        {
          *args = g_strstrip (g_strdup (p + n));
          return words[i];
        }
    }
  return NULL;
}

/* The guard of a file that is wrapped in #ifndef X / #define X does the work of #pragma once. */
static gboolean
leat_includer_is_guarded (const char *text)
{
  g_autoptr (GRegex) guard =
    g_regex_new ("\\A(?:\\s|//[^\\n]*\\n|/\\*.*?\\*/)*#\\s*ifndef\\s+(\\w+)\\s*\\n\\s*#\\s*define\\s+\\1\\b",
                 G_REGEX_DOTALL | G_REGEX_RAW, 0, NULL);

  return g_regex_match (guard, text, 0, NULL);
}

/* TRUE through @hidden while `#if 0` hides the lines. */
static void
leat_includer_track_hidden (const char *word, const char *args, guint *hidden)
{
  if (*hidden > 0)
    {
      if (word[0] == 'i' && word[1] == 'f')
        (*hidden)++;
      else if (g_str_equal (word, "endif") || (*hidden == 1 && word[0] == 'e'))
        (*hidden)--;
    }
  else if (g_str_equal (word, "if") && g_str_equal (args, "0"))
    *hidden = 1;
}

static gboolean
leat_includer_line (LeatIncluder *self, const char *path, guint file, guint number, const char *line, guint *hidden,
                    GError **error)
{
  g_autofree char *args = NULL;
  const char *word = leat_includer_directive (line, &args);

  if (word != NULL)
    leat_includer_track_hidden (word, args, hidden);
  if (word == NULL || *hidden > 0 || (!g_str_equal (word, "include") && !g_str_equal (word, "pragma")))
    {
      g_string_append (self->text, line);
      g_string_append_c (self->text, '\n');
      return TRUE;
    }
  if (g_str_equal (word, "pragma") && !g_str_equal (args, "once"))
    {
      g_string_append_printf (self->text, "%s\n", line);
      return TRUE;
    }
  if (g_str_equal (word, "pragma"))
    g_hash_table_add (self->once, g_strdup (path));
  else if (!leat_includer_include (self, path, number, args, error))
    return FALSE;
  leat_includer_place (self, file, number + 1);
  return TRUE;
}

static gboolean
leat_includer_read (LeatIncluder *self, const char *path, const char *text, GError **error)
{
  /* Some editors put a byte order mark first. */
  g_auto (GStrv) lines = g_strsplit (g_str_has_prefix (text, "\xef\xbb\xbf") ? text + 3 : text, "\n", -1);
  guint file = leat_includer_add_file (self, path), hidden = 0;
  gboolean in_comment = FALSE;

  if (self->text->len + strlen (text) > LEAT_KERNEL_MAX_BYTES)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE, "%s: more than %u MiB of kernel text", path,
                   LEAT_KERNEL_MAX_BYTES >> 20);
      return FALSE;
    }
  if (strstr (text, "ifndef") != NULL && leat_includer_is_guarded (text))
    g_hash_table_add (self->once, g_strdup (path));
  g_ptr_array_add (self->stack, (gpointer) path);
  leat_includer_place (self, file, 1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      gsize length = strlen (lines[i]);

      if (length > 0 && lines[i][length - 1] == '\r')
        lines[i][length - 1] = '\0';
      if (in_comment)
        g_string_append_printf (self->text, "%s\n", lines[i]);
      else if (!leat_includer_line (self, path, file, i + 1, lines[i], &hidden, error))
        return FALSE;
      in_comment = leat_includer_track_comment (lines[i], in_comment);
    }
  g_ptr_array_remove_index (self->stack, self->stack->len - 1);
  return TRUE;
}

LeatKernelText *
leat_kernel_text_new (const char *name, const char *text, GError **error)
{
  g_autoptr (LeatKernelText) out = g_new0 (LeatKernelText, 1);
  g_autoptr (GHashTable) once = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();
  LeatIncluder includer = { out, g_string_new (NULL), once, stack };
  g_autoptr (GError) local = NULL;

  out->files = g_ptr_array_new_with_free_func (g_free);
  out->labels = g_ptr_array_new_with_free_func (g_free);
  leat_includer_read (&includer, name, text, &local);
  out->hash = XXH3_64bits (includer.text->str, includer.text->len);
  out->text = g_string_free (includer.text, FALSE);
  if (local != NULL)
    {
      /* It may quote the text, which can be of any encoding. */
      g_autofree char *message = g_utf8_make_valid (local->message, -1);

      g_set_error_literal (error, local->domain, local->code, message);
      return NULL;
    }
  return g_steal_pointer (&out);
}

void
leat_kernel_text_free (LeatKernelText *self)
{
  g_free (self->text);
  g_ptr_array_unref (self->files);
  g_ptr_array_unref (self->labels);
  g_free (self);
}
