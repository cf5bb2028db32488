/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "driver/leat-driver-private.h"
#include "leat-session.h"

G_BEGIN_DECLS

/* The bare launch of a full run, to measure what the session adds to it. */
typedef struct
{
  const LeatDriverTable *table;
  CUgraphExec exec;
  CUstream stream;
} LeatBareReplay;

/* FALSE where the session has no graph, or several.  Good while it is open and nothing in it changes; never while it
 * runs. */
gboolean leat_session_get_bare (LeatSession *self, LeatBareReplay *bare);

G_END_DECLS
