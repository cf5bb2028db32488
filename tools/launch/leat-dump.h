/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* An output whose data are written to a file as well, as --dump=NODE[.PORT][@RUN][=FILE] says. */
typedef struct
{
  char *output;
  guint64 run; /* 0: all */
  char *path;  /* NULL: a name that follows from the output */
} LeatDump;

/* NULL with an error (G_OPTION_ERROR) where one is none. (element-type LeatDump) (transfer full) */
GPtrArray *leat_dumps_parse (char **texts, GError **error);
/* Adds the sinks of all of them. (element-type LeatDump) */
gboolean leat_dumps_add (const GPtrArray *dumps, LeatPipeline *pipeline, GError **error);
/* Is one of them of a certain run? (element-type LeatDump) */
gboolean leat_dumps_name_runs (const GPtrArray *dumps);

G_END_DECLS
