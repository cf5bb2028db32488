/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_TYPE_IO_FILE (leat_io_file_get_type ())
G_DECLARE_FINAL_TYPE (LeatIoFile, leat_io_file, LEAT, IO_FILE, LeatEndpoint)

extern const LeatNodeInfo leat_io_file_info;

G_END_DECLS
