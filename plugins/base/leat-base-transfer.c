/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The common part of `upload` and `readback`: the words for modes, the spec that stays the same, and the transfer.
 * Touches the node's ports `in` and `out` only. */

#include "leat-base-transfer.h"

const char *const leat_base_transfer_modes[] = {
  [LEAT_TRANSFER_AUTO] = "auto",
  [LEAT_TRANSFER_COPY] = "copy",
  [LEAT_TRANSFER_MAPPED] = "mapped",
  [LEAT_TRANSFER_KERNEL] = "kernel",
  NULL,
};

gboolean
leat_base_transfer_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  return leat_negotiation_set_output (negotiation, "out", leat_negotiation_get_input (negotiation, "in"), error);
}

void
leat_base_transfer_record (LeatRecorder *recorder, int mode)
{
  leat_recorder_add_transfer (recorder, leat_recorder_get_output (recorder, "out"),
                              leat_recorder_get_input (recorder, "in"), (LeatTransferMode) mode);
}
