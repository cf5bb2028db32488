/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session/leat-session-private.h"

#include <pthread.h>

G_BEGIN_DECLS

/* Many runs in flight.  The lanes are a ring that three threads go round: a reader asks the sources and fills lanes,
 * the session's own thread launches what is filled and waits for the oldest, a writer gives results to the sinks.  Each
 * keeps the order, so results come out as the data came in.  Run number i is in lane i modulo n; four numbers say how
 * far each has come, and a run is a thread's own while its number is between two of them:
 *
 *     drained <= computed <= launched <= filled <= drained + n
 *
 * So a slow sink stops the reader.  A failure belongs to a run: those before it are given to the sinks, those behind
 * it are dropped.  If a kernel says that the data of a run are at fault, no others are dropped: all runs that were
 * read are completed before the error is told. */

typedef struct
{
  LeatSession *session;
  GCancellable *cancellable;
  guint n;          /* lanes */
  guint64 before;   /* runs that there were */
  gint64 single_ns; /* that a run took with one lane; 0 where it is not asked whether several are faster */

  /* pthread's own, because the thread sanitizer knows these where it does not know GLib's. */
  pthread_mutex_t lock;
  pthread_cond_t emptied;       /* for the reader, */
  pthread_cond_t changed;       /* for the session's thread, */
  pthread_cond_t computed_more; /* and for the writer: each is woken by what it waits for alone */

  guint64 begun; /* the reader's alone: filled <= begun <= drained + n, where the source reads ahead */

  /* Under the lock from here on. */
  guint64 filled, launched, computed, drained;
  gboolean read_over; /* nothing will be filled any more */
  gboolean run_over;  /* nothing will be computed any more */
  gboolean reader_gone;
  gboolean stopping;             /* something has failed */
  gboolean replan;               /* the reader waits until properties that were set have been taken over */
  gboolean gives_up;             /* nothing more is read, as lanes do not pay after all, */
  gboolean refused;              /* or since the data of a run are at fault: run_error says how, */
  GVariant *refusal;             /* and this */
  struct timespec patient_until; /* all else is done; if the reader still waits for data then, */
  gboolean cut_off;              /* the sources are called off */
  gboolean cut_short;            /* a run had too little room: it and all behind it are done one by one */
  gboolean called_off;           /* the sources had no end, but were asked for no more */
  gboolean is_clean;             /* if the reader ended with an error, no source has lost anything */
  GError *read_error, *run_error, *write_error;
  guint64 taken;  /* bytes by sinks, */
  guint64 given;  /* runs, */
  gint64 sink_us; /* and time, that the statistics do not know of yet */
  gint64 reader_idle_us, writer_idle_us;
  gint64 trial_us;    /* when each lane had been used once */
  LeatFlow read_flow; /* what the sources gave last */
} LeatRing;

void leat_ring_lock (LeatRing *self);
void leat_ring_unlock (LeatRing *self);
/* Under the lock: something that anybody may wait for. */
void leat_ring_tell_all (LeatRing *self);
/* Under the lock, when one of the four numbers has changed: for those who look at the session from outside. */
void leat_ring_tell_depths (LeatRing *self);
/* Under the lock; the microseconds that it took. */
gint64 leat_ring_wait (LeatRing *self, pthread_cond_t *condition);
LeatFlight *leat_ring_get_flight (LeatRing *self, guint64 number);

/* When both threads are gone and nothing is under way: what was read and not given is done by one lane alone. */
void leat_ring_do_rest (LeatRing *self);
/* Puts the data that some sources have given for a run outside of the ring into the first lane. */
void leat_ring_keep_read (LeatRing *self);
/* Keeps the error of a run, for the end. */
void leat_ring_fail (LeatRing *self, GError *error);
void leat_ring_refuse (LeatRing *self, GError *error);

/* The threads at its two ends. */
gpointer leat_ring_read (gpointer data);
gpointer leat_ring_write (gpointer data);

G_END_DECLS
