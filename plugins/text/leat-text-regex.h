/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-text-regex-dfa.h"

G_BEGIN_DECLS

/* The data that kernels/regex.cu needs to look for regexes. */
typedef struct
{
  GBytes *line;              /* automaton: whether a line has a match */
  GBytes *match;             /* automaton: where a match that begins here ends; NULL where only lines were asked for */
  GBytes *filter;            /* bytes without which no line has a match, for the CPU */
  guint least;               /* the fewest bytes of a match */
  guint n;                   /* regexes */
  gboolean wants_plain_ends; /* of lines, without a carriage return */
} LeatRegex;

/* As leat_regex_parse_list (); and LEAT_GRAPH_ERROR_RANGE for what is too large. */
LeatRegex *leat_regex_parse (const char *text, gboolean fold, gboolean only_lines, GError **error);
/* Takes @list, of LeatRegexNode. */
LeatRegex *leat_regex_new (GPtrArray *list, gboolean only_lines, GError **error);
void leat_regex_free (LeatRegex *self);

/* The row in which an automaton is at the beginning of a line. */
guint32 leat_regex_get_first_row (GBytes *automaton);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatRegex, leat_regex_free)

G_END_DECLS
