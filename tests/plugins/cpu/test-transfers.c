/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib.h>
#include <string.h>

#include "cuda-table.h"

/* Copies and sets of every shape, called and as nodes of graphs, held against a model; and values that streams write
 * and wait for. */

#define OK       CUDA_SUCCESS
#define BAD      CUDA_ERROR_INVALID_VALUE
#define BYTES    4096
#define SHAPES   400
#define IS(a, b) g_assert_cmpint (a, ==, b)

/* Memory at an end of a copy, the device's or the host's, and what it has to hold. */
typedef struct
{
  gboolean device;
  CUdeviceptr address;
  guint8 *host, *model;
} End;

static void
end_open (End *self, gboolean device, guint8 first)
{
  *self = (End){ .device = device, .host = g_malloc (BYTES), .model = g_malloc (BYTES) };
  for (guint i = 0; i < BYTES; i++)
    self->host[i] = self->model[i] = (guint8) (first + i * 7 + i / 256);
  self->address = (CUdeviceptr) (guintptr) self->host;
  if (!device)
    return;
  IS (cuda.cuMemAlloc (&self->address, BYTES), OK);
  IS (cuda.cuMemcpyHtoD (self->address, self->host, BYTES), OK);
}

static void
end_check (End *self)
{
  IS (cuda.cuCtxSynchronize (), OK);
  if (self->device)
    IS (cuda.cuMemcpyDtoH (self->host, self->address, BYTES), OK);
  g_assert_cmpmem (self->host, BYTES, self->model, BYTES);
}

static void
end_close (End *self)
{
  if (self->device)
    IS (cuda.cuMemFree (self->address), OK);
  g_free (self->host);
  g_free (self->model);
}

/* Where the box of a shape is in a block: rows of @pitch bytes, and slices of @rows of them. */
typedef struct
{
  gsize x, y, z, pitch, rows;
} Place;

static gsize
place_get_at (const Place *self, gsize y, gsize z)
{
  return ((self->z + z) * self->rows + self->y + y) * self->pitch + self->x;
}

static Place
place_choose (GRand *random, gboolean flat, gsize width, gsize height)
{
  Place place = { .x = (gsize) g_rand_int_range (random, 0, 5),
                  .y = (gsize) g_rand_int_range (random, 0, 3),
                  .z = flat ? 0 : (gsize) g_rand_int_range (random, 0, 2) };

  place.pitch = place.x + width + (gsize) g_rand_int_range (random, 0, 4);
  place.rows = place.y + height + (gsize) g_rand_int_range (random, 0, 2);
  return place;
}

static CUDA_MEMCPY3D
describe (const End *to, const Place *to_at, const End *from, const Place *from_at, const gsize *size)
{
  CUDA_MEMCPY3D copy = { .srcXInBytes = from_at->x,
                         .srcY = from_at->y,
                         .srcZ = from_at->z,
                         .srcPitch = from_at->pitch,
                         .srcHeight = from_at->rows,
                         .srcMemoryType = from->device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                         .srcDevice = from->device ? from->address : 0,
                         .srcHost = from->device ? NULL : from->host,
                         .dstXInBytes = to_at->x,
                         .dstY = to_at->y,
                         .dstZ = to_at->z,
                         .dstPitch = to_at->pitch,
                         .dstHeight = to_at->rows,
                         .dstMemoryType = to->device ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST,
                         .dstDevice = to->device ? to->address : 0,
                         .dstHost = to->device ? NULL : to->host,
                         .WidthInBytes = size[0],
                         .Height = size[1],
                         .Depth = size[2] };

  return copy;
}

static void
run_node (const CUDA_MEMCPY3D *copy)
{
  CUDA_MEMCPY3D told;
  CUgraphNode node;
  CUgraphExec exec;
  CUcontext context;
  CUgraph graph;

  IS (cuda.cuCtxGetCurrent (&context), OK);
  IS (cuda.cuGraphCreate (&graph, 0), OK);
  IS (cuda.cuGraphAddMemcpyNode (&node, graph, NULL, 0, copy, context), OK);
  IS (cuda.cuGraphMemcpyNodeGetParams (node, &told), OK);
  g_assert_cmpmem (&told, sizeof told, copy, sizeof *copy);
  IS (cuda.cuGraphInstantiateWithFlags (&exec, graph, 0), OK);
  IS (cuda.cuGraphLaunch (exec, NULL), OK);
  IS (cuda.cuCtxSynchronize (), OK);
  IS (cuda.cuGraphExecDestroy (exec), OK);
  IS (cuda.cuGraphDestroy (graph), OK);
}

static void
run_2d (const CUDA_MEMCPY3D *copy, gboolean async)
{
  CUDA_MEMCPY2D flat = {
    copy->srcXInBytes,  copy->srcY,  copy->srcMemoryType, copy->srcHost, copy->srcDevice, NULL, copy->srcPitch,
    copy->dstXInBytes,  copy->dstY,  copy->dstMemoryType, copy->dstHost, copy->dstDevice, NULL, copy->dstPitch,
    copy->WidthInBytes, copy->Height
  };

  IS (async ? cuda.cuMemcpy2DAsync (&flat, NULL) : cuda.cuMemcpy2D (&flat), OK);
}

static void
test_copies (gconstpointer data)
{
  guint how = GPOINTER_TO_UINT (data) % 5, kinds = GPOINTER_TO_UINT (data) / 5;
  GRand *random = g_rand_new_with_seed (1 + GPOINTER_TO_UINT (data));
  End to, from;

  end_open (&to, kinds % 2, 1);
  end_open (&from, kinds / 2, 100);
  for (guint i = 0; i < SHAPES; i++)
    {
      gboolean flat = how < 2;
      gsize size[] = { (gsize) g_rand_int_range (random, 1, 20), (gsize) g_rand_int_range (random, 1, 6),
                       flat ? 1 : (gsize) g_rand_int_range (random, 1, 4) };
      Place to_at = place_choose (random, flat, size[0], size[1]),
            from_at = place_choose (random, flat, size[0], size[1]);
      CUDA_MEMCPY3D copy = describe (&to, &to_at, &from, &from_at, size);

      if (how < 2)
        run_2d (&copy, how == 1);
      else if (how == 4)
        run_node (&copy);
      else
        IS (how == 2 ? cuda.cuMemcpy3D (&copy) : cuda.cuMemcpy3DAsync (&copy, NULL), OK);
      for (gsize z = 0; z < size[2]; z++)
        for (gsize y = 0; y < size[1]; y++)
          memcpy (to.model + place_get_at (&to_at, y, z), from.model + place_get_at (&from_at, y, z), size[0]);
      end_check (&to);
    }
  end_close (&to);
  end_close (&from);
  g_rand_free (random);
}

/* A box ends where its memory does, and no byte later; what is left out means as much as the box needs. */
static void
test_copies_end (void)
{
  Place at = { .pitch = 64, .rows = 8 };
  gsize size[] = { 64, 8, 8 };
  End to, from;

  end_open (&to, TRUE, 1);
  end_open (&from, FALSE, 9);
  for (guint i = 0; i < 8; i++)
    {
      gboolean good = i == 0 || i == 6 || i == 7;
      CUDA_MEMCPY3D copy = describe (&to, &at, &from, &at, size);

      copy.dstXInBytes += i == 1;
      copy.dstY += i == 2;
      copy.dstZ += i == 3;
      copy.dstPitch -= i == 4;
      copy.dstHeight -= i == 5;
      if (i == 6)
        copy.dstPitch = copy.srcPitch = 0;
      if (i == 7)
        copy.dstHeight = copy.srcHeight = 0;
      g_test_message ("case %u", i);
      IS (cuda.cuMemcpy3D (&copy), good ? OK : BAD);
    }
  memcpy (to.model, from.model, BYTES);
  end_check (&to);
  for (guint i = 0; i < 5; i++)
    {
      CUDA_MEMCPY3D copy = describe (&to, &at, &from, &at, size);

      copy.reserved0 = i == 0 ? &copy : NULL;
      copy.reserved1 = i == 1 ? &copy : NULL;
      copy.srcLOD = i == 2;
      copy.dstLOD = i == 3;
      if (i == 4)
        copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      IS (cuda.cuMemcpy3D (&copy), BAD);
    }
  IS (cuda.cuMemcpy3D (NULL), BAD);
  IS (cuda.cuMemcpy2D (NULL), BAD);
  IS (cuda.cuMemcpyDtoH (to.host, to.address + 1, BYTES), BAD);
  IS (cuda.cuMemcpyDtoH (to.host, to.address + BYTES, 1), BAD);
  IS (cuda.cuMemcpyDtoH (to.host, to.address + 1, BYTES - 1), OK);
  IS (cuda.cuMemcpyDtoD (to.address, (CUdeviceptr) (guintptr) from.host, 8), BAD);
  end_close (&to);
  end_close (&from);
}

static CUresult
set (guint how, CUdeviceptr to, guint element, guint value, gsize pitch, gsize width, gsize height)
{
  gboolean flat = how % 2 == 0;

  if (flat && how < 2)
    return element == 1   ? cuda.cuMemsetD8 (to, (guint8) value, width)
           : element == 2 ? cuda.cuMemsetD16 (to, (guint16) value, width)
                          : cuda.cuMemsetD32 (to, value, width);
  if (flat)
    return element == 1   ? cuda.cuMemsetD8Async (to, (guint8) value, width, NULL)
           : element == 2 ? cuda.cuMemsetD16Async (to, (guint16) value, width, NULL)
                          : cuda.cuMemsetD32Async (to, value, width, NULL);
  if (how == 1 && element == 1)
    return cuda.cuMemsetD2D8 (to, pitch, (guint8) value, width, height);
  return element == 1   ? cuda.cuMemsetD2D8Async (to, pitch, (guint8) value, width, height, NULL)
         : element == 2 ? cuda.cuMemsetD2D16Async (to, pitch, (guint16) value, width, height, NULL)
                        : cuda.cuMemsetD2D32Async (to, pitch, value, width, height, NULL);
}

static void
model_set (guint8 *model, guint element, guint value, gsize pitch, gsize width, gsize height)
{
  for (gsize y = 0; y < height; y++)
    for (gsize i = 0; i < width; i++)
      memcpy (model + y * pitch + i * element, &value, element);
}

static void
test_sets (void)
{
  static const guint elements[] = { 1, 2, 4 }, values[] = { 0, 0x5a, 0x1234, 0x12345678, 0x77777777 };
  GRand *random = g_rand_new_with_seed (3);
  End to;

  end_open (&to, TRUE, 5);
  for (guint i = 0; i < 4 * SHAPES; i++)
    {
      guint element = elements[i % 3], value = values[g_rand_int_range (random, 0, 5)], how = i / 3 % 4;
      gsize width = (gsize) g_rand_int_range (random, 0, 20),
            height = how % 2 == 0 ? 1 : (gsize) g_rand_int_range (random, 0, 6);
      gsize pitch = element * (width + (gsize) g_rand_int_range (random, 0, 3));
      gsize at = element * (gsize) g_rand_int_range (random, 0, 200);

      IS (set (how, to.address + at, element, value, pitch, width, height), OK);
      model_set (to.model + at, element, value, pitch, width, height);
      end_check (&to);
    }
  for (guint how = 0; how < 4; how++)
    for (guint k = 0; k < 3; k++)
      {
        guint e = elements[k];

        IS (set (how, to.address, e, 1, BYTES, BYTES / e, 1), OK);
        IS (set (how, to.address, e, 1, BYTES, BYTES / e + 1, 1), BAD);
        IS (set (how, to.address + e, e, 1, BYTES, BYTES / e, 1), BAD);
        IS (set (how, to.address + 1, e, 1, BYTES, 1, 1), e == 1 ? OK : BAD);
        if (how % 2 == 1)
          {
            IS (set (how, to.address, e, 1, 64, 64 / e, 64), OK);
            IS (set (how, to.address, e, 1, 64, 64 / e, 65), BAD);
            IS (set (how, to.address, e, 1, 64, 64 / e + 1, 2), BAD);
            IS (set (how, to.address, e, 1, 63, 8 / e, 2), e == 1 ? OK : BAD);
          }
      }
  end_close (&to);
  g_rand_free (random);
}

static void
host_count (void *data)
{
  ++*(guint *) data;
}

/* What a node was given it tells; another one in its place, of the graph and of the executable, is what is done. */
static void
test_set_nodes (void)
{
  CUDA_MEMSET_NODE_PARAMS first = { .value = 1, .elementSize = 4, .width = 3, .height = 1 }, found, second;
  CUgraphNodeParams any = { .type = CU_GRAPH_NODE_TYPE_MEMSET };
  CUgraphNode node, host;
  guint counts[3] = { 0 };
  CUDA_HOST_NODE_PARAMS call = { host_count, &counts[0] }, told;
  CUcontext context;
  CUgraphExec exec;
  CUgraph graph;
  End to;

  end_open (&to, TRUE, 5);
  first.dst = to.address;
  second = first;
  second.dst += 64;
  second.value = 2;
  IS (cuda.cuCtxGetCurrent (&context), OK);
  IS (cuda.cuGraphCreate (&graph, 0), OK);
  IS (cuda.cuGraphAddMemsetNode (&node, graph, NULL, 0, &first, context), OK);
  IS (cuda.cuGraphAddHostNode (&host, graph, NULL, 0, &call), OK);
  IS (cuda.cuGraphMemsetNodeGetParams (node, &found), OK);
  g_assert_cmpmem (&found, sizeof found, &first, sizeof first);
  IS (cuda.cuGraphHostNodeGetParams (host, &told), OK);
  g_assert_true (told.fn == call.fn && told.userData == call.userData);
  IS (cuda.cuGraphMemsetNodeSetParams (node, &second), OK);
  IS (cuda.cuGraphMemsetNodeGetParams (node, &found), OK);
  g_assert_cmpmem (&found, sizeof found, &second, sizeof second);
  call.userData = &counts[1];
  IS (cuda.cuGraphHostNodeSetParams (host, &call), OK);
  IS (cuda.cuGraphInstantiateWithFlags (&exec, graph, 0), OK);
  IS (cuda.cuGraphLaunch (exec, NULL), OK);
  model_set (to.model + 64, 4, 2, 0, 3, 1);
  end_check (&to);
  any.memset = (CUDA_MEMSET_NODE_PARAMS_v2){ to.address + 128, 0, 3, 4, 5, 1, NULL };
  IS (cuda.cuGraphExecNodeSetParams (exec, node, &any), OK);
  call.userData = &counts[2];
  IS (cuda.cuGraphExecHostNodeSetParams (exec, host, &call), OK);
  IS (cuda.cuGraphLaunch (exec, NULL), OK);
  model_set (to.model + 128, 4, 3, 0, 5, 1);
  end_check (&to);
  g_assert_cmpuint (counts[0], ==, 0);
  g_assert_cmpuint (counts[1], ==, 1);
  g_assert_cmpuint (counts[2], ==, 1);
  IS (cuda.cuGraphNodeSetParams (node, &any), OK);
  IS (cuda.cuGraphMemsetNodeGetParams (node, &found), OK);
  g_assert_cmpuint (found.dst, ==, to.address + 128);
  any = (CUgraphNodeParams){ .type = CU_GRAPH_NODE_TYPE_HOST };
  any.host.fn = NULL;
  IS (cuda.cuGraphNodeSetParams (host, &any), BAD);
  any.type = CU_GRAPH_NODE_TYPE_EMPTY;
  IS (cuda.cuGraphNodeSetParams (host, &any), CUDA_ERROR_NOT_SUPPORTED);
  IS (cuda.cuGraphExecNodeSetParams (exec, host, &any), CUDA_ERROR_NOT_SUPPORTED);
  IS (cuda.cuGraphNodeSetParams (host, NULL), BAD);
  IS (cuda.cuGraphExecNodeSetParams (exec, host, NULL), BAD);
  IS (cuda.cuGraphMemsetNodeGetParams (host, &found), BAD);
  IS (cuda.cuGraphMemsetNodeGetParams (node, NULL), BAD);
  IS (cuda.cuGraphMemsetNodeSetParams (host, &first), BAD);
  IS (cuda.cuGraphHostNodeGetParams (node, &told), BAD);
  IS (cuda.cuGraphHostNodeGetParams (host, NULL), BAD);
  IS (cuda.cuGraphHostNodeSetParams (node, &call), BAD);
  IS (cuda.cuGraphHostNodeSetParams (host, NULL), BAD);
  second.height = 2;
  second.pitch = 64;
  IS (cuda.cuGraphExecMemsetNodeSetParams (exec, node, &second, context), BAD);
  second.height = 1;
  second.elementSize = 2;
  IS (cuda.cuGraphExecMemsetNodeSetParams (exec, node, &second, context), BAD);
  second.width = 0;
  IS (cuda.cuGraphMemsetNodeSetParams (node, &second), BAD);
  IS (cuda.cuGraphExecDestroy (exec), OK);
  IS (cuda.cuGraphDestroy (graph), OK);
  end_close (&to);
}

static void
test_event_nodes (void)
{
  CUgraphNodeParams any = { .type = CU_GRAPH_NODE_TYPE_EVENT_RECORD };
  CUgraphNode record, wait;
  CUevent events[4], found;
  CUgraphExec exec;
  CUgraph graph;

  IS (cuda.cuGraphCreate (&graph, 0), OK);
  for (guint i = 0; i < 4; i++)
    IS (cuda.cuEventCreate (&events[i], 0), OK);
  IS (cuda.cuGraphAddEventRecordNode (&record, graph, NULL, 0, events[0]), OK);
  IS (cuda.cuGraphAddEventWaitNode (&wait, graph, NULL, 0, events[1]), OK);
  IS (cuda.cuGraphEventRecordNodeGetEvent (record, &found), OK);
  g_assert_true (found == events[0]);
  IS (cuda.cuGraphEventWaitNodeGetEvent (wait, &found), OK);
  g_assert_true (found == events[1]);
  IS (cuda.cuGraphEventRecordNodeSetEvent (record, events[2]), OK);
  IS (cuda.cuGraphEventRecordNodeGetEvent (record, &found), OK);
  g_assert_true (found == events[2]);
  IS (cuda.cuGraphEventWaitNodeSetEvent (wait, events[3]), OK);
  IS (cuda.cuGraphEventWaitNodeGetEvent (wait, &found), OK);
  g_assert_true (found == events[3]);
  any.eventRecord.event = events[1];
  IS (cuda.cuGraphNodeSetParams (record, &any), OK);
  IS (cuda.cuGraphEventRecordNodeGetEvent (record, &found), OK);
  g_assert_true (found == events[1]);
  any.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT;
  any.eventWait.event = events[0];
  IS (cuda.cuGraphNodeSetParams (wait, &any), OK);
  IS (cuda.cuGraphEventWaitNodeGetEvent (wait, &found), OK);
  g_assert_true (found == events[0]);
  IS (cuda.cuGraphEventRecordNodeGetEvent (wait, &found), BAD);
  IS (cuda.cuGraphEventWaitNodeGetEvent (record, &found), BAD);
  IS (cuda.cuGraphEventWaitNodeGetEvent (wait, NULL), BAD);
  IS (cuda.cuGraphEventRecordNodeSetEvent (wait, events[0]), BAD);
  IS (cuda.cuGraphEventWaitNodeSetEvent (record, events[0]), BAD);
  IS (cuda.cuGraphEventWaitNodeSetEvent (wait, NULL), BAD);
  IS (cuda.cuGraphInstantiateWithFlags (&exec, graph, 0), OK);
  IS (cuda.cuGraphExecEventRecordNodeSetEvent (exec, record, events[3]), OK);
  IS (cuda.cuGraphExecEventWaitNodeSetEvent (exec, wait, events[2]), OK);
  IS (cuda.cuGraphExecEventRecordNodeSetEvent (exec, wait, events[3]), BAD);
  IS (cuda.cuGraphExecEventWaitNodeSetEvent (exec, record, events[3]), BAD);
  IS (cuda.cuGraphExecEventRecordNodeSetEvent (exec, record, NULL), BAD);
  IS (cuda.cuGraphLaunch (exec, NULL), OK);
  IS (cuda.cuCtxSynchronize (), OK);
  for (guint i = 0; i < 4; i++) /* an event that was never recorded has no time */
    IS (cuda.cuEventElapsedTime (&(float){ 0 }, events[i], events[i]), i == 3 ? OK : CUDA_ERROR_INVALID_HANDLE);
  IS (cuda.cuGraphExecDestroy (exec), OK);
  IS (cuda.cuGraphDestroy (graph), OK);
  for (guint i = 0; i < 4; i++)
    IS (cuda.cuEventDestroy (events[i]), OK);
}

/* Those that are there already, and what only another stream brings. */
static void
test_values (gconstpointer wide)
{
  static const struct
  {
    unsigned int flags;
    gint64 there, wanted;
    gboolean reached;
  } cases[] = {
    { CU_STREAM_WAIT_VALUE_GEQ, 5, 5, TRUE },   { CU_STREAM_WAIT_VALUE_GEQ, 6, 5, TRUE },
    { CU_STREAM_WAIT_VALUE_GEQ, 4, 5, FALSE },  { CU_STREAM_WAIT_VALUE_GEQ, 3, -2, TRUE },
    { CU_STREAM_WAIT_VALUE_GEQ, -2, 3, FALSE }, { CU_STREAM_WAIT_VALUE_EQ, 5, 5, TRUE },
    { CU_STREAM_WAIT_VALUE_EQ, 6, 5, FALSE },   { CU_STREAM_WAIT_VALUE_AND, 6, 2, TRUE },
    { CU_STREAM_WAIT_VALUE_AND, 5, 2, FALSE },  { CU_STREAM_WAIT_VALUE_NOR, 5, -7, TRUE },
    { CU_STREAM_WAIT_VALUE_NOR, 5, -6, FALSE }, { CU_STREAM_WAIT_VALUE_EQ | CU_STREAM_WAIT_VALUE_FLUSH, 5, 5, TRUE },
  };
  gboolean is_wide = wide != NULL;
  CUdeviceptr at;
  CUstream streams[2];

  IS (cuda.cuMemAlloc (&at, 64), OK);
  for (guint i = 0; i < 2; i++)
    IS (cuda.cuStreamCreate (&streams[i], CU_STREAM_NON_BLOCKING), OK);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      guint64 there = (guint64) cases[i].there,
              good = (guint64) (cases[i].flags == CU_STREAM_WAIT_VALUE_NOR ? 0 : cases[i].wanted);
      guint32 words[3] = { 0 };

      g_test_message ("case %u", i);
      IS (cuda.cuMemsetD32 (at, 0x33333333, 16), OK);
      IS (cuda.cuCtxSynchronize (), OK);
      IS (is_wide ? cuda.cuStreamWriteValue64 (streams[0], at, there, i % 2)
                  : cuda.cuStreamWriteValue32 (streams[0], at, (guint32) there, i % 2),
          OK);
      IS (cuda.cuStreamSynchronize (streams[0]), OK);
      IS (cuda.cuMemcpyDtoH (words, at, 12), OK);
      g_assert_cmphex (words[0], ==, (guint32) there);
      g_assert_cmphex (words[1], ==, is_wide ? (guint32) (there >> 32) : 0x33333333);
      g_assert_cmphex (words[2], ==, 0x33333333);
      IS (is_wide ? cuda.cuStreamWaitValue64 (streams[0], at, (guint64) cases[i].wanted, cases[i].flags)
                  : cuda.cuStreamWaitValue32 (streams[0], at, (guint32) cases[i].wanted, cases[i].flags),
          OK);
      if (!cases[i].reached)
        {
          g_usleep (2000);
          IS (cuda.cuStreamQuery (streams[0]), CUDA_ERROR_NOT_READY);
          IS (is_wide ? cuda.cuStreamWriteValue64 (streams[1], at, good, 0)
                      : cuda.cuStreamWriteValue32 (streams[1], at, (guint32) good, 0),
              OK);
        }
      IS (cuda.cuStreamSynchronize (streams[0]), OK);
    }
  IS (cuda.cuStreamWriteValue32 (NULL, at + 2, 1, 0), BAD);
  IS (cuda.cuStreamWriteValue64 (NULL, at + 4, 1, 0), BAD);
  IS (cuda.cuStreamWriteValue32 (NULL, at + 4, 1, 0), OK);
  IS (cuda.cuStreamWriteValue32 (NULL, at + 64, 1, 0), BAD);
  IS (cuda.cuStreamWriteValue32 (NULL, at, 1, 2), BAD);
  IS (cuda.cuStreamWaitValue32 (NULL, at, 1, 4), BAD);
  IS (cuda.cuStreamWaitValue64 (NULL, at + 4, 1, 0), BAD);
  for (guint i = 0; i < 2; i++)
    IS (cuda.cuStreamDestroy (streams[i]), OK);
  IS (cuda.cuMemFree (at), OK);
}

int
main (int argc, char **argv)
{
  static const char *const hows[] = { "2d", "2d-async", "3d", "3d-async", "node" }, *const kinds[] = {
    "host-host", "host-device", "device-host", "device-device"
  };

  g_test_init (&argc, &argv, NULL);
  if (cuda_table_open (g_getenv ("LEAT_CPU_DRIVER")) != 0)
    return 1;
  for (guint i = 0; i < G_N_ELEMENTS (hows) * G_N_ELEMENTS (kinds); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/cpu/transfers/copies/%s/%s", hows[i % 5], kinds[i / 5]);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_copies);
    }
  g_test_add_func ("/leat/cpu/transfers/copies-end", test_copies_end);
  g_test_add_func ("/leat/cpu/transfers/sets", test_sets);
  g_test_add_func ("/leat/cpu/transfers/set-nodes", test_set_nodes);
  g_test_add_func ("/leat/cpu/transfers/event-nodes", test_event_nodes);
  g_test_add_data_func ("/leat/cpu/transfers/values/32", NULL, test_values);
  g_test_add_data_func ("/leat/cpu/transfers/values/64", "wide", test_values);
  return g_test_run ();
}
