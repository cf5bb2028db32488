/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "driver/leat-cuda.h"

/* Prototypes of everything that the library exports, from the list of driver entries, so that a definition which
 * differs from the list does not compile. */
#define LEAT_CPU_EXPORT                                                __attribute__ ((visibility ("default")))
#define LEAT_ENTRY(group, need, name, exported, version, params, args) LEAT_CPU_EXPORT CUresult exported params;
#include "driver/leat-driver-entries.h"
