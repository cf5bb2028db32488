/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* `compact` between apps: `c` with an upload before each of its inputs and a readback behind each of its outputs. */
typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
} CompactFixture;

/* @inputs: "x=u32[<=100]", the app has the input's name; @outputs: ports, the app has the port's name; ended by NULL */
LeatPipeline *compact_fixture_parse (const char *node, const char *const *inputs, const char *const *outputs,
                                     GError **error);
void compact_fixture_open (CompactFixture *self, const char *node, const char *const *inputs,
                           const char *const *outputs);
void compact_fixture_push (CompactFixture *self, const char *input, gconstpointer data, gsize bytes);
/* All that was pushed; no more comes. */
void compact_fixture_run (CompactFixture *self);
GBytes *compact_fixture_pull (CompactFixture *self, const char *output);
void compact_fixture_assert (CompactFixture *self, const char *output, gconstpointer wanted, gsize bytes);
void compact_fixture_close (CompactFixture *self);

/* Numbers below 1,000 by a seed, of which those below 500 are to be kept, in one of several ways. */
#define COMPACT_PATTERNS 9
void compact_pattern_fill (guint pattern, guint32 *x, gsize n);

G_END_DECLS
