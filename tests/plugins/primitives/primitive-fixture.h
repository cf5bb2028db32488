/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define PRIMITIVE_PORTS_MOST 3

/* One node between `app`s, run again and again. */
typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  guint n_inputs, n_outputs;
} PrimitiveFixture;

/* @inputs: PORT=SPEC with spaces between; @outputs: ports with spaces between. */
LeatPipeline *primitive_fixture_parse (const char *node, const char *inputs, const char *outputs, GError **error);
void primitive_fixture_open (PrimitiveFixture *self, const char *node, const char *inputs, const char *outputs);
/* The error that planning the node ends with. */
GError *primitive_fixture_fail (const char *node, const char *inputs, const char *outputs);
void primitive_fixture_push (PrimitiveFixture *self, guint input, gconstpointer data, gsize size);
/* One run, which must work. */
void primitive_fixture_replay (PrimitiveFixture *self);
GBytes *primitive_fixture_pull (PrimitiveFixture *self, guint output);
/* All of it for a node of one input and one output. */
GBytes *primitive_fixture_run (PrimitiveFixture *self, gconstpointer data, gsize size);
void primitive_fixture_close (PrimitiveFixture *self);

/* Numbers that are the same in each run of the test. */
guint64 primitive_random (guint64 *seed);

G_END_DECLS
