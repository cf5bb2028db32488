/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <cuda.h>
#include <stdint.h>

/* What the cases by hand share: a graph between pinned memory, times, and leat-bench's JSON. */

#define SETTLE   50
#define BRANCHES 8

#define MUST(call) must ((call), #call)

/* Of this process, set once. */
extern CUstream stream;
extern CUcontext context;
extern CUmodule module;
extern void *image;
extern int repeat, block; /* block: wait with cuStreamSynchronize */

/* One graph with its memory: numbers in at @in, numbers out at @out. */
typedef struct
{
  size_t n, step;
  float *in, *out;                 /* pinned */
  CUdeviceptr in_there, out_there; /* the same, as the device sees it */
  CUdeviceptr device[BRANCHES + 2];
  CUgraph graph;
  CUgraphExec exec;
  CUgraphNode last, kernel;
} Subject;

typedef struct
{
  double *samples;
  int n;
} Series;

/* Each ends the program where something is wrong. */
void must (CUresult result, const char *call);
void read_image (const char *path);
CUfunction find (const char *name);
double now_us (void);
int runs_of (int divisor);
Series series_new (int most);
void series_print (Series *self, const char *figure, int first);
void case_begin (const char *name);
void case_end (void);
void case_print_one (const char *name, const char *figure, Series *series);

Subject subject_new (size_t n);
void subject_free (Subject *self);
void subject_add_copy (Subject *self, int down, CUdeviceptr device);
CUDA_KERNEL_NODE_PARAMS describe_launch (CUfunction function, size_t items, unsigned threads, void **params);
CUgraphNode subject_add_kernel (Subject *self, const CUDA_KERNEL_NODE_PARAMS *launch, const CUgraphNode *after,
                                size_t n_after);
void subject_add_axpb (Subject *self, CUdeviceptr x, CUdeviceptr y);
/* @early: each may begin before the one before it has ended */
void subject_add_chain (Subject *self, int length, CUdeviceptr first, CUdeviceptr end, int early);
void subject_instantiate (Subject *self);
void await_stream (void);
/* Microseconds of launch and wait; the launch call's own at @launch_us. */
double subject_replay (Subject *self, double *launch_us);
/* What leat-bench changes before a run, and looks at after it. */
void subject_stir (Subject *self, unsigned round);
void subject_look (Subject *self, size_t from, size_t step, unsigned round, double times, double plus);
void subject_try (Subject *self, double times, double plus);
/* @launches: NULL or where the launch calls go */
Series subject_measure (Subject *self, int runs, double times, double plus, Series *launches);
/* One launch right after the other, as programs that look for a floor do it. */
Series subject_measure_unchanged (Subject *self, int runs);

/* Cases in files of their own. */
void run_open (int n_nodes, int divisor);
void run_start (const char *program, const char *image_path, int divisor);
/* What run_start () starts: a new process's way from @input to standard output. */
int run_once (const char *input);
void run_rebind (int divisor);
void run_rebind_table (int divisor);
