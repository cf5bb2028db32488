/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The preprocessor's way through a file, its limits and its memory, and the text that comes of it.  The other files
 * leat-preprocessor-*.c each do a part of it. */

#include "leat-preprocessor-private.h"

#include <string.h>
#include <xxhash.h>

/* The C preprocessor of kernel files.  Its text is bound, hashed, transformed and compiled.  Nothing else reads a
 * directive, so that all of them have the same answer, and compilers open no file.
 *
 *   file --lexer--> tokens --expand, argument--> tokens --write--> text with #line
 *              ^ directive, condition, include, macro
 *
 * Whatever is not part of a macro comes out byte for byte, comments too, on its own line. */

#define LEAT_PP_READ_MAX (16u << 20)

static void
leat_pp_release (LeatPreprocessor *self)
{
  if (self->blocks->len > 1)
    {
      g_ptr_array_set_size (self->blocks, 0);
      self->block_left = 0;
    }
  else if (self->blocks->len == 1)
    self->block_left = self->block_size;
  self->blocks_bytes = 0;
}

static void
leat_pp_check_end (LeatPreprocessor *self)
{
  GArray *groups = self->file->groups;

  if (groups->len > 0)
    leat_pp_fail (self, g_array_index (groups, LeatPpGroup, groups->len - 1).line, 0, "this condition has no #endif");
}

/* Reads a file to its end.  Where macros are defined and nothing is said, self->text is NULL. */
void
leat_pp_read_file (LeatPreprocessor *self, const char *path, const char *text)
{
  LeatPreprocessorFile file = {
    .parent = self->file, .path = path, .at = text, .line_start = text, .line = 1, .fresh = TRUE
  };
  g_autoptr (GArray) groups = g_array_new (FALSE, FALSE, sizeof (LeatPpGroup));
  LeatPreprocessorFile *before = self->file;
  LeatPpToken token;

  self->read_bytes += strlen (text);
  file.groups = groups;
  file.label = leat_pp_add_label (self, path);
  self->file = &file;
  self->depth++;
  if (self->read_bytes > LEAT_PP_READ_MAX)
    leat_pp_fail (self, 1, 0, "more than %u MiB of kernel text", LEAT_PP_READ_MAX >> 20);
  while (self->error == NULL)
    {
      if (self->contexts->len == 0)
        leat_pp_release (self);
      leat_pp_next (self, &token);
      if (token.kind == LEAT_PP_END)
        break;
      if (token.kind == LEAT_PP_PADDING)
        self->wants_blank = self->wants_blank || (token.flags & LEAT_PP_WHITE);
      else if (token.kind == LEAT_PP_IDENT && leat_pp_is (&token, "_Pragma"))
        leat_pp_pragma_operator (self, &token);
      else
        leat_pp_write_token (self, &token);
    }
  if (self->error == NULL)
    leat_pp_check_end (self);
  self->depth--;
  self->file = before;
}

/* `NAME=VALUE` as a line that defines it. */
static char *
leat_pp_dup_define (const char *define)
{
  const char *equals = strchr (define, '=');

  return equals != NULL ? g_strdup_printf ("#define %.*s %s\n", (int) (equals - define), define, equals + 1)
                        : g_strdup_printf ("#define %s 1\n", define);
}

static void
leat_pp_read_defines (LeatPreprocessor *self)
{
  GString *text = self->text;

  self->text = NULL;
  for (guint i = 0; self->out->defines != NULL && self->out->defines[i] != NULL && self->error == NULL; i++)
    {
      g_autofree char *line = leat_pp_dup_define (self->out->defines[i]);
      LeatPreprocessorFile file = { .path = "defines", .at = line, .line_start = line, .line = 1, .fresh = TRUE };
      LeatPpToken token;

      file.at = file.line_start = g_string_chunk_insert (self->words, line);
      self->file = &file;
      if (strpbrk (self->out->defines[i], "\n\r") == NULL)
        leat_pp_next (self, &token);
      self->file = NULL;
      if (self->error != NULL || strpbrk (self->out->defines[i], "\n\r") != NULL)
        {
          g_clear_error (&self->error);
          g_set_error (&self->error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SYNTAX,
                       "cannot define \"%s\"; expected NAME or NAME=VALUE, as in USE_DOUBLE or N=16",
                       self->out->defines[i]);
        }
    }
  self->text = text;
}

static void
leat_pp_clear (LeatPreprocessor *self)
{
  g_hash_table_unref (self->macros);
  g_hash_table_unref (self->pushed);
  g_hash_table_unref (self->once);
  g_hash_table_unref (self->seen);
  g_ptr_array_unref (self->owned);
  g_ptr_array_unref (self->blocks);
  g_array_unref (self->contexts);
  g_string_chunk_free (self->words);
}

static LeatKernelText *
leat_kernel_text_begin (const char *name, const char *const *defines, LeatKernelTexts *texts)
{
  LeatKernelText *out = g_new0 (LeatKernelText, 1);

  out->files = g_ptr_array_new_with_free_func (g_free);
  out->labels = g_ptr_array_new_with_free_func (g_free);
  out->asked = g_ptr_array_new_with_free_func (g_free);
  out->passed = g_ptr_array_new_with_free_func (g_free);
  out->spots = g_array_new (FALSE, FALSE, sizeof (LeatKernelSpot));
  out->overloads = g_ptr_array_new_with_free_func (g_free);
  out->name = g_strdup (name);
  out->defines = g_strdupv ((char **) defines);
  out->texts = leat_kernel_texts_ref (texts);
  return out;
}

static gboolean
leat_kernel_text_read (LeatKernelText *out, const LeatKernelTarget *target, GError **error)
{
  LeatPreprocessor self = { .out = out, .target = target, .text_label = G_MAXUINT };

  self.macros = leat_pp_macros_new ();
  self.pushed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_ptr_array_unref);
  self.once = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self.owned = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_pp_macro_free);
  self.blocks = g_ptr_array_new_with_free_func (g_free);
  self.contexts = g_array_new (FALSE, FALSE, sizeof (LeatPpContext));
  self.words = g_string_chunk_new (4096);
  self.text = g_string_new (NULL);
  g_ptr_array_add (out->asked, g_strdup (out->name));
  leat_pp_add_label (&self, out->name);
  leat_pp_read_defines (&self);
  if (self.error == NULL)
    leat_pp_read_file (&self, out->name, leat_kernel_texts_get (out->texts, out->name, NULL));
  g_string_append_c (self.text, '\n');
  out->hash = XXH3_64bits (self.text->str, self.text->len);
  out->text = g_string_free (self.text, FALSE);
  leat_pp_clear (&self);
  if (self.error == NULL)
    return TRUE;
  {
    /* It may quote the text, which can be of any encoding. */
    g_autofree char *message = g_utf8_make_valid (self.error->message, -1);

    g_set_error_literal (error, self.error->domain, self.error->code, message);
    g_clear_error (&self.error);
  }
  return FALSE;
}

LeatKernelText *
leat_kernel_text_new (const char *name, const char *text, const char *const *defines, GError **error)
{
  g_autoptr (LeatKernelTexts) texts = leat_kernel_texts_new ();
  g_autoptr (LeatKernelText) out = leat_kernel_text_begin (name, defines, texts);

  leat_kernel_texts_add (texts, name, text);
  return leat_kernel_text_read (out, &(LeatKernelTarget){ .arch = LEAT_KERNEL_ARCH }, error) ? g_steal_pointer (&out)
                                                                                             : NULL;
}

LeatKernelText *
leat_kernel_text_new_for (const LeatKernelText *self, const LeatKernelTarget *target, GError **error)
{
  g_autoptr (LeatKernelText) out =
    leat_kernel_text_begin (self->name, (const char *const *) self->defines, self->texts);

  return leat_kernel_text_read (out, target, error) ? g_steal_pointer (&out) : NULL;
}

void
leat_kernel_text_free (LeatKernelText *self)
{
  g_free (self->text);
  g_free (self->whole);
  g_ptr_array_unref (self->files);
  g_ptr_array_unref (self->labels);
  g_ptr_array_unref (self->asked);
  g_ptr_array_unref (self->passed);
  g_array_unref (self->spots);
  g_ptr_array_unref (self->overloads);
  g_free (self->name);
  g_strfreev (self->defines);
  leat_kernel_texts_unref (self->texts);
  g_free (self);
}
