/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The driver entry points that Leat knows.  Included with LEAT_ENTRY defined as what an entry is to become: a field of
 * the driver table, a row of the loader's list, a tracing function, a prototype of the CPU driver.
 *
 *   LEAT_ENTRY (group, need, name, exported, version, (parameters), (arguments))
 *
 * `name` is what cuGetProcAddress is asked for, at `version`: the CUDA version that introduced the signature given
 * here.  `exported` is the symbol that a driver library exports for that signature.  A driver without a NEEDED entry is
 * refused; an OPTIONAL one that is absent is NULL in the table.
 *
 * No `#pragma once`: this is included many times. */

#include "leat-cuda.h"

#ifndef LEAT_ENTRY
#define LEAT_ENTRY(group, need, name, exported, version, params, args)
#endif

/* clang-format off */

/* Driver */
LEAT_ENTRY (init, NEEDED, cuInit, cuInit, 2000, (unsigned int flags), (flags))
LEAT_ENTRY (init, NEEDED, cuDriverGetVersion, cuDriverGetVersion, 2020, (int *version), (version))
LEAT_ENTRY (init, NEEDED, cuGetProcAddress, cuGetProcAddress_v2, 12000,
            (const char *symbol, void **function, int version, uint64_t flags,
             CUdriverProcAddressQueryResult *status),
            (symbol, function, version, flags, status))
LEAT_ENTRY (init, NEEDED, cuGetErrorName, cuGetErrorName, 6000, (CUresult error, const char **text), (error, text))
LEAT_ENTRY (init, NEEDED, cuGetErrorString, cuGetErrorString, 6000, (CUresult error, const char **text), (error, text))

/* Devices */
LEAT_ENTRY (device, NEEDED, cuDeviceGet, cuDeviceGet, 2000, (CUdevice *device, int ordinal), (device, ordinal))
LEAT_ENTRY (device, NEEDED, cuDeviceGetCount, cuDeviceGetCount, 2000, (int *count), (count))
LEAT_ENTRY (device, NEEDED, cuDeviceGetName, cuDeviceGetName, 2000,
            (char *name, int size, CUdevice device), (name, size, device))
LEAT_ENTRY (device, NEEDED, cuDeviceTotalMem, cuDeviceTotalMem_v2, 3020,
            (size_t *bytes, CUdevice device), (bytes, device))
LEAT_ENTRY (device, NEEDED, cuDeviceGetAttribute, cuDeviceGetAttribute, 2000,
            (int *value, CUdevice_attribute attribute, CUdevice device), (value, attribute, device))
LEAT_ENTRY (device, NEEDED, cuDeviceGetUuid, cuDeviceGetUuid_v2, 11040, (CUuuid *uuid, CUdevice device), (uuid, device))
LEAT_ENTRY (device, NEEDED, cuDeviceGetPCIBusId, cuDeviceGetPCIBusId, 4010,
            (char *bus_id, int size, CUdevice device), (bus_id, size, device))
LEAT_ENTRY (device, OPTIONAL, cuDeviceGetByPCIBusId, cuDeviceGetByPCIBusId, 4010,
            (CUdevice *device, const char *bus_id), (device, bus_id))
LEAT_ENTRY (device, OPTIONAL, cuDeviceGetDefaultMemPool, cuDeviceGetDefaultMemPool, 11020,
            (CUmemoryPool *pool, CUdevice device), (pool, device))
LEAT_ENTRY (device, OPTIONAL, cuDeviceGetMemPool, cuDeviceGetMemPool, 11020,
            (CUmemoryPool *pool, CUdevice device), (pool, device))
LEAT_ENTRY (device, OPTIONAL, cuDeviceGetGraphMemAttribute, cuDeviceGetGraphMemAttribute, 11040,
            (CUdevice device, CUgraphMem_attribute attribute, void *value), (device, attribute, value))
LEAT_ENTRY (device, OPTIONAL, cuDeviceSetGraphMemAttribute, cuDeviceSetGraphMemAttribute, 11040,
            (CUdevice device, CUgraphMem_attribute attribute, void *value), (device, attribute, value))
LEAT_ENTRY (device, OPTIONAL, cuDeviceGraphMemTrim, cuDeviceGraphMemTrim, 11040, (CUdevice device), (device))

/* Contexts */
LEAT_ENTRY (context, NEEDED, cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, 7000,
            (CUcontext *context, CUdevice device), (context, device))
LEAT_ENTRY (context, NEEDED, cuDevicePrimaryCtxRelease, cuDevicePrimaryCtxRelease_v2, 11000,
            (CUdevice device), (device))
LEAT_ENTRY (context, NEEDED, cuDevicePrimaryCtxGetState, cuDevicePrimaryCtxGetState, 7000,
            (CUdevice device, unsigned int *flags, int *active), (device, flags, active))
LEAT_ENTRY (context, NEEDED, cuCtxGetCurrent, cuCtxGetCurrent, 4000, (CUcontext *context), (context))
LEAT_ENTRY (context, NEEDED, cuCtxSetCurrent, cuCtxSetCurrent, 4000, (CUcontext context), (context))
LEAT_ENTRY (context, NEEDED, cuCtxPushCurrent, cuCtxPushCurrent_v2, 4000, (CUcontext context), (context))
LEAT_ENTRY (context, NEEDED, cuCtxPopCurrent, cuCtxPopCurrent_v2, 4000, (CUcontext *context), (context))
LEAT_ENTRY (context, NEEDED, cuCtxGetDevice, cuCtxGetDevice, 2000, (CUdevice *device), (device))
LEAT_ENTRY (context, NEEDED, cuCtxSynchronize, cuCtxSynchronize, 2000, (void), ())
LEAT_ENTRY (context, NEEDED, cuCtxGetStreamPriorityRange, cuCtxGetStreamPriorityRange, 5050,
            (int *least, int *greatest), (least, greatest))
LEAT_ENTRY (context, OPTIONAL, cuDevicePrimaryCtxSetFlags, cuDevicePrimaryCtxSetFlags_v2, 11000,
            (CUdevice device, unsigned int flags), (device, flags))
LEAT_ENTRY (context, OPTIONAL, cuDevicePrimaryCtxReset, cuDevicePrimaryCtxReset_v2, 11000, (CUdevice device), (device))
LEAT_ENTRY (context, OPTIONAL, cuCtxGetFlags, cuCtxGetFlags, 7000, (unsigned int *flags), (flags))
LEAT_ENTRY (context, OPTIONAL, cuCtxGetId, cuCtxGetId, 12000,
            (CUcontext context, unsigned long long *id), (context, id))
LEAT_ENTRY (context, OPTIONAL, cuCtxGetApiVersion, cuCtxGetApiVersion, 3020,
            (CUcontext context, unsigned int *version), (context, version))
LEAT_ENTRY (context, OPTIONAL, cuCtxGetLimit, cuCtxGetLimit, 3010, (size_t *value, CUlimit limit), (value, limit))
LEAT_ENTRY (context, OPTIONAL, cuCtxSetLimit, cuCtxSetLimit, 3010, (CUlimit limit, size_t value), (limit, value))

/* Memory */
LEAT_ENTRY (memory, NEEDED, cuMemGetInfo, cuMemGetInfo_v2, 3020, (size_t *unused, size_t *total), (unused, total))
LEAT_ENTRY (memory, NEEDED, cuMemAlloc, cuMemAlloc_v2, 3020, (CUdeviceptr *address, size_t bytes), (address, bytes))
LEAT_ENTRY (memory, NEEDED, cuMemFree, cuMemFree_v2, 3020, (CUdeviceptr address), (address))
LEAT_ENTRY (memory, NEEDED, cuMemHostAlloc, cuMemHostAlloc, 2020,
            (void **host, size_t bytes, unsigned int flags), (host, bytes, flags))
LEAT_ENTRY (memory, NEEDED, cuMemFreeHost, cuMemFreeHost, 2000, (void *host), (host))
LEAT_ENTRY (memory, NEEDED, cuMemHostGetDevicePointer, cuMemHostGetDevicePointer_v2, 3020,
            (CUdeviceptr *address, void *host, unsigned int flags), (address, host, flags))
LEAT_ENTRY (memory, OPTIONAL, cuMemAllocPitch, cuMemAllocPitch_v2, 3020,
            (CUdeviceptr *address, size_t *pitch, size_t width_bytes, size_t height, unsigned int element_bytes),
            (address, pitch, width_bytes, height, element_bytes))
LEAT_ENTRY (memory, OPTIONAL, cuMemGetAddressRange, cuMemGetAddressRange_v2, 3020,
            (CUdeviceptr *base, size_t *bytes, CUdeviceptr address), (base, bytes, address))
LEAT_ENTRY (memory, OPTIONAL, cuMemAllocHost, cuMemAllocHost_v2, 3020, (void **host, size_t bytes), (host, bytes))
LEAT_ENTRY (memory, OPTIONAL, cuMemHostGetFlags, cuMemHostGetFlags, 2030,
            (unsigned int *flags, void *host), (flags, host))
LEAT_ENTRY (memory, OPTIONAL, cuMemHostRegister, cuMemHostRegister_v2, 6050,
            (void *host, size_t bytes, unsigned int flags), (host, bytes, flags))
LEAT_ENTRY (memory, OPTIONAL, cuMemHostUnregister, cuMemHostUnregister, 4000, (void *host), (host))
LEAT_ENTRY (memory, OPTIONAL, cuMemAllocAsync, cuMemAllocAsync, 11020,
            (CUdeviceptr *address, size_t bytes, CUstream stream), (address, bytes, stream))
LEAT_ENTRY (memory, OPTIONAL, cuMemFreeAsync, cuMemFreeAsync, 11020,
            (CUdeviceptr address, CUstream stream), (address, stream))
LEAT_ENTRY (memory, OPTIONAL, cuMemAllocFromPoolAsync, cuMemAllocFromPoolAsync, 11020,
            (CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream), (address, bytes, pool, stream))
LEAT_ENTRY (memory, OPTIONAL, cuMemPoolTrimTo, cuMemPoolTrimTo, 11020,
            (CUmemoryPool pool, size_t keep_bytes), (pool, keep_bytes))
LEAT_ENTRY (memory, OPTIONAL, cuMemPoolSetAttribute, cuMemPoolSetAttribute, 11020,
            (CUmemoryPool pool, CUmemPool_attribute attribute, void *value), (pool, attribute, value))
LEAT_ENTRY (memory, OPTIONAL, cuMemPoolGetAttribute, cuMemPoolGetAttribute, 11020,
            (CUmemoryPool pool, CUmemPool_attribute attribute, void *value), (pool, attribute, value))
LEAT_ENTRY (memory, OPTIONAL, cuPointerGetAttribute, cuPointerGetAttribute, 4000,
            (void *data, CUpointer_attribute attribute, CUdeviceptr address), (data, attribute, address))
LEAT_ENTRY (memory, OPTIONAL, cuPointerGetAttributes, cuPointerGetAttributes, 7000,
            (unsigned int n_attributes, CUpointer_attribute *attributes, void **data, CUdeviceptr address),
            (n_attributes, attributes, data, address))

/* Arrays, textures and surfaces */
LEAT_ENTRY (texture, OPTIONAL, cuArray3DCreate, cuArray3DCreate_v2, 3020,
            (CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *description), (array, description))
LEAT_ENTRY (texture, OPTIONAL, cuArrayDestroy, cuArrayDestroy, 2000, (CUarray array), (array))
LEAT_ENTRY (texture, OPTIONAL, cuTexObjectCreate, cuTexObjectCreate, 5000,
            (CUtexObject *texture, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *sampling,
             const struct CUDA_RESOURCE_VIEW_DESC_st *view),
            (texture, resource, sampling, view))
LEAT_ENTRY (texture, OPTIONAL, cuTexObjectDestroy, cuTexObjectDestroy, 5000, (CUtexObject texture), (texture))
LEAT_ENTRY (texture, OPTIONAL, cuSurfObjectCreate, cuSurfObjectCreate, 5000,
            (CUsurfObject *surface, const CUDA_RESOURCE_DESC *resource), (surface, resource))
LEAT_ENTRY (texture, OPTIONAL, cuSurfObjectDestroy, cuSurfObjectDestroy, 5000, (CUsurfObject surface), (surface))

/* Copies and sets */
LEAT_ENTRY (copy, NEEDED, cuMemcpyHtoD, cuMemcpyHtoD_v2, 3020,
            (CUdeviceptr to, const void *from, size_t bytes), (to, from, bytes))
LEAT_ENTRY (copy, NEEDED, cuMemcpyDtoH, cuMemcpyDtoH_v2, 3020,
            (void *to, CUdeviceptr from, size_t bytes), (to, from, bytes))
LEAT_ENTRY (copy, NEEDED, cuMemcpyDtoD, cuMemcpyDtoD_v2, 3020,
            (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
LEAT_ENTRY (copy, NEEDED, cuMemcpyHtoDAsync, cuMemcpyHtoDAsync_v2, 3020,
            (CUdeviceptr to, const void *from, size_t bytes, CUstream stream), (to, from, bytes, stream))
LEAT_ENTRY (copy, NEEDED, cuMemcpyDtoHAsync, cuMemcpyDtoHAsync_v2, 3020,
            (void *to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream))
LEAT_ENTRY (copy, NEEDED, cuMemcpyDtoDAsync, cuMemcpyDtoDAsync_v2, 3020,
            (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream))
LEAT_ENTRY (copy, NEEDED, cuMemcpyAsync, cuMemcpyAsync, 4000,
            (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream))
LEAT_ENTRY (copy, NEEDED, cuMemsetD8Async, cuMemsetD8Async, 3020,
            (CUdeviceptr to, unsigned char value, size_t count, CUstream stream), (to, value, count, stream))
LEAT_ENTRY (copy, NEEDED, cuMemsetD32Async, cuMemsetD32Async, 3020,
            (CUdeviceptr to, unsigned int value, size_t count, CUstream stream), (to, value, count, stream))
LEAT_ENTRY (copy, OPTIONAL, cuMemcpy, cuMemcpy, 4000,
            (CUdeviceptr to, CUdeviceptr from, size_t bytes), (to, from, bytes))
LEAT_ENTRY (copy, OPTIONAL, cuMemcpy2D, cuMemcpy2D_v2, 3020, (const CUDA_MEMCPY2D *copy), (copy))
LEAT_ENTRY (copy, OPTIONAL, cuMemcpy2DAsync, cuMemcpy2DAsync_v2, 3020,
            (const CUDA_MEMCPY2D *copy, CUstream stream), (copy, stream))
LEAT_ENTRY (copy, OPTIONAL, cuMemcpy3D, cuMemcpy3D_v2, 3020, (const CUDA_MEMCPY3D *copy), (copy))
LEAT_ENTRY (copy, OPTIONAL, cuMemcpy3DAsync, cuMemcpy3DAsync_v2, 3020,
            (const CUDA_MEMCPY3D *copy, CUstream stream), (copy, stream))
LEAT_ENTRY (copy, OPTIONAL, cuMemsetD8, cuMemsetD8_v2, 3020,
            (CUdeviceptr to, unsigned char value, size_t count), (to, value, count))
LEAT_ENTRY (copy, OPTIONAL, cuMemsetD16, cuMemsetD16_v2, 3020,
            (CUdeviceptr to, unsigned short value, size_t count), (to, value, count))
LEAT_ENTRY (copy, OPTIONAL, cuMemsetD32, cuMemsetD32_v2, 3020,
            (CUdeviceptr to, unsigned int value, size_t count), (to, value, count))
LEAT_ENTRY (copy, OPTIONAL, cuMemsetD16Async, cuMemsetD16Async, 3020,
            (CUdeviceptr to, unsigned short value, size_t count, CUstream stream), (to, value, count, stream))
LEAT_ENTRY (copy, OPTIONAL, cuMemsetD2D8, cuMemsetD2D8_v2, 3020,
            (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height),
            (to, pitch, value, width, height))
LEAT_ENTRY (copy, OPTIONAL, cuMemsetD2D8Async, cuMemsetD2D8Async, 3020,
            (CUdeviceptr to, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream),
            (to, pitch, value, width, height, stream))
LEAT_ENTRY (copy, OPTIONAL, cuMemsetD2D16Async, cuMemsetD2D16Async, 3020,
            (CUdeviceptr to, size_t pitch, unsigned short value, size_t width, size_t height, CUstream stream),
            (to, pitch, value, width, height, stream))
LEAT_ENTRY (copy, OPTIONAL, cuMemsetD2D32Async, cuMemsetD2D32Async, 3020,
            (CUdeviceptr to, size_t pitch, unsigned int value, size_t width, size_t height, CUstream stream),
            (to, pitch, value, width, height, stream))

/* Modules and functions */
LEAT_ENTRY (module, NEEDED, cuModuleLoadData, cuModuleLoadData, 2000,
            (CUmodule *module, const void *image), (module, image))
LEAT_ENTRY (module, NEEDED, cuModuleUnload, cuModuleUnload, 2000, (CUmodule module), (module))
LEAT_ENTRY (module, NEEDED, cuModuleGetFunction, cuModuleGetFunction, 2000,
            (CUfunction *function, CUmodule module, const char *name), (function, module, name))
LEAT_ENTRY (module, NEEDED, cuModuleGetGlobal, cuModuleGetGlobal_v2, 3020,
            (CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name), (address, bytes, module, name))
LEAT_ENTRY (module, NEEDED, cuFuncGetAttribute, cuFuncGetAttribute, 2020,
            (int *value, CUfunction_attribute attribute, CUfunction function), (value, attribute, function))
LEAT_ENTRY (module, NEEDED, cuFuncSetAttribute, cuFuncSetAttribute, 9000,
            (CUfunction function, CUfunction_attribute attribute, int value), (function, attribute, value))
LEAT_ENTRY (module, OPTIONAL, cuModuleLoad, cuModuleLoad, 2000, (CUmodule *module, const char *path), (module, path))
LEAT_ENTRY (module, OPTIONAL, cuModuleLoadDataEx, cuModuleLoadDataEx, 2010,
            (CUmodule *module, const void *image, unsigned int n_options, CUjit_option *options, void **values),
            (module, image, n_options, options, values))
LEAT_ENTRY (module, OPTIONAL, cuModuleGetLoadingMode, cuModuleGetLoadingMode, 11070,
            (CUmoduleLoadingMode *mode), (mode))
LEAT_ENTRY (module, OPTIONAL, cuModuleGetFunctionCount, cuModuleGetFunctionCount, 12040,
            (unsigned int *count, CUmodule module), (count, module))
LEAT_ENTRY (module, OPTIONAL, cuModuleEnumerateFunctions, cuModuleEnumerateFunctions, 12040,
            (CUfunction *functions, unsigned int n_functions, CUmodule module), (functions, n_functions, module))
LEAT_ENTRY (module, OPTIONAL, cuFuncGetName, cuFuncGetName, 12030,
            (const char **name, CUfunction function), (name, function))
LEAT_ENTRY (module, OPTIONAL, cuFuncGetParamInfo, cuFuncGetParamInfo, 12040,
            (CUfunction function, size_t index, size_t *offset, size_t *size), (function, index, offset, size))
LEAT_ENTRY (module, OPTIONAL, cuFuncGetModule, cuFuncGetModule, 11000,
            (CUmodule *module, CUfunction function), (module, function))
LEAT_ENTRY (module, OPTIONAL, cuFuncIsLoaded, cuFuncIsLoaded, 12040,
            (CUfunctionLoadingState *state, CUfunction function), (state, function))
LEAT_ENTRY (module, OPTIONAL, cuFuncLoad, cuFuncLoad, 12040, (CUfunction function), (function))

/* Launches and occupancy */
LEAT_ENTRY (launch, NEEDED, cuLaunchKernel, cuLaunchKernel, 4000,
            (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
             unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void **params,
             void **extra),
            (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, params, extra))
LEAT_ENTRY (launch, NEEDED, cuOccupancyMaxActiveBlocksPerMultiprocessor,
            cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050,
            (int *n_blocks, CUfunction function, int block_size, size_t shared_bytes),
            (n_blocks, function, block_size, shared_bytes))
LEAT_ENTRY (launch, OPTIONAL, cuLaunchKernelEx, cuLaunchKernelEx, 11060,
            (const CUlaunchConfig *config, CUfunction function, void **params, void **extra),
            (config, function, params, extra))
LEAT_ENTRY (launch, OPTIONAL, cuLaunchCooperativeKernel, cuLaunchCooperativeKernel, 9000,
            (CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z, unsigned int block_x,
             unsigned int block_y, unsigned int block_z, unsigned int shared_bytes, CUstream stream, void **params),
            (function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream, params))
LEAT_ENTRY (launch, OPTIONAL, cuLaunchHostFunc, cuLaunchHostFunc, 10000,
            (CUstream stream, CUhostFn fn, void *data), (stream, fn, data))
LEAT_ENTRY (launch, OPTIONAL, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
            cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags, 7000,
            (int *n_blocks, CUfunction function, int block_size, size_t shared_bytes, unsigned int flags),
            (n_blocks, function, block_size, shared_bytes, flags))
LEAT_ENTRY (launch, OPTIONAL, cuOccupancyMaxPotentialBlockSize, cuOccupancyMaxPotentialBlockSize, 6050,
            (int *min_grid, int *block_size, CUfunction function, CUoccupancyB2DSize shared_of_block,
             size_t shared_bytes, int block_limit),
            (min_grid, block_size, function, shared_of_block, shared_bytes, block_limit))
LEAT_ENTRY (launch, OPTIONAL, cuOccupancyMaxPotentialBlockSizeWithFlags,
            cuOccupancyMaxPotentialBlockSizeWithFlags, 7000,
            (int *min_grid, int *block_size, CUfunction function, CUoccupancyB2DSize shared_of_block,
             size_t shared_bytes, int block_limit, unsigned int flags),
            (min_grid, block_size, function, shared_of_block, shared_bytes, block_limit, flags))
LEAT_ENTRY (launch, OPTIONAL, cuOccupancyAvailableDynamicSMemPerBlock, cuOccupancyAvailableDynamicSMemPerBlock, 10020,
            (size_t *shared_bytes, CUfunction function, int n_blocks, int block_size),
            (shared_bytes, function, n_blocks, block_size))

/* Streams */
LEAT_ENTRY (stream, NEEDED, cuStreamCreate, cuStreamCreate, 2000,
            (CUstream *stream, unsigned int flags), (stream, flags))
LEAT_ENTRY (stream, NEEDED, cuStreamCreateWithPriority, cuStreamCreateWithPriority, 5050,
            (CUstream *stream, unsigned int flags, int priority), (stream, flags, priority))
LEAT_ENTRY (stream, NEEDED, cuStreamDestroy, cuStreamDestroy_v2, 4000, (CUstream stream), (stream))
LEAT_ENTRY (stream, NEEDED, cuStreamSynchronize, cuStreamSynchronize, 2000, (CUstream stream), (stream))
LEAT_ENTRY (stream, NEEDED, cuStreamQuery, cuStreamQuery, 2000, (CUstream stream), (stream))
LEAT_ENTRY (stream, NEEDED, cuStreamWaitEvent, cuStreamWaitEvent, 3020,
            (CUstream stream, CUevent event, unsigned int flags), (stream, event, flags))
LEAT_ENTRY (stream, OPTIONAL, cuStreamGetCtx, cuStreamGetCtx, 9020,
            (CUstream stream, CUcontext *context), (stream, context))
LEAT_ENTRY (stream, OPTIONAL, cuStreamGetFlags, cuStreamGetFlags, 5050,
            (CUstream stream, unsigned int *flags), (stream, flags))
LEAT_ENTRY (stream, OPTIONAL, cuStreamGetPriority, cuStreamGetPriority, 5050,
            (CUstream stream, int *priority), (stream, priority))
LEAT_ENTRY (stream, OPTIONAL, cuStreamGetId, cuStreamGetId, 12000,
            (CUstream stream, unsigned long long *id), (stream, id))
LEAT_ENTRY (stream, OPTIONAL, cuStreamWriteValue32, cuStreamWriteValue32_v2, 11070,
            (CUstream stream, CUdeviceptr address, uint32_t value, unsigned int flags), (stream, address, value, flags))
LEAT_ENTRY (stream, OPTIONAL, cuStreamWaitValue32, cuStreamWaitValue32_v2, 11070,
            (CUstream stream, CUdeviceptr address, uint32_t value, unsigned int flags), (stream, address, value, flags))
LEAT_ENTRY (stream, OPTIONAL, cuStreamWriteValue64, cuStreamWriteValue64_v2, 11070,
            (CUstream stream, CUdeviceptr address, uint64_t value, unsigned int flags), (stream, address, value, flags))
LEAT_ENTRY (stream, OPTIONAL, cuStreamWaitValue64, cuStreamWaitValue64_v2, 11070,
            (CUstream stream, CUdeviceptr address, uint64_t value, unsigned int flags), (stream, address, value, flags))

/* Events */
LEAT_ENTRY (event, NEEDED, cuEventCreate, cuEventCreate, 2000, (CUevent *event, unsigned int flags), (event, flags))
LEAT_ENTRY (event, NEEDED, cuEventRecord, cuEventRecord, 2000, (CUevent event, CUstream stream), (event, stream))
LEAT_ENTRY (event, NEEDED, cuEventQuery, cuEventQuery, 2000, (CUevent event), (event))
LEAT_ENTRY (event, NEEDED, cuEventSynchronize, cuEventSynchronize, 2000, (CUevent event), (event))
LEAT_ENTRY (event, NEEDED, cuEventDestroy, cuEventDestroy_v2, 4000, (CUevent event), (event))
LEAT_ENTRY (event, NEEDED, cuEventElapsedTime, cuEventElapsedTime, 2000,
            (float *milliseconds, CUevent start, CUevent end), (milliseconds, start, end))
LEAT_ENTRY (event, OPTIONAL, cuEventRecordWithFlags, cuEventRecordWithFlags, 11010,
            (CUevent event, CUstream stream, unsigned int flags), (event, stream, flags))

/* Stream capture */
LEAT_ENTRY (capture, NEEDED, cuStreamBeginCapture, cuStreamBeginCapture_v2, 10010,
            (CUstream stream, CUstreamCaptureMode mode), (stream, mode))
LEAT_ENTRY (capture, NEEDED, cuStreamEndCapture, cuStreamEndCapture, 10000,
            (CUstream stream, CUgraph *graph), (stream, graph))
LEAT_ENTRY (capture, NEEDED, cuStreamIsCapturing, cuStreamIsCapturing, 10000,
            (CUstream stream, CUstreamCaptureStatus *status), (stream, status))
LEAT_ENTRY (capture, NEEDED, cuThreadExchangeStreamCaptureMode, cuThreadExchangeStreamCaptureMode, 10010,
            (CUstreamCaptureMode *mode), (mode))
LEAT_ENTRY (capture, OPTIONAL, cuStreamGetCaptureInfo, cuStreamGetCaptureInfo_v3, 12030,
            (CUstream stream, CUstreamCaptureStatus *status, uint64_t *id, CUgraph *graph,
             const CUgraphNode **dependencies, const CUgraphEdgeData **edges, size_t *n_dependencies),
            (stream, status, id, graph, dependencies, edges, n_dependencies))
LEAT_ENTRY (capture, OPTIONAL, cuStreamBeginCaptureToGraph, cuStreamBeginCaptureToGraph, 12030,
            (CUstream stream, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
             size_t n_dependencies, CUstreamCaptureMode mode),
            (stream, graph, dependencies, edges, n_dependencies, mode))
LEAT_ENTRY (capture, OPTIONAL, cuStreamUpdateCaptureDependencies, cuStreamUpdateCaptureDependencies_v2, 12030,
            (CUstream stream, CUgraphNode *dependencies, const CUgraphEdgeData *edges, size_t n_dependencies,
             unsigned int flags),
            (stream, dependencies, edges, n_dependencies, flags))

/* Graphs */
LEAT_ENTRY (graph, NEEDED, cuGraphCreate, cuGraphCreate, 10000, (CUgraph *graph, unsigned int flags), (graph, flags))
LEAT_ENTRY (graph, NEEDED, cuGraphDestroy, cuGraphDestroy, 10000, (CUgraph graph), (graph))
LEAT_ENTRY (graph, NEEDED, cuGraphAddKernelNode, cuGraphAddKernelNode_v2, 12000,
            (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
             const CUDA_KERNEL_NODE_PARAMS *params),
            (node, graph, dependencies, n_dependencies, params))
LEAT_ENTRY (graph, NEEDED, cuGraphAddMemcpyNode, cuGraphAddMemcpyNode, 10000,
            (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
             const CUDA_MEMCPY3D *params, CUcontext context),
            (node, graph, dependencies, n_dependencies, params, context))
LEAT_ENTRY (graph, NEEDED, cuGraphAddMemsetNode, cuGraphAddMemsetNode, 10000,
            (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
             const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context),
            (node, graph, dependencies, n_dependencies, params, context))
LEAT_ENTRY (graph, NEEDED, cuGraphAddHostNode, cuGraphAddHostNode, 10000,
            (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
             const CUDA_HOST_NODE_PARAMS *params),
            (node, graph, dependencies, n_dependencies, params))
LEAT_ENTRY (graph, NEEDED, cuGraphAddEmptyNode, cuGraphAddEmptyNode, 10000,
            (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies),
            (node, graph, dependencies, n_dependencies))
LEAT_ENTRY (graph, NEEDED, cuGraphAddChildGraphNode, cuGraphAddChildGraphNode, 10000,
            (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies, CUgraph child),
            (node, graph, dependencies, n_dependencies, child))
LEAT_ENTRY (graph, NEEDED, cuGraphGetNodes, cuGraphGetNodes, 10000,
            (CUgraph graph, CUgraphNode *nodes, size_t *n_nodes), (graph, nodes, n_nodes))
LEAT_ENTRY (graph, NEEDED, cuGraphNodeGetType, cuGraphNodeGetType, 10000,
            (CUgraphNode node, CUgraphNodeType *type), (node, type))
LEAT_ENTRY (graph, NEEDED, cuGraphInstantiateWithParams, cuGraphInstantiateWithParams, 12000,
            (CUgraphExec *exec, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params), (exec, graph, params))
LEAT_ENTRY (graph, NEEDED, cuGraphInstantiateWithFlags, cuGraphInstantiateWithFlags, 11040,
            (CUgraphExec *exec, CUgraph graph, unsigned long long flags), (exec, graph, flags))
LEAT_ENTRY (graph, NEEDED, cuGraphUpload, cuGraphUpload, 11010, (CUgraphExec exec, CUstream stream), (exec, stream))
LEAT_ENTRY (graph, NEEDED, cuGraphLaunch, cuGraphLaunch, 10000, (CUgraphExec exec, CUstream stream), (exec, stream))
LEAT_ENTRY (graph, NEEDED, cuGraphExecDestroy, cuGraphExecDestroy, 10000, (CUgraphExec exec), (exec))
LEAT_ENTRY (graph, NEEDED, cuGraphExecKernelNodeSetParams, cuGraphExecKernelNodeSetParams_v2, 12000,
            (CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params), (exec, node, params))
LEAT_ENTRY (graph, NEEDED, cuGraphExecMemcpyNodeSetParams, cuGraphExecMemcpyNodeSetParams, 10020,
            (CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *params, CUcontext context),
            (exec, node, params, context))
LEAT_ENTRY (graph, NEEDED, cuGraphExecMemsetNodeSetParams, cuGraphExecMemsetNodeSetParams, 10020,
            (CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params, CUcontext context),
            (exec, node, params, context))
LEAT_ENTRY (graph, NEEDED, cuGraphKernelNodeGetParams, cuGraphKernelNodeGetParams_v2, 12000,
            (CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params), (node, params))
LEAT_ENTRY (graph, OPTIONAL, cuGraphClone, cuGraphClone, 10000, (CUgraph *clone, CUgraph original), (clone, original))
LEAT_ENTRY (graph, OPTIONAL, cuGraphAddEventRecordNode, cuGraphAddEventRecordNode, 11010,
            (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies, CUevent event),
            (node, graph, dependencies, n_dependencies, event))
LEAT_ENTRY (graph, OPTIONAL, cuGraphAddEventWaitNode, cuGraphAddEventWaitNode, 11010,
            (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies, CUevent event),
            (node, graph, dependencies, n_dependencies, event))
LEAT_ENTRY (graph, OPTIONAL, cuGraphAddMemFreeNode, cuGraphAddMemFreeNode, 11040,
            (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, size_t n_dependencies,
             CUdeviceptr address),
            (node, graph, dependencies, n_dependencies, address))
LEAT_ENTRY (graph, OPTIONAL, cuGraphAddNode, cuGraphAddNode_v2, 12030,
            (CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
             size_t n_dependencies, CUgraphNodeParams *params),
            (node, graph, dependencies, edges, n_dependencies, params))
LEAT_ENTRY (graph, OPTIONAL, cuGraphNodeSetParams, cuGraphNodeSetParams, 12020,
            (CUgraphNode node, CUgraphNodeParams *params), (node, params))
LEAT_ENTRY (graph, OPTIONAL, cuGraphExecNodeSetParams, cuGraphExecNodeSetParams, 12020,
            (CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *params), (exec, node, params))
LEAT_ENTRY (graph, OPTIONAL, cuGraphConditionalHandleCreate, cuGraphConditionalHandleCreate, 12030,
            (CUgraphConditionalHandle *handle, CUgraph graph, CUcontext context, unsigned int initial,
             unsigned int flags),
            (handle, graph, context, initial, flags))
LEAT_ENTRY (graph, OPTIONAL, cuGraphAddDependencies, cuGraphAddDependencies_v2, 12030,
            (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edges,
             size_t n_dependencies),
            (graph, from, to, edges, n_dependencies))
LEAT_ENTRY (graph, OPTIONAL, cuGraphRemoveDependencies, cuGraphRemoveDependencies_v2, 12030,
            (CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, const CUgraphEdgeData *edges,
             size_t n_dependencies),
            (graph, from, to, edges, n_dependencies))
LEAT_ENTRY (graph, OPTIONAL, cuGraphDestroyNode, cuGraphDestroyNode, 10000, (CUgraphNode node), (node))
LEAT_ENTRY (graph, OPTIONAL, cuGraphGetRootNodes, cuGraphGetRootNodes, 10000,
            (CUgraph graph, CUgraphNode *nodes, size_t *n_nodes), (graph, nodes, n_nodes))
LEAT_ENTRY (graph, OPTIONAL, cuGraphGetEdges, cuGraphGetEdges_v2, 12030,
            (CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *n_edges),
            (graph, from, to, edges, n_edges))
LEAT_ENTRY (graph, OPTIONAL, cuGraphNodeGetDependencies, cuGraphNodeGetDependencies_v2, 12030,
            (CUgraphNode node, CUgraphNode *dependencies, CUgraphEdgeData *edges, size_t *n_dependencies),
            (node, dependencies, edges, n_dependencies))
LEAT_ENTRY (graph, OPTIONAL, cuGraphNodeGetDependentNodes, cuGraphNodeGetDependentNodes_v2, 12030,
            (CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *n_nodes),
            (node, nodes, edges, n_nodes))
LEAT_ENTRY (graph, OPTIONAL, cuGraphNodeFindInClone, cuGraphNodeFindInClone, 10000,
            (CUgraphNode *node, CUgraphNode original, CUgraph clone), (node, original, clone))
LEAT_ENTRY (graph, OPTIONAL, cuGraphNodeGetEnabled, cuGraphNodeGetEnabled, 11060,
            (CUgraphExec exec, CUgraphNode node, unsigned int *enabled), (exec, node, enabled))
LEAT_ENTRY (graph, OPTIONAL, cuGraphNodeSetEnabled, cuGraphNodeSetEnabled, 11060,
            (CUgraphExec exec, CUgraphNode node, unsigned int enabled), (exec, node, enabled))
LEAT_ENTRY (graph, OPTIONAL, cuGraphKernelNodeSetParams, cuGraphKernelNodeSetParams_v2, 12000,
            (CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS *params), (node, params))
LEAT_ENTRY (graph, OPTIONAL, cuGraphKernelNodeGetAttribute, cuGraphKernelNodeGetAttribute, 11000,
            (CUgraphNode node, CUkernelNodeAttrID attribute, CUkernelNodeAttrValue *value), (node, attribute, value))
LEAT_ENTRY (graph, OPTIONAL, cuGraphKernelNodeSetAttribute, cuGraphKernelNodeSetAttribute, 11000,
            (CUgraphNode node, CUkernelNodeAttrID attribute, const CUkernelNodeAttrValue *value),
            (node, attribute, value))
LEAT_ENTRY (graph, OPTIONAL, cuGraphKernelNodeCopyAttributes, cuGraphKernelNodeCopyAttributes, 11000,
            (CUgraphNode to, CUgraphNode from), (to, from))
LEAT_ENTRY (graph, OPTIONAL, cuGraphMemcpyNodeGetParams, cuGraphMemcpyNodeGetParams, 10000,
            (CUgraphNode node, CUDA_MEMCPY3D *params), (node, params))
LEAT_ENTRY (graph, OPTIONAL, cuGraphMemcpyNodeSetParams, cuGraphMemcpyNodeSetParams, 10000,
            (CUgraphNode node, const CUDA_MEMCPY3D *params), (node, params))
LEAT_ENTRY (graph, OPTIONAL, cuGraphMemsetNodeGetParams, cuGraphMemsetNodeGetParams, 10000,
            (CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *params), (node, params))
LEAT_ENTRY (graph, OPTIONAL, cuGraphMemsetNodeSetParams, cuGraphMemsetNodeSetParams, 10000,
            (CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *params), (node, params))
LEAT_ENTRY (graph, OPTIONAL, cuGraphHostNodeGetParams, cuGraphHostNodeGetParams, 10000,
            (CUgraphNode node, CUDA_HOST_NODE_PARAMS *params), (node, params))
LEAT_ENTRY (graph, OPTIONAL, cuGraphHostNodeSetParams, cuGraphHostNodeSetParams, 10000,
            (CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params), (node, params))
LEAT_ENTRY (graph, OPTIONAL, cuGraphChildGraphNodeGetGraph, cuGraphChildGraphNodeGetGraph, 10000,
            (CUgraphNode node, CUgraph *graph), (node, graph))
LEAT_ENTRY (graph, OPTIONAL, cuGraphEventRecordNodeGetEvent, cuGraphEventRecordNodeGetEvent, 11010,
            (CUgraphNode node, CUevent *event), (node, event))
LEAT_ENTRY (graph, OPTIONAL, cuGraphEventRecordNodeSetEvent, cuGraphEventRecordNodeSetEvent, 11010,
            (CUgraphNode node, CUevent event), (node, event))
LEAT_ENTRY (graph, OPTIONAL, cuGraphEventWaitNodeGetEvent, cuGraphEventWaitNodeGetEvent, 11010,
            (CUgraphNode node, CUevent *event), (node, event))
LEAT_ENTRY (graph, OPTIONAL, cuGraphEventWaitNodeSetEvent, cuGraphEventWaitNodeSetEvent, 11010,
            (CUgraphNode node, CUevent event), (node, event))
LEAT_ENTRY (graph, OPTIONAL, cuGraphExecHostNodeSetParams, cuGraphExecHostNodeSetParams, 10020,
            (CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *params), (exec, node, params))
LEAT_ENTRY (graph, OPTIONAL, cuGraphExecChildGraphNodeSetParams, cuGraphExecChildGraphNodeSetParams, 11010,
            (CUgraphExec exec, CUgraphNode node, CUgraph child), (exec, node, child))
LEAT_ENTRY (graph, OPTIONAL, cuGraphExecEventRecordNodeSetEvent, cuGraphExecEventRecordNodeSetEvent, 11010,
            (CUgraphExec exec, CUgraphNode node, CUevent event), (exec, node, event))
LEAT_ENTRY (graph, OPTIONAL, cuGraphExecEventWaitNodeSetEvent, cuGraphExecEventWaitNodeSetEvent, 11010,
            (CUgraphExec exec, CUgraphNode node, CUevent event), (exec, node, event))
LEAT_ENTRY (graph, OPTIONAL, cuGraphExecUpdate, cuGraphExecUpdate_v2, 12000,
            (CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *result), (exec, graph, result))
LEAT_ENTRY (graph, OPTIONAL, cuGraphExecGetFlags, cuGraphExecGetFlags, 12000,
            (CUgraphExec exec, uint64_t *flags), (exec, flags))
LEAT_ENTRY (graph, OPTIONAL, cuGraphDebugDotPrint, cuGraphDebugDotPrint, 11030,
            (CUgraph graph, const char *path, unsigned int flags), (graph, path, flags))

/* clang-format on */

#undef LEAT_ENTRY
