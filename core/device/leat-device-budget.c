/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-device-object-private.h"

#define LEAT_BUDGET_DEFAULT_PERCENT 90

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

/* "75%", "512M", "2GiB" or bytes; NULL or "": the default. */
gboolean
leat_device_parse_budget (const char *text, guint64 total, guint64 *budget, GError **error)
{
  guint64 bytes = 0, number;
  char *unit = NULL;

  if (text == NULL || *text == '\0')
    {
      *budget = total / 100 * LEAT_BUDGET_DEFAULT_PERCENT;
      return TRUE;
    }
  number = g_ascii_strtoull (text, &unit, 10);
  if (g_ascii_isdigit (*text) && leat_device_scale_budget (unit, number, total, &bytes) && bytes > 0)
    {
      *budget = MIN (bytes, total);
      return TRUE;
    }
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID,
               "LEAT_MEMORY_BUDGET=%s is no size of memory: write 75%%, 512M or 2G", text);
  return FALSE;
}

gboolean
leat_device_fits_budget (LeatDevice *self, guint64 bytes)
{
  guint64 live = self->pools[LEAT_MEMORY_DEVICE].counts.live_bytes;

  return live <= self->budget && bytes <= self->budget - live;
}

gboolean
leat_device_set_over_budget (LeatDevice *self, guint64 bytes, const char *what, GError **error)
{
  g_autofree char *needed = leat_device_format_bytes (bytes);
  g_autofree char *available = NULL;
  g_autofree char *limit = NULL;
  guint64 budget, live;

  g_mutex_lock (&self->lock);
  budget = self->budget;
  live = self->pools[LEAT_MEMORY_DEVICE].counts.live_bytes;
  g_mutex_unlock (&self->lock);

  available = leat_device_format_bytes (budget > live ? budget - live : 0);
  limit = leat_device_format_bytes (budget);
  g_set_error (
    error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY,
    "no room on %s for %s: %s is needed, %s of the budget of %s is free (LEAT_MEMORY_BUDGET sets the budget)", self->id,
    what, needed, available, limit);
  return FALSE;
}

gboolean
leat_device_check_budget (LeatDevice *self, guint64 bytes, const char *what, GError **error)
{
  gboolean fits;

  g_mutex_lock (&self->lock);
  fits = leat_device_fits_budget (self, bytes);
  g_mutex_unlock (&self->lock);
  return fits || leat_device_set_over_budget (self, bytes, what, error);
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
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (LEAT_IS_DEVICE (self), 0);

  locker = g_mutex_locker_new (&self->lock);
  return self->budget;
}

/**
 * leat_device_set_budget:
 * @self: a device
 * @bytes: the budget; more than the device has counts as all of it
 *
 * Sets how many bytes of the device's memory this process may take.
 *
 * What is allocated already stays.
 *
 * Since: 0.1
 */
void
leat_device_set_budget (LeatDevice *self, guint64 bytes)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_if_fail (LEAT_IS_DEVICE (self));

  locker = g_mutex_locker_new (&self->lock);
  self->budget = MIN (bytes, self->facts.memory_bytes);
}
