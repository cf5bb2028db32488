/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* A recording that is run again. */

/* Data of a pipeline whose sources have all that they will give. */
#define LEAT_RECORDING_FED "leat-recording-fed"

gboolean leat_recording_is_named (const char *path);
/* The options that its runs had, of those that a recording may have.  NULL where it is none, or cannot be read.
 * (transfer full) (nullable) */
char **leat_recording_list_settings (const char *path);
/* Pushes the inputs to the pipeline of the recording at @path, which may take data from there alone, and give results
 * to files beside it alone. */
gboolean leat_recording_feed (LeatPipeline *pipeline, const char *path, GError **error);

G_END_DECLS
