/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sends away what stays on a device, such as persistent kernels, around driver calls that would wait for it.  Touches
 * the driver's table and list of guests. */

#include "leat-driver-guest-private.h"

#include "leat-driver-object-private.h"

/* One for the CUDA driver, one for the CPU driver; another one has no guests. */
#define LEAT_DRIVER_N_HELD 2

static LeatDriver *leat_driver_held[LEAT_DRIVER_N_HELD]; /* from when it was opened */

struct _LeatDriverHouse
{
  GMutex lock;
  GCond quiet;       /* no call that may wait is under way */
  GPtrArray *guests; /* LeatDriverGuest, not owned */
  guint n_calls;     /* that are */
};

/* Calls that may synchronise with the device, as the driver's documents say, and those that bring code or memory there.
 * A function is loaded when something is first asked about it. */
static gboolean
leat_driver_entry_may_wait (LeatDriverEntry entry)
{
  switch (entry)
    {
    case LEAT_DRIVER_ENTRY_cuMemAlloc:
    case LEAT_DRIVER_ENTRY_cuMemAllocPitch:
    case LEAT_DRIVER_ENTRY_cuMemFree:
    case LEAT_DRIVER_ENTRY_cuMemAllocHost:
    case LEAT_DRIVER_ENTRY_cuMemHostAlloc:
    case LEAT_DRIVER_ENTRY_cuMemFreeHost:
    case LEAT_DRIVER_ENTRY_cuMemHostRegister:
    case LEAT_DRIVER_ENTRY_cuMemHostUnregister:
    case LEAT_DRIVER_ENTRY_cuMemPoolTrimTo:
    case LEAT_DRIVER_ENTRY_cuArray3DCreate:
    case LEAT_DRIVER_ENTRY_cuArrayDestroy:
    case LEAT_DRIVER_ENTRY_cuTexObjectCreate:
    case LEAT_DRIVER_ENTRY_cuTexObjectDestroy:
    case LEAT_DRIVER_ENTRY_cuSurfObjectCreate:
    case LEAT_DRIVER_ENTRY_cuSurfObjectDestroy:
    case LEAT_DRIVER_ENTRY_cuModuleLoad:
    case LEAT_DRIVER_ENTRY_cuModuleLoadData:
    case LEAT_DRIVER_ENTRY_cuModuleLoadDataEx:
    case LEAT_DRIVER_ENTRY_cuModuleUnload:
    case LEAT_DRIVER_ENTRY_cuModuleGetFunction:
    case LEAT_DRIVER_ENTRY_cuModuleGetGlobal:
    case LEAT_DRIVER_ENTRY_cuFuncLoad:
    case LEAT_DRIVER_ENTRY_cuFuncGetAttribute:
    case LEAT_DRIVER_ENTRY_cuOccupancyMaxActiveBlocksPerMultiprocessor:
    case LEAT_DRIVER_ENTRY_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags:
    case LEAT_DRIVER_ENTRY_cuOccupancyMaxPotentialBlockSize:
    case LEAT_DRIVER_ENTRY_cuOccupancyMaxPotentialBlockSizeWithFlags:
    case LEAT_DRIVER_ENTRY_cuFuncSetAttribute:
    case LEAT_DRIVER_ENTRY_cuCtxSynchronize:
    case LEAT_DRIVER_ENTRY_cuCtxSetLimit:
    case LEAT_DRIVER_ENTRY_cuDevicePrimaryCtxRelease:
    case LEAT_DRIVER_ENTRY_cuDevicePrimaryCtxReset:
    case LEAT_DRIVER_ENTRY_cuDeviceGraphMemTrim:
    case LEAT_DRIVER_ENTRY_cuGraphInstantiateWithFlags:
    case LEAT_DRIVER_ENTRY_cuGraphInstantiateWithParams:
    case LEAT_DRIVER_ENTRY_cuGraphUpload:
    case LEAT_DRIVER_ENTRY_cuGraphExecUpdate:
    case LEAT_DRIVER_ENTRY_cuGraphExecDestroy:
      return TRUE;
    default:
      return FALSE;
    }
}

/* With the lock held while they leave, none is taken away and none comes. */
static void
leat_driver_send_guests_away (LeatDriver *self)
{
  LeatDriverHouse *house = self->house;

  g_mutex_lock (&house->lock);
  house->n_calls++;
  for (guint i = 0; i < house->guests->len; i++)
    {
      LeatDriverGuest *guest = g_ptr_array_index (house->guests, i);

      guest->leave (guest->data);
    }
  g_mutex_unlock (&house->lock);
}

static void
leat_driver_let_guests_back (LeatDriver *self)
{
  LeatDriverHouse *house = self->house;

  g_mutex_lock (&house->lock);
  if (--house->n_calls == 0)
    g_cond_broadcast (&house->quiet);
  g_mutex_unlock (&house->lock);
}

#define LEAT_GUEST_SLOT 0
#include "leat-driver-guest-functions.h"
#define LEAT_GUEST_SLOT 1
#include "leat-driver-guest-functions.h"

void
leat_driver_add_guest (LeatDriver *self, LeatDriverGuest *guest)
{
  LeatDriverHouse *house = self->house;

  g_mutex_lock (&house->lock);
  g_ptr_array_add (house->guests, guest);
  g_mutex_unlock (&house->lock);
}

void
leat_driver_remove_guest (LeatDriver *self, LeatDriverGuest *guest)
{
  LeatDriverHouse *house = self->house;

  g_mutex_lock (&house->lock);
  g_ptr_array_remove_fast (house->guests, guest);
  g_mutex_unlock (&house->lock);
}

void
leat_driver_begin_visit (LeatDriver *self)
{
  LeatDriverHouse *house = self->house;

  g_mutex_lock (&house->lock);
  while (house->n_calls > 0)
    g_cond_wait (&house->quiet, &house->lock);
}

void
leat_driver_end_visit (LeatDriver *self)
{
  g_mutex_unlock (&self->house->lock);
}

/* Drivers are opened one at a time, and never closed. */
void
leat_driver_hold_calls (LeatDriver *self)
{
  static void (*const fill[LEAT_DRIVER_N_HELD]) (LeatDriverTable *) = { leat_guest_0_fill, leat_guest_1_fill };

  self->house = g_new0 (LeatDriverHouse, 1);
  g_mutex_init (&self->house->lock);
  g_cond_init (&self->house->quiet);
  self->house->guests = g_ptr_array_new ();
  for (guint slot = 0; slot < LEAT_DRIVER_N_HELD; slot++)
    if (leat_driver_held[slot] == NULL)
      {
        leat_driver_held[slot] = self;
        (*fill[slot]) (&self->held);
        break;
      }
}
