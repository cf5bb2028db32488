/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "schedule-model.h"

#define BRIEF_US 250

Model *
model_new (guint n_sessions)
{
  Model *self = g_new0 (Model, 1);

  self->n_sessions = n_sessions;
  self->in_flight = 2;
  self->sessions = g_new (ModelSession, n_sessions);
  self->runs = g_array_new (FALSE, TRUE, sizeof (ModelRun));
  for (guint i = 0; i < n_sessions; i++)
    self->sessions[i] = (ModelSession){ .priority = LEAT_PRIORITY_NORMAL, .weight = 1, .group = -1 };
  return self;
}

void
model_free (Model *self)
{
  g_array_unref (self->runs);
  g_free (self->sessions);
  g_free (self);
}

static ModelRun *
model_get (Model *self, guint run)
{
  return &g_array_index (self->runs, ModelRun, run);
}

/* The first run of a session that is in @state; NULL where none is. */
static ModelRun *
model_find (Model *self, guint session, LeatSubmissionState state)
{
  for (guint i = 0; i < self->runs->len; i++)
    if (model_get (self, i)->session == session && model_get (self, i)->state == state)
      return model_get (self, i);
  return NULL;
}

static gboolean
model_is_active (Model *self, guint session)
{
  return model_find (self, session, LEAT_SUBMISSION_WAITING) != NULL
         || model_find (self, session, LEAT_SUBMISSION_RUNNING) != NULL;
}

static gint64
model_get_earliest (Model *self, guint session)
{
  gint64 earliest = G_MAXINT64;

  for (guint i = 0; i < self->runs->len; i++)
    if (model_get (self, i)->session == session && model_get (self, i)->state == LEAT_SUBMISSION_WAITING)
      earliest = MIN (earliest, model_get (self, i)->deadline);
  return earliest;
}

/* What the least of those of a priority has had that have something to do, or else who was last begun. */
static double
model_get_least (Model *self, LeatPriority priority)
{
  double least = G_MAXDOUBLE;

  for (guint i = 0; i < self->n_sessions; i++)
    if (self->sessions[i].priority == priority && model_is_active (self, i))
      least = MIN (least, self->sessions[i].served);
  return least < G_MAXDOUBLE ? least : self->reached[priority];
}

/* Who had nothing to do begins level with these. */
static void
model_catch_up (Model *self, ModelSession *session)
{
  session->served = MAX (session->served, model_get_least (self, session->priority));
}

void
model_set_priority (Model *self, guint session, LeatPriority priority)
{
  ModelSession *it = &self->sessions[session];

  if (it->priority != priority)
    it->served = model_get_least (self, priority);
  it->priority = priority;
}

void
model_submit (Model *self, guint session, gint64 deadline)
{
  ModelRun run = { .session = session, .deadline = deadline, .state = LEAT_SUBMISSION_WAITING };

  if (!model_is_active (self, session))
    model_catch_up (self, &self->sessions[session]);
  g_array_append_val (self->runs, run);
}

void
model_cancel (Model *self, guint run)
{
  model_get (self, run)->state = LEAT_SUBMISSION_DONE;
}

void
model_end (Model *self, guint run, gint64 device_us, gint64 lasted_us)
{
  ModelSession *session = &self->sessions[model_get (self, run)->session];

  model_get (self, run)->state = LEAT_SUBMISSION_DONE;
  session->served += (double) MAX (device_us, 1) / session->weight;
  session->lasted_us = lasted_us;
}

static guint
model_count (Model *self, LeatPriority level, gboolean brief)
{
  guint n = 0;

  for (guint i = 0; i < self->runs->len; i++)
    n += model_get (self, i)->state == LEAT_SUBMISSION_RUNNING && model_get (self, i)->level == level
         && (!brief || model_get (self, i)->brief);
  return n;
}

static gboolean
model_group_runs (Model *self, gint group)
{
  for (guint i = 0; i < self->runs->len; i++)
    if (group >= 0 && model_get (self, i)->state == LEAT_SUBMISSION_RUNNING && model_get (self, i)->group == group)
      return TRUE;
  return FALSE;
}

static gboolean
model_goes_before (Model *self, guint session, guint other)
{
  gint64 mine = model_get_earliest (self, session), theirs = model_get_earliest (self, other);
  double had = self->sessions[session].served, they_had = self->sessions[other].served;

  if (mine != theirs)
    return mine < theirs;
  if (had < they_had || had > they_had)
    return had < they_had;
  return model_find (self, session, LEAT_SUBMISSION_WAITING) < model_find (self, other, LEAT_SUBMISSION_WAITING);
}

/* The first run of the session that goes next; NULL where none can. */
static ModelRun *
model_choose (Model *self, LeatPriority level)
{
  guint best = G_MAXUINT;

  for (guint i = 0; i < self->n_sessions; i++)
    {
      const ModelSession *session = &self->sessions[i];

      if (session->priority == level && !session->paused && !model_group_runs (self, session->group)
          && model_find (self, i, LEAT_SUBMISSION_WAITING) != NULL
          && model_find (self, i, LEAT_SUBMISSION_RUNNING) == NULL
          && (best == G_MAXUINT || model_goes_before (self, i, best)))
        best = i;
    }
  return best != G_MAXUINT ? model_find (self, best, LEAT_SUBMISSION_WAITING) : NULL;
}

static void
model_begin (Model *self, ModelRun *run, LeatPriority level)
{
  const ModelSession *session = &self->sessions[run->session];

  run->state = LEAT_SUBMISSION_RUNNING;
  run->level = level;
  run->group = session->group;
  run->brief = session->lasted_us > 0 && session->lasted_us <= BRIEF_US;
  run->turn = ++self->n_turns;
  self->reached[level] = MAX (self->reached[level], session->served);
}

/* FALSE: those below have to wait. */
static gboolean
model_dispatch_level (Model *self, LeatPriority level)
{
  ModelRun *run;

  while ((run = model_choose (self, level)) != NULL)
    if (self->drop_late && run->deadline < g_get_monotonic_time ())
      run->state = LEAT_SUBMISSION_DONE;
    else if (model_count (self, level, FALSE) >= self->in_flight)
      return FALSE;
    else
      model_begin (self, run, level);
  return model_count (self, level, TRUE) == 0;
}

void
model_dispatch (Model *self)
{
  for (gint level = LEAT_PRIORITY_HIGH; level >= LEAT_PRIORITY_LOW && !self->paused; level--)
    if (!model_dispatch_level (self, (LeatPriority) level))
      return;
}
