/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-namer-private.h"
#include "leat-variables-private.h"
#include "../graph/leat-graph-error-private.h"
#include "../graph/leat-pipeline-private.h"

G_BEGIN_DECLS

/* A node of the text and what became of it. */
typedef struct _LeatBuilderNode LeatBuilderNode;
struct _LeatBuilderNode
{
  const LeatSyntaxNode *syntax;
  LeatNode *node;               /* NULL: it could not be made, which was reported */
  gboolean faulty;              /* a fault in it was reported: what its ports are is not known */
  const char *name;             /* of the text, or the namer's */
  LeatBuilderNode *begin, *end; /* of its body; NULL where it has none */
};

/* Syntax into a pipeline.  All faults are found: a part that has one is left out, and what only follows from that is
 * not reported. */
typedef struct
{
  LeatSyntax *syntax;
  LeatErrorList *errors;
  LeatVariables *variables;
  LeatPipeline *pipeline;
  LeatNamer *namer;
  GPtrArray *nodes;        /* LeatBuilderNode, in the order of the text */
  GHashTable *by_syntax;   /* LeatSyntaxNode -> LeatBuilderNode */
  GHashTable *by_name;     /* char* -> LeatBuilderNode */
  LeatBuilderNode *holder; /* (nullable): whose body is being linked */
  GPtrArray *faults;       /* GError: room for those of one node */
} LeatBuilder;

/* NULL, with @errors not empty, when anything at all is wrong.  Only for a @syntax that was read without a fault may
 * the result be used; one with faults is built as far as it goes to find more of them. */
LeatPipeline *leat_builder_build (LeatSyntax *syntax, const LeatVariableValues *values, LeatErrorList *errors);

/* Inside the builder. */
/* Each of `faults` is reported at @pos, and there is room again. */
void leat_builder_take_faults (LeatBuilder *self, const LeatSourcePos *pos);
LeatBuilderNode *leat_builder_find (LeatBuilder *self, const char *name);
/* The names that the text gives, NULL-terminated; (transfer container) */
const char **leat_builder_list_names (LeatBuilder *self);
void leat_builder_declare_names (LeatBuilder *self);
void leat_builder_make_node (LeatBuilder *self, const LeatSyntaxNode *syntax);
/* The nodes of a statement, with their bodies. */
void leat_builder_make_statement (LeatBuilder *self, LeatSyntaxStatement *statement);
/* Makes the body of @holder, which is made. */
void leat_builder_add_body (LeatBuilder *self, LeatBuilderNode *holder);
/* All links in the bodies of the nodes that a statement makes. */
void leat_builder_link_bodies (LeatBuilder *self, const LeatSyntaxStatement *statement);
/* `in` and `out`, in the body that is being linked; else NULL. */
LeatBuilderNode *leat_builder_find_end (LeatBuilder *self, const char *name);
void leat_builder_link_chain (LeatBuilder *self, const LeatSyntaxStatement *chain);

G_END_DECLS
