/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <string.h>

/* `text:scan`, fed run by run. */

static LeatSession *
test_scan_open (const char *node, LeatPipeline **pipeline)
{
  g_autofree char *text =
    g_strconcat ("app name=in spec=u8[<=8] + upload + ", node, " + readback + app name=result", NULL);
  GError *error = NULL;
  LeatSession *session;

  *pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_TERMINAL, NULL, &error);
  g_assert_no_error (error);
  session = leat_session_new (*pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  return session;
}

static LeatFlow
test_scan_replay (LeatSession *session)
{
  GError *error = NULL;
  LeatFlow flow = leat_session_replay (session, TRUE, NULL, &error);

  g_assert_no_error (error);
  return flow;
}

/* "OFFSET:INDEX " for each row of what the run gave. */
static void
test_scan_pull (LeatPipeline *pipeline, GString *found)
{
  LeatApp *app = LEAT_APP (leat_pipeline_get_node (pipeline, "result", NULL));
  GError *error = NULL;
  g_autoptr (GBytes) bytes = leat_app_pull_bytes (app, -1, &error);
  const guint64 *rows;
  gsize size;

  g_assert_no_error (error);
  g_assert_nonnull (bytes);
  rows = g_bytes_get_data (bytes, &size);
  for (gsize i = 0; i < size / 16; i++)
    g_string_append_printf (found, "%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT " ", rows[2 * i], rows[2 * i + 1]);
}

/* Chunks stand between bars; an empty one is a push of nothing. */
static char *
test_scan_feed (LeatSession *session, LeatPipeline *pipeline, const char *chunks)
{
  LeatApp *app = LEAT_APP (leat_pipeline_get_node (pipeline, "in", NULL));
  g_auto (GStrv) parts = g_strsplit (chunks, "|", -1);
  GString *found = g_string_new (NULL);
  GError *error = NULL;

  for (guint i = 0; parts[i] != NULL; i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (parts[i], strlen (parts[i]));

      leat_app_push_bytes (app, bytes, &error);
      g_assert_no_error (error);
      g_assert_cmpint (test_scan_replay (session), ==, LEAT_FLOW_DATA);
      test_scan_pull (pipeline, found);
    }
  leat_app_end (app);
  while (test_scan_replay (session) == LEAT_FLOW_DATA)
    test_scan_pull (pipeline, found);
  return g_string_free (found, FALSE);
}

/* How the stream is cut makes no difference, runs without text included. */
static void
test_scan_chunks (void)
{
  static const struct
  {
    const char *node, *chunks, *found;
  } table[] = {
    { "text:scan patterns=whale,e", "whale", "0:0 4:1 " },
    { "text:scan patterns=whale,e", "wh|ale", "0:0 4:1 " },
    { "text:scan patterns=whale,e", "wh||ale", "0:0 4:1 " },
    { "text:scan patterns=whale,e", "|w|||h|a||l|e||", "0:0 4:1 " },
    { "text:scan patterns=whale,e", "|||", "" },
    { "text:scan patterns=whale", "a whal||", "" },
    { "text:scan patterns=whale", "a whal||e", "2:0 " },
    { "text:scan patterns=aa,a", "a||a||a", "0:0 0:1 1:0 1:1 2:1 " },
    { "text:scan patterns=abababababab", "ababab||ababab||ab", "0:0 2:0 " },
    { "text:scan patterns=CaT,dOg fold=true", "cAtDOG||CAT||dog", "0:0 3:1 6:0 9:1 " },
    { "text:scan patterns=CaT", "CaT||cat||CAT", "0:0 " },
    /* Signs that differ as small letters and capitals do. */
    { "text:scan patterns=\\\\x5b,\\\\x60 fold=true", "{[@`", "1:0 3:1 " },
    { "text:scan patterns=\\\\x7b\\\\x40\\\\x5f fold=true", "[`_{@\x7f||{@_", "6:0 " },
    { "text:scan patterns=\\\\xc9 fold=true", "\xe9\xc9", "1:0 " },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatPipeline) pipeline = NULL;
      g_autoptr (LeatSession) session = test_scan_open (table[i].node, &pipeline);
      g_autofree char *found = test_scan_feed (session, pipeline, table[i].chunks);

      g_test_message ("%s", table[i].chunks);
      g_assert_cmpstr (found, ==, table[i].found);
      leat_session_close (session);
    }
}

/* A session that is opened again begins another stream: the end of the last one is forgotten. */
static void
test_scan_again (void)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = test_scan_open ("text:scan patterns=whale", &pipeline);
  GError *error = NULL;

  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *found = test_scan_feed (session, pipeline, "wh||ale");

      g_assert_cmpstr (found, ==, "0:0 ");
      leat_session_close (session);
      g_assert_true (leat_session_open (session, NULL, &error));
      g_assert_no_error (error);
    }
  leat_session_close (session);
}

/* Sizes that no memory has are refused while planning, whichever product goes over. */
static void
test_scan_refuses_sizes (void)
{
  static const char *const capacities[] = { "4611686018427387904", "1152921504606846976", "288230376151711744",
                                            "70368744177664", "8796093022208" };
  static const char *const patterns[] = { "whale", "a", "a,ab,abc,abcd,abcde" };

  for (guint i = 0; i < G_N_ELEMENTS (capacities); i++)
    for (guint j = 0; j < G_N_ELEMENTS (patterns); j++)
      {
        g_autofree char *text = g_strdup_printf ("app spec=u8[<=%s] + upload + text:scan patterns=%s + readback + app",
                                                 capacities[i], patterns[j]);
        GError *error = NULL;
        g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_TERMINAL, NULL, &error);

        g_assert_no_error (error);
        g_assert_null (leat_plan_new (pipeline, &error));
        leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "more than one run can scan");
      }
}

static void
test_scan_print_changing (void)
{
  static const char *const patterns[] = { "cat", "dog", "and" };
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline =
    leat_parse_text ("app name=in spec=u8[<=64] + upload + text:scan name=s patterns=cat + readback + text:report "
                     "total=false",
                     LEAT_TEXT_STYLE_TERMINAL, NULL, &error);
  g_autoptr (LeatSession) session = NULL;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new_static ("a cat and dog ", 14);

      leat_node_set_from_string (leat_pipeline_get_node (pipeline, "s", NULL), "patterns", patterns[i], &error);
      g_assert_no_error (error);
      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "in", NULL)), bytes, &error);
      g_assert_no_error (error);
      g_assert_cmpint (test_scan_replay (session), ==, LEAT_FLOW_DATA);
    }
  leat_session_close (session);
}

/* What is looked for may change between runs, and text:report, which is not told of it, prints what was found. */
static void
test_scan_report_follows (void)
{
  if (g_test_subprocess ())
    {
      test_scan_print_changing ();
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stdout ("*2:cat\n24:dog\n34:and\n*");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/text/scan/report-follows", test_scan_report_follows);
  g_test_add_func ("/leat/text/scan/chunks", test_scan_chunks);
  g_test_add_func ("/leat/text/scan/again", test_scan_again);
  g_test_add_func ("/leat/text/scan/refuses-sizes", test_scan_refuses_sizes);
  return g_test_run ();
}
