/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-contest.h"
#include "leat-bench-host.h"

G_BEGIN_DECLS

#define LEAT_BENCH_TURN_RUNS 8 /* of a side, before it is the other's turn */

/* One `app` node: its data in the application, as each side gets or gives them. */
typedef struct
{
  const char *name;
  gboolean source;
  LeatSpec *spec;
  guint64 bytes;                    /* that there is room for */
  guint8 *data[LEAT_BENCH_N_SIDES]; /* of a sink: of all runs of a turn */
  guint64 live[LEAT_BENCH_N_SIDES][LEAT_BENCH_TURN_RUNS];
  gpointer at_host;
  guint64 *count_at_host; /* NULL: always the same */
} LeatBenchPort;

gboolean leat_bench_port_init (LeatBenchPort *self, LeatSession *session, LeatBenchHost *host, LeatNode *node,
                               GError **error);
void leat_bench_port_clear (LeatBenchPort *self);
/* The data of run number @run, for both sides; @place: of the node */
void leat_bench_port_fill (LeatBenchPort *self, guint64 seed, guint64 run, guint place);
/* For a run of the session: copy from the application's memory, and to it as number @at of the turn. */
gboolean leat_bench_port_give (LeatBenchPort *self, LeatSession *session, GError **error);
gboolean leat_bench_port_take (LeatBenchPort *self, LeatSession *session, guint at, GError **error);
/* The results of the host, which has them in its memory, are set aside. */
void leat_bench_port_keep (LeatBenchPort *self, guint at);
gboolean leat_bench_port_is_equal (LeatBenchPort *self, guint at);

G_END_DECLS
