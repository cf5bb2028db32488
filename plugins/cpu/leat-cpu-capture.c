/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Captures under way: work given to their streams becomes graph nodes, and calls that would disturb a capture are
 * refused.  Touches captures, their streams and their graphs, with the lock held. */

#include "leat-cpu-capture.h"

#include "leat-cpu-count.h"

static LeatCpuCapture *leat_cpu_captures; /* under way */
static guint64 leat_cpu_next_capture_id = 1;

static void
leat_cpu_capture_join (LeatCpuCapture *capture, LeatCpuStream *stream)
{
  stream->capture = capture;
  stream->next_captured = capture->streams;
  capture->streams = stream;
  g_ptr_array_set_size (stream->tail, 0);
}

LeatCpuCapture *
leat_cpu_capture_new (LeatCpuStream *stream, LeatCpuGraph *graph, CUstreamCaptureMode mode)
{
  LeatCpuCapture *capture = g_new0 (LeatCpuCapture, 1);

  capture->id = leat_cpu_next_capture_id++;
  capture->into_given_graph = graph != NULL;
  capture->graph = graph != NULL ? graph : leat_cpu_graph_new ();
  capture->graph->captures = TRUE;
  capture->mode = mode;
  capture->thread = leat_cpu_thread_get ();
  capture->origin = stream;
  capture->lost = g_ptr_array_new ();
  capture->next = leat_cpu_captures;
  leat_cpu_captures = capture;
  leat_cpu_capture_join (capture, stream);
  return capture;
}

static void
leat_cpu_capture_free (LeatCpuCapture *capture)
{
  LeatCpuCapture **link = &leat_cpu_captures;
  LeatCpuStream *next;

  while (*link != capture)
    link = &(*link)->next;
  *link = capture->next;
  for (LeatCpuStream *stream = capture->streams; stream != NULL; stream = next)
    {
      next = stream->next_captured;
      stream->capture = NULL;
      stream->next_captured = NULL;
      g_ptr_array_set_size (stream->tail, 0);
    }
  g_ptr_array_unref (capture->lost);
  g_free (capture);
}

static void
leat_cpu_node_mark_ancestors (LeatCpuNode *node)
{
  if (node->index == 1)
    return;
  node->index = 1;
  for (guint i = 0; i < node->from->len; i++)
    leat_cpu_node_mark_ancestors (leat_cpu_node_get_from (node, i)->node);
}

static gboolean
leat_cpu_node_are_marked (GPtrArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++)
    if (((LeatCpuNode *) g_ptr_array_index (nodes, i))->index == 0)
      return FALSE;
  return TRUE;
}

/* Whether everything that other streams captured comes before what the origin would capture next. */
static gboolean
leat_cpu_capture_is_joined (LeatCpuCapture *capture)
{
  for (guint i = 0; i < capture->graph->nodes->len; i++)
    leat_cpu_graph_get_node (capture->graph, i)->index = 0;
  for (guint i = 0; i < capture->origin->tail->len; i++)
    leat_cpu_node_mark_ancestors (g_ptr_array_index (capture->origin->tail, i));
  for (LeatCpuStream *stream = capture->streams; stream != NULL; stream = stream->next_captured)
    if (!leat_cpu_node_are_marked (stream->tail))
      return FALSE;
  return leat_cpu_node_are_marked (capture->lost);
}

CUresult
leat_cpu_capture_end (LeatCpuCapture *capture, LeatCpuGraph **graph)
{
  CUresult result = CUDA_SUCCESS;

  *graph = NULL;
  capture->graph->captures = FALSE;
  if (capture->invalid)
    result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  else if (!leat_cpu_capture_is_joined (capture))
    result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  if (result == CUDA_SUCCESS)
    *graph = capture->graph;
  else if (!capture->into_given_graph)
    leat_cpu_graph_free (capture->graph);
  else
    capture->graph->magic = LEAT_CPU_GRAPH_BROKEN_MAGIC;
  leat_cpu_capture_free (capture);
  return result;
}

void
leat_cpu_capture_drop (LeatCpuCapture *capture)
{
  LeatCpuGraph *graph;

  capture->invalid = TRUE;
  leat_cpu_capture_end (capture, &graph);
}

gboolean
leat_cpu_capture_forget_graph (LeatCpuGraph *graph)
{
  LeatCpuCapture *capture = leat_cpu_captures;

  while (capture != NULL && capture->graph != graph)
    capture = capture->next;
  if (capture == NULL || !capture->into_given_graph)
    return capture == NULL;
  leat_cpu_capture_drop (capture);
  return TRUE;
}

void
leat_cpu_capture_forget_stream (LeatCpuStream *stream)
{
  LeatCpuCapture *capture = stream->capture;
  LeatCpuStream **link = &capture->streams;

  if (capture->origin == stream)
    {
      leat_cpu_capture_drop (capture);
      return;
    }
  for (guint i = 0; i < stream->tail->len; i++)
    g_ptr_array_add (capture->lost, g_ptr_array_index (stream->tail, i));
  while (*link != stream)
    link = &(*link)->next_captured;
  *link = stream->next_captured;
  stream->capture = NULL;
  stream->next_captured = NULL;
}

void
leat_cpu_capture_abandon_all (void)
{
  while (leat_cpu_captures != NULL)
    leat_cpu_capture_forget_stream (leat_cpu_captures->origin);
}

static void
leat_cpu_capture_append (LeatCpuStream *stream, LeatCpuNode *node)
{
  for (guint i = 0; i < stream->tail->len; i++)
    leat_cpu_node_connect (g_ptr_array_index (stream->tail, i), node, NULL);
  g_ptr_array_set_size (stream->tail, 0);
  g_ptr_array_add (stream->tail, node);
}

CUresult
leat_cpu_capture_add_op (LeatCpuStream *stream, LeatCpuOp *op)
{
  LeatCpuCapture *capture = stream->capture;

  if (capture->invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  switch (op->kind)
    {
    case LEAT_CPU_OP_EMPTY: /* nothing to do, nothing to remember */
      return CUDA_SUCCESS;
    case LEAT_CPU_OP_KERNEL:
    case LEAT_CPU_OP_COPY:
    case LEAT_CPU_OP_SET:
    case LEAT_CPU_OP_HOST:
      break;
    default:
      capture->invalid = TRUE;
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
  LeatCpuNode *node = leat_cpu_node_new (capture->graph, leat_cpu_op_get_node_type (op));
  op->in_graph = TRUE;
  leat_cpu_node_set_op (node, op);
  leat_cpu_capture_append (stream, node);
  return CUDA_SUCCESS;
}

CUresult
leat_cpu_capture_record_event (LeatCpuStream *stream, LeatCpuEvent *event, gboolean external)
{
  LeatCpuCapture *capture = stream->capture;

  if (capture->invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (external)
    {
      LeatCpuNode *node = leat_cpu_node_new (capture->graph, CU_GRAPH_NODE_TYPE_EVENT_RECORD);

      leat_cpu_node_set_event (node, event);
      leat_cpu_capture_append (stream, node);
      return CUDA_SUCCESS;
    }
  event->captured = TRUE;
  event->capture_id = capture->id;
  g_ptr_array_set_size (event->captured_tail, 0);
  for (guint i = 0; i < stream->tail->len; i++)
    g_ptr_array_add (event->captured_tail, g_ptr_array_index (stream->tail, i));
  return CUDA_SUCCESS;
}

static LeatCpuCapture *
leat_cpu_capture_find (guint64 id)
{
  LeatCpuCapture *capture = leat_cpu_captures;

  while (capture != NULL && capture->id != id)
    capture = capture->next;
  return capture;
}

static void
leat_cpu_capture_add_dependencies (LeatCpuStream *stream, GPtrArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++)
    if (!g_ptr_array_find (stream->tail, g_ptr_array_index (nodes, i), NULL))
      g_ptr_array_add (stream->tail, g_ptr_array_index (nodes, i));
}

static CUresult
leat_cpu_capture_wait_external (LeatCpuStream *stream, LeatCpuEvent *event)
{
  LeatCpuNode *node = leat_cpu_node_new (stream->capture->graph, CU_GRAPH_NODE_TYPE_WAIT_EVENT);

  leat_cpu_node_set_event (node, event);
  leat_cpu_capture_append (stream, node);
  return CUDA_SUCCESS;
}

static CUresult
leat_cpu_capture_invalidate (LeatCpuCapture *capture, CUresult why)
{
  capture->invalid = TRUE;
  return why;
}

CUresult
leat_cpu_capture_wait_event (LeatCpuStream *stream, LeatCpuEvent *event, gboolean external)
{
  LeatCpuCapture *capture = stream->capture;
  LeatCpuCapture *source = event->captured ? leat_cpu_capture_find (event->capture_id) : NULL;

  if (capture != NULL && capture->invalid)
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (external)
    return leat_cpu_capture_wait_external (stream, event);
  if (!event->captured && event->mark == NULL)
    return CUDA_SUCCESS;
  if (event->captured && (source == NULL || source->invalid))
    return capture != NULL ? leat_cpu_capture_invalidate (capture, CUDA_ERROR_INVALID_VALUE) : CUDA_ERROR_INVALID_VALUE;
  if (source == NULL)
    return leat_cpu_capture_invalidate (capture, CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  if (capture != NULL && capture != source)
    {
      source->invalid = TRUE;
      return leat_cpu_capture_invalidate (capture, CUDA_ERROR_STREAM_CAPTURE_MERGE);
    }
  if (stream == leat_cpu_stream_get_legacy ())
    return leat_cpu_capture_invalidate (source, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  if (capture == NULL)
    leat_cpu_capture_join (source, stream);
  leat_cpu_capture_add_dependencies (stream, event->captured_tail);
  return CUDA_SUCCESS;
}

/* Captures that this thread would disturb by calls which may wait for the device or order work in it. */
static gboolean
leat_cpu_capture_is_in_the_way (const LeatCpuCapture *capture, const LeatCpuThread *thread)
{
  if (capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED || thread->capture_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
    return FALSE;
  if (capture->thread == thread)
    return TRUE;
  return capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL && thread->capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

CUresult
leat_cpu_capture_check_unsafe (void)
{
  CUresult result = CUDA_SUCCESS;
  LeatCpuThread *thread = leat_cpu_thread_get ();

  for (LeatCpuCapture *capture = leat_cpu_captures; capture != NULL; capture = capture->next)
    if (leat_cpu_capture_is_in_the_way (capture, thread))
      {
        capture->invalid = TRUE;
        result = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
      }
  return result;
}

/* The whole context is asked for, and captures are in it whatever their mode. */
CUresult
leat_cpu_capture_check_context (void)
{
  for (LeatCpuCapture *capture = leat_cpu_captures; capture != NULL; capture = capture->next)
    capture->invalid = TRUE;
  return leat_cpu_captures != NULL ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

static gboolean
leat_cpu_capture_has_blocking_stream (const LeatCpuCapture *capture)
{
  for (LeatCpuStream *stream = capture->streams; stream != NULL; stream = stream->next_captured)
    if (!(stream->flags & CU_STREAM_NON_BLOCKING))
      return TRUE;
  return FALSE;
}

gboolean
leat_cpu_capture_blocks_legacy (LeatCpuStream *stream)
{
  if (stream != leat_cpu_stream_get_legacy ())
    return FALSE;
  for (LeatCpuCapture *capture = leat_cpu_captures; capture != NULL; capture = capture->next)
    if (leat_cpu_capture_has_blocking_stream (capture))
      return TRUE;
  return FALSE;
}

/* The legacy stream would wait for work that is only being written down. */
CUresult
leat_cpu_capture_check_implicit (LeatCpuStream *stream)
{
  CUresult result = CUDA_SUCCESS;

  if (G_LIKELY (leat_cpu_captures == NULL) || stream != leat_cpu_stream_get_legacy ())
    return CUDA_SUCCESS;
  for (LeatCpuCapture *capture = leat_cpu_captures; capture != NULL; capture = capture->next)
    if (leat_cpu_capture_has_blocking_stream (capture))
      {
        capture->invalid = TRUE;
        result = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
      }
  return result;
}

CUresult
leat_cpu_capture_refuse_stream (LeatCpuStream *stream)
{
  return leat_cpu_capture_invalidate (stream->capture, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
}

CUresult
leat_cpu_capture_refuse_event (LeatCpuEvent *event)
{
  LeatCpuCapture *capture = leat_cpu_capture_find (event->capture_id);

  return capture != NULL ? leat_cpu_capture_invalidate (capture, CUDA_ERROR_CAPTURED_EVENT) : CUDA_ERROR_INVALID_VALUE;
}
