/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes the links of a chain, with the specs that stand on them.  Touches ports of the nodes that the builder made. */

#include "leat-builder-private.h"

/* One link of a chain: what stands left and right of the arrow, and between. */
typedef struct
{
  const LeatSyntaxElement *from;
  const LeatSyntaxElement *to;
  const LeatSyntaxElement *spec; /* (nullable) */
  gboolean from_is_middle;       /* something is linked to it in this chain too */
  gboolean to_is_middle;
} LeatBuilderLink;

static LeatBuilderNode *
leat_builder_get_end (LeatBuilder *self, const LeatSyntaxElement *element)
{
  LeatBuilderNode *built;
  g_autofree const char **names = NULL;
  g_autofree char *hint = NULL;

  if (element->node != NULL)
    return g_hash_table_lookup (self->by_syntax, element->node);
  built = leat_builder_find_end (self, element->name);
  if (built == NULL)
    built = leat_builder_find (self, element->name);
  if (built != NULL)
    return built;
  names = leat_builder_list_names (self);
  hint =
    names[0] != NULL ? leat_graph_error_hint (element->name, names, "nodes") : g_strdup (" (no node here has a name)");
  leat_error_list_take (
    self->errors, &element->pos,
    g_error_new (LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NAME, "there is no node \"%s\"%s", element->name, hint));
  return NULL;
}

/* In the middle of a chain a named port says which of the node's ports one of the two links meets: the link that can.
 */
static LeatPort *
leat_builder_pick_port (LeatBuilder *self, LeatBuilderNode *built, const LeatSyntaxElement *element,
                        LeatDirection direction, gboolean is_middle)
{
  g_autoptr (GError) error = NULL;
  LeatPort *port = NULL;

  if (element->port != NULL)
    port = leat_node_get_port (built->node, element->port, &error);
  if (port != NULL && is_middle && leat_port_get_direction (port) != direction)
    port = NULL;
  if (port == NULL && error == NULL)
    port = leat_pipeline_choose_port (built->node, direction, &error);
  if (port != NULL)
    return port;
  built->faulty = TRUE;
  leat_error_list_take (self->errors, &element->pos, g_steal_pointer (&error));
  return NULL;
}

static gboolean
leat_builder_constrain (LeatBuilder *self, LeatPort *output, const LeatSyntaxElement *element)
{
  const char *folder;
  const char *text = leat_variables_expand (self->variables, element->spec, &folder);
  g_autoptr (LeatSpec) spec = NULL;
  g_autoptr (GError) error = NULL;

  if (text == NULL)
    return FALSE;
  spec = leat_spec_parse (text, &error);
  if (spec != NULL && leat_port_constrain (output, spec, &error))
    return TRUE;
  leat_error_list_take (self->errors, &element->pos, g_steal_pointer (&error));
  return FALSE;
}

static void
leat_builder_link (LeatBuilder *self, const LeatBuilderLink *link)
{
  LeatBuilderNode *from = leat_builder_get_end (self, link->from), *to = leat_builder_get_end (self, link->to);
  LeatPort *output, *input;
  g_autoptr (GError) error = NULL;

  if (from == NULL || to == NULL || from->faulty || to->faulty)
    return;
  output = leat_builder_pick_port (self, from, link->from, LEAT_PORT_OUTPUT, link->from_is_middle);
  input = leat_builder_pick_port (self, to, link->to, LEAT_PORT_INPUT, link->to_is_middle);
  if (output == NULL || input == NULL || (link->spec != NULL && !leat_builder_constrain (self, output, link->spec)))
    return;
  if (!leat_port_link (output, input, &error))
    leat_error_list_take (self->errors, &link->to->pos, g_steal_pointer (&error));
}

void
leat_builder_link_chain (LeatBuilder *self, const LeatSyntaxStatement *chain)
{
  const LeatSyntaxElement *from = NULL, *spec = NULL;
  gboolean from_is_middle = FALSE, broken = FALSE;

  for (guint i = 0; i < chain->elements->len; i++)
    {
      const LeatSyntaxElement *element = leat_syntax_list_get (chain->elements, i);

      broken = broken || element->broken_before;
      if (element->kind == LEAT_SYNTAX_ELEMENT_SPEC)
        {
          spec = element;
          continue;
        }
      if (from != NULL && !broken)
        {
          LeatBuilderLink link = { from, element, spec, from_is_middle, i + 1 < chain->elements->len };

          leat_builder_link (self, &link);
        }
      from_is_middle = from != NULL;
      from = element;
      spec = NULL;
      broken = FALSE;
    }
}
