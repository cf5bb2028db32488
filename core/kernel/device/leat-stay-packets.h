/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Small runs of a kernel of one block, whose data tell by themselves that they are there: packets of 4 bytes and the
 * run's number, which one access reads or writes as a whole.  So inputs come with one look at the host's memory, and
 * the host sees results without a word behind them; nothing that is not in a packet passes between the two, and no
 * fence is needed.  Behind leat-dialect-*-doorbell.h, before leat-stay.h.
 *
 * All threads look for their shares, as long as runs follow each other closely; then the first one looks for the head
 * of the frame alone, which the host writes last. */

typedef struct
{
  uint64_t low, high;
} LeatPair;

LEAT_STAY LeatPair
leat_load_pair (const uint64_t *p)
{
  LeatPair v;

  leat_load_words (p, &v.low, &v.high);
  return v;
}

LEAT_STAY bool
leat_pair_is_of (LeatPair v, uint64_t number)
{
  return v.low >> 32 == (number & 0xffffffffu) && v.high >> 32 == (number & 0xffffffffu);
}

LEAT_STAY uint64_t *
leat_stay_get_frame (const LeatStay &s, uint64_t number)
{
  return s.frames + number % LEAT_DOORBELL_SLOTS * s.frame_words;
}

/* A thread's pairs from @first on; those that there are. */
LEAT_STAY bool
leat_stay_look_for (const LeatStay &s, uint64_t number, unsigned int first, LeatPair *found)
{
  const uint64_t *frame = leat_stay_get_frame (s, number);
  bool all = true;

  for (unsigned int k = 0; k < LEAT_PACKET_EACH; k++)
    if (first + k * leat_stay_count_threads () < s.in_pairs)
      found[k] = leat_load_pair (frame + 2 * (1 + first + k * leat_stay_count_threads ()));
  for (unsigned int k = 0; k < LEAT_PACKET_EACH; k++)
    if (first + k * leat_stay_count_threads () < s.in_pairs)
      all = all && leat_pair_is_of (found[k], number);
  return all;
}

/* To where the copies are that the packets stand for. */
LEAT_STAY void
leat_stay_put (const LeatStay &s, const unsigned char *args, unsigned int first, const LeatPair *found)
{
  for (unsigned int k = 0; k < LEAT_PACKET_EACH; k++)
    {
      const unsigned int pair = first + k * leat_stay_count_threads ();
      unsigned int i = 0;

      if (pair >= s.in_pairs)
        break;
      while (i + 1 < s.n_inputs && pair >= s.inputs[i + 1].first)
        i++;
      (*(uint64_t *const *) (args + s.inputs[i].args))[pair - s.inputs[i].first] =
        (uint32_t) found[k].low | found[k].high << 32;
    }
}

/* By the first thread: an order where the head is there, one to leave where that is asked or nothing has come for long,
 * and one for no run else. */
LEAT_STAY uint64_t
leat_stay_judge (const LeatStay &s, uint64_t done, LeatPair head, uint64_t bell, bool idle)
{
  if (leat_pair_is_of (head, done + 1))
    return LEAT_ORDER_MAKE (done + 1, (uint32_t) head.low);
  return LEAT_ORDER_MAKE (done, 0) | ((bell & LEAT_ORDER_LEAVE) || idle ? LEAT_ORDER_LEAVE : 0u);
}

/* Likewise: until it is one of the first two; whether nothing has come for long. */
LEAT_STAY bool
leat_stay_rest (const LeatStay &s, uint64_t done, uint64_t since)
{
  const uint64_t *frame = leat_stay_get_frame (s, done + 1);
  uint64_t order;
  bool idle = false;

  for (unsigned int looks = 1; !idle; looks++)
    {
      const uint64_t bell = leat_load_relaxed (&s.bell->bell);

      order = leat_stay_judge (s, done, leat_load_pair (frame), bell, false);
      if (LEAT_ORDER_NUMBER (order) != done || (order & LEAT_ORDER_LEAVE))
        break;
      idle = looks % 16 == 0 && leat_clock_now () - since > s.idle_ns;
      __nanosleep (LEAT_STAY_IDLE_REST);
    }
  return idle;
}

/* One look of the whole block: whether all of the run is there; else the order says whether to leave. */
LEAT_STAY bool
leat_stay_look_together (const LeatStay &s, uint64_t done, bool idle, LeatPair *found)
{
  const unsigned int rank = leat_stay_get_rank ();
  LeatPair head = { 0, 0 };
  uint64_t bell = 0;
  bool good;

  if (rank == 0)
    {
      bell = leat_load_relaxed (&s.bell->bell);
      head = leat_load_pair (leat_stay_get_frame (s, done + 1));
    }
  good = leat_stay_look_for (s, done + 1, rank, found);
  if (rank == 0)
    {
      LEAT_HERE->order = leat_stay_judge (s, done, head, bell, idle);
      good = good && LEAT_ORDER_NUMBER (LEAT_HERE->order) != done;
    }
  return __syncthreads_and (good) != 0;
}

/* More than all threads hold at once: it was written before the head. */
LEAT_STAY void
leat_stay_take_more (const LeatStay &s, uint64_t number, const unsigned char *args)
{
  LeatPair found[LEAT_PACKET_EACH];
  const unsigned int each = LEAT_PACKET_EACH * leat_stay_count_threads ();

  for (unsigned int first = leat_stay_get_rank () + each; first < s.in_pairs; first += each)
    {
      while (!leat_stay_look_for (s, number, first, found))
        ;
      leat_stay_put (s, args, first, found);
    }
}

/* Until a run has come, with its inputs where they belong, or it is time to leave. */
LEAT_STAY uint64_t
leat_stay_receive (const LeatStay &s, uint64_t done)
{
  const unsigned int rank = leat_stay_get_rank ();
  LeatPair found[LEAT_PACKET_EACH];
  const unsigned char *args;
  uint64_t since = 0, order;
  bool idle = false;

  for (unsigned int looks = 0;; looks++)
    {
      if (rank == 0 && looks % 16 == 0)
        {
          since = looks == 0 ? leat_clock_now () : since;
          idle = leat_clock_now () - since >= s.hot_ns && leat_stay_rest (s, done, since);
        }
      if (leat_stay_look_together (s, done, idle, found))
        break;
      order = leat_load_relaxed (&LEAT_HERE->order);
      if (order & LEAT_ORDER_LEAVE)
        return order;
    }
  order = leat_load_relaxed (&LEAT_HERE->order);
  args = s.args + LEAT_ORDER_LANE (order) * s.lane_bytes;
  leat_stay_put (s, args, rank, found);
  leat_stay_take_more (s, done + 1, args);
  if (rank == 0)
    LEAT_HERE->deadline = 0;
  leat_stay_barrier ();
  return order;
}

/* What a stage before it has made, behind a barrier. */
LEAT_STAY void
leat_stay_send (const LeatStay &s, const LeatStage &stage, const unsigned char *args)
{
  const uint64_t number = LEAT_ORDER_NUMBER (leat_load_relaxed (&LEAT_HERE->order)) << 32;
  const uint64_t *from = *(const uint64_t *const *) (args + LEAT_STAY_PARAM);
  uint64_t *to = leat_stay_get_frame (s, number >> 32) + 2 * stage.packets.first;

  for (unsigned int i = leat_stay_get_rank (); i < stage.packets.pairs; i += leat_stay_count_threads ())
    leat_store_words (to + 2 * i, (uint32_t) from[i] | number, from[i] >> 32 | number);
}
