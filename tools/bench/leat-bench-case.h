/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-report.h"
#include "leat.h"

G_BEGIN_DECLS

/* The settings that all cases are given. */
typedef struct
{
  const char *selector; /* of the device */
  LeatWait wait;
  guint repeat;
  guint64 replays;     /* of a soak */
  gboolean trials;     /* those of calibration are told */
  guint64 seed;        /* of the inputs of evidence */
  char *graph;         /* (nullable): a pipeline for evidence */
  char *evidence;      /* (nullable): where its rows go */
  char *folder;        /* of this process alone, to be removed at the end */
  char *kernels;       /* a file in it */
  char *queue_kernels; /* another one */
  char *table;         /* likewise: the contents of a state */
  LeatDevice *device;  /* open all the time, so that no case pays for a context */
  LeatBenchReport *report;
} LeatBench;

typedef struct _LeatBenchCase LeatBenchCase;

struct _LeatBenchCase
{
  const char *name;
  const char *summary;
  gboolean (*run) (LeatBench *bench, const LeatBenchCase *kind, GError **error);
  gsize bytes;      /* in and out */
  guint n;          /* nodes, branches */
  const char *mode; /* of upload and readback */
  guint divisor;    /* of the number of runs, for what takes long */
  gboolean only_named;
};

/* Each ends with one that has no name. */
extern const LeatBenchCase leat_bench_round_trips[];
extern const LeatBenchCase leat_bench_chains[];
extern const LeatBenchCase leat_bench_signal[];
extern const LeatBenchCase leat_bench_runaways[];
extern const LeatBenchCase leat_bench_rebinds[];
extern const LeatBenchCase leat_bench_batches[];
extern const LeatBenchCase leat_bench_poisons[];
extern const LeatBenchCase leat_bench_sessions[];
extern const LeatBenchCase leat_bench_opens[];
extern const LeatBenchCase leat_bench_queues[];
extern const LeatBenchCase leat_bench_compacts[];
extern const LeatBenchCase leat_bench_primitives[];
extern const LeatBenchCase leat_bench_csrs[];
extern const LeatBenchCase leat_bench_csr_limits[];
extern const LeatBenchCase leat_bench_reaches[];
extern const LeatBenchCase leat_bench_fuses[];
extern const LeatBenchCase leat_bench_loops[];
extern const LeatBenchCase leat_bench_soaks[];
extern const LeatBenchCase leat_bench_evidences[];

/* How often to measure; at least five times. */
guint leat_bench_case_get_runs (const LeatBenchCase *self, const LeatBench *bench);

G_END_DECLS
