/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-join-case.h"

/* Which nodes there are, how they are linked, and the pipeline that says so. */

#define JOIN_SCATTERED 50 /* places */
#define JOIN_BINS      16

/* With the last, primitives go by tiles. */
static const guint join_rooms[] = { 1, 7, 300, 64, 5000 };
static const char *const join_modes[] = { "auto", "kernel", "copy", "mapped" };

static gboolean
join_case_has (const JoinCase *self, guint value, guint bytes)
{
  return self->values[value].bytes > 0 && (bytes == 0 || self->values[value].bytes == bytes);
}

/* The chosen value, or the next one that will do; n_values: there is none.  @like: of its shape, too */
static guint
join_case_find (const JoinCase *self, guint chosen, guint bytes, const JoinValue *like)
{
  for (guint i = 0; i < self->n_values; i++)
    {
      guint at = (chosen + i) % self->n_values;
      const JoinValue *value = &self->values[at];

      if (join_case_has (self, at, bytes)
          && (like == NULL || (value->room == like->room && value->bounded == like->bounded)))
        return at;
    }
  return self->n_values;
}

static void
join_case_give (JoinCase *self, guint node, const char *port, guint bytes, guint room, gboolean bounded)
{
  self->values[self->n_values++] =
    (JoinValue){ .bytes = bytes, .room = room, .bounded = bounded, .node = node, .port = port };
  self->nodes[node].n_gives++;
}

static void
join_case_give_all (JoinCase *self, guint node)
{
  const JoinNode *n = &self->nodes[node];
  const JoinValue x = self->values[n->takes[0]], y = self->values[n->takes[n->n_takes - 1]];

  switch (n->kind)
    {
    case JOIN_COMPACT:
      join_case_give (self, node, "out", x.bytes, x.room, TRUE);
      join_case_give (self, node, "indices", 4, x.room, TRUE);
      break;
    case JOIN_SORT:
      join_case_give (self, node, "sorted", x.bytes, x.room, x.bounded);
      join_case_give (self, node, "from", 4, x.room, x.bounded);
      break;
    case JOIN_CARRY:
      join_case_give (self, node, "sorted", x.bytes, x.room, x.bounded);
      join_case_give (self, node, "carried", y.bytes, x.room, x.bounded);
      break;
    case JOIN_GATHER:
      join_case_give (self, node, "out", x.bytes, y.room, y.bounded);
      break;
    case JOIN_SCATTER:
      join_case_give (self, node, "out", x.bytes, JOIN_SCATTERED, FALSE);
      break;
    case JOIN_PARTITION:
      join_case_give (self, node, "out", x.bytes, x.room, x.bounded);
      join_case_give (self, node, "front", 8, 1, FALSE);
      break;
    case JOIN_SCAN:
      join_case_give (self, node, "out", 8, x.room, x.bounded);
      break;
    case JOIN_REDUCE:
      join_case_give (self, node, "out", 0, 1, FALSE);
      break;
    case JOIN_HISTOGRAM:
      join_case_give (self, node, "out", 8, JOIN_BINS, FALSE);
      break;
    case JOIN_UNIQUE:
      join_case_give (self, node, "out", x.bytes, x.room, TRUE);
      join_case_give (self, node, "starts", 8, x.room, TRUE);
      join_case_give (self, node, "lengths", 8, x.room, TRUE);
      break;
    case JOIN_PICK:
      join_case_give (self, node, "y", 4, x.room, TRUE);
      break;
    case JOIN_STEP:
    case JOIN_NEAR:
      join_case_give (self, node, "y", 4, x.room, x.bounded);
      break;
    case JOIN_LOOP:
      join_case_give (self, node, "q", x.bytes, x.room, x.bounded);
      break;
    case JOIN_TEXT:
      join_case_give (self, node, "hits", 0, 2 * x.room, TRUE);
      break;
    case JOIN_REACH:
      join_case_give (self, node, "levels", 4, JOIN_VERTICES, FALSE);
      break;
    case JOIN_MAP:
    case JOIN_SUM:
    case JOIN_STATE:
    case JOIN_N_KINDS:
      join_case_give (self, node, "out", x.bytes, x.room, x.bounded);
      break;
    }
}

/* What the kind cannot take makes it a map, which takes all. */
static void
join_node_fit (JoinCase *self, JoinNode *node, guint second)
{
  const JoinValue *x;
  guint found = node->takes[0];
  gboolean all = TRUE;

  if (node->kind == JOIN_STEP || node->kind == JOIN_NEAR || node->kind == JOIN_PICK || node->kind == JOIN_STATE
      || node->kind == JOIN_REACH)
    found = join_case_find (self, node->takes[0], 4, NULL);
  /* The stream ends with a run in which nothing comes. */
  for (guint i = 0; i < self->n_inputs; i++)
    all = all && self->values[i].bounded;
  if (node->kind == JOIN_TEXT)
    for (found = all ? 0 : self->n_values;
         found < self->n_values && (self->values[found].bytes != 1 || !self->values[found].bounded);)
      found++;
  if (found == self->n_values || (node->kind == JOIN_STATE && self->values[found].bounded))
    node->kind = JOIN_MAP;
  else
    node->takes[0] = found;
  x = &self->values[node->takes[0]];
  node->n_takes = 2;
  if (node->kind == JOIN_SUM)
    node->takes[1] = join_case_find (self, second, x->bytes, x);
  else if (node->kind == JOIN_CARRY)
    node->takes[1] = join_case_find (self, second, 0, x);
  else if (node->kind == JOIN_GATHER)
    node->takes[1] = join_case_find (self, second, 4, NULL);
  else if (node->kind == JOIN_SCATTER)
    node->takes[1] = join_case_find (self, second, 4, x);
  else
    node->n_takes = 1;
  if (node->takes[node->n_takes - 1] == self->n_values)
    {
      node->kind = JOIN_MAP;
      node->n_takes = 1;
    }
}

/* Once more what a node does, with the same inputs: plans may make one of the two. */
static void
join_case_repeat_node (JoinCase *self, const JoinNode *like)
{
  JoinNode *node = &self->nodes[self->n_nodes];

  *node = *like;
  node->gives = self->n_values;
  node->n_gives = 0;
  join_case_give_all (self, self->n_nodes++);
}

static void
join_case_add_node (JoinCase *self, LeatFuzzChoices *choices)
{
  JoinNode *node = &self->nodes[self->n_nodes];
  guint first = leat_fuzz_choose (choices, self->n_values), second;

  if (self->n_nodes > 0 && leat_fuzz_choose (choices, 5) == 4)
    {
      join_case_repeat_node (self, &self->nodes[leat_fuzz_choose (choices, self->n_nodes)]);
      return;
    }
  *node = (JoinNode){ .kind = leat_fuzz_choose (choices, JOIN_N_KINDS) };
  second = leat_fuzz_choose (choices, self->n_values);
  node->a = leat_fuzz_choose (choices, 2);
  node->b = leat_fuzz_choose (choices, 3);
  /* What was made last is what goes on, most often. */
  node->takes[0] = join_case_find (self, first % 2 == 0 ? self->n_values - 1 : first, 0, NULL);
  join_node_fit (self, node, second);
  for (guint i = 0; i < node->n_takes; i++)
    self->values[node->takes[i]].is_taken = TRUE;
  node->gives = self->n_values;
  join_case_give_all (self, self->n_nodes++);
}

void
join_case_make (JoinCase *self, LeatFuzzChoices *choices)
{
  static const guint widths[] = { 4, 4, 1, 8 };
  guint n_nodes;

  *self = (JoinCase){ .n_inputs = 1 + leat_fuzz_choose (choices, JOIN_INPUTS_MOST) };
  n_nodes = 1 + leat_fuzz_choose (choices, JOIN_NODES_MOST);
  for (guint i = 0; i < self->n_inputs; i++)
    {
      guint bytes = widths[leat_fuzz_choose (choices, G_N_ELEMENTS (widths))];
      guint room = join_rooms[leat_fuzz_choose (choices, G_N_ELEMENTS (join_rooms))];

      self->values[self->n_values++] =
        (JoinValue){ bytes, room, leat_fuzz_choose (choices, 2) == 0, JOIN_NODES_MOST, NULL, FALSE, FALSE };
      self->up[i] = leat_fuzz_choose (choices, G_N_ELEMENTS (join_modes));
    }
  while (self->n_nodes < n_nodes)
    join_case_add_node (self, choices);
  for (guint i = 0; i < self->n_values; i++)
    {
      JoinValue *value = &self->values[i];

      self->back[i] = leat_fuzz_choose (choices, 2 * G_N_ELEMENTS (join_modes));
      value->is_read = !value->is_taken || self->back[i] < G_N_ELEMENTS (join_modes);
      self->back[i] %= G_N_ELEMENTS (join_modes);
    }
  self->group_first = leat_fuzz_choose (choices, self->n_nodes);
  self->group_end = self->group_first + leat_fuzz_choose (choices, self->n_nodes - self->group_first + 1);
}

static gboolean
join_case_is_inside (const JoinCase *self, guint node)
{
  return node >= self->group_first && node < self->group_end;
}

/* What a value is called by a node, or outside; as much of the group is written as is not empty. */
static char *
join_case_dup_name (const JoinCase *self, guint value, gboolean inside)
{
  const JoinValue *it = &self->values[value];
  gboolean made_inside = it->node < JOIN_NODES_MOST && join_case_is_inside (self, it->node);

  if (made_inside != inside)
    return g_strdup_printf ("%s.v%u", inside ? "in" : "g", value);
  return it->node < JOIN_NODES_MOST ? g_strdup_printf ("n%u.%s", it->node, it->port) : g_strdup_printf ("up%u", value);
}

static void
join_case_write_kind (const JoinCase *self, guint i, const char *loop_executor, GString *text)
{
  static const char *const expressions[] = { "x*3+1", "x+7", "x/2", "x", "x*x", "255-x" };
  static const char *const bodies[] = { "map expr=x+3", "sort", "sort -> map expr=x/2", "partition where=\"x < 90\"" };
  const JoinNode *node = &self->nodes[i];
  const guint least = 60 + 60 * node->b;

  if (node->kind == JOIN_MAP)
    g_string_append_printf (text, "n%u = map expr=%s\n", i, expressions[node->a * 3 + node->b]);
  else if (node->kind == JOIN_SUM)
    g_string_append_printf (text, "n%u = map inputs=x,y expr=x+y*%u\n", i, 1 + node->b);
  else if (node->kind == JOIN_COMPACT)
    g_string_append_printf (text, "n%u = compact where=\"x < %u\" emit=both\n", i, least);
  else if (node->kind == JOIN_SORT || node->kind == JOIN_CARRY)
    g_string_append_printf (text, "n%u = sort order=%s\n", i, node->a == 1 ? "descending" : "ascending");
  else if (node->kind == JOIN_GATHER)
    g_string_append_printf (text, "n%u = gather outside=zero\n", i);
  else if (node->kind == JOIN_SCATTER)
    g_string_append_printf (text, "n%u = scatter size=%u outside=drop\n", i, JOIN_SCATTERED);
  else if (node->kind == JOIN_PARTITION)
    g_string_append_printf (text, "n%u = partition where=\"x < %u\"\n", i, least);
  else if (node->kind == JOIN_SCAN)
    g_string_append_printf (text, "n%u = scan mode=%s\n", i, node->a == 1 ? "exclusive" : "inclusive");
  else if (node->kind == JOIN_REDUCE)
    g_string_append_printf (text, "n%u = reduce\n", i);
  else if (node->kind == JOIN_HISTOGRAM)
    g_string_append_printf (text, "n%u = histogram bins=%u min=0 max=256\n", i, JOIN_BINS);
  else if (node->kind == JOIN_UNIQUE)
    g_string_append_printf (text, "n%u = unique\n", i);
  else if (node->kind == JOIN_STEP || node->kind == JOIN_NEAR || node->kind == JOIN_PICK)
    g_string_append_printf (text, "n%u = kernel source=\"" LEAT_FUZZ_FOLDER "/join-kernels.cu\" entry=%s%s\n", i,
                            node->kind == JOIN_STEP   ? "step"
                            : node->kind == JOIN_NEAR ? "near"
                                                      : "pick",
                            node->kind == JOIN_PICK || node->a == 0 ? ""
                            : node->kind == JOIN_STEP               ? " access=elementwise"
                                                                    : " access=stencil:1");
  else if (node->kind == JOIN_LOOP)
    g_string_append_printf (text, "n%u = loop max-iterations=%u carry=p:q method=%s {\n  in.p -> %s -> out.q\n}\n", i,
                            1 + node->b, loop_executor, bodies[(node->a + 2 * node->b) % G_N_ELEMENTS (bodies)]);
  else if (node->kind == JOIN_STATE)
    g_string_append_printf (text, "s%u = state spec=u32[%u]\nn%u = map inputs=x,s expr=x+s\n", i,
                            self->values[node->takes[0]].room, i);
  else if (node->kind == JOIN_TEXT)
    g_string_append_printf (text, "n%u = text:scan patterns=A,a\n", i);
  else
    g_string_append_printf (text,
                            "r%u = csr:read path=\"" LEAT_FUZZ_FOLDER "/join-graph.txt\"\n"
                            "m%u = map expr=\"x %% %u\"\nn%u = csr:bfs\n",
                            i, i, JOIN_VERTICES, i);
}

static void
join_case_write_links (const JoinCase *self, guint i, gboolean inside, GString *text)
{
  static const char *const ports[JOIN_N_KINDS][2] = {
    [JOIN_SUM] = { "x", "y" },         [JOIN_SORT] = { "keys", NULL },     [JOIN_CARRY] = { "keys", "values" },
    [JOIN_GATHER] = { "items", "at" }, [JOIN_SCATTER] = { "items", "at" }, [JOIN_LOOP] = { "p", NULL },
    [JOIN_TEXT] = { "text", NULL },
  };
  const JoinNode *node = &self->nodes[i];

  for (guint t = 0; t < node->n_takes; t++)
    {
      g_autofree char *name = join_case_dup_name (self, node->takes[t], inside);
      const char *port = ports[node->kind][t] != NULL ? ports[node->kind][t] : "x";

      if (node->kind == JOIN_REACH)
        g_string_append_printf (text, "%s -> m%u -> n%u.sources\n", name, i, i);
      else
        g_string_append_printf (text, "%s -> n%u.%s\n", name, i, port);
    }
  if (node->kind == JOIN_STATE)
    g_string_append_printf (text, "s%u -> n%u.s\nn%u -> s%u\n", i, i, i, i);
  if (node->kind == JOIN_REACH)
    g_string_append_printf (text, "r%u.offsets -> n%u.offsets\nr%u.indices -> n%u.indices\n", i, i, i, i);
}

/* Is it read, or taken by a node on the other side of the group's border? */
static gboolean
join_case_leaves (const JoinCase *self, guint value)
{
  gboolean any = self->values[value].is_read;

  for (guint i = 0; i < self->n_nodes && !any; i++)
    for (guint t = 0; t < self->nodes[i].n_takes; t++)
      any = any || (self->nodes[i].takes[t] == value && !join_case_is_inside (self, i));
  return any;
}

static void
join_case_write_group (const JoinCase *self, const char *loop_executor, GString *text)
{
  gboolean taken[JOIN_VALUES_MOST] = { FALSE };
  g_autoptr (GString) body = g_string_new (NULL);

  for (guint i = self->group_first; i < self->group_end; i++)
    {
      const JoinNode *node = &self->nodes[i];

      join_case_write_kind (self, i, loop_executor, body);
      join_case_write_links (self, i, TRUE, body);
      for (guint t = 0; t < node->n_takes; t++)
        taken[node->takes[t]] = TRUE;
      for (guint v = node->gives; v < node->gives + node->n_gives; v++)
        if (join_case_leaves (self, v))
          g_string_append_printf (body, "n%u.%s -> out.v%u\n", i, self->values[v].port, v);
    }
  g_string_truncate (body, body->len - 1);
  g_string_replace (body, "\n", "\n  ", 0);
  g_string_append_printf (text, "g = megakernel {\n  %s\n}\n", body->str);
  for (guint v = 0; v < self->n_values; v++)
    {
      g_autofree char *name = join_case_dup_name (self, v, FALSE);

      if (taken[v] && !g_str_has_prefix (name, "g."))
        g_string_append_printf (text, "%s -> g.v%u\n", name, v);
    }
}

char *
join_case_dup_text (const JoinCase *case_, gboolean grouped, const char *loop_executor)
{
  JoinCase copy = *case_, *self = &copy;
  GString *text = g_string_new ("leat 1\n");

  if (!grouped)
    self->group_end = self->group_first;
  for (guint i = 0; i < self->n_inputs; i++)
    g_string_append_printf (text, "up%u = upload mode=%s\napp name=in%u spec=u%u[%s%u] -> up%u\n", i,
                            join_modes[self->up[i]], i, 8 * self->values[i].bytes, self->values[i].bounded ? "<=" : "",
                            self->values[i].room, i);
  for (guint i = 0; i < self->n_nodes; i++)
    if (!join_case_is_inside (self, i))
      {
        join_case_write_kind (self, i, loop_executor, text);
      }
  if (self->group_end > self->group_first)
    join_case_write_group (self, loop_executor, text);
  for (guint i = 0; i < self->n_nodes; i++)
    if (!join_case_is_inside (self, i))
      join_case_write_links (self, i, FALSE, text);
  for (guint v = 0; v < self->n_values; v++)
    if (self->values[v].is_read)
      {
        g_autofree char *name = join_case_dup_name (self, v, FALSE);

        g_string_append_printf (text, "%s -> readback mode=%s -> app name=out%u\n", name, join_modes[self->back[v]], v);
      }
  return g_string_free (text, FALSE);
}
