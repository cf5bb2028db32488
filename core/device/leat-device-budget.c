/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How much memory this process may take of a device, and of pinned memory for it: budgets as text, their defaults, and
 * the refusal of what goes beyond.  Touches the budgets of the device's two pools only. */

#include "leat-device-object-private.h"

#include <unistd.h>

static const struct
{
  const char *variable;
  const char *what; /* for messages */
  guint default_percent;
} leat_budget_kinds[LEAT_MEMORY_N_KINDS] = {
  [LEAT_MEMORY_DEVICE] = { "LEAT_MEMORY_BUDGET", "", 90 },
  /* Pinned memory is taken from every other process of the machine. */
  [LEAT_MEMORY_PINNED] = { "LEAT_PINNED_BUDGET", " of pinned host memory", 50 },
};

/* GLib's own differs by locale and has a space that is none. */
char *
leat_device_format_bytes (guint64 bytes)
{
  static const char units[] = "KMGTPE";
  int unit = -1;
  guint64 rest = 0;

  while (bytes >= 1024)
    {
      rest = bytes % 1024;
      bytes /= 1024;
      unit++;
    }
  if (unit < 0)
    return g_strdup_printf ("%" G_GUINT64_FORMAT " bytes", bytes);
  return g_strdup_printf ("%" G_GUINT64_FORMAT ".%u %ciB", bytes, (guint) (rest * 10 / 1024), units[unit]);
}

static gboolean
leat_device_scale_budget (const char *unit, guint64 number, guint64 total, guint64 *bytes)
{
  static const char units[] = "KMGT";
  const char *found;
  guint shift;

  if (g_str_equal (unit, "%"))
    {
      *bytes = total / 100 * MIN (number, 100);
      return TRUE;
    }
  if (*unit == '\0' || g_str_equal (unit, "B"))
    {
      *bytes = number;
      return TRUE;
    }
  found = strchr (units, g_ascii_toupper (*unit));
  if (found == NULL || (unit[1] != '\0' && !g_str_equal (unit + 1, "iB") && !g_str_equal (unit + 1, "B")))
    return FALSE;
  shift = 10 * (guint) (found - units + 1);
  if (number > G_MAXUINT64 >> shift)
    return FALSE;
  *bytes = number << shift;
  return TRUE;
}

/* All that a budget can be a part of. */
static guint64
leat_device_get_total (LeatDevice *self, LeatMemoryKind kind)
{
  long pages = sysconf (_SC_PHYS_PAGES), page_bytes = sysconf (_SC_PAGESIZE);

  if (kind == LEAT_MEMORY_DEVICE)
    return self->facts.memory_bytes;
  return pages > 0 && page_bytes > 0 ? (guint64) pages * (guint64) page_bytes : G_MAXUINT64;
}

/* "75%", "512M", "2GiB" or bytes; NULL or "": the default. */
gboolean
leat_device_parse_budget (LeatMemoryKind kind, const char *text, guint64 total, guint64 *budget, GError **error)
{
  guint64 bytes = 0, number;
  char *unit = NULL;

  if (text == NULL || *text == '\0')
    {
      *budget = total / 100 * leat_budget_kinds[kind].default_percent;
      return TRUE;
    }
  number = g_ascii_strtoull (text, &unit, 10);
  if (g_ascii_isdigit (*text) && leat_device_scale_budget (unit, number, total, &bytes) && bytes > 0)
    {
      *budget = MIN (bytes, total);
      return TRUE;
    }
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID,
               "%s=%s is no size of memory: write 75%%, 512M or 2G", leat_budget_kinds[kind].variable, text);
  return FALSE;
}

gboolean
leat_device_init_budgets (LeatDevice *self, GError **error)
{
  for (int kind = 0; kind < LEAT_MEMORY_N_KINDS; kind++)
    if (!leat_device_parse_budget (kind, g_getenv (leat_budget_kinds[kind].variable),
                                   leat_device_get_total (self, kind), &self->budgets[kind], error))
      return FALSE;
  return TRUE;
}

gboolean
leat_device_fits_budget (LeatDevice *self, LeatMemoryKind kind, guint64 bytes)
{
  guint64 live = self->pools[kind].counts.live_bytes;

  return live <= self->budgets[kind] && bytes <= self->budgets[kind] - live;
}

gboolean
leat_device_set_over_budget (LeatDevice *self, LeatMemoryKind kind, guint64 bytes, const char *what, GError **error)
{
  g_autofree char *needed = leat_device_format_bytes (bytes);
  g_autofree char *available = NULL;
  g_autofree char *used = NULL;
  g_autofree char *limit = NULL;
  guint64 budget, live;

  g_mutex_lock (&self->lock);
  budget = self->budgets[kind];
  live = self->pools[kind].counts.live_bytes;
  g_mutex_unlock (&self->lock);

  available = leat_device_format_bytes (budget > live ? budget - live : 0);
  used = leat_device_format_bytes (live);
  limit = leat_device_format_bytes (budget);
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY,
               "no room on %s for %s: %s%s is needed, %s of the budget of %s is free, %s in use (%s sets the budget)",
               self->id, what, needed, leat_budget_kinds[kind].what, available, limit, used,
               leat_budget_kinds[kind].variable);
  return FALSE;
}

gboolean
leat_device_check_budget (LeatDevice *self, LeatMemoryKind kind, guint64 bytes, const char *what, GError **error)
{
  gboolean fits;

  g_mutex_lock (&self->lock);
  fits = leat_device_fits_budget (self, kind, bytes);
  g_mutex_unlock (&self->lock);
  return fits || leat_device_set_over_budget (self, kind, bytes, what, error);
}

static guint64
leat_device_read_budget (LeatDevice *self, LeatMemoryKind kind)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->budgets[kind];
}

static void
leat_device_write_budget (LeatDevice *self, LeatMemoryKind kind, guint64 bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  self->budgets[kind] = MIN (bytes, leat_device_get_total (self, kind));
}

/**
 * leat_device_get_budget:
 * @self: a device
 *
 * Gets how many bytes of the device's memory this process may take.
 *
 * The default is nine tenths of the memory, or what the environment variable `LEAT_MEMORY_BUDGET` says.
 *
 * Returns: the budget in bytes
 * Since: 0.1
 */
guint64
leat_device_get_budget (LeatDevice *self)
{
  g_return_val_if_fail (LEAT_IS_DEVICE (self), 0);
  return leat_device_read_budget (self, LEAT_MEMORY_DEVICE);
}

/**
 * leat_device_set_budget:
 * @self: a device
 * @bytes: the budget; more than the device has counts as all of it
 *
 * Sets how many bytes of the device's memory this process may take.
 *
 * Memory that is allocated already stays.
 *
 * Since: 0.1
 */
void
leat_device_set_budget (LeatDevice *self, guint64 bytes)
{
  g_return_if_fail (LEAT_IS_DEVICE (self));
  leat_device_write_budget (self, LEAT_MEMORY_DEVICE, bytes);
}

/**
 * leat_device_get_pinned_budget:
 * @self: a device
 *
 * Gets how many bytes of pinned host memory this process may take for this device.
 *
 * Sources fill pinned memory and sinks read it, and the machine cannot use it for anything else meanwhile.  The default
 * is half of the machine's memory, or what the environment variable `LEAT_PINNED_BUDGET` says.
 *
 * Returns: the budget in bytes
 * Since: 0.1
 */
guint64
leat_device_get_pinned_budget (LeatDevice *self)
{
  g_return_val_if_fail (LEAT_IS_DEVICE (self), 0);
  return leat_device_read_budget (self, LEAT_MEMORY_PINNED);
}

/**
 * leat_device_set_pinned_budget:
 * @self: a device
 * @bytes: the budget; more than the machine has counts as all of it
 *
 * Sets how many bytes of pinned host memory this process may take for this device.
 *
 * Memory that is allocated already stays.
 *
 * Since: 0.1
 */
void
leat_device_set_pinned_budget (LeatDevice *self, guint64 bytes)
{
  g_return_if_fail (LEAT_IS_DEVICE (self));
  leat_device_write_budget (self, LEAT_MEMORY_PINNED, bytes);
}
