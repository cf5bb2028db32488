/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-builder-private.h"
#include "leat-parse.h"

#include "artifact/leat-artifact-private.h"

G_BEGIN_DECLS

/* Builds what was read.  Frees @syntax and @list; faults are added to @errors, and then there is no pipeline.
 * (transfer full) (nullable) */
LeatPipeline *leat_parse_finish (LeatSyntax *syntax, const LeatVariableValues *values, LeatErrorList *list,
                                 GPtrArray *errors);

/* leat_parse_file_full () of an artifact. */
LeatPipeline *leat_parse_artifact (const char *path, const char *const *variables, GPtrArray *errors);

G_END_DECLS
