/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "toy.h"
#include "warnings.h"

#include "graph/leat-pipeline-private.h"

#include <string.h>

static LeatNode *
add (LeatPipeline *pipeline, GType type, const char *name, const char *signature)
{
  g_autoptr (LeatNode) node = g_object_new (type, "name", name, NULL);
  g_autoptr (GError) error = NULL;

  if (signature != NULL)
    g_object_set (node, "signature", signature, NULL);
  leat_pipeline_add (pipeline, node, &error);
  g_assert_no_error (error);
  return node;
}

static void
test_pipeline_add_names (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  LeatNode *first = add (pipeline, toy_filter_get_type (), NULL, NULL);
  LeatNode *second = add (pipeline, toy_filter_get_type (), NULL, NULL);
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);

  g_assert_cmpstr (leat_node_get_name (first), ==, "filter0");
  g_assert_cmpstr (leat_node_get_name (second), ==, "filter1");
  g_assert_true (leat_node_get_pipeline (first) == pipeline);
  g_assert_cmpuint (nodes->len, ==, 2);
  g_assert_true (nodes->pdata[1] == second);
}

static void
test_pipeline_add_refuses (void)
{
  static const struct
  {
    const char *name;
    LeatGraphError code;
  } rows[] = {
    { "a", LEAT_GRAPH_ERROR_DUPLICATE_NAME }, { "two words", LEAT_GRAPH_ERROR_FAILED },
    { "a.b", LEAT_GRAPH_ERROR_FAILED },       { "", LEAT_GRAPH_ERROR_FAILED },
    { "3d", LEAT_GRAPH_ERROR_FAILED },
  };
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();

  add (pipeline, toy_filter_get_type (), "a", NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (LeatNode) node = g_object_new (toy_sink_get_type (), "name", rows[i].name, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_false (leat_pipeline_add (pipeline, node, &error));
      g_assert_error (error, LEAT_GRAPH_ERROR, (int) rows[i].code);
      g_assert_null (leat_node_get_pipeline (node));
    }
}

static void
test_pipeline_keeps_names (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  LeatNode *node = add (pipeline, toy_filter_get_type (), "a", NULL);

  g_object_set (node, "name", "b", NULL);
  warnings_assert_one ("*cannot be renamed*");
  g_assert_cmpstr (leat_node_get_name (node), ==, "a");
}

static void
test_pipeline_get_node (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  LeatNode *node = add (pipeline, toy_filter_get_type (), "words", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_pipeline_get_node (pipeline, "words", NULL) == node);
  g_assert_null (leat_pipeline_get_node (pipeline, "wrods", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NAME);
  g_assert_cmpstr (error->message, ==, "the pipeline has no node named \"wrods\" (did you mean \"words\"?)");
}

static void
test_pipeline_remove (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  LeatNode *a = add (pipeline, toy_kernel_get_type (), "a", "out:o=f32");
  LeatNode *b = add (pipeline, toy_kernel_get_type (), "b", "in:i=f32");
  g_autoptr (LeatNode) kept = g_object_ref (a);

  g_assert_true (leat_pipeline_link (pipeline, "a", "b", NULL));
  leat_pipeline_remove (pipeline, a);
  g_assert_null (leat_node_get_pipeline (kept));
  g_assert_false (leat_port_is_linked (leat_node_get_port (b, "i", NULL)));
  g_assert_null (leat_pipeline_get_node (pipeline, "a", NULL));
}

/* What "a" and "b" mean alone, by the ports that they have. */
static void
test_pipeline_link_chooses (void)
{
  static const struct
  {
    const char *from, *to;
    const char *linked; /* the input that is linked; NULL: @code */
    LeatGraphError code;
    const char *says;
  } rows[] = {
    { "a", "one", "i", 0, NULL },
    { "a.o", "one.i", "i", 0, NULL },
    { "a", "two", NULL, LEAT_GRAPH_ERROR_AMBIGUOUS, "which of i and j is meant, as in two.i" },
    { "a", "two.j", "j", 0, NULL },
    { "pair", "one", NULL, LEAT_GRAPH_ERROR_AMBIGUOUS, "which of o and p is meant, as in pair.o" },
    { "pair.p", "one", "i", 0, NULL },
    { "a", "f", "in", 0, NULL },
    { "none", "one", NULL, LEAT_GRAPH_ERROR_UNKNOWN_PORT, "toy:kernel \"none\" has no output" },
    { "a.q", "one", NULL, LEAT_GRAPH_ERROR_UNKNOWN_PORT, "toy:kernel \"a\" has no port \"q\"" },
    { "nobody", "one", NULL, LEAT_GRAPH_ERROR_UNKNOWN_NAME, "nobody" },
    { "one", "a", NULL, LEAT_GRAPH_ERROR_UNKNOWN_PORT, "toy:kernel \"one\" has no output" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
      g_auto (GStrv) end = g_strsplit (rows[i].to, ".", 2);
      g_autoptr (GError) error = NULL;

      add (pipeline, toy_kernel_get_type (), "a", "out:o=f32");
      add (pipeline, toy_kernel_get_type (), "pair", "out:o=f32 out:p=f32");
      add (pipeline, toy_kernel_get_type (), "one", "in:i=f32");
      add (pipeline, toy_kernel_get_type (), "two", "in:i=f32 in:j=f32");
      add (pipeline, toy_kernel_get_type (), "none", "");
      add (pipeline, toy_filter_get_type (), "f", NULL);
      leat_pipeline_link (pipeline, rows[i].from, rows[i].to, &error);
      if (rows[i].linked == NULL)
        {
          g_assert_error (error, LEAT_GRAPH_ERROR, (int) rows[i].code);
          g_assert_nonnull (strstr (error->message, rows[i].says));
          continue;
        }
      g_assert_no_error (error);
      g_assert_true (leat_port_is_linked (
        leat_node_get_port (leat_pipeline_get_node (pipeline, end[0], NULL), rows[i].linked, NULL)));
    }
}

static void
test_pipeline_link_takes_what_is_left (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  LeatNode *two = add (pipeline, toy_kernel_get_type (), "two", "in:i=f32 in:j=f32");

  add (pipeline, toy_kernel_get_type (), "a", "out:o=f32");
  g_assert_true (leat_pipeline_link (pipeline, "a", "two.i", NULL));
  g_assert_true (leat_pipeline_link (pipeline, "a", "two", NULL));
  g_assert_true (leat_port_is_linked (leat_node_get_port (two, "j", NULL)));
}

/* Misuse links nothing, and says that it did not. */
static void
test_pipeline_link_misuse (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  LeatNode *b;
  const struct
  {
    LeatPipeline *pipeline;
    const char *output, *input;
    gboolean has_error;
    const char *says;
  } rows[] = {
    { NULL, "a", "b", FALSE, "*LEAT_IS_PIPELINE (self)*" },
    { pipeline, NULL, "b", FALSE, "*output != NULL*" },
    { pipeline, "a", NULL, FALSE, "*input != NULL*" },
    { pipeline, "a", "b", TRUE, "*error == NULL*" },
  };

  add (pipeline, toy_kernel_get_type (), "a", "out:o=f32");
  b = add (pipeline, toy_kernel_get_type (), "b", "in:i=f32");
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error =
        rows[i].has_error ? g_error_new (LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY, "before") : NULL;

      g_test_expect_message ("Leat", G_LOG_LEVEL_CRITICAL, rows[i].says);
      g_assert_false (leat_pipeline_link (rows[i].pipeline, rows[i].output, rows[i].input, &error));
      g_test_assert_expected_messages ();
      g_assert_false (leat_port_is_linked (leat_node_get_port (b, "i", NULL)));
      g_assert_cmpint (error != NULL, ==, rows[i].has_error);
    }
  g_assert_true (leat_pipeline_link (pipeline, "a", "b", NULL));
}

static void
test_pipeline_validate_collects (void)
{
  static const struct
  {
    LeatGraphError code;
    const char *says;
  } faults[] = {
    { LEAT_GRAPH_ERROR_MISSING, "toy:source \"s\" needs its property \"count\": How many numbers" },
    { LEAT_GRAPH_ERROR_FAILED, "toy:kernel \"bad\": cannot read the word \"nonsense\"" },
    { LEAT_GRAPH_ERROR_UNLINKED, "toy:source \"s\" needs a link from its port \"out\"" },
    { LEAT_GRAPH_ERROR_UNLINKED, "toy:source \"s\" is linked to nothing" },
    { LEAT_GRAPH_ERROR_UNLINKED, "toy:filter \"f\" needs a link to its port \"in\"" },
  };
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);

  add (pipeline, toy_source_get_type (), "s", NULL);
  add (pipeline, toy_filter_get_type (), "f", NULL);
  add (pipeline, toy_kernel_get_type (), "k", "in:i=f32[*]");
  add (pipeline, toy_kernel_get_type (), "bad", "nonsense");
  g_assert_true (leat_pipeline_link (pipeline, "f", "k", NULL));
  g_assert_false (leat_pipeline_validate (pipeline, errors));
  for (guint i = 0; i < errors->len; i++)
    g_test_message ("%s", ((GError *) errors->pdata[i])->message);
  g_assert_cmpuint (errors->len, ==, G_N_ELEMENTS (faults));
  for (guint i = 0; i < errors->len; i++)
    {
      const GError *error = errors->pdata[i];

      g_assert_error (error, LEAT_GRAPH_ERROR, (int) faults[i].code);
      g_assert_nonnull (strstr (error->message, faults[i].says));
    }
}

static void
test_pipeline_validate_looks_at_links_again (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  LeatNode *a = add (pipeline, toy_kernel_get_type (), "a", "out:o=f32[n]");

  add (pipeline, toy_kernel_get_type (), "b", "in:i=f32[n]");
  g_assert_true (leat_pipeline_link (pipeline, "a", "b", NULL));
  g_assert_true (leat_pipeline_validate (pipeline, errors));
  g_object_set (a, "signature", "out:o=u8[n]", NULL);
  g_assert_false (leat_pipeline_validate (pipeline, errors));
  g_assert_cmpuint (errors->len, ==, 1);
  g_assert_error ((GError *) errors->pdata[0], LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
}

/* Nodes may be linked before they are added; which of them was forgotten is told from either side. */
static void
test_pipeline_validate_misses_nodes (void)
{
  static const char *const signatures[] = { "out:o=f32[4]", "in:i=f32[4] out:o=f32[4]", "in:i=f32[4]" };
  static const char *const said[] = {
    "toy:kernel \"n1\" is linked to n0.o (toy:kernel), whose node is not in the pipeline: add it",
    "toy:kernel \"n1\" is linked to n2.i (toy:kernel), whose node is not in the pipeline: add it"
  };
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);

  for (guint i = 0; i < G_N_ELEMENTS (signatures); i++)
    {
      g_autofree char *name = g_strdup_printf ("n%u", i);

      g_ptr_array_add (nodes, g_object_new (toy_kernel_get_type (), "name", name, "signature", signatures[i], NULL));
    }
  for (guint i = 0; i < 2; i++)
    g_assert_true (leat_port_link (leat_node_get_port (nodes->pdata[i], "o", NULL),
                                   leat_node_get_port (nodes->pdata[i + 1], "i", NULL), NULL));
  g_assert_true (leat_pipeline_add (pipeline, nodes->pdata[1], NULL));
  g_assert_false (leat_pipeline_validate (pipeline, errors));
  g_assert_cmpuint (errors->len, ==, G_N_ELEMENTS (said));
  for (guint i = 0; i < errors->len; i++)
    {
      g_assert_error ((GError *) errors->pdata[i], LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED);
      g_assert_cmpstr (((GError *) errors->pdata[i])->message, ==, said[i]);
    }
  g_ptr_array_set_size (errors, 0);
  for (guint i = 0; i <= 2; i += 2)
    {
      g_assert_false (leat_pipeline_validate (pipeline, errors));
      g_assert_true (leat_pipeline_add (pipeline, nodes->pdata[i], NULL));
      g_ptr_array_set_size (errors, 0);
    }
  g_assert_true (leat_pipeline_validate (pipeline, errors));
}

/* A link may close a cycle through an input that takes what comes in the next run.  When that changes, the plan says
 * through which node the cycle goes, not which node stands before or behind it. */
static void
test_pipeline_cycle_comes_later (void)
{
  static const char *const links[][2] = { { "first", "c.x" }, { "c", "b" },      { "b", "c.y" },
                                          { "b", "last.i" },  { "c", "last.j" }, { "a", "first" } };
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (LeatPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  LeatNode *c;

  add (pipeline, toy_kernel_get_type (), "a", "out:o=f32[4]");
  add (pipeline, toy_kernel_get_type (), "last", "in:i=f32[4] in:j=f32[4]");
  add (pipeline, toy_kernel_get_type (), "first", "in:i=f32[4] out:o=f32[4]");
  add (pipeline, toy_kernel_get_type (), "b", "in:i=f32[4] out:o=f32[4]");
  c = add (pipeline, toy_kernel_get_type (), "c", "in:x=f32[4] late:y=f32[4] out:o=f32[4]");
  for (guint i = 0; i < G_N_ELEMENTS (links); i++)
    g_assert_true (leat_pipeline_link (pipeline, links[i][0], links[i][1], NULL));
  g_object_set (c, "signature", "in:x=f32[4] in:y=f32[4] out:o=f32[4]", NULL);
  plan = leat_plan_new (pipeline, &error);
  g_assert_null (plan);
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_CYCLE);
  g_assert_cmpstr (error->message, ==, "the links through \"b\" form a cycle");
}

static void
test_pipeline_validate_good (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (GPtrArray) errors = g_ptr_array_new ();
  LeatNode *source = add (pipeline, toy_source_get_type (), "s", NULL);

  add (pipeline, toy_sink_get_type (), "t", NULL);
  g_assert_true (leat_node_set_from_string (source, "count", "3", NULL));
  g_assert_true (leat_pipeline_link (pipeline, "s", "t", NULL));
  g_assert_true (leat_pipeline_validate (pipeline, errors));
  g_assert_cmpuint (errors->len, ==, 0);
}

static void
test_pipeline_frozen (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (LeatNode) node = g_object_new (toy_filter_get_type (), NULL);
  g_autoptr (GError) error = NULL;

  leat_pipeline_freeze (pipeline);
  leat_pipeline_freeze (pipeline);
  leat_pipeline_thaw (pipeline);
  g_assert_false (leat_pipeline_add (pipeline, node, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  leat_pipeline_thaw (pipeline);
  g_assert_true (leat_pipeline_add (pipeline, node, NULL));
}

static void
test_pipeline_lets_go (void)
{
  LeatPipeline *pipeline = leat_pipeline_new ();
  LeatNode *a = g_object_new (toy_kernel_get_type (), "name", "a", "signature", "out:o=f32", NULL);
  g_autoptr (LeatNode) b = g_object_new (toy_kernel_get_type (), "name", "b", "signature", "in:i=f32", NULL);

  g_assert_true (leat_pipeline_add (pipeline, a, NULL));
  g_assert_true (leat_pipeline_add (pipeline, b, NULL));
  g_assert_true (leat_pipeline_link (pipeline, "a", "b", NULL));
  g_assert_finalize_object (pipeline);
  g_assert_null (leat_node_get_pipeline (b));
  g_assert_false (leat_port_is_linked (leat_node_get_port (b, "i", NULL)));
  g_assert_finalize_object (a);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  warnings_catch ();
  g_test_add_func ("/leat/pipeline/add/names", test_pipeline_add_names);
  g_test_add_func ("/leat/pipeline/add/refuses", test_pipeline_add_refuses);
  g_test_add_func ("/leat/pipeline/keeps-names", test_pipeline_keeps_names);
  g_test_add_func ("/leat/pipeline/get-node", test_pipeline_get_node);
  g_test_add_func ("/leat/pipeline/remove", test_pipeline_remove);
  g_test_add_func ("/leat/pipeline/link/chooses", test_pipeline_link_chooses);
  g_test_add_func ("/leat/pipeline/link/takes-what-is-left", test_pipeline_link_takes_what_is_left);
  g_test_add_func ("/leat/pipeline/link/misuse", test_pipeline_link_misuse);
  g_test_add_func ("/leat/pipeline/validate/collects", test_pipeline_validate_collects);
  g_test_add_func ("/leat/pipeline/validate/looks-at-links-again", test_pipeline_validate_looks_at_links_again);
  g_test_add_func ("/leat/pipeline/validate/misses-nodes", test_pipeline_validate_misses_nodes);
  g_test_add_func ("/leat/pipeline/cycle-comes-later", test_pipeline_cycle_comes_later);
  g_test_add_func ("/leat/pipeline/validate/good", test_pipeline_validate_good);
  g_test_add_func ("/leat/pipeline/frozen", test_pipeline_frozen);
  g_test_add_func ("/leat/pipeline/lets-go", test_pipeline_lets_go);
  return g_test_run ();
}
