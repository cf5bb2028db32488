/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-op.h"
#include "leat-cpu-stream.h"

G_BEGIN_DECLS

#define LEAT_CPU_EVENT_MAGIC 0x4c457674u

/* A CUevent: stands for the mark that its last record set, or for places in a capture.  Kept for reuse like streams. */
struct _LeatCpuEvent
{
  guint32 magic;
  guint refs;
  guint flags;
  LeatCpuMark *mark; /* NULL before the first record */

  gboolean captured; /* last recorded in a capturing stream */
  guint64 capture_id;
  GPtrArray *captured_tail; /* of LeatCpuNode */

  LeatCpuEvent *next; /* of all, or of the free ones */
  LeatCpuEvent *previous;
};

/* With the lock. */
LeatCpuEvent *leat_cpu_event_ref (LeatCpuEvent *event);
void leat_cpu_event_unref (LeatCpuEvent *event);
LeatCpuEvent *leat_cpu_event_from_handle (CUevent handle); /* NULL for what is none */
void leat_cpu_event_set_mark (LeatCpuEvent *event, LeatCpuMark *mark);
void leat_cpu_event_destroy_all (void);

G_END_DECLS
