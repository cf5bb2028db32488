/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Common to `upload` and `readback`: the output is what the input is, in the other memory. */

/* Words for LeatTransferMode. */
extern const char *const leat_base_transfer_modes[];

gboolean leat_base_transfer_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error);
void leat_base_transfer_record (LeatRecorder *recorder, int mode);

G_END_DECLS
