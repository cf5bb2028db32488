/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"
#include "bind/leat-bound-plan-private.h"
#include "toy-nodes.h"
#include "bind/leat-bind-private.h"

#include <string.h>

typedef struct
{
  LeatPipeline *pipeline;
  LeatNode *source;
} Chain;

static void
chain_add (Chain *self, const char *before, LeatNode *node)
{
  g_autoptr (GError) error = NULL;

  leat_pipeline_add (self->pipeline, node, &error);
  g_assert_no_error (error);
  if (before != NULL)
    leat_pipeline_link (self->pipeline, before, leat_node_get_name (node), &error);
  g_assert_no_error (error);
  g_object_unref (node);
}

static void
chain_init (Chain *self)
{
  self->pipeline = leat_pipeline_new ();
  self->source = g_object_new (LEAT_TYPE_APP, "name", "source", "spec", "f32[1024]", NULL);
  chain_add (self, NULL, self->source);
  chain_add (self, "source", toy_upload_new ("up", LEAT_TRANSFER_COPY));
  chain_add (self, "up", toy_stage_new ("stage", FALSE));
  chain_add (self, "stage", toy_readback_new ("down", LEAT_TRANSFER_COPY));
  chain_add (self, "down", toy_sink_new ("sink"));
}

static LeatPlan *
chain_plan (Chain *self, gboolean integrated)
{
  g_autoptr (GError) error = NULL;
  LeatPlan *plan;

  leat_pipeline_set_optimise (self->pipeline, FALSE); /* toys copy, which plans leave out */
  plan = leat_plan_new (self->pipeline, &error);
  g_assert_no_error (error);
  leat_plan_bind (plan, &(LeatTraits){ .bound = TRUE, .integrated = integrated });
  return plan;
}

/* Two plans of a chain, the second after its source got @spec (NULL: as before). */
typedef struct
{
  Chain chain;
  LeatPlan *a, *b;
} Pair;

static void
pair_init (Pair *self, const char *spec)
{
  chain_init (&self->chain);
  self->a = chain_plan (&self->chain, FALSE);
  if (spec != NULL)
    g_object_set (self->chain.source, "spec", spec, NULL);
  self->b = chain_plan (&self->chain, FALSE);
}

/* @word: that the reason must have; NULL: there must be none. */
static void
pair_check (Pair *self, LeatPlanLikeness likeness, const char *word, gboolean same_shape)
{
  g_autofree char *why = NULL;

  g_assert_cmpint (leat_plan_compare (self->a, self->b, &why), ==, likeness);
  if (word == NULL)
    g_assert_cmpstr (why, ==, NULL);
  else
    g_assert_nonnull (strstr (why, word));
  g_assert_cmpint (leat_plan_has_shape_of (self->a, self->b), ==, same_shape);
  g_object_unref (self->a);
  g_object_unref (self->b);
  g_object_unref (self->chain.pipeline);
}

static void
test_plan_compare_same (void)
{
  Pair pair;

  pair_init (&pair, NULL);
  g_assert_cmpuint (leat_plan_hash (pair.a), ==, leat_plan_hash (pair.b));
  pair_check (&pair, LEAT_PLANS_MATCH, NULL, TRUE);
}

static void
test_plan_compare_sizes (void)
{
  Pair pair;

  pair_init (&pair, "f32[2048]");
  g_assert_cmpuint (leat_plan_hash (pair.a), !=, leat_plan_hash (pair.b));
  pair_check (&pair, LEAT_PLANS_ALIKE, "source.out", FALSE);
}

/* As many bytes and another meaning is another plan over memory of the same shape. */
static void
test_plan_compare_types (void)
{
  Pair pair;

  pair_init (&pair, "i32[1024]");
  pair_check (&pair, LEAT_PLANS_ALIKE, "source.out", TRUE);
}

static void
test_plan_compare_work (void)
{
  Pair pair;

  pair_init (&pair, NULL);
  LEAT_BOUND_OP (leat_plan_get_op (pair.b, 2))->elided = TRUE;
  pair_check (&pair, LEAT_PLANS_DIFFER, "\"stage\"", TRUE);
}

/* Where a field of the second plan is. */
typedef enum
{
  IN_OP, /* the kernel */
  IN_TRANSFER,
  IN_TOUCH,
  IN_ARG,
  IN_BUFFER,
  IN_PIECE,
} Where;

typedef struct
{
  const char *name;
  Where where;
  gsize offset, bytes;
  LeatPlanLikeness likeness; /* once it is another */
} Field;

#define OF(where, type, field, likeness)                                                                               \
  {                                                                                                                    \
#type "." #field, where, G_STRUCT_OFFSET(type, field), sizeof(((type *) NULL)->field), likeness                    \
  }

static const Field fields[] = {
  OF (IN_OP, LeatBoundOp, elided, LEAT_PLANS_DIFFER),
  OF (IN_OP, LeatBoundOp, packed_with, LEAT_PLANS_DIFFER),
  OF (IN_OP, LeatBoundOp, kept, LEAT_PLANS_DIFFER),
  OF (IN_OP, LeatBoundOp, by_slot, LEAT_PLANS_DIFFER),
  OF (IN_OP, LeatBoundOp, n_after, LEAT_PLANS_DIFFER),
  OF (IN_OP, LeatOp, n_touches, LEAT_PLANS_ALIKE),
  OF (IN_OP, LeatOp, n_args, LEAT_PLANS_ALIKE),
  OF (IN_OP, LeatOp, cooperative, LEAT_PLANS_ALIKE),
  OF (IN_OP, LeatOp, grid_by_occupancy, LEAT_PLANS_ALIKE),
  OF (IN_TRANSFER, LeatOp, kind, LEAT_PLANS_DIFFER),
  OF (IN_TRANSFER, LeatOp, to, LEAT_PLANS_ALIKE),
  OF (IN_TRANSFER, LeatOp, from, LEAT_PLANS_ALIKE),
  OF (IN_TRANSFER, LeatOp, bytes, LEAT_PLANS_ALIKE),
  OF (IN_TRANSFER, LeatOp, value, LEAT_PLANS_ALIKE),
  OF (IN_TOUCH, LeatTouch, buffer, LEAT_PLANS_ALIKE),
  OF (IN_TOUCH, LeatTouch, access, LEAT_PLANS_ALIKE),
  OF (IN_ARG, LeatOpArg, kind, LEAT_PLANS_ALIKE),
  OF (IN_ARG, LeatOpArg, buffer, LEAT_PLANS_ALIKE),
  OF (IN_ARG, LeatOpArg, node, LEAT_PLANS_ALIKE),
  OF (IN_BUFFER, LeatBuffer, kind, LEAT_PLANS_ALIKE),
  OF (IN_BUFFER, LeatBuffer, bytes, LEAT_PLANS_ALIKE),
  OF (IN_BUFFER, LeatBuffer, header, LEAT_PLANS_ALIKE),
  OF (IN_BUFFER, LeatBuffer, scope, LEAT_PLANS_ALIKE),
  OF (IN_BUFFER, LeatBuffer, tells_flush, LEAT_PLANS_ALIKE),
  OF (IN_BUFFER, LeatBuffer, user, LEAT_PLANS_ALIKE),
  OF (IN_BUFFER, LeatBoundBuffer, place, LEAT_PLANS_ALIKE),
  OF (IN_BUFFER, LeatBoundBuffer, root, LEAT_PLANS_ALIKE),
  OF (IN_BUFFER, LeatBoundBuffer, offset, LEAT_PLANS_ALIKE),
  OF (IN_BUFFER, LeatBoundBuffer, kept, LEAT_PLANS_ALIKE),
  OF (IN_PIECE, LeatPiece, first, LEAT_PLANS_ALIKE),
  OF (IN_PIECE, LeatPiece, end, LEAT_PLANS_ALIKE),
  OF (IN_PIECE, LeatPiece, captured, LEAT_PLANS_ALIKE),
  /* What a node of a graph is given in place. */
  OF (IN_OP, LeatOp, grid, LEAT_PLANS_MATCH),
  OF (IN_OP, LeatOp, block, LEAT_PLANS_MATCH),
  OF (IN_OP, LeatOp, shared_bytes, LEAT_PLANS_MATCH),
};

/* What tells plans apart before they are compared. */
static const char *const hashed[] = {
  "LeatBoundOp.elided",
  "LeatOp.n_args",
  "LeatOp.n_touches",
  "LeatOp.kind",
  "LeatOp.to",
  "LeatOp.from",
  "LeatOp.bytes",
  "LeatOp.value",
  "LeatTouch.buffer",
  "LeatOpArg.kind",
  "LeatOpArg.buffer",
  "LeatBuffer.kind",
  "LeatBuffer.bytes",
  "LeatBoundBuffer.place",
  "LeatBoundBuffer.root",
  "LeatBoundBuffer.offset",
  NULL,
};

/* With a kernel that takes a count and an argument. */
static void
pair_init_kernel (Pair *self)
{
  g_autoptr (GError) error = NULL;

  self->chain.pipeline = leat_parse_text (
    "app name=source spec=f32[<=1024] + upload mode=copy + map expr=a*x a=2 + readback mode=copy + app",
    LEAT_TEXT_STYLE_TERMINAL, NULL, &error);
  g_assert_no_error (error);
  self->a = chain_plan (&self->chain, FALSE);
  self->b = chain_plan (&self->chain, FALSE);
}

static LeatOp *
pair_find_op (Pair *self, LeatOpKind kind)
{
  for (guint i = 0; i < self->b->ops->len; i++)
    if (leat_plan_get_op (self->b, i)->kind == kind)
      return leat_plan_get_op (self->b, i);
  g_assert_not_reached ();
}

static guint8 *
pair_find_field (Pair *self, const Field *field)
{
  LeatOp *kernel = pair_find_op (self, LEAT_OP_KERNEL);
  guint8 *at = NULL;

  switch (field->where)
    {
    case IN_OP:
      at = (guint8 *) kernel;
      break;
    case IN_TRANSFER:
      at = (guint8 *) pair_find_op (self, LEAT_OP_TRANSFER);
      break;
    case IN_TOUCH:
      at = (guint8 *) &kernel->touches[kernel->n_touches - 1];
      break;
    case IN_ARG:
      at = (guint8 *) &kernel->args[kernel->n_args - 1];
      break;
    case IN_BUFFER:
      at = (guint8 *) leat_plan_get_buffer (self->b, self->b->buffers->len - 1);
      break;
    case IN_PIECE:
      at = (guint8 *) &g_array_index (LEAT_BOUND_PLAN (self->b)->pieces, LeatPiece,
                                      LEAT_BOUND_PLAN (self->b)->pieces->len - 1);
      break;
    }
  return at + field->offset;
}

/* Each field once: one that matters makes another plan, and what is given in place does not. */
static void
test_plan_compare_fields (void)
{
  Pair pair;

  pair_init_kernel (&pair);
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++)
    {
      guint8 *at = pair_find_field (&pair, &fields[i]);
      g_autofree guint8 *was = g_memdup2 (at, fields[i].bytes);
      g_autofree char *why = NULL;
      LeatPlanLikeness likeness;

      /* Less, where there is anything, so that nobody looks behind the end of an array. */
      if (fields[i].bytes == sizeof (guint) && *(guint *) at > 0)
        --*(guint *) at;
      else
        *at ^= 1;
      likeness = leat_plan_compare (pair.a, pair.b, &why);
      if (fields[i].likeness == LEAT_PLANS_MATCH || g_strv_contains (hashed, fields[i].name))
        g_assert_true ((leat_plan_hash (pair.a) == leat_plan_hash (pair.b)) == (likeness == LEAT_PLANS_MATCH));
      memcpy (at, was, fields[i].bytes);
      g_test_message ("%s: %s", fields[i].name, why);
      g_assert_cmpint (likeness, ==, fields[i].likeness);
      g_assert_true ((why == NULL) == (likeness == LEAT_PLANS_MATCH));
    }
  pair_check (&pair, LEAT_PLANS_MATCH, NULL, TRUE);
}

/* What is behind pointers: names, specs, the text and the entry of a kernel, and what comes before what. */
static void
test_plan_compare_names (void)
{
  Pair pair;
  LeatOp *op;
  LeatBuffer *buffer;
  LeatPrototype other;
  const LeatPrototype *prototype;
  LeatNode *node;
  char *why = NULL, *name;

  pair_init_kernel (&pair);
  op = pair_find_op (&pair, LEAT_OP_KERNEL);
  prototype = op->prototype;
  other = *prototype;
  other.entry = (char *) "another";
  op->prototype = &other;
  g_assert_cmpint (leat_plan_compare (pair.a, pair.b, &why), ==, LEAT_PLANS_ALIKE);
  g_assert_nonnull (strstr (why, "another kernel"));
  g_assert_cmpuint (leat_plan_hash (pair.a), !=, leat_plan_hash (pair.b));
  op->prototype = prototype;
  g_clear_pointer (&why, g_free);
  buffer = leat_plan_get_buffer (pair.b, pair.b->buffers->len - 1);
  name = buffer->name;
  buffer->name = (char *) "another";
  g_assert_cmpint (leat_plan_compare (pair.a, pair.b, &why), ==, LEAT_PLANS_ALIKE);
  g_assert_cmpuint (leat_plan_hash (pair.a), !=, leat_plan_hash (pair.b));
  buffer->name = name;
  g_clear_pointer (&why, g_free);
  node = op->node;
  op->node = leat_pipeline_get_node (pair.chain.pipeline, "source", NULL);
  g_assert_cmpint (leat_plan_compare (pair.a, pair.b, &why), ==, LEAT_PLANS_DIFFER);
  op->node = node;
  g_clear_pointer (&why, g_free);
  g_assert_cmpuint (LEAT_BOUND_OP (op)->n_after, >, 0);
  LEAT_BOUND_OP (op)->after[0]++;
  g_assert_cmpint (leat_plan_compare (pair.a, pair.b, &why), ==, LEAT_PLANS_DIFFER);
  LEAT_BOUND_OP (op)->after[0]--;
  g_free (why);
  pair_check (&pair, LEAT_PLANS_MATCH, NULL, TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/plan/compare/same", test_plan_compare_same);
  g_test_add_func ("/leat/plan/compare/sizes", test_plan_compare_sizes);
  g_test_add_func ("/leat/plan/compare/types", test_plan_compare_types);
  g_test_add_func ("/leat/plan/compare/work", test_plan_compare_work);
  g_test_add_func ("/leat/plan/compare/fields", test_plan_compare_fields);
  g_test_add_func ("/leat/plan/compare/names", test_plan_compare_names);
  return g_test_run ();
}
