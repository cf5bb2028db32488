/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "toy.h"

#include "graph/leat-node-private.h"

#include <string.h>

/* A chain of kernel nodes: each is "NAME: SIGNATURE", output o is linked to input i of the next. */
typedef struct
{
  LeatPipeline *pipeline;
  GPtrArray *nodes;
} Chain;

static void
chain_clear (Chain *self)
{
  g_clear_pointer (&self->nodes, g_ptr_array_unref);
  g_clear_object (&self->pipeline);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Chain, chain_clear)

static void
chain_build (Chain *self, const char *const *signatures)
{
  self->pipeline = leat_pipeline_new ();
  self->nodes = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint i = 0; signatures[i] != NULL; i++)
    {
      g_autofree char *name = g_strdup_printf ("n%u", i);
      LeatNode *node = g_object_new (toy_kernel_get_type (), "name", name, "signature", signatures[i], NULL);

      g_ptr_array_add (self->nodes, node);
      g_assert_true (leat_pipeline_add (self->pipeline, node, NULL));
      if (i > 0)
        g_assert_true (leat_port_link (leat_node_get_port (self->nodes->pdata[i - 1], "o", NULL),
                                       leat_node_get_port (node, "i", NULL), NULL));
    }
}

static gboolean
negotiate (LeatNode *node, GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  return leat_node_negotiate (node, names, error);
}

static gboolean
chain_negotiate (Chain *self, GError **error)
{
  for (guint i = 0; i < self->nodes->len; i++)
    if (!negotiate (self->nodes->pdata[i], error))
      return FALSE;
  return TRUE;
}

static const struct
{
  const char *signatures[5];
  const char *last; /* the spec of the last node's o; NULL: refused */
  const char *says;
} chains[] = {
  { { "out:o=f32[480,640]", "in:i=f32[h,w] out:o=u8[w,h]" }, "u8[640,480]", NULL },
  { { "out:o=f32[480,640]", "in:i=any out:o=any" }, "f32[480,640]", NULL },
  { { "out:o=f32[480,640]", "in:i=any out:o=any[*,*]", "in:i=f32[h,w] out:o=f32[h]" }, "f32[480]", NULL },
  { { "out:o=u8[<=4096]", "in:i=u8[<=n] out:o=u64[<=n]" }, "u64[<=4096]", NULL },
  { { "out:o=f32[]", "in:i=f32[] out:o=f32[]" }, "f32[]", NULL },
  /* A source that can be anything is what its reader needs. */
  { { "out:o=any", "in:i=f32[16] out:o=f32[n]" }, "f32[16]", NULL },
  { { "out:o=any", "in:i=f32[16] out:o=f32[8]" }, "f32[8]", NULL },
  { { "out:o=f32[n]", "in:i=f32[m] out:o=f32[m]" }, NULL, "cannot tell the spec of n0.o (toy:kernel)" },
  { { "out:o=f32[4,5]", "in:i=any out:o=any", "in:i=f32[n,n] out:o=f32[n]" },
    NULL,
    "n1.o (toy:kernel) gives f32[4,5], which n2.i (toy:kernel) does not take: f32[n,n] and f32[4,5] do not agree: "
    "dimensions 0 and 1 of n2.i (f32[n,n]) are both n, and 4 and 5 in n1.o (f32[4,5])" },
  { { "out:o=f32[4]", "in:i=f32[n] out:o=f32[n,n]" }, "f32[4,4]", NULL },
  /* What does not suit is followed to where it came in. */
  { { "out:o=f64[4]", "in:i=any out:o=any", "in:i=f32[n] out:o=f32[n]" },
    NULL,
    "; the f64 comes from toy:kernel \"n0\": give it f32, or put \"map expr=x type=f32\" right before toy:kernel "
    "\"n2\"" },
  { { "out:o=f32[4,5]", "in:i=any out:o=any", "in:i=f32[n] out:o=f32[n]" },
    NULL,
    "; the shape comes from toy:kernel \"n0\": give it another one there, or let the reader take 2 dimensions" },
};

static void
test_negotiation_chains (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (chains); i++)
    {
      g_auto (Chain) chain = { 0 };
      g_autofree char *text = NULL;
      g_autoptr (GError) error = NULL;
      LeatPort *last;

      chain_build (&chain, chains[i].signatures);
      chain_negotiate (&chain, &error);
      if (chains[i].last == NULL)
        {
          g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
          g_test_message ("%s", error->message);
          g_assert_nonnull (strstr (error->message, chains[i].says));
          continue;
        }
      g_assert_no_error (error);
      last = leat_node_get_port (chain.nodes->pdata[chain.nodes->len - 1], "o", NULL);
      text = leat_spec_to_string (leat_port_get_spec (last), LEAT_SPEC_STYLE_FILE);
      g_assert_cmpstr (text, ==, chains[i].last);
    }
}

/* Equal names are equal numbers across the inputs of one node. */
static void
test_negotiation_names_across_inputs (void)
{
  g_autoptr (LeatNode) a = g_object_new (toy_kernel_get_type (), "name", "a", "signature", "out:o=f32[3]", NULL);
  g_autoptr (LeatNode) b = g_object_new (toy_kernel_get_type (), "name", "b", "signature", "out:o=f32[4]", NULL);
  g_autoptr (LeatNode) c =
    g_object_new (toy_kernel_get_type (), "name", "c", "signature", "in:x=f32[n] in:y=f32[n] out:o=f32[n]", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_port_link (leat_node_get_port (a, "o", NULL), leat_node_get_port (c, "x", NULL), NULL));
  g_assert_true (leat_port_link (leat_node_get_port (b, "o", NULL), leat_node_get_port (c, "y", NULL), NULL));
  g_assert_true (negotiate (a, NULL));
  g_assert_true (negotiate (b, NULL));
  g_assert_false (negotiate (c, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
  g_assert_cmpstr (error->message, ==,
                   "b.o (toy:kernel) gives f32[4], which c.y (toy:kernel) does not take: n is 3 in c.x (f32[n]), which "
                   "gets f32[3] from a.o, and 4 in c.y (f32[n]), which gets f32[4] from b.o");
}

/* An output that its node states against what an input says of the same name. */
static void
test_negotiation_names_across_sides (void)
{
  static const char *const signatures[] = { "out:o=f32[8]", "in:i=f32[n] out:o=f32[n]", NULL };
  g_auto (Chain) chain = { 0 };
  g_autoptr (GError) error = NULL;

  chain_build (&chain, signatures);
  g_object_set (chain.nodes->pdata[1], "states", "f32[9]", NULL);
  g_assert_false (chain_negotiate (&chain, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
  g_assert_cmpstr (error->message, ==,
                   "n1.o (toy:kernel) cannot be f32[9]: n is 8 in n1.i (f32[n]), which gets f32[8] from n0.o, and 9 in "
                   "n1.o (f32[n]), which is f32[9]");
}

/* A name that has a value is no reason where there are not as many dimensions. */
static void
test_negotiation_names_and_ranks (void)
{
  static const char *const signatures[] = { "out:o=f32[3,5]", "in:i=f32[h,w] out:o=f32[h,w]", NULL };
  g_auto (Chain) chain = { 0 };
  g_autoptr (GError) error = NULL;

  chain_build (&chain, signatures);
  g_object_set (chain.nodes->pdata[1], "states", "f32[3]", NULL);
  g_assert_false (chain_negotiate (&chain, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
  g_assert_cmpstr (error->message, ==,
                   "n1.o (toy:kernel) cannot be f32[3]: f32[h,w] and f32[3] do not agree: 2 dimensions against 1");
}

static void
test_negotiation_again (void)
{
  static const char *const signatures[] = { "out:o=f32[8]", "in:i=f32[n] out:o=f32[n]", NULL };
  g_auto (Chain) chain = { 0 };
  LeatPort *last;

  chain_build (&chain, signatures);
  g_assert_true (chain_negotiate (&chain, NULL));
  g_object_set (chain.nodes->pdata[0], "signature", "out:o=f32[9]", NULL);
  g_assert_true (leat_node_prepare (chain.nodes->pdata[0], NULL));
  g_assert_true (chain_negotiate (&chain, NULL));
  last = leat_node_get_port (chain.nodes->pdata[1], "o", NULL);
  g_assert_cmpuint (leat_spec_get_dim (leat_port_get_spec (last), 0), ==, 9);
}

/* An output that nothing is linked to must be known all the same, unless it is an optional one. */
static void
test_negotiation_of_outputs_without_links (void)
{
  static const struct
  {
    guint flags;
    const char *spec;
    gboolean good;
  } rows[] = {
    { 0, "f32[n]", FALSE },
    { LEAT_PORT_OPTIONAL, "f32[n]", TRUE },
    { 0, "f32[8]", TRUE },
    { LEAT_PORT_OPTIONAL, "f32[8]", TRUE },
    { 0, "any", FALSE },
    { LEAT_PORT_OPTIONAL | LEAT_PORT_HOST, "any", TRUE },
    { LEAT_PORT_HOST, "any[4]", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (LeatNode) node = g_object_new (toy_kernel_get_type (), "name", "k", "signature", "", NULL);
      g_autoptr (LeatSpec) spec = leat_spec_parse (rows[i].spec, NULL);
      g_autofree char *said =
        g_strdup_printf ("cannot tell the spec of k.o (toy:kernel): only %s is known; write it on the node, "
                         "o=SPEC",
                         rows[i].spec);
      g_autoptr (GError) error = NULL;

      leat_node_add_port (node, "o", LEAT_PORT_OUTPUT, rows[i].flags, spec, NULL);
      g_assert_cmpint (negotiate (node, &error), ==, rows[i].good);
      if (rows[i].good)
        g_assert_no_error (error);
      else
        {
          g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
          g_assert_cmpstr (error->message, ==, said);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/negotiation/chains", test_negotiation_chains);
  g_test_add_func ("/leat/negotiation/names-across-inputs", test_negotiation_names_across_inputs);
  g_test_add_func ("/leat/negotiation/names-and-ranks", test_negotiation_names_and_ranks);
  g_test_add_func ("/leat/negotiation/names-across-sides", test_negotiation_names_across_sides);
  g_test_add_func ("/leat/negotiation/again", test_negotiation_again);
  g_test_add_func ("/leat/negotiation/of-outputs-without-links", test_negotiation_of_outputs_without_links);
  return g_test_run ();
}
