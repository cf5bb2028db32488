/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Turns the driver's results into errors, and tells which of them end every later call.  Touches no driver but to ask
 * for a result's name and text. */

#include "leat-driver-error.h"
#include "leat-driver-private.h"

/**
 * leat_driver_error_quark:
 *
 * Gets the domain of #LeatDriverError.
 *
 * Returns: the quark
 */
/* clang-format off */
G_DEFINE_QUARK (leat-driver-error-quark, leat_driver_error)
/* clang-format on */

typedef struct
{
  CUresult result;
  LeatDriverError code;
  gboolean sticky;
} LeatDriverResultRow;

/* Results that are not here are FAILED and not sticky. */
static const LeatDriverResultRow leat_driver_results[] = {
  { CUDA_ERROR_INVALID_VALUE, LEAT_DRIVER_ERROR_INVALID, FALSE },
  { CUDA_ERROR_OUT_OF_MEMORY, LEAT_DRIVER_ERROR_OUT_OF_MEMORY, FALSE },
  { CUDA_ERROR_STUB_LIBRARY, LEAT_DRIVER_ERROR_NO_DRIVER, FALSE },
  { CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, LEAT_DRIVER_ERROR_TOO_OLD, FALSE },
  { CUDA_ERROR_DEVICE_UNAVAILABLE, LEAT_DRIVER_ERROR_NO_DEVICE, FALSE },
  { CUDA_ERROR_NO_DEVICE, LEAT_DRIVER_ERROR_NO_DEVICE, FALSE },
  { CUDA_ERROR_INVALID_DEVICE, LEAT_DRIVER_ERROR_NO_DEVICE, FALSE },
  { CUDA_ERROR_INVALID_IMAGE, LEAT_DRIVER_ERROR_IMAGE, FALSE },
  { CUDA_ERROR_INVALID_CONTEXT, LEAT_DRIVER_ERROR_INVALID, FALSE },
  { CUDA_ERROR_NO_BINARY_FOR_GPU, LEAT_DRIVER_ERROR_IMAGE, FALSE },
  { CUDA_ERROR_ECC_UNCORRECTABLE, LEAT_DRIVER_ERROR_DEVICE_LOST, TRUE },
  { CUDA_ERROR_UNSUPPORTED_LIMIT, LEAT_DRIVER_ERROR_UNSUPPORTED, FALSE },
  { CUDA_ERROR_INVALID_PTX, LEAT_DRIVER_ERROR_IMAGE, FALSE },
  { CUDA_ERROR_NVLINK_UNCORRECTABLE, LEAT_DRIVER_ERROR_DEVICE_LOST, TRUE },
  { CUDA_ERROR_JIT_COMPILER_NOT_FOUND, LEAT_DRIVER_ERROR_IMAGE, FALSE },
  { CUDA_ERROR_UNSUPPORTED_PTX_VERSION, LEAT_DRIVER_ERROR_IMAGE, FALSE },
  { CUDA_ERROR_JIT_COMPILATION_DISABLED, LEAT_DRIVER_ERROR_IMAGE, FALSE },
  { CUDA_ERROR_CONTAINED, LEAT_DRIVER_ERROR_DEVICE_LOST, TRUE },
  { CUDA_ERROR_INVALID_SOURCE, LEAT_DRIVER_ERROR_IMAGE, FALSE },
  { CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, LEAT_DRIVER_ERROR_IMAGE, FALSE },
  { CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, LEAT_DRIVER_ERROR_IMAGE, FALSE },
  { CUDA_ERROR_INVALID_HANDLE, LEAT_DRIVER_ERROR_INVALID, FALSE },
  { CUDA_ERROR_NOT_FOUND, LEAT_DRIVER_ERROR_NOT_FOUND, FALSE },
  { CUDA_ERROR_ILLEGAL_ADDRESS, LEAT_DRIVER_ERROR_LAUNCH_FAILED, TRUE },
  { CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, LEAT_DRIVER_ERROR_LAUNCH_LIMIT, FALSE },
  { CUDA_ERROR_LAUNCH_TIMEOUT, LEAT_DRIVER_ERROR_HUNG, TRUE },
  { CUDA_ERROR_CONTEXT_IS_DESTROYED, LEAT_DRIVER_ERROR_DEVICE_LOST, TRUE },
  { CUDA_ERROR_ASSERT, LEAT_DRIVER_ERROR_LAUNCH_FAILED, TRUE },
  { CUDA_ERROR_HARDWARE_STACK_ERROR, LEAT_DRIVER_ERROR_LAUNCH_FAILED, TRUE },
  { CUDA_ERROR_ILLEGAL_INSTRUCTION, LEAT_DRIVER_ERROR_LAUNCH_FAILED, TRUE },
  { CUDA_ERROR_MISALIGNED_ADDRESS, LEAT_DRIVER_ERROR_LAUNCH_FAILED, TRUE },
  { CUDA_ERROR_INVALID_ADDRESS_SPACE, LEAT_DRIVER_ERROR_LAUNCH_FAILED, TRUE },
  { CUDA_ERROR_INVALID_PC, LEAT_DRIVER_ERROR_LAUNCH_FAILED, TRUE },
  { CUDA_ERROR_LAUNCH_FAILED, LEAT_DRIVER_ERROR_LAUNCH_FAILED, TRUE },
  { CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, LEAT_DRIVER_ERROR_LAUNCH_LIMIT, FALSE },
  { CUDA_ERROR_TENSOR_MEMORY_LEAK, LEAT_DRIVER_ERROR_LAUNCH_FAILED, TRUE },
  { CUDA_ERROR_NOT_SUPPORTED, LEAT_DRIVER_ERROR_UNSUPPORTED, FALSE },
  { CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, LEAT_DRIVER_ERROR_NO_DRIVER, FALSE },
  { CUDA_ERROR_MPS_CLIENT_TERMINATED, LEAT_DRIVER_ERROR_DEVICE_LOST, TRUE },
  { CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, LEAT_DRIVER_ERROR_CAPTURE, FALSE },
  { CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, LEAT_DRIVER_ERROR_CAPTURE, FALSE },
  { CUDA_ERROR_STREAM_CAPTURE_MERGE, LEAT_DRIVER_ERROR_CAPTURE, FALSE },
  { CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, LEAT_DRIVER_ERROR_CAPTURE, FALSE },
  { CUDA_ERROR_STREAM_CAPTURE_UNJOINED, LEAT_DRIVER_ERROR_CAPTURE, FALSE },
  { CUDA_ERROR_STREAM_CAPTURE_ISOLATION, LEAT_DRIVER_ERROR_CAPTURE, FALSE },
  { CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, LEAT_DRIVER_ERROR_CAPTURE, FALSE },
  { CUDA_ERROR_CAPTURED_EVENT, LEAT_DRIVER_ERROR_CAPTURE, FALSE },
  { CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, LEAT_DRIVER_ERROR_CAPTURE, FALSE },
  { CUDA_ERROR_TIMEOUT, LEAT_DRIVER_ERROR_HUNG, FALSE },
  { CUDA_ERROR_EXTERNAL_DEVICE, LEAT_DRIVER_ERROR_DEVICE_LOST, TRUE },
};

static const LeatDriverResultRow *
leat_driver_result_find (CUresult result)
{
  for (gsize i = 0; i < G_N_ELEMENTS (leat_driver_results); i++)
    if (leat_driver_results[i].result == result)
      return &leat_driver_results[i];
  return NULL;
}

LeatDriverError
leat_driver_error_from_result (CUresult result)
{
  const LeatDriverResultRow *row = leat_driver_result_find (result);

  return row != NULL ? row->code : LEAT_DRIVER_ERROR_FAILED;
}

gboolean
leat_driver_result_is_sticky (CUresult result)
{
  const LeatDriverResultRow *row = leat_driver_result_find (result);

  return row != NULL && row->sticky;
}

const char *
leat_driver_get_result_name (const LeatDriverTable *table, CUresult result)
{
  const char *name = NULL;

  if (table != NULL && table->cuGetErrorName != NULL)
    (*table->cuGetErrorName) (result, &name);
  return name != NULL ? name : "unnamed error";
}

static const char *
leat_driver_get_result_text (const LeatDriverTable *table, CUresult result)
{
  const char *text = NULL;

  if (table != NULL && table->cuGetErrorString != NULL)
    (*table->cuGetErrorString) (result, &text);
  return text != NULL ? text : "the driver says no more";
}

gboolean
leat_driver_set_error_valist (GError **error, const LeatDriverTable *table, const char *call, CUresult result,
                              const char *format, va_list args)
{
  g_autofree char *what = g_strdup_vprintf (format, args);

  g_set_error (error, LEAT_DRIVER_ERROR, leat_driver_error_from_result (result), "%s for %s: %s %d (%s)", call, what,
               leat_driver_get_result_name (table, result), result, leat_driver_get_result_text (table, result));
  return FALSE;
}

gboolean
leat_driver_set_error (GError **error, const LeatDriverTable *table, const char *call, CUresult result,
                       const char *format, ...)
{
  va_list args;

  va_start (args, format);
  leat_driver_set_error_valist (error, table, call, result, format, args);
  va_end (args);
  return FALSE;
}
