/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Arrays of a lane, and the textures and surfaces that its kernels see them through.  All are made with the lane's
 * memory and go with it, so that a run makes none.  Touches these, and the addresses of arrays that are plain memory.
 */

#include "leat-lane-private.h"

#include "device/leat-array-private.h"
#include "device/leat-texture-private.h"

/* An object, and the parameter that it is for. */
typedef struct
{
  guint op, arg;
  LeatTexture *texture;
} LeatLaneTexture;

/* What the texels of a buffer lie in: memory that is read item by item, or the device's own order. */
typedef struct
{
  LeatMemory *memory;
  LeatArray *array;
} LeatLaneArray;

static void
leat_lane_array_free (gpointer data)
{
  LeatLaneArray *self = data;

  if (self == NULL)
    return;
  g_clear_pointer (&self->memory, leat_memory_free);
  leat_array_free (self->array);
  g_free (self);
}

static void
leat_lane_texture_clear (gpointer data)
{
  leat_texture_free (((LeatLaneTexture *) data)->texture);
}

static CUarray_format
leat_array_info_get_format (const LeatArrayInfo *self)
{
  switch (self->dtype)
    {
    case LEAT_DTYPE_U8:
      return CU_AD_FORMAT_UNSIGNED_INT8;
    case LEAT_DTYPE_I8:
      return CU_AD_FORMAT_SIGNED_INT8;
    case LEAT_DTYPE_U16:
      return CU_AD_FORMAT_UNSIGNED_INT16;
    case LEAT_DTYPE_I16:
      return CU_AD_FORMAT_SIGNED_INT16;
    case LEAT_DTYPE_U32:
      return CU_AD_FORMAT_UNSIGNED_INT32;
    case LEAT_DTYPE_I32:
      return CU_AD_FORMAT_SIGNED_INT32;
    case LEAT_DTYPE_F16:
      return CU_AD_FORMAT_HALF;
    default:
      return CU_AD_FORMAT_FLOAT;
    }
}

static CUDA_ARRAY3D_DESCRIPTOR
leat_array_info_describe (const LeatArrayInfo *self)
{
  gboolean layered = self->form == LEAT_TEXTURE_1D_LAYERED || self->form == LEAT_TEXTURE_2D_LAYERED;

  return (CUDA_ARRAY3D_DESCRIPTOR){ .Width = self->width,
                                    .Height = self->height,
                                    .Depth = self->depth,
                                    .Format = leat_array_info_get_format (self),
                                    .NumChannels = self->channels,
                                    .Flags = (layered ? CUDA_ARRAY3D_LAYERED : 0)
                                             | (self->is_surface ? CUDA_ARRAY3D_SURFACE_LDST : 0)
                                             | (self->gathers ? CUDA_ARRAY3D_TEXTURE_GATHER : 0) };
}

static gboolean
leat_lane_allocate_array (LeatLane *self, const LeatBuffer *buffer, GError **error)
{
  const LeatArrayInfo *info = leat_buffer_get_array (buffer);
  const CUDA_ARRAY3D_DESCRIPTOR description = leat_array_info_describe (info);
  LeatLaneArray *array = g_new0 (LeatLaneArray, 1);

  g_ptr_array_index (self->arrays, buffer->id) = array;
  if (info->form != LEAT_TEXTURE_LINEAR)
    array->array = leat_array_new_in (leat_store_get_account (self->store), self->program->device, &description,
                                      buffer->name, error);
  else
    array->memory =
      leat_lane_new_memory (self, LEAT_MEMORY_SCRATCH, LEAT_MEMORY_DEVICE, buffer->bytes, buffer->name, error);
  if (array->memory != NULL)
    self->addresses[buffer->id] = leat_memory_get_address (array->memory);
  return array->memory != NULL || array->array != NULL;
}

static CUaddress_mode
leat_texture_address_get_mode (LeatTextureAddress address)
{
  static const CUaddress_mode modes[] = { [LEAT_TEXTURE_ADDRESS_CLAMP] = CU_TR_ADDRESS_MODE_CLAMP,
                                          [LEAT_TEXTURE_ADDRESS_BORDER] = CU_TR_ADDRESS_MODE_BORDER,
                                          [LEAT_TEXTURE_ADDRESS_WRAP] = CU_TR_ADDRESS_MODE_WRAP,
                                          [LEAT_TEXTURE_ADDRESS_MIRROR] = CU_TR_ADDRESS_MODE_MIRROR };

  return modes[address];
}

static CUDA_TEXTURE_DESC
leat_sampling_describe (const LeatSampling *self)
{
  CUDA_TEXTURE_DESC sampling = { .filterMode = self->is_linear ? CU_TR_FILTER_MODE_LINEAR : CU_TR_FILTER_MODE_POINT,
                                 .flags = (self->is_normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0)
                                          | (self->gives_floats ? 0 : CU_TRSF_READ_AS_INTEGER) };

  for (guint i = 0; i < 3; i++)
    sampling.addressMode[i] = leat_texture_address_get_mode (self->address[i]);
  return sampling;
}

static CUDA_RESOURCE_DESC
leat_lane_describe_resource (LeatLane *self, const LeatBuffer *buffer)
{
  const LeatArrayInfo *info = leat_buffer_get_array (buffer);
  const LeatLaneArray *array = g_ptr_array_index (self->arrays, buffer->id);
  CUDA_RESOURCE_DESC resource = { .resType = CU_RESOURCE_TYPE_ARRAY };

  if (array->array != NULL)
    {
      resource.res.array.hArray = leat_array_get (array->array);
      return resource;
    }
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = leat_memory_get_address (array->memory);
  resource.res.linear.format = leat_array_info_get_format (info);
  resource.res.linear.numChannels = info->channels;
  resource.res.linear.sizeInBytes = buffer->bytes;
  return resource;
}

static gboolean
leat_lane_make_texture (LeatLane *self, const LeatOp *op, guint index, GError **error)
{
  const LeatOpArg *arg = &op->args[index];
  const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, arg->buffer);
  CUDA_RESOURCE_DESC resource = leat_lane_describe_resource (self, buffer);
  CUDA_TEXTURE_DESC sampling = { 0 };
  LeatLaneTexture texture = { .op = op->index, .arg = index };

  if (arg->kind == LEAT_ARG_TEXTURE)
    sampling = leat_sampling_describe (g_bytes_get_data (arg->value, NULL));
  texture.texture = leat_texture_new (self->program->device, &resource,
                                      arg->kind == LEAT_ARG_TEXTURE ? &sampling : NULL, buffer->name, error);
  if (texture.texture == NULL)
    {
      leat_node_prefix_error (op->node, error);
      return FALSE;
    }
  g_array_append_val (self->textures, texture);
  return TRUE;
}

static gboolean
leat_lane_allocate_arrays (LeatLane *self, GError **error)
{
  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);

      if (buffer->array == NULL || leat_lane_allocate_array (self, buffer, error))
        continue;
      leat_node_prefix_error (leat_plan_find_writer (self->plan, i), error);
      return FALSE;
    }
  return TRUE;
}

gboolean
leat_lane_allocate_textures (LeatLane *self, GError **error)
{
  if (self->arrays != NULL)
    return TRUE;
  self->arrays = g_ptr_array_new_with_free_func (leat_lane_array_free);
  g_ptr_array_set_size (self->arrays, (gint) self->plan->buffers->len);
  self->textures = g_array_new (FALSE, FALSE, sizeof (LeatLaneTexture));
  g_array_set_clear_func (self->textures, leat_lane_texture_clear);
  if (!leat_lane_allocate_arrays (self, error))
    return FALSE;
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      for (guint a = 0; a < op->n_args; a++)
        if (leat_op_get_role (op, a) == LEAT_ROLE_TEXTURE && !leat_lane_make_texture (self, op, a, error))
          return FALSE;
    }
  return TRUE;
}

/* Objects before what they see. */
void
leat_lane_free_textures (LeatLane *self)
{
  g_clear_pointer (&self->textures, g_array_unref);
  g_clear_pointer (&self->arrays, g_ptr_array_unref);
}

guint64
leat_lane_get_texture (LeatLane *self, const LeatOp *op, guint arg)
{
  for (guint i = 0; i < self->textures->len; i++)
    {
      const LeatLaneTexture *texture = &g_array_index (self->textures, LeatLaneTexture, i);

      if (texture->op == op->index && texture->arg == arg)
        return leat_texture_get (texture->texture);
    }
  g_assert_not_reached ();
}

/* An array has rows, and the other side of the copy has them one behind the other. */
void
leat_lane_copy_by_array (LeatLane *self, const LeatOp *op, CUDA_MEMCPY3D *copy)
{
  LeatBufferId id = leat_plan_get_buffer (self->plan, op->to)->array != NULL ? op->to : op->from;
  const LeatArrayInfo *info = leat_buffer_get_array (leat_plan_get_buffer (self->plan, id));
  const LeatLaneArray *array = info != NULL ? g_ptr_array_index (self->arrays, id) : NULL;

  if (array == NULL || array->array == NULL)
    return;
  copy->Height = MAX (info->height, 1);
  copy->Depth = MAX (info->depth, 1);
  copy->WidthInBytes = op->bytes / copy->Height / copy->Depth;
  copy->srcPitch = copy->dstPitch = copy->WidthInBytes;
  copy->srcHeight = copy->dstHeight = copy->Height;
  if (id == op->to)
    {
      copy->dstMemoryType = CU_MEMORYTYPE_ARRAY;
      copy->dstArray = leat_array_get (array->array);
      copy->dstPitch = copy->dstHeight = 0;
    }
  else
    {
      copy->srcMemoryType = CU_MEMORYTYPE_ARRAY;
      copy->srcArray = leat_array_get (array->array);
      copy->srcPitch = copy->srcHeight = 0;
    }
}
