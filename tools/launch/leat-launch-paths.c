/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Options write files, and pipelines that run together read and write some. */

#include "leat-launch-paths.h"

#include "graph/leat-claims-private.h"
#include "graph/leat-output-file-private.h"

static gboolean
leat_launch_claim_pipeline (LeatClaims *claims, const LeatLaunchText *text, LeatPipeline *pipeline, gboolean named,
                            GError **error)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);

  if (text->is_file && !leat_claims_add (claims, "the pipeline", text->words[0], LEAT_CLAIM_READ, error))
    return FALSE;
  for (guint i = 0; i < nodes->len; i++)
    if (!leat_claims_add_node (claims, nodes->pdata[i], named ? text->name : NULL, error))
      return FALSE;
  return TRUE;
}

/* A state that was loaded may be saved under its name: it is read before. */
static gboolean
leat_launch_claim_load (const LeatLaunchOptions *options, LeatClaims *claims, GError **error)
{
  return options->load_path == NULL || g_strcmp0 (options->load_path, options->save_path) == 0
         || leat_claims_add (claims, "--load-state", options->load_path, LEAT_CLAIM_READ, error);
}

/* A path that cannot be written is told before anything runs: afterwards the work would be lost. */
static gboolean
leat_launch_claim_output (LeatClaims *claims, const char *option, const char *path, GError **error)
{
  if (path == NULL || leat_output_file_check (path, error))
    return leat_claims_add (claims, option, path, LEAT_CLAIM_WRITE, error);
  g_prefix_error (error, "%s: ", option);
  return FALSE;
}

static gboolean
leat_launch_claim_options (const LeatLaunchOptions *options, LeatClaims *claims, GError **error)
{
  return leat_launch_claim_load (options, claims, error)
         && leat_launch_claim_output (claims, "--save-state", options->save_path, error)
         && leat_launch_claim_output (claims, "--stats-file", options->stats_path, error)
         && leat_launch_claim_output (claims, "--record", options->wrong.record_path, error)
         && leat_launch_claim_output (claims, "--trace", options->trace_path, error)
         && leat_launch_claim_output (claims, "--dot",
                                      options->dot_path != NULL ? options->dot_path : options->plan_path, error);
}

gboolean
leat_launch_check_paths (const LeatLaunchOptions *options, const GPtrArray *pipelines, GError **error)
{
  g_autoptr (LeatClaims) claims = leat_claims_new ();

  for (guint i = 0; i < pipelines->len; i++)
    if (!leat_launch_claim_pipeline (claims, options->texts->pdata[i], pipelines->pdata[i], pipelines->len > 1, error))
      return FALSE;
  return leat_launch_claim_options (options, claims, error);
}
