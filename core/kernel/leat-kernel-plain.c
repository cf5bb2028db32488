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

static void
leat_plain_blank_bytes (LeatKernelText *text, guint begin, guint end)
{
  for (guint p = begin; p < end; p++)
    if (text->text[p] != '\n')
      text->text[p] = ' ';
}

/* Pragmas are about the loop that they stand before; a #line counts for what follows, too. */
static void
leat_plain_blank_pragmas (LeatKernelText *text, const LeatKernelUnit *unit, guint begin, guint end)
{
  for (guint i = 0; i < unit->tokens->directives->len; i++)
    {
      const LeatTokenGap *gap = &g_array_index (unit->tokens->directives, LeatTokenGap, i);
      const char *words = text->text + gap->offset + 1;

      if (gap->offset > begin && gap->offset < end && g_str_has_prefix (words + strspn (words, " \t"), "pragma"))
        leat_plain_blank_bytes (text, gap->offset, gap->offset + gap->length);
    }
}

/* Blanks keep every offset and line. */
static void
leat_plain_blank (LeatKernelText *text, const LeatKernelUnit *unit, guint first, guint last)
{
  for (guint i = first; i <= last; i++)
    {
      const LeatToken *token = leat_tokens_at (unit->tokens, i);

      leat_plain_blank_bytes (text, token->offset, token->offset + token->length);
    }
  leat_plain_blank_pragmas (text, unit, leat_tokens_at (unit->tokens, first)->offset,
                            leat_tokens_at (unit->tokens, last)->offset);
}

static void
leat_plain_add_word (const LeatKernelUnit *unit, guint token, gboolean behind, char *words, GArray *all)
{
  const LeatToken *at = leat_tokens_at (unit->tokens, token);
  LeatPlainWord word = { at->offset + (behind ? at->length : 0), words };

  g_array_append_val (all, word);
}

/* By its namespaces, and where others have its name by its parameters. */
static void
leat_plain_rename (LeatKernelText *text, const LeatKernelUnit *unit, const LeatDecl *decl, GArray *words)
{
  g_autofree char *symbol = leat_kernel_unit_dup_symbol (unit, decl);
  gsize own = leat_tokens_at (unit->tokens, decl->name)->length;

  if (decl->scope != 0)
    leat_plain_add_word (unit, decl->name, FALSE, g_strndup (symbol, strlen (symbol) - own), words);
  if (!(decl->flags & LEAT_DECL_IS_TEMPLATE) && leat_kernel_unit_is_overloaded (unit, decl))
    {
      g_autofree char *takes = leat_kernel_unit_dup_signature (unit, decl);
      g_autofree char *path = leat_kernel_unit_dup_full_name (unit, decl);
      g_autofree char *entry = g_strdup_printf ("%s(%s)", path, takes), *whole = leat_kernel_dup_symbol (entry);

      leat_plain_add_word (unit, decl->name, TRUE, g_strdup (whole + strlen (symbol)), words);
      g_ptr_array_add (text->overloads, g_steal_pointer (&entry));
    }
}

/* Values of several numbers become parameters for each, of which the body makes them again. */
static void
leat_plain_take_apart (LeatKernelText *text, const LeatKernelUnit *unit, const LeatDecl *decl, GArray *words)
{
  const LeatKernelUnit seen = leat_kernel_unit_seen_from (unit, decl);
  guint close = leat_tokens_at (unit->tokens, decl->params)->match;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (unit, decl->params + 1, close);
  g_autoptr (GString) values = g_string_new (NULL);

  for (guint i = 0; i < pieces->len; i += 2)
    {
      guint first = g_array_index (pieces, guint, i), last = g_array_index (pieces, guint, i + 1);
      g_autofree char *value = NULL;
      char *params = NULL;

      if (!leat_kernel_unit_take_apart (&seen, first, last, &params, &value))
        continue;
      leat_plain_blank (text, unit, first, last);
      leat_plain_add_word (unit, first, FALSE, params, words);
      g_string_append (values, value);
    }
  if (values->len > 0)
    leat_plain_add_word (unit, decl->body, TRUE, g_strdup (values->str), words);
}

/* Members that no kernel comes to. */
static gboolean
leat_plain_drop_members (LeatKernelText *text, const LeatKernelUnit *unit, guint decl, GArray *members, GArray *words)
{
  gboolean changed = FALSE;

  for (guint i = 0; i < members->len; i++)
    {
      const LeatLooseMember *member = &g_array_index (members, LeatLooseMember, i);

      if (member->decl != decl || member->is_kept)
        continue;
      changed = TRUE;
      leat_plain_blank (text, unit, member->delete_behind != 0 ? member->delete_behind + 1 : member->first,
                        member->last);
      if (member->delete_behind != 0)
        leat_plain_add_word (unit, member->delete_behind, TRUE, g_strdup (" = delete;"), words);
    }
  return changed;
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

static int
leat_plain_word_compare (gconstpointer a, gconstpointer b)
{
  guint first = ((const LeatPlainWord *) a)->offset, second = ((const LeatPlainWord *) b)->offset;

  return (first > second) - (first < second);
}

static void
leat_plain_insert (LeatKernelText *text, GArray *words)
{
  GString *out = g_string_new (NULL);
  guint at = 0, moved = 0;

  g_array_sort (words, leat_plain_word_compare);
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
  g_autoptr (GArray) members = NULL;
  g_autofree guint8 *kept = leat_kernel_unit_find_reached (unit, &members);
  g_autoptr (GArray) words = g_array_new (FALSE, FALSE, sizeof (LeatPlainWord));
  g_autofree char *whole = g_strdup (text->text);
  gboolean changed = FALSE;

  g_array_set_clear_func (words, leat_plain_word_clear);
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);

      if (!kept[i])
        leat_plain_blank (text, unit, decl->first, decl->last);
      else if ((decl->flags & (LEAT_DECL_IS_GLOBAL | LEAT_DECL_IS_VARIANT)) && decl->kind == LEAT_DECL_FUNCTION)
        leat_plain_rename (text, unit, decl, words);
      if (kept[i] && decl->kind == LEAT_DECL_FUNCTION && !(decl->flags & LEAT_DECL_IS_TEMPLATE)
          && (decl->flags & (LEAT_DECL_IS_GLOBAL | LEAT_DECL_IS_VARIANT)))
        leat_plain_take_apart (text, unit, decl, words);
      changed = changed || !kept[i];
    }
  /* Behind all that looks into structures: blanks are no members. */
  for (guint i = 0; i < unit->decls->len; i++)
    if (kept[i] && leat_kernel_unit_at (unit, i)->kind == LEAT_DECL_TYPE)
      changed = leat_plain_drop_members (text, unit, i, members, words) || changed;
  if (words->len > 0)
    leat_plain_insert (text, words);
  if (changed || words->len > 0)
    {
      text->hash = XXH3_64bits (text->text, strlen (text->text));
      text->whole = g_steal_pointer (&whole);
    }
  return changed || words->len > 0;
}
