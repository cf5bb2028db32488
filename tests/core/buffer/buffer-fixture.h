/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

/* NULL: the device that the tests are run on. */
LeatDevice *buffer_fixture_open_device (const char *selector);
LeatDeviceBuffer *buffer_fixture_new_buffer (LeatDevice *device, guint64 bytes);
