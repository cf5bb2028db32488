/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "device/leat-device-private.h"
#include "leat.h"

/* Sessions whose scratch is the same memory: less of it, and the same results. */

#define N_SESSIONS 4
#define WORDS      (1 << 15)

typedef struct
{
  LeatScheduler *scheduler;
  LeatDevice *device;
  LeatSession *sessions[N_SESSIONS];
  gint errors;
} Group;

/* Different sizes, the largest neither first nor last. */
static guint
get_words (guint index)
{
  static const guint parts[N_SESSIONS] = { 4, 2, 1, 2 };

  return WORDS / parts[index];
}

static guint64
group_get_used (Group *self)
{
  LeatMemoryCounts counts;

  leat_device_get_memory_counts (self->device, LEAT_MEMORY_DEVICE, &counts);
  return counts.live_bytes;
}

static void
group_open_session (Group *self, guint index, gboolean shared)
{
  g_autofree char *text = g_strdup_printf ("leat 1\n"
                                           "app name=source spec=u32[%u] -> upload mode=copy -> a.x\n"
                                           "sum = state spec=u32[%u]\n"
                                           "a = map inputs=x expr=3*x\n"
                                           "b = map inputs=y,s expr=y+s+%u\n"
                                           "a -> b.y\n"
                                           "sum -> b.s -> sum\n"
                                           "b -> readback mode=copy -> app name=sink\n",
                                           get_words (index), get_words (index), index);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_no_error (error);
  self->sessions[index] = leat_session_new (pipeline, NULL);
  leat_scheduler_add (self->scheduler, self->sessions[index], &error);
  g_assert_no_error (error);
  leat_scheduler_set_group (self->scheduler, self->sessions[index], shared ? "all" : NULL, &error);
  g_assert_no_error (error);
  leat_session_open (self->sessions[index], NULL, &error);
  g_assert_no_error (error);
}

static void
group_open (Group *self, gboolean shared)
{
  g_autoptr (GError) error = NULL;

  *self = (Group){ .device = leat_device_open (NULL, &error) };
  g_assert_no_error (error);
  self->scheduler = leat_scheduler_new (self->device);
  for (guint i = 0; i < N_SESSIONS; i++)
    group_open_session (self, i, shared);
}

static void
group_close (Group *self)
{
  leat_scheduler_close (self->scheduler);
  for (guint i = 0; i < N_SESSIONS; i++)
    {
      leat_session_close (self->sessions[i]);
      g_object_unref (self->sessions[i]);
    }
  g_object_unref (self->scheduler);
  g_object_unref (self->device);
}

/* The run of a number, of one session: what it kept before is known from the numbers of the runs before. */
static gboolean
group_run (Group *self, guint index, guint32 run)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), results = NULL;
  g_autofree guint32 *x = g_new (guint32, get_words (index));
  g_autoptr (GError) error = NULL;
  const guint32 *y;
  gboolean same = TRUE;

  for (guint i = 0; i < get_words (index); i++)
    x[i] = i + run;
  g_ptr_array_add (inputs, g_bytes_new (x, get_words (index) * sizeof *x));
  leat_scheduler_replay (self->scheduler, self->sessions[index], inputs, 0, &results, NULL, &error);
  g_assert_no_error (error);
  y = g_bytes_get_data (g_ptr_array_index (results, 0), NULL);
  for (guint i = 0; i < get_words (index) && same; i++)
    same = y[i] == (run + 1) * (3 * i + index) + 3 * (run * (run + 1) / 2);
  return same;
}

static void
test_group_takes_less (void)
{
  guint64 used[2];
  Group group;

  for (guint shared = 0; shared < 2; shared++)
    {
      guint64 before;

      group_open (&group, shared);
      for (guint32 run = 0; run < 3; run++)
        for (guint i = 0; i < N_SESSIONS; i++)
          g_assert_true (group_run (&group, i, run));
      before = group_get_used (&group);
      group_close (&group);
      group.device = leat_device_open (NULL, NULL);
      used[shared] = before - group_get_used (&group);
      g_object_unref (group.device);
    }
  g_test_message ("%" G_GUINT64_FORMAT " bytes apart, %" G_GUINT64_FORMAT " together", used[0], used[1]);
  /* All but the largest need none of their own: of 4 bytes a word, in two buffers at least. */
  g_assert_cmpuint (used[1] + 2 * 4 * (get_words (0) + get_words (1) + get_words (3)), <=, used[0]);
}

static gpointer
run_in_thread (gpointer data)
{
  Group *self = ((gpointer *) data)[0];
  guint index = GPOINTER_TO_UINT (((gpointer *) data)[1]);

  for (guint32 run = 0; run < 12; run++)
    if (!group_run (self, index, run))
      g_atomic_int_inc (&self->errors);
  return NULL;
}

/* From several threads, and while sessions come and go. */
static void
test_group_takes_turns (void)
{
  gpointer data[N_SESSIONS][2];
  GThread *threads[N_SESSIONS];
  Group group;

  group_open (&group, TRUE);
  for (guint i = 0; i < N_SESSIONS; i++)
    {
      data[i][0] = &group;
      data[i][1] = GUINT_TO_POINTER (i);
      threads[i] = g_thread_new ("group", run_in_thread, data[i]);
    }
  for (guint i = 0; i < 40; i++)
    {
      leat_scheduler_set_group (group.scheduler, group.sessions[i % N_SESSIONS], i % 3 == 0 ? NULL : "all", NULL);
      g_usleep (2000);
    }
  for (guint i = 0; i < N_SESSIONS; i++)
    g_thread_join (threads[i]);
  g_assert_cmpint (group.errors, ==, 0);
  group_close (&group);
}

static void
fill (LeatSession *session, guint index, guint32 number)
{
  g_autoptr (GError) error = NULL;
  LeatView view;

  leat_session_map_input (session, "source", &view, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < get_words (index); i++)
    ((guint32 *) view.data)[i] = number;
}

static guint32
run_mapped (LeatSession *session)
{
  g_autoptr (GError) error = NULL;
  LeatView view;

  leat_session_map_output (session, "sink", &view, &error);
  leat_session_replay (session, FALSE, NULL, &error);
  g_assert_no_error (error);
  return ((guint32 *) view.data)[0];
}

/* What was uploaded for the last run is not there any more when another session has run since. */
static void
test_group_uploads_again (void)
{
  Group group;

  group_open (&group, TRUE);
  fill (group.sessions[2], 2, 5);
  g_assert_cmpuint (run_mapped (group.sessions[2]), ==, 17);
  g_assert_cmpuint (run_mapped (group.sessions[2]), ==, 34);
  fill (group.sessions[1], 1, 1000);
  g_assert_cmpuint (run_mapped (group.sessions[1]), ==, 3001);
  g_assert_cmpuint (run_mapped (group.sessions[2]), ==, 51);
  group_close (&group);
}

/* By hand nobody takes turns. */
static void
test_group_is_busy (void)
{
  Group group;
  g_autoptr (GError) error = NULL;

  group_open (&group, TRUE);
  fill (group.sessions[0], 0, 1);
  fill (group.sessions[1], 1, 1);
  g_assert_cmpint (leat_session_launch (group.sessions[0], NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_replay (group.sessions[1], FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY);
  g_clear_error (&error);
  g_assert_cmpint (leat_session_complete (group.sessions[0], NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  g_assert_cmpuint (run_mapped (group.sessions[1]), ==, 4);
  /* One that is closed with a run launched lets others go on. */
  g_assert_cmpint (leat_session_launch (group.sessions[0], NULL, &error), ==, LEAT_FLOW_DATA);
  leat_session_close (group.sessions[0]);
  g_assert_cmpuint (run_mapped (group.sessions[1]), ==, 8);
  g_assert_false (leat_scheduler_remove (group.scheduler, LEAT_SESSION (group.sessions[1]), NULL)
                  && leat_scheduler_set_group (group.scheduler, group.sessions[1], "all", &error));
  g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_MEMBER);
  g_assert_cmpuint (run_mapped (group.sessions[1]), ==, 12);
  group_close (&group);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/scheduler/group/takes-less", test_group_takes_less);
  g_test_add_func ("/leat/scheduler/group/takes-turns", test_group_takes_turns);
  g_test_add_func ("/leat/scheduler/group/uploads-again", test_group_uploads_again);
  g_test_add_func ("/leat/scheduler/group/is-busy", test_group_is_busy);
  return g_test_run ();
}
