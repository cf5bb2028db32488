/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* How the artifact will be run. */
typedef struct
{
  const char *device; /* (nullable) */
  gboolean persistent, batch;
} LeatCompileUse;

/* Opens a session and closes it, so that everything is asked for that a run so needs. */
gboolean leat_compile_open (LeatPipeline *pipeline, const LeatCompileUse *use, GError **error);

G_END_DECLS
