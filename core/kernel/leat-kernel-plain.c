/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes a file of kernels alone of a program's file: declarations that no kernel comes to are blanked out, and kernels
 * in namespaces get names that are theirs alone.  Changes the text, and what it knows of columns. */

#include "leat-kernel-plain-private.h"

#include <string.h>
#include <xxhash.h>

/* Words that go in at an offset of the text. */
typedef struct
{
  guint offset;
  char *words;
} LeatPlainWord;

static void
leat_plain_word_clear (gpointer data)
{
  g_free (((LeatPlainWord *) data)->words);
}

/* Blanks keep every offset and line. */
static void
leat_plain_blank (LeatKernelText *text, const LeatKernelUnit *unit, const LeatDecl *decl)
{
  for (guint i = decl->first; i <= decl->last; i++)
    {
      const LeatToken *token = leat_tokens_at (unit->tokens, i);

      for (guint p = token->offset; p < token->offset + token->length; p++)
        if (text->text[p] != '\n')
          text->text[p] = ' ';
    }
}

static void
leat_plain_rename (const LeatKernelUnit *unit, const LeatDecl *decl, GArray *words)
{
  g_autofree char *symbol = leat_kernel_unit_dup_symbol (unit, decl);
  const LeatToken *name = leat_tokens_at (unit->tokens, decl->name);
  LeatPlainWord word = { name->offset, g_strndup (symbol, strlen (symbol) - name->length) };

  g_array_append_val (words, word);
}

/* From @offset on to the end of its line, columns are @more further to the right than they were. */
static void
leat_plain_move_spots (GArray *spots, guint offset, guint more)
{
  LeatKernelSpot own = { offset + more, -(gint) more };
  guint at = 0;

  for (guint i = 0; i < spots->len; i++)
    {
      LeatKernelSpot *spot = &g_array_index (spots, LeatKernelSpot, i);

      if (spot->offset <= offset)
        {
          at = i + 1;
          continue;
        }
      spot->offset += more;
    }
  g_array_insert_val (spots, at, own);
}

static void
leat_plain_insert (LeatKernelText *text, GArray *words)
{
  GString *out = g_string_new (NULL);
  guint at = 0, moved = 0;

  for (guint i = 0; i < words->len; i++)
    {
      const LeatPlainWord *word = &g_array_index (words, LeatPlainWord, i);

      g_string_append_len (out, text->text + at, word->offset - at);
      g_string_append (out, word->words);
      at = word->offset;
      leat_plain_move_spots (text->spots, word->offset + moved, strlen (word->words));
      moved += strlen (word->words);
    }
  g_string_append (out, text->text + at);
  g_free (text->text);
  text->text = g_string_free (out, FALSE);
}

gboolean
leat_kernel_text_make_plain (LeatKernelText *text, const LeatKernelUnit *unit)
{
  g_autofree guint8 *kept = leat_kernel_unit_find_reached (unit);
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (LeatPlainWord));
  gboolean changed = FALSE;

  g_array_set_clear_func (words, leat_plain_word_clear);
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);

      if (!kept[i])
        leat_plain_blank (text, unit, decl);
      else if (decl->scope != 0 && (decl->flags & LEAT_DECL_IS_GLOBAL) && decl->params != G_MAXUINT)
        leat_plain_rename (unit, decl, words);
      changed = changed || !kept[i];
    }
  if (words->len > 0)
    leat_plain_insert (text, words);
  if (changed || words->len > 0)
    text->hash = XXH3_64bits (text->text, strlen (text->text));
  return changed || words->len > 0;
}
