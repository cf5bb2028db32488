/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Marks: places in the work of a stream that events stand for and others wait for.  Touches marks and the streams that
 * they hold, with the lock held. */

#include "leat-cpu-mark.h"

#include "leat-cpu-stream.h"

/* Marks are kept for reuse: recording allocates nothing once enough exist. */
static LeatCpuMark *leat_cpu_free_marks;

LeatCpuMark *
leat_cpu_mark_new (LeatCpuStream *stream)
{
  LeatCpuMark *mark = leat_cpu_free_marks;

  if (mark != NULL)
    leat_cpu_free_marks = mark->next_free;
  else
    mark = g_new0 (LeatCpuMark, 1);
  mark->refs = 1;
  mark->done = FALSE;
  mark->time_ns = 0;
  mark->stream = leat_cpu_stream_ref (stream);
  return mark;
}

LeatCpuMark *
leat_cpu_mark_ref (LeatCpuMark *mark)
{
  mark->refs++;
  return mark;
}

void
leat_cpu_mark_unref (LeatCpuMark *mark)
{
  if (--mark->refs > 0)
    return;
  if (mark->stream != NULL)
    leat_cpu_stream_unref (g_steal_pointer (&mark->stream));
  mark->next_free = leat_cpu_free_marks;
  leat_cpu_free_marks = mark;
}

void
leat_cpu_mark_reach (LeatCpuMark *mark)
{
  if (mark->done)
    return;
  mark->done = TRUE;
  mark->time_ns = leat_cpu_now_ns ();
  if (mark->stream->n_waiters > 0)
    pthread_cond_broadcast (&mark->stream->progress);
  leat_cpu_stream_unref (g_steal_pointer (&mark->stream));
}

void
leat_cpu_mark_wait (LeatCpuMark *mark)
{
  if (mark->done)
    return;

  LeatCpuStream *stream = leat_cpu_stream_ref (mark->stream);
  leat_cpu_mark_ref (mark);
  while (!mark->done && leat_cpu_get_failure () == CUDA_SUCCESS)
    {
      if (leat_cpu_stream_help (stream, &mark->done, G_MAXUINT64))
        continue;
      stream->n_waiters++;
      pthread_cond_wait (&stream->progress, &leat_cpu_lock);
      stream->n_waiters--;
    }
  leat_cpu_mark_unref (mark);
  leat_cpu_stream_unref (stream);
}
