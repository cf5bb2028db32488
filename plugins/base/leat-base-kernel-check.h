/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Checks of a kernel's launch that need no device. */
/* Blocks that wait for all others of their grid. */
/* Whether the grid has whole clusters. */
gboolean leat_kernel_check_clusters (const LeatPrototype *prototype, const LeatKernelCall *call, GError **error);
gboolean leat_kernel_check_grid (const LeatPrototype *prototype, const LeatKernelCall *call, GError **error);

/* Of a kernel that came compiled: what it takes by value the host knows. */
gboolean leat_kernel_check_image (const LeatPrototype *prototype, LeatRecorder *recorder, GError **error);
/* Has the kernel an output, or a queue, of that name?  @property: where it stands */
gboolean leat_kernel_check_name (const LeatPrototype *prototype, LeatParamKind kind, const char *property,
                                 const char *name, GError **error);
/* The names in @text, each of an output or a queue; NULL in @found where @text is NULL. */
gboolean leat_kernel_check_names (const LeatPrototype *prototype, LeatParamKind kind, const char *property,
                                  const char *text, char ***found, GError **error);
/* The names in @text, each an output of the kernel; NULL in @cleared where @text is NULL. */
gboolean leat_kernel_check_clear (const LeatPrototype *prototype, const char *text, char ***cleared, GError **error);
/* Likewise, of outputs that the kernel changes: none of them is cleared, and none of the kernel's parameters is called
 * as the input beside it will be. */
gboolean leat_kernel_check_update (const LeatPrototype *prototype, const char *text, const char *clear, char ***updated,
                                   GError **error);
/* Refuses a launch that no device can run, or that runs outside its memory. @block: the call's, as it was written. */
gboolean leat_kernel_check_launch (const LeatPrototype *prototype, const LeatKernelCall *call, const char *block,
                                   GError **error);
/* Outputs that the kernel adds to, and that are neither cleared nor what came in. */
void leat_kernel_warn_reads (const LeatPrototype *prototype, LeatKernelSource *source, const char *const *cleared,
                             const char *const *updated, LeatRecorder *recorder);
/* Warns of source that is slow or hangs on some device: loops that wait, strides that must stay. */
void leat_kernel_warn_source (const LeatPrototype *prototype, LeatKernelSource *source, LeatRecorder *recorder);
/* Axes that the kernel uses and that have one thread. @call has its grid. */
void leat_kernel_warn_axes (const LeatPrototype *prototype, const LeatKernelCall *call, LeatRecorder *recorder);
/* Inputs whose size the kernel does not learn, where it works on more items than they have.  @n_threads: that the grid
 * has by some port; 0 where it has them by itself. */
void leat_kernel_warn_sizes (LeatNode *node, const LeatPrototype *prototype, guint64 n_threads, LeatRecorder *recorder);
/* Outputs that are large since nobody said what shape they have. */
void leat_kernel_warn_outputs (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder);

G_END_DECLS
