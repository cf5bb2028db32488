/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-regex-oracle.h"

G_BEGIN_DECLS

/* Regexes, and lines to look through. */
typedef struct
{
  char **regexes; /* as grep takes them */
  char *list;     /* as text:scan does */
  gboolean fold;
  GString *text;
  gsize chunk; /* bytes of it that text:scan gets at a time; 0: it is not run, which takes longer than the rest */
} LeatGrepCase;

/* Bytes of @data choose what it is; what follows from none of them is short. */
LeatGrepCase *leat_grep_case_new (const guint8 *data, gsize size);
void leat_grep_case_free (LeatGrepCase *self);

/* What text:report would print of what the tables of a regex find, as grep -ob, grep -n and grep -c do. */
typedef void (*LeatGrepPrint) (const LeatGrepCase *self, LeatRegex *regex, GString *found);
void leat_grep_case_print_matches (const LeatGrepCase *self, LeatRegex *regex, GString *found);
void leat_grep_case_print_lines (const LeatGrepCase *self, LeatRegex *regex, GString *found);
void leat_grep_case_print_count (const LeatGrepCase *self, LeatRegex *regex, GString *found);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatGrepCase, leat_grep_case_free)

G_END_DECLS
