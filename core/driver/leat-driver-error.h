/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib.h>

G_BEGIN_DECLS

#define LEAT_DRIVER_ERROR (leat_driver_error_quark ())

/**
 * LeatDriverError:
 * @LEAT_DRIVER_ERROR_FAILED: anything that no other code says
 * @LEAT_DRIVER_ERROR_NO_DRIVER: no driver library, or one that cannot be loaded
 * @LEAT_DRIVER_ERROR_NO_DEVICE: the driver has no such device
 * @LEAT_DRIVER_ERROR_TOO_OLD: the driver lacks what Leat needs
 * @LEAT_DRIVER_ERROR_SELECTOR: the text that chooses a device is not one of the known forms
 * @LEAT_DRIVER_ERROR_OUT_OF_MEMORY: not enough memory on the device, or over the budget
 * @LEAT_DRIVER_ERROR_INVALID: the driver refused a value or a handle
 * @LEAT_DRIVER_ERROR_IMAGE: a kernel image that the device cannot load
 * @LEAT_DRIVER_ERROR_NOT_FOUND: a name that an image does not have
 * @LEAT_DRIVER_ERROR_LAUNCH_LIMIT: a launch that is larger than the device allows
 * @LEAT_DRIVER_ERROR_LAUNCH_FAILED: a kernel failed while it ran; the device is lost to this process
 * @LEAT_DRIVER_ERROR_DEVICE_LOST: the device failed earlier, or is gone
 * @LEAT_DRIVER_ERROR_HUNG: a kernel or a copy does not end
 * @LEAT_DRIVER_ERROR_UNSUPPORTED: the device or the driver cannot do that
 * @LEAT_DRIVER_ERROR_CAPTURE: a call that stream capture does not allow
 *
 * Errors between Leat and a device.
 */
typedef enum
{
  LEAT_DRIVER_ERROR_FAILED,
  LEAT_DRIVER_ERROR_NO_DRIVER,
  LEAT_DRIVER_ERROR_NO_DEVICE,
  LEAT_DRIVER_ERROR_TOO_OLD,
  LEAT_DRIVER_ERROR_SELECTOR,
  LEAT_DRIVER_ERROR_OUT_OF_MEMORY,
  LEAT_DRIVER_ERROR_INVALID,
  LEAT_DRIVER_ERROR_IMAGE,
  LEAT_DRIVER_ERROR_NOT_FOUND,
  LEAT_DRIVER_ERROR_LAUNCH_LIMIT,
  LEAT_DRIVER_ERROR_LAUNCH_FAILED,
  LEAT_DRIVER_ERROR_DEVICE_LOST,
  LEAT_DRIVER_ERROR_HUNG,
  LEAT_DRIVER_ERROR_UNSUPPORTED,
  LEAT_DRIVER_ERROR_CAPTURE,
} LeatDriverError;

GQuark leat_driver_error_quark (void);

G_END_DECLS
