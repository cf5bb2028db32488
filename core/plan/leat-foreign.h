/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-recorder.h"

G_BEGIN_DECLS

/**
 * LeatForeign:
 *
 * The environment of a #LeatForeignFunc during its call: the stream for its work, the context, the addresses of the
 * buffers.
 */
typedef struct _LeatForeign LeatForeign;

/**
 * LeatForeignFunc:
 * @self: the stream and the buffers, for this call only
 * @user_data: what was given with it
 * @error: return location for an error
 *
 * Puts work on the stream of @self, and waits for nothing.
 *
 * It is called when a session opens, so that its work can be captured (leat_foreign_is_capturing ()), more than once,
 * and then not again until arguments of its node change; where its work is not captured, it is called in every run.  So
 * it asks for the same work each time.  Its needs (memory, modules, handles of libraries) must be there before:
 * memory on the device comes from the recorder.
 *
 * Returns: %FALSE with @error set where it could not
 */
typedef gboolean (*LeatForeignFunc) (LeatForeign *self, gpointer user_data, GError **error);

/**
 * LeatForeignCall:
 * @name: what the work is, for printed plans
 * @func: (scope notified) (closure user_data) (destroy destroy): puts the work on a stream
 * @user_data: for @func
 * @destroy: (nullable): frees @user_data when the plan goes
 * @why_not_captured: (nullable): why the work must never be captured; %NULL where it may
 * @buffers: (array length=n_buffers): the buffers that it reads or writes
 * @access: (array length=n_buffers): what it does with each of them
 * @n_buffers: how many
 * @why_not_on_cpu: (nullable): why the CPU driver cannot do it; then no session with it opens there
 *
 * Work of others, such as a library's, for leat_recorder_add_foreign().
 */
typedef struct
{
  const char *name;
  LeatForeignFunc func;
  gpointer user_data;
  GDestroyNotify destroy;
  const char *why_not_captured;
  const LeatBufferId *buffers;
  const LeatAccess *access;
  guint n_buffers;
  const char *why_not_on_cpu;
} LeatForeignCall;

void leat_recorder_add_foreign (LeatRecorder *self, const LeatForeignCall *call);

gpointer leat_foreign_get_stream (LeatForeign *self);
gpointer leat_foreign_get_context (LeatForeign *self);
guint64 leat_foreign_get_items (LeatForeign *self, LeatBufferId buffer);
guint64 leat_foreign_get_count (LeatForeign *self, LeatBufferId buffer);
gboolean leat_foreign_is_capturing (LeatForeign *self);
GVariant *leat_foreign_dup_arg (LeatForeign *self, const char *name);
gpointer leat_foreign_find_call (LeatForeign *self, const char *name);
gboolean leat_foreign_check (LeatForeign *self, const char *call, int result, GError **error);

G_END_DECLS
