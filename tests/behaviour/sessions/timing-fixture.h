/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session-fixture.h"

/* Events are good to half a microsecond, and so is what is found from two of them. */
#define TIMING_SLACK_US 2.0

/* As session_fixture_open (), with LeatSession:timing. */
void timing_fixture_open (SessionFixture *self, const char *text, LeatExecutor executor, LeatTimingMode mode);
guint64 timing_get_count (GVariant *dict, const char *name);
double timing_get_time (GVariant *dict, const char *name);
