/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-device-private.h"
#include "fake-driver-harness.h"

/* A device of a fake driver of its own, opened as cuda:0. */
typedef struct
{
  FakeHarness fake;
  LeatDevice *device;
} DeviceHarness;

void device_harness_init (DeviceHarness *self, const char *memory_bytes);
/* The device must be held by nobody else any more. */
void device_harness_clear (DeviceHarness *self);
