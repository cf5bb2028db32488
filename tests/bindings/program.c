/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat/leat.h>

/* A program that knows Leat by its installed headers alone: doubles three numbers. */

static int
fail (GError *error)
{
  g_printerr ("%s\n", error->message);
  return 1;
}

int
main (void)
{
  const float numbers[] = { 1, 2.5f, -3 };
  GError *error = NULL;
  LeatPipeline *pipeline =
    leat_parse_text ("app name=source spec=f32:3 + upload + map expr=2*x + readback + app name=sink",
                     LEAT_TEXT_STYLE_TERMINAL, NULL, &error);
  LeatSession *session;
  GBytes *bytes;
  const float *result;

  if (pipeline == NULL)
    return fail (error);
  session = leat_session_new (pipeline, NULL);
  bytes = g_bytes_new_static (numbers, sizeof numbers);
  if (!leat_session_open (session, NULL, &error)
      || !leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "source", NULL)), bytes, &error)
      || leat_session_replay (session, TRUE, NULL, &error) != LEAT_FLOW_DATA)
    return fail (error);
  g_bytes_unref (bytes);
  bytes = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "sink", NULL)), -1, &error);
  if (bytes == NULL)
    return fail (error);
  result = g_bytes_get_data (bytes, NULL);
  g_print ("%g %g %g\n", result[0], result[1], result[2]);
  g_bytes_unref (bytes);
  leat_session_close (session);
  g_object_unref (session);
  g_object_unref (pipeline);
  return 0;
}
