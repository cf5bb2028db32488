/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "engine-fixture.h"

#include <string.h>
#include <xxhash.h>

GBytes *
engine_fixture_read_image (const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *library = NULL;
  LeatHostImageHeader header = { .magic = LEAT_HOST_IMAGE_MAGIC };
  gsize size;
  guint8 *image;

  g_file_get_contents (path, &library, &size, &error);
  g_assert_no_error (error);
  header.size = size;
  header.check = XXH3_64bits (library, size);
  image = g_malloc (sizeof header + size);
  memcpy (image, &header, sizeof header);
  memcpy (image + sizeof header, library, size);
  return g_bytes_new_take (image, sizeof header + size);
}

LeatCpuModule *
engine_fixture_load (const char *path)
{
  g_autoptr (GBytes) image = engine_fixture_read_image (path);
  g_autofree char *text = NULL;
  LeatCpuModule *module = NULL;
  CUresult result = leat_cpu_module_load (g_bytes_get_data (image, NULL), &module, &text);

  g_assert_cmpstr (text, ==, NULL);
  g_assert_cmpint (result, ==, CUDA_SUCCESS);
  return module;
}

CUresult
engine_fixture_run (LeatCpuModule *module, const char *kernel, LeatHostDim3 grid, LeatHostDim3 block,
                    guint32 dynamic_shared, gboolean cooperative, const guint64 *params, guint n_params)
{
  LeatCpuFunction *function = leat_cpu_module_find_function (module, kernel);
  g_autofree void **addresses = g_new0 (void *, n_params + 1);
  LeatCpuLaunch launch;
  CUresult result;

  g_assert_nonnull (function);
  g_assert_cmpuint (leat_cpu_function_get_kernel (function)->n_params, ==, n_params);
  for (guint i = 0; i < n_params; i++)
    addresses[i] = (void *) &params[i];
  result = leat_cpu_launch_init (&launch, function, grid, block, dynamic_shared, cooperative, addresses, NULL);
  if (result != CUDA_SUCCESS)
    return result;
  result = leat_cpu_launch_run (&launch);
  leat_cpu_launch_clear (&launch);
  return result;
}
