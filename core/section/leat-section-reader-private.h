/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-artifact-error.h"

G_BEGIN_DECLS

/* Four characters as a number, for kinds of files and types of sections: a dump of the file shows them. */
#define LEAT_SECTION_WORD(a, b, c, d) ((guint32) (a) | (guint32) (b) << 8 | (guint32) (c) << 16 | (guint32) (d) << 24)

/* A file of sections that is mapped.  Nothing in it is used before it was checked: the table when it is opened, a
 * section whenever it is read.  Any thread. */
typedef struct _LeatSectionReader LeatSectionReader;

typedef struct
{
  guint32 type;
  const char *name; /* belongs to the reader */
  guint64 offset, size;
  char checksum[33]; /* hexadecimal */
} LeatSection;

/* Whether the file begins as one does; what cannot be read is none. */
gboolean leat_section_file_is_at (const char *path);

/* @kind: of the file. @what: what that is called in messages, such as "artifact" */
LeatSectionReader *leat_section_reader_new (const char *path, guint32 kind, const char *what, GError **error);
void leat_section_reader_free (LeatSectionReader *self);

/* It is code that gets run: it must belong to this user or to root, and be writable by nobody else. */
gboolean leat_section_reader_check_owner (LeatSectionReader *self, GError **error);
/* All sections. */
gboolean leat_section_reader_check (LeatSectionReader *self, GError **error);

/* In the order of types and, within one, of names. */
guint leat_section_reader_get_count (LeatSectionReader *self);
void leat_section_reader_get (LeatSectionReader *self, guint index, LeatSection *section);
/* The first whose name is not before @name: of those that begin with it, the first. */
guint leat_section_reader_seek (LeatSectionReader *self, guint32 type, const char *name);
gboolean leat_section_reader_find (LeatSectionReader *self, guint32 type, const char *name, LeatSection *section);
/* Whose name begins with @prefix. */
gboolean leat_section_reader_find_first (LeatSectionReader *self, guint32 type, const char *prefix,
                                         LeatSection *section);

/* Its bytes as they lie in the file, which stays mapped as long as they are used. (transfer full) */
GBytes *leat_section_reader_read (LeatSectionReader *self, const LeatSection *section, GError **error);

const char *leat_section_reader_get_path (LeatSectionReader *self);
guint64 leat_section_reader_get_bytes (LeatSectionReader *self);
/* Of the table, which has those of all sections: two files with the same have the same contents. */
guint64 leat_section_reader_get_identity (LeatSectionReader *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatSectionReader, leat_section_reader_free)

G_END_DECLS
