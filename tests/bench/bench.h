/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>
#include <stdlib.h>
#include <time.h>

/* What the programs that measure share. */

static inline double
bench_now_ns (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e9 + (double) now.tv_nsec;
}

static inline double
bench_now_us (void)
{
  return bench_now_ns () / 1e3;
}

static inline int
bench_compare (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

static inline void
bench_sort (double *times, guint n)
{
  qsort (times, n, sizeof *times, bench_compare);
}

/* 0 of none.  Sorts them. */
static inline double
bench_get_median (double *times, guint n)
{
  bench_sort (times, n);
  return n > 0 ? times[n / 2] : 0;
}

static inline void
bench_must_not (GError *error)
{
  if (error != NULL)
    g_error ("%s", error->message);
}
