/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A group recorded as a loop: the nodes of its body record between the two halves of this. */

#include "leat-plan-private.h"

#include "graph/leat-node-private.h"

/**
 * leat_recorder_get_loop_memory: (skip)
 * @self: the recorder of a group, at the end of its body
 *
 * Gets 64 bytes of memory for the test of the loop, which are zeros when the loop begins.
 *
 * Returns: the buffer
 */
LeatBufferId
leat_recorder_get_loop_memory (LeatRecorder *self)
{
  return self->plan->loop->memory;
}

/**
 * leat_recorder_get_outer_loop_memory: (skip)
 * @self: the recorder of a group, at the end of its body
 *
 * Gets the memory of the loop in whose body this one is, for what one tells the other.
 *
 * Returns: the buffer, or %LEAT_BUFFER_NONE where it is in no loop
 */
LeatBufferId
leat_recorder_get_outer_loop_memory (LeatRecorder *self)
{
  return self->plan->loop->parent != NULL ? self->plan->loop->parent->memory : LEAT_BUFFER_NONE;
}

/**
 * leat_recorder_get_loop_report: (skip)
 * @self: the recorder of a group, at the end of its body
 *
 * Gets the memory for the #LeatLoopReport that the test of the loop writes.
 *
 * Returns: the buffer
 */
LeatBufferId
leat_recorder_get_loop_report (LeatRecorder *self)
{
  return self->plan->loop->report;
}

/* A copy of what comes in, which the body may change. */
static LeatBufferId
leat_recorder_add_carried (LeatRecorder *self, LeatPlanLoop *loop, const char *input, const char *output)
{
  LeatBufferId from = leat_recorder_get_input (self, input), id;
  LeatSpec *spec = leat_recorder_get_spec (self, from);
  g_autofree char *name = g_strdup_printf ("%s.%s", leat_node_get_name (self->node), input);
  LeatDelay delay = { self->node, leat_recorder_peek_inside (self, FALSE, output), LEAT_BUFFER_NONE, LEAT_BUFFER_NONE,
                      FALSE };

  id = delay.state = leat_plan_add_buffer (self->plan, LEAT_BUFFER_DEVICE, name, spec, leat_spec_get_bytes (spec));
  leat_plan_get_buffer (self->plan, id)->carried = TRUE;
  leat_plan_get_buffer (self->plan, id)->loop = loop;
  leat_recorder_add_copy (self, id, from);
  g_array_append_val (loop->delays, delay);
  return id;
}

static void
leat_recorder_pass_inputs (LeatRecorder *self, LeatPlanLoop *loop, const LeatLoopCall *call, LeatOp *op)
{
  GPtrArray *ports = leat_node_get_ports (self->node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);
      const char *name = leat_port_get_name (port);
      LeatBufferId id;

      if (leat_port_get_direction (port) != LEAT_PORT_INPUT)
        continue;
      id = leat_recorder_get_input (self, name);
      for (guint k = 0; k < loop->delays->len; k++)
        if (g_str_equal (call->inputs[k], name))
          id = g_array_index (loop->delays, LeatDelay, k).state;
      leat_plan_set_port_buffer (self->plan, leat_recorder_peek_inside (self, TRUE, name), id);
      leat_op_touch (op, id,
                     leat_plan_get_buffer (self->plan, id)->loop == loop ? LEAT_ACCESS_READ_WRITE : LEAT_ACCESS_READ);
    }
}

/* The condition of a node is set to its default when the graph is launched, so that a loop within a loop has to be told
 * each time that it begins. */
static const char leat_loop_begin_text[] = "__global__ void loop_begin (uint64_t *leat_memory, uint64_t leat_handle)\n"
                                           "{\n"
                                           "  if (blockIdx.x > 0 || threadIdx.x > 0)\n"
                                           "    return;\n"
                                           "  leat_memory[0] = leat_memory[1] = leat_memory[2] = 0;\n"
                                           "  if (leat_handle != 0)\n"
                                           "    leat_graph_set_conditional (leat_handle, 1);\n"
                                           "}\n";

static void
leat_recorder_begin_within (LeatRecorder *self, LeatPlanLoop *loop)
{
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("loop_begin", leat_loop_begin_text, NULL);
  const LeatArg args[] = { { .kind = LEAT_ARG_ITEMS, .buffer = loop->memory },
                           { .kind = LEAT_ARG_LOOP, .buffer = LEAT_BUFFER_NONE } };
  const LeatAccess access = LEAT_ACCESS_WRITE;
  const LeatKernelCall call = { .source = source,
                                .entry = "loop_begin",
                                .args = args,
                                .n_args = G_N_ELEMENTS (args),
                                .buffers = &loop->memory,
                                .access = &access,
                                .n_buffers = 1 };

  leat_recorder_add_kernel (self, &call);
  if (self->error == NULL)
    leat_plan_get_op (self->plan, self->plan->ops->len - 1)->starts = loop;
}

/**
 * leat_recorder_begin_loop: (skip)
 * @self: the recorder of a group
 * @call: the loop
 *
 * Begins a loop: the ops that the nodes of the group's body record are done again and again.
 *
 * The data of a carried input is copied first; the body finds all other inputs as they are.
 */
void
leat_recorder_begin_loop (LeatRecorder *self, const LeatLoopCall *call)
{
  LeatPlan *plan = self->plan;
  LeatPlanLoop *loop = g_new0 (LeatPlanLoop, 1);
  g_autofree char *name = g_strdup_printf ("%s.report", leat_node_get_name (self->node));
  LeatOp *op;

  loop->node = self->node;
  loop->parent = plan->loop;
  loop->index = plan->loops->len;
  loop->most = MAX (call->most, 1);
  loop->asked = call->method;
  loop->is_tested = call->is_tested;
  loop->budget_ns = call->budget_ns;
  loop->fused_test = g_strdup (call->fused_test);
  loop->operands = g_strdupv ((char **) call->operands);
  loop->delays = g_array_new (FALSE, FALSE, sizeof (LeatDelay));
  g_ptr_array_add (plan->loops, loop);
  for (guint i = 0; call->inputs != NULL && call->inputs[i] != NULL; i++)
    leat_recorder_add_carried (self, loop, call->inputs[i], call->outputs[i]);
  loop->memory = leat_recorder_add_scratch (self, "loop", 64);
  loop->report = leat_plan_add_buffer (plan, LEAT_BUFFER_STAGING, name, NULL, sizeof (LeatLoopReport));
  if (loop->parent != NULL)
    leat_recorder_begin_within (self, loop);
  else
    leat_recorder_add_fill (self, loop->memory, 0);
  op = leat_plan_add_op (plan, LEAT_OP_LOOP, self->node);
  op->runs = loop;
  loop->first = loop->last = op->index;
  leat_op_touch (op, loop->memory, LEAT_ACCESS_READ_WRITE);
  leat_recorder_pass_inputs (self, loop, call, op);
  plan->loop = loop;
}
