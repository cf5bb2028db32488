/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* The figures that a process gave at one moment. */

typedef struct
{
  guint64 id;
  char *name, *device, *state;
  guint64 runs, bytes_in, bytes_out, bytes_up, bytes_back; /* so far */
  guint64 lanes;
  guint64 recent_runs, p50_us, p99_us; /* of how many runs, and their times */
  guint64 filled, on_device, done;     /* runs that wait for the device, are on it, wait for sinks */
  guint64 queued_in, queued_out;       /* in the queues of app nodes */
} LeatTopSession;

typedef struct
{
  char *id, *name;
  guint64 memory_bytes, live_bytes;
} LeatTopDevice;

/* A session among those that take turns. */
typedef struct
{
  char *name, *priority;
  gboolean paused, evicted;
  guint64 queued, running, done, missed;
  guint64 admitted_bytes;
  guint64 wait_p99_us;
  double share; /* of the device's time that all had */
} LeatTopMember;

typedef struct
{
  guint64 id;
  char *device;
  gboolean paused;
  guint64 n_sessions, waiting, running, evicted; /* of them */
  guint64 admitted_bytes, allowed_bytes;
  guint64 missed, evictions; /* so far */
  GPtrArray *members;        /* LeatTopMember */
} LeatTopScheduler;

typedef struct
{
  char *program, *version;
  guint64 pid;
  guint64 time_us, up_us;
  GPtrArray *devices;    /* LeatTopDevice */
  GPtrArray *sessions;   /* LeatTopSession */
  GPtrArray *schedulers; /* LeatTopScheduler */
  JsonNode *root;        /* all of it, as it came */
} LeatTopSample;

/* Any bytes may come.  NULL with an error where they are no sample. */
LeatTopSample *leat_top_sample_parse (const char *text, gsize size, GError **error);
void leat_top_sample_free (LeatTopSample *self);
/* (nullable) */
const LeatTopSession *leat_top_sample_find_session (const LeatTopSample *self, guint64 id);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatTopSample, leat_top_sample_free)

G_END_DECLS
