/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <leat.h>

G_BEGIN_DECLS

/* Megakernels of kernels in files that each program writes, between an app that gives floats and one that takes them.
 */

#define MEGAKERNEL_ITEMS 5000

#define MEGAKERNEL_HEAD "leat 1\n"
#define MEGAKERNEL_TAIL(spec)                                                                                          \
  "app name=in spec=" spec " -> upload mode=copy -> m.x\n"                                                             \
  "m.y -> readback mode=copy -> app name=out\n"

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
} Megakernel;

/* Before and after all tests: the folder with the files. */
void megakernel_files_make (void);
void megakernel_files_remove (void);

/* @text: with KERNELS, OTHER, MACROS, DEVICES and KEEPS for the files. (transfer full) */
LeatPipeline *megakernel_parse (const char *text);
void megakernel_open (Megakernel *self, const char *text);
void megakernel_close (Megakernel *self);
/* (transfer full) (nullable) */
GBytes *megakernel_run (Megakernel *self, const float *x, guint n, GError **error);

G_END_DECLS
