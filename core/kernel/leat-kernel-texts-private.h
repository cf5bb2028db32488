/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The contents of files, each read once. */
typedef struct _LeatKernelTexts LeatKernelTexts;

LeatKernelTexts *leat_kernel_texts_new (void);
LeatKernelTexts *leat_kernel_texts_ref (LeatKernelTexts *self);
void leat_kernel_texts_unref (LeatKernelTexts *self);
void leat_kernel_texts_add (LeatKernelTexts *self, const char *path, const char *text);
gboolean leat_kernel_texts_has (LeatKernelTexts *self, const char *path);
/* NULL where it cannot be read.  It belongs to @self. */
const char *leat_kernel_texts_get (LeatKernelTexts *self, const char *path, GError **error);
gboolean leat_kernel_texts_equal (LeatKernelTexts *self, LeatKernelTexts *other);
/* Whether @words are anywhere in them. */
gboolean leat_kernel_texts_mention (LeatKernelTexts *self, const char *words);
/* The same for two paths of one file. */
const char *leat_kernel_texts_identify (LeatKernelTexts *self, const char *path);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatKernelTexts, leat_kernel_texts_unref)

G_END_DECLS
