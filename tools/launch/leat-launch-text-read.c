/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* From the words of a pipeline to the pipeline, which has its inputs where it is a recording. */

#include "leat-launch-text.h"

#include "leat-recording.h"

#include "parse/leat-parse.h"

LeatPipeline *
leat_launch_text_read (const LeatLaunchText *self, GPtrArray *errors)
{
  const char *const *words = (const char *const *) self->words;
  g_autoptr (LeatPipeline) pipeline =
    self->is_file ? leat_parse_file_full (words[0], words + 1, errors) : leat_parse_args_full (words, errors);
  GError *error = NULL;

  if (pipeline == NULL || !leat_pipeline_validate (pipeline, errors))
    return NULL;
  if (!self->is_file || !leat_recording_is_named (words[0]) || leat_recording_feed (pipeline, words[0], &error))
    return g_steal_pointer (&pipeline);
  g_ptr_array_add (errors, error);
  return NULL;
}
