/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session-fixture.h"

#include "driver/leat-driver-private.h"

/* Sessions whose nodes get other properties while they are open. */

#define N 256
/* y = a*x + b */
#define MAP                                                                                                            \
  "app name=source spec=f32[256] -> upload mode=copy -> map name=m expr=\"a*x+b\" a=2 b=1 "                            \
  "-> readback name=r mode=copy -> app name=sink\n"
#define COUNT(driver, entry) leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_##entry)

/* A pipeline with state and a constant. */
void replan_fixture_open_tally (SessionFixture *self, const char *spec);
LeatNode *replan_fixture_get_node (SessionFixture *self, const char *name);
void replan_fixture_set (SessionFixture *self, const char *node, const char *property, const char *text);
/* One run of @n items, each of which must become a*x + b. */
void replan_fixture_run_and_check (SessionFixture *self, guint n, float a, float b);
/* One that must be refused. */
void replan_fixture_fail_run (SessionFixture *self, GQuark domain, int code);
/* "last-reason" of the statistics. */
char *replan_fixture_dup_reason (SessionFixture *self);
LeatDriver *replan_fixture_start_trace (SessionFixture *self);
/* The table that the session's driver is called through, to put other functions into; @real gets it as it is now. */
LeatDriverTable *replan_fixture_plant (SessionFixture *self, LeatDriverTable *real);
