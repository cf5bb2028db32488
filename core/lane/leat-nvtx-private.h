/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "../driver/leat-driver-private.h"

G_BEGIN_DECLS

/* Ranges with names for a profiler that is attached; without one each is a look at a pointer. */

typedef struct
{
  int (*push) (const char *name);
  int (*pop) (void);
  void (*name_stream) (CUstream stream, const char *name);
} LeatNvtx;

/* All NULL until a tool has filled it in. */
extern LeatNvtx leat_nvtx;

/* Looks once in the process whether NVTX_INJECTION64_PATH names a tool, and lets it in. */
void leat_nvtx_load (void);

static inline void
leat_nvtx_push (const char *name)
{
  if (G_UNLIKELY (leat_nvtx.push != NULL))
    leat_nvtx.push (name);
}

static inline void
leat_nvtx_pop (void)
{
  if (G_UNLIKELY (leat_nvtx.pop != NULL))
    leat_nvtx.pop ();
}

static inline void
leat_nvtx_name_stream (CUstream stream, const char *name)
{
  if (leat_nvtx.name_stream != NULL)
    leat_nvtx.name_stream (stream, name);
}

G_END_DECLS
