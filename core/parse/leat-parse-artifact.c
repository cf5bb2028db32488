/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reads the pipeline of an artifact, which stays open as long as the pipeline lives. */

#include "leat-parse-private.h"
#include "leat-parser-private.h"

static void
leat_parse_keep_artifact (LeatPipeline *pipeline, LeatArtifact *artifact)
{
  g_object_set_data_full (G_OBJECT (pipeline), "leat-artifact", leat_artifact_ref (artifact),
                          (GDestroyNotify) leat_artifact_unref);
}

LeatPipeline *
leat_parse_artifact (const char *path, const char *const *variables, GPtrArray *errors)
{
  GError *error = NULL;
  g_autoptr (LeatArtifact) artifact = leat_artifact_open (path, &error);
  LeatVariableValues values = { .given = variables };
  g_auto (GStrv) fixed = NULL;
  LeatErrorList *list;
  LeatPipeline *pipeline;

  if (artifact == NULL || !leat_artifact_check_given (artifact, variables, &error))
    {
      g_ptr_array_add (errors, error);
      return NULL;
    }
  fixed = leat_artifact_list_values (artifact, variables);
  values.fixed = (const char *const *) fixed;
  values.folder = leat_artifact_get_folder (artifact);
  list = leat_error_list_new ();
  pipeline =
    leat_parse_finish (leat_parser_parse_file (leat_artifact_get_main (artifact), list), &values, list, errors);
  if (pipeline != NULL)
    leat_parse_keep_artifact (pipeline, artifact);
  return pipeline;
}
