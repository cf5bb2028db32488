/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-module-private.h"
#include "kernel/leat-kernel-source.h"

G_BEGIN_DECLS

/* Kernels on a device as an application loads them by hand. */
LeatModule *leat_bench_module_load (LeatDevice *device, LeatKernelSource *source, GError **error);

G_END_DECLS
