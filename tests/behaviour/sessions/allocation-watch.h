/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Sees every piece of memory that anything in this process asks for: a program that is linked with this has its own
 * malloc and mmap, which count while the watch is on and hand the work to the C library. */

/* Who asked: the innermost caller that is no system library. */
typedef enum
{
  ALLOCATION_OURS,   /* libleat, a plugin, a kernel's image, the test program, or unknown */
  ALLOCATION_DRIVER, /* below libleat-cpu or libcuda */
  ALLOCATION_EXEMPT, /* one of the functions that may */
  ALLOCATION_N_OWNERS
} AllocationOwner;

typedef struct
{
  guint counts[ALLOCATION_N_OWNERS];
  char *text; /* those that are not exempt: how many, whose, how much, through which functions */
} AllocationReport;

/* NULL where it can be watched, else why it cannot. */
const char *allocation_watch_why_not (void);
void allocation_watch_start (void);
void allocation_watch_stop (void);
/* Of the time between start and stop. @exempt: names of functions that may allocate, with what they call; ended by
 * NULL. */
void allocation_watch_report (const char *const *exempt, AllocationReport *report);
void allocation_report_clear (AllocationReport *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (AllocationReport, allocation_report_clear)

G_END_DECLS
