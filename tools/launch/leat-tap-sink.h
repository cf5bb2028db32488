/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* A sink that keeps the data of each run until somebody takes them. */
#define LEAT_TYPE_TAP_SINK (leat_tap_sink_get_type ())
G_DECLARE_FINAL_TYPE (LeatTapSink, leat_tap_sink, LEAT, TAP_SINK, LeatEndpoint)

/* Makes one in @pipeline, with the data of @host, an output in host memory. (transfer none) (nullable) */
LeatTapSink *leat_tap_sink_add (LeatPipeline *pipeline, LeatPort *host, GError **error);
/* The live items of the first run that nobody took; NULL where there is none. (transfer full) (nullable) */
GBytes *leat_tap_sink_take (LeatTapSink *self);
/* When the pipeline is planned. */
LeatSpec *leat_tap_sink_get_spec (LeatTapSink *self);

G_END_DECLS
