/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "image.hpp"

/* Images that must be refused; the build picks one by BAD_NONE, BAD_ABI, BAD_MAGIC or BAD_ENTRY. */

#ifndef BAD_NONE
#ifdef BAD_ABI
#define ABI 999
#else
#define ABI LEAT_HOST_MODULE_ABI
#endif
#ifdef BAD_MAGIC
#define MAGIC 1
#else
#define MAGIC LEAT_HOST_MODULE_MAGIC
#endif

/* A kernel that cannot be called. */
static const LeatHostKernel kernels[] = { { "nothing", 0, nullptr, 0, 0, 0, nullptr, nullptr, nullptr } };

extern "C" __attribute__ ((visibility ("default"))) const LeatHostModule leat_host_module
  = { MAGIC, ABI, &runtime, 1, 0, kernels, nullptr };
#else
extern "C" __attribute__ ((visibility ("default"))) const LeatHostRuntime **unused = &runtime;
#endif
