/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define PLANTED_SOURCE_WATCHED 8 /* runs, of those that it has */

/* A pipeline from a source that has the allocation watch on in the middle of its runs, and takes its time; one that is
 * @planted asks for memory in each. (transfer full) */
LeatPipeline *planted_source_make_pipeline (gboolean planted);

G_END_DECLS
