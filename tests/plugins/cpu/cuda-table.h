/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "driver/leat-cuda.h"

/* All driver entries that Leat knows, loaded from the library that LEAT_TEST_DRIVER names: the CPU driver by default, a
 * real libcuda.so.1 on a machine with a GPU.  Plain C, so that the same tests run where there is nothing else. */
typedef struct
{
#define LEAT_ENTRY(group, need, name, exported, version, params, args) CUresult (*name) params;
#include "driver/leat-driver-entries.h"
} CudaTable;

extern CudaTable cuda;

/* Loads the library and makes the primary context current.  0, or prints why not. */
int cuda_table_open (const char *path);
void *cuda_table_find (const char *symbol); /* in the library; NULL where it has none */
const char *cuda_table_get_error_name (CUresult code);
int cuda_table_is_real (void); /* not the CPU driver */
