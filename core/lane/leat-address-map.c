/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Ranges in the order of their addresses.  A program that frees memory and gets other memory at the same addresses is
 * not noticed: to notice it, the driver would have to be asked every time. */

#include "leat-address-map-private.h"

#include "driver/leat-driver-error.h"
#include "leat-session-error.h"

LeatAddressMap *
leat_address_map_new (LeatDevice *device)
{
  LeatAddressMap *self = g_new0 (LeatAddressMap, 1);

  self->device = device;
  return self;
}

void
leat_address_map_free (LeatAddressMap *self)
{
  g_free (self);
}

/* How many begin at @address or before. */
static guint
leat_address_map_count_before (const LeatAddressMap *self, guint64 address)
{
  guint low = 0, high = self->n;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (self->ranges[middle].begin <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static const LeatAddressRange *
leat_address_map_add (LeatAddressMap *self, const LeatAddressRange *range)
{
  guint kept = 0, at;

  for (guint i = 0; i < self->n; i++)
    if (self->ranges[i].end <= range->begin || self->ranges[i].begin >= range->end)
      self->ranges[kept++] = self->ranges[i];
  self->n = kept < LEAT_RANGES_MOST ? kept : 0;
  at = leat_address_map_count_before (self, range->begin);
  memmove (&self->ranges[at + 1], &self->ranges[at], (self->n - at) * sizeof *self->ranges);
  self->ranges[at] = *range;
  self->last = at;
  self->n++;
  return &self->ranges[at];
}

static gboolean
leat_address_map_refuse (guint64 address, const char *why, GError **error)
{
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMORY, "cannot bind 0x%" G_GINT64_MODIFIER "x: %s",
               address, why);
  return FALSE;
}

/* INVALID_VALUE, which is what drivers say of memory that they do not know, is for the caller to name. */
static CUresult
leat_address_map_get (LeatAddressMap *self, CUpointer_attribute attribute, guint64 address, void *value, GError **error)
{
  CUresult result = (*leat_device_get_table (self->device)->cuPointerGetAttribute) (value, attribute, address);

  if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE)
    leat_device_set_error (self->device, error, "cuPointerGetAttribute", result, "memory at 0x%" G_GINT64_MODIFIER "x",
                           address);
  return result;
}

/* Memory of another device would be reached through it, if at all. */
static gboolean
leat_address_map_check_device (LeatAddressMap *self, guint64 address, GError **error)
{
  CUdevice mine = 0;
  int ordinal = 0;
  CUresult result = leat_address_map_get (self, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, address, &ordinal, error);

  if (result != CUDA_SUCCESS)
    return result == CUDA_ERROR_INVALID_VALUE;
  if ((*leat_device_get_table (self->device)->cuCtxGetDevice) (&mine) != CUDA_SUCCESS || ordinal == (int) mine)
    return TRUE;
  return leat_address_map_refuse (address, "it is memory of another device than the session's", error);
}

static gboolean
leat_address_map_find_reach (LeatAddressMap *self, guint64 address, LeatAddressRange *range, GError **error)
{
  CUdeviceptr reached = 0;
  unsigned int type = 0;
  CUresult result = leat_address_map_get (self, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, address, &type, error);

  if (result == CUDA_SUCCESS && (type == CU_MEMORYTYPE_HOST || type == CU_MEMORYTYPE_DEVICE))
    result = leat_address_map_get (self, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, address, &reached, error);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE)
    return FALSE;
  if (result != CUDA_SUCCESS || reached == 0)
    return leat_address_map_refuse (address,
                                    "it is pageable memory, which the device does not reach; use pinned memory "
                                    "(leat_device_pin (), cuMemHostAlloc) or memory of the device",
                                    error);
  range->on_device = type == CU_MEMORYTYPE_DEVICE;
  range->shift = reached - address;
  return TRUE;
}

static gboolean
leat_address_map_ask (LeatAddressMap *self, guint64 address, LeatAddressRange *range, GError **error)
{
  CUdeviceptr base = 0;
  size_t bytes = 0;
  CUresult result;

  if (leat_device_get_table (self->device)->cuPointerGetAttribute == NULL)
    return leat_address_map_refuse (address, "the driver does not tell what memory it is", error);
  if (!leat_address_map_find_reach (self, address, range, error))
    return FALSE;
  result = leat_address_map_get (self, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, address, &base, error);
  if (result == CUDA_SUCCESS)
    result = leat_address_map_get (self, CU_POINTER_ATTRIBUTE_RANGE_SIZE, address, &bytes, error);
  if (result == CUDA_ERROR_INVALID_VALUE)
    return leat_address_map_refuse (address, "the driver does not tell how large the memory is", error);
  if (result != CUDA_SUCCESS)
    return FALSE;
  /* Of pinned memory the base may be that of the host or of the device. */
  range->begin = base <= address && address - base < bytes ? base : base - range->shift;
  range->end = range->begin + bytes;
  return !range->on_device || leat_address_map_check_device (self, address, error);
}

const LeatAddressRange *
leat_address_map_look_up (LeatAddressMap *self, guint64 address, GError **error)
{
  guint before = leat_address_map_count_before (self, address);
  LeatAddressRange range = { 0 };
  gboolean good;

  if (before > 0 && address < self->ranges[before - 1].end)
    {
      self->last = before - 1;
      return &self->ranges[before - 1];
    }
  if (!leat_device_push (self->device, error))
    return NULL;
  good = leat_address_map_ask (self, address, &range, error);
  leat_device_pop (self->device);
  return good ? leat_address_map_add (self, &range) : NULL;
}
