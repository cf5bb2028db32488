/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session-fixture.h"

/* Kernels with queues of work items, and what they come to when a single thread does it.
 *
 * `visit`, `visit_by_blocks` and `visit_by_handfuls` walk through trees: each item of the input is the root of one, and
 * what children a node has follows from a hash of it.  They give how many nodes there are and the sum of their hashes.
 */

#define QUEUE_ITEMS 4096 /* that the input holds */

typedef struct
{
  guint64 visits, sum;
} QueueSums;

/* What `how` is made of. */
enum
{
  QUEUE_MUST_PUSH = 1, /* what there is no room for is lost */
  QUEUE_REQUEUE = 2,   /* each node is put back twice before it is looked at */
  QUEUE_YIELD = 4,     /* some threads wait a little between any two steps */
};

/* The text of their file. */
extern const char queue_kernels[];

void queue_fixture_init (void);
void queue_fixture_clear (void);
/* @kernel: properties of the node called "work", without its source; `sums` has what comes back */
void queue_fixture_open (SessionFixture *self, const char *kernel, LeatExecutor executor);
/* The same with QUEUE_ITEMS items in memory of the program's. */
void queue_fixture_open_bound (SessionFixture *self, const char *kernel, LeatExecutor executor);
/* @other works on the same items as "more", and nothing comes back of it. */
void queue_fixture_open_two (SessionFixture *self, const char *kernel, const char *other, LeatExecutor executor);
/* One run. (transfer full) (nullable): NULL with @error */
GBytes *queue_fixture_run (SessionFixture *self, const guint32 *roots, guint n, GError **error);
/* One run that is to go well. */
QueueSums queue_fixture_walk (SessionFixture *self, const guint32 *roots, guint n);
/* What it has to come to. */
QueueSums queue_fixture_expect (const guint32 *roots, guint n, guint depth);
void queue_fixture_assert_equal (QueueSums got, QueueSums expected);
/* Of the queue called @queue. */
guint64 queue_fixture_get_total (SessionFixture *self, const char *queue, const char *name);
/* What reading or opening the pipeline says. (transfer full) */
GError *queue_fixture_refuse (const char *kernel);
/* Random ones, the same for the same @seed. */
void queue_fixture_fill (guint32 *roots, guint n, guint32 seed);
/* As /leat/session/queue/NAME/EXECUTOR; @test is given the executor. */
void queue_fixture_add_for_executors (const char *name, GTestDataFunc test);
