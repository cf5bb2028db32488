/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "graph/leat-endpoint.h"
#include "driver/leat-cuda.h"
#include "bind/leat-bound-plan-private.h"

G_BEGIN_DECLS

typedef struct _LeatLane LeatLane;

#define LEAT_SLOT_TAG                                                                                                  \
  1 /* in the address of a slot, where a kernel may be given that or an address (LeatImageTarget)                      \
     */

/* Memory that the program brought for one port. */
typedef struct
{
  guint64 given;       /* its address as the program has it; 0 where nothing is bound */
  CUdeviceptr address; /* and as the device has it */
  guint64 bytes;
  guint64 count; /* of an input */
  guint64 serial;
  gboolean on_device;
} LeatBinding;

/* The address may be one of the device. @counts: the count is the program's too */
static inline void
leat_binding_view (const LeatBinding *self, LeatView *view, gboolean counts)
{
  view->data = (gpointer) (guintptr) self->given;
  if (counts)
    view->count = self->count;
}

#define LEAT_PARAM_SLOT 48 /* bytes a parameter may take, and a multiple of its alignment */

/* A kernel's parameters as the driver takes them: pointers into one block of storage. */
typedef struct
{
  void **params;
  guint8 *storage;
  guint n_params;
  void *handle; /* of them, that of the loop; NULL where it is no test of one */
  void *waits;  /* and that which says whether the kernel waits for what it began before */
} LeatLaunch;

void leat_launch_clear (LeatLaunch *self);
gboolean leat_launch_pack (LeatLaunch *self, LeatLane *lane, const LeatOp *op, GError **error);
void leat_launch_take_args (LeatLane *lane, const LeatOp *op, LeatLane *other, const LeatOp *other_op);
gboolean leat_launch_repack (LeatLaunch *self, LeatLane *lane, const LeatOp *op, GError **error);
/* Whether the kernel waits for what it began before, which is known only when all kernels are loaded. */
void leat_launch_say_waits (LeatLaunch *self, const LeatOp *op);
void leat_launch_put_binding (LeatLaunch *self, const LeatOp *head, guint slot, const LeatBinding *binding);

G_END_DECLS
