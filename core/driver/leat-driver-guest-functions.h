/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Included by leat-driver-guest.c once for each slot, with LEAT_GUEST_SLOT set: one function for each driver entry that
 * may wait for what runs.  Driver functions get no pointer of ours, so each slot needs its own. */

#include "leat-driver-guest-private.h"

#ifdef LEAT_GUEST_SLOT

#define LEAT_GUEST_PASTE(a, b, c)    a##b##_##c
#define LEAT_GUEST_NAME2(slot, name) LEAT_GUEST_PASTE (leat_guest_, slot, name)
#define LEAT_GUEST_NAME(name)        LEAT_GUEST_NAME2 (LEAT_GUEST_SLOT, name)

#define LEAT_ENTRY(group, need, name, exported, version, params, args)                                                 \
  static G_GNUC_UNUSED CUresult LEAT_GUEST_NAME (name) params                                                          \
  {                                                                                                                    \
    LeatDriver *leat_driver = leat_driver_held[LEAT_GUEST_SLOT];                                                       \
    CUresult leat_result;                                                                                              \
                                                                                                                       \
    leat_driver_send_guests_away (leat_driver);                                                                        \
    leat_result = (*leat_driver->direct.name) args;                                                                    \
    leat_driver_let_guests_back (leat_driver);                                                                         \
    return leat_result;                                                                                                \
  }
#include "leat-driver-entries.h"

static void
LEAT_GUEST_NAME (fill) (LeatDriverTable *table)
{
#define LEAT_ENTRY(group, need, name, exported, version, params, args)                                                 \
  if (table->name != NULL && leat_driver_entry_may_wait (LEAT_DRIVER_ENTRY_##name))                                    \
    table->name = LEAT_GUEST_NAME (name);
#include "leat-driver-entries.h"
}

#undef LEAT_GUEST_PASTE
#undef LEAT_GUEST_NAME2
#undef LEAT_GUEST_NAME
#undef LEAT_GUEST_SLOT

#endif
