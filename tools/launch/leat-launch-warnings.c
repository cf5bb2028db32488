/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Warnings of a job: said the first time, counted when they come again.  Touches the job's table of warnings only. */

#include "leat-launch-warnings.h"

/* `node: text`, the same for all reports of one kind; NULL for a warning that is no report. */
static char *
leat_launch_warning_dup_kind (LeatMessage *message)
{
  GVariant *details = leat_message_get_details (message);
  const char *node, *text;
  guint32 code;

  if (details == NULL || !g_variant_lookup (details, "code", "u", &code)
      || !g_variant_lookup (details, "node", "&s", &node) || !g_variant_lookup (details, "text", "&s", &text))
    return NULL;
  return g_strdup_printf ("%s %u %s", node, code, text);
}

/* Of the first run nothing is said: most pipelines have no other. */
static void
leat_launch_job_say_warning (LeatLaunchJob *self, LeatMessage *message)
{
  GVariant *details = leat_message_get_details (message);
  const char *text = leat_message_get_error (message)->message;
  guint64 run = 1;

  if (details != NULL)
    g_variant_lookup (details, "run", "t", &run);
  if (run > 1)
    leat_launch_job_note (self, "warning: run %" G_GUINT64_FORMAT ": %s", run, text);
  else
    leat_launch_job_note (self, "warning: %s", text);
}

void
leat_launch_job_warn (LeatLaunchJob *self, LeatMessage *message)
{
  const GError *error = leat_message_get_error (message);
  g_autofree char *kind = NULL;
  LeatLaunchAgain *again;

  if (leat_message_get_kind (message) != LEAT_MESSAGE_WARNING || error == NULL)
    return;
  kind = leat_launch_warning_dup_kind (message);
  again = kind != NULL ? g_hash_table_lookup (self->warned, kind) : NULL;
  if (again != NULL)
    {
      again->times++;
      return;
    }
  leat_launch_job_say_warning (self, message);
  if (kind == NULL)
    return;
  again = g_new0 (LeatLaunchAgain, 1);
  g_variant_lookup (leat_message_get_details (message), "node", "s", &again->node);
  g_hash_table_insert (self->warned, g_steal_pointer (&kind), again);
}

void
leat_launch_job_sum_warnings (LeatLaunchJob *self)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->warned);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const LeatLaunchAgain *again = value;

      if (again->times > 0)
        leat_launch_job_note (self, "warning: the same of \"%s\" in %" G_GUINT64_FORMAT " more run%s", again->node,
                              again->times, again->times == 1 ? "" : "s");
    }
  g_hash_table_remove_all (self->warned);
}
