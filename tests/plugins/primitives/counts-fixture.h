/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

#include "counts-cases.h"

G_BEGIN_DECLS

/* A node behind kernels, one for each input, which say how much there is of what they give, be it true or not.  What
 * the node gives goes to memory of the test's own, so that it can be looked at when the run has failed too. */
typedef struct
{
  const CountsCase *c;
  guint64 room;
  guint n_inputs, n_outputs;
  LeatPipeline *pipeline;
  LeatSession *session;
  GBytes *data[COUNTS_INPUTS_MOST];
  LeatDeviceBuffer *out[COUNTS_OUTPUTS_MOST];
  guint64 bytes[COUNTS_OUTPUTS_MOST];
  GByteArray *full[COUNTS_OUTPUTS_MOST]; /* what came of as much as there is room for, where C says nothing */
} CountsFixture;

void counts_fixture_open (CountsFixture *self, const CountsCase *c, guint64 room, LeatExecutor executor);
void counts_fixture_close (CountsFixture *self);
/* As if nothing had been run. */
void counts_fixture_reopen (CountsFixture *self);
/* For how many steps of an input there is room. */
guint64 counts_fixture_get_room (CountsFixture *self, guint input);
/* One run in which the kernels say @counts.  What it gave must be what C makes of as many as there is room for; where a
 * count was above that, the run must have failed and told so. */
void counts_fixture_run (CountsFixture *self, const guint64 *counts);

G_END_DECLS
