/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-text-scan-regex.h"

G_BEGIN_DECLS

/* The kind of rows that `text:scan` gives; it goes with their spec. */
typedef struct
{
  LeatTextEmit emit;
  gboolean fold;
  const char *patterns; /* (nullable): the list; none for regexes */
  const char *by;       /* the node, for messages */
} LeatTextRows;

/* (transfer full) */
LeatSpec *leat_text_rows_describe (const LeatTextRows *self, LeatSpec *spec);
/* FALSE where the spec does not say.  The strings are those of the spec. */
gboolean leat_text_rows_read (LeatTextRows *self, LeatSpec *spec);

G_END_DECLS
