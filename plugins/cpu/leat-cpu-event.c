/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Events: their life, and the calls of the driver API that record, query and await them.  Touches events and the marks
 * that they stand for, under the lock. */

#include "leat-cpu-event.h"

#include "leat-cpu-capture.h"
#include "leat-cpu-count.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-fault.h"

#define LEAT_CPU_EVENT_FLAGS (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS)

static LeatCpuEvent *leat_cpu_events;
static LeatCpuEvent *leat_cpu_free_events;

static LeatCpuEvent *
leat_cpu_event_new (guint flags)
{
  LeatCpuEvent *event = leat_cpu_free_events;

  if (event != NULL)
    leat_cpu_free_events = event->next;
  else
    {
      event = g_new0 (LeatCpuEvent, 1);
      event->captured_tail = g_ptr_array_new ();
    }
  event->magic = LEAT_CPU_EVENT_MAGIC;
  event->refs = 1;
  event->flags = flags;
  event->captured = FALSE;
  event->previous = NULL;
  event->next = leat_cpu_events;
  if (leat_cpu_events != NULL)
    leat_cpu_events->previous = event;
  leat_cpu_events = event;
  return event;
}

LeatCpuEvent *
leat_cpu_event_ref (LeatCpuEvent *event)
{
  event->refs++;
  return event;
}

void
leat_cpu_event_unref (LeatCpuEvent *event)
{
  if (--event->refs > 0)
    return;
  g_clear_pointer (&event->mark, leat_cpu_mark_unref);
  g_ptr_array_set_size (event->captured_tail, 0);
  if (event->previous != NULL)
    event->previous->next = event->next;
  else
    leat_cpu_events = event->next;
  if (event->next != NULL)
    event->next->previous = event->previous;
  event->next = leat_cpu_free_events;
  leat_cpu_free_events = event;
}

LeatCpuEvent *
leat_cpu_event_from_handle (CUevent handle)
{
  LeatCpuEvent *event = (LeatCpuEvent *) handle;

  return event != NULL && event->magic == LEAT_CPU_EVENT_MAGIC ? event : NULL;
}

/* Takes the mark over. */
void
leat_cpu_event_set_mark (LeatCpuEvent *event, LeatCpuMark *mark)
{
  g_clear_pointer (&event->mark, leat_cpu_mark_unref);
  event->mark = mark;
  event->captured = FALSE;
}

static void
leat_cpu_event_destroy (LeatCpuEvent *event)
{
  event->magic = 0;
  leat_cpu_count (events_destroyed);
  leat_cpu_event_unref (event);
}

void
leat_cpu_event_destroy_all (void)
{
  LeatCpuEvent *next;

  for (LeatCpuEvent *event = leat_cpu_events; event != NULL; event = next)
    {
      next = event->next;
      if (event->magic == LEAT_CPU_EVENT_MAGIC)
        {
          leat_cpu_event_destroy (event);
          leat_cpu_count (left_to_context);
        }
    }
}

CUresult
cuEventCreate (CUevent *event, unsigned int flags)
{
  CUresult fault;

  LEAT_CPU_ENTER ();
  if (event == NULL || (flags & ~(guint) LEAT_CPU_EVENT_FLAGS) != 0
      || ((flags & CU_EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)))
    return CUDA_ERROR_INVALID_VALUE;
  fault = leat_cpu_fault_visit (LEAT_CPU_FAULT_EVENT);
  if (fault != CUDA_SUCCESS)
    return fault;
  leat_cpu_acquire ();
  *event = (CUevent) leat_cpu_event_new (flags);
  leat_cpu_release ();
  leat_cpu_count (events_created);
  return CUDA_SUCCESS;
}

CUresult
cuEventDestroy_v2 (CUevent handle)
{
  LEAT_CPU_ENTER_BY_HANDLE ();
  leat_cpu_acquire ();
  LeatCpuEvent *event = leat_cpu_event_from_handle (handle);
  if (event != NULL)
    leat_cpu_event_destroy (event);
  leat_cpu_release ();
  return event != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

static void
leat_cpu_event_record (LeatCpuEvent *event, LeatCpuStream *stream)
{
  LeatCpuMark *mark = leat_cpu_mark_new (stream);
  LeatCpuOp op = { .kind = LEAT_CPU_OP_RECORD, .mark = leat_cpu_mark_ref (mark) };

  leat_cpu_event_set_mark (event, mark);
  leat_cpu_stream_push (stream, &op);
  leat_cpu_count (event_records);
}

CUresult
cuEventRecordWithFlags (CUevent event_handle, CUstream stream_handle, unsigned int flags)
{
  CUresult result = CUDA_SUCCESS;

  LEAT_CPU_ENTER_STREAM (stream_handle);
  if (flags > CU_EVENT_RECORD_EXTERNAL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  LeatCpuEvent *event = leat_cpu_event_from_handle (event_handle);
  LeatCpuStream *stream = leat_cpu_stream_from_handle (stream_handle);
  if (event == NULL || stream == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  else if (stream->capture != NULL)
    result = leat_cpu_capture_record_event (stream, event, flags == CU_EVENT_RECORD_EXTERNAL);
  else if (flags == CU_EVENT_RECORD_EXTERNAL)
    result = CUDA_ERROR_ILLEGAL_STATE;
  else if ((result = leat_cpu_capture_check_implicit (stream)) == CUDA_SUCCESS)
    leat_cpu_event_record (event, stream);
  leat_cpu_release ();
  return result;
}

CUresult
cuEventRecord (CUevent event, CUstream stream)
{
  return cuEventRecordWithFlags (event, stream, CU_EVENT_RECORD_DEFAULT);
}

static CUresult
leat_cpu_event_check_wait (CUevent handle, LeatCpuEvent **event)
{
  *event = leat_cpu_event_from_handle (handle);
  if (*event == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if ((*event)->captured)
    return leat_cpu_capture_refuse_event (*event);
  return leat_cpu_capture_check_unsafe ();
}

CUresult
cuEventQuery (CUevent handle)
{
  LeatCpuEvent *event;

  LEAT_CPU_ENTER_BY_HANDLE ();
  leat_cpu_count (queries);
  leat_cpu_acquire ();
  CUresult result = leat_cpu_event_check_wait (handle, &event);
  if (result == CUDA_SUCCESS && event->mark != NULL && !event->mark->done)
    result = CUDA_ERROR_NOT_READY;
  leat_cpu_release ();
  return result;
}

CUresult
cuEventSynchronize (CUevent handle)
{
  LeatCpuEvent *event;

  LEAT_CPU_ENTER_BY_HANDLE ();
  leat_cpu_count (host_waits);
  leat_cpu_acquire ();
  CUresult result = leat_cpu_event_check_wait (handle, &event);
  if (result == CUDA_SUCCESS && event->mark != NULL)
    {
      leat_cpu_mark_wait (event->mark);
      result = leat_cpu_get_failure ();
    }
  leat_cpu_release ();
  return result;
}

static CUresult
leat_cpu_event_get_elapsed (LeatCpuEvent *start, LeatCpuEvent *end, float *milliseconds)
{
  if (start == NULL || end == NULL || ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING))
    return CUDA_ERROR_INVALID_HANDLE;
  if (start->captured || end->captured)
    return CUDA_ERROR_CAPTURED_EVENT;
  if (start->mark == NULL || end->mark == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if (!start->mark->done || !end->mark->done)
    return CUDA_ERROR_NOT_READY;
  *milliseconds = (float) ((double) (end->mark->time_ns - start->mark->time_ns) / 1e6);
  return CUDA_SUCCESS;
}

CUresult
cuEventElapsedTime (float *milliseconds, CUevent start, CUevent end)
{
  LEAT_CPU_ENTER_BY_HANDLE ();
  if (milliseconds == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  CUresult result =
    leat_cpu_event_get_elapsed (leat_cpu_event_from_handle (start), leat_cpu_event_from_handle (end), milliseconds);
  leat_cpu_release ();
  return result;
}

static CUresult
leat_cpu_event_push_wait (LeatCpuEvent *event, LeatCpuStream *stream)
{
  CUresult result = leat_cpu_capture_check_implicit (stream);

  if (result != CUDA_SUCCESS || event->mark == NULL)
    return result;
  LeatCpuOp op = { .kind = LEAT_CPU_OP_WAIT_MARK, .mark = leat_cpu_mark_ref (event->mark) };
  leat_cpu_stream_push (stream, &op);
  leat_cpu_count (stream_waits);
  return CUDA_SUCCESS;
}

CUresult
cuStreamWaitEvent (CUstream stream_handle, CUevent event_handle, unsigned int flags)
{
  CUresult result;

  LEAT_CPU_ENTER_STREAM (stream_handle);
  if (flags > CU_EVENT_WAIT_EXTERNAL)
    return CUDA_ERROR_INVALID_VALUE;
  leat_cpu_acquire ();
  LeatCpuEvent *event = leat_cpu_event_from_handle (event_handle);
  LeatCpuStream *stream = leat_cpu_stream_from_handle (stream_handle);
  if (event == NULL || stream == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  else if (flags == CU_EVENT_WAIT_EXTERNAL && stream->capture == NULL)
    result = CUDA_ERROR_ILLEGAL_STATE;
  else if (event->captured || stream->capture != NULL)
    result = leat_cpu_capture_wait_event (stream, event, flags == CU_EVENT_WAIT_EXTERNAL);
  else
    result = leat_cpu_event_push_wait (event, stream);
  leat_cpu_release ();
  return result;
}
