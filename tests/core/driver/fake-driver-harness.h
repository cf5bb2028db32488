/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "driver/leat-driver-private.h"
#include "fake-driver.h"

/* A copy of the fake driver of its own, since a driver that is open stays open; with its own variables set.  Call
 * fake_harness_clear () at the end. */
typedef struct
{
  char *folder;
  char *path;
  FakeDriverPlan plan;
  FakeDriverGetLiveBytes get_live_bytes;
  FakeDriverGetRaisedShared get_raised_shared;
} FakeHarness;

void fake_harness_init (FakeHarness *self, ...) G_GNUC_NULL_TERMINATED; /* variable, value, ..., NULL */
void fake_harness_clear (FakeHarness *self);
