/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"

#include "driver/leat-driver-private.h"

#include <dlfcn.h>

static LeatCpuGetCounters get_counters;
static LeatCpuPlantFaults plant_faults;
static LeatCpuCountCalls count_calls;
static LeatCpuGetFailedCall get_failed_call;
static LeatCpuCounters counters_before;

void
fault_driver_use (const char *path)
{
  void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);

  g_assert_nonnull (library);
  get_counters = (LeatCpuGetCounters) dlsym (library, LEAT_CPU_COUNTERS_SYMBOL);
  plant_faults = (LeatCpuPlantFaults) dlsym (library, LEAT_CPU_PLANT_SYMBOL);
  count_calls = (LeatCpuCountCalls) dlsym (library, LEAT_CPU_CALLS_SYMBOL);
  get_failed_call = (LeatCpuGetFailedCall) dlsym (library, LEAT_CPU_FAILED_SYMBOL);
  g_assert_true (get_counters != NULL && plant_faults != NULL && count_calls != NULL && get_failed_call != NULL);
}

const char *
fault_driver_init (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = NULL;
  g_autofree char *path = NULL;

  g_setenv ("LEAT_CPU_FAULT", "", TRUE);
  device = leat_device_open (NULL, &error);
  g_assert_no_error (error);
  if (!leat_device_is_cpu (device))
    return "faults are planted in the CPU driver";
  path = leat_driver_find_cpu (&error);
  g_assert_no_error (error);
  fault_driver_use (path);
  return NULL;
}

gboolean
fault_driver_init_or_skip (void)
{
  const char *why = fault_driver_init ();

  if (why != NULL)
    g_print ("1..0 # SKIP %s\n", why);
  return why == NULL;
}

void
fault_driver_plant_on (const char *text)
{
  g_assert_true (plant_faults (text) != 0);
}

void
fault_driver_plant (const char *text)
{
  counters_before.size = sizeof counters_before;
  get_counters (&counters_before);
  fault_driver_plant_on (text);
}

void
fault_driver_complain (const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_test_message ("%s", text);
  g_test_fail_printf ("%s", text);
}

guint64
fault_driver_count_calls (void)
{
  return count_calls ();
}

const char *
fault_driver_get_failed (void)
{
  return get_failed_call ();
}

void
fault_driver_get_counters (LeatCpuCounters *counters)
{
  get_counters (counters);
}

guint64
fault_driver_count_alive (void)
{
  LeatCpuCounters now = { .size = sizeof now };

  get_counters (&now);
  return now.device_allocations + now.host_allocations + now.streams_created + now.events_created + now.graphs_created
         + now.instantiates + now.modules_loaded - now.device_frees - now.host_frees - now.streams_destroyed
         - now.events_destroyed - now.graphs_destroyed - now.execs_destroyed - now.modules_unloaded;
}

void
fault_driver_assert_empty (const char *when, gboolean strict)
{
  LeatCpuCounters now = { .size = sizeof now };

  get_counters (&now);
#define ALIVE(made, gone) (now.made - now.gone) - (counters_before.made - counters_before.gone)
  const struct
  {
    const char *what;
    guint64 n;
  } rows[] = {
    { "blocks of device memory", ALIVE (device_allocations, device_frees) },
    { "blocks of pinned memory", ALIVE (host_allocations, host_frees) },
    { "streams", ALIVE (streams_created, streams_destroyed) },
    { "events", ALIVE (events_created, events_destroyed) },
    { "graphs", ALIVE (graphs_created, graphs_destroyed) },
    { "executables", ALIVE (instantiates, execs_destroyed) },
    { "modules", ALIVE (modules_loaded, modules_unloaded) },
    { "things left to the context", strict ? now.left_to_context - counters_before.left_to_context : 0 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].n != 0)
      fault_driver_complain ("%s: %" G_GINT64_FORMAT " %s are left", when, (gint64) rows[i].n, rows[i].what);
}

static void
fault_driver_sweep (gconstpointer row)
{
  const FaultRow *self = row;
  guint64 n_calls = self->count (self), step = self->most > 0 ? MAX (n_calls / self->most, 1) : 1;

  g_assert_cmpuint (n_calls, >=, self->least);
  for (guint64 n = 1; n <= n_calls; n += step)
    {
      g_autofree char *plant = g_strdup_printf ("call:%" G_GUINT64_FORMAT "=%s", n, self->code);

      self->one (self, plant);
    }
  if (self->end != NULL)
    self->end (self);
}

void
fault_driver_add_rows (const FaultRow *rows, guint n_rows)
{
  for (guint i = 0; i < n_rows; i++)
    g_test_add_data_func (rows[i].path, &rows[i], fault_driver_sweep);
}
