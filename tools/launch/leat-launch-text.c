/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The words of a command line, split into pipelines with names.  No file is read here. */

#include "leat-launch-text.h"

#include "leat-recording.h"

#include <string.h>

#define SEPARATOR "//"

static void
leat_launch_text_free (LeatLaunchText *self)
{
  g_strfreev (self->words);
  g_free (self->name);
  g_free (self);
}

/* A word with a dot or a slash cannot be the id of a node, so a file that is called "upload" hides none. */
static gboolean
leat_launch_text_is_file (const char *word)
{
  return g_str_has_suffix (word, ".leat") || g_str_has_suffix (word, ".leata") || leat_recording_is_named (word)
         || g_str_equal (word, "-")
         || (strpbrk (word, "./") != NULL && g_file_test (word, G_FILE_TEST_EXISTS) && strpbrk (word, " \t\n") == NULL);
}

/* NAME=VALUE */
static gboolean
leat_launch_text_is_setting (const char *word)
{
  gsize n = strspn (word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

  return n > 0 && word[n] == '=';
}

/* Does the word begin another pipeline, or end this one? */
static gboolean
leat_launch_text_ends_at (gboolean is_file, const char *word)
{
  return g_str_equal (word, SEPARATOR)
         || (is_file && !leat_launch_text_is_setting (word) && leat_launch_text_is_file (word));
}

/* Takes the words of one; how many is what is returned. */
static guint
leat_launch_texts_take (GPtrArray *texts, char **words)
{
  LeatLaunchText *text = g_new0 (LeatLaunchText, 1);
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  guint n = 0;

  text->is_file = leat_launch_text_is_file (words[0]);
  do
    g_strv_builder_add (builder, words[n++]);
  while (words[n] != NULL && !leat_launch_text_ends_at (text->is_file, words[n]));
  text->words = g_strv_builder_end (builder);
  g_ptr_array_add (texts, text);
  return n;
}

static gboolean
leat_launch_texts_have_name (GPtrArray *texts, const char *name)
{
  for (guint i = 0; i < texts->len; i++)
    if (g_strcmp0 (((LeatLaunchText *) texts->pdata[i])->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* The file's, or its place among the pipelines; no two have the same. */
static void
leat_launch_texts_give_names (GPtrArray *texts)
{
  for (guint i = 0; i < texts->len; i++)
    {
      LeatLaunchText *text = texts->pdata[i];
      gboolean named = text->is_file && !g_str_equal (text->words[0], "-");
      g_autofree char *name = named ? g_strdup (text->words[0]) : g_strdup_printf ("pipeline %u", i + 1);

      if (leat_launch_texts_have_name (texts, name))
        text->name = g_strdup_printf ("%s (%u)", name, i + 1);
      else
        text->name = g_steal_pointer (&name);
    }
}

static gboolean
leat_launch_texts_check (GPtrArray *texts, GError **error)
{
  guint n = 0;

  for (guint i = 0; i < texts->len; i++)
    n += g_str_equal (((LeatLaunchText *) texts->pdata[i])->words[0], "-");
  if (n < 2)
    return TRUE;
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                       "only one pipeline can be read from standard input");
  return FALSE;
}

GPtrArray *
leat_launch_texts_split (char **words, GError **error)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_launch_text_free);
  guint i = 0;

  while (words[i] != NULL)
    {
      if (g_str_equal (words[i], SEPARATOR))
        {
          g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                               "there is no pipeline before \"" SEPARATOR "\"");
          return NULL;
        }
      i += leat_launch_texts_take (texts, words + i);
      if (words[i] == NULL || !g_str_equal (words[i], SEPARATOR))
        continue;
      i++;
      if (words[i] != NULL)
        continue;
      g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                           "there is no pipeline behind \"" SEPARATOR "\"");
      return NULL;
    }
  leat_launch_texts_give_names (texts);
  return leat_launch_texts_check (texts, error) ? g_steal_pointer (&texts) : NULL;
}
