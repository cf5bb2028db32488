/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_IO_NPY (leat_io_npy_get_type ())
G_DECLARE_FINAL_TYPE (LeatIoNpy, leat_io_npy, LEAT, IO_NPY, LeatEndpoint)

extern const LeatNodeInfo leat_io_npy_info;

G_END_DECLS
