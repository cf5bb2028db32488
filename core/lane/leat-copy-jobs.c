/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One thread copies a third to a tenth of what a link carries: large copies are shared among the processors. */

#include "leat-batch-memory-private.h"

#include "graph/leat-work.h"

#include <string.h>

#define LEAT_COPY_ALONE (512 * 1024) /* bytes below which a thread more costs what it saves */

static void
leat_copy_job_run (guint index, gpointer data)
{
  const LeatCopyJob *self = (const LeatCopyJob *) data + index;

  if (self->bytes > 0) /* of nothing there may be no address */
    memcpy (self->to, self->from, self->bytes);
}

void
leat_copy_jobs_run (LeatCopyJob *jobs, guint n)
{
  gsize bytes = 0;

  for (guint i = 0; i < n; i++)
    bytes += jobs[i].bytes;
  leat_work_share (n, (guint) MIN (bytes / LEAT_COPY_ALONE, g_get_num_processors ()), leat_copy_job_run, jobs);
}
