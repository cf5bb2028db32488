/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

#include "driver/leat-driver-private.h"

/* A node whose work is foreign: out is in, with the first four bytes 0x5a, or what the argument "stamp" says.  Before
 * that it makes a planted call. */

typedef struct _ForeignNode ForeignNode;

/* What a planted call may use; all of it is there before the session opens. */
typedef struct
{
  LeatForeign *foreign;
  gboolean capturing;
  LeatDriverTable call; /* as the foreign work finds them */
  CUstream stream;      /* of the session */
  CUstream other;
  CUevent event, recorded; /* one for use, one recorded on `other` before */
  CUdeviceptr memory, spare;
  void *pinned;
  CUgraph graph;
  CUgraphExec exec;
} Planted;

typedef CUresult (*PlantedCall) (Planted *planted);

struct _ForeignNode
{
  LeatNode parent_instance;

  Planted planted;
  PlantedCall plant; /* NULL: nothing */
  gboolean careless; /* does not look at what calls return */
  gboolean late;     /* makes the call after its work */
  gboolean idle;     /* does no work, and so passes nothing on */
  const char *why_not_captured, *why_not_on_cpu;
  guint captures, calls; /* how often it was called for a capture, and for a run */
  guint destroyed;       /* how often its data were freed */
};

ForeignNode *foreign_node_new (const char *name);
