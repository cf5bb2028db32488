/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-loops-case.h"

#include <string.h>

#define LOOPS_STAYS LOOPS_OUTPUTS_MOST

static void
loops_case_use (LoopsCase *self, guint value)
{
  const LoopsOp *op = &self->ops[value - MIN (value, self->n_inputs)];

  if (self->is_used[value])
    return;
  self->is_used[value] = TRUE;
  if (value < self->n_inputs)
    return;
  loops_case_use (self, op->x);
  if (op->kind == LOOPS_OP_SUM || op->kind == LOOPS_OP_APART)
    loops_case_use (self, op->y);
}

static void
loops_case_make_ops (LoopsCase *self, LeatFuzzChoices *choices)
{
  for (guint i = 0; i < self->n_ops; i++)
    self->ops[i] =
      (LoopsOp){ leat_fuzz_choose (choices, LOOPS_OP_LOOP + 1), leat_fuzz_choose (choices, self->n_inputs + i),
                 leat_fuzz_choose (choices, self->n_inputs + i), 1 + leat_fuzz_choose (choices, 3) };
}

/* Something goes on in any case. */
static void
loops_case_make_carry (LoopsCase *self, LeatFuzzChoices *choices)
{
  guint n = 0;

  for (guint i = 0; i < self->n_inputs; i++)
    {
      self->becomes[i] = leat_fuzz_choose (choices, self->n_outputs + 1);
      if (self->becomes[i] == self->n_outputs)
        self->becomes[i] = LOOPS_STAYS;
      n += self->is_used[i] && self->becomes[i] != LOOPS_STAYS;
    }
  for (guint i = 0; i < self->n_inputs && n == 0; i++)
    if (self->is_used[i])
      self->becomes[i] = n++;
}

void
loops_case_make (LoopsCase *self, LeatFuzzChoices *choices)
{
  static const guint rooms[] = { 1, 2, 300, 3000 };
  static const guint32 limits[] = { 5, 40, 400, 100000, G_MAXUINT32 };

  *self = (LoopsCase){ .n_items = rooms[leat_fuzz_choose (choices, G_N_ELEMENTS (rooms))] };
  self->n_inputs = 1 + leat_fuzz_choose (choices, LOOPS_INPUTS_MOST);
  self->n_ops = leat_fuzz_choose (choices, LOOPS_OPS_MOST + 1);
  self->n_outputs = 1 + leat_fuzz_choose (choices, LOOPS_OUTPUTS_MOST);
  self->most = 1 + leat_fuzz_choose (choices, LOOPS_ITERATIONS_MOST);
  self->limit = limits[leat_fuzz_choose (choices, G_N_ELEMENTS (limits))];
  loops_case_make_ops (self, choices);
  for (guint i = 0; i < self->n_outputs; i++)
    {
      self->outputs[i] = leat_fuzz_choose (choices, self->n_inputs + self->n_ops);
      self->is_read[i] = i == 0 || leat_fuzz_choose (choices, 3) > 0;
      loops_case_use (self, self->outputs[i]);
    }
  self->tested = leat_fuzz_choose (choices, self->n_inputs + self->n_ops);
  loops_case_use (self, self->tested);
  loops_case_make_carry (self, choices);
}

gboolean
loops_case_is_nested (const LoopsCase *self)
{
  for (guint i = 0; i < self->n_ops; i++)
    if (self->is_used[self->n_inputs + i] && self->ops[i].kind == LOOPS_OP_LOOP)
      return TRUE;
  return FALSE;
}

static char *
loops_case_dup_value (const LoopsCase *self, guint value)
{
  if (value < self->n_inputs)
    return g_strdup_printf ("in.i%u", value);
  if (self->ops[value - self->n_inputs].kind == LOOPS_OP_LOOP)
    return g_strdup_printf ("n%u.q", value - self->n_inputs);
  return g_strdup_printf ("n%u", value - self->n_inputs);
}

static void
loops_case_write_op (const LoopsCase *self, guint i, GString *text)
{
  static const char *const expressions[] = { "x+1", "x*3+1", "x/2", "x+y inputs=x,y",
                                             "\"x > y ? x-y : y-x\" inputs=x,y" };
  const LoopsOp *op = &self->ops[i];
  g_autofree char *x = loops_case_dup_value (self, op->x), *y = loops_case_dup_value (self, op->y);

  if (op->kind == LOOPS_OP_LOOP)
    {
      g_string_append_printf (text,
                              "  n%u = loop max-iterations=%u carry=p:q {\n"
                              "    in.p -> map expr=x+3 -> out.q\n  }\n  %s -> n%u.p\n",
                              i, op->times, x, i);
      return;
    }
  g_string_append_printf (text, "  n%u = map expr=%s\n", i, expressions[op->kind]);
  if (op->kind == LOOPS_OP_SUM || op->kind == LOOPS_OP_APART)
    g_string_append_printf (text, "  %s -> n%u.x\n  %s -> n%u.y\n", x, i, y, i);
  else
    g_string_append_printf (text, "  %s -> n%u\n", x, i);
}

static void
loops_case_write_body (const LoopsCase *self, GString *text)
{
  g_autofree char *tested = loops_case_dup_value (self, self->tested);

  for (guint i = 0; i < self->n_ops; i++)
    if (self->is_used[self->n_inputs + i])
      loops_case_write_op (self, i, text);
  for (guint i = 0; i < self->n_outputs; i++)
    {
      g_autofree char *value = loops_case_dup_value (self, self->outputs[i]);

      g_string_append_printf (text, "  %s -> out.o%u\n", value, i);
    }
  /* One item is its own greatest. */
  g_string_append_printf (text, "  %s%s -> out.t\n", tested, self->n_items > 1 ? " -> reduce op=max" : "");
}

char *
loops_case_dup_text (const LoopsCase *self, const char *executor)
{
  GString *text = g_string_new (NULL);
  const char *between = "";

  g_string_append_printf (
    text, "leat 1\nl = loop until=\"t >= limit\" limit=%u max-iterations=%u series=t method=%s carry=", self->limit,
    self->most, executor);
  for (guint i = 0; i < self->n_inputs; i++)
    if (self->is_used[i] && self->becomes[i] != LOOPS_STAYS)
      {
        g_string_append_printf (text, "%si%u:o%u", between, i, self->becomes[i]);
        between = ",";
      }
  g_string_append (text, " {\n");
  loops_case_write_body (self, text);
  g_string_append (text, "}\nl.series -> readback -> app name=series\n");
  for (guint i = 0; i < self->n_inputs; i++)
    if (self->is_used[i])
      g_string_append_printf (text, "app name=in%u spec=u32[%u] -> upload -> l.i%u\n", i, self->n_items, i);
  for (guint i = 0; i < self->n_outputs; i++)
    if (self->is_read[i])
      g_string_append_printf (text, "l.o%u -> readback -> app name=out%u\n", i, i);
  return g_string_free (text, FALSE);
}

guint32 *
loops_case_make_inputs (const LoopsCase *self, GRand *random)
{
  guint32 *inputs = g_new (guint32, self->n_inputs * self->n_items);

  for (guint i = 0; i < self->n_inputs * self->n_items; i++)
    inputs[i] = (guint32) g_rand_int_range (random, 0, 30);
  return inputs;
}

static guint32
loops_op_compute (const LoopsOp *self, guint32 x, guint32 y)
{
  switch (self->kind)
    {
    case LOOPS_OP_NEXT:
      return x + 1;
    case LOOPS_OP_GROW:
      return x * 3 + 1;
    case LOOPS_OP_HALF:
      return x / 2;
    case LOOPS_OP_SUM:
      return x + y;
    case LOOPS_OP_APART:
      return x > y ? x - y : y - x;
    case LOOPS_OP_LOOP:
      return x + 3 * self->times;
    }
  return 0;
}

/* All values of an iteration, item by item, of which the first are given. */
static guint32
loops_case_compute_values (const LoopsCase *self, guint32 *values)
{
  guint32 *tested = values + self->tested * self->n_items, greatest = 0;

  for (guint k = 0; k < self->n_ops; k++)
    for (guint i = 0; i < self->n_items; i++)
      values[(self->n_inputs + k) * self->n_items + i] = loops_op_compute (
        &self->ops[k], values[self->ops[k].x * self->n_items + i], values[self->ops[k].y * self->n_items + i]);
  for (guint i = 0; i < self->n_items; i++)
    greatest = MAX (greatest, tested[i]);
  return greatest;
}

void
loops_case_compute (const LoopsCase *self, guint32 *inputs, LoopsResult *result)
{
  const gsize bytes = self->n_items * sizeof (guint32);
  g_autofree guint32 *values = g_new0 (guint32, LOOPS_VALUES_MOST * self->n_items);

  *result = (LoopsResult){ .iterations = 0 };
  do
    {
      memcpy (values, inputs, self->n_inputs * bytes);
      result->series[result->iterations] = loops_case_compute_values (self, values);
      result->converged = result->series[result->iterations++] >= self->limit;
      for (guint i = 0; i < self->n_inputs; i++)
        if (self->becomes[i] != LOOPS_STAYS)
          memcpy (inputs + i * self->n_items, values + self->outputs[self->becomes[i]] * self->n_items, bytes);
    }
  while (!result->converged && result->iterations < self->most);
  for (guint i = 0; i < self->n_outputs; i++)
    if (self->is_read[i])
      result->outputs[i] = g_memdup2 (values + self->outputs[i] * self->n_items, bytes);
}

void
loops_result_clear (LoopsResult *self)
{
  for (guint i = 0; i < LOOPS_OUTPUTS_MOST; i++)
    g_clear_pointer (&self->outputs[i], g_free);
}
