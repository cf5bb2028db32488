/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "bench.h"

#include "driver/leat-driver-private.h"

/* For programs that call the driver themselves. */

static inline void
bench_must (CUresult result, const char *call)
{
  if (result != CUDA_SUCCESS)
    g_error ("%s returned %d", call, result);
}
