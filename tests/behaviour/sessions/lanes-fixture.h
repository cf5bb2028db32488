/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "paced-node.h"

#define N_RUNS     24
#define LANES_WIDE 100 /* as a number of lanes: so many less this go into a launch */

/* source -> upload -> something -> readback -> sink */
typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  PacedNode *source, *sink;
} Lanes;

/* y = x + 1 */
void lanes_set_up (Lanes *self, guint lanes, LeatExecutor executor);
/* The kernel @entry of @text, x -> y.  @rounds: it takes a number of these */
void lanes_set_up_kernel (Lanes *self, guint lanes, const char *text, const char *entry, gboolean rounds);
void lanes_tear_down (Lanes *self);
guint64 lanes_get (Lanes *self, const char *name);
/* All that came is what was to come, without a hole. */
void lanes_assert_order (Lanes *self);
