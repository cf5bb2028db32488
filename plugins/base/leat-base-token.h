/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

typedef enum
{
  LEAT_TOKEN_NAME,
  LEAT_TOKEN_FUNCTION,
  LEAT_TOKEN_NUMBER,
  LEAT_TOKEN_FRACTION,
  LEAT_TOKEN_OPERATOR,
  LEAT_TOKEN_OPEN,
  LEAT_TOKEN_CLOSE,
  LEAT_TOKEN_COMMA,
} LeatTokenKind;

typedef struct
{
  LeatTokenKind kind;
  char *text;
  guint column; /* from 0 */
} LeatToken;

/* How deep parentheses may nest; compilers have limits of their own, and say so less clearly. */
#define LEAT_TOKEN_MAX_DEPTH 100

gboolean leat_token_is_function (const char *name);
/* Whether the tokens (LeatToken) of @text are an expression. */
gboolean leat_token_check (GArray *tokens, const char *text, GError **error);
/* Sets the error; @at counts from 0. Returns FALSE. */
gboolean leat_token_fail (const char *text, gsize at, GError **error, const char *what, ...) G_GNUC_PRINTF (4, 5);

G_END_DECLS
