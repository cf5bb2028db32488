/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, its memory, and the lock under which transfers, runs and sessions say that they use it. */

#include "leat-device-buffer-private.h"

#include "graph/leat-endpoint.h"

/**
 * LeatDeviceBuffer:
 *
 * Memory on a device that a program has for itself, and that outlives runs and sessions.
 *
 * One is made on a device (leat_device_open (), leat_session_get_device ()), of some bytes or for a spec, and holds
 * zeros at first.  Bytes go to it and come back in ranges, many at a time with #LeatTransferBatch.  For a bounded spec
 * there is a count of live items too.
 *
 * The memory is given back when the last reference goes, or at once with leat_device_buffer_release (). While a
 * transfer or a run is under way that uses it, and while it is bound to a session, release () is refused; the last
 * reference may go at any time, since these have their own.
 *
 * Any thread may use a buffer.  Transfers that several threads have under way at once come in no particular order.
 *
 * Since: 0.1
 */
struct _LeatDeviceBuffer
{
  GObject parent_instance;

  LeatDevice *device;
  LeatSpec *spec;
  guint64 header, bytes;
  GMutex lock;        /* of all below */
  GCond idle;         /* a transfer has ended */
  LeatMemory *memory; /* NULL: given back */
  gpointer owner;     /* whose memory it is; NULL: its own */
  GDestroyNotify drop;
  gboolean called_in; /* the owner wants it back */
  guint uses[2];      /* by LeatBufferUse */
  guint lost;         /* transfers of which it is not known whether they have ended */
  guint bindings;
  LeatTransferCounts counts;
};

G_DEFINE_FINAL_TYPE (LeatDeviceBuffer, leat_device_buffer, G_TYPE_OBJECT)
/**
 * leat_device_buffer_error_quark:
 *
 * Gets the domain of #LeatDeviceBufferError.
 *
 * Returns: the quark
 */
/* clang-format off */
G_DEFINE_QUARK (leat-device-buffer-error-quark, leat_device_buffer_error)
/* clang-format on */

/* A registered type, so that the description for other languages gives the domain to the codes. */
GType
leat_device_buffer_error_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_DEVICE_BUFFER_ERROR_RANGE, "LEAT_DEVICE_BUFFER_ERROR_RANGE", "range" },
                                       { LEAT_DEVICE_BUFFER_ERROR_RELEASED, "LEAT_DEVICE_BUFFER_ERROR_RELEASED",
                                         "released" },
                                       { LEAT_DEVICE_BUFFER_ERROR_DEVICE, "LEAT_DEVICE_BUFFER_ERROR_DEVICE", "device" },
                                       { LEAT_DEVICE_BUFFER_ERROR_BUSY, "LEAT_DEVICE_BUFFER_ERROR_BUSY", "busy" },
                                       { LEAT_DEVICE_BUFFER_ERROR_SPEC, "LEAT_DEVICE_BUFFER_ERROR_SPEC", "spec" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatDeviceBufferError", values));
  return type;
}

static LeatDeviceBuffer *
leat_device_buffer_make (LeatDevice *device, LeatSpec *spec, guint64 header, guint64 bytes, GError **error)
{
  g_autoptr (LeatDeviceBuffer) self = g_object_new (LEAT_TYPE_DEVICE_BUFFER, NULL);

  leat_device_settle (device);
  self->device = g_object_ref (device);
  self->spec = spec != NULL ? leat_spec_ref (spec) : NULL;
  self->header = header;
  self->bytes = bytes;
  self->memory = leat_memory_new (device, LEAT_MEMORY_DEVICE, bytes > G_MAXINT64 ? bytes : header + bytes,
                                  "a resident buffer", error);
  if (self->memory == NULL || !leat_memory_clear (self->memory, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * leat_device_buffer_new:
 * @device: where
 * @bytes: how many
 * @error: return location for an error
 *
 * Makes a buffer of zeros.
 *
 * Returns: (transfer full): the buffer; %NULL with %LEAT_DRIVER_ERROR_OUT_OF_MEMORY when the device or its budget has
 *   no room, and other %LEAT_DRIVER_ERROR
 * Since: 0.1
 */
LeatDeviceBuffer *
leat_device_buffer_new (LeatDevice *device, guint64 bytes, GError **error)
{
  g_return_val_if_fail (LEAT_IS_DEVICE (device), NULL);
  return leat_device_buffer_make (device, NULL, 0, bytes, error);
}

/**
 * leat_device_buffer_new_for_spec:
 * @device: where
 * @spec: what it holds
 * @error: return location for an error
 *
 * Makes a buffer of zeros that holds what a spec says.  One for a bounded spec has no live items at first.
 *
 * Returns: (transfer full): the buffer; %NULL with %LEAT_DEVICE_BUFFER_ERROR_SPEC when the spec leaves something open,
 *   and as leat_device_buffer_new ()
 * Since: 0.1
 */
LeatDeviceBuffer *
leat_device_buffer_new_for_spec (LeatDevice *device, LeatSpec *spec, GError **error)
{
  g_autofree char *text = NULL;

  g_return_val_if_fail (LEAT_IS_DEVICE (device), NULL);
  g_return_val_if_fail (spec != NULL, NULL);

  if (leat_spec_is_fixed (spec))
    return leat_device_buffer_make (device, spec, leat_spec_is_bounded (spec) ? LEAT_BUFFER_HEADER : 0,
                                    leat_spec_get_bytes (spec), error);
  text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_SPEC,
               "cannot make a buffer for %s: its size is not known; write numbers, as in f32[480,640]", text);
  return NULL;
}

/**
 * leat_device_buffer_get_device:
 * @self: a buffer
 *
 * Gets where the buffer is.
 *
 * Returns: (transfer none): the device
 * Since: 0.1
 */
LeatDevice *
leat_device_buffer_get_device (LeatDeviceBuffer *self)
{
  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (self), NULL);
  return self->device;
}

/**
 * leat_device_buffer_get_spec:
 * @self: a buffer
 *
 * Gets what the buffer holds.
 *
 * Returns: (transfer none) (nullable): the spec; %NULL for bytes
 * Since: 0.1
 */
LeatSpec *
leat_device_buffer_get_spec (LeatDeviceBuffer *self)
{
  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (self), NULL);
  return self->spec;
}

/**
 * leat_device_buffer_get_bytes:
 * @self: a buffer
 *
 * Gets how many bytes of items there is room for; what a bounded spec needs beside that is not counted.
 *
 * Returns: bytes
 * Since: 0.1
 */
guint64
leat_device_buffer_get_bytes (LeatDeviceBuffer *self)
{
  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (self), 0);
  return self->bytes;
}

guint64
leat_device_buffer_get_header (LeatDeviceBuffer *self)
{
  return self->header;
}

CUdeviceptr
leat_device_buffer_get_address (LeatDeviceBuffer *self)
{
  return leat_memory_get_address (self->memory);
}

LeatDeviceBuffer *
leat_device_buffer_new_lent (LeatDevice *device, LeatSpec *spec, guint64 header, LeatMemory *memory, gpointer owner,
                             GDestroyNotify drop)
{
  LeatDeviceBuffer *self = g_object_new (LEAT_TYPE_DEVICE_BUFFER, NULL);

  self->device = g_object_ref (device);
  self->spec = spec != NULL ? leat_spec_ref (spec) : NULL;
  self->header = header;
  self->bytes = leat_memory_get_bytes (memory) - header;
  self->memory = memory;
  self->owner = owner;
  self->drop = drop;
  return self;
}

gboolean
leat_device_buffer_is_lent_from (LeatDeviceBuffer *self, gpointer owner)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->owner == owner && !self->called_in;
}

/* Under the lock. */
static gboolean
leat_device_buffer_is_used (LeatDeviceBuffer *self)
{
  return self->uses[LEAT_BUFFER_USE_TRANSFER] + self->uses[LEAT_BUFFER_USE_RUN] + self->bindings > 0;
}

/* Lets the owner have what nobody uses any more. */
static void
leat_device_buffer_unlock (LeatDeviceBuffer *self)
{
  gpointer owner = NULL;

  if (self->called_in && !leat_device_buffer_is_used (self))
    {
      owner = g_steal_pointer (&self->owner);
      self->memory = NULL;
    }
  g_mutex_unlock (&self->lock);
  if (owner != NULL)
    (*self->drop) (owner);
}

void
leat_device_buffer_call_in (LeatDeviceBuffer *self)
{
  g_mutex_lock (&self->lock);
  self->called_in = TRUE;
  leat_device_buffer_unlock (self);
}

/**
 * leat_device_buffer_is_in_flight:
 * @self: a buffer
 *
 * Tells whether a transfer or a run under way, or a session that is bound to the memory, may use it.
 *
 * Returns: whether leat_device_buffer_release () would be refused
 * Since: 0.1
 */
gboolean
leat_device_buffer_is_in_flight (LeatDeviceBuffer *self)
{
  g_autoptr (GMutexLocker) locker = NULL;

  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (self), FALSE);
  locker = g_mutex_locker_new (&self->lock);
  return leat_device_buffer_is_used (self);
}

/* Under the lock. */
static gboolean
leat_device_buffer_check_there (LeatDeviceBuffer *self, GError **error)
{
  if (self->memory != NULL && !self->called_in)
    return TRUE;
  g_set_error_literal (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RELEASED,
                       self->called_in ? "the state's memory has gone with its session, or with its former size; ask "
                                         "the session for the state again"
                                       : "the buffer's memory has been given back; make another buffer");
  return FALSE;
}

/* Under the lock, which it lets go.  Nobody waits for a transfer of which it is not known whether it has ended, so who
 * needs that finds it out. */
static gboolean
leat_device_buffer_find_lost (LeatDeviceBuffer *self, GError **error)
{
  g_mutex_unlock (&self->lock);
  leat_device_settle (self->device);
  g_mutex_lock (&self->lock);
  if (self->lost == 0)
    return TRUE;
  g_set_error_literal (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_BUSY,
                       "a transfer of the buffer failed, and the device does not say that it has ended");
  return FALSE;
}

/* Under the lock. */
static gboolean
leat_device_buffer_await_transfers (LeatDeviceBuffer *self, GError **error)
{
  while (self->uses[LEAT_BUFFER_USE_TRANSFER] > 0)
    {
      if (self->lost == 0)
        g_cond_wait (&self->idle, &self->lock);
      else if (!leat_device_buffer_find_lost (self, error))
        return FALSE;
    }
  return TRUE;
}

void
leat_device_buffer_set_lost (LeatDeviceBuffer *self, gboolean lost)
{
  g_mutex_lock (&self->lock);
  self->lost += lost ? 1 : -1;
  g_cond_broadcast (&self->idle);
  g_mutex_unlock (&self->lock);
}

gboolean
leat_device_buffer_enter (LeatDeviceBuffer *self, LeatBufferUse use, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if ((use == LEAT_BUFFER_USE_RUN && !leat_device_buffer_await_transfers (self, error))
      || !leat_device_buffer_check_there (self, error))
    return FALSE;
  if (use == LEAT_BUFFER_USE_TRANSFER && self->uses[LEAT_BUFFER_USE_RUN] > 0)
    {
      g_set_error_literal (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_BUSY,
                           "a run of a session works on the buffer; transfer when it is complete");
      return FALSE;
    }
  self->uses[use]++;
  return TRUE;
}

void
leat_device_buffer_leave (LeatDeviceBuffer *self, LeatBufferUse use)
{
  g_mutex_lock (&self->lock);
  self->uses[use]--;
  g_cond_broadcast (&self->idle);
  leat_device_buffer_unlock (self);
}

void
leat_device_buffer_doubt (LeatDeviceBuffer *self)
{
  g_mutex_lock (&self->lock);
  if (self->memory != NULL)
    leat_memory_doubt (self->memory);
  g_mutex_unlock (&self->lock);
}

gboolean
leat_device_buffer_bind (LeatDeviceBuffer *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (!leat_device_buffer_check_there (self, error))
    return FALSE;
  self->bindings++;
  return TRUE;
}

void
leat_device_buffer_unbind (LeatDeviceBuffer *self)
{
  g_mutex_lock (&self->lock);
  self->bindings--;
  leat_device_buffer_unlock (self);
}

static LeatMemory *
leat_device_buffer_take_memory (LeatDeviceBuffer *self, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  guint uses = self->uses[LEAT_BUFFER_USE_TRANSFER] + self->uses[LEAT_BUFFER_USE_RUN];

  if (!leat_device_buffer_check_there (self, error))
    return NULL;
  if (uses + self->bindings == 0 && self->owner == NULL)
    return g_steal_pointer (&self->memory);
  if (self->owner != NULL)
    {
      g_set_error_literal (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_BUSY,
                           "cannot give the buffer's memory back: it is a session's state, and goes with the session");
      return NULL;
    }
  g_set_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_BUSY,
               uses > 0 ? "cannot give the buffer's memory back: %u transfers or runs that use it are under way"
                        : "cannot give the buffer's memory back: it is bound to %u ports of sessions; bind "
                          "other memory there, or close these sessions",
               uses > 0 ? uses : self->bindings);
  return NULL;
}

/**
 * leat_device_buffer_release:
 * @self: a buffer
 * @error: return location for an error
 *
 * Gives the memory back now, and not when the last reference goes: for languages in which nobody knows when that is.
 *
 * Returns: whether it was given back; %LEAT_DEVICE_BUFFER_ERROR_BUSY while it may be in use,
 *   %LEAT_DEVICE_BUFFER_ERROR_RELEASED when it was before
 * Since: 0.1
 */
gboolean
leat_device_buffer_release (LeatDeviceBuffer *self, GError **error)
{
  LeatMemory *memory;

  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (self), FALSE);
  memory = leat_device_buffer_take_memory (self, error);
  if (memory == NULL)
    return FALSE;
  leat_memory_free (memory);
  return TRUE;
}

void
leat_device_buffer_count (LeatDeviceBuffer *self, const LeatTransferCounts *more)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  leat_transfer_counts_add (&self->counts, more);
}

/**
 * leat_device_buffer_dup_stats:
 * @self: a buffer
 *
 * Gets what all transfers of the buffer came to, as leat_transfer_batch_dup_stats () has them.  A copy counts where it
 * goes to.
 *
 * Returns: (transfer full): a dictionary, `a{sv}`, of numbers of type `t`
 * Since: 0.1
 */
GVariant *
leat_device_buffer_dup_stats (LeatDeviceBuffer *self)
{
  LeatTransferCounts counts;

  g_return_val_if_fail (LEAT_IS_DEVICE_BUFFER (self), NULL);
  g_mutex_lock (&self->lock);
  counts = self->counts;
  g_mutex_unlock (&self->lock);
  return leat_transfer_counts_to_variant (&counts);
}

static void
leat_device_buffer_finalize (GObject *object)
{
  LeatDeviceBuffer *self = LEAT_DEVICE_BUFFER (object);

  if (self->owner != NULL)
    (*self->drop) (self->owner);
  else
    g_clear_pointer (&self->memory, leat_memory_free);
  g_clear_pointer (&self->spec, leat_spec_unref);
  g_clear_object (&self->device);
  g_cond_clear (&self->idle);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (leat_device_buffer_parent_class)->finalize (object);
}

static void
leat_device_buffer_class_init (LeatDeviceBufferClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = leat_device_buffer_finalize;
}

static void
leat_device_buffer_init (LeatDeviceBuffer *self)
{
  g_mutex_init (&self->lock);
  g_cond_init (&self->idle);
}
