/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Counts the calls that go through a driver's table, for tests and for the accounting.  Touches that table, and counts
 * of its own. */

#include "leat-driver-object-private.h"

typedef struct
{
  LeatDriver *driver;
  gboolean is_running;
  guint64 counts[LEAT_DRIVER_N_ENTRIES];
  guint64 aside[LEAT_DRIVER_N_ENTRIES]; /* of them, those that are no run's */
  gboolean is_logging;
  guint16 *log; /* made when it is first asked for, and kept */
  guint n_logged;
} LeatDriverTrace;

/* One for the CUDA driver, one for the CPU driver. */
#define LEAT_DRIVER_N_TRACES 2

static GMutex leat_driver_traces_lock;
static LeatDriverTrace leat_driver_traces[LEAT_DRIVER_N_TRACES];

/* So often, and not ended so often, it was said that what this thread calls is no run's. */
static _Thread_local guint leat_driver_trace_depth;

void
leat_driver_trace_begin_aside (void)
{
  leat_driver_trace_depth++;
}

void
leat_driver_trace_end_aside (void)
{
  leat_driver_trace_depth--;
}

static inline void
leat_driver_trace_note (LeatDriverTrace *self, LeatDriverEntry entry)
{
  __atomic_fetch_add (&self->counts[entry], 1, __ATOMIC_RELAXED);
  if (leat_driver_trace_depth > 0)
    __atomic_fetch_add (&self->aside[entry], 1, __ATOMIC_RELAXED);
  if (__atomic_load_n (&self->is_logging, __ATOMIC_ACQUIRE))
    {
      guint at = __atomic_fetch_add (&self->n_logged, 1, __ATOMIC_RELAXED);

      if (at < LEAT_DRIVER_TRACE_LOG)
        __atomic_store_n (&self->log[at], (guint16) entry, __ATOMIC_RELAXED);
    }
}

#define LEAT_TRACE_SLOT 0
#include "leat-driver-trace-functions.h"
#define LEAT_TRACE_SLOT 1
#include "leat-driver-trace-functions.h"

static const LeatDriverTable *const leat_driver_trace_tables[LEAT_DRIVER_N_TRACES] = { &leat_trace_0_table,
                                                                                       &leat_trace_1_table };

static LeatDriverTrace *
leat_driver_trace_find (LeatDriver *driver)
{
  int slot = g_atomic_int_get (&driver->trace_slot);

  return slot >= 0 ? &leat_driver_traces[slot] : NULL;
}

/* A free slot, or that of a trace that has stopped: its counts are then gone. */
static gboolean
leat_driver_trace_take_slot (LeatDriver *driver, GError **error)
{
  for (int slot = 0; slot < LEAT_DRIVER_N_TRACES && driver->trace_slot < 0; slot++)
    if (!leat_driver_traces[slot].is_running)
      {
        if (leat_driver_traces[slot].driver != NULL)
          g_atomic_int_set (&leat_driver_traces[slot].driver->trace_slot, -1);
        leat_driver_traces[slot].driver = driver;
        g_atomic_int_set (&driver->trace_slot, slot);
      }
  if (driver->trace_slot >= 0)
    return TRUE;
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_FAILED,
               "cannot trace the driver %s: %d others are being traced", driver->path, LEAT_DRIVER_N_TRACES);
  return FALSE;
}

/* Function by function; what the driver lacks stays missing. */
static void
leat_driver_trace_set_table (LeatDriver *self, const LeatDriverTable *table)
{
#define LEAT_ENTRY(group, need, name, exported, version, params, args)                                                 \
  if (self->direct.name != NULL)                                                                                       \
    self->table.name = table->name;
#include "leat-driver-entries.h"
}

gboolean
leat_driver_trace_start (LeatDriver *self, gboolean log, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&leat_driver_traces_lock);
  LeatDriverTrace *trace;

  if (!leat_driver_trace_take_slot (self, error))
    return FALSE;
  trace = leat_driver_trace_find (self);
  if (log && trace->log == NULL)
    trace->log = g_new0 (guint16, LEAT_DRIVER_TRACE_LOG);
  leat_driver_trace_reset (self);
  __atomic_store_n (&trace->is_logging, log, __ATOMIC_RELEASE);
  trace->is_running = TRUE;
  leat_driver_trace_set_table (self, leat_driver_trace_tables[self->trace_slot]);
  return TRUE;
}

void
leat_driver_trace_stop (LeatDriver *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&leat_driver_traces_lock);

  if (self->trace_slot < 0)
    return;
  leat_driver_traces[self->trace_slot].is_running = FALSE;
  leat_driver_trace_set_table (self, &self->held);
}

void
leat_driver_trace_reset (LeatDriver *self)
{
  LeatDriverTrace *trace = leat_driver_trace_find (self);

  if (trace == NULL)
    return;
  for (guint i = 0; i < LEAT_DRIVER_N_ENTRIES; i++)
    {
      __atomic_store_n (&trace->counts[i], 0, __ATOMIC_RELAXED);
      __atomic_store_n (&trace->aside[i], 0, __ATOMIC_RELAXED);
    }
  __atomic_store_n (&trace->n_logged, 0, __ATOMIC_RELAXED);
}

guint64
leat_driver_trace_get_count (LeatDriver *self, LeatDriverEntry entry)
{
  LeatDriverTrace *trace = leat_driver_trace_find (self);

  g_return_val_if_fail ((guint) entry < LEAT_DRIVER_N_ENTRIES, 0);
  return trace != NULL ? __atomic_load_n (&trace->counts[entry], __ATOMIC_RELAXED) : 0;
}

guint64
leat_driver_trace_get_run_count (LeatDriver *self, LeatDriverEntry entry)
{
  LeatDriverTrace *trace = leat_driver_trace_find (self);

  g_return_val_if_fail ((guint) entry < LEAT_DRIVER_N_ENTRIES, 0);
  return trace != NULL ? __atomic_load_n (&trace->counts[entry], __ATOMIC_RELAXED)
                           - __atomic_load_n (&trace->aside[entry], __ATOMIC_RELAXED)
                       : 0;
}

guint64
leat_driver_trace_get_run_total (LeatDriver *self)
{
  guint64 total = 0;

  for (guint i = 0; i < LEAT_DRIVER_N_ENTRIES; i++)
    total += leat_driver_trace_get_run_count (self, i);
  return total;
}

guint
leat_driver_trace_get_log (LeatDriver *self, LeatDriverEntry *entries, guint max)
{
  LeatDriverTrace *trace = leat_driver_trace_find (self);
  guint n_logged;

  if (trace == NULL || !__atomic_load_n (&trace->is_logging, __ATOMIC_ACQUIRE))
    return 0;
  n_logged = MIN (__atomic_load_n (&trace->n_logged, __ATOMIC_RELAXED), LEAT_DRIVER_TRACE_LOG);
  for (guint i = 0; i < MIN (n_logged, max); i++)
    entries[i] = __atomic_load_n (&trace->log[i], __ATOMIC_RELAXED);
  return n_logged;
}

char *
leat_driver_trace_print (LeatDriver *self)
{
  g_autofree LeatDriverEntry *entries = g_new (LeatDriverEntry, LEAT_DRIVER_TRACE_LOG);
  guint n_logged = leat_driver_trace_get_log (self, entries, LEAT_DRIVER_TRACE_LOG);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n_logged; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", leat_driver_entry_get_name (entries[i]));
  return g_string_free (text, FALSE);
}
