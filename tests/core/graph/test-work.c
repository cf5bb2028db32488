/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "graph/leat-workers.h"

#define N_PARTS 1000
#define WAIT_US (20 * G_TIME_SPAN_SECOND) /* for what takes no time */

typedef struct
{
  gint times[N_PARTS];
  gint running, most; /* at the same time */
  GMutex lock;
  GCond changed;
  guint n_arrived, n_expected;
} Work;

static void
work_init (Work *self, guint n_expected)
{
  *self = (Work){ .n_expected = n_expected };
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
}

static void
work_clear (Work *self)
{
  g_mutex_clear (&self->lock);
  g_cond_clear (&self->changed);
}

static void
note_most (Work *self, gint running)
{
  gint most;

  while (running > (most = g_atomic_int_get (&self->most)))
    if (g_atomic_int_compare_and_exchange (&self->most, most, running))
      return;
}

static void
do_part (guint part, gpointer data)
{
  Work *self = data;

  note_most (self, g_atomic_int_add (&self->running, 1) + 1);
  self->times[part]++; /* nobody else has this part, and the caller looks when all are done */
  g_thread_yield ();
  g_atomic_int_add (&self->running, -1);
}

static void
check (guint n_parts, guint n_threads)
{
  Work work;

  work_init (&work, 0);
  leat_work_share (n_parts, n_threads, do_part, &work);
  for (guint i = 0; i < N_PARTS; i++)
    g_assert_cmpint (work.times[i], ==, i < n_parts ? 1 : 0);
  g_assert_cmpint (work.most, <=, MAX (MIN (n_parts, n_threads), 1));
  work_clear (&work);
}

static void
test_work_each_part_once (void)
{
  static const guint parts[] = { 0, 1, 2, 3, 17, N_PARTS }, threads[] = { 0, 1, 2, 5, 64 };

  for (guint round = 0; round < 5; round++)
    for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
      for (guint k = 0; k < G_N_ELEMENTS (threads); k++)
        check (parts[i], threads[k]);
}

static void
meet (guint part, gpointer data)
{
  Work *self = data;
  gint64 until = g_get_monotonic_time () + WAIT_US;

  g_mutex_lock (&self->lock);
  self->n_arrived++;
  g_cond_broadcast (&self->changed);
  while (self->n_arrived < self->n_expected && g_cond_wait_until (&self->changed, &self->lock, until))
    continue;
  self->times[part] = self->n_arrived == self->n_expected;
  g_mutex_unlock (&self->lock);
}

/* Each part waits for the others, which one thread alone would never end. */
static void
test_work_at_the_same_time (void)
{
  Work work;

  work_init (&work, 4);
  leat_work_share (4, 4, meet, &work);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (work.times[i], ==, 1);
  work_clear (&work);
}

static void
share_again (guint part, gpointer data)
{
  check (20 + part, 4);
  g_atomic_int_inc ((gint *) data);
}

/* More threads than the pool has wait for what they have shared out. */
static void
test_work_nested (void)
{
  gint n_done = 0;

  leat_work_share (100, 64, share_again, &n_done);
  g_assert_cmpint (n_done, ==, 100);
}

static gpointer
share_often (gpointer data)
{
  for (guint i = 0; i < 100; i++)
    check (40, 3);
  return NULL;
}

static void
test_work_of_several_callers (void)
{
  GThread *threads[8];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("caller", share_often, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

/* A part of the second that is begun before the first has ended, which waits for it. */
static void
test_work_ahead (void)
{
  g_autoptr (LeatWorkers) workers = leat_workers_new (3);
  LeatWork *first, *second;
  Work work;

  work_init (&work, 2);
  first = leat_workers_begin (workers, 1, meet, &work);
  second = leat_workers_begin (workers, 1, meet, &work);
  leat_workers_end (workers, first);
  leat_workers_end (workers, second);
  g_assert_cmpint (work.times[0], ==, 1);
  work_clear (&work);
}

/* However many are begun, there are no more threads at it; each part is done once. */
static void
test_work_many_ahead (void)
{
  g_autoptr (LeatWorkers) workers = leat_workers_new (4);
  LeatWork *begun[20];
  Work works[20];

  for (guint i = 0; i < 20; i++)
    {
      work_init (&works[i], 0);
      begun[i] = leat_workers_begin (workers, i * 10, do_part, &works[i]);
    }
  for (guint i = 0; i < 20; i++)
    {
      leat_workers_end (workers, begun[i]);
      for (guint k = 0; k < 200; k++)
        g_assert_cmpint (works[i].times[k], ==, k < i * 10 ? 1 : 0);
      g_assert_cmpint (works[i].most, <=, 4);
      work_clear (&works[i]);
    }
}

static void
test_work_without_function (void)
{
  g_test_expect_message ("Leat", G_LOG_LEVEL_CRITICAL, "*func != NULL*");
  leat_work_share (2, 2, NULL, NULL);
  g_test_assert_expected_messages ();
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/work/each-part-once", test_work_each_part_once);
  g_test_add_func ("/leat/work/at-the-same-time", test_work_at_the_same_time);
  g_test_add_func ("/leat/work/nested", test_work_nested);
  g_test_add_func ("/leat/work/of-several-callers", test_work_of_several_callers);
  g_test_add_func ("/leat/work/ahead", test_work_ahead);
  g_test_add_func ("/leat/work/many-ahead", test_work_many_ahead);
  g_test_add_func ("/leat/work/without-function", test_work_without_function);
  return g_test_run ();
}
