/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-engine.h"

/* Loads images that the build made and runs their kernels through the engine, without streams or contexts. */

GBytes *engine_fixture_read_image (const char *path);
LeatCpuModule *engine_fixture_load (const char *path);

/* @params: eight bytes each. */
CUresult engine_fixture_run (LeatCpuModule *module, const char *kernel, LeatHostDim3 grid, LeatHostDim3 block,
                             guint32 dynamic_shared, gboolean cooperative, const guint64 *params, guint n_params);

#define ENGINE_RUN(module, kernel, blocks, threads, shared, cooperative, ...)                                          \
  engine_fixture_run (module, kernel, (LeatHostDim3){ blocks, 1, 1 }, (LeatHostDim3){ threads, 1, 1 }, shared,         \
                      cooperative, (const guint64[]){ __VA_ARGS__ },                                                   \
                      sizeof ((const guint64[]){ __VA_ARGS__ }) / sizeof (guint64))
#define P(pointer) ((guint64) (guintptr) (pointer))
