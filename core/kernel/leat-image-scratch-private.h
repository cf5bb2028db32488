/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A folder for what one call of a compiler leaves behind: its output, and the files that it makes on its way, of which
 * one that is killed or abandoned forgets some.  It goes with leat_image_scratch_free (), and with quick_exit (). */
typedef struct _LeatImageScratch LeatImageScratch;

LeatImageScratch *leat_image_scratch_new (GError **error);
void leat_image_scratch_free (LeatImageScratch *self);
const char *leat_image_scratch_get_folder (LeatImageScratch *self);
/* The process that works there, which quick_exit () ends; NULL when it has ended. */
void leat_image_scratch_set_child (LeatImageScratch *self, GSubprocess *child);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatImageScratch, leat_image_scratch_free)

G_END_DECLS
