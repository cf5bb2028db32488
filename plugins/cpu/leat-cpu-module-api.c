/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The driver API's entries for modules and functions. */

#include <string.h>

#include "leat-cpu-allocation.h"
#include "leat-cpu-count.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-fault.h"
#include "leat-cpu-function.h"
#include "leat-cpu-state.h"
#include "leat-cpu-stream.h"

static GSList *leat_cpu_unloaded_modules; /* that may still run; under the driver's lock */

static CUresult
leat_cpu_module_api_begin_load (CUmodule *module, const void *from)
{
  if (module == NULL || from == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  return leat_cpu_fault_visit (LEAT_CPU_FAULT_MODULE);
}

/* Its variables are memory of the device: copies to and from them know where they end. */
static CUresult
leat_cpu_module_api_end_load (CUmodule *module, LeatCpuModule *loaded, CUresult result)
{
  const LeatHostModule *table;

  if (result != CUDA_SUCCESS)
    return result;
  table = leat_cpu_module_get_table (loaded);
  for (guint i = 0; i < table->n_globals; i++)
    leat_cpu_allocation_add_foreign (LEAT_CPU_ALLOCATION_GLOBAL, table->globals[i].address, table->globals[i].size);
  leat_cpu_count (modules_loaded);
  *module = (CUmodule) loaded;
  return CUDA_SUCCESS;
}

/* Gives the text to a caller who passed CU_JIT_ERROR_LOG_BUFFER; the size option is set to what was written. */
static void
leat_cpu_module_api_log (const char *text, guint n_options, const CUjit_option *options, void **values)
{
  char *buffer = NULL;
  gsize room = 0;
  guint size_at = n_options;

  for (guint i = 0; i < n_options; i++)
    {
      if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
        buffer = values[i];
      else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
        size_at = i;
    }
  if (size_at < n_options)
    room = (gsize) (guint) (guintptr) values[size_at];
  if (buffer == NULL || room == 0)
    return;
  g_strlcpy (buffer, text != NULL ? text : "", room);
  values[size_at] = (void *) (guintptr) strlen (buffer);
}

CUresult
cuModuleLoadDataEx (CUmodule *module, const void *image, unsigned int n_options, CUjit_option *options, void **values)
{
  g_autofree char *text = NULL;
  LeatCpuModule *loaded = NULL;
  CUresult result;

  LEAT_CPU_ENTER ();
  result = leat_cpu_module_api_begin_load (module, image);
  if (result != CUDA_SUCCESS)
    return result;
  if (n_options > 0 && (options == NULL || values == NULL))
    return CUDA_ERROR_INVALID_VALUE;
  result = leat_cpu_module_load (image, &loaded, &text);
  leat_cpu_module_api_log (text, n_options, options, values);
  return leat_cpu_module_api_end_load (module, loaded, result);
}

CUresult
cuModuleLoadData (CUmodule *module, const void *image)
{
  return cuModuleLoadDataEx (module, image, 0, NULL, NULL);
}

CUresult
cuModuleLoad (CUmodule *module, const char *path)
{
  LeatCpuModule *loaded = NULL;
  CUresult result;

  LEAT_CPU_ENTER ();
  result = leat_cpu_module_api_begin_load (module, path);
  if (result != CUDA_SUCCESS)
    return result;
  result = leat_cpu_module_load_file (path, &loaded, NULL);
  return leat_cpu_module_api_end_load (module, loaded, result);
}

static void
leat_cpu_module_api_unload (LeatCpuModule *module)
{
  const LeatHostModule *table = leat_cpu_module_get_table (module);

  for (guint i = 0; i < table->n_globals; i++)
    leat_cpu_allocation_remove_foreign (LEAT_CPU_ALLOCATION_GLOBAL, table->globals[i].address);
  leat_cpu_module_unload (module);
  leat_cpu_count (modules_unloaded);
}

/* The context ends and nothing runs any more. */
void
leat_cpu_module_unload_rest (void)
{
  for (; leat_cpu_unloaded_modules != NULL;
       leat_cpu_unloaded_modules = g_slist_delete_link (leat_cpu_unloaded_modules, leat_cpu_unloaded_modules))
    leat_cpu_module_api_unload (leat_cpu_unloaded_modules->data);
}

CUresult
cuModuleUnload (CUmodule module)
{
  CUresult result = leat_cpu_enter_to_give_back (FALSE);

  if (result != CUDA_SUCCESS)
    return result;
  if (module == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  /* Its code must not go from under what runs; on a failed device nobody waits for that but the context's end. */
  leat_cpu_acquire ();
  result = leat_cpu_stream_wait_all ();
  if (result != CUDA_SUCCESS)
    leat_cpu_unloaded_modules = g_slist_prepend (leat_cpu_unloaded_modules, module);
  leat_cpu_release ();
  if (result != CUDA_SUCCESS)
    return result;
  leat_cpu_module_api_unload ((LeatCpuModule *) module);
  return CUDA_SUCCESS;
}

CUresult
cuModuleGetLoadingMode (CUmoduleLoadingMode *mode)
{
  LEAT_CPU_ENTER_WITHOUT_CONTEXT ();
  if (mode == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_EAGER_LOADING;
  return CUDA_SUCCESS;
}

CUresult
cuModuleGetFunction (CUfunction *function, CUmodule module, const char *name)
{
  LeatCpuFunction *found;

  LEAT_CPU_ENTER ();
  if (module == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if (function == NULL || name == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  found = leat_cpu_module_find_function ((LeatCpuModule *) module, name);
  if (found == NULL)
    return CUDA_ERROR_NOT_FOUND;
  *function = (CUfunction) found;
  return CUDA_SUCCESS;
}

CUresult
cuModuleGetFunctionCount (unsigned int *count, CUmodule module)
{
  LEAT_CPU_ENTER ();
  if (module == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if (count == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *count = leat_cpu_module_count_functions ((LeatCpuModule *) module);
  return CUDA_SUCCESS;
}

CUresult
cuModuleEnumerateFunctions (CUfunction *functions, unsigned int n_functions, CUmodule module)
{
  LeatCpuModule *self = (LeatCpuModule *) module;

  LEAT_CPU_ENTER ();
  if (module == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if (functions == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  for (guint i = 0; i < MIN (n_functions, leat_cpu_module_count_functions (self)); i++)
    functions[i] = (CUfunction) leat_cpu_module_get_nth_function (self, i);
  return CUDA_SUCCESS;
}

CUresult
cuModuleGetGlobal_v2 (CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name)
{
  void *found;
  gsize size;

  LEAT_CPU_ENTER ();
  if (module == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if (name == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  if (!leat_cpu_module_find_global ((LeatCpuModule *) module, name, &found, &size))
    return CUDA_ERROR_NOT_FOUND;
  if (address != NULL)
    *address = (CUdeviceptr) (guintptr) found;
  if (bytes != NULL)
    *bytes = size;
  return CUDA_SUCCESS;
}

CUresult
cuFuncGetAttribute (int *value, CUfunction_attribute attribute, CUfunction function)
{
  LEAT_CPU_ENTER ();
  if (function == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if (value == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  return leat_cpu_function_get_attribute ((LeatCpuFunction *) function, attribute, value);
}

CUresult
cuFuncSetAttribute (CUfunction function, CUfunction_attribute attribute, int value)
{
  LEAT_CPU_ENTER ();
  if (function == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  return leat_cpu_function_set_attribute ((LeatCpuFunction *) function, attribute, value);
}

CUresult
cuFuncGetName (const char **name, CUfunction function)
{
  LEAT_CPU_ENTER ();
  if (function == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if (name == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *name = ((LeatCpuFunction *) function)->kernel->name;
  return CUDA_SUCCESS;
}

CUresult
cuFuncGetModule (CUmodule *module, CUfunction function)
{
  LEAT_CPU_ENTER ();
  if (function == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if (module == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *module = (CUmodule) ((LeatCpuFunction *) function)->module;
  return CUDA_SUCCESS;
}

CUresult
cuFuncGetParamInfo (CUfunction function, size_t index, size_t *offset, size_t *size)
{
  const LeatHostKernel *kernel;

  LEAT_CPU_ENTER ();
  if (function == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  kernel = ((LeatCpuFunction *) function)->kernel;
  if (offset == NULL || index >= kernel->n_params)
    return CUDA_ERROR_INVALID_VALUE;
  *offset = kernel->params[index].offset;
  if (size != NULL)
    *size = kernel->params[index].size;
  return CUDA_SUCCESS;
}

CUresult
cuFuncIsLoaded (CUfunctionLoadingState *state, CUfunction function)
{
  LEAT_CPU_ENTER ();
  if (function == NULL)
    return CUDA_ERROR_INVALID_HANDLE;
  if (state == NULL)
    return CUDA_ERROR_INVALID_VALUE;
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}

CUresult
cuFuncLoad (CUfunction function)
{
  LEAT_CPU_ENTER ();
  return function == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}
