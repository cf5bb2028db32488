/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-event.h"
#include "leat-cpu-graph.h"

G_BEGIN_DECLS

/* A capture under way: work given to its streams becomes nodes of a graph.  Other streams join it by waiting for an
 * event recorded in it, and must be joined back the same way before it ends.  All functions want the lock. */
struct _LeatCpuCapture
{
  guint64 id;
  LeatCpuGraph *graph;
  gboolean into_given_graph;
  CUstreamCaptureMode mode;
  LeatCpuThread *thread; /* that began it */
  gboolean invalid;
  LeatCpuStream *origin;
  LeatCpuStream *streams; /* all of them, the origin included */
  GPtrArray *lost;        /* of LeatCpuNode: where branches ended whose streams were destroyed */
  LeatCpuCapture *next;
};

/* Work for a capturing stream; takes the op over when it succeeds. */
CUresult leat_cpu_capture_add_op (LeatCpuStream *stream, LeatCpuOp *op);
CUresult leat_cpu_capture_record_event (LeatCpuStream *stream, LeatCpuEvent *event, gboolean external);
CUresult leat_cpu_capture_wait_event (LeatCpuStream *stream, LeatCpuEvent *event, gboolean external);

LeatCpuCapture *leat_cpu_capture_new (LeatCpuStream *stream, LeatCpuGraph *graph, CUstreamCaptureMode mode);
/* Ends the capture and lets its streams go; the graph is handed over, or freed where something was wrong. */
CUresult leat_cpu_capture_end (LeatCpuCapture *capture, LeatCpuGraph **graph);

void leat_cpu_capture_drop (LeatCpuCapture *capture);

/* Calls ask these before they do something that captures forbid.  A refusal invalidates the captures concerned. */
CUresult leat_cpu_capture_check_unsafe (void);
CUresult leat_cpu_capture_check_context (void);
CUresult leat_cpu_capture_check_implicit (LeatCpuStream *stream);
gboolean leat_cpu_capture_blocks_legacy (LeatCpuStream *stream); /* the same question, without consequences */
CUresult leat_cpu_capture_refuse_stream (LeatCpuStream *stream);
CUresult leat_cpu_capture_refuse_event (LeatCpuEvent *event);

/* A stream or the context goes away. */
void leat_cpu_capture_forget_stream (LeatCpuStream *stream);
void leat_cpu_capture_abandon_all (void);
/* A graph goes away: what is captured into it is dropped.  FALSE: it is the capture's own, and stays. */
gboolean leat_cpu_capture_forget_graph (LeatCpuGraph *graph);

G_END_DECLS
