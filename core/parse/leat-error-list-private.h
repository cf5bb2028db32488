/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-parse.h"
#include "leat-source-private.h"

G_BEGIN_DECLS

/* The errors of one run, each at its place.  Beyond LEAT_ERROR_LIST_MAX they are counted and not kept, so that hostile
 * text cannot fill the memory with messages. */
#define LEAT_ERROR_LIST_MAX 100

typedef struct
{
  GPtrArray *entries; /* LeatErrorEntry */
  guint dropped;
} LeatErrorList;

LeatErrorList *leat_error_list_new (void);
void leat_error_list_free (LeatErrorList *self);
gboolean leat_error_list_is_empty (const LeatErrorList *self);
/* With those that are not kept. */
guint leat_error_list_get_length (const LeatErrorList *self);
gboolean leat_error_list_has (const LeatErrorList *self, LeatParseError code);

void leat_error_list_add (LeatErrorList *self, const LeatSourcePos *pos, LeatParseError code, const char *format, ...)
  G_GNUC_PRINTF (4, 5);
/* @error: (transfer full): its domain and code stay, its message gets the position. */
void leat_error_list_take (LeatErrorList *self, const LeatSourcePos *pos, GError *error);
/* In the order of the text: moves them to @errors (element-type GError). */
void leat_error_list_move (LeatErrorList *self, GPtrArray *errors);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatErrorList, leat_error_list_free)

G_END_DECLS
