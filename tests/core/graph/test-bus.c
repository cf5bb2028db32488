/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"

#include <string.h>

static LeatMessage *
message_new (guint i)
{
  g_autofree char *source = g_strdup_printf ("node%u", i);

  return leat_message_new (LEAT_MESSAGE_WARNING, source, NULL, NULL);
}

static void
test_message_fields (void)
{
  g_autoptr (GError) error = g_error_new (LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "no such file");
  g_autoptr (LeatMessage) message =
    leat_message_new (LEAT_MESSAGE_ERROR, "in", error, g_variant_new_parsed ("{'bytes': <uint64 7>}"));
  guint64 bytes = 0;

  g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_ERROR);
  g_assert_cmpstr (leat_message_get_source (message), ==, "in");
  g_assert_error (leat_message_get_error (message), LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO);
  g_assert_true (g_variant_lookup (leat_message_get_details (message), "bytes", "t", &bytes));
  g_assert_cmpuint (bytes, ==, 7);
}

static void
test_bus_pop_in_order (void)
{
  g_autoptr (LeatBus) bus = leat_bus_new ();

  for (guint i = 0; i < 3; i++)
    leat_bus_post (bus, message_new (i));
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (LeatMessage) message = leat_bus_pop (bus, -1);
      g_autofree char *source = g_strdup_printf ("node%u", i);

      g_assert_cmpstr (leat_message_get_source (message), ==, source);
    }
  g_assert_null (leat_bus_pop (bus, 0));
}

/* Unread progress is replaced, and only where it is the last message. */
static void
test_bus_keeps_the_last_progress (void)
{
  static const LeatMessageType posted[] = { LEAT_MESSAGE_PROGRESS, LEAT_MESSAGE_PROGRESS, LEAT_MESSAGE_WARNING,
                                            LEAT_MESSAGE_PROGRESS, LEAT_MESSAGE_PROGRESS };
  static const LeatMessageType kept[] = { LEAT_MESSAGE_PROGRESS, LEAT_MESSAGE_WARNING, LEAT_MESSAGE_PROGRESS };
  static const char *const sources[] = { "1", "2", "4" };
  g_autoptr (LeatBus) bus = leat_bus_new ();

  for (guint i = 0; i < G_N_ELEMENTS (posted); i++)
    {
      g_autofree char *source = g_strdup_printf ("%u", i);

      leat_bus_post (bus, leat_message_new (posted[i], source, NULL, NULL));
    }
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    {
      g_autoptr (LeatMessage) message = leat_bus_pop (bus, 0);

      g_assert_nonnull (message);
      g_assert_cmpint (leat_message_get_kind (message), ==, kept[i]);
      g_assert_cmpstr (leat_message_get_source (message), ==, sources[i]);
    }
  g_assert_null (leat_bus_pop (bus, 0));
}

static void
test_bus_pop_times_out (void)
{
  g_autoptr (LeatBus) bus = leat_bus_new ();
  gint64 start_us = g_get_monotonic_time ();

  g_assert_null (leat_bus_pop (bus, 20000));
  g_assert_cmpint (g_get_monotonic_time () - start_us, >=, 20000);
}

static gpointer
post_many (gpointer bus)
{
  for (guint i = 0; i < 1000; i++)
    leat_bus_post (bus, message_new (i));
  return NULL;
}

static void
test_bus_pop_waits_for_other_threads (void)
{
  g_autoptr (LeatBus) bus = leat_bus_new ();
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("poster", post_many, bus);
  for (guint i = 0; i < 1000 * G_N_ELEMENTS (threads); i++)
    {
      g_autoptr (LeatMessage) message = leat_bus_pop (bus, -1);

      g_assert_nonnull (message);
    }
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_null (leat_bus_pop (bus, 0));
}

static void
count_message (LeatBus *bus, LeatMessage *message, guint *count)
{
  ++*count;
}

static void
test_bus_watch_emits (void)
{
  g_autoptr (GMainContext) context = g_main_context_new ();
  g_autoptr (LeatBus) bus = leat_bus_new ();
  GThread *thread;
  guint count = 0;

  g_main_context_push_thread_default (context);
  g_signal_connect (bus, "message", G_CALLBACK (count_message), &count);
  leat_bus_add_watch (bus);
  thread = g_thread_new ("poster", post_many, bus);
  while (count < 1000)
    g_main_context_iteration (context, TRUE);
  g_thread_join (thread);
  leat_bus_remove_watch (bus);
  leat_bus_post (bus, message_new (0));
  g_assert_false (g_main_context_iteration (context, FALSE));
  g_assert_cmpuint (count, ==, 1000);
  g_main_context_pop_thread_default (context);
}

static void
test_bus_watch_keeps_nothing_alive (void)
{
  LeatBus *bus = leat_bus_new ();

  leat_bus_add_watch (bus);
  leat_bus_post (bus, message_new (0));
  g_assert_finalize_object (bus);
  while (g_main_context_iteration (NULL, FALSE))
    ;
}

static void
test_bus_watches_nest (void)
{
  g_autoptr (LeatBus) bus = leat_bus_new ();
  guint count = 0;

  g_signal_connect (bus, "message", G_CALLBACK (count_message), &count);
  leat_bus_add_watch (bus);
  leat_bus_add_watch (bus);
  leat_bus_remove_watch (bus);
  leat_bus_post (bus, message_new (0));
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpuint (count, ==, 1);
  leat_bus_remove_watch (bus);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/message/fields", test_message_fields);
  g_test_add_func ("/leat/bus/pop/in-order", test_bus_pop_in_order);
  g_test_add_func ("/leat/bus/keeps-the-last-progress", test_bus_keeps_the_last_progress);
  g_test_add_func ("/leat/bus/pop/times-out", test_bus_pop_times_out);
  g_test_add_func ("/leat/bus/pop/waits-for-other-threads", test_bus_pop_waits_for_other_threads);
  g_test_add_func ("/leat/bus/watch/emits", test_bus_watch_emits);
  g_test_add_func ("/leat/bus/watch/keeps-nothing-alive", test_bus_watch_keeps_nothing_alive);
  g_test_add_func ("/leat/bus/watch/nests", test_bus_watches_nest);
  return g_test_run ();
}
