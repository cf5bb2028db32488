/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session-fixture.h"

/* Sessions of kernels that would give other results if one of them did not wait for what it depends on: each looks at
 * numbers that other blocks wrote, and takes its time before it writes its own. */
typedef struct
{
  SessionFixture base;
  char *folder, *path; /* of the kernels */
} EarlyFixture;

/* @text: with "KERNEL" where "kernel source=FILE" is meant. The kernels: turn (x, y, add, rounds), join (x, z, y,
 * rounds), keep (x, y, rounds), mix (x, y, rounds), written (x, y); all of u32. */
void early_fixture_open (EarlyFixture *self, const char *text, LeatEarlyStart early, LeatExecutor executor);
void early_fixture_close (EarlyFixture *self);
/* Of the plan that runs. */
guint64 early_fixture_get_predicted (EarlyFixture *self, const char *name);
/* Skips the test, and tells so, where no device is there on which anything could begin early. */
gboolean early_fixture_can (EarlyFixture *self);

/* What the kernels make of one number. */
guint32 early_step (guint32 x, guint rounds);
