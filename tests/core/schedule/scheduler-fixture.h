/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

/* Sessions of y = 2x + 1 on 256 floats, all in one scheduler, on the device that LEAT_DEVICE names. */

#define FIXTURE_N 256
#define FIXTURE_MAP                                                                                                    \
  "app name=source spec=f32[256] -> upload mode=copy -> map expr=\"2*x+1\" -> readback mode=copy -> app name=sink"

typedef struct
{
  LeatScheduler *scheduler;
  GPtrArray *sessions;
  GMainContext *context;
} SchedulerFixture;

/* One run, from submission to result. */
typedef struct
{
  SchedulerFixture *fixture;
  guint session, seed;
  guint place; /* among all that ended, from 1 on; 0: not yet */
  LeatFlow flow;
  GError *error;
  GPtrArray *results;
} FixtureRun;

void scheduler_fixture_open (SchedulerFixture *self, guint n_sessions);
void scheduler_fixture_close (SchedulerFixture *self);
LeatSession *scheduler_fixture_get (SchedulerFixture *self, guint index);
/* (transfer full): what the run of @seed is given */
GPtrArray *scheduler_fixture_make_inputs (guint seed);
/* Fails the test where they are not those of @seed. */
void scheduler_fixture_check_results (GPtrArray *results, guint seed);
/* @run must stay until it has ended. */
void scheduler_fixture_submit (SchedulerFixture *self, FixtureRun *run, guint session, gint64 deadline,
                               GCancellable *cancellable);
/* Until all have ended; fails the test after ten seconds. */
void scheduler_fixture_await (SchedulerFixture *self, FixtureRun *runs, guint n);
void scheduler_fixture_clear_run (FixtureRun *run);
guint64 scheduler_fixture_get_count (SchedulerFixture *self, gint session, const char *name);
