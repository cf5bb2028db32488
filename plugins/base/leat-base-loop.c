/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its properties, the pairs of carry=, and the test at the end of its body. */

#include "leat-base-loop.h"

#include "leat-base-loop-test.h"

/**
 * LeatBaseLoop:
 *
 * Its body again and again, until what the body computes says that it is enough: the node `loop`.
 */
struct _LeatBaseLoop
{
  LeatGroup parent_instance;

  guint64 max_iterations;
  char *until;
  char *carry;
  char *series;
  double budget;
  int method;

  LeatExpression *expression; /* NULL without until= */
  char **inputs, **outputs;   /* of carry= */
  LeatLoopTest *test;
};

G_DEFINE_FINAL_TYPE (LeatBaseLoop, leat_base_loop, LEAT_TYPE_GROUP)

static const char *const method_choices[] = { "auto", "while", "unrolled", "host", "fused", NULL };

static const LeatProp leat_base_loop_props[] = {
  { sizeof (LeatProp), "max-iterations", LEAT_PROP_UINT, 0, offsetof (LeatBaseLoop, max_iterations), .min.u = 0,
    .max.u = G_MAXINT64, .blurb = "Most iterations; 0: no limit, which needs until=" },
  { sizeof (LeatProp), "until", LEAT_PROP_STRING, 0, offsetof (LeatBaseLoop, until),
    .blurb = "Expression over outputs of one item and the name iteration; the loop ends after an "
             "iteration in which it is true" },
  { sizeof (LeatProp), "carry", LEAT_PROP_STRING, 0, offsetof (LeatBaseLoop, carry),
    .blurb = "Data that each iteration hands to the next: IN:OUT, separated by commas; not needed "
             "if there is one input and one output" },
  { sizeof (LeatProp), "series", LEAT_PROP_STRING, 0, offsetof (LeatBaseLoop, series),
    .blurb = "Name of an output of one item; the port series gives its value in each iteration" },
  { sizeof (LeatProp), "budget", LEAT_PROP_DOUBLE, 0, offsetof (LeatBaseLoop, budget), .def.d = 60, .min.d = 0,
    .max.d = 1e9, .blurb = "Seconds after which the loop counts as runaway and the run fails; 0: never" },
  { sizeof (LeatProp), "method", LEAT_PROP_CHOICE, 0, offsetof (LeatBaseLoop, method), .choices = method_choices,
    .blurb = "while: a loop node of the CUDA graph; unrolled: the body stands in the graph once "
             "for each iteration; host: the host launches each iteration; fused: one kernel "
             "does all iterations" },
};

static const LeatPortInfo leat_base_loop_ports[] = {
  { sizeof (LeatPortInfo), "iterations", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL | LEAT_PORT_LATE, "u64[]",
    "Number of iterations that were done" },
  { sizeof (LeatPortInfo), "series", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL | LEAT_PORT_LATE, "any[<=n]",
    "Value of the output that series= names, in each iteration" },
};

const LeatNodeInfo leat_base_loop_info = {
  sizeof (LeatNodeInfo),
  "loop",
  NULL,
  "Repeats its body",
  "The nodes and links between { and } run until the expression until= is true or "
  "max-iterations= are done, at least once.  In the body, in.NAME is the data of the "
  "loop's input NAME, and a link to out.NAME gives its output NAME.  carry=u:next "
  "makes in.u, from the second iteration on, the value that out.next had in the "
  "iteration before.  No data leaves the device between iterations.\n\nExample: loop "
  "max-iterations=10 carry=x:half begin in.x + map expr=x/2 + out.half end",
  leat_base_loop_props,
  G_N_ELEMENTS (leat_base_loop_props),
  leat_base_loop_ports,
  G_N_ELEMENTS (leat_base_loop_ports),
  leat_base_loop_get_type,
};

static gboolean
leat_base_loop_check_end (LeatBaseLoop *self, GError **error)
{
  if (self->max_iterations > 0 || self->until != NULL)
    return TRUE;
  leat_node_blame (LEAT_NODE (self), "max-iterations");
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
               "nothing would end the loop: set until=EXPRESSION, max-iterations=N, or both");
  return FALSE;
}

/* Which names of the expression are outputs is known when the body is; the others are arguments. */
static void
leat_base_loop_expose (LeatBaseLoop *self)
{
  const char *const *names = self->expression != NULL ? leat_expression_list_names (self->expression) : NULL;

  leat_node_remove_args (LEAT_NODE (self));
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (!g_str_equal (names[i], LEAT_LOOP_COUNTER))
      leat_node_add_arg (LEAT_NODE (self), names[i], "d", NULL);
}

static gboolean
leat_base_loop_prepare (LeatNode *node, GError **error)
{
  LeatBaseLoop *self = LEAT_BASE_LOOP (node);

  g_clear_pointer (&self->expression, leat_expression_free);
  if (!leat_base_loop_check_end (self, error))
    return FALSE;
  leat_node_blame (node, "until");
  if (self->until != NULL && (self->expression = leat_expression_parse (self->until, error)) == NULL)
    return FALSE;
  leat_base_loop_expose (self);
  return TRUE;
}

/* The one port of a direction that is not the node's own; NULL where there are none or several. */
static const char *
leat_base_loop_find_only (LeatNode *end)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (end);

  return ports->len == 1 ? leat_port_get_name (g_ptr_array_index (ports, 0)) : NULL;
}

static gboolean
leat_base_loop_split_pair (LeatBaseLoop *self, const char *pair, GPtrArray *inputs, GPtrArray *outputs, GError **error)
{
  g_auto (GStrv) ends = g_strsplit (pair, ":", 3);

  if (g_strv_length (ends) != 2 || *g_strstrip (ends[0]) == '\0' || *g_strstrip (ends[1]) == '\0')
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE,
                   "carry=%s: \"%s\" is not IN:OUT, two names such as u:next", self->carry, pair);
      return FALSE;
    }
  g_ptr_array_add (inputs, g_strdup (ends[0]));
  g_ptr_array_add (outputs, g_strdup (ends[1]));
  return TRUE;
}

static gboolean
leat_base_loop_split_carry (LeatBaseLoop *self, GError **error)
{
  LeatGroup *group = LEAT_GROUP (self);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func (g_free);
  const char *in = leat_base_loop_find_only (leat_group_get_begin (group));
  const char *out = leat_base_loop_find_only (leat_group_get_end (group));
  g_auto (GStrv) pairs = NULL;
  g_autofree char *only = self->carry == NULL && in != NULL && out != NULL ? g_strdup_printf ("%s:%s", in, out) : NULL;

  leat_node_blame (LEAT_NODE (self), "carry");
  if (self->carry == NULL && only == NULL)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
                   "set carry=IN:OUT: without it every iteration would do the same");
      return FALSE;
    }
  pairs = g_strsplit (only != NULL ? only : self->carry, ",", -1);
  for (guint i = 0; pairs[i] != NULL; i++)
    if (!leat_base_loop_split_pair (self, pairs[i], inputs, outputs, error))
      return FALSE;
  g_ptr_array_add (inputs, NULL);
  g_ptr_array_add (outputs, NULL);
  g_strfreev (self->inputs);
  g_strfreev (self->outputs);
  self->inputs = (char **) g_ptr_array_free (g_steal_pointer (&inputs), FALSE);
  self->outputs = (char **) g_ptr_array_free (g_steal_pointer (&outputs), FALSE);
  return TRUE;
}

static gboolean
leat_base_loop_check_twice (LeatBaseLoop *self, guint at, GError **error)
{
  for (guint i = 0; i < at; i++)
    if (g_str_equal (self->inputs[i], self->inputs[at]))
      {
        g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DUPLICATE_NAME, "carry=%s gives \"%s\" a value twice",
                     self->carry, self->inputs[at]);
        return FALSE;
      }
  return TRUE;
}

static gboolean
leat_base_loop_find_carry (LeatBaseLoop *self, GError **error)
{
  for (guint i = 0; self->inputs[i] != NULL; i++)
    if (leat_node_get_port (LEAT_NODE (self), self->inputs[i], error) == NULL
        || leat_node_get_port (LEAT_NODE (self), self->outputs[i], error) == NULL)
      return FALSE;
  return TRUE;
}

/* One end comes in, the other goes out, and one is what the other is. */
static gboolean
leat_base_loop_check_carry (LeatBaseLoop *self, guint at, GError **error)
{
  LeatPort *in = leat_node_get_port (LEAT_NODE (self), self->inputs[at], NULL);
  LeatPort *out = leat_node_get_port (LEAT_NODE (self), self->outputs[at], NULL);
  LeatSpec *first = leat_port_get_spec (in);
  LeatSpec *next = leat_group_get_result (LEAT_GROUP (self), self->outputs[at]);
  g_autofree char *is = NULL, *becomes = NULL;

  if (leat_port_get_direction (in) != LEAT_PORT_INPUT || leat_port_get_direction (out) != LEAT_PORT_OUTPUT
      || first == NULL || next == NULL)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION,
                   "carry=%s: \"%s\" is what comes in and \"%s\" what comes out", self->carry, self->inputs[at],
                   self->outputs[at]);
      return FALSE;
    }
  if (leat_spec_equal (first, next))
    return leat_base_loop_check_twice (self, at, error);
  is = leat_spec_to_string (first, LEAT_SPEC_STYLE_FILE);
  becomes = leat_spec_to_string (next, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "in.%s is %s and would become out.%s, which is %s: make both the same", self->inputs[at], is,
               self->outputs[at], becomes);
  return FALSE;
}

static gboolean
leat_base_loop_state_outputs (LeatBaseLoop *self, GError **error)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (leat_group_get_end (LEAT_GROUP (self)));
  g_autoptr (LeatSpec) count = leat_spec_new (LEAT_DTYPE_U64, NULL, 0, FALSE);
  LeatSpec *series = leat_loop_test_get_series (self->test);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);

      if (leat_port_get_spec (port) != NULL
          && !leat_group_set_output (LEAT_GROUP (self), leat_port_get_name (port), leat_port_get_spec (port), error))
        return FALSE;
    }
  return leat_group_set_output (LEAT_GROUP (self), "iterations", count, error)
         && (series == NULL || leat_group_set_output (LEAT_GROUP (self), "series", series, error));
}

static gboolean
leat_base_loop_make_test (LeatBaseLoop *self, GError **error)
{
  for (guint i = 0; self->inputs[i] != NULL; i++)
    if (!leat_base_loop_check_carry (self, i, error))
      return FALSE;
  g_clear_pointer (&self->test, leat_loop_test_free);
  self->test = leat_loop_test_new (LEAT_GROUP (self), self->expression, self->until, self->series, self->max_iterations,
                                   self->budget, error);
  return self->test != NULL;
}

static gboolean
leat_base_loop_negotiate_end (LeatGroup *group, GError **error)
{
  LeatBaseLoop *self = LEAT_BASE_LOOP (group);

  if (!leat_base_loop_split_carry (self, error))
    return leat_node_prefix_title (LEAT_NODE (self), error);
  if (!leat_base_loop_find_carry (self, error))
    return FALSE;
  if (!leat_base_loop_make_test (self, error))
    return leat_node_prefix_title (LEAT_NODE (self), error);
  return leat_base_loop_state_outputs (self, error);
}

static gboolean
leat_base_loop_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  static const LeatLoopMethod methods[] = { LEAT_LOOP_AUTO, LEAT_LOOP_WHILE, LEAT_LOOP_UNROLLED, LEAT_LOOP_HOST,
                                            LEAT_LOOP_FUSED };
  LeatBaseLoop *self = LEAT_BASE_LOOP (node);
  const LeatLoopCall call = {
    .most = self->max_iterations > 0 ? self->max_iterations : G_MAXUINT64,
    .method = methods[self->method],
    .is_tested = self->until != NULL,
    .budget_ns = (guint64) (self->budget * 1e9),
    .fused_test = LEAT_LOOP_FUSED_ENTRY,
    .operands = leat_loop_test_list_operands (self->test),
    .inputs = (const char *const *) self->inputs,
    .outputs = (const char *const *) self->outputs,
  };

  leat_loop_test_begin (self->test, recorder);
  leat_recorder_begin_loop (recorder, &call);
  return TRUE;
}

static gboolean
leat_base_loop_record_end (LeatGroup *group, LeatRecorder *recorder, GError **error)
{
  return leat_loop_test_record (LEAT_BASE_LOOP (group)->test, recorder, error);
}

static void
leat_base_loop_finalize (GObject *object)
{
  LeatBaseLoop *self = LEAT_BASE_LOOP (object);

  g_clear_pointer (&self->expression, leat_expression_free);
  g_clear_pointer (&self->test, leat_loop_test_free);
  g_strfreev (self->inputs);
  g_strfreev (self->outputs);
  G_OBJECT_CLASS (leat_base_loop_parent_class)->finalize (object);
}

static void
leat_base_loop_class_init (LeatBaseLoopClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_base_loop_finalize;
  node_class->prepare = leat_base_loop_prepare;
  node_class->record = leat_base_loop_record;
  LEAT_GROUP_CLASS (klass)->negotiate_end = leat_base_loop_negotiate_end;
  LEAT_GROUP_CLASS (klass)->record_end = leat_base_loop_record_end;
  leat_node_class_describe (node_class, &leat_base_loop_info);
}

static void
leat_base_loop_init (LeatBaseLoop *self)
{
}
