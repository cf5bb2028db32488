/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Writes what compilers are given of each kernel of the plan into @folder, which is made: C++ for the CPU, CUDA C for a
 * GPU of @capability (such as 80), and index.tsv, which tells what is where. */
gboolean leat_code_write (LeatPlan *plan, const char *folder, guint capability, GError **error);

G_END_DECLS
