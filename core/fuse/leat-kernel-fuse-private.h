/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernel/leat-kernel-source-private.h"

G_BEGIN_DECLS

/* One kernel out of several: a text, as a user might write it, in which the body of each is a function that is called
 * with the number of the block that it is to be.  It goes through the same transformation as any other file.
 *
 * Whoever asks says which stages there are, in what order they stand and where all blocks wait for each other; what may
 * stand together is for leat-fuse.c to know. */

/* How the function that a kernel becomes stands to the grid. */
typedef enum
{
  LEAT_FUSE_FREE,   /* GRID_FOR alone tells it what to do: called once by every thread there is */
  LEAT_FUSE_BLOCK,  /* called once for each block of its own grid, with that block's number */
  LEAT_FUSE_ITEM,   /* called once for each item of its one GRID_FOR */
  LEAT_FUSE_THREAD, /* called once for each thread of its own grid, with that thread's number */
} LeatFuseForm;

typedef struct
{
  LeatFuseForm form;     /* the freest that it can have; ITEM is FREE and more */
  gboolean per_thread;   /* BLOCK: it can be THREAD too */
  gboolean has_loops;    /* items of it go by the threads' numbers along all axes */
  gboolean waits;        /* its threads wait for each other */
  gboolean leaves;       /* some of them may have returned by then */
  gboolean has_shared;   /* a block that begins overwrites what the one before it has left */
  guint count_param;     /* ITEM, or per thread: the parameter that says how many items there are */
  const guint8 *indexed; /* for each parameter: a pointer that is used as NAME[...] alone */
} LeatFuseTraits;

/* FALSE with why it cannot be part of one kernel: what the kernel is, and what to do.  Of the source; looked at once.
 * @moved: whether its threads have other numbers than those of its own block */
gboolean leat_kernel_source_check_fuse (LeatKernelSource *self, const char *entry, gboolean moved,
                                        LeatFuseTraits *traits, GError **error);
void leat_fuse_traits_clear (LeatFuseTraits *self);

typedef struct _LeatKernelFuse LeatKernelFuse;

/* @threads: of a block of the kernel that is made, along x */
LeatKernelFuse *leat_kernel_fuse_new (guint threads);
void leat_kernel_fuse_free (LeatKernelFuse *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatKernelFuse, leat_kernel_fuse_free)

/* A text at file scope, before all files. */
void leat_kernel_fuse_add_declaration (LeatKernelFuse *self, const char *text);
/* A parameter of the kernel: "unsigned char *a3". */
void leat_kernel_fuse_add_param (LeatKernelFuse *self, const char *declaration);

/* A function of the form @form for @entry; its name. (transfer full) */
char *leat_kernel_fuse_add_function (LeatKernelFuse *self, LeatKernelSource *source, const char *entry,
                                     LeatFuseForm form);

/* The steps of the kernel, in this order.  @arguments: texts, one for each parameter of the kernel that it was made of,
 * with commas between. */
void leat_kernel_fuse_add_sync (LeatKernelFuse *self);
void leat_kernel_fuse_add_comment (LeatKernelFuse *self, const char *text);
void leat_kernel_fuse_add_free (LeatKernelFuse *self, const char *function, const char *arguments);
/* From here to leat_kernel_fuse_end(): for each item. */
void leat_kernel_fuse_begin_items (LeatKernelFuse *self, const char *n);
/* From here to leat_kernel_fuse_end(): for each block of a grid, a tile. */
void leat_kernel_fuse_begin_tile (LeatKernelFuse *self, const guint grid[3], const guint block[3]);
/* In a tile: calls are for it as a block of that grid. */
void leat_kernel_fuse_begin_blocks (LeatKernelFuse *self, const guint grid[3], const guint block[3]);
/* In a tile: calls are for its items, and @halo to either side, of @n. */
void leat_kernel_fuse_begin_tile_items (LeatKernelFuse *self, const char *n, guint halo);
void leat_kernel_fuse_end_tile_items (LeatKernelFuse *self);
/* Between tiles of units: where a kernel begins, so that its blocks know what they wait for; @word is that of a tile,
 * of
 * @n_tiles, from which on the words of @words are those of one unit. */
void leat_kernel_fuse_begin_turns (LeatKernelFuse *self, const char *words, guint word, guint n_tiles);
/* In a tile: until those around the one with the same number are done, @blocks of them to either side. */
void leat_kernel_fuse_add_wait (LeatKernelFuse *self, const char *words, guint word, const guint blocks[3]);
/* In a tile: that the threads of the block wait for each other. */
void leat_kernel_fuse_add_meeting (LeatKernelFuse *self);
/* In a tile, around the call of a kernel of a file in which threads return while others wait for each other. */
void leat_kernel_fuse_begin_leaving (LeatKernelFuse *self);
void leat_kernel_fuse_end_leaving (LeatKernelFuse *self);
/* In a tile: that it is done. */
void leat_kernel_fuse_add_tell (LeatKernelFuse *self, const char *words, guint word);
void leat_kernel_fuse_add_local (LeatKernelFuse *self, const char *type, const char *name);
/* @meets: whether the threads of the block wait for each other behind it */
void leat_kernel_fuse_add_call (LeatKernelFuse *self, const char *function, const char *arguments, gboolean meets);
/* A function of the form THREAD, for one item; its own grid and block are so large along x. */
void leat_kernel_fuse_add_thread_call (LeatKernelFuse *self, const char *function, const char *arguments, guint grid,
                                       guint block);
void leat_kernel_fuse_end (LeatKernelFuse *self);
/* A statement of the caller's own. */
void leat_kernel_fuse_add_statement (LeatKernelFuse *self, const char *statement);

/* The whole: functions, and a kernel called @entry, with what each file is for the device that it is for.  Takes @self.
 */
LeatKernelSource *leat_kernel_fuse_make (LeatKernelFuse *self, const char *name, const char *entry, GError **error);

/* The C type of a parameter that every side knows: "float" for f32; NULL where it has more lanes than one or none. */
const char *leat_fuse_get_c_type (const LeatParam *param);

G_END_DECLS
