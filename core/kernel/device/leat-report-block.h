/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Reports, as kernels write them and the host reads them.  C, and put before a kernel's text; includes nothing of GLib.
 *
 * Each launch that may report has a block in the device's memory, or in mapped memory of the host.  A report counts its
 * code and, where it is one of the first of that code, leaves a record; so neither many reports nor many codes keep
 * another code from being seen.  The first of a code also writes two words that the host can look at without asking the
 * device: no word, no report, and nothing to bring back. */

#include <stdint.h>

#define LEAT_REPORT_CODES 32 /* that a file may declare: 0 to 31; the row behind them is for all other codes */
#define LEAT_REPORT_ROWS (LEAT_REPORT_CODES + 1)
#define LEAT_REPORT_KEPT 8 /* records of a row */
#define LEAT_QUEUES_MOST 4 /* of a kernel */

enum
{
  LEAT_REPORT_SIGNED,
  LEAT_REPORT_UNSIGNED,
  LEAT_REPORT_REAL /* the bits of a double */
};

typedef struct
{
  uint64_t index;
  uint64_t value;
  uint32_t code;
  uint32_t kind;
} LeatReportRecord;

/* Counts of the items of one queue (leat-queue-ring.h) since the block was made. */
typedef struct
{
  uint64_t pushed, claimed, requeued;
  uint64_t most;    /* outstanding at one time */
  uint64_t lost;    /* that there was no room for, since the host looked last */
  uint64_t stuck;   /* outstanding when a thread gave up waiting; 0 where none has */
  uint64_t misused; /* done and never claimed */
  uint64_t told;    /* lost of which the host has been told: its own */
} LeatQueueTotals;

typedef struct
{
  uint64_t *any; /* is 1 where any launch of the run has reported */
  uint64_t *own; /* where this one has */
  uint64_t counts[LEAT_REPORT_ROWS];
  LeatReportRecord records[LEAT_REPORT_ROWS][LEAT_REPORT_KEPT];
  LeatQueueTotals queues[LEAT_QUEUES_MOST];
} LeatReportBlock;

#ifdef LEAT_HOST
#define LEAT_REPORTS 1
#endif
#ifdef LEAT_CUDA
#define LEAT_REPORTS 1
#endif
#ifdef LEAT_REPORTS
/* A value as a record holds it; narrower integers are promoted to these. */
struct leat_reported
{
  uint64_t value;
  uint32_t kind;

  __device__ leat_reported (int v) : value ((uint64_t) (int64_t) v), kind (LEAT_REPORT_SIGNED) {}
  __device__ leat_reported (long v) : value ((uint64_t) v), kind (LEAT_REPORT_SIGNED) {}
  __device__ leat_reported (long long v) : value ((uint64_t) v), kind (LEAT_REPORT_SIGNED) {}
  __device__ leat_reported (unsigned int v) : value (v), kind (LEAT_REPORT_UNSIGNED) {}
  __device__ leat_reported (unsigned long v) : value (v), kind (LEAT_REPORT_UNSIGNED) {}
  __device__ leat_reported (unsigned long long v) : value (v), kind (LEAT_REPORT_UNSIGNED) {}
  __device__ leat_reported (float v) : leat_reported ((double) v) {}
  __device__ leat_reported (double v) : kind (LEAT_REPORT_REAL)
  {
    union
    {
      double number;
      uint64_t bits;
    } both = { v };

    value = both.bits;
  }
};
#endif
