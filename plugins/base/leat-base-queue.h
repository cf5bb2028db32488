/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* The choices of a node `kernel` for the work queues of its kernel. */
typedef struct
{
  const char *capacity; /* "work:4096,rest:64", or "4096" for all; NULL: the usual one */
  const char *keep;     /* names, with commas between; NULL: none */
  LeatStateScope scope; /* of those that are kept */
  gboolean loses;
  double patience;
} LeatQueueChoice;

/* @property: gets the name of the property that is at fault */
gboolean leat_queue_check (const LeatQueueChoice *self, const LeatPrototype *prototype, const char **property,
                           GError **error);
/* Of a choice that was found good. */
LeatBufferId leat_queue_record (const LeatQueueChoice *self, const LeatParam *param, LeatRecorder *recorder);

G_END_DECLS
