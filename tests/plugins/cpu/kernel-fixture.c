/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-fixture.h"

#include "kernel/leat-image-private.h"

/* Compiled once in a process: tests of one file share the image, and each has a module of its own. */
static GBytes *
kernel_fixture_compile (LeatDevice *device, const char *file, gboolean strict)
{
  static GHashTable *images;
  g_autofree char *key = g_strconcat (file, strict ? "" : " fast", NULL);
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "plugins", "cpu", "kernels", file, NULL);
  const LeatDeviceFacts *facts = leat_device_get_facts (device);
  LeatImageTarget target = { LEAT_IMAGE_HOST, "native", 0 };
  g_autoptr (LeatKernelSource) source = NULL;
  g_autoptr (GError) error = NULL;
  GBytes *image;

  if (images == NULL)
    images = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  if ((image = g_hash_table_lookup (images, key)) != NULL)
    return image;
  if (!leat_device_is_cpu (device))
    target = (LeatImageTarget){ LEAT_IMAGE_CUBIN, "", facts->compute_major * 10 + facts->compute_minor };
  source = leat_kernel_source_new_from_file (path, &error);
  g_assert_no_error (error);
  leat_kernel_source_set_strict (source, strict);
  image = leat_image_get (source, &target, &error);
  if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    g_test_skip (error->message);
  else
    g_assert_no_error (error);
  if (image != NULL)
    g_hash_table_insert (images, g_strdup (key), image);
  return image;
}

static KernelFixture *
kernel_fixture_open_as (const char *file, gboolean strict)
{
  g_autoptr (KernelFixture) self = g_new0 (KernelFixture, 1);
  g_autoptr (GError) error = NULL;
  GBytes *image;

  self->memories = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_memory_free);
  self->device = leat_device_open (NULL, &error);
  g_assert_no_error (error);
  if ((image = kernel_fixture_compile (self->device, file, strict)) == NULL)
    return NULL;
  self->module = leat_module_load (self->device, image, file, &error);
  g_assert_no_error (error);
  self->stream = leat_stream_new (self->device, LEAT_STREAM_PRIORITY_NORMAL, &error);
  g_assert_no_error (error);
  return g_steal_pointer (&self);
}

KernelFixture *
kernel_fixture_open (const char *file)
{
  return kernel_fixture_open_as (file, TRUE);
}

KernelFixture *
kernel_fixture_open_fast (const char *file)
{
  return kernel_fixture_open_as (file, FALSE);
}

void
kernel_fixture_close (KernelFixture *self)
{
  g_ptr_array_unref (self->memories);
  g_clear_pointer (&self->stream, leat_stream_free);
  g_clear_pointer (&self->module, leat_module_unref);
  g_clear_object (&self->device);
  g_free (self);
}

LeatMemory *
kernel_fixture_put (KernelFixture *self, gconstpointer data, gsize bytes)
{
  g_autofree guint8 *zeros = data == NULL ? g_malloc0 (bytes) : NULL;
  g_autoptr (GError) error = NULL;
  LeatMemory *memory = leat_memory_new (self->device, LEAT_MEMORY_DEVICE, bytes, "a test", &error);

  g_assert_no_error (error);
  g_ptr_array_add (self->memories, memory);
  leat_memory_write (memory, 0, data != NULL ? data : zeros, bytes, &error);
  g_assert_no_error (error);
  return memory;
}

void
kernel_fixture_get (LeatMemory *memory, gpointer data, gsize bytes)
{
  g_autoptr (GError) error = NULL;

  leat_memory_read (memory, 0, data, bytes, &error);
  g_assert_no_error (error);
}

gpointer
kernel_fixture_dup (LeatMemory *memory)
{
  gpointer data = g_malloc (leat_memory_get_bytes (memory));

  kernel_fixture_get (memory, data, leat_memory_get_bytes (memory));
  return data;
}

static const LeatFunction *
kernel_fixture_get_function (KernelFixture *self, const char *kernel)
{
  g_autoptr (GError) error = NULL;
  const LeatFunction *function = leat_module_get_function (self->module, kernel, &error);

  g_assert_no_error (error);
  return function;
}

CUresult
kernel_fixture_try (KernelFixture *self, const char *kernel, KernelSize grid, KernelSize block, guint shared,
                    gboolean cooperative, void **params)
{
  const LeatDriverTable *table = leat_device_get_table (self->device);
  CUfunction function = kernel_fixture_get_function (self, kernel)->function;
  CUstream stream = leat_stream_get (self->stream);
  g_autoptr (GError) error = NULL;
  CUresult result;

  leat_device_push (self->device, &error);
  g_assert_no_error (error);
  if (cooperative)
    result =
      table->cuLaunchCooperativeKernel (function, MAX (grid.x, 1), MAX (grid.y, 1), MAX (grid.z, 1), MAX (block.x, 1),
                                        MAX (block.y, 1), MAX (block.z, 1), shared, stream, params);
  else
    result = table->cuLaunchKernel (function, MAX (grid.x, 1), MAX (grid.y, 1), MAX (grid.z, 1), MAX (block.x, 1),
                                    MAX (block.y, 1), MAX (block.z, 1), shared, stream, params, NULL);
  if (result == CUDA_SUCCESS)
    result = table->cuStreamSynchronize (stream);
  leat_device_pop (self->device);
  return result;
}

void
kernel_fixture_run (KernelFixture *self, const char *kernel, KernelSize grid, KernelSize block, guint shared,
                    gboolean cooperative, void **params)
{
  g_assert_cmpint (kernel_fixture_try (self, kernel, grid, block, shared, cooperative, params), ==, CUDA_SUCCESS);
}

guint
kernel_fixture_count_resident (KernelFixture *self, const char *kernel, guint threads)
{
  guint blocks = 0;
  g_autoptr (GError) error = NULL;

  leat_module_get_occupancy (self->module, kernel_fixture_get_function (self, kernel), threads, 0, &blocks, &error);
  g_assert_no_error (error);
  return blocks * leat_device_get_facts (self->device)->multiprocessors;
}

guint32
kernel_fixture_random (guint32 *state)
{
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}
