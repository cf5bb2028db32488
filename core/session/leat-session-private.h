/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-parts-private.h"

#include "bind/leat-bind-private.h"
#include "lane/leat-batch-memory-private.h"
#include "lane/leat-setup-private.h"
#include "tell/leat-told-private.h"

G_BEGIN_DECLS

/* After so many runs the graph of one op has paid for itself: 24 on an H200, where to instantiate it takes 42 us and
 * its launch saves at most 1.8 us, and 33 on an H100. */
#define LEAT_SESSION_RUNS_TO_SETTLE 32

#define LEAT_SESSION_PERSISTENT_IDLE_MS  20
#define LEAT_SESSION_PERSISTENT_LIMIT_MS 1000
#define LEAT_LANES_AUTO                  3 /* where nobody says how many, at the most */

struct _LeatSession
{
  GObject parent_instance;

  LeatPipeline *pipeline;
  LeatDevice *device;
  LeatMemoryAccount *account; /* since the session was opened last; NULL before the first time */
  LeatStore *store;
  LeatConstantBytes constants; /* as they were planned, and found, when it was opened */
  LeatSetup *setup;            /* the one that runs; the next three are its */
  LeatPlan *plan;              /* exchanged under the lock of what is told (leat_session_set_plan ()) */
  LeatProgram *program;        /* not owned */
  GPtrArray *lanes;            /* LeatLane */
  GArray *flights;             /* LeatFlight, by lane */
  LeatBatch *batch;            /* NULL before the first */
  GHashTable *changeable;      /* LeatNode -> GPtrArray of LeatOp */

  LeatSessionOptions options;
  LeatSessionHold hold;
  LeatSessionEnds ends;
  LeatSessionBindings bindings;
  LeatShapes shapes;
  LeatRecall recall;
  LeatSessionAwait await;
  LeatRepeating repeating;
  LeatSessionScratch scratch;
  LeatSessionOverseen overseen;
  LeatStates states;
  LeatTuning tuning;
  LeatStreaming streaming;
  LeatTold told;
};

/* The run that is launched is given up; for who closes. */
#define LEAT_SESSION_DROPPED 0

void leat_session_set_plan (LeatSession *self, LeatPlan *plan);

static inline LeatFlight *
leat_session_get_flight (LeatSession *self, guint index)
{
  return &g_array_index (self->flights, LeatFlight, index);
}

static inline LeatSessionInput *
leat_session_get_input (LeatSession *self, guint index)
{
  return &g_array_index (self->ends.inputs, LeatSessionInput, index);
}

static inline LeatSessionOutput *
leat_session_get_output (LeatSession *self, guint index)
{
  return &g_array_index (self->ends.outputs, LeatSessionOutput, index);
}

/* A run that gives results was launched. */
static inline void
leat_session_note_predicted (LeatSession *self, LeatPath path)
{
  leat_prediction_add (&self->told.ledger.predicted, path == LEAT_PATH_REUSED
                                                       ? &LEAT_BOUND_PLAN (self->plan)->reused_prediction
                                                       : &LEAT_BOUND_PLAN (self->plan)->prediction);
}

/* Is the run that is to come EMPTY for what was set alone? */
static inline gboolean
leat_session_is_read (LeatSession *self)
{
  return self->ends.n_filled > 0 && self->ends.n_filled == self->ends.inputs->len;
}

/* Others may look at the last device time when the run has ended and nobody has the session. */
static inline void
leat_session_note_last (LeatSession *self, gint64 device_us)
{
  __atomic_store_n (&self->overseen.last_device_us, device_us, __ATOMIC_RELAXED);
}

/* The inputs on the device are known only when a run has completed; from before the launch until then, none count. */
static inline void
leat_session_note_on_device (LeatSession *self, gboolean completed)
{
  for (guint i = 0; i < self->ends.inputs->len; i++)
    {
      LeatSessionInput *input = leat_session_get_input (self, i);

      input->on_device = completed ? input->generation : 0;
    }
}

static inline void
leat_session_note_device_us (LeatSession *self, gint64 device_us)
{
  LeatSessionStats *stats = &self->told.ledger.stats;

  if (stats->runs_timed++ == 0)
    stats->device_min_us = G_MAXINT64;
  leat_monitored_note_time (&self->told.monitored, device_us);
  stats->device_us += device_us;
  leat_session_note_last (self, self->overseen.last_device_us + device_us);
  stats->device_min_us = MIN (stats->device_min_us, device_us);
  stats->device_max_us = MAX (stats->device_max_us, device_us);
}

G_END_DECLS
