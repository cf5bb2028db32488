/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cuda-script.h"

/* Stream capture: what is recorded, and the code that each illegal call gets. */
static const CudaCase cuda_capture_cases[] = {
  /* Plain captures. */
  { "records-in-order", "stream s0; alloc d0 64; begin s0 global; set s0 d0 7; set s0 d0 8; end s0 g0; nodes g0 2 1; "
                        "instantiate x0 g0; launch x0 s0; sync s0; check d0 8" },
  { "does-not-run", "stream s0; alloc d0 64; set-sync d0 1; begin s0 global; set s0 d0 7; end s0 g0; sync s0; "
                    "check d0 1" },
  { "empty", "stream s0; begin s0 global; end s0 g0; nodes g0 0 0; instantiate x0 g0; launch x0 s0; sync s0" },
  { "status", "stream s0; status s0 0; begin s0 global; status s0 1; end s0 g0; status s0 0" },
  { "info", "stream s0; alloc d0 64; info s0 0; begin s0 global; info s0 1 0; set s0 d0 1; info s0 1 1; "
            "end s0 g0; info s0 0" },
  { "host-function", "stream s0; begin s0 global; host s0; end s0 g0; type-of g0 0 3; instantiate x0 g0; "
                     "launch x0 s0; launch x0 s0; sync s0; check c 2" },
  { "copies", "stream s0; alloc d0 64; alloc-host h0 64; begin s0 global; copy s0 d0 h0; copy s0 h0 d0; "
              "end s0 g0; type-of g0 0 1; nodes g0 2 1" },
  { "pageable-copies",
    "stream s0; alloc d0 64; begin s0 global; copy s0 d0 p0; copy s0 p1 d0; end s0 g0; nodes g0 2 1; "
    "poke p0 5; instantiate x0 g0; launch x0 s0; sync s0; check p1 5" },
  { "thread-stream", "alloc d0 64; begin thread global; set thread d0 3; end thread g0; nodes g0 1 0" },
  { "graph-in-capture", "stream s0; alloc d0 64; set-sync d0 1; graph g0; add-set n0 g0 d0 5; instantiate x0 g0; "
                        "begin s0 global; launch x0 s0 = STREAM_CAPTURE_UNSUPPORTED; status s0 2; "
                        "end s0 g1 = STREAM_CAPTURE_INVALIDATED; sync s0; check d0 1" },

  /* Beginning and ending. */
  { "begin-twice", "stream s0; begin s0 global; begin s0 global = ILLEGAL_STATE; status s0 1; end s0 g0" },
  { "begin-legacy", "begin legacy global = STREAM_CAPTURE_UNSUPPORTED; "
                    "begin null relaxed = STREAM_CAPTURE_UNSUPPORTED" },
  { "end-without-begin", "stream s0; end s0 g0 = ILLEGAL_STATE" },
  { "end-legacy", "end legacy g0 = ILLEGAL_STATE" },
  { "two-captures", "stream s0; stream s1; alloc d0 64; begin s0 global; begin s1 global; set s0 d0 1; set s1 d0 2; "
                    "end s1 g1; end s0 g0; nodes g0 1; nodes g1 1" },
  { "destroy-stream", "stream s0; alloc d0 64; begin s0 global; set s0 d0 1; destroy-stream s0; sync-context" },

  /* Threads. */
  { "end-on-other-thread-global", "stream s0; begin s0 global; @1 end s0 g0 = STREAM_CAPTURE_WRONG_THREAD; "
                                  "status s0 0; end s0 g0 = ILLEGAL_STATE" },
  { "end-on-other-thread-local",
    "stream s0; begin s0 local; @1 end s0 g0 = STREAM_CAPTURE_WRONG_THREAD; end s0 g0 = ILLEGAL_STATE" },
  { "end-on-other-thread-relaxed", "stream s0; begin s0 relaxed; @1 end s0 g0" },
  { "work-on-other-thread", "stream s0; alloc d0 64; begin s0 global; @1 set s0 d0 4; end s0 g0; nodes g0 1" },
  { "work-on-other-thread-local", "stream s0; alloc d0 64; begin s0 local; @1 set s0 d0 4; end s0 g0; nodes g0 1" },

  /* Unsafe calls, in the three modes, from this thread and another. */
  { "alloc-global", "stream s0; begin s0 global; alloc d0 64 = STREAM_CAPTURE_UNSUPPORTED; "
                    "end s0 g0 = STREAM_CAPTURE_INVALIDATED; status s0 0" },
  { "alloc-local", "stream s0; begin s0 local; alloc d0 64 = STREAM_CAPTURE_UNSUPPORTED; "
                   "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "alloc-relaxed", "stream s0; begin s0 relaxed; alloc d0 64; end s0 g0" },
  { "alloc-other-thread-global", "stream s0; begin s0 global; @1 alloc d0 64 = STREAM_CAPTURE_UNSUPPORTED; "
                                 "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "alloc-other-thread-local", "stream s0; begin s0 local; @1 alloc d0 64; end s0 g0" },
  { "alloc-other-thread-relaxed", "stream s0; begin s0 relaxed; @1 alloc d0 64; end s0 g0" },
  { "alloc-in-relaxed-mode", "stream s0; begin s0 global; mode relaxed; alloc d0 64; mode global; end s0 g0" },
  { "alloc-in-local-mode",
    "stream s0; begin s0 global; mode local; alloc d0 64 = STREAM_CAPTURE_UNSUPPORTED; mode global; "
    "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "alloc-other-thread-in-local-mode",
    "stream s0; begin s0 global; @1 mode local; @1 alloc d0 64; @1 mode global; end s0 g0" },
  { "free-global", "stream s0; alloc d0 64; begin s0 global; free d0 = STREAM_CAPTURE_UNSUPPORTED; status s0 2; "
                   "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "free-relaxed", "stream s0; alloc d0 64; begin s0 relaxed; free d0; end s0 g0" },
  { "alloc-host-global", "stream s0; begin s0 global; alloc-host h0 64 = STREAM_CAPTURE_UNSUPPORTED; "
                         "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "free-host-global", "stream s0; alloc-host h0 64; begin s0 global; free-host h0 = STREAM_CAPTURE_UNSUPPORTED; "
                        "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "register-global", "stream s0; begin s0 global; register p0 = STREAM_CAPTURE_UNSUPPORTED; "
                       "end s0 g0 = STREAM_CAPTURE_INVALIDATED; unregister p0 = HOST_MEMORY_NOT_REGISTERED" },
  { "unregister-global", "stream s0; register p0; begin s0 global; unregister p0 = STREAM_CAPTURE_UNSUPPORTED; "
                         "end s0 g0 = STREAM_CAPTURE_INVALIDATED; unregister p0" },
  { "mem-info-global", "stream s0; begin s0 global; mem-info; end s0 g0" },
  { "pointer-global", "stream s0; alloc d0 64; begin s0 global; pointer d0 2; end s0 g0" },
  { "stream-create-global", "stream s0; begin s0 global; stream s1; end s0 g0" },
  { "event-create-global", "stream s0; begin s0 global; event e0; end s0 g0" },
  { "event-destroy-global", "stream s0; event e0; begin s0 global; destroy-event e0; end s0 g0" },
  { "stream-destroy-global", "stream s0; stream s1; begin s0 global; destroy-stream s1; end s0 g0" },
  { "sync-context-global", "stream s0; begin s0 global; sync-context = STREAM_CAPTURE_UNSUPPORTED; "
                           "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "sync-context-relaxed", "stream s0; begin s0 relaxed; sync-context = STREAM_CAPTURE_UNSUPPORTED; "
                            "status s0 2; end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "sync-context-other-thread-local", "stream s0; begin s0 local; @1 sync-context = STREAM_CAPTURE_UNSUPPORTED; "
                                       "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "instantiate-global", "stream s0; graph g1; begin s0 global; instantiate x0 g1 = STREAM_CAPTURE_UNSUPPORTED; "
                          "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "graph-create-global", "stream s0; begin s0 global; graph g1; add-empty n0 g1; destroy-graph g1; end s0 g0" },
  { "destroy-exec-global", "stream s0; graph g1; instantiate x0 g1; begin s0 global; "
                           "destroy-exec x0 = STREAM_CAPTURE_UNSUPPORTED; end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "upload-in-capture", "stream s0; graph g1; instantiate x0 g1; begin s0 global; "
                         "upload x0 s0 = STREAM_CAPTURE_UNSUPPORTED; end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "upload-other-stream",
    "stream s0; stream s1; graph g1; instantiate x0 g1; begin s0 global; upload x0 s1; end s0 g0" },
  { "launch-other-stream",
    "stream s0; stream s1; graph g1; instantiate x0 g1; begin s0 global; launch x0 s1; end s0 g0" },

  /* Waiting and asking. */
  { "sync-captured", "stream s0; begin s0 global; sync s0 = STREAM_CAPTURE_UNSUPPORTED; "
                     "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "sync-captured-relaxed", "stream s0; begin s0 relaxed; sync s0 = STREAM_CAPTURE_UNSUPPORTED; "
                             "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "query-captured", "stream s0; begin s0 global; query s0 = STREAM_CAPTURE_UNSUPPORTED; "
                      "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "sync-other", "stream s0; stream s1; begin s0 global; sync s1 = STREAM_CAPTURE_UNSUPPORTED; "
                  "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "sync-other-relaxed", "stream s0; stream s1; begin s0 relaxed; sync s1; end s0 g0" },
  { "sync-other-thread-global", "stream s0; stream s1; begin s0 global; @1 sync s1 = STREAM_CAPTURE_UNSUPPORTED; "
                                "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "sync-other-thread-local", "stream s0; stream s1; begin s0 local; @1 sync s1; end s0 g0" },
  { "query-other", "stream s0; stream s1; begin s0 global; query s1 = STREAM_CAPTURE_UNSUPPORTED; "
                   "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "sync-legacy", "stream s0; begin s0 global; sync legacy = STREAM_CAPTURE_IMPLICIT; "
                   "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "sync-legacy-non-blocking", "stream s0 nb; begin s0 global; sync legacy = STREAM_CAPTURE_UNSUPPORTED; "
                                "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "query-legacy", "stream s0; begin s0 global; query legacy = STREAM_CAPTURE_IMPLICIT; "
                    "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "status-legacy", "stream s0; begin s0 global; status legacy 0 = STREAM_CAPTURE_IMPLICIT; end s0 g0" },
  { "status-legacy-non-blocking", "stream s0 nb; begin s0 global; status legacy 0; end s0 g0" },
  { "info-legacy", "stream s0; begin s0 global; info legacy 0 = STREAM_CAPTURE_IMPLICIT; end s0 g0" },
  { "sync-event-uncaptured",
    "stream s0; event e0; record e0 s0; begin s0 global; sync-event e0 = STREAM_CAPTURE_UNSUPPORTED; "
    "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "query-event-uncaptured", "stream s0; event e0; record e0 s0; sync s0; begin s0 global; "
                              "query-event e0 = STREAM_CAPTURE_UNSUPPORTED; end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "query-event-uncaptured-relaxed",
    "stream s0; event e0; record e0 s0; sync s0; begin s0 relaxed; query-event e0; end s0 g0" },
  { "query-event-uncaptured-other-thread",
    "stream s0; event e0; record e0 s0; sync s0; begin s0 global; "
    "@1 query-event e0 = STREAM_CAPTURE_UNSUPPORTED; end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "query-event-never-recorded", "stream s0; event e0; begin s0 global; query-event e0 = STREAM_CAPTURE_UNSUPPORTED; "
                                  "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "query-event-captured", "stream s0; event e0; begin s0 global; record e0 s0; query-event e0 = CAPTURED_EVENT; "
                            "status s0 2; end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "query-event-captured-relaxed",
    "stream s0; event e0; begin s0 relaxed; record e0 s0; query-event e0 = CAPTURED_EVENT; "
    "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "sync-event-captured", "stream s0; event e0; begin s0 global; record e0 s0; sync-event e0 = CAPTURED_EVENT; "
                           "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "elapsed-captured", "stream s0; event e0; event e1; record e1 s0; sync s0; begin s0 global; record e0 s0; "
                        "elapsed e1 e0 = CAPTURED_EVENT; end s0 g0" },
  { "elapsed-uncaptured", "stream s0; event e0; event e1; record e0 s0; record e1 s0; sync s0; begin s0 global; "
                          "elapsed e0 e1; end s0 g0" },
  { "query-event-after-capture",
    "stream s0; event e0; begin s0 global; record e0 s0; end s0 g0; query-event e0 = INVALID_VALUE; "
    "sync-event e0 = INVALID_VALUE" },
  { "wait-event-after-capture", "stream s0; stream s1; event e0; begin s0 global; record e0 s0; end s0 g0; "
                                "wait s1 e0 = INVALID_VALUE" },
  { "record-again-after-capture",
    "stream s0; event e0; begin s0 global; record e0 s0; end s0 g0; record e0 s0; sync-event e0" },
  { "wait-in-new-capture-for-old", "stream s0; event e0; begin s0 global; record e0 s0; end s0 g0; begin s0 global; "
                                   "wait s0 e0 = INVALID_VALUE; status s0 2; end s0 g1 = STREAM_CAPTURE_INVALIDATED" },

  /* The legacy stream beside captures. */
  { "set-legacy", "stream s0; alloc d0 64; begin s0 global; set legacy d0 1 = STREAM_CAPTURE_IMPLICIT; "
                  "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "set-legacy-non-blocking", "stream s0 nb; alloc d0 64; begin s0 global; set legacy d0 1; end s0 g0" },
  { "set-legacy-relaxed", "stream s0; alloc d0 64; begin s0 relaxed; set legacy d0 1 = STREAM_CAPTURE_IMPLICIT; "
                          "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "set-legacy-other-thread", "stream s0; alloc d0 64; begin s0 local; @1 set legacy d0 1 = STREAM_CAPTURE_IMPLICIT; "
                               "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "set-sync", "stream s0; alloc d0 64; begin s0 global; set-sync d0 1 = STREAM_CAPTURE_IMPLICIT; "
                "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "set-sync-non-blocking", "stream s0 nb; alloc d0 64; begin s0 global; set-sync d0 1; end s0 g0" },
  { "copy-sync", "stream s0; alloc d0 64; alloc d1 64; begin s0 global; "
                 "copy-sync d0 d1 = STREAM_CAPTURE_IMPLICIT; end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "copy-sync-non-blocking", "stream s0 nb; alloc d0 64; alloc d1 64; begin s0 global; copy-sync d0 d1; end s0 g0" },
  { "copy-sync-non-blocking-relaxed",
    "stream s0 nb; alloc d0 64; alloc d1 64; begin s0 relaxed; copy-sync d0 d1; end s0 g0" },
  { "to-device", "stream s0; alloc d0 64; begin s0 global; to-device d0 p0 = STREAM_CAPTURE_IMPLICIT; "
                 "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "to-device-non-blocking", "stream s0 nb; alloc d0 64; begin s0 global; to-device d0 p0; end s0 g0" },
  { "record-legacy", "stream s0; event e0; begin s0 global; record e0 legacy = STREAM_CAPTURE_IMPLICIT; "
                     "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "wait-legacy", "stream s0; event e0; begin s0 global; record e0 s0; wait legacy e0 = STREAM_CAPTURE_IMPLICIT; "
                   "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "wait-legacy-non-blocking", "stream s0 nb; event e0; begin s0 global; record e0 s0; "
                                "wait legacy e0 = STREAM_CAPTURE_IMPLICIT; end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "other-stream-works", "stream s0; stream s1; alloc d0 64; begin s0 global; set s1 d0 9; end s0 g0; check d0 9" },

  /* After a failure. */
  { "work-after-invalidation",
    "stream s0; alloc d0 64; begin s0 global; sync s0 = STREAM_CAPTURE_UNSUPPORTED; "
    "set s0 d0 1 = STREAM_CAPTURE_INVALIDATED; host s0 = STREAM_CAPTURE_INVALIDATED; status s0 2; "
    "sync s0 = STREAM_CAPTURE_UNSUPPORTED; query s0 = STREAM_CAPTURE_UNSUPPORTED; "
    "end s0 g0 = STREAM_CAPTURE_INVALIDATED; set s0 d0 1; sync s0" },
  { "event-after-invalidation",
    "stream s0; stream s1; event e0; event e1; begin s0 global; record e0 s0; "
    "sync s0 = STREAM_CAPTURE_UNSUPPORTED; record e1 s0 = STREAM_CAPTURE_INVALIDATED; "
    "wait s1 e0 = INVALID_VALUE; wait s0 e0 = STREAM_CAPTURE_INVALIDATED; "
    "begin s0 global = ILLEGAL_STATE; info s0 2; end s0 g0 = STREAM_CAPTURE_INVALIDATED; status s1 0" },
  { "alloc-after-invalidation", "stream s0; begin s0 global; sync s0 = STREAM_CAPTURE_UNSUPPORTED; "
                                "alloc d0 64 = STREAM_CAPTURE_UNSUPPORTED; end s0 g0 = STREAM_CAPTURE_INVALIDATED" },

  /* Forks and joins. */
  { "fork-join", "stream s0; stream s1; event e0; event e1; alloc d0 64; alloc d1 64; begin s0 global; "
                 "set s0 d0 1; record e0 s0; wait s1 e0; status s1 1; set s1 d1 2; record e1 s1; wait s0 e1; "
                 "set s0 d0 3; end s0 g0; status s1 0; nodes g0 3 3; instantiate x0 g0; "
                 "launch x0 s0; sync s0; check d0 3; check d1 2" },
  { "fork-join-diamond", "stream s0; stream s1; event e0; event e1; alloc d0 64; alloc d1 64; begin s0 global; "
                         "set s0 d0 1; record e0 s0; wait s1 e0; set s1 d1 2; set s0 d0 5; record e1 s1; wait s0 e1; "
                         "info s0 1 2; set s0 d0 3; end s0 g0; nodes g0 4 4" },
  /* After a join a stream goes on from both ends: so does who waits for an event in it. */
  { "event-after-join",
    "stream s0; stream s1; stream s2; event e0; event e1; event e2; event e3; alloc d0 64; alloc d1 64; alloc d2 64; "
    "begin s0 global; record e0 s0; wait s1 e0; set s0 d0 1; set s1 d1 2; record e1 s1; wait s0 e1; record e2 s0; "
    "wait s2 e2; info s2 1 2; copy s2 d2 d1; record e3 s2; wait s0 e3; end s0 g0; nodes g0 3 2; instantiate x0 g0; "
    "launch x0 s0; sync s0; check d0 1; check d2 2" },
  { "event-after-join-of-three",
    "stream s0; stream s1; stream s2; stream s3; event e0; event e1; event e2; event e3; event e4; alloc d0 64; "
    "begin s0 global; host s0; record e0 s0; wait s1 e0; wait s2 e0; host s0; host s1; host s2; record e1 s1; "
    "record e2 s2; wait s0 e1; wait s0 e2; record e3 s0; wait s3 e3; info s3 1 3; set s3 d0 4; record e4 s3; "
    "wait s0 e4; end s0 g0; nodes g0 5 6; instantiate x0 g0; launch x0 s0; sync s0; check c 4; check d0 4" },
  { "event-recorded-again",
    "stream s0; stream s1; stream s2; event e0; event e1; alloc d0 64; alloc d1 64; begin s0 global; record e0 s0; "
    "wait s1 e0; set s0 d0 1; set s1 d1 2; record e0 s1; wait s0 e0; record e0 s0; set s0 d0 3; wait s2 e0; "
    "info s2 1 2; host s2; record e1 s2; wait s0 e1; end s0 g0; nodes g0 4 4" },
  { "unjoined", "stream s0; stream s1; event e0; alloc d0 64; begin s0 global; record e0 s0; wait s1 e0; "
                "set s1 d0 1; end s0 g0 = STREAM_CAPTURE_UNJOINED; status s0 0; status s1 0" },
  { "unjoined-without-work", "stream s0; stream s1; event e0; alloc d0 64; begin s0 global; set s0 d0 1; record e0 s0; "
                             "wait s1 e0; end s0 g0; status s1 0" },
  { "unjoined-without-work-at-start",
    "stream s0; stream s1; event e0; begin s0 global; record e0 s0; wait s1 e0; end s0 g0; "
    "status s1 0" },
  { "joined-then-more", "stream s0; stream s1; event e0; event e1; alloc d0 64; begin s0 global; record e0 s0; "
                        "wait s1 e0; set s1 d0 1; record e1 s1; wait s0 e1; set s1 d0 2; "
                        "end s0 g0 = STREAM_CAPTURE_UNJOINED" },
  { "joined-through-third",
    "stream s0; stream s1; stream s2; event e0; event e1; event e2; alloc d0 64; begin s0 global; "
    "record e0 s0; wait s1 e0; set s1 d0 1; record e1 s1; wait s2 e1; set s2 d0 2; record e2 s2; "
    "wait s0 e2; end s0 g0; nodes g0 2 1" },
  { "end-at-branch", "stream s0; stream s1; event e0; begin s0 global; record e0 s0; wait s1 e0; "
                     "end s1 g0 = STREAM_CAPTURE_UNMATCHED; status s0 2; status s1 2; "
                     "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "begin-on-branch", "stream s0; stream s1; event e0; begin s0 global; record e0 s0; wait s1 e0; "
                       "begin s1 global = ILLEGAL_STATE; end s0 g0" },
  { "branch-fails", "stream s0; stream s1; event e0; begin s0 global; record e0 s0; wait s1 e0; "
                    "sync s1 = STREAM_CAPTURE_UNSUPPORTED; status s0 2; end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "isolation", "stream s0; stream s1; event e0; record e0 s1; begin s0 global; "
                 "wait s0 e0 = STREAM_CAPTURE_ISOLATION; end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "isolation-relaxed", "stream s0; stream s1; event e0; record e0 s1; begin s0 relaxed; "
                         "wait s0 e0 = STREAM_CAPTURE_ISOLATION; end s0 g0 = STREAM_CAPTURE_INVALIDATED" },
  { "wait-never-recorded", "stream s0; event e0; begin s0 global; wait s0 e0; status s0 1; end s0 g0" },
  { "merge", "stream s0; stream s1; event e0; begin s0 global; begin s1 global; record e0 s0; "
             "wait s1 e0 = STREAM_CAPTURE_MERGE; status s0 2; status s1 2; "
             "end s0 g0 = STREAM_CAPTURE_INVALIDATED; "
             "end s1 g1 = STREAM_CAPTURE_INVALIDATED" },
  { "join-other-thread", "stream s0; stream s1; event e0; event e1; alloc d0 64; begin s0 local; record e0 s0; "
                         "@1 wait s1 e0; @1 set s1 d0 1; @1 record e1 s1; wait s0 e1; end s0 g0; nodes g0 1" },
  { "external-record", "stream s0; event e0; begin s0 global; record e0 s0 external; end s0 g0; nodes g0 1; "
                       "type-of g0 0 7; instantiate x0 g0; launch x0 s0; sync-event e0" },
  { "external-wait", "stream s0; stream s1; event e0; record e0 s1; begin s0 global; wait s0 e0 external; end s0 g0; "
                     "nodes g0 1; type-of g0 0 6" },
  { "external-record-outside", "stream s0; event e0; record e0 s0 external = ILLEGAL_STATE; sync s0" },
  { "external-wait-outside", "stream s0; event e0; record e0 s0; wait s0 e0 external = ILLEGAL_STATE; sync s0" },
  { "destroy-event-in-capture",
    "stream s0; stream s1; event e0; event e1; alloc d0 64; begin s0 global; record e0 s0; "
    "wait s1 e0; destroy-event e0; set s1 d0 1; record e1 s1; wait s0 e1; destroy-event e1; "
    "end s0 g0; nodes g0 1" },
  { "destroy-branch-stream", "stream s0; stream s1; event e0; alloc d0 64; begin s0 global; record e0 s0; wait s1 e0; "
                             "set s1 d0 1; destroy-stream s1; status s0 1; end s0 g0 = STREAM_CAPTURE_UNJOINED" },

  /* Memory in stream order becomes nodes on CUDA; here it is refused. */
  { "alloc-async-other-stream",
    "stream s0; stream s1; begin s0 global; alloc-async d0 64 s1 = STREAM_CAPTURE_UNSUPPORTED; "
    "end s0 g0 = STREAM_CAPTURE_INVALIDATED" },

  /* Capture into a given graph. */
  { "begin-to-graph", "stream s0; alloc d0 64; graph g0; add-set n0 g0 d0 1; begin-to s0 g0 global n0; set s0 d0 2; "
                      "end s0 g0; nodes g0 2 1; instantiate x0 g0; launch x0 s0; sync s0; check d0 2" },
  { "begin-to-graph-no-dependency",
    "stream s0; alloc d0 64; graph g0; add-set n0 g0 d0 1; begin-to s0 g0 global; set s0 d0 2; "
    "end s0 g0; nodes g0 2 0" },
  { "begin-to-graph-fails",
    "stream s0; alloc d0 64; graph g0; add-set n0 g0 d0 1; begin-to s0 g0 global n0; set s0 d0 2; "
    "sync s0 = STREAM_CAPTURE_UNSUPPORTED; end s0 g0 = STREAM_CAPTURE_INVALIDATED; "
    "nodes g0 2 = INVALID_VALUE" },
  { "begin-to-graph-twice",
    "stream s0; stream s1; graph g0; begin-to s0 g0 global; begin-to s1 g0 global = ILLEGAL_STATE; "
    "end s0 g0; end s1 g0 = ILLEGAL_STATE" },
  { "begin-to-foreign-node",
    "stream s0; graph g0; graph g1; add-empty n0 g1; begin-to s0 g0 global n0 = INVALID_VALUE; "
    "status s0 0" },
  { "set-dependencies", "stream s0; alloc d0 64; begin s0 global; set s0 d0 1; depend s0 1; set s0 d0 2; end s0 g0; "
                        "nodes g0 2 0" },
  { "set-dependencies-outside", "stream s0; depend s0 1 = ILLEGAL_STATE" },
  /* When one capture into a graph has ended, the next may begin.  As the documents say; not yet held against a GPU. */
  { "begin-to-graph-again",
    "stream s0; stream s1; alloc d0 64; graph g0; begin-to s0 g0 global; set s0 d0 2; end s0 g0; take n0 g0 0; "
    "begin-to s1 g0 global n0; set s1 d0 3; end s1 g0; nodes g0 2 1; begin-to s0 g0 global; end s0 g0; nodes g0 2 1; "
    "instantiate x0 g0; launch x0 s0; sync s0; check d0 3" },
  { "begin-to-captured-graph",
    "stream s0; alloc d0 64; begin s0 global; set s0 d0 2; end s0 g0; take n0 g0 0; begin-to s0 g0 global n0; "
    "set s0 d0 4; end s0 g0; nodes g0 2 1; instantiate x0 g0; launch x0 s0; sync s0; check d0 4" },
};
