/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Scripts of driver calls, so that a case of the driver's behaviour is one line of a table and can be run on the CPU
 * driver and on a real one alike.
 *
 *   stream s0; begin s0 global; alloc d0 64 = STREAM_CAPTURE_UNSUPPORTED; end s0 g0 = STREAM_CAPTURE_INVALIDATED
 *
 * Statements are separated by semicolons.  Each names a verb and its objects, then what it must return (success where
 * nothing is said; `= ?` accepts all).  Objects are a letter and a number: streams s (`legacy` and `thread` are given),
 * events e, graphs g, executables x, nodes n, device memory d, pinned memory h, pageable memory p.  `@1` before a verb
 * runs it on another thread.  The verbs are listed in cuda-verbs.c.  Everything is destroyed at the script's end. */

typedef struct
{
  const char *name;
  const char *script;
} CudaCase;

/* Runs it; 0 where all statements returned what they must.  Otherwise @report says what happened.  With @record every
 * statement is written to stdout with what it returned, and nothing is a failure. */
int cuda_script_run (const char *script, char *report, unsigned int size, int record);
