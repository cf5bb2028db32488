/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Packs a kernel op's arguments in the order of its wrapper's parameters: those of the prototype, except that a count
 * given by value is four (where the count lies on the device, its value where it is known now, the most that there may
 * be, and where to say that there are more). */

#include "leat-lane-timing-private.h"

#include "graph/leat-endpoint.h"
#include "kernel/device/leat-queue-ring.h"
#include "graph/leat-node-private.h"
#include "leat-session-error.h"
#include "bind/leat-bind-private.h"
#include "graph/leat-pipeline-private.h"

#include <float.h>
#include <math.h>

#define LEAT_PARAM_MOST  6 /* parameters of a wrapper that a count may stand for */
#define LEAT_PARAM_PLACE 2 /* and anything else: an address has a stride behind it */
G_STATIC_ASSERT (sizeof (LeatQueueView) <= LEAT_PARAM_SLOT);

#define LEAT_PARAM_MORE                                                                                                \
  4 /* that stand for none: where to report to, with its stride, whether to wait for others, and the clock */

static gboolean
leat_launch_refuse (const LeatOp *op, const LeatParam *param, const char *why, GError **error)
{
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_ARGUMENT, "%s \"%s\": parameter \"%s\" (%s) of %s %s",
               leat_node_get_id (op->node), leat_node_get_name (op->node), param->name, param->type,
               op->prototype->entry, why);
  return FALSE;
}

static void *
leat_launch_next (LeatLaunch *self)
{
  void *slot = self->storage + (gsize) self->n_params * LEAT_PARAM_SLOT;

  self->params[self->n_params++] = slot;
  return slot;
}

/* A kernel takes of its slot as much as its parameter is wide. */
static void
leat_launch_put_number (LeatLaunch *self, guint64 number)
{
  memcpy (leat_launch_next (self), &number, sizeof number);
}

/* Values of Leat's own (capacities, dimensions) come as 64 bits and shrink to what the kernel declares. */
static gboolean
leat_launch_put_value (LeatLaunch *self, const LeatOp *op, const LeatParam *param, GBytes *value, GError **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (value, &size);
  guint64 number;

  if (size == param->item_bytes)
    {
      memcpy (leat_launch_next (self), data, size);
      return TRUE;
    }
  if (size != sizeof number || param->item_bytes > sizeof number)
    return leat_launch_refuse (op, param, "has another size than its value", error);
  memcpy (&number, data, sizeof number);
  if (!leat_param_fits (param, number))
    return leat_launch_refuse (op, param, "is too narrow for the size of the data; declare it uint64_t", error);
  leat_launch_put_number (self, number);
  return TRUE;
}

static gboolean
leat_launch_put_float (LeatLaunch *self, const LeatOp *op, const LeatParam *param, double number, GError **error)
{
  gfloat single;

  if (param->item_bytes == sizeof single && isfinite (number) && fabs (number) > FLT_MAX)
    return leat_launch_refuse (op, param, "cannot hold its value, which is beyond 32-bit floats", error);
  single = (gfloat) number;
  if (param->item_bytes == sizeof single)
    memcpy (leat_launch_next (self), &single, sizeof single);
  else
    memcpy (leat_launch_next (self), &number, sizeof number);
  return TRUE;
}

static gboolean
leat_launch_put_node_arg (LeatLaunch *self, const LeatOp *op, const LeatParam *param, const LeatOpArg *from,
                          GError **error)
{
  const LeatNodeArg *arg = leat_node_peek_arg (from->node != NULL ? from->node : op->node, from->name);

  if (arg == NULL || !(arg->is_set || arg->is_initial))
    return leat_launch_refuse (op, param, "is not set; give it a value, as in \"name=value\" on the node", error);
  if (arg->number.kind == LEAT_NUMBER_REAL)
    return leat_launch_put_float (self, op, param, arg->number.d, error);
  leat_launch_put_number (self, arg->number.u);
  return TRUE;
}

static void
leat_launch_put_address (LeatLaunch *self, CUdeviceptr address)
{
  memcpy (leat_launch_next (self), &address, sizeof address);
}

/* Behind each address of a kernel for several lanes comes what it is from one lane to the next. */
static void
leat_launch_put_place (LeatLaunch *self, const LeatOp *op, CUdeviceptr address, guint64 stride)
{
  leat_launch_put_address (self, address);
  if (LEAT_BOUND_OP (op)->wide)
    leat_launch_put_number (self, address != 0 ? stride : 0);
}

/* How many parameters of the kernel that is launched one of the prototype is. */
static guint
leat_launch_get_width (LeatLane *lane, const LeatOp *op, guint index)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);
  const LeatParam *param = &op->prototype->params[index];

  if (lane->program->loaded[op->index].wrapped && param->kind == LEAT_PARAM_INPUT_COUNT)
    return bound->wide ? LEAT_PARAM_MOST : LEAT_PARAM_MOST - 2;
  return bound->wide && leat_param_is_pointer (param) ? LEAT_PARAM_PLACE : 1;
}

static gboolean
leat_launch_put_count (LeatLaunch *self, LeatLane *lane, const LeatOp *op, guint index)
{
  const LeatOpArg *arg = &op->args[index];
  gboolean counted = leat_op_get_role (op, index) == LEAT_ROLE_COUNT;
  guint64 value = leat_op_arg_get_number (arg);

  if (!lane->program->loaded[op->index].wrapped)
    {
      leat_launch_put_number (self, value);
      return TRUE;
    }
  leat_launch_put_place (self, op, counted ? lane->addresses[arg->buffer] : 0,
                         counted ? LEAT_BOUND_BUFFER (leat_plan_get_buffer (lane->plan, arg->buffer))->stride : 0);
  leat_launch_put_number (self, value);
  leat_launch_put_number (self,
                          counted ? leat_buffer_get_capacity (leat_plan_get_buffer (lane->plan, arg->buffer)) : 0);
  leat_launch_put_place (self, op, counted ? leat_lane_get_over (lane, op, index) : 0,
                         lane->counted->len * sizeof (guint64));
  return TRUE;
}

static void
leat_launch_put_queue (LeatLaunch *self, LeatLane *lane, const LeatOp *op, guint index)
{
  LeatBufferId buffer = op->args[index].buffer;
  LeatQueueView view;

  memcpy (&view, g_bytes_get_data (leat_plan_get_buffer (lane->plan, buffer)->queue, NULL), sizeof view);
  view.ring = (LeatQueueRing *) lane->addresses[buffer];
  view.block = (LeatReportBlock *) leat_lane_get_report_block (lane, op);
  view.number = 0;
  for (guint i = 0; i < index; i++)
    view.number += op->args[i].kind == LEAT_ARG_QUEUE;
  memcpy (leat_launch_next (self), &view, sizeof view);
}

static gboolean
leat_launch_put (LeatLaunch *self, LeatLane *lane, const LeatOp *op, guint index, GError **error)
{
  const LeatParam *param = &op->prototype->params[index];
  const LeatOpArg *arg = &op->args[index];

  if (param->kind == LEAT_PARAM_INPUT_COUNT)
    return leat_launch_put_count (self, lane, op, index);
  switch (leat_op_get_role (op, index))
    {
    case LEAT_ROLE_ITEMS:
      leat_launch_put_place (self, op, leat_lane_get_items (lane, arg->buffer),
                             LEAT_BOUND_BUFFER (leat_plan_get_buffer (lane->plan, arg->buffer))->stride);
      return TRUE;
    case LEAT_ROLE_COUNT_AT:
      leat_launch_put_place (self, op, lane->addresses[arg->buffer],
                             LEAT_BOUND_BUFFER (leat_plan_get_buffer (lane->plan, arg->buffer))->stride);
      return TRUE;
    case LEAT_ROLE_VALUE:
      return leat_launch_put_value (self, op, param, arg->value, error);
    case LEAT_ROLE_NODE_ARG:
      return leat_launch_put_node_arg (self, op, param, arg, error);
    case LEAT_ROLE_QUEUE:
      leat_launch_put_queue (self, lane, op, index);
      return TRUE;
    case LEAT_ROLE_TEXTURE:
      leat_launch_put_number (self, leat_lane_get_texture (lane, op, index));
      return TRUE;
    case LEAT_ROLE_LOOP:
      self->handle = leat_launch_next (self);
      return TRUE;
    case LEAT_ROLE_COUNT: /* is an input's, and done with above */
      break;
    }
  g_assert_not_reached ();
}

/* Puts the present bindings; slots beyond the last are not used. */
static void
leat_launch_put_slots (LeatLaunch *self, LeatLane *lane, const LeatOp *op)
{
  leat_launch_put_address (self, lane->addresses[lane->plan->table] + (guint64) op->first_slot * LEAT_PLAN_SLOT_BYTES);
  for (guint i = 0; self->n_params < op->prototype->n_params; i++)
    {
      const LeatBinding *binding = i < op->n_slots ? &lane->bindings[op->first_slot + i] : NULL;

      leat_launch_put_address (self, binding != NULL ? binding->address : 0);
      if (op->has_counts)
        leat_launch_put_number (self, binding != NULL ? binding->count : 0);
    }
}

/* The same for one slot of a head that is packed. */
void
leat_launch_put_binding (LeatLaunch *self, const LeatOp *head, guint slot, const LeatBinding *binding)
{
  guint at = 1 + (slot - head->first_slot) * (head->has_counts ? 2 : 1);

  memcpy (self->params[at], &binding->address, sizeof binding->address);
  if (head->has_counts)
    memcpy (self->params[at + 1], &binding->count, sizeof binding->count);
}

/* As many as those of the prototype stand for at most, however the kernel comes to be launched, and more. */
static guint
leat_launch_get_room (const LeatOp *op)
{
  guint room = LEAT_PARAM_MORE + (op->is_head ? op->prototype->n_params : 0);

  for (guint i = 0; i < op->n_args; i++)
    room += op->prototype->params[i].kind == LEAT_PARAM_INPUT_COUNT ? LEAT_PARAM_MOST : LEAT_PARAM_PLACE;
  return room;
}

void
leat_launch_say_waits (LeatLaunch *self, const LeatOp *op)
{
  const gint32 waits = LEAT_BOUND_OP (op)->waits_itself;

  memcpy (self->waits, &waits, sizeof waits);
}

/* Fills @self anew; what it pointed at before stays where it is, so that a graph node may be updated in place. */
gboolean
leat_launch_pack (LeatLaunch *self, LeatLane *lane, const LeatOp *op, GError **error)
{
  if (self->storage == NULL)
    {
      guint room = leat_launch_get_room (op);

      self->storage = g_malloc0_n (room, LEAT_PARAM_SLOT);
      self->params = g_new0 (void *, room);
    }
  self->n_params = 0;
  if (op->is_head)
    leat_launch_put_slots (self, lane, op);
  for (guint i = 0; i < op->n_args; i++)
    if (!leat_launch_put (self, lane, op, i, error))
      return FALSE;
  if (op->kind == LEAT_OP_KERNEL && op->prototype->reports)
    leat_launch_put_place (self, op, leat_lane_get_report_block (lane, op), sizeof (LeatReportBlock));
  /* Behind the others: kernels that came compiled do not look at them, and one that tells no times not at the last. */
  self->waits = leat_launch_next (self);
  leat_launch_say_waits (self, op);
  if (lane->timing != NULL && lane->timing->clocks != NULL)
    leat_launch_put_address (self, leat_timing_get_clock (lane->timing, op));
  return TRUE;
}

/* The arguments of the node alone, which may have other values since they were packed. */
gboolean
leat_launch_repack (LeatLaunch *self, LeatLane *lane, const LeatOp *op, GError **error)
{
  guint n_params = self->n_params, at = 0;

  for (guint i = 0; i < op->n_args; i++)
    {
      self->n_params = at;
      if (op->args[i].kind == LEAT_ARG_NODE_ARG && !leat_launch_put (self, lane, op, i, error))
        return FALSE;
      at += leat_launch_get_width (lane, op, i);
    }
  self->n_params = n_params;
  return TRUE;
}

/* Both are packed. */
void
leat_launch_take_args (LeatLane *lane, const LeatOp *op, LeatLane *other, const LeatOp *other_op)
{
  const LeatLaunch *launch = &lane->launches[op->index], *before = &other->launches[other_op->index];
  guint to = 0, from = 0;

  for (guint i = 0; i < MIN (op->n_args, other_op->n_args); i++)
    {
      if (op->args[i].kind == LEAT_ARG_NODE_ARG && other_op->args[i].kind == LEAT_ARG_NODE_ARG)
        memcpy (launch->params[to], before->params[from], LEAT_PARAM_SLOT);
      to += leat_launch_get_width (lane, op, i);
      from += leat_launch_get_width (other, other_op, i);
    }
}

void
leat_launch_clear (LeatLaunch *self)
{
  g_clear_pointer (&self->storage, g_free);
  g_clear_pointer (&self->params, g_free);
  self->handle = NULL;
}
