/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stdint.h>

/* What the system's calls do with files whose path begins with `folder`; all else goes through.  The module is
 * preloaded, and a program finds the function by its name. */
typedef struct
{
  const char *folder;
  const char *call;        /* "read", "write" or "close"; NULL: nothing happens */
  uint64_t good_bytes;     /* of such calls go through first */
  unsigned int good_calls; /* and so many */
  int code;                /* errno that a call ends with then; 0: none */
  unsigned int times;      /* how often; 0: always */
  uint64_t most_bytes;     /* that one call takes; 0: as many as it will */
} IoFaults;

typedef void (*IoFaultsSet) (const IoFaults *faults);
/* How many calls ended with the error since. */
typedef unsigned int (*IoFaultsCount) (void);
