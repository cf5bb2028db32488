/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The schedulers of the process.  Whoever has this lock may take a scheduler's, but not the other way round. */

#include "leat-scheduler-private.h"

#include "monitor/leat-monitor-private.h"

static GMutex leat_schedulers_lock;
static GPtrArray *leat_schedulers; /* LeatScheduler, not owned; in the order in which they were made */

static void
leat_schedulers_tell (GVariantDict *dict)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  g_mutex_lock (&leat_schedulers_lock);
  for (guint i = 0; i < leat_schedulers->len; i++)
    g_variant_builder_add_value (&builder, leat_scheduler_describe (leat_schedulers->pdata[i]));
  g_mutex_unlock (&leat_schedulers_lock);
  g_variant_dict_insert_value (dict, "schedulers", g_variant_builder_end (&builder));
}

void
leat_schedulers_add (LeatScheduler *scheduler)
{
  static guint64 last_id;

  g_mutex_lock (&leat_schedulers_lock);
  if (leat_schedulers == NULL)
    leat_schedulers = g_ptr_array_new ();
  scheduler->id = ++last_id;
  g_ptr_array_add (leat_schedulers, scheduler);
  g_mutex_unlock (&leat_schedulers_lock);
  leat_monitor_join (LEAT_MONITOR_SCHEDULERS, leat_schedulers_tell);
}

/* Waits until nobody looks at it; not under its lock.  Again: nothing. */
void
leat_schedulers_remove (LeatScheduler *scheduler)
{
  g_mutex_lock (&leat_schedulers_lock);
  g_ptr_array_remove (leat_schedulers, scheduler);
  g_mutex_unlock (&leat_schedulers_lock);
}
