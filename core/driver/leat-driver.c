/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A driver library, opened once in the process: its table of entry points, its version and its number of devices. */

#include "leat-driver-private.h"

#include "leat-driver-guest-private.h"
#include "leat-driver-object-private.h"

#include <gmodule.h>

/* Opened drivers by path.  They stay: a driver library has threads and exit handlers of its own. */
static GMutex leat_drivers_lock;
static GHashTable *leat_drivers;

typedef struct
{
  const char *name;
  const char *group;
  int version;
  gboolean needed;
  gsize offset; /* of its function in the table */
} LeatDriverEntryRow;

enum
{
  LEAT_DRIVER_NEED_NEEDED = TRUE,
  LEAT_DRIVER_NEED_OPTIONAL = FALSE
};

static const LeatDriverEntryRow leat_driver_entries[] = {
#define LEAT_ENTRY(group, need, name, exported, version, params, args)                                                 \
  { #name, #group, version, LEAT_DRIVER_NEED_##need, G_STRUCT_OFFSET (LeatDriverTable, name) },
#include "leat-driver-entries.h"
};

G_STATIC_ASSERT (G_N_ELEMENTS (leat_driver_entries) == LEAT_DRIVER_N_ENTRIES);

const char *
leat_driver_entry_get_name (LeatDriverEntry entry)
{
  g_return_val_if_fail ((guint) entry < LEAT_DRIVER_N_ENTRIES, NULL);
  return leat_driver_entries[entry].name;
}

const char *
leat_driver_entry_get_group (LeatDriverEntry entry)
{
  g_return_val_if_fail ((guint) entry < LEAT_DRIVER_N_ENTRIES, NULL);
  return leat_driver_entries[entry].group;
}

static void
leat_driver_free (LeatDriver *self)
{
  g_free (self->path);
  g_free (self);
}

/* The one symbol that is looked up by name. */
static gboolean
leat_driver_find_get_proc (LeatDriver *self, GModule *module, GError **error)
{
  gpointer symbol = NULL;

  if (!g_module_symbol (module, "cuGetProcAddress_v2", &symbol) || symbol == NULL)
    {
      g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_TOO_OLD,
                   "the driver library %s has no cuGetProcAddress_v2: Leat needs a driver for CUDA %d.%d or newer",
                   self->path, LEAT_CUDA_OLDEST / 1000, LEAT_CUDA_OLDEST % 1000 / 10);
      return FALSE;
    }
  *(gpointer *) &self->direct.cuGetProcAddress = symbol;
  return TRUE;
}

static gpointer
leat_driver_lookup (LeatDriver *self, const LeatDriverEntryRow *row)
{
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  gpointer function = NULL;
  CUresult result;

  result = self->direct.cuGetProcAddress (row->name, &function, row->version, CU_GET_PROC_ADDRESS_DEFAULT, &status);
  return result == CUDA_SUCCESS && status == CU_GET_PROC_ADDRESS_SUCCESS ? function : NULL;
}

/* Returns the names of needed entries that are missing, or NULL. */
static char *
leat_driver_fill_table (LeatDriver *self)
{
  GString *missing = g_string_new (NULL);

  for (guint i = 0; i < LEAT_DRIVER_N_ENTRIES; i++)
    {
      const LeatDriverEntryRow *row = &leat_driver_entries[i];
      gpointer function = leat_driver_lookup (self, row);

      if (function == NULL && row->needed)
        g_string_append_printf (missing, "%s%s", missing->len > 0 ? ", " : "", row->name);
      *(gpointer *) G_STRUCT_MEMBER_P (&self->table, row->offset) = function;
    }
  return g_string_free (missing, missing->len == 0);
}

static gboolean
leat_driver_check_missing (LeatDriver *self, const char *missing, GError **error)
{
  if (missing == NULL)
    return TRUE;
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_TOO_OLD,
               "the driver library %s lacks %s: Leat needs a driver for CUDA %d.%d or newer", self->path, missing,
               LEAT_CUDA_OLDEST / 1000, LEAT_CUDA_OLDEST % 1000 / 10);
  return FALSE;
}

static gboolean
leat_driver_read_version (LeatDriver *self, GError **error)
{
  CUresult result = (*self->table.cuDriverGetVersion) (&self->version);

  if (result != CUDA_SUCCESS)
    return leat_driver_set_error (error, &self->table, "cuDriverGetVersion", result, "%s", self->path);
  if (self->version >= LEAT_CUDA_OLDEST)
    return TRUE;
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_TOO_OLD,
               "the driver %s is for CUDA %d.%d: Leat needs %d.%d or newer", self->path, self->version / 1000,
               self->version % 1000 / 10, LEAT_CUDA_OLDEST / 1000, LEAT_CUDA_OLDEST % 1000 / 10);
  return FALSE;
}

/* A driver without a device is a driver all the same: its count is 0. */
static gboolean
leat_driver_start (LeatDriver *self, GError **error)
{
  CUresult result = (*self->table.cuInit) (0);
  int count = 0;

  if (result == CUDA_ERROR_NO_DEVICE)
    return TRUE;
  if (result != CUDA_SUCCESS)
    return leat_driver_set_error (error, &self->table, "cuInit", result, "%s", self->path);
  result = (*self->table.cuDeviceGetCount) (&count);
  if (result != CUDA_SUCCESS)
    return leat_driver_set_error (error, &self->table, "cuDeviceGetCount", result, "%s", self->path);
  self->device_count = MAX (count, 0);
  return TRUE;
}

/* A library that is not there is NO_DRIVER; one that is there and cannot be loaded is FAILED. */
static GModule *
leat_driver_load (const char *path, GError **error)
{
  g_autoptr (GError) local = NULL;
  GModule *module = g_module_open_full (path, G_MODULE_BIND_LOCAL, &local);
  gboolean absent;

  if (module != NULL)
    return module;
  /* The dynamic linker gives words only; the file that it misses must be this one, not one that this one needs. */
  absent = strstr (local->message, "No such file or directory") != NULL && g_str_has_prefix (local->message, path);
  if (absent)
    g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NO_DRIVER, "no driver library %s", path);
  else
    g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_FAILED, "cannot load the driver library %s: %s", path,
                 local->message);
  return NULL;
}

static LeatDriver *
leat_driver_new (LeatDriverKind kind, const char *path, GError **error)
{
  LeatDriver *self;
  GModule *module;
  g_autofree char *missing = NULL;

  module = leat_driver_load (path, error);
  if (module == NULL)
    return NULL;

  self = g_new0 (LeatDriver, 1);
  self->kind = kind;
  self->path = g_strdup (path);
  self->trace_slot = -1;
  if (!leat_driver_find_get_proc (self, module, error))
    goto refuse;
  missing = leat_driver_fill_table (self);
  /* The version first: it explains what is missing. */
  if (self->table.cuDriverGetVersion != NULL && !leat_driver_read_version (self, error))
    goto refuse;
  if (!leat_driver_check_missing (self, missing, error) || !leat_driver_start (self, error))
    goto refuse;
  self->direct = self->held = self->table;
  leat_driver_hold_calls (self);
  self->table = self->held;
  g_module_make_resident (module);
  return self;

refuse:
  leat_driver_free (self);
  g_module_close (module);
  return NULL;
}

LeatDriver *
leat_driver_open (LeatDriverKind kind, const char *path, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&leat_drivers_lock);
  LeatDriver *self;

  g_return_val_if_fail (path != NULL, NULL);

  if (leat_drivers == NULL)
    leat_drivers = g_hash_table_new (g_str_hash, g_str_equal);
  self = g_hash_table_lookup (leat_drivers, path);
  if (self == NULL)
    {
      self = leat_driver_new (kind, path, error);
      if (self != NULL)
        g_hash_table_insert (leat_drivers, self->path, self);
    }
  return self;
}

LeatDriverKind
leat_driver_get_kind (LeatDriver *self)
{
  return self->kind;
}

const char *
leat_driver_get_path (LeatDriver *self)
{
  return self->path;
}

int
leat_driver_get_version (LeatDriver *self)
{
  return self->version;
}

guint
leat_driver_get_device_count (LeatDriver *self)
{
  return self->device_count;
}

const LeatDriverTable *
leat_driver_get_table (LeatDriver *self)
{
  return &self->table;
}
