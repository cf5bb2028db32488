/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session-fixture.h"

/* Pipelines of one file of kernels, run by a persistent kernel. */

#define PERSISTENT_N 1024
/* A loaded machine may take long to have all blocks begin. */
#define PERSISTENT_PATIENT_MS 60000

/* Pipelines: %s is where the file of kernels is. */
#define PERSISTENT_KERNEL(name, entry, more)                                                                           \
  name " = kernel source=\"%s\" entry=" entry " grid=16 block=64 x=f32[1024] y=f32[1024]" more "\n"
#define PERSISTENT_CHAIN "app name=source spec=f32[1024] -> upload -> a\n"
#define PERSISTENT_ONE   PERSISTENT_KERNEL ("a", "scale", " by=2") PERSISTENT_CHAIN "a -> readback -> app name=sink\n"
#define PERSISTENT_THREE                                                                                               \
  PERSISTENT_KERNEL ("a", "scale", " by=3")                                                                            \
  PERSISTENT_KERNEL ("b", "turn", "")                                                                                  \
  PERSISTENT_KERNEL ("c", "total", "")                                                                                 \
  PERSISTENT_CHAIN "a -> b\nb -> c -> readback -> app name=other\nb -> readback -> app name=sink\n"
#define PERSISTENT_COPIES                                                                                              \
  PERSISTENT_KERNEL ("a", "scale", " by=2")                                                                            \
  PERSISTENT_KERNEL ("b", "turn", "")                                                                                  \
  "app name=source spec=f32[1024] -> upload mode=copy -> a\n"                                                          \
  "a -> b -> readback mode=copy -> app name=sink\n"

/* Around all tests. */
void persistent_init (void);
void persistent_clear (void);

LeatPipeline *persistent_parse (const char *text);
/* @idle_ms: 0 for what is usual; @limit_ms: 0 for as much as a test has */
void persistent_open (SessionFixture *self, const char *text, LeatExecutor executor, guint idle_ms, guint limit_ms);
/* With several blocks, which pass each run on to each other. */
void persistent_open_wide (SessionFixture *self, const char *text, guint limit_ms);
guint64 persistent_get_counter (SessionFixture *self, const char *name);
void persistent_fill (float *x, guint salt);
/* Both give the same. */
void persistent_run_both (SessionFixture *self, SessionFixture *other, guint salt);
/* Of PERSISTENT_ONE. */
void persistent_check_scaled (SessionFixture *fixture, guint salt);
