/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* A launch of one of this plugin's kernels. */

#define LEAT_TEXT_ITEMS(id)                                                                                            \
  {                                                                                                                    \
    .kind = LEAT_ARG_ITEMS, .buffer = (id)                                                                             \
  }
#define LEAT_TEXT_COUNT(id)                                                                                            \
  {                                                                                                                    \
    .kind = LEAT_ARG_COUNT, .buffer = (id)                                                                             \
  }
#define LEAT_TEXT_VALUE(v)                                                                                             \
  {                                                                                                                    \
    .kind = LEAT_ARG_VALUE, .buffer = LEAT_BUFFER_NONE, .value = &(v), .size = sizeof (v)                              \
  }

/* @access has a letter for each argument: r for what is read, w for what is written, b for both, - for a value. */
void leat_text_call (LeatRecorder *recorder, LeatKernelSource *source, const char *entry, guint64 blocks, guint threads,
                     const LeatArg *args, const char *access);
/* A kernel file of this plugin's resources. */
LeatKernelSource *leat_text_load_source (const char *name, GError **error);

G_END_DECLS
