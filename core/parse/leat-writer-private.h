/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "../graph/leat-group-private.h"
#include "leat-syntax-private.h"

G_BEGIN_DECLS

/* A pipeline into syntax.  The links are gathered into as few chains as a greedy walk from the sources gives.  A node
 * that is mentioned once and whose name would come out the same again is written where it is mentioned, without a name;
 * the others are declared (file) or named at their first mention (terminal). */

typedef struct
{
  LeatNode *node;
  guint n_mentions;
  guint n_waiting;     /* links that feed it, while the nodes are sorted */
  gboolean needs_name; /* to be referred to, or because it would get another one */
  gboolean needs_own;  /* a statement of its own before the chains */
  gboolean written;
} LeatWriterNode;

/* Part of a chain; the ports are set where the node has several of that direction. */
typedef struct
{
  LeatWriterNode *node;
  LeatPort *port;   /* (nullable): to be named here */
  LeatPort *output; /* (nullable): the output that the chain goes on from */
} LeatWriterStep;

typedef struct
{
  LeatArena *arena; /* of the syntax */
  LeatPipeline *pipeline;
  LeatGroup *group;    /* (nullable): whose body is written */
  gboolean has_groups; /* the pipeline */
  LeatTextStyle style;
  const char *folder;  /* absolute; (nullable) */
  GPtrArray *nodes;    /* LeatWriterNode, in the pipeline's order */
  GHashTable *by_node; /* LeatNode -> LeatWriterNode */
  GPtrArray *chains;   /* GPtrArray of LeatWriterStep */
  GHashTable *done;    /* LeatPort: inputs whose link is in a chain; outputs whose spec is */
} LeatWriter;

LeatSyntax *leat_writer_write (LeatPipeline *pipeline, LeatTextStyle style, const char *folder);

/* Inside the writer. */
void leat_writer_gather_chains (LeatWriter *self);
void leat_writer_choose_names (LeatWriter *self);
LeatSyntaxNode *leat_writer_make_node (LeatWriter *self, const LeatWriterNode *node);
/* The spec that a chain says after @output, once; NULL for none. */
char *leat_writer_take_link_spec (LeatWriter *self, LeatPort *output);

G_END_DECLS
