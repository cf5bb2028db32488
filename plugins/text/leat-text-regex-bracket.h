/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-text-regex-ast.h"

G_BEGIN_DECLS

/* A list of regexes while it is read. */
typedef struct
{
  const char *begin;
  const char *at;
  guint depth; /* open parentheses */
  gboolean fold;
} LeatRegexText;

#define LEAT_REGEX_NO_LINE_END "no match goes beyond a line, so there is no line's end in a regex; $ stands before it"

/* Says what is wrong at @at; FALSE. */
gboolean leat_regex_text_fail (LeatRegexText *self, const char *at, GError **error, const char *format, ...)
  G_GNUC_PRINTF (4, 5);

/* Read sets of bytes, [...] and \X, and go past them.  @byte is set to the one byte that an escape means, and to -1
 * where it means more. */
gboolean leat_regex_parse_bracket (LeatRegexText *text, LeatRegexSet *set, GError **error);
gboolean leat_regex_parse_escaped_set (LeatRegexText *text, LeatRegexSet *set, int *byte, GError **error);

G_END_DECLS
