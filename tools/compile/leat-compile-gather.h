/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernel/leat-supply-private.h"

G_BEGIN_DECLS

/* What a pipeline uses while it is read, planned and opened: the files and images that an artifact has to bring. */

typedef struct
{
  LeatKernelSource *source;
  LeatImageTarget target;
  GBytes *image; /* (nullable): NULL: it does not compile */
} LeatGatheredImage;

typedef struct
{
  GPtrArray *files;    /* absolute paths */
  GPtrArray *images;   /* LeatGatheredImage */
  GHashTable *learned; /* name in an artifact -> path */
  GPtrArray *apart;    /* LeatKernelSource */
} LeatGathered;

/* From now on, for the whole process. @open: the variables whose files stay outside */
void leat_compile_gather_begin (const char *const *open);
/* It belongs to the caller, and nothing more is gathered. */
LeatGathered *leat_compile_gather_end (void);
/* What was gathered so far, which grows while images are asked for. */
guint leat_compile_gather_count_images (void);
/* Refers to the source. */
LeatGatheredImage leat_compile_gather_get_image (guint index);
/* Its kernels overlap with no other, as those in the body of a loop. */
void leat_compile_gather_note_apart (LeatKernelSource *source);
gboolean leat_compile_gather_is_apart (LeatKernelSource *source);
void leat_gathered_free (LeatGathered *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatGathered, leat_gathered_free)

G_END_DECLS
