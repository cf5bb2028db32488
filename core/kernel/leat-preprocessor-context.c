/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What every step of the preprocessor has: memory that goes with it, its error, and questions about one token. */

#include "leat-preprocessor-private.h"

#define LEAT_PP_BLOCK      (64u << 10)
#define LEAT_PP_BLOCKS_MAX ((gsize) 512 << 20)
#define LEAT_PP_TOKEN_MAX  (1u << 20)

void
leat_pp_fail (LeatPreprocessor *self, guint line, guint column, const char *format, ...)
{
  const char *path = self->file != NULL ? g_ptr_array_index (self->out->files, self->file->label) : self->out->name;
  g_autofree char *message = NULL, *place = NULL;
  va_list args;

  if (self->error != NULL)
    return;
  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  place = column > 0 ? g_strdup_printf (":%u", column) : g_strdup ("");
  g_set_error (&self->error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SYNTAX, "%s:%" G_GINT64_FORMAT "%s: %s", path,
               line + (self->file != NULL ? self->file->ahead : 0), place, message);
}

/* Memory that is there until the outermost macro is done with. */
gpointer
leat_pp_alloc (LeatPreprocessor *self, gsize bytes)
{
  gsize size = (bytes + 15) & ~(gsize) 15;
  char *block;

  if (size > self->block_left)
    {
      gsize whole = MAX (size, LEAT_PP_BLOCK);

      self->blocks_bytes += whole;
      if (self->blocks_bytes > LEAT_PP_BLOCKS_MAX)
        leat_pp_fail (self, self->use_line, self->use_column, "this macro grows beyond all measure");
      g_ptr_array_add (self->blocks, g_malloc (whole));
      self->block_left = self->block_size = whole;
    }
  block = g_ptr_array_index (self->blocks, self->blocks->len - 1);
  block += self->block_size - self->block_left;
  self->block_left -= size;
  return block;
}

/* Where macros are nested, `##` and `#` double a token's length each time. */
const char *
leat_pp_keep_text (LeatPreprocessor *self, const GString *text)
{
  self->made_bytes += text->len;
  if (text->len > LEAT_PP_TOKEN_MAX || self->made_bytes > LEAT_PP_BLOCKS_MAX)
    {
      leat_pp_fail (self, self->use_line, self->use_column,
                    "this macro makes tokens of %" G_GSIZE_FORMAT
                    " bytes; one may have %u KiB, and all together %u MiB",
                    text->len, LEAT_PP_TOKEN_MAX >> 10, (guint) (LEAT_PP_BLOCKS_MAX >> 20));
      return "";
    }
  return g_string_chunk_insert_len (self->words, text->str, (gssize) text->len);
}

gboolean
leat_pp_is (const LeatPpToken *token, const char *word)
{
  return token->text != NULL && strncmp (token->text, word, token->length) == 0 && word[token->length] == '\0';
}

gboolean
leat_pp_is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '$' || (guchar) c >= 0x80;
}
