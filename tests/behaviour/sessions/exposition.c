/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "exposition.h"

#include <string.h>

#define NAME   "[a-zA-Z_:][a-zA-Z0-9_:]*"
#define LABEL  "[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\\n]|\\\\[\"\\\\n])*\""
#define NUMBER "[+-]?(?:[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|Inf|NaN)"

/* Where the reader is: the family that the last HELP began, and what was said about it. */
typedef struct
{
  char *family, *type;
  GHashTable *families, *samples;
} Exposition;

static char *
exposition_take_help (Exposition *self, const GMatchInfo *match)
{
  g_free (self->family);
  self->family = g_match_info_fetch (match, 1);
  g_clear_pointer (&self->type, g_free);
  return g_hash_table_add (self->families, g_strdup (self->family)) ? NULL : g_strdup ("a family in two places");
}

static char *
exposition_take_type (Exposition *self, const GMatchInfo *match)
{
  g_autofree char *name = g_match_info_fetch (match, 1);

  if (g_strcmp0 (name, self->family) != 0 || self->type != NULL)
    return g_strdup ("a TYPE that does not follow its HELP");
  self->type = g_match_info_fetch (match, 2);
  if (g_str_has_suffix (name, "_total") != g_str_equal (self->type, "counter"))
    return g_strdup ("a name that does not go with its type");
  return NULL;
}

static char *
exposition_take_sample (Exposition *self, const GMatchInfo *match)
{
  g_autofree char *name = g_match_info_fetch (match, 1), *labels = g_match_info_fetch (match, 2);

  if (self->type == NULL || g_strcmp0 (name, self->family) != 0)
    return g_strdup ("a sample outside its family");
  if (!g_hash_table_insert (self->samples, g_strconcat (name, labels, NULL), g_match_info_fetch (match, 3)))
    return g_strdup ("a sample twice");
  return NULL;
}

static const struct
{
  const char *pattern;
  char *(*take) (Exposition *self, const GMatchInfo *match);
} exposition_lines[] = {
  { "^# HELP (" NAME ") [^\\n]+$", exposition_take_help },
  { "^# TYPE (" NAME ") (counter|gauge)$", exposition_take_type },
  { "^(" NAME ")(\\{" LABEL "(?:," LABEL ")*\\}|) (" NUMBER ")$", exposition_take_sample },
};

static char *
exposition_take_line (Exposition *self, const char *line)
{
  for (guint i = 0; i < G_N_ELEMENTS (exposition_lines); i++)
    {
      g_autoptr (GRegex) regex = g_regex_new (exposition_lines[i].pattern, G_REGEX_DOLLAR_ENDONLY, 0, NULL);
      g_autoptr (GMatchInfo) match = NULL;

      g_assert_nonnull (regex);
      if (g_regex_match (regex, line, 0, &match))
        return exposition_lines[i].take (self, match);
    }
  return g_strdup ("a line of no known form");
}

char *
exposition_find_fault (const char *text, GHashTable *samples)
{
  g_autoptr (GHashTable) families = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Exposition self = { .families = families, .samples = samples };
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = g_strv_length (lines);
  char *fault = NULL;

  if (!g_str_has_suffix (text, "\n"))
    return g_strdup ("no line feed behind the last line");
  for (guint i = 0; i + 1 < n && fault == NULL; i++)
    {
      g_autofree char *what = exposition_take_line (&self, lines[i]);

      if (what != NULL)
        fault = g_strdup_printf ("line %u: %s: %s", i + 1, what, lines[i]);
    }
  g_free (self.family);
  g_free (self.type);
  return fault;
}

GHashTable *
exposition_parse (const char *text)
{
  GHashTable *samples = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree char *fault = exposition_find_fault (text, samples);

  if (fault != NULL)
    g_error ("%s", fault);
  return samples;
}

#define HEAD "# HELP a_total x\n# TYPE a_total counter\n"

static const struct
{
  const char *name, *text, *fault;
} exposition_cases[] = {
  { "good", HEAD "a_total{b=\"c\",d=\"\\\"\\\\\\n\"} 1\na_total 2.5\n", NULL },
  { "no-help", "# TYPE a_total counter\na_total 1\n", "follow" },
  { "no-type", "# HELP a_total x\na_total 1\n", "outside" },
  { "other-name", HEAD "b_total 1\n", "outside" },
  { "twice", HEAD "a_total{b=\"c\"} 1\na_total{b=\"c\"} 1\n", "twice" },
  { "two-places", HEAD HEAD, "two places" },
  { "gauge-total", "# HELP a_total x\n# TYPE a_total gauge\n", "go with" },
  { "counter-plain", "# HELP a x\n# TYPE a counter\n", "go with" },
  { "bare-quote", HEAD "a_total{b=\"c\"d\"} 1\n", "form" },
  { "bad-escape", HEAD "a_total{b=\"\\x\"} 1\n", "form" },
  { "bad-name", "# HELP a-b x\n", "form" },
  { "decimal-comma", HEAD "a_total 1,5\n", "form" },
  { "no-value", HEAD "a_total\n", "form" },
  { "no-line-feed", HEAD "a_total 1", "line feed" },
};

static void
test_exposition (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (GHashTable) samples = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  g_autofree char *fault = exposition_find_fault (exposition_cases[i].text, samples);

  if (exposition_cases[i].fault == NULL)
    g_assert_cmpstr (fault, ==, NULL);
  else
    g_assert_true (fault != NULL && strstr (fault, exposition_cases[i].fault) != NULL);
}

void
exposition_add_tests (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (exposition_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/session/telemetry/exposition/", exposition_cases[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_exposition);
    }
}
