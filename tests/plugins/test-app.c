/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <string.h>

typedef LeatHarness Harness;

static gboolean
test_app_push (LeatEndpoint *node, const char *text, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (text, strlen (text));

  return leat_app_push_bytes (LEAT_APP (node), bytes, error);
}

static void
test_app_assert_pulled (LeatEndpoint *node, const char *text)
{
  GError *error = NULL;
  g_autoptr (GBytes) bytes = leat_app_pull_bytes (LEAT_APP (node), -1, &error);

  g_assert_no_error (error);
  g_assert_nonnull (bytes);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), text, strlen (text));
}

static void
test_app_assert_no_pull (LeatEndpoint *node, gint64 timeout_us, int code)
{
  GError *error = NULL;

  g_assert_null (leat_app_pull_bytes (LEAT_APP (node), timeout_us, &error));
  g_assert_error (error, G_IO_ERROR, code);
  g_clear_error (&error);
}

static void
test_app_source (void)
{
  GError *error = NULL;
  Harness harness;

  leat_harness_init_source (&harness, "app", "spec=u16[<=2]", NULL);
  g_assert_true (test_app_push (harness.node, "abcd", &error));
  leat_harness_start (&harness);
  g_assert_true (test_app_push (harness.node, "ef", &error));
  g_assert_true (test_app_push (harness.node, "", &error));
  for (const char *const *part = (const char *const[]){ "abcd", "ef", "", NULL }; *part != NULL; part++)
    {
      g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
      g_assert_cmpmem (harness.memory->data, harness.memory->len, *part, strlen (*part));
    }
  g_assert_cmpint (leat_harness_fill (&harness, FALSE, &error), ==, LEAT_FLOW_EMPTY);
  leat_app_end (LEAT_APP (harness.node));
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_END);
  g_assert_false (test_app_push (harness.node, "ab", &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED, "was ended");
  /* The next session is fed anew. */
  leat_harness_stop (&harness);
  leat_harness_start (&harness);
  g_assert_true (test_app_push (harness.node, "gh", &error));
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpmem (harness.memory->data, harness.memory->len, "gh", 2);
  leat_harness_clear (&harness);
}

static void
test_app_refuses_size (void)
{
  static const struct
  {
    const char *spec, *data;
    const char *says;
  } table[] = {
    { "spec=f32[2]", "abcdefg", "7 bytes were pushed; f32[2] takes 8 bytes" },
    { "spec=f32[2]", "abcd", "4 bytes were pushed; f32[2] takes 8 bytes" },
    { "spec=f32[<=2]", "abcdefghijkl", "12 bytes were pushed; f32[<=2] takes a multiple of 4 bytes, at most 8" },
    { "spec=f32[<=2]", "abcde", "5 bytes" },
    { "spec=f32[]", "", "0 bytes were pushed; f32[] takes 4 bytes" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      Harness harness;

      leat_harness_init_source (&harness, "app", table[i].spec, NULL);
      g_assert_false (test_app_push (harness.node, table[i].data, &error));
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, table[i].says);
      leat_harness_start (&harness);
      g_assert_false (test_app_push (harness.node, table[i].data, &error));
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, table[i].says);
      leat_harness_clear (&harness);
    }
}

/* Pushed before anything was known: refused when it is the run's turn. */
static void
test_app_refuses_size_late (void)
{
  GError *error = NULL;
  Harness harness;

  leat_harness_init_source (&harness, "app", "out=f32[2]", NULL);
  g_assert_true (test_app_push (harness.node, "abc", &error));
  leat_harness_start (&harness);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_ERROR);
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "3 bytes were pushed; f32[2] takes 8");
  leat_harness_clear (&harness);
}

static void
test_app_refuses_spec (void)
{
  static const struct
  {
    const char *setting;
    int code;
    const char *says;
  } table[] = {
    { "spec=f32[n]", LEAT_GRAPH_ERROR_SPEC, "spec=f32[480,640]" },
    { "spec=any", LEAT_GRAPH_ERROR_SPEC, "spec=f32[480,640]" },
    { "spec=f33[2]", LEAT_GRAPH_ERROR_SPEC, "f33" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      GError *error = NULL;
      Harness harness;

      leat_harness_init_source (&harness, "app", table[i].setting, NULL);
      g_assert_false (leat_harness_plan (&harness, &error));
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, table[i].code, table[i].says);
      leat_harness_clear (&harness);
    }
}

static void
test_app_sink (void)
{
  g_autoptr (LeatSpec) spec = NULL;
  g_autofree char *text = NULL;
  GError *error = NULL;
  Harness harness;

  leat_harness_init_sink (&harness, "app", "u8[<=4]", NULL, NULL);
  test_app_assert_no_pull (harness.node, 0, G_IO_ERROR_TIMED_OUT);
  leat_harness_start (&harness);
  spec = leat_app_dup_spec (LEAT_APP (harness.node));
  text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  g_assert_cmpstr (text, ==, "u8[<=4]");
  test_app_assert_no_pull (harness.node, 1000, G_IO_ERROR_TIMED_OUT);
  g_assert_true (leat_harness_drain (&harness, "abcd", 4, &error));
  g_assert_true (leat_harness_drain (&harness, "ef", 2, &error));
  g_assert_true (leat_harness_drain (&harness, "", 0, &error));
  test_app_assert_pulled (harness.node, "abcd");
  g_assert_true (leat_harness_finish (&harness, &error));
  leat_harness_stop (&harness);
  test_app_assert_pulled (harness.node, "ef");
  test_app_assert_pulled (harness.node, "");
  g_assert_null (leat_app_pull_bytes (LEAT_APP (harness.node), -1, &error));
  g_assert_no_error (error);
  leat_harness_clear (&harness);
}

static void
test_app_sink_closed_early (void)
{
  GError *error = NULL;
  Harness harness;

  leat_harness_init_sink (&harness, "app", "u8[4]", NULL, NULL);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_drain (&harness, "abcd", 4, &error));
  leat_harness_stop (&harness);
  test_app_assert_pulled (harness.node, "abcd");
  test_app_assert_no_pull (harness.node, -1, G_IO_ERROR_CLOSED);
  leat_harness_clear (&harness);
}

static void
test_app_full_without_block (void)
{
  GError *error = NULL;
  Harness harness;

  leat_harness_init_source (&harness, "app", "spec=u8[2]", "max-queue=1", "block=false", NULL);
  g_assert_true (test_app_push (harness.node, "ab", &error));
  g_assert_false (test_app_push (harness.node, "cd", &error));
  leat_harness_assert_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK, "full with 1 items");
  leat_harness_clear (&harness);
  leat_harness_init_sink (&harness, "app", "u8[2]", "max-queue=1", "block=false", NULL);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_drain (&harness, "ab", 2, &error));
  g_assert_false (leat_harness_drain (&harness, "cd", 2, &error));
  leat_harness_assert_error (error, G_IO_ERROR, G_IO_ERROR_WOULD_BLOCK, "full with 1 items");
  leat_harness_clear (&harness);
}

#define TEST_APP_ITEMS 2000

static gpointer
test_app_push_many (gpointer data)
{
  LeatEndpoint *node = data;

  for (guint32 i = 0; i < TEST_APP_ITEMS; i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (&i, sizeof i);
      GError *error = NULL;

      leat_app_push_bytes (LEAT_APP (node), bytes, &error);
      g_assert_no_error (error);
    }
  leat_app_end (LEAT_APP (node));
  return NULL;
}

static void
test_app_source_threads (void)
{
  GError *error = NULL;
  GThread *thread;
  Harness harness;
  guint32 next = 0;

  leat_harness_init_source (&harness, "app", "spec=u32[]", "max-queue=3", NULL);
  leat_harness_start (&harness);
  thread = g_thread_new ("pusher", test_app_push_many, harness.node);
  for (; leat_harness_fill (&harness, TRUE, &error) == LEAT_FLOW_DATA; next++)
    g_assert_cmpmem (harness.memory->data, harness.memory->len, &next, sizeof next);
  g_assert_no_error (error);
  g_assert_cmpuint (next, ==, TEST_APP_ITEMS);
  g_thread_join (thread);
  leat_harness_clear (&harness);
}

static gpointer
test_app_pull_many (gpointer data)
{
  LeatEndpoint *node = data;
  GError *error = NULL;
  GBytes *bytes;
  guint32 next = 0;

  for (; (bytes = leat_app_pull_bytes (LEAT_APP (node), -1, &error)) != NULL; next++)
    {
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), &next, sizeof next);
      g_bytes_unref (bytes);
    }
  g_assert_no_error (error);
  return GUINT_TO_POINTER (next);
}

static void
test_app_sink_threads (void)
{
  GError *error = NULL;
  GThread *thread;
  Harness harness;

  leat_harness_init_sink (&harness, "app", "u32[]", "max-queue=3", NULL);
  thread = g_thread_new ("puller", test_app_pull_many, harness.node);
  leat_harness_start (&harness);
  for (guint32 i = 0; i < TEST_APP_ITEMS; i++)
    g_assert_true (leat_harness_drain (&harness, &i, sizeof i, &error));
  g_assert_true (leat_harness_finish (&harness, &error));
  g_assert_cmpuint (GPOINTER_TO_UINT (g_thread_join (thread)), ==, TEST_APP_ITEMS);
  leat_harness_clear (&harness);
}

static gpointer
test_app_unblock_soon (gpointer data)
{
  LeatEndpoint *node = data;

  g_usleep (20000);
  LEAT_ENDPOINT_GET_CLASS (node)->unblock (node);
  return NULL;
}

static void
test_app_unblock (void)
{
  GError *error = NULL;
  GThread *thread;
  Harness harness;

  leat_harness_init_source (&harness, "app", "spec=u8[2]", NULL);
  leat_harness_start (&harness);
  thread = g_thread_new ("waker", test_app_unblock_soon, harness.node);
  g_assert_cmpint (leat_harness_fill (&harness, TRUE, &error), ==, LEAT_FLOW_EMPTY);
  g_thread_join (thread);
  leat_harness_clear (&harness);
  leat_harness_init_sink (&harness, "app", "u8[2]", "max-queue=1", NULL);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_drain (&harness, "ab", 2, &error));
  thread = g_thread_new ("waker", test_app_unblock_soon, harness.node);
  g_assert_false (leat_harness_drain (&harness, "cd", 2, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_thread_join (thread);
  leat_harness_clear (&harness);
}

static gpointer
test_app_push_to_full (gpointer data)
{
  GError *error = NULL;

  g_assert_false (test_app_push (data, "cd", &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CLOSED);
  g_clear_error (&error);
  return NULL;
}

/* A push that waits for room learns that its session has gone. */
static void
test_app_push_closed (void)
{
  GError *error = NULL;
  GThread *thread;
  Harness harness;

  leat_harness_init_source (&harness, "app", "spec=u8[2]", "max-queue=1", NULL);
  leat_harness_start (&harness);
  g_assert_true (test_app_push (harness.node, "ab", &error));
  thread = g_thread_new ("pusher", test_app_push_to_full, harness.node);
  g_usleep (50000);
  leat_harness_stop (&harness);
  g_thread_join (thread);
  leat_harness_clear (&harness);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/app/source/gives-pushes", test_app_source);
  g_test_add_func ("/leat/app/source/refuses-size", test_app_refuses_size);
  g_test_add_func ("/leat/app/source/refuses-size-late", test_app_refuses_size_late);
  g_test_add_func ("/leat/app/source/refuses-spec", test_app_refuses_spec);
  g_test_add_func ("/leat/app/source/threads", test_app_source_threads);
  g_test_add_func ("/leat/app/source/push-to-closed", test_app_push_closed);
  g_test_add_func ("/leat/app/sink/pulls", test_app_sink);
  g_test_add_func ("/leat/app/sink/closed-early", test_app_sink_closed_early);
  g_test_add_func ("/leat/app/sink/threads", test_app_sink_threads);
  g_test_add_func ("/leat/app/full-without-block", test_app_full_without_block);
  g_test_add_func ("/leat/app/unblock", test_app_unblock);
  return g_test_run ();
}
