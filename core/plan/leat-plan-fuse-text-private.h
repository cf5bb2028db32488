/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-plan-fuse-private.h"

G_BEGIN_DECLS

/* Who writes the text of a kernel that several ops become. */
typedef struct
{
  LeatFuser *fuser;
  LeatKernelFuse *text;
  GArray *args;      /* LeatOpArg: of the kernel */
  GHashTable *known; /* char* "items 3" -> char* name of the parameter */
  guint n_buffers, n_values;
  GError *error;
} LeatFuseWriter;

/* The name of the parameter that is the buffer's memory. */
const char *leat_fuse_writer_get_items (LeatFuseWriter *self, LeatBufferId id);
/* How many items a stage is about that is done item by item. (transfer full) */
char *leat_fuse_writer_dup_items (LeatFuseWriter *self, const LeatStage *stage);
void leat_fuse_writer_declare_locals (LeatFuseWriter *self, guint unit);
/* All stages of a unit. */
void leat_fuse_writer_write_calls (LeatFuseWriter *self, guint unit, gboolean per_item);
void leat_fuse_writer_state (LeatFuseWriter *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

/* What goes by tiles (leat-plan-fuse-tiles.c): first of all, and then a unit, or the area that begins with it. */
void leat_fuse_writer_begin_tiles (LeatFuseWriter *self);
void leat_fuse_writer_write_tiles (LeatFuseWriter *self, guint unit);
void leat_fuse_writer_write_area (LeatFuseWriter *self, guint area);

G_END_DECLS
