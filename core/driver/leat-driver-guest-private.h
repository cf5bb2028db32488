/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-driver-private.h"

G_BEGIN_DECLS

/* Something that stays on a device for longer than a launch does.  Driver calls that may wait for all that runs there
 * (memory that is allocated or freed, modules, contexts, graphs that are instantiated) would wait for it: before each
 * of them, whoever makes it through the driver's table, every guest of the driver is asked to leave, and none comes
 * back before the call has returned. */
typedef struct
{
  /* In the thread that makes the call, which waits for it: gone when it returns.  It makes no such call itself. */
  void (*leave) (gpointer data);
  gpointer data;
} LeatDriverGuest;

void leat_driver_add_guest (LeatDriver *self, LeatDriverGuest *guest);
/* @guest is gone for good, and is asked for nothing any more. */
void leat_driver_remove_guest (LeatDriver *self, LeatDriverGuest *guest);

/* Between the two no call that might wait is under way: for a guest that comes.  They do not nest. */
void leat_driver_begin_visit (LeatDriver *self);
void leat_driver_end_visit (LeatDriver *self);

/* For who opens a driver: puts what brackets such calls into its table. */
void leat_driver_hold_calls (LeatDriver *self);

G_END_DECLS
