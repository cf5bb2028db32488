/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session-fixture.h"

/* Pipelines of one file of kernels, run by a kernel that stays. */

#define RESIDENT_N 1024
/* A loaded machine may take long to have all blocks begin. */
#define RESIDENT_PATIENT_MS 60000

/* Pipelines: %s is where the file of kernels is. */
#define RESIDENT_KERNEL(name, entry, more)                                                                             \
  name " = kernel source=\"%s\" entry=" entry " grid=16 block=64 x=f32[1024] y=f32[1024]" more "\n"
#define RESIDENT_CHAIN "app name=source spec=f32[1024] -> upload -> a\n"
#define RESIDENT_ONE   RESIDENT_KERNEL ("a", "scale", " by=2") RESIDENT_CHAIN "a -> readback -> app name=sink\n"
#define RESIDENT_THREE                                                                                                 \
  RESIDENT_KERNEL ("a", "scale", " by=3")                                                                              \
  RESIDENT_KERNEL ("b", "turn", "")                                                                                    \
  RESIDENT_KERNEL ("c", "total", "")                                                                                   \
  RESIDENT_CHAIN "a -> b\nb -> c -> readback -> app name=other\nb -> readback -> app name=sink\n"
#define RESIDENT_COPIES                                                                                                \
  RESIDENT_KERNEL ("a", "scale", " by=2")                                                                              \
  RESIDENT_KERNEL ("b", "turn", "")                                                                                    \
  "app name=source spec=f32[1024] -> upload mode=copy -> a\n"                                                          \
  "a -> b -> readback mode=copy -> app name=sink\n"

/* Around all tests. */
void resident_init (void);
void resident_clear (void);

LeatPipeline *resident_parse (const char *text);
/* @idle_ms: 0 for what is usual; @limit_ms: 0 for as much as a test has */
void resident_open (SessionFixture *self, const char *text, LeatExecutor executor, guint idle_ms, guint limit_ms);
/* With several blocks, which pass each run on to each other. */
void resident_open_wide (SessionFixture *self, const char *text, guint limit_ms);
guint64 resident_get_counter (SessionFixture *self, const char *name);
void resident_fill (float *x, guint salt);
/* Both give the same. */
void resident_run_both (SessionFixture *self, SessionFixture *other, guint salt);
/* Of RESIDENT_ONE. */
void resident_check_scaled (SessionFixture *fixture, guint salt);
