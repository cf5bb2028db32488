/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Ends the program where a call of the runtime fails, and says which. */

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define MUST(call)                                                                                                     \
  do                                                                                                                   \
    {                                                                                                                  \
      cudaError_t must = (call);                                                                                       \
      if (must != cudaSuccess)                                                                                         \
        {                                                                                                              \
          fprintf (stderr, "%s: %s\n", #call, cudaGetErrorString (must));                                              \
          exit (2);                                                                                                    \
        }                                                                                                              \
    }                                                                                                                  \
  while (0)
