/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "toy.h"
#include "warnings.h"

#include "graph/leat-pipeline-private.h"

#include <string.h>

static LeatNode *
make_filter (void)
{
  return g_object_new (toy_filter_get_type (), "name", "b0", NULL);
}

static LeatNode *
make_kernel (const char *signature)
{
  return g_object_new (toy_kernel_get_type (), "name", "k", "signature", signature, NULL);
}

static const struct
{
  const char *name;
  const char *text;
  const char *back; /* what is read back; NULL: the default */
} good_values[] = {
  { "loud", "false", "false" },
  { "loud", "off", "false" },
  { "loud", "0", "false" },
  { "loud", "yes", NULL },
  { "shift", "-8", "-8" },
  { "shift", "+8", "8" },
  { "shift", "-2", NULL },
  { "radius", "64", "64" },
  { "memory", "16", "16" },
  { "memory", "64K", "65536" },
  { "memory", "4M", "4194304" },
  { "memory", "2G", "2147483648" },
  { "memory", "4K", NULL },
  { "gain", "0.1", "0.1" },
  { "gain", "1e-3", "0.001" },
  { "gain", ".25", "0.25" },
  { "gain", "0.30000000000000004", "0.30000000000000004" },
  { "title", "", "" },
  { "title", "two words", "two words" },
  { "table", "data/x.csv", "data/x.csv" },
  { "mode", "exact", "exact" },
  { "in", "f32[480]", "f32[480]" },
};

static void
test_node_text_round_trip (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (good_values); i++)
    {
      g_autoptr (LeatNode) node = make_filter ();
      g_autoptr (LeatNode) copy = make_filter ();
      g_autofree char *back = NULL;
      g_autofree char *again = NULL;
      g_auto (GStrv) set = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_true (leat_node_set_from_string (node, good_values[i].name, good_values[i].text, &error));
      g_assert_no_error (error);
      back = leat_node_dup_as_string (node, good_values[i].name);
      g_assert_cmpstr (back, ==, good_values[i].back);
      set = leat_node_list_set (node);
      g_assert_cmpstr (set[0], ==, back != NULL ? good_values[i].name : NULL);
      if (back == NULL)
        continue;
      g_assert_true (leat_node_set_from_string (copy, good_values[i].name, back, &error));
      again = leat_node_dup_as_string (copy, good_values[i].name);
      g_assert_cmpstr (again, ==, back);
    }
}

static const struct
{
  const char *name;
  const char *text;
  LeatGraphError code;
  const char *says;
} bad_values[] = {
  { "radus", "3", LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY,
    "toy:filter \"b0\" has no property \"radus\" (did you mean \"radius\"?)" },
  { "massk", "u8", LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY, "did you mean \"mask\"?" },
  { "name", "x", LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY, "has no property \"name\"" },
  { "arg.radius", "3", LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY, "has no property \"arg.radius\"" },
  { "loud", "maybe", LEAT_GRAPH_ERROR_TYPE, "property \"loud\" takes true or false, not \"maybe\"" },
  { "shift", "one", LEAT_GRAPH_ERROR_TYPE, "takes a whole number, not \"one\"" },
  { "shift", "1.5", LEAT_GRAPH_ERROR_TYPE, "takes a whole number" },
  { "shift", "", LEAT_GRAPH_ERROR_TYPE, "takes a whole number" },
  { "shift", "9", LEAT_GRAPH_ERROR_RANGE, "property \"shift\" is -8 to 8, not 9" },
  { "shift", "99999999999999999999", LEAT_GRAPH_ERROR_RANGE, "-8 to 8" },
  { "radius", "0", LEAT_GRAPH_ERROR_RANGE, "toy:filter \"b0\": property \"radius\" is 1 to 64, not 0" },
  { "radius", "-1", LEAT_GRAPH_ERROR_RANGE, "1 to 64" },
  { "radius", "0x10", LEAT_GRAPH_ERROR_TYPE, "not negative" },
  { "radius", "1K", LEAT_GRAPH_ERROR_TYPE, "not negative" },
  { "memory", "8", LEAT_GRAPH_ERROR_RANGE, "at least 16" },
  { "memory", "4k", LEAT_GRAPH_ERROR_TYPE, "64K" },
  { "memory", "K", LEAT_GRAPH_ERROR_TYPE, "64K" },
  { "memory", "99999999999999G", LEAT_GRAPH_ERROR_RANGE, "at least 16" },
  { "gain", "2", LEAT_GRAPH_ERROR_RANGE, "0 to 1, not 2" },
  { "gain", "nan", LEAT_GRAPH_ERROR_TYPE, "takes a number" },
  { "gain", "inf", LEAT_GRAPH_ERROR_TYPE, "takes a number" },
  { "gain", "0.5x", LEAT_GRAPH_ERROR_TYPE, "takes a number" },
  { "gain", "1e999", LEAT_GRAPH_ERROR_TYPE, "takes a number" },
  { "mode", "fats", LEAT_GRAPH_ERROR_TYPE, "one of fast, small and exact, not \"fats\" (did you mean \"fast\"?)" },
  { "in", "f32[", LEAT_GRAPH_ERROR_SPEC, "toy:filter \"b0\": port \"in\": spec \"f32[\", column 5" },
  { "in", "u8[3]", LEAT_GRAPH_ERROR_SPEC, "f32 is not u8" },
};

static void
test_node_text_refuses (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad_values); i++)
    {
      g_autoptr (LeatNode) node = make_filter ();
      g_auto (GStrv) set = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_false (leat_node_set_from_string (node, bad_values[i].name, bad_values[i].text, &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, LEAT_GRAPH_ERROR, (int) bad_values[i].code);
      g_assert_nonnull (strstr (error->message, bad_values[i].says));
      set = leat_node_list_set (node);
      g_assert_null (set[0]);
    }
}

static void
test_node_text_arguments (void)
{
  static const struct
  {
    const char *type, *text, *back;
  } rows[] = {
    { "f", "0.1", "0.1" },       { "d", "0.1", "0.1" },
    { "i", "-7", "-7" },         { "t", "18446744073709551615", "18446744073709551615" },
    { "y", "200", "200" },       { "b", "on", "true" },
    { "i", "2147483648", NULL }, { "i", "x", NULL },
    { "f", "1e39", NULL },       { "t", "-1", NULL },
    { "b", "2", NULL },          { "i", "1.5", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *signature = g_strdup_printf ("arg:a=%s", rows[i].type);
      g_autoptr (LeatNode) node = make_kernel (signature);
      g_autofree char *back = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (leat_node_set_from_string (node, "a", rows[i].text, &error), ==, rows[i].back != NULL);
      back = leat_node_dup_as_string (node, "a");
      g_assert_cmpstr (back, ==, rows[i].back);
      g_assert_true ((error != NULL) == (back == NULL));
    }
}

/* A property hides an argument of its name, which hides a port. */
static void
test_node_text_clashes (void)
{
  g_autoptr (LeatNode) node = make_kernel ("arg:signature=i arg:x=i in:x=f32");
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  g_auto (GStrv) set = NULL;
  g_autofree char *list = NULL;
  g_autofree char *port = NULL;
  g_autoptr (GVariant) x = NULL;

  g_assert_true (leat_node_set_from_string (node, "arg.signature", "5", NULL));
  g_assert_true (leat_node_set_from_string (node, "x", "6", NULL));
  g_assert_true (leat_node_set_from_string (node, "port.x", "f32[9]", NULL));
  x = leat_node_dup_arg (node, "x");
  g_assert_cmpint (g_variant_get_int32 (x), ==, 6);
  set = leat_node_list_set (node);
  list = g_strjoinv (" ", set);
  g_assert_cmpstr (list, ==, "signature arg.signature x port.x");
  port = leat_node_dup_as_string (node, "port.x");
  g_assert_cmpstr (port, ==, "f32[9]");
  before = leat_node_dup_as_string (node, "signature");
  g_assert_cmpstr (before, ==, "arg:signature=i arg:x=i in:x=f32");
}

static void
test_node_text_required (void)
{
  g_autoptr (LeatNode) node = g_object_new (toy_source_get_type (), NULL);
  g_autofree char *unset = leat_node_dup_as_string (node, "count");
  g_autofree char *back = NULL;

  g_assert_null (unset);
  g_assert_true (leat_node_set_from_string (node, "count", "1", NULL));
  back = leat_node_dup_as_string (node, "count");
  g_assert_cmpstr (back, ==, "1");
}

static void
test_node_text_busy (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  g_autoptr (LeatNode) filter = make_filter ();
  g_autoptr (LeatNode) kernel = make_kernel ("arg:a=i in:x=f32");
  g_autoptr (LeatNode) source = g_object_new (toy_source_get_type (), "name", "s0", NULL);
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  g_autoptr (GError) error = NULL;
  guint64 radius;

  g_assert_true (leat_pipeline_add (pipeline, filter, NULL));
  g_assert_true (leat_pipeline_add (pipeline, kernel, NULL));
  g_assert_true (leat_pipeline_add (pipeline, source, NULL));
  g_assert_true (leat_node_prepare (kernel, NULL));
  leat_pipeline_freeze (pipeline);

  g_assert_false (leat_node_set_from_string (source, "count", "4", &error)); /* an endpoint's */
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  g_assert_nonnull (strstr (error->message, "toy:source \"s0\""));
  g_clear_error (&error);
  g_assert_false (leat_node_set_from_string (kernel, "x", "f32[3]", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY);
  g_assert_true (leat_node_set_from_string (filter, "gain", "0.75", NULL)); /* LIVE */
  g_assert_true (leat_node_set_from_string (kernel, "a", "7", NULL));

  g_object_set (source, "count", (guint64) 5, NULL);
  warnings_assert_one ("*count*session*");
  g_assert_true (leat_node_set_from_string (filter, "radius", "5", NULL)); /* waits, and can be read */
  g_object_get (filter, "radius", &radius, NULL);
  g_assert_cmpuint (radius, ==, 5);
  before = leat_node_dup_as_string (filter, "radius");
  g_assert_cmpstr (before, ==, NULL); /* what the session runs with */

  leat_pipeline_thaw (pipeline);
  after = leat_node_dup_as_string (filter, "radius");
  g_assert_cmpstr (after, ==, "5");
  g_assert_true (leat_node_set_from_string (source, "count", "4", NULL));
}

static void
count_call (GObject *object, GParamSpec *pspec, gpointer n)
{
  (*(guint *) n)++;
}

/* Who listens to a property hears of it each time that it is set, as with g_object_set (). */
static void
test_node_text_notifies (void)
{
  g_autoptr (LeatNode) node = make_filter ();
  guint n_title = 0, n_any = 0;

  g_signal_connect (node, "notify::title", G_CALLBACK (count_call), &n_title);
  g_signal_connect (node, "notify", G_CALLBACK (count_call), &n_any);
  g_assert_true (leat_node_set_from_string (node, "title", "a", NULL));
  g_assert_true (leat_node_set_from_string (node, "title", "a", NULL));
  g_assert_true (leat_node_set_from_string (node, "mode", "exact", NULL));
  g_assert_false (leat_node_set_from_string (node, "mode", "none", NULL));
  g_assert_cmpuint (n_title, ==, 2);
  g_assert_cmpuint (n_any, ==, 3);
}

/* A kind of node with accessors of its own, which chain up. */
typedef struct
{
  LeatNode parent_instance;
  guint64 level;
  guint n_set;
} OwnNode;
typedef LeatNodeClass OwnNodeClass;

GType own_node_get_type (void);

static const LeatProp own_props[] = {
  { sizeof (LeatProp), "level", LEAT_PROP_UINT, 0, offsetof (OwnNode, level), .blurb = "Level" },
};
static const LeatNodeInfo own_info = {
  sizeof (LeatNodeInfo), "toy:own", NULL, "Counts", "", own_props, G_N_ELEMENTS (own_props), NULL, 0, own_node_get_type,
};

G_DEFINE_TYPE (OwnNode, own_node, LEAT_TYPE_NODE)

static void
own_node_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  ((OwnNode *) object)->n_set++;
  G_OBJECT_CLASS (own_node_parent_class)->set_property (object, id, value, pspec);
}

static void
own_node_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  G_OBJECT_CLASS (own_node_parent_class)->get_property (object, id, value, pspec);
}

static void
own_node_class_init (OwnNodeClass *klass)
{
  G_OBJECT_CLASS (klass)->set_property = own_node_set_property;
  G_OBJECT_CLASS (klass)->get_property = own_node_get_property;
  leat_node_class_describe (klass, &own_info);
}

static void
own_node_init (OwnNode *self)
{
}

static void
test_node_text_asks_own_accessors (void)
{
  g_autoptr (LeatNode) node = g_object_new (own_node_get_type (), NULL);
  g_autofree char *text = NULL;

  g_assert_true (leat_node_set_from_string (node, "level", "7", NULL));
  text = leat_node_dup_as_string (node, "level");
  g_assert_cmpstr (text, ==, "7");
  g_assert_cmpuint (((OwnNode *) node)->n_set, ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  warnings_catch ();
  g_test_add_func ("/leat/node/text/round-trip", test_node_text_round_trip);
  g_test_add_func ("/leat/node/text/refuses", test_node_text_refuses);
  g_test_add_func ("/leat/node/text/arguments", test_node_text_arguments);
  g_test_add_func ("/leat/node/text/clashes", test_node_text_clashes);
  g_test_add_func ("/leat/node/text/required", test_node_text_required);
  g_test_add_func ("/leat/node/text/busy", test_node_text_busy);
  g_test_add_func ("/leat/node/text/notifies", test_node_text_notifies);
  g_test_add_func ("/leat/node/text/asks-own-accessors", test_node_text_asks_own_accessors);
  return g_test_run ();
}
