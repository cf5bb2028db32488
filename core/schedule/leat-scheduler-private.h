/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-heap-private.h"
#include "leat-histogram-private.h"
#include "leat-scheduler.h"
#include "leat-gate-private.h"
#include "session/leat-overseer-private.h"

G_BEGIN_DECLS

#define LEAT_N_PRIORITIES (LEAT_PRIORITY_HIGH + 1)

typedef struct _LeatMember LeatMember;

typedef enum
{
  LEAT_SUBMISSION_NEW,     /* had by who submits it */
  LEAT_SUBMISSION_WAITING, /* in the queue of its session */
  LEAT_SUBMISSION_RUNNING, /* had by who runs it */
  LEAT_SUBMISSION_DONE,    /* there is a result, of which whoever waits for it is to be told */
} LeatSubmissionState;

/* One run that somebody wants.  The submitter waits (then it is on its stack), or has a task for it. */
typedef struct _LeatSubmission LeatSubmission;

struct _LeatSubmission
{
  LeatScheduler *scheduler; /* not owned: the task does, or the waiting thread */
  LeatMember *member;
  LeatSession *session;
  GPtrArray *inputs; /* NULL: of the session's own sources */
  gint64 deadline;   /* G_MAXINT64: none */
  GCancellable *cancellable;
  gulong watch;         /* of it */
  GTask *task;          /* NULL: somebody waits */
  LeatGate turn;        /* for that one */
  GList link;           /* in the queue of its session */
  guint place;          /* among those of its session that have a deadline */
  LeatSubmission *next; /* that is told after it (leat-scheduler-tell.c) */

  LeatSubmissionState state;
  LeatPriority level; /* whose place it has while it runs */
  gboolean cancelled;
  gint64 submitted_us, begun_us;
  guint64 number;

  LeatFlow flow;
  GPtrArray *results;
  GError *error;
};

/* The counts and times of runs are noted by the threads that did them, under a lock of their own (accounts); the
 * rest under the scheduler's. */
typedef struct
{
  guint64 submitted, done, failed, cancelled, refused, dropped, missed;
  gint64 device_us;
  guint64 last_turn; /* the number of its last run among all of the scheduler */
  LeatHistogram wait, run;
} LeatMemberStats;

/* Sessions that are never run at the same time, and share what lives within a run. */
typedef struct
{
  char *name;
  LeatScratch *scratch;
  guint n_members;
  gboolean running;                     /* any of them */
  LeatHeap ready[LEAT_N_PRIORITIES];    /* LeatMember */
  LeatMember *front[LEAT_N_PRIORITIES]; /* that stands for it among all; NULL: none */
} LeatMemberGroup;

/* A session among others.  Under the lock of the scheduler. */
struct _LeatMember
{
  gatomicrefcount refs;
  LeatSession *session;
  guint64 number; /* that no other of the scheduler has, or had */
  LeatPriority level;
  GQueue waiting;      /* LeatSubmission */
  LeatHeap due;        /* of them, those with a deadline */
  gint64 earliest;     /* deadline of any of them */
  guint64 head_number; /* of the first */
  guint place_in_line, place_in_group, place_by_share;
  LeatSubmission *running;
  LeatMemberGroup *group;        /* NULL: none */
  LeatMemberGroup *running_from; /* that it was in when its run began */
  gboolean paused, closing, removed;
  gboolean leaving; /* the device, for another: it has its turn after that */
  gboolean spared;  /* it could not leave the device, in the search that is under way */
  gboolean brief;   /* the run that is under way will end soon, if it is like the last one */
  gint64 lasted_us; /* that one; 0: there was none.  While it runs, of who runs it */
  guint64 used;     /* when it last had a turn, was opened or added, by the scheduler's clock */
  guint64 admitted; /* bytes that it may have, and may not have taken yet */
  double served;    /* of what is shared, by its weight */
  gint64 warned_us;
  LeatMemberStats stats;
};

struct _LeatScheduler
{
  GObject parent_instance;

  GMutex admission; /* who has it may take the lock, but not the other way round */

  LeatDevice *device;
  guint64 id;         /* that no other of the process has */
  GMutex lock;        /* of all below */
  GCond ended;        /* a run of any session, or its way to the device; or what is allowed is another */
  guint n_awaiting;   /* that */
  gboolean is_other;  /* what is allowed is not what it was when it was decided on last */
  GPtrArray *members; /* LeatMember */
  GHashTable *by_session;
  GPtrArray *groups;                  /* LeatMemberGroup, with members or with a run under way */
  GThreadPool *workers;               /* NULL before the first task */
  LeatHeap ready[LEAT_N_PRIORITIES];  /* LeatMember: who could begin, and the first of each group that could */
  LeatHeap active[LEAT_N_PRIORITIES]; /* LeatMember: those with a run that waits or is under way, by what they had */
  LeatSubmission *told, **told_end;   /* to be told of when the lock is given back */
  guint busy[LEAT_N_PRIORITIES];      /* runs that are under way */
  guint brief[LEAT_N_PRIORITIES];     /* of them, those that end soon */
  double reached[LEAT_N_PRIORITIES];  /* what the last that was chosen had been served before */
  guint in_flight, queue_limit;
  LeatShare share;
  gboolean drop_late;
  gboolean evict_idle;
  guint64 budget; /* 0: the device's */
  guint64 clock;
  gboolean paused, closed;
  guint64 n_submitted, n_turns, n_evicted, n_added;
  LeatMemberStats former; /* of sessions that were taken out */
  GMutex accounts;        /* of what the stats say of ends; may be taken under the lock, but not the other way round */
};

/* Those who have the lock want it for less than a microsecond, and to sleep takes some tens. */
#define LEAT_SCHEDULER_LOOKS 200

static inline void
leat_scheduler_lock (LeatScheduler *self)
{
  for (guint i = 0; i < LEAT_SCHEDULER_LOOKS; i++)
    if (g_mutex_trylock (&self->lock))
      return;
  g_mutex_lock (&self->lock);
}

/* And whoever is to be told of something is told of it (leat-scheduler-tell.c). */
void leat_scheduler_unlock (LeatScheduler *self);
/* With the lock held: of a run that has its turn, or waits no more. */
void leat_scheduler_note_told (LeatScheduler *self, LeatSubmission *submission);
/* In the thread that waits: until it is told. */
void leat_submission_await_turn (LeatSubmission *self);

void leat_scheduler_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec);
void leat_scheduler_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec);
void leat_scheduler_install_props (GObjectClass *klass);

LeatMember *leat_member_ref (LeatMember *self);
void leat_member_unref (LeatMember *self);
/* NULL with @error set where the session is not in it. */
LeatMember *leat_scheduler_find (LeatScheduler *self, LeatSession *session, GError **error);

void leat_member_stats_add (LeatMemberStats *self, const LeatMemberStats *from);
/* All that is told, as a dictionary with a list of the sessions ("members"); floating. */
GVariant *leat_scheduler_describe (LeatScheduler *self);
/* The schedulers of the process, which the monitor tells of (leat-schedulers.c). */
void leat_schedulers_add (LeatScheduler *scheduler);
void leat_schedulers_remove (LeatScheduler *scheduler);

/* The order of runs (leat-scheduler-order.c).  All with the lock held. */
void leat_scheduler_init_order (LeatScheduler *self);
void leat_scheduler_clear_order (LeatScheduler *self);
void leat_member_init_order (LeatMember *self);
void leat_member_group_init_order (LeatMemberGroup *self);
void leat_member_group_clear_order (LeatMemberGroup *self);
/* To its place, after anything of it has changed but the two that say where that is: its priority and its group.  For
 * those it is taken out before. */
void leat_scheduler_rank (LeatScheduler *self, LeatMember *member);
void leat_scheduler_unrank (LeatScheduler *self, LeatMember *member);
/* After a run of it has begun or ended. */
void leat_scheduler_rank_group (LeatScheduler *self, LeatMemberGroup *group);
/* How often a session was compared with another one so far. */
guint64 leat_scheduler_count_looks (LeatScheduler *self);
/* Puts it there. */
void leat_member_enqueue (LeatScheduler *self, LeatMember *member, LeatSubmission *submission);
/* The caller puts the session to its place then. */
void leat_member_dequeue (LeatMember *self, LeatSubmission *submission);
void leat_member_change_level (LeatScheduler *self, LeatMember *member, LeatPriority level);
void leat_member_charge (LeatScheduler *self, LeatMember *member, gint64 device_us);

/* With the lock held.  @group: (nullable) */
void leat_member_join (LeatScheduler *self, LeatMember *member, LeatMemberGroup *group);
/* Has the session's next run use the group's memory, once none is under way. */
void leat_member_settle_group (LeatMember *self);
void leat_member_group_begin (LeatScheduler *self, LeatMember *member);
void leat_member_group_end (LeatScheduler *self, LeatMember *member);

/* Room on the device (leat-scheduler-budget.c).  With no lock held.  @present: it has its memory already */
gboolean leat_scheduler_make_room (LeatScheduler *self, LeatSession *session, guint64 bytes, gboolean present,
                                   GError **error);
/* It has what it was admitted for, or does without. */
void leat_scheduler_end_admission (LeatScheduler *self, LeatSession *session);
guint64 leat_scheduler_get_allowed (LeatScheduler *self);

/* Begins what can be, of all that waits; with the lock held. */
void leat_scheduler_dispatch (LeatScheduler *self);
/* With no lock: the run itself; its place is kept until it is freed.  Returns how long it had the device. */
gint64 leat_submission_run (LeatSubmission *self);
void leat_scheduler_free_place (LeatScheduler *self, LeatMember *member, LeatPriority level, gint64 device_us);
guint leat_scheduler_count_workers (LeatScheduler *self);
void leat_submission_unwatch (LeatSubmission *self);
/* The work of a thread of the pool. */
void leat_submission_work (gpointer submission, gpointer unused);
/* With the lock held: it waits no more, and whoever wants it is told.  @error: (transfer full) */
void leat_submission_give_up (LeatSubmission *self, GError *error);
/* All of a session's, or of all. @member: (nullable) */
void leat_scheduler_give_up_waiting (LeatScheduler *self, LeatMember *member, const char *why);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatMember, leat_member_unref)

G_END_DECLS
