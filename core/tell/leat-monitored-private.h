/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define LEAT_SESSION_MOST_LANES 64

#define LEAT_MONITORED_RECENT 512 /* times of runs that are kept */

/* Where the run of a lane is. */
typedef enum
{
  LEAT_AT_NOTHING,
  LEAT_AT_SOURCE, /* which was asked for its data */
  LEAT_AT_QUEUE,  /* for the device */
  LEAT_AT_DEVICE,
  LEAT_AT_RESULTS, /* which wait for the sinks */
  LEAT_AT_SINK,    /* which was given them */
} LeatWhere;

/* The data that others read while the session runs: written by one thread at a time, read by any; all of it
 * atomic. */
typedef struct
{
  guint32 recent_us[LEAT_MONITORED_RECENT]; /* from launch to completion, of the last runs */
  guint n_recent;                           /* that there were */
  guint filled, launched, computed;         /* runs that wait for the device, are on it, and wait for the sinks */
  guint8 where[LEAT_SESSION_MOST_LANES];    /* LeatWhere, by lane */
} LeatMonitored;

static inline void
leat_monitored_note_time (LeatMonitored *self, gint64 us)
{
  guint n = self->n_recent;

  __atomic_store_n (&self->recent_us[n % LEAT_MONITORED_RECENT], (guint32) CLAMP (us, 0, G_MAXUINT32),
                    __ATOMIC_RELAXED);
  /* Round and round, and never so low again that places that hold something are left out. */
  n = n + 1 < 2 * LEAT_MONITORED_RECENT ? n + 1 : LEAT_MONITORED_RECENT;
  __atomic_store_n (&self->n_recent, n, __ATOMIC_RELEASE);
}

static inline void
leat_monitored_note_where (LeatMonitored *self, guint lane, LeatWhere where)
{
  if (G_LIKELY (lane < LEAT_SESSION_MOST_LANES))
    __atomic_store_n (&self->where[lane], (guint8) where, __ATOMIC_RELAXED);
}

/* When no lane has a run under way. */
static inline void
leat_monitored_clear_where (LeatMonitored *self)
{
  for (guint lane = 0; lane < LEAT_SESSION_MOST_LANES; lane++)
    leat_monitored_note_where (self, lane, LEAT_AT_NOTHING);
}

G_END_DECLS
