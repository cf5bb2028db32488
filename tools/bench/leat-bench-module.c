/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A kernel source as a module on a device, for all that leat-bench does by hand.  The module is the caller's. */

#include "leat-bench-module.h"

#include "kernel/leat-image-private.h"

LeatModule *
leat_bench_module_load (LeatDevice *device, LeatKernelSource *source, GError **error)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (device);
  g_autofree char *name = leat_device_is_cpu (device)
                            ? g_strdup ("host")
                            : g_strdup_printf ("sm_%u%u", facts->compute_major, facts->compute_minor);
  LeatImageTarget target = { 0 };
  g_autoptr (GBytes) image = NULL;

  if (!leat_image_target_parse (name, &target, error))
    return NULL;
  image = leat_image_get (source, &target, error);
  return image != NULL ? leat_module_load (device, image, leat_kernel_source_get_name (source), error) : NULL;
}
