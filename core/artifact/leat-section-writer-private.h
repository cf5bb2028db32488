/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "section/leat-section-reader-private.h"

G_BEGIN_DECLS

/* Collects sections, then writes them as one file. */
typedef struct _LeatSectionWriter LeatSectionWriter;

/* @what: see leat_section_reader_new () */
LeatSectionWriter *leat_section_writer_new (guint32 kind, const char *what);
void leat_section_writer_free (LeatSectionWriter *self);

/* Of two with the same type and name the first counts.  Sections with equal contents lie in the file once. */
void leat_section_writer_add (LeatSectionWriter *self, guint32 type, const char *name, GBytes *contents);
void leat_section_writer_add_text (LeatSectionWriter *self, guint32 type, const char *name, const char *text);
/* The file is written beside its name and renamed.  FALSE: what was there is what it was. */
gboolean leat_section_writer_write (LeatSectionWriter *self, const char *path, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatSectionWriter, leat_section_writer_free)

G_END_DECLS
