/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "toy.h"

#include <string.h>

static LeatNode *
make (GType (*get_type) (void), const char *name)
{
  return g_object_new (get_type (), "name", name, NULL);
}

/* @printed: NULL: it has no value */
static void
assert_arg (LeatNode *node, const char *name, const char *printed)
{
  g_autoptr (GVariant) value = leat_node_dup_arg (node, name);
  g_autofree char *text = value != NULL ? g_variant_print (value, TRUE) : NULL;

  g_assert_cmpstr (text, ==, printed);
}

static void
test_node_defaults (void)
{
  g_autoptr (LeatNode) node = make (toy_filter_get_type, NULL);
  g_autofree char *title = NULL;
  g_autofree char *table = NULL;
  g_autoptr (GEnumClass) modes = NULL;
  gboolean loud;
  gint64 shift;
  guint64 radius, memory;
  double gain;
  int mode;
  GParamSpec *pspec;

  g_object_get (node, "loud", &loud, "shift", &shift, "radius", &radius, "memory", &memory, "gain", &gain, "title",
                &title, "table", &table, "mode", &mode, NULL);
  g_assert_true (loud);
  g_assert_cmpint (shift, ==, -2);
  g_assert_cmpuint (radius, ==, 3);
  g_assert_cmpuint (memory, ==, 4096);
  g_assert_cmpfloat (gain, ==, 0.5);
  g_assert_cmpstr (title, ==, "toy");
  g_assert_null (table);
  g_assert_cmpint (mode, ==, 1);

  pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (node), "mode");
  modes = g_type_class_ref (G_PARAM_SPEC_VALUE_TYPE (pspec));
  g_assert_cmpstr (G_ENUM_CLASS_TYPE_NAME (modes), ==, "ToyFilterMode");
  g_assert_cmpuint (modes->n_values, ==, 3);
}

static void
note_property (GObject *object, GParamSpec *pspec, GString *names)
{
  g_string_append_printf (names, "%s ", pspec->name);
}

static void
test_node_notifies (void)
{
  g_autoptr (LeatNode) node = make (toy_filter_get_type, NULL);
  g_autoptr (GString) names = g_string_new (NULL);

  g_signal_connect (node, "notify", G_CALLBACK (note_property), names);
  g_object_set (node, "radius", (guint64) 7, NULL);
  g_object_set (node, "title", "new", NULL);
  g_assert_cmpstr (names->str, ==, "radius title ");
}

static void
test_node_identity (void)
{
  g_autoptr (LeatNode) node = make (toy_filter_get_type, NULL);
  g_autoptr (LeatNode) named = make (toy_filter_get_type, "b0");
  g_autofree char *text = leat_node_to_string (node);
  g_autofree char *named_text = leat_node_to_string (named);

  g_assert_cmpstr (leat_node_get_id (node), ==, "toy:filter");
  g_assert_null (leat_node_get_name (node));
  g_assert_null (leat_node_get_pipeline (node));
  g_assert_cmpstr (text, ==, "<toy:filter>");
  g_assert_cmpstr (named_text, ==, "<toy:filter b0>");
  g_assert_true (leat_node_get_info (node) == &toy_filter_info);
}

static void
test_node_ports_inputs_first (void)
{
  g_autoptr (LeatNode) node = make (toy_filter_get_type, NULL);
  g_autoptr (GPtrArray) ports = leat_node_list_ports (node);
  static const char *const names[] = { "in", "mask", "out" };

  g_assert_cmpuint (ports->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpstr (leat_port_get_name (ports->pdata[i]), ==, names[i]);
}

static void
test_node_unknown_port (void)
{
  g_autoptr (LeatNode) node = make (toy_filter_get_type, "b0");
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_node_get_port (node, "massk", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PORT);
  g_assert_cmpstr (error->message, ==, "toy:filter \"b0\" has no port \"massk\" (did you mean \"mask\"?)");
  g_clear_error (&error);
  g_assert_null (leat_node_get_port (node, "something", &error));
  g_assert_cmpstr (error->message, ==, "toy:filter \"b0\" has no port \"something\" (there are in, mask and out)");
}

static void
test_node_prepare_only_when_changed (void)
{
  g_autoptr (LeatNode) node = make (toy_kernel_get_type, NULL);

  g_object_set (node, "signature", "in:a=f32[n] out:b=f32[n] arg:scale=f", NULL);
  g_assert_nonnull (leat_node_get_port (node, "a", NULL));
  g_assert_nonnull (leat_node_get_port (node, "b", NULL));
  g_assert_cmpstr (leat_node_get_arg_type (node, "scale"), ==, "f");
  g_assert_cmpuint (toy_kernel_get_n_prepared (node), ==, 1);
  g_object_set (node, "signature", "in:a=f32[n]", NULL);
  g_assert_null (leat_node_get_port (node, "b", NULL));
  g_assert_null (leat_node_get_arg_type (node, "scale"));
  g_assert_cmpuint (toy_kernel_get_n_prepared (node), ==, 2);
}

static void
test_node_prepare_failure (void)
{
  g_autoptr (LeatNode) node = make (toy_kernel_get_type, "k");
  g_autoptr (GError) error = NULL;

  g_object_set (node, "signature", "in:a=f32[n] nonsense", NULL);
  g_assert_false (leat_node_prepare (node, &error));
  g_assert_cmpstr (error->message, ==, "toy:kernel \"k\": cannot read the word \"nonsense\"");
  g_object_set (node, "signature", "in:a=f32[n]", NULL);
  g_clear_error (&error);
  g_assert_true (leat_node_prepare (node, &error));
  g_assert_no_error (error);
}

static void
test_node_links_survive_prepare (void)
{
  g_autoptr (LeatNode) first = make (toy_kernel_get_type, "first");
  g_autoptr (LeatNode) second = make (toy_kernel_get_type, "second");
  g_autoptr (LeatSpec) spec = leat_spec_parse ("f32[8]", NULL);
  g_autoptr (GError) error = NULL;
  LeatPort *out, *in;

  g_object_set (first, "signature", "out:b=f32[n] out:c=f32[n]", NULL);
  g_object_set (second, "signature", "in:a=f32[*] in:z=f32[*]", NULL);
  out = leat_node_get_port (first, "b", NULL);
  in = leat_node_get_port (second, "a", NULL);
  g_assert_true (leat_port_link (out, in, &error));
  g_assert_true (
    leat_port_link (leat_node_get_port (first, "c", NULL), leat_node_get_port (second, "z", NULL), &error));
  g_assert_true (leat_port_constrain (out, spec, &error));

  g_object_set (first, "signature", "out:b=f32[m] in:q=u8", NULL);
  g_assert_true (leat_node_prepare (first, &error));
  g_assert_no_error (error);
  g_assert_true (leat_node_get_port (first, "b", NULL) == out);
  g_assert_true (leat_port_get_peer (in) == out);
  g_assert_true (leat_spec_equal (leat_port_get_template (out), spec));
  g_assert_false (leat_port_is_linked (leat_node_get_port (second, "z", NULL)));
}

static void
test_node_constraint_that_became_impossible (void)
{
  g_autoptr (LeatNode) node = make (toy_kernel_get_type, "k");
  g_autoptr (LeatSpec) spec = leat_spec_parse ("f32[8]", NULL);
  g_autoptr (GError) error = NULL;

  g_object_set (node, "signature", "out:b=f32[n]", NULL);
  g_assert_true (leat_port_constrain (leat_node_get_port (node, "b", NULL), spec, NULL));
  g_object_set (node, "signature", "out:b=u8[n]", NULL);
  g_assert_false (leat_node_prepare (node, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
}

static void
test_node_args_survive_prepare (void)
{
  g_autoptr (LeatNode) node = make (toy_kernel_get_type, NULL);
  g_auto (GStrv) names = NULL;
  g_autofree char *list = NULL;

  g_object_set (node, "signature", "arg:scale=f arg:n=t arg:k=i", NULL);
  g_assert_true (leat_node_set_arg (node, "scale", g_variant_new_double (2), NULL));
  g_assert_true (leat_node_set_arg (node, "k", g_variant_new_int32 (3), NULL));
  g_object_set (node, "signature", "arg:k=u arg:scale=f", NULL);
  names = leat_node_list_args (node);
  list = g_strjoinv (" ", names);
  g_assert_cmpstr (list, ==, "k scale");
  assert_arg (node, "scale", "2.0");
  assert_arg (node, "k", NULL); /* of another type now */
}

#define N_SETTINGS 2000

static gpointer
set_scale (gpointer node)
{
  for (guint i = 0; i < N_SETTINGS; i++)
    g_assert_true (leat_node_set_arg_int64 (node, "scale", i, NULL));
  return NULL;
}

static void
test_node_args_from_two_threads (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (LeatNode) node = make (toy_kernel_get_type, "k");
  GThread *thread;
  double last = -1;

  g_object_set (node, "signature", "arg:scale=f", NULL);
  g_assert_true (leat_pipeline_add (pipeline, node, NULL));
  thread = g_thread_new ("setter", set_scale, node);
  while (last < N_SETTINGS - 1)
    {
      g_autoptr (GVariant) value = leat_node_dup_arg (node, "scale");
      double seen = value != NULL ? g_variant_get_double (value) : last;

      g_assert_cmpfloat (seen, >=, last);
      last = seen;
    }
  g_thread_join (thread);
}

static const struct
{
  const char *type;
  const char *value;
  const char *stored; /* NULL: refused with @code */
  LeatGraphError code;
} arg_values[] = {
  { "f", "1.5", "1.5", 0 },
  { "f", "int32 7", "7.0", 0 },
  { "f", "1e300", NULL, LEAT_GRAPH_ERROR_RANGE },
  { "f", "true", NULL, LEAT_GRAPH_ERROR_TYPE },
  { "f", "int32 16777216", "16777216.0", 0 },
  { "f", "int32 16777217", NULL, LEAT_GRAPH_ERROR_RANGE },
  { "f", "int32 -16777217", NULL, LEAT_GRAPH_ERROR_RANGE },
  { "f", "uint64 18446744073709551615", NULL, LEAT_GRAPH_ERROR_RANGE },
  { "f", "uint64 9223372036854775808", "9.2233720368547758e+18", 0 },
  { "f", "16777217.0", "16777216.0", 0 },
  { "d", "uint64 18446744073709551615", "1.8446744073709552e+19", 0 },
  { "y", "255", "byte 0xff", 0 },
  { "y", "256", NULL, LEAT_GRAPH_ERROR_RANGE },
  { "y", "-1", NULL, LEAT_GRAPH_ERROR_RANGE },
  { "n", "-32768", "int16 -32768", 0 },
  { "q", "65536", NULL, LEAT_GRAPH_ERROR_RANGE },
  { "i", "int64 2147483648", NULL, LEAT_GRAPH_ERROR_RANGE },
  { "i", "3.0", "3", 0 },
  { "i", "3.5", NULL, LEAT_GRAPH_ERROR_TYPE },
  { "u", "int64 4294967295", "uint32 4294967295", 0 },
  { "x", "int64 -9223372036854775808", "int64 -9223372036854775808", 0 },
  { "x", "uint64 9223372036854775808", NULL, LEAT_GRAPH_ERROR_RANGE },
  { "t", "uint64 18446744073709551615", "uint64 18446744073709551615", 0 },
  { "t", "-1", NULL, LEAT_GRAPH_ERROR_RANGE },
  { "t", "1e30", NULL, LEAT_GRAPH_ERROR_RANGE },
  { "b", "true", "true", 0 },
  { "b", "1", NULL, LEAT_GRAPH_ERROR_TYPE },
  { "i", "'seven'", NULL, LEAT_GRAPH_ERROR_TYPE },
};

static void
test_node_arg_values (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (arg_values); i++)
    {
      g_autoptr (LeatNode) node = make (toy_kernel_get_type, NULL);
      g_autofree char *signature = g_strdup_printf ("arg:a=%s", arg_values[i].type);
      g_autoptr (GVariant) value = g_variant_parse (NULL, arg_values[i].value, NULL, NULL, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_nonnull (value);
      g_object_set (node, "signature", signature, NULL);
      leat_node_set_arg (node, "a", value, &error);
      g_test_message ("%s: %s", arg_values[i].value, error != NULL ? error->message : "taken");
      if (arg_values[i].stored == NULL)
        {
          g_autofree char *given = g_variant_print (value, FALSE);

          g_assert_error (error, LEAT_GRAPH_ERROR, (int) arg_values[i].code);
          g_assert_true (g_str_has_suffix (error->message, given));
          assert_arg (node, "a", NULL);
          continue;
        }
      g_assert_no_error (error);
      assert_arg (node, "a", arg_values[i].stored);
    }
}

/* The setters that take no GVariant. */
static const struct
{
  const char *type;
  gboolean whole;
  gint64 number;
  double real;
  const char *stored; /* NULL: refused with @code */
  LeatGraphError code;
} arg_numbers[] = {
  { "f", FALSE, 0, 0.5, "0.5", 0 },
  { "f", FALSE, 0, -1e39, NULL, LEAT_GRAPH_ERROR_RANGE },
  { "f", TRUE, 33554434, 0, NULL, LEAT_GRAPH_ERROR_RANGE },
  { "f", TRUE, G_MININT64, 0, "-9.2233720368547758e+18", 0 },
  { "d", TRUE, -3, 0, "-3.0", 0 },
  { "i", TRUE, -3, 0, "-3", 0 },
  { "i", FALSE, 0, -3, "-3", 0 },
  { "i", FALSE, 0, 0.25, NULL, LEAT_GRAPH_ERROR_TYPE },
  { "u", TRUE, -3, 0, NULL, LEAT_GRAPH_ERROR_RANGE },
  { "x", TRUE, G_MININT64, 0, "int64 -9223372036854775808", 0 },
  { "t", TRUE, G_MAXINT64, 0, "uint64 9223372036854775807", 0 },
  { "b", TRUE, 1, 0, NULL, LEAT_GRAPH_ERROR_TYPE },
};

static void
test_node_arg_numbers (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (arg_numbers); i++)
    {
      g_autoptr (LeatNode) node = make (toy_kernel_get_type, NULL);
      g_autofree char *signature = g_strdup_printf ("arg:a=%s", arg_numbers[i].type);
      g_autoptr (GError) error = NULL;
      gboolean good;

      g_object_set (node, "signature", signature, NULL);
      good = arg_numbers[i].whole ? leat_node_set_arg_int64 (node, "a", arg_numbers[i].number, &error)
                                  : leat_node_set_arg_double (node, "a", arg_numbers[i].real, &error);
      g_test_message ("%u: %s", i, error != NULL ? error->message : "taken");
      g_assert_cmpint (good, ==, arg_numbers[i].stored != NULL);
      if (!good)
        {
          g_autofree char *given = arg_numbers[i].whole ? g_strdup_printf ("%" G_GINT64_FORMAT, arg_numbers[i].number)
                                                        : g_strdup_printf ("%g", arg_numbers[i].real);

          g_assert_error (error, LEAT_GRAPH_ERROR, (int) arg_numbers[i].code);
          g_assert_true (g_str_has_suffix (error->message, given));
          assert_arg (node, "a", NULL);
          continue;
        }
      g_assert_no_error (error);
      assert_arg (node, "a", arg_numbers[i].stored);
    }
}

static void
test_node_unknown_arg (void)
{
  g_autoptr (LeatNode) node = make (toy_kernel_get_type, "k");
  g_autoptr (GError) error = NULL;

  g_object_set (node, "signature", "arg:scale=f", NULL);
  g_assert_false (leat_node_set_arg (node, "scael", g_variant_new_double (1), &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY);
  g_assert_cmpstr (error->message, ==, "toy:kernel \"k\" has no argument \"scael\" (did you mean \"scale\"?)");
}

static void
note_arg (LeatNode *node, const char *name, GString *names)
{
  g_string_append_printf (names, "%s ", name);
}

static void
test_node_arg_changed (void)
{
  g_autoptr (LeatNode) node = make (toy_kernel_get_type, NULL);
  g_autoptr (GString) names = g_string_new (NULL);

  g_object_set (node, "signature", "arg:a=i arg:b=i", NULL);
  g_signal_connect (node, "arg-changed::b", G_CALLBACK (note_arg), names);
  g_assert_true (leat_node_set_arg (node, "a", g_variant_new_int32 (1), NULL));
  g_assert_true (leat_node_set_from_string (node, "b", "2", NULL));
  g_assert_true (leat_node_set_arg_int64 (node, "b", 3, NULL));
  g_assert_true (leat_node_set_arg_double (node, "a", 4, NULL));
  g_assert_cmpstr (names->str, ==, "b b ");
}

static void
test_node_paths (void)
{
  g_autoptr (LeatNode) node = make (toy_filter_get_type, NULL);
  g_autofree char *unset = leat_node_dup_path (node, "table");
  g_autofree char *here = NULL;
  g_autofree char *there = NULL;
  g_autofree char *absolute = NULL;

  g_assert_null (unset);
  g_object_set (node, "table", "a/b.csv", NULL);
  here = leat_node_dup_path (node, "table");
  g_assert_cmpstr (here, ==, "a/b.csv");
  leat_node_set_base_path (node, "/data");
  there = leat_node_dup_path (node, "table");
  g_assert_cmpstr (there, ==, "/data/a/b.csv");
  g_object_set (node, "table", "/c.csv", NULL);
  absolute = leat_node_dup_path (node, "table");
  g_assert_cmpstr (absolute, ==, "/c.csv");
}

static void
test_node_ports_outlive_it (void)
{
  LeatNode *node = make (toy_filter_get_type, "b0");
  g_autoptr (LeatPort) port = g_object_ref (leat_node_get_port (node, "in", NULL));
  g_autofree char *path = NULL;

  g_assert_finalize_object (node);
  path = leat_port_dup_path (port);
  g_assert_null (leat_port_get_node (port));
  g_assert_cmpstr (path, ==, "(gone).in");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/node/defaults", test_node_defaults);
  g_test_add_func ("/leat/node/notifies", test_node_notifies);
  g_test_add_func ("/leat/node/identity", test_node_identity);
  g_test_add_func ("/leat/node/ports/inputs-first", test_node_ports_inputs_first);
  g_test_add_func ("/leat/node/ports/unknown", test_node_unknown_port);
  g_test_add_func ("/leat/node/ports/outlive-it", test_node_ports_outlive_it);
  g_test_add_func ("/leat/node/prepare/only-when-changed", test_node_prepare_only_when_changed);
  g_test_add_func ("/leat/node/prepare/failure", test_node_prepare_failure);
  g_test_add_func ("/leat/node/prepare/links-survive", test_node_links_survive_prepare);
  g_test_add_func ("/leat/node/prepare/impossible-constraint", test_node_constraint_that_became_impossible);
  g_test_add_func ("/leat/node/prepare/args-survive", test_node_args_survive_prepare);
  g_test_add_func ("/leat/node/args/from-two-threads", test_node_args_from_two_threads);
  g_test_add_func ("/leat/node/args/values", test_node_arg_values);
  g_test_add_func ("/leat/node/args/unknown", test_node_unknown_arg);
  g_test_add_func ("/leat/node/args/numbers", test_node_arg_numbers);
  g_test_add_func ("/leat/node/args/changed", test_node_arg_changed);
  g_test_add_func ("/leat/node/paths", test_node_paths);
  return g_test_run ();
}
