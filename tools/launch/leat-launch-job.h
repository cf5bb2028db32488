/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-options.h"

G_BEGIN_DECLS

/* One pipeline that is run: its session works in a thread of its own, step by step, and between the steps and at the
 * end the main thread says what there is to say. */

typedef struct _LeatLaunchJob LeatLaunchJob;

/* Called in the main thread. */
typedef void (*LeatLaunchDone) (LeatLaunchJob *job, gpointer data);

/* A warning that was said and comes again. */
typedef struct
{
  char *node;
  guint64 times;
} LeatLaunchAgain;

struct _LeatLaunchJob
{
  const LeatLaunchOptions *options;
  const LeatLaunchText *text;
  const char *name; /* NULL: it is alone, and messages are about it anyway */
  guint index;
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatDevice *device;        /* NULL before it is open; kept behind its end */
  GCancellable *cancellable; /* of all jobs */
  LeatScheduler *scheduler;  /* not owned; NULL: it does not take turns */
  gint64 begun_us;           /* then: when its runs began */
  gboolean runs;             /* between the first and the last of them, as the main thread knows */
  LeatLaunchDone done;
  gpointer data;
  void (*quieten) (gpointer data); /* before something is said: takes progress off the screen */
  LeatExit code;
  char *stats; /* what --stats or --accounting tells; NULL: nothing */

  GHashTable *warned; /* a kind of warning to its LeatLaunchAgain */

  /*< private >*/
  gboolean only_opens;
  guint step;
  GThread *thread;
  gboolean ok;
  GError *error;
};

LeatLaunchJob *leat_launch_job_new (const LeatLaunchOptions *options, guint index, LeatPipeline *pipeline,
                                    GCancellable *cancellable);
void leat_launch_job_free (LeatLaunchJob *self);
/* Ends with a call of done (). */
void leat_launch_job_start (LeatLaunchJob *self);
/* The same, but the session is only opened, and stays so. */
void leat_launch_job_open (LeatLaunchJob *self);
/* "leat-launch: [NAME: ]TEXT" */
void leat_launch_job_note (LeatLaunchJob *self, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Reports what went wrong, closes the session, and says how the tool is to end. */
void leat_launch_job_fail (LeatLaunchJob *self, GError *error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatLaunchJob, leat_launch_job_free)

G_END_DECLS
