/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The nodes and the driver of this build for a fuzzer that runs pipelines, whoever starts it.  May be called again. */
void leat_fuzz_use_build (void);

G_END_DECLS
