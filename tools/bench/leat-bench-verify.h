/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-tool.h"

G_BEGIN_DECLS

/* leat-bench --verify: says what is wrong with a file of evidence, or sums it up.  @requirements: (nullable):
 * NULL-terminated; @names: of all cases that there are */
LeatExit leat_bench_verify (const char *path, char **requirements, const char *const *names);

G_END_DECLS
