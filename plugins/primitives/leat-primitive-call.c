/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A launch of a node of this plugin, put together parameter by parameter.  Adds one kernel to the node's recorder, and
 * no buffer. */

#include "leat-primitive-call.h"

#include "leat-primitive-text.h"

static LeatArg *
leat_primitive_call_next (LeatPrimitiveCall *self, LeatArgKind kind, LeatBufferId buffer)
{
  LeatArg *arg = &self->args[self->n_args++];

  g_assert (self->n_args <= LEAT_PRIMITIVE_CALL_MOST);
  *arg = (LeatArg){ .kind = kind, .buffer = buffer };
  return arg;
}

void
leat_primitive_call_add (LeatPrimitiveCall *self, LeatBufferId buffer, LeatAccess access)
{
  leat_primitive_call_next (self, LEAT_ARG_ITEMS, buffer);
  self->buffers[self->n_buffers] = buffer;
  self->access[self->n_buffers++] = access;
}

static void
leat_primitive_call_add_value (LeatPrimitiveCall *self, LeatArgKind kind, LeatBufferId buffer, guint64 number)
{
  LeatArg *arg = leat_primitive_call_next (self, kind, buffer);
  guint64 *value = &self->values[arg - self->args];

  *value = number;
  arg->value = value;
  arg->size = sizeof *value;
}

void
leat_primitive_call_add_count (LeatPrimitiveCall *self, LeatRecorder *recorder, LeatBufferId buffer, guint64 factor)
{
  LeatSpec *spec = leat_recorder_get_spec (recorder, buffer);

  if (leat_spec_is_bounded (spec))
    leat_primitive_call_add_value (self, LEAT_ARG_COUNT, buffer, factor);
  else
    leat_primitive_call_add_value (self, LEAT_ARG_VALUE, buffer,
                                   leat_spec_get_items (spec) / MAX (leat_primitive_get_row_items (spec), 1) * factor);
}

void
leat_primitive_call_add_flags (LeatPrimitiveCall *self, LeatRecorder *recorder, LeatBufferId flags, LeatBufferId unused)
{
  if (flags == LEAT_BUFFER_NONE)
    {
      leat_primitive_call_add (self, unused, LEAT_ACCESS_WRITE);
      leat_primitive_call_add_number (self, G_MAXUINT64);
      return;
    }
  leat_primitive_call_add (self, flags, LEAT_ACCESS_READ);
  leat_primitive_call_add_count (self, recorder, flags,
                                 leat_primitive_get_row_items (leat_recorder_get_spec (recorder, flags)));
}

void
leat_primitive_call_add_result_count (LeatPrimitiveCall *self, LeatRecorder *recorder, LeatBufferId buffer,
                                      LeatBufferId unused)
{
  LeatSpec *spec = leat_recorder_get_spec (recorder, buffer);

  if (leat_spec_is_bounded (spec))
    leat_primitive_call_next (self, LEAT_ARG_COUNT, buffer);
  else
    leat_primitive_call_add (self, unused, LEAT_ACCESS_WRITE);
}

void
leat_primitive_call_add_number (LeatPrimitiveCall *self, guint64 number)
{
  leat_primitive_call_add_value (self, LEAT_ARG_VALUE, LEAT_BUFFER_NONE, number);
}

void
leat_primitive_call_finish (LeatPrimitiveCall *self, LeatRecorder *recorder, LeatKernelSource *source,
                            const char *entry, guint64 blocks, guint64 rows, guint threads)
{
  LeatKernelCall call = { .source = source,
                          .entry = entry,
                          .grid = { (guint) blocks, (guint) rows, 1 },
                          .block = { threads, 1, 1 },
                          .args = self->args,
                          .n_args = self->n_args,
                          .buffers = self->buffers,
                          .access = self->access,
                          .n_buffers = self->n_buffers };

  leat_recorder_add_kernel (recorder, &call);
}
