/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The options of leat-launch for results that are wrong. */

#include "leat-launch-wrong.h"

void
leat_launch_wrong_add_options (LeatLaunchWrong *self, GOptionContext *context)
{
  const GOptionEntry entries[] = {
    { "dump", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->dump_words,
      "Write what a node gives to FILE too (NODE-PORT.npy), of all runs or of run RUN; may be repeated",
      "NODE[.PORT][@RUN][=FILE]" },
    { NULL },
  };

  g_option_context_add_main_entries (context, entries, NULL);
}

gboolean
leat_launch_wrong_check (LeatLaunchWrong *self, GError **error)
{
  self->dumps = leat_dumps_parse (self->dump_words, error);
  return self->dumps != NULL;
}

void
leat_launch_wrong_clear (LeatLaunchWrong *self)
{
  g_clear_pointer (&self->dumps, g_ptr_array_unref);
  g_strfreev (self->dump_words);
}
