/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-module-private.h"
#include "leat-store-private.h"
#include "bind/leat-bound-plan-private.h"

G_BEGIN_DECLS

/* A persistent kernel, and its counts (leat-persistent-private.h). */
typedef struct _LeatPersistent LeatPersistent;

typedef struct
{
  guint64 signals;  /* runs */
  guint64 launches; /* launches of the kernel */
  guint64 leaves;   /* times that it was asked to leave */
  guint64 faults;   /* runs that took too long */
} LeatPersistentCounts;

/* Shared by all lanes of a session. */
typedef struct
{
  gatomicrefcount refs;
  LeatDevice *device;
  gboolean measured;                /* runs may be: the lanes have clocks */
  LeatPlan *plan;                   /* not owned */
  GPtrArray *blocks;                /* LeatBlock or NULL, by buffer id: CONST buffers */
  GHashTable *modules;              /* LeatKernelSource -> LeatModule */
  GHashTable *wide;                 /* likewise, of wide images, */
  GHashTable *enclosed;             /* and of those that overlap with no other */
  gboolean is_apart;                /* no kernel of the plan does */
  LeatModule **op_modules;          /* by op index; NULL but for kernels; of @modules */
  const LeatFunction **functions;   /* by op index; NULL but for kernels */
  const LeatFunction **timed;       /* likewise, those that tell when they ran; NULL where none does */
  const LeatPrototype **prototypes; /* by op index: what @functions has is of; transfers come to have another */
  LeatLoadedKernel *loaded;         /* by op index; all zeros but for kernels */
  LeatPersistent *persistent;       /* NULL where runs are launched */
} LeatProgram;

/* @measured: runs may be.  Modules that @lender, which may be NULL, has loaded for the same nodes are taken from there.
 */
LeatProgram *leat_program_new (LeatPlan *plan, LeatStore *store, LeatDevice *device, gboolean measured,
                               LeatProgram *lender, GError **error);
/* Gives folded constants of @plan, which is bound, their contents; before its program is made. */
gboolean leat_program_fold (LeatDevice *device, LeatPlan *plan, GError **error);
/* Loads what kernels of a plan bound anew are not there yet. */
gboolean leat_program_load_kernels (LeatProgram *self, LeatProgram *lender, GError **error);
/* Before a graph is made: kernels that begin early, and those during which others do, wait from now on. */
/* Each lane has one: what its graphs use stays as long as they do. */
LeatProgram *leat_program_ref (LeatProgram *self);
void leat_program_unref (LeatProgram *self);
/* Their memory is given back, and found or made again; modules stay, for what kernels keep in variables of theirs. */
void leat_program_drop_constants (LeatProgram *self);
gboolean leat_program_find_constants (LeatProgram *self, LeatStore *store, GError **error);
/* Constants whose memory does not hold their bytes are written. */
gboolean leat_program_write_constants (LeatProgram *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatProgram, leat_program_unref)

G_END_DECLS
