/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <string.h>

/* Inputs that belong together row by row, and of which one has fewer rows: that is told once.
 */

static LeatPipeline *
unlike_parse (const char *node, const char *const inputs[2], const char *output, const char *mode)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");
  GError *error = NULL;
  LeatPipeline *pipeline;

  g_string_append_printf (text, "n = %s\n", node);
  for (guint i = 0; i < 2; i++)
    g_string_append_printf (text, "app name=%s spec=u32[<=16] -> upload mode=%s -> n.%s\n", i == 0 ? "one" : "two",
                            mode, inputs[i]);
  g_string_append_printf (text, "n.%s -> readback -> app name=out\n", output);
  pipeline = leat_parse_text (text->str, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  return pipeline;
}

static void
unlike_push (LeatPipeline *pipeline, const char *name, guint n)
{
  static const guint32 items[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
  g_autoptr (GBytes) bytes = g_bytes_new_static (items, n * sizeof *items);
  GError *error = NULL;

  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, name, NULL)), bytes, &error);
  g_assert_no_error (error);
}

/* A run with so many rows of each; how many warnings it leaves. */
static guint
unlike_run (LeatSession *session, LeatPipeline *pipeline, guint one, guint two, guint bytes, const char *says)
{
  g_autoptr (GBytes) out = NULL;
  GError *error = NULL;
  LeatMessage *message;
  guint n = 0;

  unlike_push (pipeline, "one", one);
  unlike_push (pipeline, "two", two);
  leat_session_replay (session, TRUE, NULL, &error);
  g_assert_no_error (error);
  out = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "out", NULL)), -1, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (out), ==, bytes);
  while ((message = leat_bus_pop (leat_pipeline_get_bus (pipeline), 0)) != NULL)
    {
      if (leat_message_get_kind (message) == LEAT_MESSAGE_WARNING)
        {
          const GError *warning = leat_message_get_error (message);

          n++;
          g_assert_error (warning, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_UNEVEN);
          if (strstr (warning->message, says) == NULL)
            g_error ("\"%s\" does not say \"%s\"", warning->message, says);
        }
      leat_message_unref (message);
    }
  return n;
}

static void
test_unlike_warns (gconstpointer data)
{
  static const struct
  {
    const char *node, *inputs[2], *output;
    guint width; /* of a row of the output */
  } nodes[] = {
    { "map inputs=a,b expr=a+b", { "a", "b" }, "out", 4 },
    { "compact inputs=a,b keep=a where=\"a + b < 99\"", { "a", "b" }, "out", 4 },
    { "compact by=flags inputs=a", { "a", "flags" }, NULL, 4 },
    { "partition", { "x", "flags" }, "out", 4 },
    { "scan", { "x", "starts" }, "out", 8 },
    { "sort", { "keys", "values" }, "sorted", 4 },
  };
  const char *mode = data;

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      const char *output = nodes[i].output != NULL ? nodes[i].output : "out";
      g_autoptr (LeatPipeline) pipeline = unlike_parse (nodes[i].node, nodes[i].inputs, output, mode);
      g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
      g_autofree char *says =
        g_strdup_printf ("run 2: \"%s\" has 4 rows and \"%s\" 10; the last 6 of \"%s\" have no row to go with",
                         nodes[i].inputs[0], nodes[i].inputs[1], nodes[i].inputs[1]);
      /* Row 0 is not selected by its flag; sort gives all keys. */
      guint less = nodes[i].output == NULL;
      GError *error = NULL;

      leat_session_open (session, NULL, &error);
      g_assert_no_error (error);
      g_test_message ("%s", nodes[i].node);
      g_assert_cmpuint (unlike_run (session, pipeline, 8, 8, (8 - less) * nodes[i].width, ""), ==, 0);
      g_assert_cmpuint (unlike_run (session, pipeline, 4, 10, (4 - less) * nodes[i].width, says), ==, 1);
      g_assert_cmpuint (unlike_run (session, pipeline, 5, 3, (i == 5 ? 5 : 3 - less) * nodes[i].width, ""), ==, 0);
      leat_session_close (session);
    }
}

/* Each has a number of its own: a kernel that takes two arrays, and places in another one. */
static void
test_unlike_is_meant (void)
{
  static const char *const inputs[2] = { "items", "at" };
  g_autoptr (LeatPipeline) pipeline = unlike_parse ("gather", inputs, "out", "auto");
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  GError *error = NULL;

  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (unlike_run (session, pipeline, 9, 4, 4 * sizeof (guint32), ""), ==, 0);
  leat_session_close (session);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/unlike-inputs/warns/copy", "copy", test_unlike_warns);
  g_test_add_data_func ("/leat/unlike-inputs/warns/mapped", "mapped", test_unlike_warns);
  g_test_add_func ("/leat/unlike-inputs/is-meant", test_unlike_is_meant);
  return g_test_run ();
}
