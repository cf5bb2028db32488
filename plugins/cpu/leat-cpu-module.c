/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A module is a shared object made from the image's bytes.  It is loaded from a file in memory of its own, so that each
 * load is an instance of its own, with globals of its own. */

#include "leat-cpu-engine.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "leat-cpu-block.h"
#include "leat-cpu-function.h"
#include "leat-cpu-sanitizer.h"

#define LEAT_CPU_MODULE_MAX_SIZE  (1u << 30)
#define LEAT_CPU_MODULE_MAX_ITEMS 65536u

struct _LeatCpuModule
{
  void *library;
  const LeatHostModule *table;
  LeatCpuFunction *functions;
  int fd;
};

static CUresult G_GNUC_PRINTF (3, 4) leat_cpu_module_refuse (char **text, CUresult code, const char *format, ...)
{
  va_list args;

  if (text == NULL)
    return code;
  va_start (args, format);
  *text = g_strdup_vprintf (format, args);
  va_end (args);
  return code;
}

static CUresult
leat_cpu_module_check_header (const LeatHostImageHeader *header, char **text)
{
  if (memcmp (header->magic,
              "\x7f"
              "ELF",
              4)
      == 0)
    return leat_cpu_module_refuse (text, CUDA_ERROR_NO_BINARY_FOR_GPU,
                                   "the image is a cubin; the CPU driver takes host images");
  if (memcmp (header->magic, "\n", 1) == 0 || memcmp (header->magic, "//", 2) == 0
      || memcmp (header->magic, ".version", 8) == 0)
    return leat_cpu_module_refuse (text, CUDA_ERROR_NO_BINARY_FOR_GPU,
                                   "the image is PTX text; the CPU driver takes host images");
  if (memcmp (header->magic, LEAT_HOST_IMAGE_MAGIC, sizeof header->magic) != 0)
    return leat_cpu_module_refuse (text, CUDA_ERROR_INVALID_IMAGE, "the image does not begin as a host image does");
  if (header->target != 0 || header->size == 0 || header->size > LEAT_CPU_MODULE_MAX_SIZE)
    return leat_cpu_module_refuse (text, CUDA_ERROR_INVALID_IMAGE, "the image's header is damaged");
  if (XXH3_64bits (header + 1, header->size) != header->check)
    return leat_cpu_module_refuse (text, CUDA_ERROR_INVALID_IMAGE, "the image is damaged: its checksum is another");
  return CUDA_SUCCESS;
}

static gboolean
leat_cpu_module_write (int fd, const char *bytes, gsize size)
{
  while (size > 0)
    {
      gssize n = write (fd, bytes, size);
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0)
        return FALSE;
      bytes += n;
      size -= (gsize) n;
    }
  return TRUE;
}

/* Files in memory may be forbidden to hold code; then one in the folder for temporary files has to do. */
static void *
leat_cpu_module_open_from_disk (const LeatHostImageHeader *header)
{
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("leat-image-XXXXXX", &path, NULL);
  void *library = NULL;

  if (fd < 0)
    return NULL;
  if (leat_cpu_module_write (fd, (const char *) (header + 1), header->size))
    library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  close (fd);
  unlink (path);
  return library;
}

/* The loader takes two libraries of one path for the same, and the descriptor's number is used again after it is
 * closed: the path gets a number that is not, in binary, spelled so that it leads to the same place.  Not /proc/self,
 * because symbolizers are processes of their own. */
static char *
leat_cpu_module_make_path (int fd)
{
  static guint n_opened;
  guint number = __atomic_add_fetch (&n_opened, 1, __ATOMIC_RELAXED);
  GString *path = g_string_new (NULL);

  g_string_printf (path, "/proc/%d/fd/", (int) getpid ());
  for (; number > 0; number /= 2)
    g_string_append (path, number % 2 != 0 ? "./" : "/");
  g_string_append_printf (path, "%d", fd);
  return g_string_free (path, FALSE);
}

static CUresult
leat_cpu_module_open (LeatCpuModule *self, const LeatHostImageHeader *header, char **text)
{
  self->fd = memfd_create ("leat-image", MFD_CLOEXEC);
  if (self->fd >= 0 && leat_cpu_module_write (self->fd, (const char *) (header + 1), header->size))
    {
      g_autofree char *path = leat_cpu_module_make_path (self->fd);
      self->library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
    }
  if (self->library == NULL)
    {
      g_autofree char *why = g_strdup (dlerror ());
      self->library = leat_cpu_module_open_from_disk (header);
      if (self->library == NULL)
        return leat_cpu_module_refuse (text, CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "cannot load the image: %s",
                                       why != NULL ? why : g_strerror (errno));
    }
  /* The file stays open while the module is loaded: dlopen takes two libraries of one path for the same, and the path
   * ends in the file's number. */
  return CUDA_SUCCESS;
}

/* There is its plain C, and that alone. */
static gboolean
leat_cpu_module_is_whole (const LeatHostKernel *kernel)
{
  return kernel->thread == NULL && kernel->flat == NULL && kernel->variant != NULL;
}

static gboolean
leat_cpu_module_check_kernel (const LeatHostKernel *kernel)
{
  gboolean whole = leat_cpu_module_is_whole (kernel);

  if (kernel->name == NULL || (kernel->thread == NULL && kernel->flat == NULL && !whole))
    return FALSE;
  if ((kernel->flags & LEAT_HOST_KERNEL_MAY_WAIT) != 0 && kernel->thread == NULL && !whole)
    return FALSE;
  for (guint i = 0; i < kernel->n_params; i++)
    if ((guint64) kernel->params[i].offset + kernel->params[i].size > kernel->params_size)
      return FALSE;
  return TRUE;
}

static CUresult
leat_cpu_module_check_table (const LeatHostModule *table, char **text)
{
  if (table == NULL)
    return leat_cpu_module_refuse (text, CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "the image has no symbol %s",
                                   LEAT_HOST_MODULE_SYMBOL);
  if (table->magic != LEAT_HOST_MODULE_MAGIC || table->runtime == NULL || table->n_kernels > LEAT_CPU_MODULE_MAX_ITEMS
      || table->n_globals > LEAT_CPU_MODULE_MAX_ITEMS)
    return leat_cpu_module_refuse (text, CUDA_ERROR_INVALID_IMAGE, "the image's table is damaged");
  if (table->abi != LEAT_HOST_MODULE_ABI)
    return leat_cpu_module_refuse (text, CUDA_ERROR_NO_BINARY_FOR_GPU,
                                   "the image is for version %u of the host interface, this driver has %u", table->abi,
                                   LEAT_HOST_MODULE_ABI);
  for (guint i = 0; i < table->n_kernels; i++)
    if (!leat_cpu_module_check_kernel (&table->kernels[i]))
      return leat_cpu_module_refuse (text, CUDA_ERROR_INVALID_IMAGE, "the image's entry %u is damaged", i);
    else if (leat_cpu_module_is_whole (&table->kernels[i]) && !leat_cpu_engine_get_variants ())
      return leat_cpu_module_refuse (text, CUDA_ERROR_NO_BINARY_FOR_GPU,
                                     "the image has of %s its plain C alone, which LEAT_CPU_VARIANTS=0 leaves out",
                                     table->kernels[i].name);
  return CUDA_SUCCESS;
}

static CUresult
leat_cpu_module_take_table (LeatCpuModule *self, char **text)
{
  const LeatHostModule *table = dlsym (self->library, LEAT_HOST_MODULE_SYMBOL);
  CUresult result = leat_cpu_module_check_table (table, text);

  if (result != CUDA_SUCCESS)
    return result;
  *table->runtime = &leat_cpu_runtime;
  self->table = table;
  self->functions = g_new (LeatCpuFunction, table->n_kernels);
  for (guint i = 0; i < table->n_kernels; i++)
    leat_cpu_function_init (&self->functions[i], self, &table->kernels[i]);
  return CUDA_SUCCESS;
}

CUresult
leat_cpu_module_load (const void *image, LeatCpuModule **out, char **text)
{
  static gsize probed;
  LeatCpuModule *self;
  CUresult result;

  if (g_once_init_enter (&probed))
    {
      leat_cpu_sanitizer_probe ();
      g_once_init_leave (&probed, 1);
    }
  result = leat_cpu_module_check_header (image, text);
  if (result != CUDA_SUCCESS)
    return result;
  self = g_new0 (LeatCpuModule, 1);
  self->fd = -1;
  result = leat_cpu_module_open (self, image, text);
  if (result == CUDA_SUCCESS)
    result = leat_cpu_module_take_table (self, text);
  if (result == CUDA_SUCCESS)
    *out = self;
  else
    leat_cpu_module_unload (self);
  return result;
}

CUresult
leat_cpu_module_load_file (const char *path, LeatCpuModule **out, char **text)
{
  g_autofree char *bytes = NULL;
  const LeatHostImageHeader *header;
  gsize size;

  if (!g_file_get_contents (path, &bytes, &size, NULL))
    return leat_cpu_module_refuse (text, CUDA_ERROR_FILE_NOT_FOUND, "cannot read %s", path);
  header = (const LeatHostImageHeader *) bytes;
  if (size < sizeof *header
      || (memcmp (header->magic, LEAT_HOST_IMAGE_MAGIC, sizeof header->magic) == 0
          && header->size > size - sizeof *header))
    return leat_cpu_module_refuse (text, CUDA_ERROR_INVALID_IMAGE, "%s is shorter than its header says", path);
  return leat_cpu_module_load (bytes, out, text);
}

void
leat_cpu_module_unload (LeatCpuModule *self)
{
  if (self->library != NULL)
    dlclose (self->library);
  if (self->fd >= 0)
    close (self->fd);
  g_free (self->functions);
  g_free (self);
}

LeatCpuFunction *
leat_cpu_module_find_function (LeatCpuModule *self, const char *name)
{
  for (guint i = 0; i < self->table->n_kernels; i++)
    if (strcmp (self->table->kernels[i].name, name) == 0)
      return &self->functions[i];
  return NULL;
}

LeatCpuFunction *
leat_cpu_module_get_nth_function (LeatCpuModule *self, guint n)
{
  return n < self->table->n_kernels ? &self->functions[n] : NULL;
}

guint
leat_cpu_module_count_functions (LeatCpuModule *self)
{
  return self->table->n_kernels;
}

gboolean
leat_cpu_module_find_global (LeatCpuModule *self, const char *name, void **address, gsize *size)
{
  for (guint i = 0; i < self->table->n_globals; i++)
    if (strcmp (self->table->globals[i].name, name) == 0)
      {
        *address = self->table->globals[i].address;
        *size = self->table->globals[i].size;
        return TRUE;
      }
  return FALSE;
}

const LeatHostModule *
leat_cpu_module_get_table (LeatCpuModule *self)
{
  return self->table;
}
