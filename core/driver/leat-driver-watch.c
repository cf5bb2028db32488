/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Looks at the driver calls of other people's code while its work is captured, and finds those that a capture does not
 * allow.  Touches the watch of the calling thread only. */

#include "leat-driver-watch-private.h"

#include "leat-driver-object-private.h"

/* One for the CUDA driver, one for the CPU driver; another one's functions are handed out as they are. */
#define LEAT_DRIVER_N_WATCHED 2

static GMutex leat_driver_watched_lock;
static LeatDriver *leat_driver_watched[LEAT_DRIVER_N_WATCHED];
static __thread LeatDriverWatch *leat_driver_watch_current;

/* The facts that the arguments of a call tell. */
typedef struct
{
  LeatDriverEntry entry;
  gboolean has_stream;
  CUstream stream;
  gconstpointer host;     /* memory that a copy reads or writes */
  CUdeviceptr address[2]; /* the first that are given */
  guint n_addresses;
  gconstpointer copy; /* what tells of a copy in several dimensions */
} LeatDriverWatchCall;

typedef enum
{
  LEAT_WATCH_OTHER,
  LEAT_WATCH_STREAM,
  LEAT_WATCH_HOST,
  LEAT_WATCH_CONFIG,
  LEAT_WATCH_COPY,
} LeatDriverWatchKind;

static inline void
leat_driver_watch_look (LeatDriverWatchCall *call, LeatDriverWatchKind kind, gconstpointer value)
{
  if (kind == LEAT_WATCH_HOST)
    call->host = value;
  if (kind == LEAT_WATCH_COPY)
    call->copy = value;
  if (kind != LEAT_WATCH_STREAM && kind != LEAT_WATCH_CONFIG)
    return;
  call->has_stream = TRUE;
  call->stream = kind == LEAT_WATCH_STREAM ? (CUstream) value
                 : value != NULL           ? ((const CUlaunchConfig *) value)->hStream
                                           : NULL;
}

static inline void
leat_driver_watch_look_at_number (LeatDriverWatchCall *call, gboolean is_address, CUdeviceptr value)
{
  if (is_address && call->n_addresses < G_N_ELEMENTS (call->address))
    call->address[call->n_addresses++] = value;
}

/* clang-format off */
#define LEAT_WATCH_LOOK(x)                                                                                             \
  (leat_driver_watch_look (&leat_call,                                                                                 \
    _Generic ((x), CUstream: LEAT_WATCH_STREAM, void *: LEAT_WATCH_HOST, const void *: LEAT_WATCH_HOST,                \
              const CUlaunchConfig *: LEAT_WATCH_CONFIG, const CUDA_MEMCPY2D *: LEAT_WATCH_COPY,                       \
              const CUDA_MEMCPY3D *: LEAT_WATCH_COPY, default: LEAT_WATCH_OTHER),                                      \
    _Generic ((x), CUstream: (x), void *: (x), const void *: (x), const CUlaunchConfig *: (x),                         \
              const CUDA_MEMCPY2D *: (x), const CUDA_MEMCPY3D *: (x), default: NULL)),                                 \
   leat_driver_watch_look_at_number (&leat_call, _Generic ((x), CUdeviceptr: TRUE, default: FALSE),                    \
    _Generic ((x), CUdeviceptr: (x), default: 0)))
/* clang-format on */

/* The first is a number that stands for no argument, so that there is always one. */
#define LEAT_WATCH_1(a)                                             LEAT_WATCH_LOOK (a)
#define LEAT_WATCH_2(a, ...)                                        LEAT_WATCH_LOOK (a), LEAT_WATCH_1 (__VA_ARGS__)
#define LEAT_WATCH_3(a, ...)                                        LEAT_WATCH_LOOK (a), LEAT_WATCH_2 (__VA_ARGS__)
#define LEAT_WATCH_4(a, ...)                                        LEAT_WATCH_LOOK (a), LEAT_WATCH_3 (__VA_ARGS__)
#define LEAT_WATCH_5(a, ...)                                        LEAT_WATCH_LOOK (a), LEAT_WATCH_4 (__VA_ARGS__)
#define LEAT_WATCH_6(a, ...)                                        LEAT_WATCH_LOOK (a), LEAT_WATCH_5 (__VA_ARGS__)
#define LEAT_WATCH_7(a, ...)                                        LEAT_WATCH_LOOK (a), LEAT_WATCH_6 (__VA_ARGS__)
#define LEAT_WATCH_8(a, ...)                                        LEAT_WATCH_LOOK (a), LEAT_WATCH_7 (__VA_ARGS__)
#define LEAT_WATCH_9(a, ...)                                        LEAT_WATCH_LOOK (a), LEAT_WATCH_8 (__VA_ARGS__)
#define LEAT_WATCH_10(a, ...)                                       LEAT_WATCH_LOOK (a), LEAT_WATCH_9 (__VA_ARGS__)
#define LEAT_WATCH_11(a, ...)                                       LEAT_WATCH_LOOK (a), LEAT_WATCH_10 (__VA_ARGS__)
#define LEAT_WATCH_12(a, ...)                                       LEAT_WATCH_LOOK (a), LEAT_WATCH_11 (__VA_ARGS__)
#define LEAT_WATCH_PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, ...) m
#define LEAT_WATCH_LOOK_AT_EACH(...)                                                                                   \
  LEAT_WATCH_PICK (__VA_ARGS__, LEAT_WATCH_12, LEAT_WATCH_11, LEAT_WATCH_10, LEAT_WATCH_9, LEAT_WATCH_8, LEAT_WATCH_7, \
                   LEAT_WATCH_6, LEAT_WATCH_5, LEAT_WATCH_4, LEAT_WATCH_3, LEAT_WATCH_2, LEAT_WATCH_1, 0)              \
  (__VA_ARGS__)
#define LEAT_WATCH_LOOK_AT_ALL(...) LEAT_WATCH_LOOK_AT_EACH (0, ##__VA_ARGS__)

void
leat_driver_watch_begin (LeatDriverWatch *self, LeatDriver *driver, CUstream stream)
{
  *self = (LeatDriverWatch){ .driver = driver, .stream = stream };
  g_return_if_fail (leat_driver_watch_current == NULL);
  leat_driver_watch_current = self;
}

void
leat_driver_watch_end (LeatDriverWatch *self)
{
  if (leat_driver_watch_current == self)
    leat_driver_watch_current = NULL;
}

/* Does the call do work of the device, on a stream where it has one? */
static gboolean
leat_driver_watch_is_work (const LeatDriverWatchCall *call)
{
  const char *group = leat_driver_entry_get_group (call->entry);

  switch (call->entry)
    {
    case LEAT_DRIVER_ENTRY_cuGraphLaunch:
    case LEAT_DRIVER_ENTRY_cuStreamWriteValue32:
    case LEAT_DRIVER_ENTRY_cuStreamWriteValue64:
    case LEAT_DRIVER_ENTRY_cuStreamWaitValue32:
    case LEAT_DRIVER_ENTRY_cuStreamWaitValue64:
      return TRUE;
    default:
      return strcmp (group, "copy") == 0 || (strcmp (group, "launch") == 0 && call->has_stream);
    }
}

static gboolean
leat_driver_watch_is_captured (const LeatDriverTable *table, CUstream stream)
{
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  CUresult result = (*table->cuStreamIsCapturing) (stream, &status);

  /* One that fails here is left to the call itself. */
  return result != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

static gboolean
leat_driver_watch_is_pageable (const LeatDriverTable *table, gconstpointer memory)
{
  CUmemorytype type = CU_MEMORYTYPE_HOST;

  return table->cuPointerGetAttribute != NULL
         && (*table->cuPointerGetAttribute) (&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr) memory)
              != CUDA_SUCCESS;
}

/* One side of a copy in several dimensions. */
static gboolean
leat_driver_watch_is_pageable_side (const LeatDriverTable *table, CUmemorytype type, gconstpointer host,
                                    CUdeviceptr address)
{
  if (type == CU_MEMORYTYPE_HOST)
    return leat_driver_watch_is_pageable (table, host);
  return type == CU_MEMORYTYPE_UNIFIED && leat_driver_watch_is_pageable (table, (gconstpointer) address);
}

#define LEAT_WATCH_IS_PAGEABLE_COPY(table, it)                                                                         \
  (leat_driver_watch_is_pageable_side ((table), (it)->srcMemoryType, (it)->srcHost, (it)->srcDevice)                   \
   || leat_driver_watch_is_pageable_side ((table), (it)->dstMemoryType, (it)->dstHost, (it)->dstDevice))

/* Does it copy later from or to memory of the host that is not pinned? */
static gboolean
leat_driver_watch_copies_pageable (const LeatDriverTable *table, const LeatDriverWatchCall *call)
{
  switch (call->entry)
    {
    case LEAT_DRIVER_ENTRY_cuMemcpyHtoDAsync:
    case LEAT_DRIVER_ENTRY_cuMemcpyDtoHAsync:
      return leat_driver_watch_is_pageable (table, call->host);
    case LEAT_DRIVER_ENTRY_cuMemcpyAsync:
      return leat_driver_watch_is_pageable (table, (gconstpointer) call->address[0])
             || leat_driver_watch_is_pageable (table, (gconstpointer) call->address[1]);
    case LEAT_DRIVER_ENTRY_cuMemcpy2DAsync:
      return call->copy != NULL && LEAT_WATCH_IS_PAGEABLE_COPY (table, (const CUDA_MEMCPY2D *) call->copy);
    case LEAT_DRIVER_ENTRY_cuMemcpy3DAsync:
      return call->copy != NULL && LEAT_WATCH_IS_PAGEABLE_COPY (table, (const CUDA_MEMCPY3D *) call->copy);
    default:
      return FALSE;
    }
}

/* Why a call would not do in every run what it does now; NULL where it would, as far as this can tell. */
static const char *
leat_driver_watch_find_fault (LeatDriverWatch *self, const LeatDriverWatchCall *call)
{
  const LeatDriverTable *table = leat_driver_get_table (self->driver);

  if (call->entry == LEAT_DRIVER_ENTRY_cuModuleUnload)
    return "what was captured may use the module in every run";
  if (call->entry == LEAT_DRIVER_ENTRY_cuStreamEndCapture && call->stream == self->stream)
    return "it ends the capture that the session began";
  if (call->entry == LEAT_DRIVER_ENTRY_cuStreamDestroy && call->stream == self->stream)
    return "the stream is the session's";
  if (leat_driver_watch_copies_pageable (table, call))
    return "memory of the host that is not pinned would be read or written in every run";
  if (!leat_driver_watch_is_work (call))
    return NULL;
  if (!call->has_stream)
    return "it would be done once, now, since it is not put on the stream";
  return leat_driver_watch_is_captured (table, call->stream)
           ? NULL
           : "it would be done once, now, since its stream is not the one that is captured";
}

static gboolean
leat_driver_watch_allow (LeatDriverWatch *self, const LeatDriverWatchCall *call)
{
  const char *fault = leat_driver_watch_find_fault (self, call);

  if (fault != NULL && self->refused_why == NULL)
    {
      self->refused_why = fault;
      self->refused = call->entry;
    }
  if (call->entry == LEAT_DRIVER_ENTRY_cuStreamWaitEvent && call->stream != self->stream)
    self->forked = TRUE;
  return fault == NULL;
}

/* The first failure that is about captures says more than one before it that is not. */
static CUresult
leat_driver_watch_note (LeatDriverWatch *self, const LeatDriverWatchCall *call, CUresult result)
{
  if (result == CUDA_SUCCESS || leat_driver_result_is_about_capture (self->failure))
    return result;
  if (self->failure != CUDA_SUCCESS && !leat_driver_result_is_about_capture (result))
    return result;
  self->failure = result;
  self->failed = call->entry;
  return result;
}

#define LEAT_WATCH_SLOT 0
#include "leat-driver-watch-functions.h"
#define LEAT_WATCH_SLOT 1
#include "leat-driver-watch-functions.h"

static const LeatDriverTable *
leat_driver_watch_get_table (LeatDriver *driver)
{
  static const LeatDriverTable *const tables[LEAT_DRIVER_N_WATCHED] = { &leat_watch_0_table, &leat_watch_1_table };
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&leat_driver_watched_lock);

  for (guint slot = 0; slot < LEAT_DRIVER_N_WATCHED; slot++)
    {
      if (leat_driver_watched[slot] == NULL)
        leat_driver_watched[slot] = driver;
      if (leat_driver_watched[slot] == driver)
        return tables[slot];
    }
  return &driver->direct;
}

gpointer
leat_driver_find_watched (LeatDriver *self, const char *name)
{
  const LeatDriverTable *table = leat_driver_watch_get_table (self);
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  gpointer function = NULL;

#define LEAT_ENTRY(group, need, entry, exported, version, params, args)                                                \
  if (strcmp (name, #entry) == 0 || strcmp (name, #exported) == 0)                                                     \
    return self->direct.entry != NULL ? (gpointer) table->entry : NULL;
#include "leat-driver-entries.h"

  if ((*self->table.cuGetProcAddress) (name, &function, self->version, CU_GET_PROC_ADDRESS_DEFAULT, &status)
      != CUDA_SUCCESS)
    return NULL;
  return status == CU_GET_PROC_ADDRESS_SUCCESS ? function : NULL;
}
