/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session-fixture.h"

/* A session between two `app` nodes whose data are filled and read in place, run twice: by the ordinary way alone, and
 * with settled runs where these can be.  All that a program can see is written down, and must be the same. */

#define PLACE_N 8

typedef struct
{
  SessionFixture base;
  LeatView in, out;
  gboolean settles; /* settled runs are allowed */
  gboolean looks;   /* runs are waited for by looking */
  /* Of a GPU each look is a call, and how many there are is chance; and a batch's wait is only seen where it sleeps. */
  gboolean on_gpu;
  /* Work fails after it was asked for, and it is chance which of the calls behind that is told of it first: no others
   * are made then. */
  gboolean is_late;
  GString *told;
  GCancellable *cancellable;
} Place;

typedef void (*PlaceScene) (Place *self);

/* @text: with `app` nodes source and sink. */
void place_check (const char *text, LeatExecutor executor, PlaceScene scene);
/* The same for sessions opened with a property. */
void place_check_with (const char *text, LeatExecutor executor, PlaceScene scene, const char *property, gint value);
void place_map (Place *self);
void place_fill (Place *self, float first);
/* One run; writes down what came of it. */
LeatFlow place_attempt (Place *self);
/* @settled: it is a settled run, where these are allowed */
LeatFlow place_replay (Place *self, gboolean settled);
/* Fills, runs, and holds the results against a*x+b. */
void place_run (Place *self, float first, float a, float b, gboolean settled);
void place_note (Place *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
void place_set_double (Place *self, const char *node, const char *name, double value);
