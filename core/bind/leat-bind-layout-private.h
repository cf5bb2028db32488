/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "plan/leat-plan-private.h"
#include "leat-bind-private.h"

G_BEGIN_DECLS

#define LEAT_ALIGNMENT 256

static inline guint64
leat_align (guint64 bytes)
{
  return (bytes + LEAT_ALIGNMENT - 1) / LEAT_ALIGNMENT * LEAT_ALIGNMENT;
}

/* The bytes that it takes where it lies. */
static inline guint64
leat_buffer_get_span (const LeatBuffer *self)
{
  return leat_align (leat_buffer_get_room (self)) + LEAT_BOUND_BUFFER (self)->zone;
}

/* Which ops touch the memory of a buffer: those of all buffers, one behind the other. */
typedef struct
{
  const LeatAncestors *ancestors;
  guint *first; /* by buffer: where its ops begin in `ops`; the next one's is where they end */
  guint *ops;
} LeatLayout;

G_END_DECLS
