/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "cuda-script.h"

/* Graphs made node by node, executables, changes to them. */
static const CudaCase cuda_graph_cases[] = {
  { "empty", "graph g0; nodes g0 0 0; instantiate x0 g0; stream s0; launch x0 s0; sync s0" },
  { "chain", "graph g0; alloc d0 64; alloc d1 64; add-set n0 g0 d0 6; add-copy n1 g0 d1 d0 n0; "
             "add-host n2 g0 n1; nodes g0 3 2; type-of g0 0 2; type-of g0 1 1; type-of g0 2 3; "
             "instantiate x0 g0; stream s0; launch x0 s0; sync s0; check d1 6; check c 1" },
  { "twice", "graph g0; add-host n0 g0; instantiate x0 g0; stream s0; stream s1; launch x0 s0; launch x0 s1; "
             "launch x0 s0; sync s0; sync s1; check c 3" },
  { "in-order-across-streams", "graph g0; add-host n0 g0; instantiate x0 g0; stream s0 nb; stream s1 nb; block s0; "
                               "launch x0 s0; launch x0 s1; query s1 = NOT_READY; open; sync s0; sync s1; check c 2" },
  { "branches", "graph g0; alloc d0 64; alloc d1 64; add-host n0 g0; add-host n1 g0 n0; add-host n2 g0 n0; "
                "add-set n3 g0 d0 1 n1 n2; nodes g0 4 4; instantiate x0 g0; stream s0; launch x0 s0; sync s0; "
                "check c 3; check d0 1" },
  { "cycle", "graph g0; add-empty n0 g0; add-empty n1 g0 n0; edge g0 n1 n0; instantiate x0 g0 = INVALID_VALUE" },
  { "edge-to-itself", "graph g0; add-empty n0 g0; edge g0 n0 n0 = INVALID_VALUE" },
  { "edge-twice", "graph g0; add-empty n0 g0; add-empty n1 g0; edge g0 n0 n1; edge g0 n0 n1 = INVALID_VALUE; "
                  "nodes g0 2 1" },
  { "edge-foreign", "graph g0; graph g1; add-empty n0 g0; add-empty n1 g1; edge g0 n0 n1 = INVALID_VALUE" },
  { "dependency-foreign", "graph g0; graph g1; add-empty n0 g0; add-empty n1 g1 n0 = INVALID_VALUE" },
  { "dependency-twice", "graph g0; add-empty n0 g0; add-empty n1 g0 n0 n0 = INVALID_VALUE" },
  { "remove-edge", "graph g0; add-empty n0 g0; add-empty n1 g0 n0; nodes g0 2 1; remove-edge g0 n0 n1; "
                   "nodes g0 2 0; remove-edge g0 n0 n1 = INVALID_VALUE" },
  { "remove-node", "graph g0; add-empty n0 g0; add-empty n1 g0 n0; add-empty n2 g0 n1; remove-node n1; nodes g0 2 0" },
  { "set-null", "graph g0; add-set n0 g0 d0 1 = INVALID_VALUE" },
  { "copy-null", "graph g0; alloc d1 64; add-copy n0 g0 d0 d1 = INVALID_VALUE" },
  { "clone", "graph g0; alloc d0 64; add-set n0 g0 d0 1; add-empty n1 g0 n0; clone g1 g0; nodes g1 2 1; "
             "find n2 n0 g1; find n3 n0 g0 = INVALID_VALUE; destroy-graph g0; instantiate x0 g1; stream s0; "
             "launch x0 s0; sync s0; check d0 1" },
  { "child", "graph g0; graph g1; alloc d0 64; add-set n0 g1 d0 3; add-child n1 g0 g1; add-host n2 g0 n1; "
             "destroy-graph g1; instantiate x0 g0; stream s0; launch x0 s0; sync s0; check d0 3; check c 1" },
  { "graph-destroyed-before-launch",
    "graph g0; add-host n0 g0; instantiate x0 g0; destroy-graph g0; stream s0; launch x0 s0; "
    "sync s0; check c 1" },
  { "exec-destroyed-in-flight", "graph g0; add-host n0 g0; instantiate x0 g0; stream s0; block s0; launch x0 s0; "
                                "destroy-exec x0; open; sync s0; check c 1" },
  { "instantiate-flags", "graph g0; instantiate x0 g0 1024 = INVALID_VALUE" },
  { "upload", "graph g0; add-host n0 g0; instantiate x0 g0; stream s0; upload x0 s0; launch x0 s0; sync s0; "
              "check c 1" },
  { "change-set", "graph g0; alloc d0 64; add-set n0 g0 d0 1; instantiate x0 g0; stream s0; launch x0 s0; sync s0; "
                  "check d0 1; change-set x0 n0 d0 2; launch x0 s0; sync s0; check d0 2" },
  { "change-set-in-flight", "graph g0; alloc d0 64; alloc d1 64; alloc d2 64; add-set n0 g0 d0 1; instantiate x0 g0; "
                            "stream s0; set s0 d0 0; set s0 d1 0; block s0; launch x0 s0; change-set x0 n0 d1 2; "
                            "launch x0 s0; open; sync s0; check d0 1; check d1 2" },
  { "change-set-width", "graph g0; alloc d0 64; add-set n0 g0 d0 1; instantiate x0 g0; change-set x0 n0 d0 2 8" },
  { "change-set-wrong-node",
    "graph g0; alloc d0 64; add-empty n0 g0; instantiate x0 g0; change-set x0 n0 d0 2 = INVALID_VALUE" },
  { "change-set-foreign-node",
    "graph g0; graph g1; alloc d0 64; add-set n0 g0 d0 1; add-set n1 g1 d0 1; instantiate x0 g0; "
    "change-set x0 n1 d0 2 = INVALID_VALUE" },
  { "change-copy", "graph g0; alloc d0 64; alloc d1 64; alloc d2 64; set-sync d1 4; set-sync d2 5; "
                   "add-copy n0 g0 d0 d1; instantiate x0 g0; stream s0; change-copy x0 n0 d0 d2; launch x0 s0; "
                   "sync s0; check d0 5" },
  { "change-copy-kind",
    "graph g0; alloc d0 64; alloc d1 64; alloc-host h0 64; add-copy n0 g0 d0 d1; instantiate x0 g0; "
    "change-copy x0 n0 d0 h0" },
  { "disable", "graph g0; alloc d0 64; add-set n0 g0 d0 1; instantiate x0 g0; stream s0; set s0 d0 9; "
               "enabled x0 n0 1; enable x0 n0 0; enabled x0 n0 0; launch x0 s0; sync s0; check d0 9; "
               "enable x0 n0 1; launch x0 s0; sync s0; check d0 1" },
  { "disable-host", "graph g0; add-host n0 g0; instantiate x0 g0; enable x0 n0 0 = INVALID_VALUE" },
  { "disable-empty", "graph g0; add-empty n0 g0; instantiate x0 g0; enable x0 n0 0 = INVALID_VALUE" },
  { "update", "graph g0; graph g1; alloc d0 64; add-set n0 g0 d0 1; add-host n1 g0 n0; add-set n2 g1 d0 2; "
              "add-host n3 g1 n2; instantiate x0 g0; update x0 g1 0; stream s0; launch x0 s0; sync s0; "
              "check d0 2" },
  { "update-more-nodes", "graph g0; graph g1; add-empty n0 g0; add-empty n1 g1; add-empty n2 g1; instantiate x0 g0; "
                         "update x0 g1 2 = GRAPH_EXEC_UPDATE_FAILURE" },
  { "update-other-edges", "graph g0; graph g1; add-empty n0 g0; add-empty n1 g0 n0; add-empty n2 g1; add-empty n3 g1; "
                          "instantiate x0 g0; update x0 g1 2 = GRAPH_EXEC_UPDATE_FAILURE" },
  { "update-other-type", "graph g0; graph g1; alloc d0 64; add-empty n0 g0; add-set n1 g1 d0 1; instantiate x0 g0; "
                         "update x0 g1 3 = GRAPH_EXEC_UPDATE_FAILURE" },
  { "update-copy-kind", "graph g0; graph g1; alloc d0 64; alloc d1 64; alloc-host h0 64; add-copy n0 g0 d0 d1; "
                        "add-copy n1 g1 d0 h0; instantiate x0 g0; "
                        "update x0 g1 0" },
  { "update-captured", "stream s0; alloc d0 64; begin s0 global; set s0 d0 1; host s0; end s0 g0; begin s0 global; "
                       "set s0 d0 2; host s0; end s0 g1; instantiate x0 g0; update x0 g1 0; launch x0 s0; sync s0; "
                       "check d0 2" },
  { "event-nodes", "graph g0; event e0; event e1; alloc d0 64; add-record n0 g0 e0; add-set n1 g0 d0 4 n0; "
                   "add-record n2 g0 e1 n1; instantiate x0 g0; stream s0; stream s1; launch x0 s0; wait s1 e1; "
                   "sync s1; check d0 4; elapsed e0 e1" },
  { "event-node-pending",
    "graph g0; event e0; add-record n0 g0 e0; instantiate x0 g0; stream s0; record e0 s0; sync s0; "
    "block s0; launch x0 s0; query-event e0 = NOT_READY; open; sync-event e0" },
  { "wait-node", "graph g0; event e0; add-wait n0 g0 e0; add-host n1 g0 n0; instantiate x0 g0; stream s0 nb; "
                 "stream s1 nb; block s0; record e0 s0; launch x0 s1; query s1 = NOT_READY; open; sync s1; "
                 "check c 1" },
  { "if-taken", "graph g0; alloc d0 64; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; add-set n1 g1 d0 5; "
                "set-sync d0 0; instantiate x0 g0; stream s0; launch x0 s0; sync s0; check d0 5" },
  { "if-not-taken", "graph g0; alloc d0 64; condition c0 g0 0 assign; add-if n0 g0 c0 0 1 g1; add-set n1 g1 d0 5; "
                    "set-sync d0 0; instantiate x0 g0; stream s0; launch x0 s0; sync s0; check d0 0" },
  { "if-else", "graph g0; alloc d0 64; condition c0 g0 0 assign; add-if n0 g0 c0 0 2 g1; add-set n1 g1 d0 5; "
               "add-set n2 g2 d0 6; instantiate x0 g0; stream s0; launch x0 s0; sync s0; check d0 6" },
  { "switch", "graph g0; alloc d0 64; condition c0 g0 2 assign; add-if n0 g0 c0 2 3 g1; add-set n1 g1 d0 5; "
              "add-set n2 g2 d0 6; add-set n3 g3 d0 7; instantiate x0 g0; stream s0; launch x0 s0; sync s0; "
              "check d0 7" },
  { "switch-beyond", "graph g0; alloc d0 64; condition c0 g0 9 assign; add-if n0 g0 c0 2 1 g1; add-set n1 g1 d0 5; "
                     "set-sync d0 0; instantiate x0 g0; stream s0; launch x0 s0; sync s0; check d0 0" },
  { "while-never", "graph g0; alloc d0 64; condition c0 g0 0 assign; add-if n0 g0 c0 1 1 g1; add-set n1 g1 d0 5; "
                   "set-sync d0 0; instantiate x0 g0; stream s0; launch x0 s0; sync s0; check d0 0" },
  { "while-two-bodies", "graph g0; condition c0 g0 0; add-if n0 g0 c0 1 2 g1 = INVALID_VALUE" },
  { "if-three-bodies", "graph g0; condition c0 g0 0; add-if n0 g0 c0 0 3 g1 = INVALID_VALUE" },
  { "condition-unused", "graph g0; condition c0 g0 0; instantiate x0 g0 = INVALID_VALUE" },
  { "condition-used-twice", "graph g0; alloc d0 64; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; "
                            "add-if n1 g0 c0 0 1 g2 n0 = INVALID_VALUE; instantiate x0 g0" },
  { "condition-of-other-graph", "graph g0; graph g5; condition c0 g5 1; add-if n0 g0 c0 0 1 g1 = INVALID_VALUE" },
  { "host-in-body", "graph g0; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; add-host n1 g1; "
                    "instantiate x0 g0 = INVALID_VALUE" },
  { "event-in-body", "graph g0; event e0; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; add-record n1 g1 e0; "
                     "instantiate x0 g0 = INVALID_VALUE" },
  { "clone-conditional", "graph g0; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; clone g5 g0 = NOT_SUPPORTED" },
  { "child-conditional", "graph g0; graph g5; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; "
                         "add-child n2 g5 g0 = NOT_SUPPORTED; instantiate x0 g5" },
  { "instantiate-conditional-twice", "graph g0; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; instantiate x0 g0; "
                                     "instantiate x1 g0 = NOT_SUPPORTED; destroy-exec x0; instantiate x2 g0" },
  { "remove-conditional", "graph g0; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; remove-node n0; "
                          "instantiate x0 g0 = INVALID_VALUE" },
  { "replace-conditional",
    "graph g0; alloc d0 64; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; remove-node n0; add-if n0 g0 c0 0 1 g1; "
    "add-set n1 g1 d0 5; instantiate x0 g0; stream s0; launch x0 s0; sync s0; check d0 5" },
  { "condition-of-body-in-root",
    "graph g0; condition c0 g0 0 assign; add-if n0 g0 c0 0 1 g1; condition c1 g1 1 assign; "
    "add-if n1 g0 c1 0 1 g2" },
  { "destroy-body", "graph g0; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; destroy-graph g1 = INVALID_VALUE" },
  { "nested-if", "graph g0; alloc d0 64; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; "
                 "condition c1 g1 1 assign; add-if n1 g1 c1 0 1 g2; add-set n2 g2 d0 8; instantiate x0 g0; "
                 "stream s0; launch x0 s0; sync s0; check d0 8" },
  { "nested-if-root-handle", "graph g0; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; condition c1 g0 1 assign; "
                             "add-if n1 g1 c1 0 1 g2; instantiate x0 g0" },
  { "capture-to-body", "stream s0; graph g0; alloc d0 64; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; "
                       "begin-to s0 g1 global; set s0 d0 9; end s0 g1; nodes g1 1; instantiate x0 g0; launch x0 s0; "
                       "sync s0; check d0 9" },
  { "update-conditional",
    "graph g0; alloc d0 64; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; add-set n1 g1 d0 5; "
    "instantiate x0 g0; graph g5; condition c1 g5 1 assign; add-if n2 g5 c1 0 1 g6; "
    "add-set n3 g6 d0 6; update x0 g5 0; stream s0; launch x0 s0; sync s0; check d0 6" },
  { "update-conditional-default",
    "graph g0; alloc d0 64; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; add-set n1 g1 d0 5; "
    "instantiate x0 g0; set-sync d0 2; graph g5; condition c1 g5 0 assign; add-if n2 g5 c1 0 1 g6; "
    "add-set n3 g6 d0 6; update x0 g5 0; stream s0; launch x0 s0; sync s0; check d0 2" },
  { "update-conditional-in-flight",
    "graph g0; alloc d0 64; alloc d1 64; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; "
    "add-set n1 g1 d0 5; instantiate x0 g0; graph g5; condition c1 g5 1 assign; "
    "add-if n2 g5 c1 0 1 g6; add-set n3 g6 d1 6; stream s0; block s0; launch x0 s0; update x0 g5 0; "
    "launch x0 s0; open; sync s0; check d0 5; check d1 6" },
  /* From here on as the documents say; not yet held against a GPU. */
  { "lists-as-many-as-there-is-room-for",
    "graph g0; add-empty n0 g0; add-empty n1 g0; add-empty n2 g0 n0 n1; add-empty n3 g0 n2; add-empty n4 g0 n2; "
    "list nodes g0 4 4; list nodes g0 5 5; list nodes g0 6 5; list roots g0 1 1; list roots g0 2 2; list roots g0 3 2; "
    "list edges g0 1 1; list edges g0 3 3; list edges g0 4 4; list edges g0 5 4; list edges g0 60 4; "
    "list before n2 1 1; list before n2 2 2; list before n2 3 2; list before n0 3 0; list after n2 1 1; "
    "list after n2 2 2; list after n2 3 2; list after n4 3 0" },
  { "lists-nothing-of-an-empty-graph", "graph g0; list nodes g0 3 0; list roots g0 3 0; list edges g0 3 0" },
  { "pageable-copy-in-body",
    "graph g0; alloc d0 64; alloc-host h0 64; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; add-copy n1 g1 d0 p0; "
    "instantiate x0 g0 = INVALID_VALUE; remove-node n1; add-copy n1 g1 d0 h0; instantiate x0 g0; "
    "change-copy x0 n1 d0 p0 = INVALID_VALUE; change-copy x0 n1 d0 h0; poke h0 9; stream s0; launch x0 s0; sync s0; "
    "check d0 9" },
  { "child-in-body",
    "graph g0; graph g5; alloc d0 64; add-set n5 g5 d0 3; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; "
    "add-child n1 g1 g5; instantiate x0 g0; stream s0; launch x0 s0; sync s0; check d0 3" },
  { "host-in-child-of-body",
    "graph g0; graph g5; add-host n5 g5; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; add-child n1 g1 g5; "
    "instantiate x0 g0 = INVALID_VALUE" },
  { "body-alone", "graph g0; alloc d0 64; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; add-set n1 g1 d0 5; "
                  "instantiate x0 g1 = NOT_SUPPORTED; instantiate x0 g0" },
  { "change-in-body",
    "graph g0; alloc d0 64; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; add-set n1 g1 d0 5; instantiate x0 g0; "
    "change-set x0 n1 d0 6; stream s0; launch x0 s0; sync s0; check d0 6; enable x0 n1 0; set-sync d0 1; launch x0 s0; "
    "sync s0; check d0 1" },
  /* Changes while launches are under way: each launch has those made before it, and each change follows the one before.
   */
  { "changes-pending",
    "graph g0; alloc d0 64; alloc d1 64; alloc d2 64; alloc d3 64; add-set n0 g0 d0 1; instantiate x0 g0; stream s0; "
    "block s0; launch x0 s0; change-set x0 n0 d1 2; launch x0 s0; change-set x0 n0 d2 9; change-set x0 n0 d2 3; "
    "launch x0 s0; change-set x0 n0 d3 4; open; sync s0; check d0 1; check d1 2; check d2 3; launch x0 s0; sync s0; "
    "check d3 4" },
  { "enable-pending",
    "graph g0; alloc d0 64; alloc d1 64; add-set n0 g0 d0 1; add-set n1 g0 d1 1 n0; instantiate x0 g0; stream s0; "
    "set s0 d0 7; set s0 d1 7; block s0; launch x0 s0; set s0 d0 8; set s0 d1 8; enable x0 n0 0; enabled x0 n0 0; "
    "enabled x0 n1 1; enable x0 n1 0; enable x0 n1 1; enabled x0 n1 1; launch x0 s0; open; sync s0; check d0 8; "
    "check d1 1; enabled x0 n0 0; enable x0 n0 1; launch x0 s0; sync s0; check d0 1" },
  { "change-copy-after-pending",
    "graph g0; alloc d0 64; alloc d1 64; alloc-host h0 64; add-copy n0 g0 d0 d1; instantiate x0 g0; stream s0; "
    "set-sync d1 5; poke h0 6; poke p0 7; block s0; launch x0 s0; change-copy x0 n0 d0 p0 = INVALID_VALUE; "
    "change-copy x0 n0 d0 h0; change-copy x0 n0 d0 p0; launch x0 s0; open; sync s0; check d0 7" },
  { "change-copy-back-after-pending",
    "graph g0; alloc d0 64; alloc d1 64; alloc-host h0 64; add-copy n0 g0 d0 h0; instantiate x0 g0; stream s0; "
    "set-sync d1 5; poke h0 6; poke p0 7; block s0; launch x0 s0; change-copy x0 n0 d0 d1; "
    "change-copy x0 n0 d0 p0 = INVALID_VALUE; launch x0 s0; open; sync s0; check d0 5" },
  { "update-after-pending",
    "graph g0; graph g1; alloc d0 64; alloc d1 64; alloc-host h0 64; add-copy n0 g0 d0 d1; add-copy n1 g1 d0 p0; "
    "instantiate x0 g0; stream s0; set-sync d1 5; poke h0 6; poke p0 7; block s0; launch x0 s0; "
    "update x0 g1 5 = GRAPH_EXEC_UPDATE_FAILURE; change-copy x0 n0 d0 h0; update x0 g1 0; launch x0 s0; open; sync s0; "
    "check d0 7" },
  { "change-after-pending-update",
    "graph g0; graph g1; alloc d0 64; alloc d1 64; alloc-host h0 64; add-copy n0 g0 d0 d1; add-copy n1 g1 d0 h0; "
    "instantiate x0 g0; stream s0; poke h0 6; poke p0 7; block s0; launch x0 s0; update x0 g1 0; "
    "change-copy x0 n0 d0 p0; launch x0 s0; open; sync s0; check d0 7" },
};
