/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "repeat-watch.h"

#include <stdlib.h>
#include <unistd.h>

/* Compiling before the first run, and a busy machine, are in it. */
#define PATIENCE_S 90
/* Who hangs may hold what the state is read under. */
#define STATE_S 5

static gboolean
repeat_is_on_cpu (void)
{
  const char *selector = g_getenv ("LEAT_DEVICE");
  g_autoptr (LeatDevice) device = leat_device_open (selector != NULL ? selector : "auto", NULL);

  return device == NULL || leat_device_is_cpu (device);
}

gboolean
repeat_is_short (void)
{
  const char *given = g_getenv ("LEAT_TEST_REPEAT");

  return given != NULL ? g_str_equal (given, "few") : repeat_is_on_cpu ();
}

gboolean
repeat_is_watched (void)
{
  return g_strcmp0 (g_getenv ("LEAT_TEST_REPEAT"), "watched") == 0;
}

guint
repeat_count (guint few, guint many)
{
  const char *given = g_getenv ("LEAT_TEST_REPEAT");

  if (repeat_is_watched ())
    return 1;
  if (repeat_is_short ())
    return few;
  return given != NULL ? (guint) MAX (g_ascii_strtoull (given, NULL, 10), 1) : many;
}

static void
repeat_watch_print_state (RepeatWatch *self)
{
  static const char *const counters[] = { "runs", "persistent-runs", "persistent-launches", "persistent-leaves",
                                          "runaways" };
  g_autoptr (GVariant) stats = leat_session_dup_stats (self->session), loops = NULL;
  g_autofree char *text = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (counters); i++)
    {
      guint64 value;

      g_assert_true (g_variant_lookup (stats, counters[i], "t", &value));
      g_printerr ("# %s: %" G_GUINT64_FORMAT "\n", counters[i], value);
    }
  loops = leat_session_dup_loops (self->session);
  text = g_variant_print (loops, FALSE);
  g_printerr ("# loops of the run before: %s\n", text);
}

static void
repeat_watch_give_up (RepeatWatch *self)
{
  g_printerr ("# %s: run %" G_GUINT64_FORMAT " hangs: %u ms have passed\n", self->what, self->run, self->patience_ms);
  alarm (STATE_S);
  repeat_watch_print_state (self);
  abort ();
}

static gpointer
repeat_watch_look (gpointer data)
{
  RepeatWatch *self = data;

  g_mutex_lock (&self->lock);
  while (!self->over)
    {
      gint64 end = self->since_us + (gint64) self->patience_ms * 1000;

      if (g_get_monotonic_time () >= end)
        repeat_watch_give_up (self);
      g_cond_wait_until (&self->changed, &self->lock, end);
    }
  g_mutex_unlock (&self->lock);
  return NULL;
}

void
repeat_watch_begin (RepeatWatch *self, const char *what, LeatSession *session)
{
  const char *given = g_getenv ("LEAT_TEST_PATIENCE");
  guint seconds = given != NULL ? (guint) g_ascii_strtoull (given, NULL, 10) : PATIENCE_S;

  *self = (RepeatWatch){ .what = what, .session = session, .patience_ms = MAX (seconds, 1) * 1000 };
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  self->since_us = g_get_monotonic_time ();
  self->thread = g_thread_new ("repeat-watch", repeat_watch_look, self);
}

void
repeat_watch_step (RepeatWatch *self)
{
  g_mutex_lock (&self->lock);
  self->run++;
  self->since_us = g_get_monotonic_time ();
  g_mutex_unlock (&self->lock);
}

void
repeat_watch_end (RepeatWatch *self)
{
  g_mutex_lock (&self->lock);
  self->over = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
  g_thread_join (self->thread);
  g_test_message ("%s: %" G_GUINT64_FORMAT " runs", self->what, self->run);
  g_cond_clear (&self->changed);
  g_mutex_clear (&self->lock);
}
