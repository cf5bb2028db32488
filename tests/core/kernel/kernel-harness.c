/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-harness.h"

#include <string.h>

LeatImageTarget
kernel_harness_get_target (LeatDevice *device)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (device);
  LeatImageTarget target = { LEAT_IMAGE_HOST, "native", 0 };

  if (!leat_device_is_cpu (device))
    target = (LeatImageTarget){ LEAT_IMAGE_CUBIN, "", facts->compute_major * 10 + facts->compute_minor };
  return target;
}

gboolean
kernel_harness_init (KernelHarness *self, LeatKernelSource *source)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) image = NULL;
  LeatImageTarget target;

  memset (self, 0, sizeof *self);
  self->device = leat_device_open (NULL, &error);
  g_assert_no_error (error);
  target = kernel_harness_get_target (self->device);
  image = leat_image_get (source, &target, &error); /* compiled once, for whoever runs it */
  if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    {
      g_test_skip (error->message);
      g_clear_object (&self->device);
      return FALSE;
    }
  g_assert_no_error (error);
  self->module = leat_module_load (self->device, image, leat_kernel_source_get_name (source), &error);
  g_assert_no_error (error);
  self->stream = leat_stream_new (self->device, LEAT_STREAM_PRIORITY_NORMAL, &error);
  g_assert_no_error (error);
  self->out = leat_memory_new (self->device, LEAT_MEMORY_PINNED, KERNEL_ITEMS * sizeof (guint32), "items", &error);
  g_assert_no_error (error);
  return TRUE;
}

gboolean
kernel_harness_init_text (KernelHarness *self, const char *name, const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new (name, text, &error);

  g_assert_no_error (error);
  return kernel_harness_init (self, source);
}

void
kernel_harness_clear (KernelHarness *self)
{
  g_clear_pointer (&self->out, leat_memory_free);
  g_clear_pointer (&self->stream, leat_stream_free);
  g_clear_pointer (&self->module, leat_module_unref);
  g_clear_object (&self->device);
}

static const guint32 *
kernel_harness_do (KernelHarness *self, const char *symbol, const KernelShape *shape, gpointer *rest,
                   gboolean cooperative)
{
  g_autoptr (GError) error = NULL;
  const LeatDriverTable *table = leat_device_get_table (self->device);
  const LeatFunction *function = leat_module_get_function (self->module, symbol, &error);
  CUdeviceptr out = leat_memory_get_address (self->out);
  gint32 waits = FALSE;
  gpointer params[8] = { &out };
  LeatLaunchShape launch = { .shared_bytes = shape->shared_bytes };
  CUresult result;

  g_assert_no_error (error);
  guint n = 1;
  for (guint i = 0; rest[i] != NULL; i++)
    params[n++] = rest[i];
  params[n] = &waits;
  memcpy (launch.grid, shape->grid, sizeof launch.grid);
  memcpy (launch.block, shape->block, sizeof launch.block);
  leat_module_prepare_launch (self->module, function, &launch, symbol, &error);
  g_assert_no_error (error);
  memset (leat_memory_get_host (self->out), 0, KERNEL_ITEMS * sizeof (guint32));
  g_assert_true (leat_device_push (self->device, NULL));
  result = cooperative
             ? table->cuLaunchCooperativeKernel (function->function, shape->grid[0], shape->grid[1], shape->grid[2],
                                                 shape->block[0], shape->block[1], shape->block[2], shape->shared_bytes,
                                                 leat_stream_get (self->stream), params)
             : table->cuLaunchKernel (function->function, shape->grid[0], shape->grid[1], shape->grid[2],
                                      shape->block[0], shape->block[1], shape->block[2], shape->shared_bytes,
                                      leat_stream_get (self->stream), params, NULL);
  g_assert_cmpint (result, ==, CUDA_SUCCESS);
  leat_device_pop (self->device);
  leat_stream_synchronize (self->stream, &error);
  g_assert_no_error (error);
  return leat_memory_get_host (self->out);
}

const guint32 *
kernel_harness_launch (KernelHarness *self, const char *symbol, const KernelShape *shape, gpointer *rest)
{
  return kernel_harness_do (self, symbol, shape, rest, FALSE);
}

const guint32 *
kernel_harness_run_cooperative (KernelHarness *self, const char *symbol, const KernelShape *shape, gint64 n)
{
  gpointer rest[] = { &n, NULL };

  return kernel_harness_do (self, symbol, shape, rest, TRUE);
}

const guint32 *
kernel_harness_run (KernelHarness *self, const char *symbol, const KernelShape *shape, gint64 n)
{
  gpointer rest[] = { &n, NULL };

  return kernel_harness_launch (self, symbol, shape, rest);
}
