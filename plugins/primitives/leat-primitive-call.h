/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_PRIMITIVE_CALL_MOST 16

/* A launch as it is put together, parameter by parameter, in the order of the kernel's prototype. */
typedef struct
{
  LeatArg args[LEAT_PRIMITIVE_CALL_MOST];
  guint64 values[LEAT_PRIMITIVE_CALL_MOST];
  LeatBufferId buffers[LEAT_PRIMITIVE_CALL_MOST];
  LeatAccess access[LEAT_PRIMITIVE_CALL_MOST];
  guint n_args, n_buffers;
} LeatPrimitiveCall;

/* The items of a buffer. */
void leat_primitive_call_add (LeatPrimitiveCall *self, LeatBufferId buffer, LeatAccess access);
/* How many items, of @factor to a step of the leading dimension, of a buffer that was added are live. */
void leat_primitive_call_add_count (LeatPrimitiveCall *self, LeatRecorder *recorder, LeatBufferId buffer,
                                    guint64 factor);
/* One number for each item, and how many of them are live; @flags: LEAT_BUFFER_NONE where none are linked, of which
 * there are as many as need be in @unused. */
void leat_primitive_call_add_flags (LeatPrimitiveCall *self, LeatRecorder *recorder, LeatBufferId flags,
                                    LeatBufferId unused);
/* Where the kernel says how many steps an output has that was added; @unused for outputs that have no count. */
void leat_primitive_call_add_result_count (LeatPrimitiveCall *self, LeatRecorder *recorder, LeatBufferId buffer,
                                           LeatBufferId unused);
/* A parameter `uint64_t`. */
void leat_primitive_call_add_number (LeatPrimitiveCall *self, guint64 number);
/* Records it. */
void leat_primitive_call_finish (LeatPrimitiveCall *self, LeatRecorder *recorder, LeatKernelSource *source,
                                 const char *entry, guint64 blocks, guint64 rows, guint threads);

G_END_DECLS
