/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A texture or surface object: a number by which kernels reach texels.  Touches nothing but itself. */

#include "leat-texture-private.h"

struct _LeatTexture
{
  LeatDevice *device; /* owned */
  gboolean is_surface;
  guint64 object;
};

static CUresult
leat_texture_make (LeatTexture *self, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *sampling,
                   const char **call)
{
  const LeatDriverTable *table = leat_device_get_table (self->device);
  CUtexObject object = 0;
  CUresult result = CUDA_ERROR_NOT_SUPPORTED;

  *call = self->is_surface ? "cuSurfObjectCreate" : "cuTexObjectCreate";
  if (self->is_surface && table->cuSurfObjectCreate != NULL)
    result = (*table->cuSurfObjectCreate) (&object, resource);
  else if (!self->is_surface && table->cuTexObjectCreate != NULL)
    result = (*table->cuTexObjectCreate) (&object, resource, sampling, NULL);
  self->object = object;
  return result;
}

LeatTexture *
leat_texture_new (LeatDevice *device, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *sampling,
                  const char *what, GError **error)
{
  LeatTexture *self;
  const char *call = NULL;
  CUresult result;

  if (!leat_device_push (device, error))
    return NULL;
  self = g_new0 (LeatTexture, 1);
  self->device = g_object_ref (device);
  self->is_surface = sampling == NULL;
  result = leat_texture_make (self, resource, sampling, &call);
  leat_device_pop (device);
  if (result == CUDA_SUCCESS)
    return self;
  leat_device_set_error (device, error, call, result, "%s", what);
  g_object_unref (self->device);
  g_free (self);
  return NULL;
}

guint64
leat_texture_get (LeatTexture *self)
{
  return self->object;
}

static void
leat_texture_release (gpointer data)
{
  LeatTexture *self = data;
  const LeatDriverTable *table = leat_device_get_table (self->device);

  if (self->is_surface)
    (*table->cuSurfObjectDestroy) (self->object);
  else
    (*table->cuTexObjectDestroy) (self->object);
  g_object_unref (self->device);
  g_free (self);
}

void
leat_texture_free (LeatTexture *self)
{
  if (self != NULL)
    leat_device_release (self->device, self, leat_texture_release);
}
