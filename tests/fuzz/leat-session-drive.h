/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-model.h"

G_BEGIN_DECLS

#define DRIVE_SLOTS 4 /* of each end: host, host, resident buffer, the same at an offset */

/* How data come to an input, and from an output. */
typedef enum
{
  DRIVE_QUEUE,
  DRIVE_MAPPED,
  DRIVE_USER
} DriveWay;

typedef struct
{
  DriveWay way;
  gboolean fed; /* a run needs no new data */
  guint slot;   /* that is bound */
  ModelItems now;
} DriveEnd;

/* A session, and what the model has it at. */
typedef struct
{
  SessionModel model;
  LeatPipeline *pipeline;
  LeatSession *session;
  GRand *random;
  DriveEnd ins[MODEL_INPUTS_MOST], outs[MODEL_OUTS];
  ModelItems contents[DRIVE_SLOTS]; /* of the slots of inputs, which all of them share */
  guint8 *host;                     /* pinned: slots of inputs, then of outputs */
  LeatDeviceBuffer *from, *to;
  guint64 warnings, errors; /* since it was opened */
} SessionDrive;

/* A pipeline as the model says it, and a session of it that is not open.  @like: (nullable): has the same settings */
void session_drive_make (SessionDrive *self, LeatFuseMode fuse, LeatSession *like);
void session_drive_open (SessionDrive *self);
void session_drive_close (SessionDrive *self);
void session_drive_free (SessionDrive *self);
/* Binds memory for what has none, or everything anew. */
void session_drive_bind_outputs (SessionDrive *self, LeatFuzzChoices *choices);
/* New data, or for memory of the program's perhaps what is in another slot. */
void session_drive_feed (SessionDrive *self, guint input, const ModelItems *items, guint slot);
void session_drive_rebind (SessionDrive *self, guint input, guint slot);
void session_drive_poison_outputs (SessionDrive *self);
/* The results of the run that was last: with @given, of one without any. */
void session_drive_check_outputs (SessionDrive *self, const ModelResult *result);
void session_drive_check_bytes (SessionDrive *self, const ModelResult *result, ModelOut out, gconstpointer data,
                                gsize bytes);
void session_drive_check_counts (SessionDrive *self);

G_END_DECLS
