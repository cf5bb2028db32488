/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, its properties, and the list of open devices, in which each device is there once. */

#include "leat-device.h"

#include "leat-device-object-private.h"

#define LEAT_PINNED_CACHE_BYTES (G_GUINT64_CONSTANT (256) << 20)
#define LEAT_CACHE_SHARE        8

/**
 * LeatDevice:
 *
 * A device that kernels run on: a CUDA device, or the CPU by Leat's own driver.
 *
 * A device is opened by a text such as `cuda:0` and shared: opening it again gives the same object, and everything
 * made on it keeps it alive.  Its memory, and the pinned memory of the host that
 * it reads in place, are taken from pools, each under a budget of its own.  A kernel that fails while it runs takes
 * the device from this process; the device then counts as dead, and all that is asked of it fails with
 * %LEAT_DRIVER_ERROR_DEVICE_LOST.
 *
 * A program that has used a GPU keeps its context until it ends, as with the CUDA runtime, because making one takes
 * long; the environment variable `LEAT_KEEP_CONTEXT=0` has it given back with the last #LeatDevice.
 *
 * Since: 0.1
 */

enum
{
  PROP_0,
  PROP_ID,
  PROP_NAME,
  PROP_NOTE,
  PROP_MEMORY_BYTES,
  PROP_IS_CPU,
  PROP_IS_DEAD,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

/* Open devices by id; not owned. */
static GMutex leat_devices_lock;
static GHashTable *leat_devices;

G_DEFINE_FINAL_TYPE (LeatDevice, leat_device, G_TYPE_OBJECT)

static void
leat_device_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  LeatDevice *self = LEAT_DEVICE (object);

  switch (id)
    {
    case PROP_ID:
      g_value_set_string (value, self->id);
      break;
    case PROP_NAME:
      g_value_set_string (value, self->facts.name);
      break;
    case PROP_NOTE:
      g_value_set_string (value, leat_device_get_note (self));
      break;
    case PROP_MEMORY_BYTES:
      g_value_set_uint64 (value, self->facts.memory_bytes);
      break;
    case PROP_IS_CPU:
      g_value_set_boolean (value, leat_device_is_cpu (self));
      break;
    case PROP_IS_DEAD:
      g_value_set_boolean (value, leat_device_is_dead (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
leat_device_finalize (GObject *object)
{
  LeatDevice *self = LEAT_DEVICE (object);

  if (self->context != NULL)
    {
      leat_device_destroy_idle_streams (self);
      leat_memory_pool_clear (self, LEAT_MEMORY_DEVICE);
      leat_memory_pool_clear (self, LEAT_MEMORY_PINNED);
      leat_device_let_go_of_context (self);
    }
  g_clear_pointer (&self->id, g_free);
  g_clear_pointer (&self->dead_reason, g_free);
  g_slist_free_full (g_steal_pointer (&self->quarantine), g_free); /* what hangs is never released */
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (leat_device_parent_class)->finalize (object);
}

static void
leat_device_class_init (LeatDeviceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = leat_device_get_property;
  object_class->finalize = leat_device_finalize;

  /**
   * LeatDevice:id:
   *
   * The text that opens this device, `cuda:0` or `cpu`.
   */
  props[PROP_ID] = g_param_spec_string ("id", NULL, NULL, NULL, flags);
  /**
   * LeatDevice:name:
   *
   * The maker's name of the device.
   */
  props[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, flags);
  /**
   * LeatDevice:note:
   *
   * A note for the user about the choice of this device.
   */
  props[PROP_NOTE] = g_param_spec_string ("note", NULL, NULL, NULL, flags);
  /**
   * LeatDevice:memory-bytes:
   *
   * The size of the device's memory.
   */
  props[PROP_MEMORY_BYTES] = g_param_spec_uint64 ("memory-bytes", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  /**
   * LeatDevice:is-cpu:
   *
   * Whether kernels run on the CPU.
   */
  props[PROP_IS_CPU] = g_param_spec_boolean ("is-cpu", NULL, NULL, FALSE, flags);
  /**
   * LeatDevice:is-dead:
   *
   * Whether the device is lost to this process.
   *
   * Its notification comes from the thread that found out, in the middle of a call: no session may be closed in a
   * handler, but from a main loop, say, after g_idle_add ().
   */
  props[PROP_IS_DEAD] = g_param_spec_boolean ("is-dead", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
leat_device_init (LeatDevice *self)
{
  g_mutex_init (&self->lock);
}

static gboolean
leat_device_start (LeatDevice *self, const LeatDriverChoice *choice, GError **error)
{
  self->driver = choice->driver;
  self->table = leat_driver_get_table (choice->driver);
  if (!leat_driver_probe (self->driver, choice->ordinal, &self->facts, error))
    return FALSE;
  if (self->facts.prohibited)
    {
      g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NO_DEVICE,
                   "the compute mode of %s (%s) lets no process in: change it with nvidia-smi --compute-mode=0",
                   self->id, self->facts.name);
      return FALSE;
    }
  if (!leat_device_init_budgets (self, error) || !leat_device_take_context (self, error))
    return FALSE;
  leat_memory_pool_init (&self->pools[LEAT_MEMORY_DEVICE], self->budgets[LEAT_MEMORY_DEVICE] / LEAT_CACHE_SHARE);
  leat_memory_pool_init (&self->pools[LEAT_MEMORY_PINNED],
                         MIN (LEAT_PINNED_CACHE_BYTES, self->budgets[LEAT_MEMORY_PINNED] / LEAT_CACHE_SHARE));
  return TRUE;
}

static LeatDevice *
leat_device_new (const LeatDriverChoice *choice, const char *id, GError **error)
{
  g_autoptr (LeatDevice) self = g_object_new (LEAT_TYPE_DEVICE, NULL);

  self->id = g_strdup (id);
  if (!leat_device_start (self, choice, error))
    return NULL;
  return g_steal_pointer (&self);
}

/* Two devices have one key when they are one device of one driver. */
static char *
leat_device_make_key (const LeatDriverChoice *choice)
{
  return g_strdup_printf ("%s\n%u", leat_driver_get_path (choice->driver), choice->ordinal);
}

static void
leat_device_weak_free (gpointer data)
{
  g_weak_ref_clear (data);
  g_free (data);
}

/* Under the lock of the list. */
static LeatDevice *
leat_device_find_or_new (const LeatDriverChoice *choice, const char *id, GError **error)
{
  g_autofree char *key = leat_device_make_key (choice);
  GWeakRef *known;
  LeatDevice *self;

  if (leat_devices == NULL)
    leat_devices = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, leat_device_weak_free);
  known = g_hash_table_lookup (leat_devices, key);
  self = known != NULL ? g_weak_ref_get (known) : NULL;
  if (self != NULL)
    return self;

  self = leat_device_new (choice, id, error);
  if (self == NULL)
    return NULL;
  known = g_new0 (GWeakRef, 1);
  g_weak_ref_init (known, self);
  g_hash_table_insert (leat_devices, g_steal_pointer (&key), known);
  return self;
}

/**
 * leat_device_open:
 * @selector: (nullable): `auto`, `cpu`, `cuda` or `cuda:N`; %NULL for the environment variable `LEAT_DEVICE`, or else
 *   `auto`
 * @error: return location for an error
 *
 * Opens a device.
 *
 * `auto` takes the first CUDA device, and the CPU only where there is no CUDA driver or no device; it then has a note
 * for the user.  The other texts mean just what they say.  Opening a device that is open already gives the same object.
 *
 * Returns: (transfer full): the device
 * Since: 0.1
 */
LeatDevice *
leat_device_open (const char *selector, GError **error)
{
  g_autoptr (GMutexLocker) locker = NULL;
  g_autofree char *id = NULL;
  LeatDriverChoice choice;
  LeatDevice *self;

  if (!leat_driver_select (selector, &choice, error))
    return NULL;
  id = leat_driver_get_kind (choice.driver) == LEAT_DRIVER_CPU ? g_strdup ("cpu")
                                                               : g_strdup_printf ("cuda:%u", choice.ordinal);

  locker = g_mutex_locker_new (&leat_devices_lock);
  self = leat_device_find_or_new (&choice, id, error);
  if (self != NULL && choice.note != NULL)
    g_atomic_pointer_set (&self->note, choice.note);
  return self;
}
