/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib.h>
#include <string.h>

#include "cuda-table.h"

/* Arrays: bytes that go there and come back, in every shape, held against a model; what is refused; and objects. */

#define OK       CUDA_SUCCESS
#define MOST     4096
#define IS(a, b) g_assert_cmpint (a, ==, b)

typedef struct
{
  const char *name;
  gsize width, height, depth;
  guint flags;
} Shape;

static const Shape shapes[] = {
  { "1d", 5, 0, 0, 0 },
  { "2d", 5, 3, 0, CUDA_ARRAY3D_SURFACE_LDST },
  { "gather", 7, 3, 0, CUDA_ARRAY3D_TEXTURE_GATHER },
  { "3d", 5, 3, 2, 0 },
  { "1d-layered", 5, 0, 4, CUDA_ARRAY3D_LAYERED },
  { "2d-layered", 5, 3, 2, CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST },
};

static const struct
{
  CUarray_format format;
  guint channels, bytes;
} texels[] = {
  { CU_AD_FORMAT_UNSIGNED_INT8, 1, 1 }, { CU_AD_FORMAT_SIGNED_INT8, 4, 4 },    { CU_AD_FORMAT_UNSIGNED_INT16, 2, 4 },
  { CU_AD_FORMAT_SIGNED_INT16, 1, 2 },  { CU_AD_FORMAT_UNSIGNED_INT32, 1, 4 }, { CU_AD_FORMAT_SIGNED_INT32, 4, 16 },
  { CU_AD_FORMAT_HALF, 2, 4 },          { CU_AD_FORMAT_FLOAT, 4, 16 },
};

static CUDA_ARRAY3D_DESCRIPTOR
describe (const Shape *shape, guint texel)
{
  return (CUDA_ARRAY3D_DESCRIPTOR){ .Width = shape->width,
                                    .Height = shape->height,
                                    .Depth = shape->depth,
                                    .Format = texels[texel].format,
                                    .NumChannels = texels[texel].channels,
                                    .Flags = shape->flags };
}

/* A copy between an array and bytes one behind the other, from @x texels, @y rows and @z slices on. */
static CUDA_MEMCPY3D
describe_copy (const Shape *shape, guint bytes, CUarray array, gsize x, gsize y, gsize z)
{
  gsize height = MAX (shape->height, 1) - y, depth = MAX (shape->depth, 1) - z, width = (shape->width - x) * bytes;

  return (CUDA_MEMCPY3D){ .srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcPitch = width,
                          .srcHeight = height,
                          .dstXInBytes = x * bytes,
                          .dstY = y,
                          .dstZ = z,
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .dstArray = array,
                          .WidthInBytes = width,
                          .Height = height,
                          .Depth = depth };
}

static CUDA_MEMCPY3D
turn (const CUDA_MEMCPY3D *copy)
{
  return (CUDA_MEMCPY3D){ .srcXInBytes = copy->dstXInBytes,
                          .srcY = copy->dstY,
                          .srcZ = copy->dstZ,
                          .srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = copy->dstArray,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .dstPitch = copy->srcPitch,
                          .dstHeight = copy->srcHeight,
                          .WidthInBytes = copy->WidthInBytes,
                          .Height = copy->Height,
                          .Depth = copy->Depth };
}

static void
run_node (const CUDA_MEMCPY3D *copy)
{
  CUgraphNode node;
  CUgraphExec exec;
  CUcontext context;
  CUgraph graph;

  IS (cuda.cuCtxGetCurrent (&context), OK);
  IS (cuda.cuGraphCreate (&graph, 0), OK);
  IS (cuda.cuGraphAddMemcpyNode (&node, graph, NULL, 0, copy, context), OK);
  IS (cuda.cuGraphInstantiateWithFlags (&exec, graph, 0), OK);
  IS (cuda.cuGraphLaunch (exec, NULL), OK);
  IS (cuda.cuCtxSynchronize (), OK);
  IS (cuda.cuGraphExecDestroy (exec), OK);
  IS (cuda.cuGraphDestroy (graph), OK);
}

static void
run (CUDA_MEMCPY3D *copy, guint8 *host, guint how)
{
  if (copy->srcMemoryType == CU_MEMORYTYPE_HOST)
    copy->srcHost = host;
  else
    copy->dstHost = host;
  if (how == 0)
    IS (cuda.cuMemcpy3D (copy), OK);
  else if (how == 1)
    IS (cuda.cuMemcpy3DAsync (copy, NULL), OK);
  else
    run_node (copy);
  IS (cuda.cuCtxSynchronize (), OK);
}

/* All of it, then a corner of other bytes, then all of it back. */
static void
test_copies (gconstpointer data)
{
  const Shape *shape = data;
  guint8 *host, *back, *model = g_malloc (MOST);

  IS (cuda.cuMemHostAlloc ((void **) &host, MOST, 0), OK);
  IS (cuda.cuMemHostAlloc ((void **) &back, MOST, 0), OK);
  for (guint i = 0; i < 3 * G_N_ELEMENTS (texels); i++)
    {
      guint texel = i / 3, bytes = texels[texel].bytes;
      CUDA_ARRAY3D_DESCRIPTOR description = describe (shape, texel);
      gsize rows = MAX (shape->height, 1), slices = MAX (shape->depth, 1), row = shape->width * bytes;
      gsize y = shape->height > 0 ? 1 : 0, z = shape->depth > 0 ? 1 : 0;
      CUDA_MEMCPY3D copy, corner, return_copy;
      CUarray array;

      for (guint k = 0; k < MOST; k++)
        host[k] = (guint8) (i + k * 7 + k / 256);
      memcpy (model, host, MOST);
      IS (cuda.cuArray3DCreate (&array, &description), OK);
      copy = describe_copy (shape, bytes, array, 0, 0, 0);
      return_copy = turn (&copy);
      run (&copy, host, i % 3);
      corner = describe_copy (shape, bytes, array, 2, y, z);
      memset (host, 0xab, MOST);
      run (&corner, host, i % 3);
      for (gsize s = z; s < slices; s++)
        for (gsize r = y; r < rows; r++)
          memset (model + (s * rows + r) * row + 2 * bytes, 0xab, row - 2 * bytes);
      run (&return_copy, back, i % 3);
      g_assert_cmpmem (back, row * rows * slices, model, row * rows * slices);
      IS (cuda.cuArrayDestroy (array), OK);
    }
  IS (cuda.cuMemFreeHost (host), OK);
  IS (cuda.cuMemFreeHost (back), OK);
  g_free (model);
}

#define REFUSES(change)                                                                                                \
  do                                                                                                                   \
    {                                                                                                                  \
      CUDA_ARRAY3D_DESCRIPTOR it = describe (&shapes[1], 7);                                                           \
      change;                                                                                                          \
      g_assert_cmpint (cuda.cuArray3DCreate (&array, &it), !=, OK);                                                    \
    }                                                                                                                  \
  while (0)

static void
test_refused (void)
{
  CUDA_ARRAY3D_DESCRIPTOR good = describe (&shapes[1], 7);
  CUDA_MEMCPY3D copy;
  guint8 bytes[MOST];
  CUarray array;

  REFUSES (it.NumChannels = 3);
  REFUSES (it.NumChannels = 0);
  REFUSES (it.Width = 0);
  REFUSES (it.Width = 131073);
  REFUSES (it.Height = 65537);
  REFUSES ((it.Depth = 2, it.Width = 16385));
  REFUSES ((it.Flags = CUDA_ARRAY3D_LAYERED, it.Depth = 2049));
  REFUSES ((it.Flags = CUDA_ARRAY3D_LAYERED, it.Depth = 0));
  IS (cuda.cuArray3DCreate (&array, NULL), CUDA_ERROR_INVALID_VALUE);
  IS (cuda.cuArray3DCreate (&array, &good), OK);
  copy = describe_copy (&shapes[1], 16, array, 0, 0, 0);
  copy.srcHost = bytes;
  for (guint i = 0; i < 3; i++)
    {
      CUDA_MEMCPY3D wrong = copy;

      wrong.dstXInBytes += i == 0 ? 16 : 0;
      wrong.dstY += i == 1;
      wrong.dstZ += i == 2;
      g_assert_cmpint (cuda.cuMemcpy3D (&wrong), !=, OK);
    }
  IS (cuda.cuArrayDestroy (array), OK);
}

static void
test_objects (void)
{
  CUDA_ARRAY3D_DESCRIPTOR plain = describe (&shapes[0], 4), surface = describe (&shapes[1], 7);
  CUDA_RESOURCE_DESC resource = { .resType = CU_RESOURCE_TYPE_ARRAY };
  CUDA_TEXTURE_DESC sampling = { .filterMode = CU_TR_FILTER_MODE_LINEAR };
  CUarray whole, floats;
  CUtexObject texture;
  CUsurfObject object;
  CUdeviceptr memory;

  IS (cuda.cuArray3DCreate (&whole, &plain), OK);
  IS (cuda.cuArray3DCreate (&floats, &surface), OK);
  IS (cuda.cuMemAlloc (&memory, 4096), OK);
  resource.res.array.hArray = floats;
  IS (cuda.cuTexObjectCreate (&texture, &resource, &sampling, NULL), OK);
  IS (cuda.cuTexObjectDestroy (texture), OK);
  IS (cuda.cuSurfObjectCreate (&object, &resource), OK);
  IS (cuda.cuSurfObjectDestroy (object), OK);
  resource.res.array.hArray = whole;
  g_assert_cmpint (cuda.cuSurfObjectCreate (&object, &resource), !=, OK);
  resource = (CUDA_RESOURCE_DESC){ .resType = CU_RESOURCE_TYPE_LINEAR };
  resource.res.linear.devPtr = memory;
  resource.res.linear.format = CU_AD_FORMAT_FLOAT;
  resource.res.linear.numChannels = 4;
  resource.res.linear.sizeInBytes = 4096;
  sampling.filterMode = CU_TR_FILTER_MODE_POINT;
  IS (cuda.cuTexObjectCreate (&texture, &resource, &sampling, NULL), OK);
  IS (cuda.cuTexObjectDestroy (texture), OK);
  resource.res.linear.devPtr = memory + 16;
  resource.res.linear.sizeInBytes = 4000;
  g_assert_cmpint (cuda.cuTexObjectCreate (&texture, &resource, &sampling, NULL), !=, OK);
  resource.res.linear.devPtr = memory;
  resource.res.linear.numChannels = 3;
  g_assert_cmpint (cuda.cuTexObjectCreate (&texture, &resource, &sampling, NULL), !=, OK);
  IS (cuda.cuMemFree (memory), OK);
  IS (cuda.cuArrayDestroy (floats), OK);
  IS (cuda.cuArrayDestroy (whole), OK);
}

int
main (int argc, char **argv)
{
  const char *driver = g_getenv ("LEAT_TEST_DRIVER");

  g_test_init (&argc, &argv, NULL);
  if (cuda_table_open (driver != NULL ? driver : g_getenv ("LEAT_CPU_DRIVER")) != 0)
    return 1;
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/cpu/arrays/copies/%s", shapes[i].name);

      g_test_add_data_func (path, &shapes[i], test_copies);
    }
  g_test_add_func ("/leat/cpu/arrays/refused", test_refused);
  g_test_add_func ("/leat/cpu/arrays/objects", test_objects);
  return g_test_run ();
}
