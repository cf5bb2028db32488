/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-spec.h"

G_BEGIN_DECLS

/* So that the text of a record stays readable, and the header of an .npy file small. */
#define LEAT_RECORD_MAX_FIELDS 256 /* with those of records in it */
#define LEAT_RECORD_MAX_DEPTH  8

typedef struct
{
  char *name;
  LeatSpec *spec; /* fixed, and not bounded */
  guint64 offset;
} LeatField;

/* The fields of an item, in the order of their offsets, none over another.  It is made by the parser, and never changes
 * after that. */
typedef struct
{
  gatomicrefcount ref_count;
  GArray *fields; /* LeatField */
  guint64 bytes;  /* of an item; at least up to the end of the last field */
} LeatRecord;

LeatRecord *leat_record_new (void);
LeatRecord *leat_record_ref (LeatRecord *self);
void leat_record_unref (LeatRecord *self);

const LeatField *leat_record_get (const LeatRecord *self, guint index);
/* (nullable) */
const LeatField *leat_record_find (const LeatRecord *self, const char *name);
/* Behind the last field. */
guint64 leat_record_get_end (const LeatRecord *self);
/* With those of records in it. */
guint leat_record_count_fields (const LeatRecord *self);
/* @spec: (transfer full) */
void leat_record_append (LeatRecord *self, const char *name, LeatSpec *spec, guint64 offset);

/* The first difference in words; NULL if there is none. (transfer full) */
char *leat_record_dup_difference (const LeatRecord *self, const LeatRecord *other);

void leat_record_print (const LeatRecord *self, LeatSpecStyle style, GString *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatRecord, leat_record_unref)

G_END_DECLS
