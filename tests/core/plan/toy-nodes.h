/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

/* Nodes for tests of planning: they record without kernels, so that nothing is compiled. */

LeatNode *toy_source_new (const char *name, const char *spec);
LeatNode *toy_sink_new (const char *name);
LeatNode *toy_upload_new (const char *name, LeatTransferMode mode);
LeatNode *toy_readback_new (const char *name, LeatTransferMode mode);
/* device to device: in -> out, a copy; with @in_place it asks for the input's memory and fills it */
LeatNode *toy_stage_new (const char *name, gboolean in_place);
/* a, b -> out: two copies into one */
LeatNode *toy_join_new (const char *name);
