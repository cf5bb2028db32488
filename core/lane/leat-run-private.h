/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-lane-private.h"

#include <time.h>

G_BEGIN_DECLS

/* Moments of a run, looked at only where it is traced or measured. */
typedef enum
{
  LEAT_MARK_BEGUN,
  LEAT_MARK_FILLED,
  LEAT_MARK_HANDED, /* to the call that launches */
  LEAT_MARK_LAUNCHED,
  LEAT_MARK_COMPUTED,
  LEAT_MARK_GIVEN, /* to the sinks */
  LEAT_MARK_DRAINED,
  LEAT_N_MARKS
} LeatMark;

/* Staging memory as the session's lane has it, looked up once. */
typedef struct
{
  const LeatOp *op;           /* the source or sink whose it is */
  LeatView view;              /* with the count that is always there */
  guint64 *count;             /* where the count lies; NULL where it is always the same */
  const LeatBinding *binding; /* of memory that the program brings; else NULL */
  guint64 row_bytes;          /* of a bounded spec */
  guint64 most;               /* items that there is room for where they come from */
} LeatStaging;

/* A run, from when sources are asked for its data until sinks have its results. */
typedef struct
{
  gint64 begin_us, read_us;    /* when sources were asked, and when they had given */
  gint64 filled_us, ended_us;  /* when the device began, and when it had ended */
  gint64 sink_us;              /* that sinks took */
  guint64 items, bytes, taken; /* from sources; bytes that sinks took */
  guint64 number;              /* of the run, for the trace */
  LeatPath path;
  guint64 steps;             /* runs before it, without results */
  GCancellable *cancellable; /* not owned: calls them off.  NULL but in begin_run () */
  gboolean on_device;        /* and they are a loop on the device, of this path: */
  LeatPath on_device_path;
  gboolean streamed; /* one of several that are under way */
  gboolean flushes;  /* has no data, and gives out what nodes kept */
  gboolean ends;     /* kernels are told that it ends the stream */
  gboolean known;    /* the memo had the results */
  gboolean launched; /* the device works on it */
  gboolean measured; /* by the device's clock */
  gboolean traced;
  gboolean watched;  /* by the waiter, and not only by who completes it */
  gboolean apart;    /* nobody waited between its launch and the call that completes it */
  gboolean untimed;  /* it ended when nobody looked */
  gboolean reported; /* by a kernel: something */
  gboolean refused;  /* because that was an error; or as there is no room for all that it gives */
  /* An output had too little room: it has to be done again.  NULL: none */
  const LeatBuffer *short_of;
  guint64 needed;             /* there */
  gboolean done_again;        /* with room for it, in memory that may be elsewhere */
  gint64 marks[LEAT_N_MARKS]; /* of a run that is traced or measured */
} LeatRun;

/* The run that a lane is at, and where it has its data. */
typedef struct
{
  LeatLane *lane; /* not owned */
  guint index;    /* of the lane */
  LeatStaging *inputs, *outputs;
  guint n_inputs, n_outputs;
  LeatRun run;
} LeatFlight;

/* Its present contents. */
static inline void
leat_staging_view (const LeatStaging *staging, LeatView *view)
{
  *view = staging->view;
  if (staging->count != NULL)
    view->count = *staging->count;
  if (G_UNLIKELY (staging->binding != NULL))
    leat_binding_view (staging->binding, view, staging->row_bytes != 0 && staging->count == NULL);
}

static inline guint64
leat_staging_get_live_bytes (const LeatStaging *staging, const LeatView *view)
{
  return staging->row_bytes != 0 ? view->count * staging->row_bytes : view->capacity;
}

static inline guint64
leat_staging_get_count (const LeatStaging *self)
{
  return self->count != NULL ? *self->count : self->view.count;
}

static inline guint64
leat_staging_get_bytes (const LeatStaging *self, guint64 count)
{
  return self->row_bytes != 0 ? count * self->row_bytes : self->view.capacity;
}

/* Data that lie where the session has them, not in memory that the program brings. */
static inline void
leat_run_add_input (LeatRun *self, const LeatStaging *staging)
{
  const guint64 count = leat_staging_get_count (staging);

  self->items += count;
  self->bytes += leat_staging_get_bytes (staging, count);
}

/* As another run of the same kind has left it, which has ended well. */
static inline void
leat_run_begin_again (LeatRun *self)
{
  self->items = self->bytes = self->taken = 0;
  self->known = self->reported = FALSE;
}

static inline gint64
leat_run_now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * G_GINT64_CONSTANT (1000000000) + now.tv_nsec;
}

G_END_DECLS
