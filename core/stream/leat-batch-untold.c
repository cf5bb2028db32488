/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Entries whose failure no report tells, as those that have more to give than there is room for.  Nobody ends with
 * their errors, so the bus has them. */

#include "leat-batch-private.h"
#include "tell/leat-reports-private.h"

#include "graph/leat-bus.h"
#include "graph/leat-pipeline.h"

#define LEAT_SESSION_ENTRIES_POSTED 16 /* messages at one time */

gboolean
leat_batch_run_is_untold (LeatSession *self, guint entry)
{
  for (guint i = 0; i < self->batch->untold->len; i++)
    if (g_array_index (self->batch->untold, guint, i) == entry)
      return TRUE;
  return FALSE;
}

static void
leat_batch_run_post_failed (LeatSession *self, const LeatBatchRun *run, guint entry)
{
  const GError *error = g_ptr_array_index (self->batch->errors, entry);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "entry", "u", entry);
  g_variant_dict_insert (&dict, "run", "t", run->before + entry + 1);
  leat_bus_post (leat_pipeline_get_bus (self->pipeline),
                 leat_message_new (LEAT_MESSAGE_WARNING, NULL, error, g_variant_dict_end (&dict)));
}

void
leat_batch_run_tell_failed (LeatSession *self, const LeatBatchRun *run, guint but)
{
  GArray *entries = self->batch->untold;
  guint n = 0;

  for (guint i = 0; i < entries->len; i++)
    if (g_array_index (entries, guint, i) != but && n++ < LEAT_SESSION_ENTRIES_POSTED)
      leat_batch_run_post_failed (self, run, g_array_index (entries, guint, i));
  if (n > LEAT_SESSION_ENTRIES_POSTED)
    leat_told_post_left_out (&self->told, LEAT_SESSION_ERROR_OVERFLOW, "entries that failed",
                             n - LEAT_SESSION_ENTRIES_POSTED);
  g_array_set_size (entries, 0);
}
