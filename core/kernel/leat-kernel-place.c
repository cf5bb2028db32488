/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The places in a compiler's messages, as the user's files have them.  A compiler counts columns in the text that it
 * gets, where there are words of ours: each line is held against the user's, word by word. */

#include "leat-kernel-source-internal-private.h"

#include <string.h>

/* A line of more words is a macro's, and its columns say nothing to anybody. */
#define LEAT_PLACE_MOST_WORDS 2000

/* A word, a number or one sign. */
typedef struct
{
  const char *at;
  gsize length;
  guint column;
  guint partner; /* the word of the other line that it is; G_MAXUINT where there is none */
} LeatPlaceWord;

static gboolean
leat_place_is_word (char c)
{
  return g_ascii_isalnum (c) || c == '_';
}

/* (element-type LeatPlaceWord) */
static GArray *
leat_place_list_words (const char *line)
{
  GArray *words = g_array_new (FALSE, FALSE, sizeof (LeatPlaceWord));

  for (const char *at = line; *at != '\0' && *at != '\n';)
    {
      LeatPlaceWord word = { at, 1, at - line + 1, G_MAXUINT };

      while (leat_place_is_word (*at) && leat_place_is_word (at[word.length]))
        word.length++;
      at += word.length;
      if (!g_ascii_isspace (*word.at))
        g_array_append_val (words, word);
    }
  return words;
}

static gboolean
leat_place_is_same (const LeatPlaceWord *a, const LeatPlaceWord *b)
{
  return a->length == b->length && memcmp (a->at, b->at, a->length) == 0;
}

/* Pairs the words of the longest sequence that both lines have. */
static void
leat_place_pair (GArray *made, GArray *users)
{
  LeatPlaceWord *a = (LeatPlaceWord *) made->data, *b = (LeatPlaceWord *) users->data;
  gsize width = users->len + 1;
  g_autofree guint16 *longest = g_new0 (guint16, (made->len + 1) * width); /* of what is behind */

  for (guint i = made->len; i-- > 0;)
    for (guint j = users->len; j-- > 0;)
      longest[i * width + j] = leat_place_is_same (a + i, b + j)
                                 ? longest[(i + 1) * width + j + 1] + 1
                                 : MAX (longest[(i + 1) * width + j], longest[i * width + j + 1]);
  for (guint i = 0, j = 0; i < made->len && j < users->len;)
    if (leat_place_is_same (a + i, b + j))
      a[i++].partner = j++;
    else if (longest[(i + 1) * width + j] >= longest[i * width + j + 1])
      i++;
    else
      j++;
}

/* The user's word that the word @index of ours stands for: a macro's argument may be there more often than users write
 * it, and others stand where the next one would.  G_MAXUINT: there is none */
static guint
leat_place_find_partner (GArray *made, GArray *users, guint index)
{
  const LeatPlaceWord *words = (const LeatPlaceWord *) made->data;
  guint next = 0;

  if (words[index].partner != G_MAXUINT)
    return words[index].partner;
  for (guint i = 0; i < index; i++)
    next = words[i].partner != G_MAXUINT ? words[i].partner + 1 : next;
  for (guint i = next; leat_place_is_word (*words[index].at) && i < users->len; i++)
    if (leat_place_is_same (words + index, &g_array_index (users, LeatPlaceWord, i)))
      return i;
  return users->len > 0 ? MIN (next, users->len - 1) : G_MAXUINT;
}

/* Where @column of @line is in the user's line; 0 where that does not tell, as where no word is at it. */
static guint
leat_place_translate (const char *line, guint column, const char *users_line)
{
  g_autoptr (GArray) made = leat_place_list_words (line), users = leat_place_list_words (users_line);

  if (made->len > LEAT_PLACE_MOST_WORDS || users->len > LEAT_PLACE_MOST_WORDS)
    return 0;
  for (guint i = 0; i < made->len; i++)
    if (g_array_index (made, LeatPlaceWord, i).column == column)
      {
        guint partner;

        leat_place_pair (made, users);
        partner = leat_place_find_partner (made, users, i);
        return partner != G_MAXUINT ? g_array_index (users, LeatPlaceWord, partner).column : 0;
      }
  return 0;
}

/* The number in a `#line 12 "label"`; 0 for any other line. @is_label: whether that is the label */
static guint
leat_place_read_directive (const char *line, const char *label, gboolean *is_label)
{
  guint64 number = 0;
  const char *quote;

  if (!g_str_has_prefix (line, "#line "))
    return 0;
  number = g_ascii_strtoull (line + strlen ("#line "), (char **) &quote, 10);
  if (g_str_has_prefix (quote, " \""))
    *is_label = strncmp (quote + 2, label, strlen (label)) == 0 && quote[2 + strlen (label)] == '"';
  return number;
}

/* A text may have a line several times, with other words of ours in each: the first counts that fits. */
static guint
leat_place_find_column (const char *compiled, const char *label, guint line, guint column, const char *users_line)
{
  gboolean is_label = FALSE;
  guint number = 1, found = 0;

  for (const char *at = compiled; at != NULL && found == 0;)
    {
      const char *end = strchr (at, '\n');
      guint given = leat_place_read_directive (at, label, &is_label);

      if (given == 0 && is_label && number == line)
        found = leat_place_translate (at, column, users_line);
      number = given != 0 ? given : number + 1;
      at = end != NULL ? end + 1 : NULL;
    }
  return found;
}

static const char *
leat_place_find_line (const char *text, guint line)
{
  for (guint i = 1; text != NULL && i < line; i++)
    {
      text = strchr (text, '\n');
      text = text != NULL ? text + 1 : NULL;
    }
  return text;
}

/* Whether a message names the file at @at: `edge.cu:12:5: ...`, `edge.cu(12): ...` or `edge.cu: In function ...` */
static gboolean
leat_kernel_source_names_file (const char *messages, const char *at, const char *label)
{
  gsize length = strlen (label);

  return strncmp (at, label, length) == 0 && (at[length] == ':' || at[length] == '(')
         && (g_ascii_isdigit (at[length + 1]) || g_str_has_prefix (at + length, ": In "))
         && (at == messages || strchr (" \n,\"(", at[-1]) != NULL);
}

/* Behind `:12:5`, which is at @at, if the column has to be another one; @at where not. */
static const char *
leat_kernel_source_append_place (LeatKernelSource *self, const char *compiled, guint file, const char *at, GString *out)
{
  LeatKernelTexts *texts = self->users != NULL ? self->users : self->text->texts;
  const char *path = g_ptr_array_index (self->text->files, file), *users_line;
  guint64 line, column;
  const char *end;

  if (*at != ':')
    return at;
  line = g_ascii_strtoull (at + 1, (char **) &end, 10);
  if (*end != ':' || !g_ascii_isdigit (end[1]) || !leat_kernel_texts_has (texts, path))
    return at;
  column = g_ascii_strtoull (end + 1, (char **) &end, 10);
  users_line = leat_place_find_line (leat_kernel_texts_get (texts, path, NULL), line);
  if (users_line != NULL)
    column = leat_place_find_column (compiled, g_ptr_array_index (self->text->labels, file), line, column, users_line);
  if (users_line == NULL || column == 0)
    return at;
  g_string_append_printf (out, ":%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT, line, column);
  return end;
}

char *
leat_kernel_source_dup_messages (LeatKernelSource *self, const char *messages, const char *compiled)
{
  GString *out = g_string_new (NULL);

  for (const char *p = messages; *p != '\0';)
    {
      guint found = G_MAXUINT;

      for (guint i = 0; i < self->text->labels->len && found == G_MAXUINT; i++)
        if (leat_kernel_source_names_file (messages, p, g_ptr_array_index (self->text->labels, i)))
          found = i;
      if (found == G_MAXUINT)
        {
          g_string_append_c (out, *p++);
          continue;
        }
      p += strlen (g_ptr_array_index (self->text->labels, found));
      g_string_append (out, g_ptr_array_index (self->text->files, found));
      if (compiled != NULL)
        p = leat_kernel_source_append_place (self, compiled, found, p, out);
    }
  return g_string_free (out, FALSE);
}

char *
leat_kernel_source_dup_passed (LeatKernelSource *self)
{
  const GPtrArray *passed = self->text->passed;
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < passed->len; i++)
    g_string_append_printf (out, "%s<%s>", i > 0 ? ", " : "\npassed over: ", (char *) passed->pdata[i]);
  if (passed->len > 0)
    g_string_append_printf (out,
                            "; if the kernel needs one of them, put it beside %s, and write \"%s\" in place of <%s>",
                            self->name, (char *) passed->pdata[0], (char *) passed->pdata[0]);
  return g_string_free (out, FALSE);
}

void
leat_kernel_source_take_places (LeatKernelSource *self, LeatKernelSource *from)
{
  for (guint i = 0; i < from->text->passed->len; i++)
    g_ptr_array_add (self->text->passed, g_strdup (from->text->passed->pdata[i]));
  self->users = leat_kernel_texts_ref (from->users != NULL ? from->users : from->text->texts);
  for (guint i = 0; i < self->text->files->len; i++)
    for (guint k = 0; k < from->text->labels->len; k++)
      if (g_str_equal (self->text->files->pdata[i], from->text->labels->pdata[k]))
        {
          g_free (self->text->files->pdata[i]);
          self->text->files->pdata[i] = g_strdup (from->text->files->pdata[k]);
          break;
        }
}
