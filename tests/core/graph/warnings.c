/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "warnings.h"

#include <string.h>

static GPtrArray *warnings;

static GLogWriterOutput
warnings_write (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  if ((level & G_LOG_LEVEL_WARNING) == 0)
    return g_log_writer_default (level, fields, n_fields, data);
  for (gsize i = 0; i < n_fields; i++)
    if (strcmp (fields[i].key, "MESSAGE") == 0)
      g_ptr_array_add (warnings, g_strdup (fields[i].value));
  return G_LOG_WRITER_HANDLED;
}

void
warnings_catch (void)
{
  warnings = g_ptr_array_new_with_free_func (g_free);
  g_log_set_writer_func (warnings_write, NULL, NULL);
}

void
warnings_assert_one (const char *pattern)
{
  g_assert_cmpuint (warnings->len, ==, 1);
  g_assert_true (g_pattern_match_simple (pattern, warnings->pdata[0]));
  g_ptr_array_set_size (warnings, 0);
}
