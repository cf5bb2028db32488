/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A loaded image: its life, its functions and its global variables.  Touches the module's own table of functions, under
 * its lock. */

#include "leat-module-private.h"

#include "leat-module-object-private.h"

#include <string.h>

#define LEAT_MODULE_LOG_BYTES     4096
#define LEAT_MODULE_LISTED_NAMES  8
#define LEAT_MODULE_MAX_FUNCTIONS 1024
#define LEAT_MODULE_WAITS         "leat_wrappers_wait"

static void
leat_module_function_free (gpointer data)
{
  LeatModuleFunction *function = data;

  g_free (function->name);
  g_free (function);
}

/* PTX is text and must end in NUL for the driver; all other images say their size. */
static gboolean
leat_module_is_text (const char *image, gsize size)
{
  static const struct
  {
    const char *magic;
    gsize size;
  } binaries[] = { { "\x7f"
                     "ELF",
                     4 },
                   { "\x50\xed\x55\xba", 4 },
                   { "LEATIMG1", 8 } };

  for (gsize i = 0; i < G_N_ELEMENTS (binaries); i++)
    if (size >= binaries[i].size && memcmp (image, binaries[i].magic, binaries[i].size) == 0)
      return FALSE;
  return memchr (image, '\0', size) == NULL || image[size - 1] == '\0';
}

/* A fat binary may be compressed; other images have the names of what is in them.  To ask the driver for what is not
 * there counts as an error where a tool looks on. */
static gboolean
leat_module_may_have (const char *image, gsize size, const char *name)
{
  gboolean is_fat = size >= 4 && memcmp (image, "\x50\xed\x55\xba", 4) == 0;

  return is_fat || memmem (image, size, name, strlen (name)) != NULL;
}

static CUresult
leat_module_load_telling (LeatModule *self, const char *image, char *log)
{
  CUjit_option options[] = { CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES };
  void *values[] = { log, GSIZE_TO_POINTER (LEAT_MODULE_LOG_BYTES) };

  return (*self->table->cuModuleLoadDataEx) (&self->module, image, G_N_ELEMENTS (options), options, values);
}

/* @log: why the driver does not take the image, where it says so; for one that is no text it has to be asked again. */
static CUresult
leat_module_load_data (LeatModule *self, const char *image, gboolean is_text, char *log)
{
  CUresult result;

  if (is_text && self->table->cuModuleLoadDataEx != NULL)
    return leat_module_load_telling (self, image, log);
  result = (*self->table->cuModuleLoadData) (&self->module, image);
  if (result != CUDA_SUCCESS && self->table->cuModuleLoadDataEx != NULL
      && leat_module_load_telling (self, image, log) == CUDA_SUCCESS)
    (*self->table->cuModuleUnload) (self->module);
  return result;
}

static gboolean
leat_module_load_image (LeatModule *self, GBytes *image, GError **error)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  g_autofree char *log = g_malloc0 (LEAT_MODULE_LOG_BYTES + 1);
  gsize size = 0;
  const char *data = g_bytes_get_data (image, &size);
  g_autofree char *text = leat_module_is_text (data, size) ? g_strndup (data, size) : NULL;
  CUresult result;

  if (!leat_device_push (self->device, error))
    return FALSE;
  self->may_wait = leat_module_may_have (data, size, LEAT_MODULE_WAITS);
  result = leat_module_load_data (self, text != NULL ? text : data, text != NULL, log);
  leat_device_pop (self->device);
  if (result == CUDA_SUCCESS)
    return TRUE;
  self->module = NULL;
  g_strstrip (log);
  return leat_device_set_error (self->device, error, "cuModuleLoadData", result,
                                "the image of %s on %s (%s, compute capability %u.%u)%s%s", self->what,
                                leat_device_get_id (self->device), facts->name, facts->compute_major,
                                facts->compute_minor, *log != '\0' ? ": " : "", log);
}

LeatModule *
leat_module_load (LeatDevice *device, GBytes *image, const char *what, GError **error)
{
  g_autoptr (LeatModule) self = NULL;

  g_return_val_if_fail (LEAT_IS_DEVICE (device), NULL);
  g_return_val_if_fail (image != NULL && what != NULL, NULL);

  if (!leat_device_check (device, error))
    return NULL;
  if (g_bytes_get_size (image) == 0)
    {
      g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_IMAGE, "the image of %s is empty", what);
      return NULL;
    }
  self = g_new0 (LeatModule, 1);
  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->lock);
  self->device = g_object_ref (device);
  self->table = leat_device_get_table (device);
  self->what = g_strdup (what);
  self->functions = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, leat_module_function_free);
  return leat_module_load_image (self, image, error) ? g_steal_pointer (&self) : NULL;
}

LeatModule *
leat_module_ref (LeatModule *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

static void
leat_module_release (gpointer data)
{
  LeatModule *self = data;

  if (self->module != NULL)
    (*self->table->cuModuleUnload) (self->module);
  g_hash_table_unref (self->functions);
  g_mutex_clear (&self->lock);
  g_object_unref (self->device);
  g_free (self->what);
  g_free (self);
}

void
leat_module_unref (LeatModule *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  if (self->module != NULL)
    leat_device_release (self->device, self, leat_module_release);
  else
    leat_module_release (self);
}

/* The names of the kernels that the image has, as far as the driver can tell; or NULL. */
static char *
leat_module_list_names (LeatModule *self)
{
  const LeatDriverTable *table = self->table;
  GString *names = g_string_new (NULL);
  g_autofree CUfunction *functions = NULL;
  unsigned int count = 0;

  if (table->cuModuleGetFunctionCount == NULL || table->cuModuleEnumerateFunctions == NULL
      || table->cuFuncGetName == NULL || (*table->cuModuleGetFunctionCount) (&count, self->module) != CUDA_SUCCESS)
    return g_string_free (names, TRUE);
  count = MIN (count, LEAT_MODULE_MAX_FUNCTIONS);
  functions = g_new0 (CUfunction, count + 1);
  if ((*table->cuModuleEnumerateFunctions) (functions, count, self->module) != CUDA_SUCCESS)
    count = 0;
  for (unsigned int i = 0; i < MIN (count, LEAT_MODULE_LISTED_NAMES); i++)
    {
      const char *name = NULL;

      if ((*table->cuFuncGetName) (&name, functions[i]) == CUDA_SUCCESS && name != NULL)
        g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", name);
    }
  if (count > LEAT_MODULE_LISTED_NAMES)
    g_string_append (names, ", ...");
  return g_string_free (names, names->len == 0);
}

static gboolean
leat_module_set_not_found (LeatModule *self, const char *name, GError **error)
{
  g_autofree char *names = leat_module_list_names (self);

  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_NOT_FOUND, "the image of %s has no kernel \"%s\"%s%s",
               self->what, name, names != NULL ? "; it has " : "", names != NULL ? names : "");
  return FALSE;
}

static CUresult
leat_module_read_function (LeatModule *self, LeatFunction *function)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  const struct
  {
    CUfunction_attribute attribute;
    guint *value;
  } rows[] = {
    { CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &function->max_threads_per_block },
    { CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, &function->static_shared_bytes },
    { CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, &function->local_bytes },
    { CU_FUNC_ATTRIBUTE_NUM_REGS, &function->registers },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      int value = 0;
      CUresult result = (*self->table->cuFuncGetAttribute) (&value, rows[i].attribute, function->function);

      if (result != CUDA_SUCCESS)
        return result;
      *rows[i].value = (guint) MAX (value, 0);
    }
  function->max_dynamic_shared_bytes = facts->max_shared_per_block_optin > function->static_shared_bytes
                                         ? facts->max_shared_per_block_optin - function->static_shared_bytes
                                         : 0;
  return CUDA_SUCCESS;
}

/* Under the lock, in the context. */
static LeatModuleFunction *
leat_module_find_function (LeatModule *self, const char *name, GError **error)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  LeatModuleFunction *found;
  LeatFunction function = { 0 };
  const char *call = "cuModuleGetFunction";
  CUresult result;

  result = (*self->table->cuModuleGetFunction) (&function.function, self->module, name);
  if (result == CUDA_ERROR_NOT_FOUND)
    {
      leat_module_set_not_found (self, name, error);
      return NULL;
    }
  /* Loaded now, not at the first launch: a persistent kernel would hold up the loading. */
  if (result == CUDA_SUCCESS && self->table->cuFuncLoad != NULL)
    {
      call = "cuFuncLoad";
      result = (*self->table->cuFuncLoad) (function.function);
    }
  if (result == CUDA_SUCCESS)
    {
      call = "cuFuncGetAttribute";
      result = leat_module_read_function (self, &function);
    }
  if (result != CUDA_SUCCESS)
    {
      leat_device_set_error (self->device, error, call, result, "kernel \"%s\" of %s", name, self->what);
      return NULL;
    }
  found = g_new0 (LeatModuleFunction, 1);
  found->facts = function;
  found->name = g_strdup (name);
  found->dynamic_shared = facts->max_shared_per_block > function.static_shared_bytes
                            ? facts->max_shared_per_block - function.static_shared_bytes
                            : 0;
  g_hash_table_insert (self->functions, found->name, found);
  return found;
}

const LeatFunction *
leat_module_get_function (LeatModule *self, const char *name, GError **error)
{
  LeatModuleFunction *found;

  g_return_val_if_fail (self != NULL && name != NULL, NULL);

  if (!leat_device_check (self->device, error) || !leat_device_push (self->device, error))
    return NULL;
  g_mutex_lock (&self->lock);
  found = g_hash_table_lookup (self->functions, name);
  if (found == NULL)
    found = leat_module_find_function (self, name, error);
  g_mutex_unlock (&self->lock);
  leat_device_pop (self->device);
  return found != NULL ? &found->facts : NULL;
}

static gboolean
leat_module_get_global (LeatModule *self, const char *name, CUdeviceptr *address, gsize *bytes, GError **error)
{
  CUresult result;

  if (!leat_device_check (self->device, error) || !leat_device_push (self->device, error))
    return FALSE;
  result = (*self->table->cuModuleGetGlobal) (address, bytes, self->module, name);
  leat_device_pop (self->device);
  return result == CUDA_SUCCESS
         || leat_device_set_error (self->device, error, "cuModuleGetGlobal", result, "variable \"%s\" of %s", name,
                                   self->what);
}

/* An image for an older compute capability, for the body of a loop or by an older Leat does not wait; the CPU driver
 * begins nothing early. */
gboolean
leat_module_waits (LeatModule *self)
{
  CUdeviceptr address = 0;
  gsize bytes = 0;

  if (leat_device_is_cpu (self->device))
    return TRUE;
  if (!self->waits_known)
    self->waits = self->may_wait && leat_module_get_global (self, LEAT_MODULE_WAITS, &address, &bytes, NULL);
  self->waits_known = TRUE;
  return self->waits;
}
