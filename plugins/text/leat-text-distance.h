/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* How near to each other occurrences of some strings can be in a text: at the least @bytes from one to the next on
 * average over @steps of them, whichever strings they are of and however many they are. */
typedef struct
{
  guint64 bytes, steps;
} LeatTextDistance;

/* @strings: GBytes, of one byte at least, each another one.  FALSE: they are too many to find it out. */
gboolean leat_text_distance_measure (LeatTextDistance *self, GPtrArray *strings);

G_END_DECLS
