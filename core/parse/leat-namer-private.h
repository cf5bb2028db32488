/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Names for nodes that the text does not name: the last part of the id and the first number that is free, `scan0`.
 * Names that the text does give are taken first.  Reading and writing text go by the same rule, so that a
 * name which would come out the same again need not be written. */
typedef struct
{
  GHashTable *taken;
  GHashTable *counters; /* stem -> next number */
} LeatNamer;

LeatNamer *leat_namer_new (void);
void leat_namer_free (LeatNamer *self);
void leat_namer_take (LeatNamer *self, const char *name);
/* One that is free, taken; it stays for as long as @self. */
const char *leat_namer_make (LeatNamer *self, const char *id);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatNamer, leat_namer_free)

G_END_DECLS
