/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-spec-private.h"

G_BEGIN_DECLS

/* Where the reader of a spec's text stands, and the rules of the spelling that it is in. */
typedef struct
{
  const char *text;
  const char *at;
  LeatSpecStyle style;
  gboolean comma; /* shell: some comma follows, so x is a letter like any other */
  guint depth;    /* of records; in one, a comma or + ends a field */
} LeatSpecReader;

void leat_spec_reader_fail (LeatSpecReader *self, GError **error, const char *format, ...) G_GNUC_PRINTF (3, 4);
void leat_spec_reader_skip_space (LeatSpecReader *self);
/* Digits, with K, M or G behind them. */
gboolean leat_spec_reader_size (LeatSpecReader *self, guint64 *number, GError **error);
/* Items and shape. (transfer full) (nullable) */
LeatSpec *leat_spec_reader_spec (LeatSpecReader *self, GError **error);
/* At a "{". (transfer full) (nullable) */
LeatRecord *leat_spec_reader_record (LeatSpecReader *self, GError **error);

G_END_DECLS
