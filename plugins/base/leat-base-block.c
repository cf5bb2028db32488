/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sizes of a block that a kernel may be launched with, for block=measured.  Gives them to the recorded call, or says
 * why there may be one alone. */

#include "leat-base-block.h"

#include "leat-base-geometry.h"

#include <string.h>

/* By the axes of the kernel. */
static const guint leat_block_sizes[3][LEAT_BLOCK_MOST_CHOICES - 1][3] = {
  { { 64, 1, 1 }, { 128, 1, 1 }, { 256, 1, 1 }, { 512, 1, 1 }, { 1024, 1, 1 } },
  { { 8, 8, 1 }, { 32, 4, 1 }, { 64, 4, 1 }, { 16, 16, 1 }, { 32, 8, 1 }, { 32, 16, 1 }, { 32, 32, 1 } },
  { { 4, 4, 4 }, { 8, 4, 4 }, { 32, 2, 2 }, { 8, 8, 4 }, { 16, 8, 4 } },
};

static gboolean
leat_block_refuse (const LeatPrototype *prototype, GError **error, const char *why)
{
  g_set_error (
    error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
    "block=measured: the results of kernel %s may depend on the size of its blocks: %s; set the size that it "
    "is written for, such as block=256, or leave block= out",
    prototype->entry, why);
  return FALSE;
}

static gboolean
leat_block_check (const LeatKernelCall *call, const LeatPrototype *prototype, const char *grid, gboolean follows,
                  GError **error)
{
  gboolean loops = FALSE;
  g_autofree char *why = leat_kernel_source_dup_why_one_block (call->source, prototype->entry, &loops);

  if (why != NULL)
    return leat_block_refuse (prototype, error, why);
  if (call->cooperative)
    return leat_block_refuse (prototype, error, "cooperative=true lets its blocks wait for each other");
  if (call->pattern == LEAT_PATTERN_BLOCK)
    return leat_block_refuse (prototype, error, "access=block says that items go by blocks");
  if (loops || follows)
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
               "block=measured: with grid=%s kernel %s would have another number of threads for each size of a block; "
               "leave grid= out, or use GRID_FOR in the kernel",
               grid, prototype->entry);
  return FALSE;
}

static gboolean
leat_block_fill (LeatBlockChoice *choice, const LeatKernelCall *call, const guint *block, const guint64 threads[3],
                 gboolean follows)
{
  memcpy (choice->block, block, sizeof choice->block);
  memcpy (choice->grid, call->grid, sizeof choice->grid);
  if (block[2] > 1)
    g_snprintf (choice->name, sizeof choice->name, "%ux%ux%u", block[0], block[1], block[2]);
  else if (block[1] > 1)
    g_snprintf (choice->name, sizeof choice->name, "%ux%u", block[0], block[1]);
  else
    g_snprintf (choice->name, sizeof choice->name, "%u", block[0]);
  return !follows || leat_geometry_divide (threads, block, choice->grid, NULL);
}

gboolean
leat_block_offer (LeatKernelCall *call, const LeatPrototype *prototype, const char *grid, const guint64 threads[3],
                  LeatBlockChoice choices[LEAT_BLOCK_MOST_CHOICES], GError **error)
{
  gboolean follows = threads[0] > 0;
  guint n = 1;

  if (!leat_block_check (call, prototype, grid, follows, error))
    return FALSE;
  memset (choices, 0, LEAT_BLOCK_MOST_CHOICES * sizeof *choices); /* all of them is part of a key */
  leat_block_fill (&choices[0], call, call->block, threads, follows);
  for (guint i = 0; i < LEAT_BLOCK_MOST_CHOICES - 1; i++)
    {
      const guint *block = leat_block_sizes[prototype->n_axes - 1][i];
      guint total = block[0] * block[1] * block[2];

      if (total == 0 || memcmp (block, call->block, sizeof call->block) == 0
          || (prototype->launch_bounds > 0 && total > prototype->launch_bounds))
        continue;
      n += leat_block_fill (&choices[n], call, block, threads, follows);
    }
  call->choices = choices;
  call->n_choices = n > 1 ? n : 0;
  return TRUE;
}
