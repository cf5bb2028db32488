/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "toy.h"

#include "graph/leat-plugin-private.h"

#include <string.h>

static void
assert_same_words (const char *const *a, const char *const *b)
{
  for (; a != NULL && b != NULL && *a != NULL; a++, b++)
    g_assert_cmpstr (*a, ==, *b);
  g_assert_true ((a == NULL || *a == NULL) == (b == NULL || *b == NULL));
}

static void
assert_same_prop (const LeatProp *a, const LeatProp *b)
{
  g_assert_cmpstr (a->name, ==, b->name);
  g_assert_cmpuint (a->type, ==, b->type);
  g_assert_cmpuint (a->flags, ==, b->flags);
  g_assert_cmpstr (a->blurb, ==, b->blurb);
  assert_same_words (a->choices, b->choices);
  if (a->type == LEAT_PROP_STRING || a->type == LEAT_PROP_PATH)
    g_assert_cmpstr (a->def.s, ==, b->def.s);
  else
    g_assert_cmpuint (a->def.u, ==, b->def.u);
  g_assert_cmpuint (a->min.u, ==, b->min.u);
  g_assert_cmpuint (a->max.u, ==, b->max.u);
}

static void
test_plugin_variant_round_trip (void)
{
  const LeatNodeInfo *const nodes[] = { &toy_filter_info, &toy_source_info };
  const LeatPluginInfo plugin = {
    sizeof plugin, LEAT_PLUGIN_ABI, "toy", "1", "LGPL-2.1-or-later", nodes, G_N_ELEMENTS (nodes),
  };
  g_autoptr (GVariant) variant = g_variant_ref_sink (leat_plugin_info_to_variant (&plugin));
  g_autoptr (GVariant) list = g_variant_get_child_value (variant, 3);

  g_assert_true (g_variant_is_of_type (variant, G_VARIANT_TYPE (LEAT_PLUGIN_VARIANT)));
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (list, i);
      g_autofree LeatNodeInfo *info = leat_node_info_new_from_variant (child);

      g_assert_cmpstr (info->id, ==, nodes[i]->id);
      g_assert_cmpstr (info->summary, ==, nodes[i]->summary);
      assert_same_words (info->aliases, nodes[i]->aliases);
      g_assert_cmpuint (info->n_props, ==, nodes[i]->n_props);
      g_assert_cmpuint (info->n_ports, ==, nodes[i]->n_ports);
      for (guint j = 0; j < info->n_props; j++)
        assert_same_prop (&info->props[j], &nodes[i]->props[j]);
      for (guint j = 0; j < info->n_ports; j++)
        {
          g_assert_cmpstr (info->ports[j].spec, ==, nodes[i]->ports[j].spec);
          g_assert_cmpuint (info->ports[j].flags, ==, nodes[i]->ports[j].flags);
          g_assert_cmpuint (info->ports[j].direction, ==, nodes[i]->ports[j].direction);
        }
    }
}

/* Structs of a plugin that was built with a later Leat, which knows more fields. */
typedef struct
{
  LeatProp prop;
  gpointer more[2];
} LaterProp;
typedef struct
{
  LeatPortInfo port;
  gpointer more;
} LaterPort;

static void
test_plugin_takes_larger_structs (void)
{
  const LaterProp props[] = {
    { { sizeof (LaterProp), "first", LEAT_PROP_UINT, .def.u = 1, .blurb = "" }, { NULL } },
    { { sizeof (LaterProp), "second", LEAT_PROP_UINT, .def.u = 2, .blurb = "" }, { NULL } },
  };
  const LaterPort ports[] = {
    { { sizeof (LaterPort), "in", LEAT_PORT_INPUT, 0, "any", "" }, NULL },
    { { sizeof (LaterPort), "out", LEAT_PORT_OUTPUT, 0, "any", "" }, NULL },
  };
  const LeatNodeInfo later = {
    sizeof later, "toy:later", NULL, "", "", &props[0].prop, 2, &ports[0].port, 2, toy_filter_get_type,
  };
  const LeatNodeInfo *now;
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_node_info_check (&later, &error));
  g_assert_no_error (error);
  now = leat_node_info_normalize (&later);
  g_assert_cmpstr (now->props[1].name, ==, "second");
  g_assert_cmpuint (now->props[1].def.u, ==, 2);
  g_assert_cmpstr (now->ports[1].name, ==, "out");
  g_free ((gpointer) now->props);
  g_free ((gpointer) now->ports);
  g_free ((gpointer) now);
  g_assert_true (leat_node_info_normalize (&toy_filter_info) == &toy_filter_info);
}

static const char *const no_choices[] = { NULL };
static const char *const one_choice[] = { "only", NULL };

#define PROP(...)                                                                                                      \
  {                                                                                                                    \
    sizeof (LeatProp), __VA_ARGS__                                                                                     \
  }

static const struct
{
  LeatProp prop;
  const char *says; /* NULL: it is fine */
} props[] = {
  { PROP ("fine", LEAT_PROP_UINT, .def.u = 3, .min.u = 1, .max.u = 4), NULL },
  { PROP ("fine", LEAT_PROP_INT, .def.i = -7), NULL },
  { PROP ("fine", LEAT_PROP_UINT, LEAT_PROP_REQUIRED, .min.u = 1), NULL },
  { PROP ("fine", LEAT_PROP_CHOICE, .choices = one_choice), NULL },
  { PROP ("low", LEAT_PROP_UINT, .min.u = 1), "out of its range" },
  { PROP ("high", LEAT_PROP_DOUBLE, .def.d = 2, .max.d = 1), "out of its range" },
  { PROP ("none", LEAT_PROP_CHOICE, .choices = no_choices), "no choices" },
  { PROP ("none", LEAT_PROP_CHOICE), "no choices" },
  { PROP ("third", LEAT_PROP_CHOICE, .def.i = 2, .choices = one_choice), "not one of its 1 choices" },
  { PROP ("name", LEAT_PROP_STRING), "cannot be one" },
  { PROP ("two words", LEAT_PROP_STRING), "cannot be one" },
  { PROP (NULL, LEAT_PROP_STRING), "cannot be one" },
  { PROP ("odd", (LeatPropType) 99), "unknown type 99" },
  { { 8, "small", LEAT_PROP_STRING }, "has the size 8" },
  { { 0, "unsized", LEAT_PROP_STRING }, "has the size 0" },
};

static void
test_plugin_check_props (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (props); i++)
    {
      const LeatNodeInfo node = { sizeof node, "toy:node", NULL, "", "", &props[i].prop, 1, NULL, 0, NULL };
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (leat_node_info_check (&node, &error), ==, props[i].says == NULL);
      if (props[i].says == NULL)
        continue;
      g_test_message ("%s", error->message);
      g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN);
      g_assert_nonnull (strstr (error->message, props[i].says));
    }
}

static void
test_plugin_check_ports (void)
{
  static const struct
  {
    LeatPortInfo port;
    const char *says;
  } rows[] = {
    { { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, 0, "f32[n", "" }, "port \"in\": spec \"f32[n\", column 6" },
    { { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, 0, NULL, "" }, "has no spec" },
    { { sizeof (LeatPortInfo), "in", (LeatDirection) 7, 0, "any", "" }, "no direction" },
    { { sizeof (LeatPortInfo), "a.b", LEAT_PORT_INPUT, 0, "any", "" }, "cannot be one" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const LeatNodeInfo node = { sizeof node, "toy:node", NULL, "", "", NULL, 0, &rows[i].port, 1, NULL };
      g_autoptr (GError) error = NULL;

      g_assert_false (leat_node_info_check (&node, &error));
      g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN);
      g_assert_nonnull (strstr (error->message, rows[i].says));
    }
}

static void
test_plugin_check_twins (void)
{
  const LeatNodeInfo *const nodes[] = { &toy_filter_info, &toy_filter_info };
  const LeatPluginInfo plugin = { sizeof plugin, LEAT_PLUGIN_ABI, "toy", "1", "", nodes, 2 };
  g_autoptr (GError) error = NULL;

  g_assert_false (leat_plugin_info_check (&plugin, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN);
  g_assert_nonnull (strstr (error->message, "two nodes have the id \"toy:filter\""));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/plugin/variant-round-trip", test_plugin_variant_round_trip);
  g_test_add_func ("/leat/plugin/takes-larger-structs", test_plugin_takes_larger_structs);
  g_test_add_func ("/leat/plugin/check/props", test_plugin_check_props);
  g_test_add_func ("/leat/plugin/check/ports", test_plugin_check_ports);
  g_test_add_func ("/leat/plugin/check/twins", test_plugin_check_twins);
  return g_test_run ();
}
