/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The one launch of a node of this plugin, put together parameter by parameter.  Adds buffers and a kernel to the
 * recorder of that node. */

#include "leat-csr-call.h"

#define LEAT_CSR_CALL_TUNING 162 /* words; kernels/tune.cu says what is where */

static LeatArg *
leat_csr_call_next (LeatCsrCall *self, LeatArgKind kind, LeatBufferId buffer)
{
  LeatArg *arg = &self->args[self->n_args++];

  g_assert (self->n_args <= LEAT_CSR_CALL_MOST);
  *arg = (LeatArg){ .kind = kind, .buffer = buffer };
  return arg;
}

void
leat_csr_call_add (LeatCsrCall *self, LeatBufferId buffer, LeatAccess access)
{
  leat_csr_call_next (self, LEAT_ARG_ITEMS, buffer);
  for (guint i = 0; i < self->n_buffers; i++)
    if (self->buffers[i] == buffer)
      {
        self->access[i] |= access;
        return;
      }
  self->buffers[self->n_buffers] = buffer;
  self->access[self->n_buffers++] = access;
}

void
leat_csr_call_add_scratch (LeatCsrCall *self, const char *name, guint64 bytes)
{
  leat_csr_call_add (self, leat_recorder_add_scratch (self->recorder, name, bytes), LEAT_ACCESS_WRITE);
}

void
leat_csr_call_add_zeros (LeatCsrCall *self, const char *name, guint64 bytes)
{
  LeatBufferId buffer = leat_recorder_add_scratch (self->recorder, name, bytes);

  leat_recorder_add_fill (self->recorder, buffer, 0);
  leat_csr_call_add (self, buffer, LEAT_ACCESS_READ_WRITE);
}

void
leat_csr_call_add_output (LeatCsrCall *self, LeatNode *node, const char *port, guint64 bytes)
{
  if (leat_port_is_linked (leat_node_get_port (node, port, NULL)))
    leat_csr_call_add (self, leat_recorder_get_output (self->recorder, port), LEAT_ACCESS_WRITE);
  else
    leat_csr_call_add_scratch (self, port, bytes);
}

void
leat_csr_call_add_tuning (LeatCsrCall *self, gboolean tunes)
{
  const guint64 bytes = LEAT_CSR_CALL_TUNING * sizeof (guint64);

  if (tunes)
    leat_csr_call_add (self, leat_recorder_add_learned (self->recorder, "tuning", bytes), LEAT_ACCESS_READ_WRITE);
  else
    leat_csr_call_add_scratch (self, "tuning", sizeof (guint64));
}

static void
leat_csr_call_add_value (LeatCsrCall *self, LeatArgKind kind, LeatBufferId buffer, guint64 number)
{
  LeatArg *arg = leat_csr_call_next (self, kind, buffer);
  guint64 *value = &self->values[arg - self->args];

  *value = number;
  arg->value = value;
  arg->size = sizeof *value;
}

void
leat_csr_call_add_count (LeatCsrCall *self, LeatBufferId buffer)
{
  LeatSpec *spec = leat_recorder_get_spec (self->recorder, buffer);

  if (leat_spec_is_bounded (spec))
    leat_csr_call_add_value (self, LEAT_ARG_COUNT, buffer, 1);
  else
    leat_csr_call_add_value (self, LEAT_ARG_VALUE, buffer, leat_spec_get_items (spec));
}

void
leat_csr_call_add_number (LeatCsrCall *self, guint64 number)
{
  leat_csr_call_add_value (self, LEAT_ARG_VALUE, LEAT_BUFFER_NONE, number);
}

void
leat_csr_call_add_budget (LeatCsrCall *self, double seconds)
{
  leat_csr_call_add_number (self, (guint64) (seconds * 1e9));
}

void
leat_csr_call_add_series (LeatCsrCall *self, LeatNode *node, const char *port, guint64 bytes)
{
  LeatBufferId buffer;

  if (leat_port_is_linked (leat_node_get_port (node, port, NULL)))
    {
      buffer = leat_recorder_get_output (self->recorder, port);
      leat_csr_call_add (self, buffer, LEAT_ACCESS_WRITE);
      leat_csr_call_next (self, LEAT_ARG_COUNT, buffer);
      return;
    }
  leat_csr_call_add_scratch (self, port, bytes);
  leat_csr_call_add_scratch (self, "count", sizeof (guint64));
}

void
leat_csr_call_finish (LeatCsrCall *self, LeatKernelSource *source, const char *entry, guint threads)
{
  LeatKernelCall call = { .source = source,
                          .entry = entry,
                          .block = { threads, 1, 1 },
                          .cooperative = TRUE,
                          .grid_by_occupancy = TRUE,
                          .args = self->args,
                          .n_args = self->n_args,
                          .buffers = self->buffers,
                          .access = self->access,
                          .n_buffers = self->n_buffers };

  leat_recorder_add_kernel (self->recorder, &call);
}

LeatKernelSource *
leat_csr_source_new (const char *head, const char *const *files, GError **error)
{
  g_autoptr (GString) text = g_string_new (head);
  g_autofree char *name = NULL;
  guint n = 0;

  for (; files[n] != NULL; n++)
    {
      g_autofree char *path = g_strconcat ("/leat/csr/", files[n], NULL);
      g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);

      if (bytes == NULL)
        return NULL;
      g_string_append (text, g_bytes_get_data (bytes, NULL));
    }
  name = g_strconcat ("csr/", files[n - 1], NULL);
  return leat_kernel_source_new (name, text->str, error);
}
