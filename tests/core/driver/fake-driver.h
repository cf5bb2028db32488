/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "driver/leat-cuda.h"

/* A driver library for tests of what loads and watches drivers.  It runs nothing: its device memory is host memory, its
 * streams are always done.  Read from the environment whenever they matter:
 *
 *   FAKE_DRIVER_VERSION  what cuDriverGetVersion says (12040)
 *   FAKE_DRIVER_DEVICES  how many devices there are (2); with 0, cuInit says so as well
 *   FAKE_DRIVER_INIT     what cuInit gives (0)
 *   FAKE_DRIVER_MISSING  entries that it does not have, with commas
 *   FAKE_DRIVER_MEMORY   bytes of each device (1 GiB)
 */

#define FAKE_EXPORT __attribute__ ((visibility ("default")))

#define FAKE_DRIVER_SHARED        49152
#define FAKE_DRIVER_SHARED_OPTIN  65536
#define FAKE_DRIVER_STATIC_SHARED 1024
#define FAKE_DRIVER_THREADS       256 /* of a block of its kernels; 1024 of a device */
#define FAKE_DRIVER_PROCESSORS    4
#define FAKE_DRIVER_RESIDENT      2
#define FAKE_DRIVER_IMAGE                                                                                              \
  "\x7f"                                                                                                               \
  "ELF fake" /* has the kernels "add" and "scale" */

/* From now on, calls of @entry give @result, but for the first @after of them; CUDA_SUCCESS ends it. */
FAKE_EXPORT void fake_driver_plan (const char *entry, CUresult result, int after);
FAKE_EXPORT size_t fake_driver_get_live_bytes (void);
FAKE_EXPORT int fake_driver_get_raised_shared (void);

typedef void (*FakeDriverPlan) (const char *entry, CUresult result, int after);
typedef size_t (*FakeDriverGetLiveBytes) (void);
typedef int (*FakeDriverGetRaisedShared) (void);

CUresult fake_driver_planned (const char *entry);
void *fake_driver_find (const char *name, int version, CUdriverProcAddressQueryResult *status);
