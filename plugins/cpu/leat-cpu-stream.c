/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Streams: queues of ops that run one after the other, on a thread of leat-cpu-executor.c or on one that waits for
 * them.  Touches streams and their queues, under the lock, which is free while work is done. */

#include "leat-cpu-stream.h"

#include "leat-cpu-capture.h"
#include "leat-cpu-count.h"

static LeatCpuStream *leat_cpu_streams; /* alive, the legacy one included */
static LeatCpuStream *leat_cpu_free_streams;
static LeatCpuStream *leat_cpu_legacy;
static LeatCpuItem *leat_cpu_free_items;
static guint64 leat_cpu_next_stream_id = 1;

static pthread_once_t leat_cpu_thread_stream_once = PTHREAD_ONCE_INIT;
static pthread_key_t leat_cpu_thread_stream_key;

static LeatCpuItem *
leat_cpu_item_new (LeatCpuOp *op)
{
  LeatCpuItem *item = leat_cpu_free_items;

  if (item != NULL)
    leat_cpu_free_items = item->next;
  else
    item = g_new (LeatCpuItem, 1);
  item->next = NULL;
  item->op = *op;
  return item;
}

static void
leat_cpu_item_free (LeatCpuItem *item)
{
  item->next = leat_cpu_free_items;
  leat_cpu_free_items = item;
}

static LeatCpuItem *
leat_cpu_stream_pop (LeatCpuStream *stream)
{
  LeatCpuItem *item = stream->first;

  stream->first = item->next;
  if (stream->first == NULL)
    stream->last = NULL;
  return item;
}

/* The lock is held when an event is reached: who waited for it finds the stream that far as well. */
static CUresult
leat_cpu_stream_run_op (LeatCpuOp *op)
{
  CUresult result;

  if (op->kind == LEAT_CPU_OP_RECORD)
    {
      leat_cpu_mark_reach (op->mark);
      leat_cpu_mark_unref (op->mark);
      return CUDA_SUCCESS;
    }
  leat_cpu_release ();
  result = leat_cpu_op_run (op);
  leat_cpu_op_clear (op);
  leat_cpu_acquire ();
  return result;
}

static void
leat_cpu_stream_run_item (LeatCpuStream *stream)
{
  LeatCpuItem *item = leat_cpu_stream_pop (stream);
  CUresult result = leat_cpu_stream_run_op (&item->op);

  leat_cpu_item_free (item);
  stream->completed++;
  if (G_UNLIKELY (result != CUDA_SUCCESS))
    {
      leat_cpu_fail (result);
      leat_cpu_stream_wake_all ();
    }
  else if (stream->n_waiters > 0)
    pthread_cond_broadcast (&stream->progress);
}

static void
leat_cpu_stream_run (LeatCpuStream *stream, const gboolean *done, guint64 number)
{
  leat_cpu_stream_ref (stream);
  stream->running = TRUE;
  while (stream->first != NULL && stream->completed < number && (done == NULL || !*done))
    leat_cpu_stream_run_item (stream);
  stream->running = FALSE;
  if (stream->first != NULL)
    leat_cpu_executor_post (&stream->task);
  leat_cpu_stream_unref (stream);
}

static void
leat_cpu_stream_run_task (LeatCpuTask *task)
{
  LeatCpuStream *stream = (LeatCpuStream *) ((char *) task - offsetof (LeatCpuStream, task));

  leat_cpu_stream_run (stream, NULL, G_MAXUINT64);
}

gboolean
leat_cpu_stream_help (LeatCpuStream *stream, const gboolean *done, guint64 number)
{
  if (stream == NULL || stream->running || stream->first == NULL || !leat_cpu_executor_take (&stream->task))
    return FALSE;
  leat_cpu_executor_note_taken ();
  leat_cpu_stream_run (stream, done, number);
  return TRUE;
}

static void
leat_cpu_stream_init (LeatCpuStream *stream, guint flags, int priority)
{
  stream->magic = LEAT_CPU_STREAM_MAGIC;
  stream->refs = 1;
  stream->flags = flags;
  stream->priority = priority;
  stream->id = leat_cpu_next_stream_id++;
  stream->is_default = FALSE;
  stream->submitted = stream->completed = stream->legacy_seen = 0;
  stream->task.run = leat_cpu_stream_run_task;
  stream->previous = NULL;
  stream->next = leat_cpu_streams;
  if (leat_cpu_streams != NULL)
    leat_cpu_streams->previous = stream;
  leat_cpu_streams = stream;
}

LeatCpuStream *
leat_cpu_stream_new (guint flags, int priority)
{
  LeatCpuStream *stream = leat_cpu_free_streams;

  if (stream != NULL)
    leat_cpu_free_streams = stream->next;
  else
    {
      stream = g_new0 (LeatCpuStream, 1);
      pthread_cond_init (&stream->progress, NULL);
      stream->tail = g_ptr_array_new ();
    }
  leat_cpu_stream_init (stream, flags, priority);
  return stream;
}

LeatCpuStream *
leat_cpu_stream_ref (LeatCpuStream *stream)
{
  stream->refs++;
  return stream;
}

void
leat_cpu_stream_unref (LeatCpuStream *stream)
{
  if (--stream->refs > 0)
    return;
  if (stream->previous != NULL)
    stream->previous->next = stream->next;
  else
    leat_cpu_streams = stream->next;
  if (stream->next != NULL)
    stream->next->previous = stream->previous;
  stream->next = leat_cpu_free_streams;
  leat_cpu_free_streams = stream;
}

/* Work that is queued goes on; the last piece of it lets the stream go. */
void
leat_cpu_stream_destroy (LeatCpuStream *stream)
{
  stream->magic = 0;
  if (leat_cpu_stream_is_idle (stream))
    leat_cpu_stream_unref (stream);
  else
    leat_cpu_stream_push (stream, &(LeatCpuOp){ .kind = LEAT_CPU_OP_WAIT_STREAM, .point = { stream, 0 } });
}

static void
leat_cpu_thread_stream_free (gpointer data)
{
  leat_cpu_acquire ();
  leat_cpu_stream_destroy (data);
  leat_cpu_release ();
}

static void
leat_cpu_thread_stream_make_key (void)
{
  pthread_key_create (&leat_cpu_thread_stream_key, leat_cpu_thread_stream_free);
}

static LeatCpuStream *
leat_cpu_stream_get_per_thread (void)
{
  pthread_once (&leat_cpu_thread_stream_once, leat_cpu_thread_stream_make_key);
  LeatCpuStream *stream = pthread_getspecific (leat_cpu_thread_stream_key);
  if (stream == NULL)
    {
      stream = leat_cpu_stream_new (CU_STREAM_DEFAULT, 0);
      stream->is_default = TRUE;
      pthread_setspecific (leat_cpu_thread_stream_key, stream);
    }
  return stream;
}

LeatCpuStream *
leat_cpu_stream_get_legacy (void)
{
  if (leat_cpu_legacy == NULL)
    {
      leat_cpu_legacy = leat_cpu_stream_new (CU_STREAM_DEFAULT, 0);
      leat_cpu_legacy->is_default = TRUE;
    }
  return leat_cpu_legacy;
}

LeatCpuStream *
leat_cpu_stream_from_handle (CUstream handle)
{
  LeatCpuStream *stream = (LeatCpuStream *) handle;

  if (handle == NULL || handle == CU_STREAM_LEGACY)
    return leat_cpu_stream_get_legacy ();
  if (handle == CU_STREAM_PER_THREAD)
    return leat_cpu_stream_get_per_thread ();
  return stream->magic == LEAT_CPU_STREAM_MAGIC ? stream : NULL;
}

CUstream
leat_cpu_stream_get_handle (LeatCpuStream *stream)
{
  return (CUstream) stream;
}

gboolean
leat_cpu_stream_is_idle (LeatCpuStream *stream)
{
  return stream->submitted == stream->completed;
}

gboolean
leat_cpu_stream_is_ready (LeatCpuStream *stream)
{
  if (!leat_cpu_stream_is_idle (stream))
    return FALSE;
  if (stream != leat_cpu_legacy)
    return TRUE;
  for (LeatCpuStream *other = leat_cpu_streams; other != NULL; other = other->next)
    if (!(other->flags & CU_STREAM_NON_BLOCKING) && !leat_cpu_stream_is_idle (other))
      return FALSE;
  return TRUE;
}

static void
leat_cpu_stream_append (LeatCpuStream *stream, LeatCpuOp *op)
{
  LeatCpuItem *item = leat_cpu_item_new (op);

  if (stream->last != NULL)
    stream->last->next = item;
  else
    stream->first = item;
  stream->last = item;
  stream->submitted++;
  if (!stream->running && !stream->task.queued)
    leat_cpu_executor_post_unhurried (&stream->task);
}

static void
leat_cpu_stream_append_wait (LeatCpuStream *stream, LeatCpuStream *other)
{
  LeatCpuOp op = { .kind = LEAT_CPU_OP_WAIT_STREAM, .point = { leat_cpu_stream_ref (other), other->submitted } };

  leat_cpu_stream_append (stream, &op);
}

/* The legacy stream runs after all earlier work of the blocking streams, and they after it. */
static void
leat_cpu_stream_append_legacy_waits (LeatCpuStream *stream)
{
  LeatCpuStream *legacy = leat_cpu_legacy;

  if (stream->flags & CU_STREAM_NON_BLOCKING)
    return;
  if (stream == legacy)
    {
      for (LeatCpuStream *other = leat_cpu_streams; other != NULL; other = other->next)
        if (other != legacy && !(other->flags & CU_STREAM_NON_BLOCKING) && !leat_cpu_stream_is_idle (other))
          leat_cpu_stream_append_wait (stream, other);
    }
  else if (legacy != NULL && !leat_cpu_stream_is_idle (legacy) && stream->legacy_seen != legacy->submitted)
    {
      stream->legacy_seen = legacy->submitted;
      leat_cpu_stream_append_wait (stream, legacy);
    }
}

void
leat_cpu_stream_push (LeatCpuStream *stream, LeatCpuOp *op)
{
  leat_cpu_stream_append_legacy_waits (stream);
  leat_cpu_stream_append (stream, op);
}

CUresult
leat_cpu_stream_wait (LeatCpuStream *stream, guint64 number)
{
  leat_cpu_stream_ref (stream);
  while (stream->completed < number && leat_cpu_get_failure () == CUDA_SUCCESS)
    {
      if (leat_cpu_stream_help (stream, NULL, number))
        continue;
      stream->n_waiters++;
      pthread_cond_wait (&stream->progress, &leat_cpu_lock);
      stream->n_waiters--;
    }
  leat_cpu_stream_unref (stream);
  return leat_cpu_get_failure ();
}

gboolean
leat_cpu_stream_are_all_idle (void)
{
  for (LeatCpuStream *stream = leat_cpu_streams; stream != NULL; stream = stream->next)
    if (!leat_cpu_stream_is_idle (stream))
      return FALSE;
  return TRUE;
}

CUresult
leat_cpu_stream_wait_all (void)
{
  g_autofree LeatCpuStreamPoint *points = NULL;
  guint n = 0;

  if (leat_cpu_stream_are_all_idle ())
    return leat_cpu_get_failure ();
  for (LeatCpuStream *stream = leat_cpu_streams; stream != NULL; stream = stream->next)
    n++;
  points = g_new (LeatCpuStreamPoint, n);
  n = 0;
  for (LeatCpuStream *stream = leat_cpu_streams; stream != NULL; stream = stream->next)
    points[n++] = (LeatCpuStreamPoint){ leat_cpu_stream_ref (stream), stream->submitted };
  for (guint i = 0; i < n; i++)
    {
      leat_cpu_stream_wait (points[i].stream, points[i].number);
      leat_cpu_stream_unref (points[i].stream);
    }
  return leat_cpu_get_failure ();
}

CUresult
leat_cpu_stream_wait_to_free (void)
{
  CUresult result;

  leat_cpu_acquire ();
  result = leat_cpu_capture_check_unsafe ();
  if (result == CUDA_SUCCESS)
    result = leat_cpu_stream_wait_all ();
  leat_cpu_release ();
  return result;
}

void
leat_cpu_stream_wake_all (void)
{
  for (LeatCpuStream *stream = leat_cpu_streams; stream != NULL; stream = stream->next)
    pthread_cond_broadcast (&stream->progress);
}

/* The context ends.  Queues are empty by now; the legacy stream and those of threads stay. */
void
leat_cpu_stream_destroy_all (void)
{
  LeatCpuStream *next;

  for (LeatCpuStream *stream = leat_cpu_streams; stream != NULL; stream = next)
    {
      next = stream->next;
      if (!stream->is_default && stream->magic == LEAT_CPU_STREAM_MAGIC)
        {
          leat_cpu_stream_destroy (stream);
          leat_cpu_count (streams_destroyed);
          leat_cpu_count (left_to_context);
        }
    }
}

CUresult
leat_cpu_submit (CUstream handle, LeatCpuOp *op)
{
  CUresult result;

  leat_cpu_acquire ();
  LeatCpuStream *stream = leat_cpu_stream_from_handle (handle);
  if (stream == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  else if (stream->capture != NULL)
    result = leat_cpu_capture_add_op (stream, op);
  else if ((result = leat_cpu_capture_check_implicit (stream)) == CUDA_SUCCESS)
    {
      leat_cpu_stream_push (stream, op);
      leat_cpu_release ();
      return CUDA_SUCCESS;
    }
  leat_cpu_release ();
  leat_cpu_op_clear (op);
  return result;
}

CUresult
leat_cpu_submit_and_wait (CUstream handle, LeatCpuOp *op)
{
  CUresult result;

  leat_cpu_acquire ();
  LeatCpuStream *stream = leat_cpu_stream_from_handle (handle);
  if (stream == NULL)
    result = CUDA_ERROR_INVALID_HANDLE;
  else
    result = leat_cpu_capture_check_implicit (stream);
  if (result == CUDA_SUCCESS)
    {
      leat_cpu_stream_push (stream, op);
      result = leat_cpu_stream_wait (stream, stream->submitted);
      leat_cpu_release ();
      return result;
    }
  leat_cpu_release ();
  leat_cpu_op_clear (op);
  return result;
}
