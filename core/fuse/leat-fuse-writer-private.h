/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-fuse-private.h"

G_BEGIN_DECLS

/* Writes the kernel that several ops become. */
typedef struct
{
  LeatFuser *fuser;
  LeatKernelFuse *text;
  GArray *args;      /* LeatOpArg: of the kernel */
  GHashTable *known; /* char* "items 3" -> char* name of the parameter */
  guint n_buffers, n_values;
  gboolean has_marks; /* what marks items is declared */
  GHashTable *codes;  /* char* what is told -> its code */
  guint n_codes;
  GError *error;
} LeatFuseWriter;

/* The name of the parameter that is the buffer's items. */
const char *leat_fuse_writer_get_items (LeatFuseWriter *self, LeatBufferId id);
/* @by_value: the number itself, as nothing in the kernel changes it; else where it is */
const char *leat_fuse_writer_get_count (LeatFuseWriter *self, LeatBufferId id, gboolean by_value);
/* All (transfer full). */
char *leat_fuse_writer_dup_local (LeatFuseWriter *self, LeatBufferId id);
char *leat_fuse_writer_dup_argument (LeatFuseWriter *self, const LeatFuseStage *stage, guint index, gboolean per_item);
char *leat_fuse_writer_dup_arguments (LeatFuseWriter *self, const LeatFuseStage *stage, gboolean per_item);
void leat_fuse_writer_state (LeatFuseWriter *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Who the next statements are of. */
void leat_fuse_writer_comment (LeatFuseWriter *self, const LeatFuseStage *stage);
/* The name of the function that a stage's kernel is in the text. (transfer full) */
char *leat_fuse_writer_add_function (LeatFuseWriter *self, const LeatFuseStage *stage, LeatFuseForm form);

/* How many items a stage is about that is done item by item. (transfer full) */
char *leat_fuse_writer_dup_items (LeatFuseWriter *self, const LeatFuseStage *stage);
void leat_fuse_writer_declare_locals (LeatFuseWriter *self, guint unit);
/* All stages of a unit. */
void leat_fuse_writer_write_calls (LeatFuseWriter *self, guint unit, gboolean per_item);

/* Stages that go by tiles (leat-fuse-tiles.c): first of all, and then a unit, or the area that begins with it. */
void leat_fuse_writer_begin_tiles (LeatFuseWriter *self);
void leat_fuse_writer_write_tiles (LeatFuseWriter *self, guint unit);
void leat_fuse_writer_write_area (LeatFuseWriter *self, guint area);

/* Items that are handed on and marked (leat-fuse-marks.c): in the loop over the blocks of a unit, nothing where it has
 * no marks; around the call of a stage; and a pointer of it, with its type (transfer full). */
void leat_fuse_writer_begin_marks (LeatFuseWriter *self, guint unit);
void leat_fuse_writer_end_marks (LeatFuseWriter *self, guint unit);
void leat_fuse_writer_declare_lost (LeatFuseWriter *self, const LeatFuseStage *stage);
void leat_fuse_writer_tell_lost (LeatFuseWriter *self, const LeatFuseStage *stage, const char *at);
char *leat_fuse_writer_dup_marked (LeatFuseWriter *self, const LeatFuseStage *stage, guint param);
char *leat_fuse_writer_dup_marked_type (LeatFuseWriter *self, const LeatFuseStage *stage, guint param);
/* Which block an item belongs to, its number tells. */
gboolean leat_marks_is_by_number (const LeatOp *op);
/* The stages that hand on marked items to @stage, as a part of a sentence; NULL: none. (transfer full) */
char *leat_fuse_writer_dup_givers (LeatFuseWriter *self, const LeatFuseStage *stage);

/* "access=block" (transfer full); and that a node says @says, of which @variable holds an item and 1. */
char *leat_stage_dup_access (const LeatFuseStage *stage);
void leat_fuse_writer_tell (LeatFuseWriter *self, const LeatFuseStage *stage, const char *says, const char *at,
                            const char *variable);

#define LEAT_FUSE_ONE_THREAD "if (blockIdx.x + threadIdx.x == 0)"

void leat_fuse_writer_copy_bytes (LeatFuseWriter *self, LeatBufferId to, LeatBufferId from, guint64 bytes);
/* A barrier for all blocks. */
void leat_fuse_writer_meet (LeatFuseWriter *self);

/* A loop that is one kernel (leat-fuse-loop-text.c): before its stages, where it is tested, and behind them. */
void leat_fuse_writer_begin_loop (LeatFuseWriter *self);
void leat_fuse_writer_write_test (LeatFuseWriter *self);
void leat_fuse_writer_end_loop (LeatFuseWriter *self);

G_END_DECLS
