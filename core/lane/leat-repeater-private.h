/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-memory-private.h"
#include "device/leat-module-private.h"
#include "kernel/leat-kernel-source.h"

G_BEGIN_DECLS

/* A loop on the device around the graph of one run: a node that does its body again and again, a kernel before it that
 * takes over how many runs there are to be, and one behind the run that counts them.  How many is a word that the host
 * writes before the launch, so that one executable does any number; another word ends the loop early. */
typedef struct _LeatRepeater LeatRepeater;

/* Of its kernels. (transfer none) */
LeatKernelSource *leat_repeater_get_source (void);
/* Its kernels are loaded and its memory is there.  Errors: as leat_image_get (), and those of the driver. */
LeatRepeater *leat_repeater_new (LeatDevice *device, GError **error);
void leat_repeater_free (LeatRepeater *self);

/* Fills an empty @graph with the loop around a clone of @run, with the context current.  @call: the one that failed */
CUresult leat_repeater_fill (LeatRepeater *self, CUgraph graph, CUgraph run, const char **call);
/* Before a launch, while nothing of it is under way. */
void leat_repeater_set_runs (LeatRepeater *self, guint64 runs);
/* After its end, once: runs that were not done; 0 where nobody called them off.  They are in no count then. */
guint64 leat_repeater_take_left (LeatRepeater *self);
/* The word by which any thread makes the run under way the last: atomic, 0 at first. */
guint64 *leat_repeater_get_stop (LeatRepeater *self);
/* Kernels of its own that runs came with, since it was made. */
guint64 leat_repeater_count_kernels (LeatRepeater *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatRepeater, leat_repeater_free)

G_END_DECLS
