/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The memory of a queue of work items, and what a kernel is given for a parameter `LeatQueue<T>`.  C, and put before a
 * kernel's text; includes nothing of GLib.
 *
 * The ring: this struct, then one 64-bit turn for each cell, then the cells' items.  All zeros is an empty queue, and
 * nothing in it is an address, so that a ring may be kept, copied and restored as bytes.
 *
 * A place in the ring is a ticket: pushes draw them from `tail`, claims from `head`.  Ticket t is for cell t mod 2^shift,
 * in round t div 2^shift.  The turn of a cell says whose it is: 2r, the push of round r may write the item; 2r + 1, the
 * claim of round r may take it.  Tickets and turns have 64 bits and come back never: no value of one stands for two
 * things.  (A bounded queue of cells with sequence numbers, as D. Vyukov described it for processors; that room and items
 * are counted apart from the tickets, so that no thread has to try again because of another's success, is from
 * B. Kerbl et al., "The Broker Queue", ICS 2018.)
 *
 * Room is taken when an item is pushed and given back when it is done, not when it is claimed.  So what is claimed can
 * always be put back, and one number says how much room there is and whether all work is finished. */

#include <stdint.h>

#define LEAT_QUEUE_LINE 128 /* bytes between counters that many threads add to */
#define LEAT_QUEUE_LEAST_SHIFT 5 /* cells for at least a warp */

/* The numbers of QUEUE_FOR, which are given out anew in each run, also where the items are kept. */
typedef struct
{
  uint64_t drawn;
  uint64_t total; /* that there are; 0 before the first thread asks */
  uint64_t pad_1[LEAT_QUEUE_LINE / 8 - 2];
  uint64_t finished;
  uint64_t pad_2[LEAT_QUEUE_LINE / 8 - 1];
} LeatQueueStart;

typedef struct
{
  LeatQueueStart start;
  uint64_t outstanding; /* pushed and not yet done; above the capacity while a push takes back what did not fit */
  uint64_t pad_1[LEAT_QUEUE_LINE / 8 - 1];
  uint64_t tail;
  uint64_t pad_2[LEAT_QUEUE_LINE / 8 - 1];
  uint64_t ready; /* written and not claimed; as an int64_t below 0 while a claim takes back what was not there */
  uint64_t pad_3[LEAT_QUEUE_LINE / 8 - 1];
  uint64_t head;
  uint64_t pad_4[LEAT_QUEUE_LINE / 8 - 1];
} LeatQueueRing;

/* A parameter of a kernel, by value. */
typedef struct
{
  LeatQueueRing *ring;
  LeatReportBlock *block; /* where its totals are; NULL: nowhere */
  uint64_t capacity;      /* items outstanding at one time */
  uint64_t patience_ns;   /* how long a thread waits in which nothing happens; 0: for ever */
  uint32_t shift;         /* of the number of cells */
  uint32_t number;        /* of the kernel's queues */
} LeatQueueView;
