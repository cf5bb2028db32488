/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "../kernel/leat-kernel-source.h"
#include "../graph/leat-node.h"

G_BEGIN_DECLS

/* What record () describes work to.  Buffers are numbers into the plan's table.  A buffer of a bounded spec begins with
 * a header of LEAT_BUFFER_HEADER bytes whose first eight are the count, so that one transfer moves both. */

#define LEAT_BUFFER_HEADER 256
#define LEAT_BUFFER_NONE   G_MAXUINT

typedef guint LeatBufferId;

typedef enum
{
  LEAT_ARG_ITEMS,    /* address of the buffer's first item */
  LEAT_ARG_COUNT,    /* address of the buffer's count (uint64_t*); for an input's count by value, times the uint64_t at
                      * @value, 1 where that is NULL. One above the capacity is cut to it, and the run fails */
  LEAT_ARG_VALUE,    /* @size bytes at @value, copied */
  LEAT_ARG_NODE_ARG, /* the node's argument @name, read when the session opens */
} LeatArgKind;

/* One parameter of a kernel's wrapper, in the order that LeatPrototype lists them. */
typedef struct
{
  LeatArgKind kind;
  LeatBufferId buffer;
  gconstpointer value;
  gsize size;
  const char *name;
} LeatArg;

typedef enum
{
  LEAT_ACCESS_READ = 1,
  LEAT_ACCESS_WRITE = 2,
  LEAT_ACCESS_READ_WRITE = 3
} LeatAccess;

typedef struct
{
  LeatKernelSource *source;
  const char *entry;
  guint grid[3]; /* ignored with grid_by_occupancy */
  guint block[3];
  guint shared_bytes;
  gboolean cooperative;
  gboolean grid_by_occupancy; /* as many blocks as run at once, known when the session opens */
  const LeatArg *args;
  guint n_args;
  /* What it reads and writes. */
  const LeatBufferId *buffers;
  const LeatAccess *access;
  guint n_buffers;
} LeatKernelCall;

LeatBufferId leat_recorder_get_input (LeatRecorder *self, const char *port);
LeatBufferId leat_recorder_get_output (LeatRecorder *self, const char *port);
LeatSpec *leat_recorder_get_spec (LeatRecorder *self, LeatBufferId buffer); /* (transfer none) (nullable) */
/* Gives an output the input's memory: in place. Refused (FALSE) when the input has other readers; then it is a new one.
 */
gboolean leat_recorder_alias (LeatRecorder *self, const char *output, const char *input);
LeatBufferId leat_recorder_add_scratch (LeatRecorder *self, const char *name, guint64 bytes);
/* Survives from run to run; starts as @initial (NULL: zeros). */
LeatBufferId leat_recorder_add_state (LeatRecorder *self, const char *name, guint64 bytes, GBytes *initial);
/* Uploaded once when the session opens. */
LeatBufferId leat_recorder_add_const (LeatRecorder *self, const char *name, GBytes *bytes);
/* An output whose contents are uploaded once when the session opens (the node `const`). */
void leat_recorder_set_output_const (LeatRecorder *self, const char *port, GBytes *bytes);

void leat_recorder_add_kernel (LeatRecorder *self, const LeatKernelCall *call);
/* Whole buffer, header included; both have one size. */
void leat_recorder_add_copy (LeatRecorder *self, LeatBufferId to, LeatBufferId from);
/* The count alone, between two buffers of bounded specs. */
void leat_recorder_copy_count (LeatRecorder *self, LeatBufferId to, LeatBufferId from);
void leat_recorder_add_fill (LeatRecorder *self, LeatBufferId buffer, guint8 value);
void leat_recorder_clear_count (LeatRecorder *self, LeatBufferId buffer);
/* How `upload` and `readback` are done is a choice made when the session opens. */
typedef enum
{
  LEAT_TRANSFER_AUTO,
  LEAT_TRANSFER_COPY,
  LEAT_TRANSFER_MAPPED
} LeatTransferMode;
void leat_recorder_add_transfer (LeatRecorder *self, LeatBufferId to, LeatBufferId from, LeatTransferMode mode);
/* After the last data, one more run with a count of 0 on every bounded input, so that kept data can be given out. The
 * buffer is one uint64_t: 1 in that run, which nothing else tells from a run of empty data, and 0 in all others. */
LeatBufferId leat_recorder_request_flush (LeatRecorder *self);
/* Something that is no error and is likely to be a mistake; goes to the pipeline's bus. */
void leat_recorder_warn (LeatRecorder *self, const char *format, ...) G_GNUC_PRINTF (2, 3);

G_END_DECLS
