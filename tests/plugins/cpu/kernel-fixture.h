/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-memory-private.h"
#include "device/leat-module-private.h"
#include "device/leat-stream-private.h"

/* Runs the kernels of a file in tests/plugins/cpu/kernels/ on the device that LEAT_DEVICE names, as the framework would
 * compile and load them. */

typedef struct
{
  LeatDevice *device;
  LeatModule *module;
  LeatStream *stream;
  GPtrArray *memories;
} KernelFixture;

typedef struct
{
  guint x, y, z; /* 0 is 1 */
} KernelSize;

/* NULL, with the test skipped, where there is no compiler. */
KernelFixture *kernel_fixture_open (const char *file);
/* The same, compiled as with fp=fast. */
KernelFixture *kernel_fixture_open_fast (const char *file);
void kernel_fixture_close (KernelFixture *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (KernelFixture, kernel_fixture_close)

/* Memory on the device that lives as long as the fixture; zeros where @data is NULL. */
LeatMemory *kernel_fixture_put (KernelFixture *self, gconstpointer data, gsize bytes);
void kernel_fixture_get (LeatMemory *memory, gpointer data, gsize bytes);
/* (transfer full) */
gpointer kernel_fixture_dup (LeatMemory *memory);

/* Launches and waits; what the launch or the wait returns.  NO_WAIT ends the parameters. */
CUresult kernel_fixture_try (KernelFixture *self, const char *kernel, KernelSize grid, KernelSize block, guint shared,
                             gboolean cooperative, void **params);
/* The same, and it must succeed. */
void kernel_fixture_run (KernelFixture *self, const char *kernel, KernelSize grid, KernelSize block, guint shared,
                         gboolean cooperative, void **params);
/* How many such blocks can run at once. */
guint kernel_fixture_count_resident (KernelFixture *self, const char *kernel, guint threads);

/* The same numbers every time. */
guint32 kernel_fixture_random (guint32 *state);

#define SIZE(...)    ((KernelSize){ __VA_ARGS__ })
#define A(memory)    (&(CUdeviceptr){ leat_memory_get_address (memory) })
#define V(type, ...) (&(type){ __VA_ARGS__ })
#define NO_WAIT      V (gint32, 0) /* behind all parameters: the kernel waits for no others */
#define KERNEL_RUN(fixture, kernel, grid, block, shared, ...)                                                          \
  kernel_fixture_run (fixture, kernel, grid, block, shared, FALSE, (void *[]){ __VA_ARGS__, NO_WAIT })

/* One for each file of kernels: adds its tests. */
void test_kernels_add_flat (void);
void test_kernels_add_block (void);
void test_kernels_add_warp (void);
void test_kernels_add_atomic (void);
void test_kernels_add_grid (void);
void test_kernels_add_graph (void);
void test_kernels_add_places (void);
void test_kernels_add_conditional (void);
void test_kernels_add_conditional_mistakes (void);
