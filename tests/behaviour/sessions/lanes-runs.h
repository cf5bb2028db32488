/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "lanes-fixture.h"

/* What must hold of a stream whether each run has a launch or many share one. */

/* To the end of @n pieces of data, all of which are there then. */
void lanes_run_all (Lanes *self, guint n);
/* @ahead: pieces that the source begins.  Piece @at cannot be read, or written: all before it is given, nothing behind
 * it, and the session has failed. */
void lanes_run_failing (guint lanes, guint ahead, gboolean in_sink, guint at);
/* Called off at some moment: what came is in order. @goes_on: with another call nothing is missing. */
void lanes_run_cancelled (Lanes *self, gboolean goes_on);
/* 200 pieces, on the way of which the map gets another expression: each result is that of one of the two. */
void lanes_run_changed (Lanes *self);
/* @n pieces, with each call to the driver failing in turn: it ends, and what came is in order and without a hole.  The
 * number of calls. */
guint64 lanes_run_with_failing_calls (guint lanes, LeatExecutor executor, guint n);
