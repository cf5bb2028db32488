/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#define NVTX_RECORDER_EXPORT __attribute__ ((visibility ("default")))

int InitializeInjectionNvtx2 (const void *(*get_table) (unsigned int id));

/* Ranges since the last call, as "(launch(node))(wait)", and names of streams in brackets; how many are open now, and
 * the least that ever were. */
const char *nvtx_recorder_take (int *open, int *under);

typedef const char *(*NvtxRecorderTake) (int *open, int *under);
