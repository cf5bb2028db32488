/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-device-buffer-private.h"
#include "leat-ranges-private.h"
#include "leat-transfer-batch.h"

G_BEGIN_DECLS

typedef enum
{
  LEAT_REQUEST_UPLOAD,
  LEAT_REQUEST_DOWNLOAD,
  LEAT_REQUEST_FILL,
  LEAT_REQUEST_COPY,
} LeatRequestKind;

/* One request.  Offsets count from the first byte of the memory, the header included. */
typedef struct
{
  LeatRequestKind kind;
  LeatDeviceBuffer *buffer; /* owned; that it is about */
  guint64 offset, bytes;
  GBytes *data;           /* UPLOAD */
  guint8 value;           /* FILL */
  LeatDeviceBuffer *from; /* COPY; owned */
  guint64 from_offset;
  GBytes *result; /* DOWNLOAD, after a run */
  guint step;     /* while it runs: where it is done */
} LeatRequest;

void leat_request_clear (LeatRequest *self);

/* A link of the chain that the device works on: requests of one kind to one buffer that nothing comes between. */
typedef struct
{
  LeatRequestKind kind;
  LeatDeviceBuffer *buffer; /* not owned */
  guint request;            /* FILL, COPY: the only one */
  LeatRanges *ranges;       /* UPLOAD, DOWNLOAD: what all of them cover */
  GPtrArray *pieces;        /* likewise, one for each range: LeatTransferPiece */
} LeatStep;

/* (element-type LeatStep) (transfer full) */
GArray *leat_requests_chain (GArray *requests);

/* One transfer between host and device: a range of a step. */
typedef struct
{
  guint n_requests;
  gboolean staged;
  guint64 staged_at;
  GBytes *direct; /* UPLOAD, not staged: the only request's own bytes */
  guint8 *out;    /* DOWNLOAD: what is brought back */
  GBytes *whole;  /* the same when it is there: the requests' results are views of it */
} LeatTransferPiece;

/* A batch while it is done, with all that the device may use in it. */
typedef struct
{
  LeatDevice *device;
  const LeatDriverTable *table;
  GArray *requests;    /* not owned, and not the device's business */
  GArray *steps;       /* LeatStep */
  GHashTable *entered; /* LeatDeviceBuffer -> LeatTransferCounts */
  LeatMemory *staging; /* pinned; NULL where nothing goes through it */
  CUstream stream;
  gboolean lost; /* it failed, and it is not known whether it has ended */
} LeatTransfers;

/* Memory of the host for all pieces, with the bytes of uploads, later ones over earlier ones. */
gboolean leat_transfers_stage (LeatTransfers *self, GError **error);
void leat_transfers_collect (LeatTransfers *self);

/* All or none: everything is looked at before anything is done.  Fills in what downloads gave. */
gboolean leat_requests_run (GArray *requests, LeatTransferCounts *counts, GError **error);

G_END_DECLS
