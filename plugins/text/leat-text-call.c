/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A launch of one of this plugin's kernels, and the file that the kernel is in.  Adds one kernel to the recorder that
 * it is given. */

#include "leat-text-call.h"

#define LEAT_TEXT_MAX_ARGS 24

static LeatAccess
leat_text_get_access (char letter)
{
  return letter == 'r' ? LEAT_ACCESS_READ : letter == 'w' ? LEAT_ACCESS_WRITE : LEAT_ACCESS_READ_WRITE;
}

void
leat_text_call (LeatRecorder *recorder, LeatKernelSource *source, const char *entry, guint64 blocks, guint threads,
                const LeatArg *args, const char *access)
{
  LeatBufferId buffers[LEAT_TEXT_MAX_ARGS];
  LeatAccess accesses[LEAT_TEXT_MAX_ARGS];
  LeatKernelCall call = { .source = source, .entry = entry, .args = args, .n_args = (guint) strlen (access) };

  g_assert (call.n_args <= LEAT_TEXT_MAX_ARGS);
  call.grid[0] = (guint) blocks;
  call.block[0] = threads;
  for (guint i = 0; i < call.n_args; i++)
    if (args[i].buffer != LEAT_BUFFER_NONE)
      {
        buffers[call.n_buffers] = args[i].buffer;
        accesses[call.n_buffers++] = leat_text_get_access (access[i]);
      }
  call.buffers = buffers;
  call.access = accesses;
  leat_recorder_add_kernel (recorder, &call);
}

LeatKernelSource *
leat_text_load_source (const char *name, GError **error)
{
  g_autofree char *path = g_strconcat ("/leat/text/", name, NULL);
  g_autofree char *shown = g_strconcat ("text/", name, NULL);
  g_autoptr (GBytes) text = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);

  return text != NULL ? leat_kernel_source_new (shown, g_bytes_get_data (text, NULL), error) : NULL;
}
