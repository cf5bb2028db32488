/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A hint on a list of regexes that is too large: the few that take most.  Adds to the caller's error only. */

#include "leat-text-regex-cost.h"

#define LEAT_REGEX_COST_TOLD    3
#define LEAT_REGEX_COST_LETTERS 40         /* of a regex that is told */
#define LEAT_REGEX_COST_WORK    (1u << 28) /* for all of them together */

typedef struct
{
  guint index; /* in the list */
  guint states;
} LeatRegexCost;

static int
leat_regex_cost_compare (gconstpointer a, gconstpointer b)
{
  const LeatRegexCost *one = a, *other = b;

  if (one->states != other->states)
    return one->states < other->states ? 1 : -1;
  return one->index < other->index ? -1 : 1;
}

static guint
leat_regex_cost_measure (LeatRegexNode *node, LeatRegexDfaKind kind, guint most_work)
{
  g_autoptr (GPtrArray) alone = g_ptr_array_new ();
  g_autoptr (LeatRegexNfa) nfa = NULL;

  g_ptr_array_add (alone, node);
  nfa = leat_regex_nfa_new (alone, NULL);
  return nfa != NULL ? leat_regex_dfa_measure (nfa, kind, most_work) : G_MAXUINT;
}

static void
leat_regex_cost_print (const LeatRegexCost *self, GPtrArray *list, GString *text)
{
  const char *regex = ((LeatRegexNode *) g_ptr_array_index (list, self->index))->text;
  gsize length = regex != NULL ? strlen (regex) : 0;

  g_string_append_printf (text, "%snumber %u", text->len > 0 ? ", " : "", self->index + 1);
  if (length > LEAT_REGEX_COST_LETTERS)
    g_string_append_printf (text, " (%.*s...)", LEAT_REGEX_COST_LETTERS, regex);
  else if (length > 0)
    g_string_append_printf (text, " (%s)", regex);
  if (self->states > LEAT_REGEX_MAX_STATES)
    g_string_append (text, " too many");
  else
    g_string_append_printf (text, " %u", self->states);
}

void
leat_regex_cost_explain (GPtrArray *list, LeatRegexDfaKind kind, GError **error)
{
  g_autoptr (GArray) costs = g_array_new (FALSE, FALSE, sizeof (LeatRegexCost));
  g_autoptr (GString) text = g_string_new (NULL);
  g_autofree char *before = NULL;

  if (list->len < 2 || error == NULL || !g_error_matches (*error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE))
    return;
  for (guint i = 0; i < list->len; i++)
    {
      LeatRegexCost cost = { i, leat_regex_cost_measure (g_ptr_array_index (list, i), kind,
                                                         LEAT_REGEX_COST_WORK / list->len) };

      g_array_append_val (costs, cost);
    }
  g_array_sort (costs, leat_regex_cost_compare);
  for (guint i = 0; i < MIN (costs->len, LEAT_REGEX_COST_TOLD); i++)
    leat_regex_cost_print (&g_array_index (costs, LeatRegexCost, i), list, text);
  before = (*error)->message;
  (*error)->message =
    g_strdup_printf ("%s; of the %u, each by itself, take most states: %s", before, list->len, text->str);
}
