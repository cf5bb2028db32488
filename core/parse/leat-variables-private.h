/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-error-list-private.h"
#include "leat-syntax-private.h"

G_BEGIN_DECLS

/* The variables of a file, in the order of their `let`. */
typedef struct
{
  const LeatSyntaxStatement *statement;
  const char *text;   /* in the arena; NULL: its value had a fault, which was reported */
  const char *folder; /* against which a relative path that it begins is read; NULL: the current one */
  gboolean declared;  /* its `let` has been passed */
} LeatVariable;

typedef struct
{
  LeatArena *arena; /* of the syntax */
  LeatErrorList *errors;
  GHashTable *table;     /* name -> LeatVariable */
  GPtrArray *order;      /* LeatVariable */
  GHashTable *overrides; /* name -> value */
  GHashTable *fixed;     /* names of overrides that are an artifact's */
  const char *folder;    /* for paths in these */
  gsize expanded_bytes;
  gboolean is_full; /* too many of them; reported */
} LeatVariables;

/* What is said of variables outside of the text: NAME=VALUE each. */
typedef struct
{
  const char *const *given; /* (nullable): by the user; paths belong to the current folder */
  const char *const *fixed; /* (nullable): by an artifact; paths belong to @folder */
  const char *folder;
} LeatVariableValues;

/* Knows every `let` of @syntax from the start, so that an error can tell a late one from none. */
/* @values: (nullable) */
LeatVariables *leat_variables_new (LeatSyntax *syntax, const LeatVariableValues *values, LeatErrorList *errors);
void leat_variables_free (LeatVariables *self);
/* The `let` is passed: from here on its name has a value. */
void leat_variables_declare (LeatVariables *self, const LeatSyntaxStatement *statement);
/* The value with its variables put in, in the arena; NULL after a report.  @folder: that of who wrote its beginning. */
const char *leat_variables_expand (LeatVariables *self, const LeatSyntaxValue *value, const char **folder);

/* Whether a variable in it stays open in the artifact that is made (kernel/leat-supply-private.h). */
gboolean leat_variables_leave_open (LeatVariables *self, const LeatSyntaxValue *value);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatVariables, leat_variables_free)

G_END_DECLS
