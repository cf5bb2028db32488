/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "schedule-model.h"

#include <math.h>

/* Who goes next, against a model that looks through all of them each time, and what it costs to know it.  Runs are
 * begun and ended here, with no thread and no device: what the scheduler decides is all there is. */

#define N_SESSIONS 12
#define N_GROUPS   3
#define STEPS      4000

typedef struct
{
  LeatScheduler *scheduler;
  LeatDevice *device;
  GPtrArray *sessions; /* LeatSession */
  Model *model;        /* NULL: none */
  GPtrArray *runs;     /* LeatSubmission; ModelRun of the same index */
} Order;

static LeatMember *
order_get_member (Order *self, guint session)
{
  return leat_scheduler_find (self->scheduler, g_ptr_array_index (self->sessions, session), NULL);
}

static void
order_run_free (gpointer data)
{
  LeatSubmission *run = data;

  g_clear_error (&run->error);
  g_free (run);
}

static void
order_open (Order *self, guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline =
    leat_parse_text ("leat 1\napp name=source spec=f32[16] -> upload -> discard", LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_no_error (error);
  *self = (Order){ .device = leat_device_open (NULL, &error) };
  g_assert_no_error (error);
  self->scheduler = leat_scheduler_new (self->device);
  self->sessions = g_ptr_array_new_with_free_func (g_object_unref);
  self->runs = g_ptr_array_new_with_free_func (order_run_free);
  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (self->sessions, leat_session_new (pipeline, NULL));
      leat_scheduler_add (self->scheduler, g_ptr_array_index (self->sessions, i), &error);
      g_assert_no_error (error);
    }
}

static void
order_submit (Order *self, guint session, gint64 deadline)
{
  LeatSubmission *run = g_new0 (LeatSubmission, 1);

  g_ptr_array_add (self->runs, run);
  run->scheduler = self->scheduler;
  run->member = order_get_member (self, session);
  run->deadline = deadline;
  g_mutex_lock (&self->scheduler->lock);
  run->number = ++self->scheduler->n_submitted;
  leat_member_enqueue (self->scheduler, run->member, run);
  leat_scheduler_dispatch (self->scheduler);
  leat_scheduler_unlock (self->scheduler);
}

static void
order_cancel (Order *self, guint index)
{
  g_mutex_lock (&self->scheduler->lock);
  leat_submission_give_up (g_ptr_array_index (self->runs, index), NULL);
  leat_scheduler_dispatch (self->scheduler);
  leat_scheduler_unlock (self->scheduler);
}

static void
order_end (Order *self, guint index, gint64 device_us, gint64 lasted_us)
{
  LeatSubmission *run = g_ptr_array_index (self->runs, index);

  run->state = LEAT_SUBMISSION_DONE;
  run->member->lasted_us = lasted_us;
  leat_scheduler_free_place (self->scheduler, run->member, run->level, device_us);
}

/* What is under way ends, and nothing else is begun. */
static void
order_close (Order *self)
{
  leat_scheduler_pause (self->scheduler, NULL);
  for (guint i = 0; i < self->runs->len; i++)
    if (((LeatSubmission *) g_ptr_array_index (self->runs, i))->state == LEAT_SUBMISSION_RUNNING)
      order_end (self, i, 0, 0);
  leat_scheduler_close (self->scheduler);
  g_ptr_array_unref (self->sessions);
  g_ptr_array_unref (self->runs);
  g_object_unref (self->scheduler);
  g_object_unref (self->device);
}

/* What each run has come to, and in which order they were begun. */
static void
order_check (Order *self)
{
  for (guint i = 0; i < self->runs->len; i++)
    {
      const LeatSubmission *run = g_ptr_array_index (self->runs, i);
      const ModelRun *expected = &g_array_index (self->model->runs, ModelRun, i);

      g_assert_cmpint (run->state, ==, expected->state);
      if (run->state == LEAT_SUBMISSION_RUNNING)
        {
          g_assert_cmpint (run->level, ==, expected->level);
          g_assert_cmpuint (run->member->stats.last_turn, ==, expected->turn);
        }
    }
}

/* The index of a run that is in @state; G_MAXUINT where none is. */
static guint
order_pick (Order *self, GRand *rand, LeatSubmissionState state)
{
  g_autoptr (GArray) found = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < self->runs->len; i++)
    if (((LeatSubmission *) g_ptr_array_index (self->runs, i))->state == state)
      g_array_append_val (found, i);
  return found->len > 0 ? g_array_index (found, guint, (guint) g_rand_int_range (rand, 0, (gint) found->len))
                        : G_MAXUINT;
}

/* None, long gone, or far away; several are the same. */
static gint64
make_deadline (GRand *rand)
{
  switch (g_rand_int_range (rand, 0, 4))
    {
    case 0:
      return g_rand_int_range (rand, 1, 20);
    case 1:
      return G_MAXINT64 / 2 + g_rand_int_range (rand, 0, 20);
    default:
      return G_MAXINT64;
    }
}

static void
order_end_some (Order *self, GRand *rand)
{
  static const gint64 lasted[] = { 1, 250, 251, 10000 };
  guint index = order_pick (self, rand, LEAT_SUBMISSION_RUNNING);
  gint64 device_us = g_rand_int_range (rand, 0, 500), lasted_us = lasted[g_rand_int_range (rand, 0, 4)];

  if (index == G_MAXUINT)
    return;
  order_end (self, index, device_us, lasted_us);
  model_end (self->model, index, device_us, lasted_us);
}

static void
order_cancel_some (Order *self, GRand *rand)
{
  guint index = order_pick (self, rand, LEAT_SUBMISSION_WAITING);

  if (index == G_MAXUINT)
    return;
  order_cancel (self, index);
  model_cancel (self->model, index);
}

static void
order_pause_some (Order *self, GRand *rand, guint session)
{
  gboolean all = g_rand_int_range (rand, 0, 3) == 0, paused = g_rand_int_range (rand, 0, 3) == 0;

  if (paused)
    leat_scheduler_pause (self->scheduler, all ? NULL : g_ptr_array_index (self->sessions, session));
  else
    leat_scheduler_resume (self->scheduler, all ? NULL : g_ptr_array_index (self->sessions, session));
  *(all ? &self->model->paused : &self->model->sessions[session].paused) = paused;
}

static void
order_join_some (Order *self, GRand *rand, guint session)
{
  gint group = g_rand_int_range (rand, -1, N_GROUPS);
  g_autofree char *name = g_strdup_printf ("%d", group);
  g_autoptr (GError) error = NULL;

  leat_scheduler_set_group (self->scheduler, g_ptr_array_index (self->sessions, session), group >= 0 ? name : NULL,
                            &error);
  g_assert_no_error (error);
  self->model->sessions[session].group = group;
}

static void
order_set_some (Order *self, GRand *rand, guint session)
{
  ModelSession *expected = &self->model->sessions[session];

  model_set_priority (self->model, session, (LeatPriority) g_rand_int_range (rand, 0, LEAT_N_PRIORITIES));
  expected->weight = (guint) g_rand_int_range (rand, 1, 5);
  g_object_set (g_ptr_array_index (self->sessions, session), "priority", expected->priority, "weight", expected->weight,
                NULL);
}

static void
order_step (Order *self, GRand *rand)
{
  guint session = (guint) g_rand_int_range (rand, 0, N_SESSIONS), what = (guint) g_rand_int_range (rand, 0, 20);

  if (what < 9)
    {
      gint64 deadline = make_deadline (rand);

      order_submit (self, session, deadline);
      model_submit (self->model, session, deadline);
    }
  else if (what < 15)
    order_end_some (self, rand);
  else if (what == 15)
    order_cancel_some (self, rand);
  else if (what == 16)
    order_pause_some (self, rand, session);
  else if (what == 17)
    order_join_some (self, rand, session);
  else if (what == 18)
    order_set_some (self, rand, session);
  else
    g_object_set (self->scheduler, "in-flight", self->model->in_flight = (guint) g_rand_int_range (rand, 1, 4), NULL);
  model_dispatch (self->model);
  order_check (self);
}

static void
test_order_as_model (gconstpointer data)
{
  gboolean drop_late = GPOINTER_TO_INT (data);
  g_autoptr (GRand) rand = g_rand_new_with_seed (g_test_rand_int ());
  g_autoptr (Model) model = model_new (N_SESSIONS);
  guint n_begun = 0;
  Order order;

  order_open (&order, N_SESSIONS);
  order.model = model;
  model->drop_late = drop_late;
  g_object_set (order.scheduler, "drop-late", drop_late, NULL);
  for (guint step = 0; step < STEPS; step++)
    order_step (&order, rand);
  for (guint i = 0; i < model->runs->len; i++)
    n_begun += g_array_index (model->runs, ModelRun, i).turn > 0;
  g_assert_cmpuint (n_begun, >, STEPS / 20);
  order_close (&order);
}

static guint
order_find_running (Order *self)
{
  for (guint i = 0; i < self->runs->len; i++)
    if (((LeatSubmission *) g_ptr_array_index (self->runs, i))->state == LEAT_SUBMISSION_RUNNING)
      return i;
  g_assert_not_reached ();
}

/* A run of each session waits or is under way. */
static void
order_fill (Order *self, gboolean grouped)
{
  for (guint i = 0; i < self->sessions->len; i++)
    {
      g_autoptr (GError) error = NULL;

      leat_scheduler_set_group (self->scheduler, g_ptr_array_index (self->sessions, i), grouped ? "all" : NULL, &error);
      g_assert_no_error (error);
      order_submit (self, i, G_MAXINT64);
    }
}

/* For one run that ends, the next one that is begun, and one that is submitted. */
static double
order_count_looks (guint n, gboolean grouped)
{
  const guint turns = 1000;
  guint64 before;
  Order order;

  order_open (&order, n);
  order_fill (&order, grouped);
  before = leat_scheduler_count_looks (order.scheduler);
  for (guint turn = 0; turn < turns; turn++)
    {
      guint index = order_find_running (&order);
      const LeatSubmission *run = g_ptr_array_index (order.runs, index);

      order_end (&order, index, 20 + turn % 7, 1000);
      order_submit (&order, (guint) run->member->number - 1, G_MAXINT64);
    }
  before = leat_scheduler_count_looks (order.scheduler) - before;
  order_close (&order);
  return (double) before / turns;
}

/* Ending a run, beginning the next and submitting one: each moves some sessions in heaps, of which a level more takes
 * two comparisons at the most. */
static void
test_order_looks (gconstpointer data)
{
  gboolean grouped = GPOINTER_TO_INT (data);
  double few = order_count_looks (4, grouped), many = order_count_looks (256, grouped);

  g_test_message ("%.1f comparisons for a run of 4 sessions, %.1f of 256", few, many);
  g_assert_cmpfloat (few, >, 0);
  g_assert_cmpfloat (many - few, <=, 4 * 2 * log2 (256 / 4));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/scheduler/order/as-model/keep-late", GINT_TO_POINTER (FALSE), test_order_as_model);
  g_test_add_data_func ("/leat/scheduler/order/as-model/drop-late", GINT_TO_POINTER (TRUE), test_order_as_model);
  g_test_add_data_func ("/leat/scheduler/order/looks/alone", GINT_TO_POINTER (FALSE), test_order_looks);
  g_test_add_data_func ("/leat/scheduler/order/looks/grouped", GINT_TO_POINTER (TRUE), test_order_looks);
  return g_test_run ();
}
