/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Plans for ports whose memory the application brings: the table of their addresses, and the head that writes it.
 * Touches the buffers of those ports, and adds ops and buffers to the plan. */

#include "leat-plan-private.h"

#include "graph/leat-app-private.h"
#include "graph/leat-node-private.h"
#include "plan/leat-plan-error.h"

#include <string.h>

/* Ports whose memory the program brings, another one for each run.  Each has a slot in a table on the device, with the
 * address of its items and, for an input of a bounded spec, their count.  Kernels find the items through the table, so
 * that new memory for however many ports is new parameters of one kernel: the head, which comes before all others and
 * writes the table.  The count of a bounded output lies in pinned memory of the session, where the host finds it. */

static const guint leat_head_sizes[] = { 4, 16, 64, LEAT_PLAN_HEAD_MOST };

/* The driver's time for an update of a graph node grows with its parameters: counts are among them only where there are
 * any to tell. */
static void
leat_head_append_kernel (GString *text, guint n, gboolean counts)
{
  g_string_append_printf (text, "__global__ void leat_head_%s%u (uint64_t *slots", counts ? "counted_" : "", n);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, counts ? ", uint64_t a%u, uint64_t n%u" : ", uint64_t a%u", i, i);
  g_string_append (text, ")\n{\n");
  for (guint i = 0; i < n; i++)
    {
      g_string_append_printf (text, "  slots[%u] = a%u;\n", 2 * i, i);
      if (counts)
        g_string_append_printf (text, "  slots[%u] = n%u;\n", 2 * i + 1, i);
    }
  g_string_append (text, "}\n");
}

/* (transfer full) */
static LeatKernelSource *
leat_head_make_source (guint n, gboolean counts)
{
  g_autoptr (GString) text = g_string_new ("#include <stdint.h>\n");
  g_autofree char *name = g_strdup_printf ("leat-head-%s%u.cu", counts ? "counted-" : "", n);

  leat_head_append_kernel (text, n, counts);
  return leat_kernel_source_new (name, text->str, NULL);
}

/* One for the process, so that a session loads it once. (transfer none) */
static LeatKernelSource *
leat_head_get_source (guint size, gboolean counts)
{
  static gsize sources[2][G_N_ELEMENTS (leat_head_sizes)];
  gsize *source = &sources[counts ? 1 : 0][size];

  if (g_once_init_enter (source))
    g_once_init_leave (source, (gsize) leat_head_make_source (leat_head_sizes[size], counts));
  return (LeatKernelSource *) *source;
}

/* Is one of the slots that of a bounded input?  The count of an output is no matter of the table. */
static gboolean
leat_plan_has_counted_slot (LeatPlan *self, guint first, guint n)
{
  for (guint i = first; i < first + n; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self, g_array_index (self->users, LeatBufferId, i));

      if (buffer->header && buffer->count_in == LEAT_BUFFER_NONE)
        return TRUE;
    }
  return FALSE;
}

/* Its arguments are what is bound (leat_launch_pack ()). */
static LeatOp *
leat_plan_make_head (LeatPlan *self, guint first, guint n)
{
  LeatOp *op = g_new0 (LeatOp, 1);
  guint size = 0;

  while (leat_head_sizes[size] < n)
    size++;
  op->kind = LEAT_OP_KERNEL;
  op->node = self->first_user;
  op->to = op->from = op->counts_like = LEAT_BUFFER_NONE;
  op->has_counts = leat_plan_has_counted_slot (self, first, n);
  op->source = leat_kernel_source_ref (leat_head_get_source (size, op->has_counts));
  op->prototype = leat_kernel_source_get_prototype (op->source, NULL, NULL);
  for (guint i = 0; i < 3; i++)
    op->grid[i] = op->block[i] = 1;
  op->is_head = TRUE;
  op->first_slot = first;
  op->n_slots = n;
  leat_op_touch (op, self->table, LEAT_ACCESS_WRITE);
  return op;
}

static void
leat_plan_insert_heads (LeatPlan *self)
{
  guint at = 0;

  for (guint first = 0; first < self->users->len; first += LEAT_PLAN_HEAD_MOST, at++)
    g_ptr_array_insert (self->ops, (gint) at,
                        leat_plan_make_head (self, first, MIN (self->users->len - first, LEAT_PLAN_HEAD_MOST)));
  leat_plan_renumber (self, 0, (gint) at);
}

/* The table has room for all that the kernel writes. */
static guint64
leat_plan_get_table_bytes (LeatPlan *self)
{
  guint last = self->users->len % LEAT_PLAN_HEAD_MOST, size = 0;

  while (leat_head_sizes[size] < last)
    size++;
  return (self->users->len - last + (last > 0 ? leat_head_sizes[size] : 0)) * LEAT_PLAN_SLOT_BYTES;
}

static gboolean
leat_plan_refuse_user (const LeatOp *op, const char *why, GError **error)
{
  g_set_error (error, LEAT_PLAN_ERROR, LEAT_PLAN_ERROR_FAILED, "memory=user: %s", why);
  leat_node_prefix_error (op->node, error);
  return FALSE;
}

/* Nobody but the device gets at it: what lies there may be memory of the device. */
static gboolean
leat_plan_check_user (LeatPlan *self, const LeatOp *op, GError **error)
{
  LeatBufferId id = op->touches[0].buffer;
  gboolean moved = FALSE;

  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *other = leat_plan_get_op (self, i);
      gboolean is_end = other->kind == LEAT_OP_SOURCE || other->kind == LEAT_OP_SINK;

      if (is_end && other != op && other->touches[0].buffer == id)
        return leat_plan_refuse_user (op,
                                      op->kind == LEAT_OP_SOURCE
                                        ? "its data go to a node on the host too; put an upload behind it"
                                        : "another node takes the same data; give that one a readback of its own",
                                      error);
      moved = moved || (other->kind == LEAT_OP_TRANSFER && (other->from == id || other->to == id));
    }
  return moved
         || leat_plan_refuse_user (
           op, op->kind == LEAT_OP_SOURCE ? "it needs an upload behind it" : "it needs a readback before it", error);
}

static void
leat_plan_add_user (LeatPlan *self, const LeatOp *op)
{
  LeatBuffer *buffer = leat_plan_get_buffer (self, op->touches[0].buffer);
  g_autofree char *name = g_strconcat (buffer->name, " count", NULL);

  buffer->user = TRUE;
  buffer->slot = self->users->len;
  g_array_append_val (self->users, buffer->id);
  if (self->first_user == NULL)
    self->first_user = op->node;
  if (op->kind != LEAT_OP_SINK || !buffer->header)
    return;
  buffer->count_in = leat_plan_add_buffer (self, LEAT_BUFFER_STAGING, name, NULL, LEAT_BUFFER_HEADER);
  leat_plan_get_buffer (self, buffer->count_in)->header = TRUE;
}

/* After all nodes have recorded. */
gboolean
leat_plan_add_users (LeatPlan *self, GError **error)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if ((op->kind != LEAT_OP_SOURCE && op->kind != LEAT_OP_SINK) || !LEAT_IS_APP (op->node)
          || !leat_app_has_user_memory (LEAT_APP (op->node)))
        continue;
      if (!leat_plan_check_user (self, op, error))
        return FALSE;
      leat_plan_add_user (self, op);
    }
  if (self->users->len == 0)
    return TRUE;
  self->table = leat_plan_add_buffer (self, LEAT_BUFFER_STATE, "bindings", NULL, leat_plan_get_table_bytes (self));
  leat_plan_insert_heads (self);
  return TRUE;
}
