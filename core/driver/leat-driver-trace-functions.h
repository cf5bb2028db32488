/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Included by leat-driver-trace.c once for each slot, with LEAT_TRACE_SLOT set: one function for each driver entry,
 * which notes the call and makes it, and the table of them.  Driver functions get no pointer of ours, so each slot
 * needs its own. */

#include "leat-driver-private.h"

#ifdef LEAT_TRACE_SLOT

#define LEAT_TRACE_PASTE(a, b, c)    a##b##_##c
#define LEAT_TRACE_NAME2(slot, name) LEAT_TRACE_PASTE (leat_trace_, slot, name)
#define LEAT_TRACE_NAME(name)        LEAT_TRACE_NAME2 (LEAT_TRACE_SLOT, name)

#define LEAT_ENTRY(group, need, name, exported, version, params, args)                                                 \
  static CUresult LEAT_TRACE_NAME (name) params                                                                        \
  {                                                                                                                    \
    leat_driver_trace_note (&leat_driver_traces[LEAT_TRACE_SLOT], LEAT_DRIVER_ENTRY_##name);                           \
    return leat_driver_traces[LEAT_TRACE_SLOT].driver->held.name args;                                                 \
  }
#include "leat-driver-entries.h"

static const LeatDriverTable LEAT_TRACE_NAME (table) = {
#define LEAT_ENTRY(group, need, name, exported, version, params, args) .name = LEAT_TRACE_NAME (name),
#include "leat-driver-entries.h"
};

#undef LEAT_TRACE_PASTE
#undef LEAT_TRACE_NAME2
#undef LEAT_TRACE_NAME
#undef LEAT_TRACE_SLOT

#endif
