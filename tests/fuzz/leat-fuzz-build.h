/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The nodes of this fuzzer and the driver of this build, where the environment names no others.  main () calls it; a
 * fuzzer that runs pipelines calls it too, as under libFuzzer that main () is not there.  May be called again. */
void leat_fuzz_use_build (void);

G_END_DECLS
