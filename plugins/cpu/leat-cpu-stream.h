/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-executor.h"
#include "leat-cpu-op.h"

G_BEGIN_DECLS

#define LEAT_CPU_STREAM_MAGIC 0x4c537472u

typedef struct _LeatCpuCapture LeatCpuCapture;
typedef struct _LeatCpuNode LeatCpuNode;

/* A work item in a queue.  Items are kept for reuse. */
typedef struct _LeatCpuItem LeatCpuItem;

struct _LeatCpuItem
{
  LeatCpuItem *next;
  LeatCpuOp op;
};

/* A CUstream: a queue of items that run one after the other.  It needs no thread while the queue is empty.  A thread
 * that waits for the stream runs its items itself where no other thread has begun: two context switches less.
 *
 * Streams are never given back to the allocator, so that a handle used after its end is seen and refused. */
struct _LeatCpuStream
{
  guint32 magic;
  guint refs;
  guint flags;
  int priority;
  guint64 id;
  gboolean is_default; /* the legacy stream or one of a thread: never destroyed by the application */

  LeatCpuItem *first;
  LeatCpuItem *last;
  guint64 submitted; /* items so far */
  guint64 completed;
  guint64 legacy_seen; /* the item of the legacy stream that this one waits for already */
  gboolean running;
  LeatCpuTask task;
  guint n_waiters;
  pthread_cond_t progress;

  LeatCpuCapture *capture; /* while it captures */
  GPtrArray *tail;         /* of LeatCpuNode: what the next captured node depends on */
  LeatCpuStream *next_captured;

  LeatCpuStream *next; /* of all streams, or of the free ones */
  LeatCpuStream *previous;
};

/* With the lock, all of these. */
LeatCpuStream *leat_cpu_stream_new (guint flags, int priority);
void leat_cpu_stream_destroy (LeatCpuStream *stream);
LeatCpuStream *leat_cpu_stream_ref (LeatCpuStream *stream);
void leat_cpu_stream_unref (LeatCpuStream *stream);
/* NULL for what is no stream.  NULL and CU_STREAM_LEGACY are the legacy stream. */
LeatCpuStream *leat_cpu_stream_from_handle (CUstream handle);
CUstream leat_cpu_stream_get_handle (LeatCpuStream *stream);
LeatCpuStream *leat_cpu_stream_get_legacy (void);

/* Appends work, behind what the rules of the legacy stream put before it.  Takes the op over. */
void leat_cpu_stream_push (LeatCpuStream *stream, LeatCpuOp *op);
gboolean leat_cpu_stream_is_idle (LeatCpuStream *stream);
gboolean leat_cpu_stream_is_ready (LeatCpuStream *stream); /* the legacy one: and all blocking streams */
/* Waits until that many items have ended, or the device has failed. */
CUresult leat_cpu_stream_wait (LeatCpuStream *stream, guint64 number);
CUresult leat_cpu_stream_wait_all (void);
/* The same without the lock, for calls that give memory back; an error while a stream is captured. */
CUresult leat_cpu_stream_wait_to_free (void);
gboolean leat_cpu_stream_are_all_idle (void);
/* Runs items here until @done, or that many have ended; FALSE where another thread is at it or there is nothing. */
gboolean leat_cpu_stream_help (LeatCpuStream *stream, const gboolean *done, guint64 number);
/* Wakes all who wait, to see a failure. */
void leat_cpu_stream_wake_all (void);
void leat_cpu_stream_destroy_all (void);

/* Submits to a stream, capturing or not; takes the op over in any case.  Without the lock. */
CUresult leat_cpu_submit (CUstream handle, LeatCpuOp *op);
/* Submits and waits; for calls that are synchronous by contract. */
CUresult leat_cpu_submit_and_wait (CUstream handle, LeatCpuOp *op);

G_END_DECLS
