/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-op-private.h"

G_BEGIN_DECLS

typedef enum
{
  LEAT_BUFFER_STAGING, /* pinned host memory that sources fill and sinks read */
  LEAT_BUFFER_DEVICE,  /* lives within one run */
  LEAT_BUFFER_STATE,   /* survives from run to run */
  LEAT_BUFFER_CONST,   /* uploaded once */
} LeatBufferKind;

struct _LeatBuffer
{
  LeatBufferId id;
  char *name;
  LeatBufferKind kind;
  LeatSpec *spec;           /* NULL for scratch and the like */
  guint64 bytes;            /* header included */
  gboolean header;          /* begins with LEAT_BUFFER_HEADER bytes that hold the count */
  GBytes *initial;          /* STATE, CONST: first contents of the items */
  LeatStateScope scope;     /* STATE */
  gboolean is_marks;        /* DEVICE: what a lane's run leaves in it is there in the lane's next */
  LeatPlanLoop *loop;       /* (nullable): in whose body it was made, or which carries it on */
  gboolean carried;         /* DEVICE: goes on from one iteration of its loop to the next */
  gboolean is_folded;       /* CONST: it has its contents from the plan's `folded`, when a program is made */
  gboolean is_learned;      /* STATE: no result follows from it; the next session begins with what this one found */
  gboolean tells_flush;     /* STATE: the session writes 1 into it before the run that ends the stream */
  LeatBufferId in_place_of; /* LEAT_BUFFER_NONE, or the input that it overwrites */
  gboolean user;            /* STAGING: the program brings the memory of the items, as LeatBinding number `slot` */
  guint slot;
  GBytes *queue;         /* LeatQueueView without addresses; NULL: it is no queue */
  gboolean loses;        /* of a queue: to overflow is no error */
  LeatPort *grows;       /* not owned; NULL, or the output whose room a session may make larger */
  LeatBufferId count_in; /* of a user's output: the staging memory with its count; LEAT_BUFFER_NONE where none */
};

/* How many bounded items a buffer has room for. */
guint64 leat_buffer_get_capacity (const LeatBuffer *self);
const char *leat_buffer_kind_get_name (LeatBufferKind kind);
const char *leat_state_scope_get_name (LeatStateScope scope);

G_END_DECLS
