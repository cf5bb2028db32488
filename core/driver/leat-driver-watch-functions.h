/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Included by leat-driver-watch.c once for each slot, with LEAT_WATCH_SLOT set: one function for each driver entry,
 * which makes the call if the thread's watch lets it, and the table of them.  Driver functions get no pointer of ours,
 * so each slot needs its own. */

#include "leat-driver-watch-private.h"

#ifdef LEAT_WATCH_SLOT

#define LEAT_WATCH_PASTE(a, b, c)    a##b##_##c
#define LEAT_WATCH_NAME2(slot, name) LEAT_WATCH_PASTE (leat_watch_, slot, name)
#define LEAT_WATCH_NAME(name)        LEAT_WATCH_NAME2 (LEAT_WATCH_SLOT, name)

#define LEAT_ENTRY(group, need, name, exported, version, params, args)                                                 \
  static CUresult LEAT_WATCH_NAME (name) params                                                                        \
  {                                                                                                                    \
    LeatDriver *leat_driver = leat_driver_watched[LEAT_WATCH_SLOT];                                                    \
    LeatDriverWatchCall leat_call = { .entry = LEAT_DRIVER_ENTRY_##name };                                             \
                                                                                                                       \
    if (leat_driver_watch_current == NULL)                                                                             \
      return (*leat_driver->table.name) args;                                                                          \
    LEAT_WATCH_LOOK_AT_ALL args;                                                                                       \
    if (!leat_driver_watch_allow (leat_driver_watch_current, &leat_call))                                              \
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;                                                                    \
    return leat_driver_watch_note (leat_driver_watch_current, &leat_call, (*leat_driver->table.name) args);            \
  }
#include "leat-driver-entries.h"

static const LeatDriverTable LEAT_WATCH_NAME (table) = {
#define LEAT_ENTRY(group, need, name, exported, version, params, args) .name = LEAT_WATCH_NAME (name),
#include "leat-driver-entries.h"
};

#undef LEAT_WATCH_PASTE
#undef LEAT_WATCH_NAME2
#undef LEAT_WATCH_NAME
#undef LEAT_WATCH_SLOT

#endif
