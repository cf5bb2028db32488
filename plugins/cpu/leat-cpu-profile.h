/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The device that the CPU driver claims to have.  The default is honest: as many multiprocessors as the engine has
 * workers, and one resident block on each.  So a cooperative launch never has more blocks than threads that run at the
 * same time.  LEAT_CPU_PROFILE replaces fields, for tests against the limits of other devices. */
typedef struct
{
  const char *name;
  guint cc_major;
  guint cc_minor;
  guint multiprocessors;
  guint blocks_per_multiprocessor;
  guint threads_per_multiprocessor;
  guint warp_size; /* 32, always */
  guint max_threads_per_block;
  guint max_block[3];
  guint max_grid[3];
  gsize shared_per_block;       /* without asking: 48 KiB */
  gsize shared_per_block_optin; /* after CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES */
  gsize shared_per_multiprocessor;
  guint64 memory_bytes;
  guint async_engines;
  gboolean integrated; /* device memory is host memory */
} LeatCpuProfile;

const LeatCpuProfile *leat_cpu_profile_get (void);

/* FALSE when LEAT_CPU_PROFILE could not be understood; what was wrong has been written to stderr. */
gboolean leat_cpu_profile_is_valid (void);

/* Digits and one of K, M, G, T, powers of 1024. */
gboolean leat_cpu_profile_parse_bytes (const char *text, guint64 *value);

G_END_DECLS
