/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-setup-private.h"

G_BEGIN_DECLS

/* The means of a session to do many inputs at once: plans for several entries, loaded, and the memory of the host
 * for their inputs and results.  Three launches are under way at a time, each with memory of its own on the device. */

#define LEAT_BATCH_FLIGHTS 3

/* A plan for so many entries, and the entries that run it: one for each flight. */
typedef struct
{
  LeatPlan *plan;
  LeatProgram *program;
  LeatLane *lanes[LEAT_BATCH_FLIGHTS];
} LeatWidth;

/* One launch. */
typedef struct
{
  LeatLane *lane; /* NULL: none is under way */
  guint first, n; /* of the batch */
  guint at;       /* where they are in the staging memory */
  gint64 launched_us;
} LeatBatchFlight;

/* Where the data of entries are on the host. */
typedef struct
{
  LeatMemory **staging; /* by buffer id: pinned; NULL before there was any */
  guint room;           /* entries that it is for */
} LeatBatchMemory;

typedef struct
{
  LeatDevice *device;
  LeatStore *store;
  LeatPlan *narrow; /* the session's, that this was made for */
  guint64 changes;  /* of arguments, that the entries know of */
  LeatPlan *shape;  /* for as many entries as go into one launch */
  guint n_flights;
  GPtrArray *widths; /* LeatWidth */
  LeatStore *stores[LEAT_BATCH_FLIGHTS];
  LeatGraphCounts *counts;

  LeatBatchMemory ring, lent; /* a program may have pointers to what is lent, and finds there what it has put there */
  LeatBatchMemory *memory;    /* of the two, the one that is in use */
  guint mapped;               /* entries that were asked for by map; 0: none */
  LeatBatchFlight flights[LEAT_BATCH_FLIGHTS];
  GPtrArray *errors;     /* GError or NULL, by entry of the last batch */
  GArray *reports;       /* LeatReport: what its entries reported */
  GArray *untold;        /* guint: entries that failed by what no report tells */
  GArray *short_entries; /* guint: those for which an output that may grow had too little room */
  gboolean is_alone;     /* an entry is done as a single run now: */
  guint alone;
  gboolean told;  /* what an entry of this batch reported has been told of */
  guint n_posted; /* messages that were for entries that were done so; more than there may be: as many were left out */
} LeatBatch;

/* @most: entries in one launch; 0: what suits the plan.  As many as there is room for. */
LeatBatch *leat_batch_new (LeatDevice *device, LeatStore *store, LeatPlan *narrow, LeatGraphCounts *counts, guint most,
                           GError **error);
void leat_batch_free (LeatBatch *self);
/* A launch may still be at the staging memory: nobody else gets that before it is known to have ended. */
void leat_batch_doubt_memory (LeatBatch *self);
/* All but the staging memory goes, and is made again when it is needed.  No launch is under way. */
void leat_batch_leave_device (LeatBatch *self);
/* Uses one of its memories from here on, which is made to be for @n entries; what it held is lost where it was for
 * less.
 */
gboolean leat_batch_make_room (LeatBatch *self, LeatBatchMemory *memory, guint n, GError **error);
/* How many of @n that are left go into the next launch of a batch of @all. */
guint leat_batch_choose_n (LeatBatch *self, guint n, guint all);
LeatWidth *leat_batch_get_width (LeatBatch *self, guint n, LeatProgram *lender, GError **error);
gboolean leat_batch_take_arguments (LeatBatch *self, GError **error);
/* No entry of the @n that come has failed, and none has reported anything. */
void leat_batch_begin_errors (LeatBatch *self, guint n);
/* The first byte of an entry in the host's memory, header included. */
guint8 *leat_batch_get_host (LeatBatch *self, LeatBufferId id, guint entry);

/* Many stretches of memory, by several threads where that pays. */
typedef struct
{
  guint8 *to;
  const guint8 *from;
  gsize bytes;
} LeatCopyJob;

void leat_copy_jobs_run (LeatCopyJob *jobs, guint n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatBatch, leat_batch_free)

G_END_DECLS
