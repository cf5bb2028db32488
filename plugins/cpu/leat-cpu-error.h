/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "driver/leat-cuda.h"

G_BEGIN_DECLS

/* Finds a code by its name, with or without CUDA_ERROR_; FALSE when there is none. */
gboolean leat_cpu_error_from_name (const char *name, CUresult *code);

G_END_DECLS
