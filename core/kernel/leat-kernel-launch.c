/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The way that a kernel is to be launched, as its body tells it. */

#include "leat-kernel-report-private.h"

/* A kernel that has a block for each row, and no threads along y, is best off with a long block. */
static void
leat_prototype_set_block (LeatPrototype *self, LeatKernelAsks asks)
{
  gboolean y = (asks & LEAT_KERNEL_ASKS_THREAD_Y) != 0, z = (asks & LEAT_KERNEL_ASKS_THREAD_Z) != 0;

  self->block[0] = z ? 8 : y ? 16 : 256;
  self->block[1] = z ? 8 : y ? 16 : 1;
  self->block[2] = z ? 4 : 1;
  for (guint axis = 3; self->launch_bounds > 0 && axis-- > 0;)
    while (self->block[axis] > 1 && self->block[0] * self->block[1] * self->block[2] > self->launch_bounds)
      self->block[axis] = y || z ? self->block[axis] / 2 : self->launch_bounds;
}

void
leat_kernel_unit_note_launch (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl,
                              LeatPrototype *prototype)
{
  LeatKernelAsks asks = leat_kernel_calls_get_asks (calls, decl - leat_kernel_unit_at (unit, 0));

  prototype->n_axes = (asks & (LEAT_KERNEL_ASKS_THREAD_Z | LEAT_KERNEL_ASKS_BLOCK_Z))   ? 3
                      : (asks & (LEAT_KERNEL_ASKS_THREAD_Y | LEAT_KERNEL_ASKS_BLOCK_Y)) ? 2
                                                                                        : 1;
  prototype->launch_bounds = leat_kernel_unit_read_bounds (unit, decl);
  leat_kernel_unit_read_cluster (unit, decl, prototype->cluster);
  leat_prototype_set_block (prototype, asks);
  prototype->has_dynamic_shared = (asks & LEAT_KERNEL_ASKS_SHARED) != 0;
  prototype->has_assembly = (asks & (LEAT_KERNEL_ASKS_ASSEMBLY | LEAT_KERNEL_ASKS_TOOLKIT)) != 0;
  prototype->syncs_grid = leat_kernel_calls_syncs_grid (calls, decl - leat_kernel_unit_at (unit, 0));
  prototype->has_effects = (asks & LEAT_KERNEL_ASKS_EFFECTS) != 0;
  prototype->reports = leat_kernel_unit_reports (unit, calls, decl);
  for (guint i = 0; i < prototype->n_params; i++)
    {
      LeatParam *param = &prototype->params[i];
      guint read;

      if (param->kind != LEAT_PARAM_OUTPUT || param->form != LEAT_TEXTURE_NONE)
        continue;
      read = leat_kernel_unit_find_read (unit, decl, param->name);
      param->reads_line = read != G_MAXUINT ? leat_tokens_at (unit->tokens, read)->line : 0;
    }
}
