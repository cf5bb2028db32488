/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-op-private.h"

G_BEGIN_DECLS

typedef enum
{
  LEAT_CAPTURE_AUTO, /* what pays */
  LEAT_CAPTURE_ALL,  /* what can be */
  LEAT_CAPTURE_NONE,
} LeatCaptureMode;

typedef enum
{
  LEAT_EARLY_AUTO, /* kernels whose blocks all run at once */
  LEAT_EARLY_NONE,
  LEAT_EARLY_ALL, /* whatever their size */
} LeatEarlyMode;

/* For a persistent kernel. */
typedef struct
{
  guint64 idle_us;       /* without a run: it leaves */
  guint64 limit_us;      /* that one run may take */
  guint multiprocessors; /* that it takes at the most; 0: what suits */
} LeatPersistentLimits;

/* The facts that binding needs about a device, and about how it is to be used. */
typedef struct
{
  gboolean bound;      /* FALSE: the logical plan, for no device */
  gboolean integrated; /* device memory is host memory: a copy gains nothing */
  const guint *ways;   /* by op index, what was measured to be best (leat_op_get_way ()); 0 or NULL where nobody has */
  LeatCaptureMode capture;
  LeatEarlyMode early;
  gboolean settled;    /* it has run so often that the smallest graph pays */
  guint entries;       /* inputs at once; 0: one, and nothing of it is made for more */
  guint entries_most;  /* that there is memory for */
  gboolean urgent;     /* its streams go before those of others */
  gboolean whiles;     /* the driver has nodes of graphs that do a body again and again */
  gboolean persistent; /* runs are stages of a persistent kernel */
  LeatPersistentLimits persistent_limits;
  gboolean guarded; /* no two buffers share memory, and behind each lies some that no kernel is to touch */
} LeatTraits;

/* Ops from `first` to before `end` that are launched together as one graph, or else one by one. */
typedef struct
{
  guint first, end;
  guint n_ops; /* on the device */
  gboolean captured;
  const char *why_not; /* of the plan, or of one of its ops */
} LeatPiece;

/* Per run in steady state, and once at open; filled from the bound ops alone. */
typedef struct
{
  guint64 kernels, copies, fills;
  guint64 foreign; /* ops of which it is not known what they are */
  guint64 loops;   /* how often what is in them is done is not known; it is not in the sums, but here: */
  guint64 iteration_kernels, iteration_copies, iteration_fills;
  guint64 early_starts; /* dependencies for whose end a kernel waits by itself */
  guint64 upload_bytes, readback_bytes, device_copy_bytes, fill_bytes;
  guint64 graph_launches, waits;
  guint64 allocations, pinned_allocations; /* at open */
  guint entries;                           /* that the run is for */
} LeatPrediction;

G_END_DECLS
