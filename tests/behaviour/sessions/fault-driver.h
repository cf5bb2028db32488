/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cpu/leat-cpu-counters.h"
#include "leat.h"

/* The CPU driver's means of failing, for tests. */

/* Before anything opens a device.  NULL when the device of this test is not the CPU: the reason to skip otherwise. */
const char *fault_driver_init (void);
/* The same for a program that has no other tests: when it is FALSE, the reason has been told. */
gboolean fault_driver_init_or_skip (void);
/* From now on all below is about the driver library at @path. */
void fault_driver_use (const char *path);
/* @counters: with its size set */
void fault_driver_get_counters (LeatCpuCounters *counters);
/* Blocks of memory, streams, events, graphs, executables and modules that are alive. */
guint64 fault_driver_count_alive (void);
/* Plants what LEAT_CPU_FAULT would, and counts from 0 again; "" for nothing. */
void fault_driver_plant (const char *text);
/* The same, but what fault_driver_assert_empty () looks at began when faults were planted before. */
void fault_driver_plant_on (const char *text);
/* Fails the test and goes on: a sweep tells all that it finds. */
void fault_driver_complain (const char *format, ...) G_GNUC_PRINTF (1, 2);
guint64 fault_driver_count_calls (void);
/* NULL when none was made to fail. */
const char *fault_driver_get_failed (void);

/* A case of a sweep: every driver call of something is made to fail, one after the other. */
typedef struct _FaultRow FaultRow;

struct _FaultRow
{
  const char *path;                                      /* of the case */
  const char *code;                                      /* that a call fails with */
  guint64 least;                                         /* calls that there are without a fault */
  guint64 (*count) (const FaultRow *self);               /* does it without a fault, and says of how many calls it is */
  void (*one) (const FaultRow *self, const char *plant); /* does it with @plant */
  gboolean again;                                        /* for these two, as they like it */
  guint most;                                            /* calls that are tried; 0: all */
  void (*end) (const FaultRow *self);                    /* looks at what all of them did, or NULL */
};

void fault_driver_add_rows (const FaultRow *rows, guint n_rows);

/* Fails the test when anything is alive in the driver, or, with @strict, was left for the end of the context. */
void fault_driver_assert_empty (const char *when, gboolean strict);
