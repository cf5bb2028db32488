/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "buffer/leat-transfer-private.h"
#include "lane/leat-lane-private.h"
#include "leat-state-error.h"
#include "leat-state-file-private.h"

G_BEGIN_DECLS

/* Data kept from run to run, and their holders. */
typedef struct
{
  LeatPlan *plan;     /* not owned: of the setup that runs; NULL while there is none */
  GPtrArray *lanes;   /* LeatLane, likewise */
  GPtrArray *lent;    /* LeatDeviceBuffer: states that the application has, or had */
  GPtrArray *entered; /* LeatDeviceBuffer: those that a run works on */
  GPtrArray *evicted; /* atomic: GBytes or NULL, by buffer id: what the host has of it; NULL: on the device */
  GPtrArray *away;    /* by lane, NULL or name and type of a buffer -> GBytes: what lanes that are not there kept */
  gboolean given;     /* the application has put something there */
} LeatStates;

void leat_states_init (LeatStates *self);
void leat_states_clear (LeatStates *self);
/* All that is kept from run to run. (element-type LeatBufferId) (transfer full) */
GArray *leat_states_list (LeatStates *self);
/* That of a lane, for transfers of the session's own, which leave no trace. (transfer full) */
LeatDeviceBuffer *leat_states_borrow (LeatStates *self, guint lane, LeatBufferId id);
/* From here on it is the program's too. (transfer full) */
LeatDeviceBuffer *leat_states_lend (LeatStates *self, LeatBufferId id);
/* By the name of a buffer, or of the node that has one. */
gboolean leat_states_find (LeatStates *self, const char *name, LeatBufferId *id, GError **error);
/* Of the nodes and links of its pipeline, but not of the values of properties. */
guint64 leat_plan_hash_nodes (const LeatPlan *self);
/* States that were lent and are not the session's any more: their memory is another, or it is closed. */
void leat_states_call_in (LeatStates *self);
/* Around the work of a run: what is done with these buffers elsewhere is done before or after it.  @held:
 * LeatDeviceBuffer or NULL, that are bound; or NULL */
gboolean leat_states_enter_buffers (LeatStates *self, GPtrArray *held, GError **error);
void leat_states_leave_buffers (LeatStates *self);
/* Reads, or writes, the contents of all states in the first lane, headers included. (element-type GBytes) (transfer
 * full) */
GPtrArray *leat_states_read (LeatStates *self, GError **error);
gboolean leat_states_write (LeatStates *self, GPtrArray *contents, GError **error);

/* Lanes with a state of their own, there or away; 1 where none has. */
guint leat_states_count_lanes (LeatStates *self);
/* That of a lane which is not there, or what it begins with. (transfer full) */
GBytes *leat_states_dup_away (LeatStates *self, guint lane, const LeatBuffer *buffer);
/* @contents: (transfer full) */
void leat_states_take_away (LeatStates *self, guint lane, const LeatBuffer *buffer, GBytes *contents);
guint64 leat_states_sum_away (LeatStates *self);
/* Data that further lanes keep for themselves while they are not there (leat-states-away.c). */
GPtrArray *leat_states_away_new (void);
void leat_states_forget_away (LeatStates *self);
/* Before lanes beyond the first go: the host has it then.  FALSE: it has nothing of lanes that are there. */
gboolean leat_states_put_lanes_away (LeatStates *self, GCancellable *cancellable, GError **error);
/* When there are more of them. */
gboolean leat_states_bring_lanes_back (LeatStates *self, GError **error);
/* @n_lanes: of what each lane has for itself.  (element-type LeatStateEntry) (transfer full) */
GArray *leat_states_list_entries (LeatStates *self, guint n_lanes);
/* Its contents at first, header included; all of it, or a part. (transfer full) */
GBytes *leat_buffer_dup_initial (const LeatBuffer *buffer);
GBytes *leat_buffer_dup_initial_range (const LeatBuffer *buffer, guint64 offset, guint64 bytes);

/* For all of a state.  (transfer full) */
LeatRequest leat_states_make_request (LeatStates *self, LeatRequestKind kind, guint lane, LeatBufferId id);
/* (element-type LeatRequest) (transfer full) */
GArray *leat_requests_new (void);

/* To a file, from a file, and from another session.  @most: lanes that may have a state.  @broken: some of it is
 * written and the rest is not */
gboolean leat_states_save (LeatStates *self, const char *path, GError **error);
gboolean leat_states_load (LeatStates *self, const char *path, guint most, gboolean *broken, GError **error);
gboolean leat_states_copy (LeatStates *self, LeatStates *from, guint most, GError **error);

G_END_DECLS
