/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* A pipeline from a file, with an `app` node of the same spec in the place of each source and sink, so that an
 * application gives it its data and no file is read or written.  NULL with an error. */
LeatPipeline *leat_bench_graph_load (const char *path, GError **error);

G_END_DECLS
