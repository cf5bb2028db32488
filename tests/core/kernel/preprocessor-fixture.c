/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "preprocessor-fixture.h"

#include "kernel/leat-kernel-token-private.h"

#include <glib/gstdio.h>
#include <string.h>

static void
preprocessor_fixture_set_up (PreprocessorFixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("leat-preprocessor-XXXXXX", NULL);
}

static void
preprocessor_fixture_tear_down (PreprocessorFixture *self, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (self->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->folder, name, NULL);

      g_remove (path);
    }
  g_rmdir (self->folder);
  g_free (self->folder);
}

void
preprocessor_fixture_add (const char *name, void (*test) (PreprocessorFixture *, gconstpointer))
{
  g_autofree char *path = g_strconcat ("/leat/preprocessor/", name, NULL);

  g_test_add (path, PreprocessorFixture, NULL, preprocessor_fixture_set_up, test, preprocessor_fixture_tear_down);
}

char *
preprocessor_fixture_write (PreprocessorFixture *self, const char *name, const char *text)
{
  char *path = g_build_filename (self->folder, name, NULL);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  return path;
}

static const char *
find_end_of_literal (const char *p)
{
  char quote = *p++;

  while (*p != '\0' && *p != '\n' && *p != quote)
    p += p[0] == '\\' && p[1] != '\0' ? 2 : 1;
  return *p == quote ? p + 1 : p;
}

/* One token at @p, which is neither blank nor comment, by rules of its own. */
static const char *
find_end_of_token (const char *p)
{
  static const char *const puncts[] = { "<<=", ">>=", "...", "->*", "->", "++", "--", "<<", ">>",
                                        "<=",  ">=",  "==",  "!=",  "&&", "||", "+=", "-=", "*=",
                                        "/=",  "%=",  "&=",  "|=",  "^=", "::", "##" };
  const char *q = p;

  if (g_ascii_isdigit (*p) || (*p == '.' && g_ascii_isdigit (p[1])))
    {
      while (g_ascii_isalnum (*q) || strchr ("._'", *q ? *q : ' ')
             || (q > p && strchr ("eEpP", q[-1]) && (*q == '+' || *q == '-')))
        {
          if (*q == '\'' && !g_ascii_isalnum (q[1]))
            break;
          q++;
        }
      return q;
    }
  while (g_ascii_isalnum (*q) || *q == '_')
    q++;
  if (q > p && q[-1] == 'R' && *q == '"')
    {
      gsize mark = strcspn (q + 1, "(");
      g_autofree char *close = g_strdup_printf (")%.*s\"", (int) mark, q + 1);

      return strstr (q, close) + strlen (close);
    }
  if (*q == '"' || *q == '\'')
    {
      if (q > p && q - p > 2)
        return q;
      q = find_end_of_literal (q);
      while (g_ascii_isalpha (*q) || *q == '_')
        q++;
      return q;
    }
  if (q > p)
    return q;
  for (guint i = 0; i < G_N_ELEMENTS (puncts); i++)
    if (g_str_has_prefix (p, puncts[i]))
      return p + strlen (puncts[i]);
  return p + 1;
}

char *
preprocessor_dup_tokens (const char *text)
{
  static const char *const digraphs[][2] = { { "<%", "{" }, { "%>", "}" }, { "<:", "[" }, { ":>", "]" } };
  GString *out = g_string_new (NULL);
  gboolean fresh = TRUE;

  for (const char *p = text; *p != '\0';)
    {
      const char *end = NULL;
      guint digraph = G_N_ELEMENTS (digraphs);

      if (g_ascii_isspace (*p))
        {
          fresh = fresh || *p == '\n';
          p++;
          continue;
        }
      if (fresh && *p == '#')
        {
          p += strcspn (p, "\n");
          continue;
        }
      if (g_str_has_prefix (p, "//"))
        while (*p != '\0' && *p != '\n')
          p += p[0] == '\\' && p[1] == '\n' ? 2 : 1;
      else if (g_str_has_prefix (p, "/*"))
        p = strstr (p + 2, "*/") + 2;
      else
        {
          for (guint i = 0; i < G_N_ELEMENTS (digraphs); i++)
            if (g_str_has_prefix (p, digraphs[i][0]) && !(g_str_has_prefix (p, "<::") && p[3] != ':' && p[3] != '>'))
              digraph = i;
          end = digraph < G_N_ELEMENTS (digraphs) ? p + 2 : find_end_of_token (p);
          if (digraph < G_N_ELEMENTS (digraphs))
            g_string_append (out, digraphs[digraph][1]);
          else
            g_string_append_len (out, p, end - p);
          g_string_append_c (out, '\n');
          p = end;
          fresh = FALSE;
        }
    }
  return g_string_free (out, FALSE);
}

#define LONG_TEXT 600

/* NULL where the compiler refuses the text. */
static char *
dup_compiler_tokens (const char *path)
{
  const char *const command[] = { "g++", "-x", "c++", "-E", "-undef", "-std=gnu++17", "-w", "-P", path, NULL };
  g_autofree char *out = NULL, *errors = NULL;
  int status;

  g_assert_true (
    g_spawn_sync (NULL, (char **) command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &out, &errors, &status, NULL));
  return g_spawn_check_wait_status (status, NULL) ? preprocessor_dup_tokens (out) : NULL;
}

char *
preprocessor_dup_own_tokens (const char *path, GError **error)
{
  g_autofree char *text = NULL;
  g_autoptr (LeatKernelText) made = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  made = leat_kernel_text_new (path, text, NULL, error);
  return made != NULL ? preprocessor_dup_tokens (made->text) : NULL;
}

/* Of much, what is around it. */
static void
fail_at_difference (const char *what, const char *expected, const char *found)
{
  gsize same = 0;

  while (expected[same] == found[same])
    same++;
  same -= MIN (same, LONG_TEXT / 2);
  g_error ("%s\n-- g++ --\n%.*s\n-- own --\n%.*s", what, LONG_TEXT, expected + same, LONG_TEXT, found + same);
}

gboolean
preprocessor_check_same (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *expected = dup_compiler_tokens (path), *found = preprocessor_dup_own_tokens (path, &error),
                  *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  if (expected == NULL && found != NULL)
    g_error ("g++ refuses, and this was taken:\n%s", text);
  if (expected != NULL && found == NULL)
    g_error ("%s, and g++ takes it:\n%s", error->message, text);
  if (expected != NULL && strcmp (expected, found) != 0)
    fail_at_difference (strlen (text) < LONG_TEXT ? text : path, expected, found);
  return found != NULL;
}

gboolean
preprocessor_has_compiler (void)
{
  g_autofree char *path = g_find_program_in_path ("g++");

  if (path == NULL)
    g_test_skip ("no g++");
  return path != NULL;
}
