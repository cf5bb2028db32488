/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cuda-script.h"

/* Memory, streams and events. */
static const CudaCase cuda_stream_cases[] = {
  { "alloc-zero", "alloc d0 0 = INVALID_VALUE; alloc-host h0 0" },
  { "free-null", "free d0" },
  { "free-twice", "alloc d0 64; free d0; free d1" },
  { "pointer-kinds", "alloc d0 64; alloc-host h0 64; pointer d0 2; pointer h0 1; pointer p0 1 = INVALID_VALUE" },
  { "copy-within", "alloc d0 64; poke p0 7; to-device d0 p0 64; to-host p1 d0 64; check p1 7" },
  { "copy-too-long", "alloc d0 4194304; to-device d0 p0 0; copy-sync d0 p0 16" },
  { "copy-zero", "alloc d0 64; copy-sync d0 p0 0" },
  { "copy-null", "copy-sync d0 p0 16 = INVALID_VALUE; to-device d0 p0 16 = INVALID_VALUE" },
  { "set-null", "set-sync d0 1 = INVALID_VALUE" },
  { "register-twice", "register p0; register p0 = HOST_MEMORY_ALREADY_REGISTERED; unregister p0; "
                      "unregister p0 = HOST_MEMORY_NOT_REGISTERED" },
  { "register-pointer", "register p0; pointer p0 1; unregister p0" },
  { "register-above", "register p1; register p2; pointer p1 1; pointer p2 1; unregister p1; pointer p2 1; "
                      "pointer p1 1 = INVALID_VALUE; unregister p2" },
  { "register-below", "register p2; register p1; pointer p1 1; pointer p2 1; unregister p2; pointer p1 1; "
                      "pointer p2 1 = INVALID_VALUE; unregister p1" },
  { "register-between", "register p1 2; register p5; register p3 2; pointer p4 1; unregister p3; "
                        "pointer p4 1 = INVALID_VALUE; pointer p2 1; pointer p5 1; unregister p1; unregister p5" },
  { "register-overlap",
    "register p3 2; register p4 2 = HOST_MEMORY_ALREADY_REGISTERED; register p2 2 = HOST_MEMORY_ALREADY_REGISTERED; "
    "register p2 4 = HOST_MEMORY_ALREADY_REGISTERED; register p4 = HOST_MEMORY_ALREADY_REGISTERED; "
    "pointer p2 1 = INVALID_VALUE; pointer p5 1 = INVALID_VALUE; unregister p3; register p2 4; unregister p2" },
  { "unregister-inside", "register p0 2; unregister p1 = HOST_MEMORY_NOT_REGISTERED; pointer p1 1; unregister p0" },
  { "free-host-twice", "alloc-host h0 64; free-host h0; free-host h0" },
  { "order-in-stream", "stream s0; alloc d0 64; alloc-host h0 64; set s0 d0 1; set s0 d0 2; copy s0 h0 d0; sync s0; "
                       "check h0 2" },
  { "blocked-is-not-ready", "stream s0; block s0; query s0 = NOT_READY; open; sync s0; query s0" },
  { "other-stream-goes-on", "stream s0 nb; stream s1 nb; alloc d0 64; block s0; set s1 d0 3; sync s1; check d0 3; "
                            "query s0 = NOT_READY; open; sync s0" },
  { "event-pending", "stream s0; event e0; query-event e0; block s0; record e0 s0; query-event e0 = NOT_READY; open; "
                     "sync-event e0; query-event e0" },
  { "event-at-the-end", "stream s0; event e0; host s0; record e0 s0; sync-event e0; query s0; host s0; record e0 s0; "
                        "sync-event e0; query s0; block s0; record e0 s0; open; sync-event e0; query s0" },
  { "event-never-recorded", "event e0; sync-event e0; query-event e0" },
  { "elapsed", "stream s0; event e0; event e1; record e0 s0; record e1 s0; sync s0; elapsed e0 e1" },
  { "elapsed-pending",
    "stream s0; event e0; event e1; record e0 s0; block s0; record e1 s0; elapsed e0 e1 = NOT_READY; "
    "open; sync s0" },
  { "elapsed-never-recorded", "event e0; event e1; elapsed e0 e1 = INVALID_HANDLE" },
  { "elapsed-no-timing", "stream s0; event e0 nt; event e1; record e0 s0; record e1 s0; sync s0; "
                         "elapsed e0 e1 = INVALID_HANDLE" },
  { "wait-across-streams", "stream s0 nb; stream s1 nb; event e0; alloc d0 64; set-sync d0 0; sync-context; block s0; "
                           "set s0 d0 1; record e0 s0; wait s1 e0; set s1 d0 2; query s1 = NOT_READY; open; sync s1; "
                           "check d0 2" },
  { "wait-keeps-old-record", "stream s0 nb; stream s1 nb; stream s2 nb; event e0; record e0 s0; wait s1 e0; block s2; "
                             "record e0 s2; sync s1; open; sync s2" },
  { "wait-never-recorded", "stream s0; event e0; wait s0 e0; sync s0" },
  { "destroy-stream-with-work",
    "stream s0; alloc d0 64; block s0; set s0 d0 5; destroy-stream s0; open; sync-context; check d0 5" },
  { "destroy-event-with-work", "stream s0; event e0; block s0; record e0 s0; destroy-event e0; open; sync s0" },
  { "host-functions", "stream s0; host s0; host s0; sync s0; check c 2" },
  { "host-calls-driver", "stream s0; host-driver s0 = NOT_PERMITTED" },
  { "legacy-waits-for-blocking",
    "stream s0; alloc d0 64; block s0; set s0 d0 1; set null d0 2; query null = NOT_READY; open; "
    "sync null; check d0 2" },
  { "legacy-passes-non-blocking",
    "stream s0 nb; alloc d0 64; block s0; set null d0 2; sync null; open; sync s0; check d0 2" },
  { "blocking-waits-for-legacy",
    "stream s0; alloc d0 64; block null; set null d0 1; set s0 d0 2; query s0 = NOT_READY; open; "
    "sync s0; check d0 2" },
  { "thread-stream-is-blocking", "stream s0; alloc d0 64; block null; set thread d0 2; query thread = NOT_READY; open; "
                                 "sync thread; check d0 2" },
  { "sync-legacy-waits-for-blocking", "stream s0; block s0; query null = NOT_READY; open; sync null" },
  { "sync-context", "stream s0; stream s1 nb; host s0; host s1; sync-context; check c 2" },
  { "pool", "stream s0; alloc-async d0 1024 s0; set s0 d0 4; alloc-host h0 64; copy s0 h0 d0; "
            "free-async d0 s0; sync s0; check h0 4" },
  { "pool-freed-sync", "stream s0; alloc-async d0 1024 s0; sync s0; free d0" },
  /* As the documents say; not yet held against a GPU. */
  { "pool-by-name", "stream s0; alloc-pool d0 1024 s0; set s0 d0 4; sync s0; check d0 4; free-async d0 s0; "
                    "alloc-pool d1 1024 s0 no = INVALID_VALUE; alloc-pool d1 0 s0 = INVALID_VALUE; sync s0" },
  { "context-state", "context 0 1; context 99 1 = INVALID_DEVICE" },
};
