/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-text-regex.h"

G_BEGIN_DECLS

/* One match in a line. */
typedef struct
{
  gsize begin, length;
} LeatRegexHit;

/* What GLib's regexes find in a line: the longest matches from left to right, none of them empty.  A regex that it
 * takes in another sense, or not at all, is NULL. */
GRegex *leat_regex_oracle_new (const char *regex, gboolean fold);
/* Arrays of LeatRegexHit; NULL where it gives up. */
GArray *leat_regex_oracle_find (GRegex *oracle, const char *line, gsize length);
/* Whether there is any match, an empty one too; -1 where it gives up. */
int leat_regex_oracle_test (GRegex *oracle, const char *line, gsize length);

/* The same from the tables that the kernels get, without kernels. */
GArray *leat_regex_walk_find (LeatRegex *regex, const char *line, gsize length);
gboolean leat_regex_walk_test (LeatRegex *regex, const char *line, gsize length);
/* Whether one of the filter's bytes is in the line, as must be where there is a match; TRUE without a filter. */
gboolean leat_regex_walk_filter (LeatRegex *regex, const char *line, gsize length);

/* A regex that both sides spell alike, and a text for it. */
char *leat_regex_random_new (GRand *random);
char *leat_regex_random_text (GRand *random, gsize length, const char *letters);

G_END_DECLS
