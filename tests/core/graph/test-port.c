/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "toy.h"
#include "warnings.h"

#include "graph/leat-pipeline-private.h"

#include <string.h>

/* A kernel node; its ports are in device memory. */
static LeatNode *
make (const char *name, const char *signature)
{
  return g_object_new (toy_kernel_get_type (), "name", name, "signature", signature, NULL);
}

static LeatPort *
port_of (LeatNode *node, const char *name)
{
  LeatPort *port = leat_node_get_port (node, name, NULL);

  g_assert_nonnull (port);
  return port;
}

static gboolean
link_ports (LeatNode *from, const char *output, LeatNode *to, const char *input, GError **error)
{
  return leat_port_link (port_of (from, output), port_of (to, input), error);
}

static void
test_port_link_fans_out (void)
{
  g_autoptr (LeatNode) a = make ("a", "out:o=f32[n]");
  g_autoptr (LeatNode) b = make ("b", "in:i=f32 in:j=f32");
  g_autoptr (GPtrArray) peers = NULL;

  g_assert_true (link_ports (a, "o", b, "i", NULL));
  g_assert_true (link_ports (a, "o", b, "j", NULL));
  peers = leat_port_list_peers (port_of (a, "o"));
  g_assert_cmpuint (peers->len, ==, 2);
  g_assert_true (peers->pdata[0] == port_of (b, "i"));
  g_assert_true (leat_port_get_peer (port_of (b, "j")) == port_of (a, "o"));
  leat_port_unlink (port_of (b, "i"));
  g_assert_false (leat_port_is_linked (port_of (b, "i")));
  g_assert_true (leat_port_is_linked (port_of (a, "o")));
  leat_port_unlink (port_of (b, "i"));
}

static void
test_port_link_refuses_directions (void)
{
  g_autoptr (LeatNode) a = make ("a", "out:o=f32[n] in:p=f32");
  g_autoptr (LeatNode) b = make ("b", "out:o=f32[n] in:p=f32");
  g_autoptr (GError) error = NULL;

  g_assert_false (link_ports (a, "o", b, "o", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION);
  g_assert_cmpstr (error->message, ==, "cannot link a.o (toy:kernel) to b.o (toy:kernel): both are outputs");
  g_clear_error (&error);
  g_assert_false (link_ports (a, "p", b, "p", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION);
  g_clear_error (&error);
  g_assert_false (link_ports (a, "p", b, "o", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION);
  g_assert_nonnull (strstr (error->message, "other way round"));
}

static void
test_port_link_refuses_two_writers (void)
{
  g_autoptr (LeatNode) a = make ("a", "out:o=f32[n]");
  g_autoptr (LeatNode) b = make ("b", "out:o=f32[n]");
  g_autoptr (LeatNode) c = make ("c", "in:i=f32");
  g_autoptr (GError) error = NULL;

  g_assert_true (link_ports (a, "o", c, "i", NULL));
  g_assert_false (link_ports (b, "o", c, "i", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TWO_WRITERS);
  g_assert_nonnull (strstr (error->message, "b.o (toy:kernel) to c.i (toy:kernel): a.o (toy:kernel) feeds it already"));
}

static void
test_port_link_refuses_residence (void)
{
  g_autoptr (LeatNode) source = g_object_new (toy_source_get_type (), "name", "s", NULL);
  g_autoptr (LeatNode) kernel = make ("k", "in:i=any out:o=f32");
  g_autoptr (LeatNode) sink = g_object_new (toy_sink_get_type (), "name", "t", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_false (link_ports (source, "out", kernel, "i", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RESIDENCE);
  g_assert_nonnull (strstr (error->message, "s.out (toy:source) to k.i (toy:kernel)"));
  g_assert_nonnull (strstr (error->message, "put an upload between"));
  g_clear_error (&error);
  g_assert_false (link_ports (kernel, "o", sink, "in", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RESIDENCE);
  g_assert_nonnull (strstr (error->message, "put a readback between"));
  g_clear_error (&error);
  g_assert_true (link_ports (source, "out", sink, "in", &error));
  g_assert_no_error (error);
}

static void
test_port_link_refuses_type_mismatch (void)
{
  g_autoptr (LeatNode) a = make ("a", "out:o=f32[n]");
  g_autoptr (LeatNode) b = make ("b", "in:i=u8[n]");
  g_autoptr (GError) error = NULL;

  g_assert_false (link_ports (a, "o", b, "i", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
  g_assert_cmpstr (error->message, ==,
                   "cannot link a.o (toy:kernel) to b.i (toy:kernel): f32[n] and u8[n] do not agree: f32 is not u8");
}

static void
test_port_link_refuses_cycles (void)
{
  g_autoptr (LeatNode) a = make ("a", "in:i=f32 out:o=f32");
  g_autoptr (LeatNode) b = make ("b", "in:i=f32 out:o=f32");
  g_autoptr (LeatNode) c = make ("c", "in:i=f32 out:o=f32");
  g_autoptr (GError) error = NULL;

  g_assert_false (link_ports (a, "o", a, "i", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_CYCLE);
  g_assert_nonnull (strstr (error->message, "a -> a"));
  g_clear_error (&error);
  g_assert_true (link_ports (a, "o", b, "i", NULL));
  g_assert_true (link_ports (b, "o", c, "i", NULL));
  g_assert_false (link_ports (c, "o", a, "i", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_CYCLE);
  g_assert_nonnull (strstr (error->message, "c -> a -> b -> c"));
  g_assert_false (leat_port_is_linked (port_of (c, "o")));
}

/* Diamonds are no cycles, and many of them in a row are found to be none in little time. */
static void
test_port_link_takes_diamonds (void)
{
  g_autoptr (GPtrArray) nodes = g_ptr_array_new_with_free_func (g_object_unref);
  const guint n = 60;

  for (guint i = 0; i <= n; i++)
    g_ptr_array_add (nodes, make (NULL, "in:i=f32 in:j=f32 out:o=f32 out:p=f32"));
  for (guint i = n; i > 0; i--)
    {
      g_assert_true (link_ports (nodes->pdata[i - 1], "o", nodes->pdata[i], "i", NULL));
      g_assert_true (link_ports (nodes->pdata[i - 1], "p", nodes->pdata[i], "j", NULL));
    }
}

static void
test_port_link_refuses_other_pipelines (void)
{
  g_autoptr (LeatPipeline) first = leat_pipeline_new ();
  g_autoptr (LeatPipeline) second = leat_pipeline_new ();
  g_autoptr (LeatNode) a = make ("a", "out:o=f32");
  g_autoptr (LeatNode) b = make ("b", "in:i=f32");
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_pipeline_add (first, a, NULL));
  g_assert_true (leat_pipeline_add (second, b, NULL));
  g_assert_false (link_ports (a, "o", b, "i", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED);
}

static void
test_port_link_refuses_while_busy (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (LeatNode) a = make ("a", "out:o=f32");
  g_autoptr (LeatNode) b = make ("b", "in:i=f32");
  g_autoptr (GError) error = NULL;
  LeatPort *out = port_of (a, "o"), *in = port_of (b, "i");

  g_assert_true (leat_pipeline_add (pipeline, a, NULL));
  g_assert_true (leat_pipeline_add (pipeline, b, NULL));
  leat_pipeline_freeze (pipeline);
  g_assert_false (leat_port_link (out, in, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  leat_pipeline_thaw (pipeline);
  g_assert_true (leat_port_link (out, in, NULL));
  leat_pipeline_freeze (pipeline);
  leat_port_unlink (in);
  warnings_assert_one ("*unlink*session*");
  g_assert_true (leat_port_get_peer (in) == out);
  leat_pipeline_thaw (pipeline);
}

static void
test_port_constrain (void)
{
  g_autoptr (LeatNode) a = make ("a", "out:o=f32[h,w]");
  g_autoptr (LeatNode) b = make ("b", "in:i=f32[*,3]");
  g_autoptr (LeatSpec) wide = leat_spec_parse ("any[*,640]", NULL);
  g_autoptr (LeatSpec) narrow = leat_spec_parse ("f32[480,3]", NULL);
  g_autoptr (LeatSpec) other = leat_spec_parse ("f32[481,*]", NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  g_assert_true (link_ports (a, "o", b, "i", NULL));
  /* The other end of the link refuses it. */
  g_assert_false (leat_port_constrain (port_of (a, "o"), wide, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
  g_assert_nonnull (strstr (error->message, "b.i"));
  g_clear_error (&error);
  g_assert_true (leat_port_constrain (port_of (a, "o"), narrow, &error));
  g_assert_no_error (error);
  g_assert_false (leat_port_constrain (port_of (a, "o"), other, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
  g_assert_nonnull (strstr (error->message, "port a.o (toy:kernel): "));
  text = leat_spec_to_string (leat_port_get_template (port_of (a, "o")), LEAT_SPEC_STYLE_FILE);
  g_assert_cmpstr (text, ==, "f32[480,3]");
}

static void
test_port_paths (void)
{
  g_autoptr (LeatNode) named = make ("a", "out:o=f32");
  g_autoptr (LeatNode) bare = make (NULL, "out:o=f32");
  g_autofree char *path = leat_port_dup_path (port_of (named, "o"));
  g_autofree char *bare_path = leat_port_dup_path (port_of (bare, "o"));

  g_assert_cmpstr (path, ==, "a.o");
  g_assert_cmpstr (bare_path, ==, "toy:kernel.o");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  warnings_catch ();
  g_test_add_func ("/leat/port/link/fans-out", test_port_link_fans_out);
  g_test_add_func ("/leat/port/link/refuses-directions", test_port_link_refuses_directions);
  g_test_add_func ("/leat/port/link/refuses-two-writers", test_port_link_refuses_two_writers);
  g_test_add_func ("/leat/port/link/refuses-residence", test_port_link_refuses_residence);
  g_test_add_func ("/leat/port/link/refuses-type-mismatch", test_port_link_refuses_type_mismatch);
  g_test_add_func ("/leat/port/link/refuses-cycles", test_port_link_refuses_cycles);
  g_test_add_func ("/leat/port/link/takes-diamonds", test_port_link_takes_diamonds);
  g_test_add_func ("/leat/port/link/refuses-other-pipelines", test_port_link_refuses_other_pipelines);
  g_test_add_func ("/leat/port/link/refuses-while-busy", test_port_link_refuses_while_busy);
  g_test_add_func ("/leat/port/constrain", test_port_constrain);
  g_test_add_func ("/leat/port/paths", test_port_paths);
  return g_test_run ();
}
