/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib-object.h>

G_BEGIN_DECLS

#define LEAT_SESSION_ERROR (leat_session_error_quark ())

/**
 * LeatSessionError:
 * @LEAT_SESSION_ERROR_FAILED: an earlier run failed, and the session has to be opened again
 * @LEAT_SESSION_ERROR_STATE: the session is not open, or open already
 * @LEAT_SESSION_ERROR_OVERFLOW: a node had more items to give than its output holds, or than its queue has room for;
 * the message says how many
 * @LEAT_SESSION_ERROR_ARGUMENT: a parameter of a kernel cannot hold its value, or a call was given a number that it
 * does not take
 * @LEAT_SESSION_ERROR_UNEVEN: one source ended while others had more to give; only in warnings
 * @LEAT_SESSION_ERROR_MEMO: results cannot be remembered for this pipeline, or that did not pay
 * @LEAT_SESSION_ERROR_CAPTURE: work cannot be part of a graph, and is done outside; only in warnings
 * @LEAT_SESSION_ERROR_BUSY: another thread has the session (it runs there, or is being opened or closed), or a run has
 * been launched and not completed
 * @LEAT_SESSION_ERROR_UNBOUND: a run, and a port whose memory the program brings has none
 * @LEAT_SESSION_ERROR_MEMORY: memory that cannot be bound to a port, or a port that none can be bound to
 * @LEAT_SESSION_ERROR_BATCH: inputs of a batch that do not fit, or a pipeline that takes no batches
 * @LEAT_SESSION_ERROR_REPORTED: a kernel reported an error, or a loop was over its budget: the run has no results, and
 * the session goes on
 * @LEAT_SESSION_ERROR_EVICTION: something keeps the session from leaving the device, and it is there as before
 * @LEAT_SESSION_ERROR_BUDGET: the session would take more of the device's memory than #LeatSession:budget allows
 * @LEAT_SESSION_ERROR_DEVICE: a node has work that the session's device cannot do
 * @LEAT_SESSION_ERROR_PERSISTENT: the pipeline cannot be run by a persistent kernel
 * @LEAT_SESSION_ERROR_RUNAWAY: a run took longer than #LeatSession:persistent-limit-ms allows, and was ended; it has no
 * results, and the session goes on
 * @LEAT_SESSION_ERROR_OVERRUN: something wrote behind the end of a buffer; looked for with `LEAT_POISON=1` only, and
 * where AddressSanitizer is in the program
 *
 * Errors of a session, beside those of the layers below.
 */
typedef enum
{
  LEAT_SESSION_ERROR_FAILED,
  LEAT_SESSION_ERROR_STATE,
  LEAT_SESSION_ERROR_OVERFLOW,
  LEAT_SESSION_ERROR_ARGUMENT,
  LEAT_SESSION_ERROR_UNEVEN,
  LEAT_SESSION_ERROR_MEMO,
  LEAT_SESSION_ERROR_CAPTURE,
  LEAT_SESSION_ERROR_BUSY,
  LEAT_SESSION_ERROR_UNBOUND,
  LEAT_SESSION_ERROR_MEMORY,
  LEAT_SESSION_ERROR_BATCH,
  LEAT_SESSION_ERROR_REPORTED,
  LEAT_SESSION_ERROR_EVICTION,
  LEAT_SESSION_ERROR_BUDGET,
  LEAT_SESSION_ERROR_DEVICE,
  LEAT_SESSION_ERROR_PERSISTENT,
  LEAT_SESSION_ERROR_RUNAWAY,
  LEAT_SESSION_ERROR_OVERRUN,
} LeatSessionError;

GQuark leat_session_error_quark (void);

#define LEAT_TYPE_SESSION_ERROR (leat_session_error_get_type ())
GType leat_session_error_get_type (void) G_GNUC_CONST;

G_END_DECLS
