/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-case.h"

G_BEGIN_DECLS

/* The folder of this process, with the kernels of all cases in it. */
gboolean leat_bench_folder_make (LeatBench *bench, GError **error);
/* Adds the first contents of a state of 1 MiB: numbers that lead from one to another. */
gboolean leat_bench_folder_add_table (LeatBench *bench, GError **error);
void leat_bench_folder_remove (LeatBench *bench);

G_END_DECLS
