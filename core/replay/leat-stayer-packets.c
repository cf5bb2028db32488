/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-stayer-object-private.h"

#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
#include <emmintrin.h>
#endif

/* The host's side of packets (kernel/device/leat-stay-packets.h): 8 bytes of which 4 are data and 4 the run's number.
 *
 * A frame belongs to runs by their number, and is written for the next of them when the one before has been read: no
 * more runs than frames are under way, as lanes go round. */

#define LEAT_STAYER_LINE_WORDS 16 /* a frame begins with a line of its own */

static inline guint64
leat_packet_make (guint32 data, guint32 number)
{
  return data | (guint64) number << 32;
}

/* On x86 each aligned half of 16 bytes is written, and read, as a whole. */
static void
leat_packets_write (guint64 *to, const guint32 *data, guint pairs, guint32 number)
{
#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
  const __m128i numbers = _mm_set1_epi32 ((int) number);

  for (guint i = 0; i < pairs; i += 2)
    {
      const __m128i v = _mm_loadu_si128 ((const __m128i *) (data + 2 * i));

      _mm_store_si128 ((__m128i *) (to + 2 * i), _mm_unpacklo_epi32 (v, numbers));
      _mm_store_si128 ((__m128i *) (to + 2 * i + 2), _mm_unpackhi_epi32 (v, numbers));
    }
#else
  for (guint i = 0; i < 2 * pairs; i++)
    __atomic_store_n (&to[i], leat_packet_make (data[i], number), __ATOMIC_RELAXED);
#endif
}

/* How many pairs from @at on have come, an even number; their data are taken. */
static guint
leat_packets_read (const guint64 *from, guint32 *data, guint at, guint pairs, guint32 number)
{
#if defined(__SSE2__) && !defined(__SANITIZE_THREAD__)
  const __m128i numbers = _mm_set1_epi32 ((int) number);

  for (; at < pairs; at += 2)
    {
      const __m128 a = _mm_castsi128_ps (_mm_load_si128 ((const __m128i *) (from + 2 * at)));
      const __m128 b = _mm_castsi128_ps (_mm_load_si128 ((const __m128i *) (from + 2 * at + 2)));
      const __m128i found = _mm_castps_si128 (_mm_shuffle_ps (a, b, _MM_SHUFFLE (3, 1, 3, 1)));

      if (_mm_movemask_epi8 (_mm_cmpeq_epi32 (found, numbers)) != 0xffff)
        break;
      _mm_storeu_si128 ((__m128i *) (data + 2 * at),
                        _mm_castps_si128 (_mm_shuffle_ps (a, b, _MM_SHUFFLE (2, 0, 2, 0))));
    }
#else
  for (; at < pairs; at += 2)
    for (guint i = 2 * at; i < 2 * at + 4; i++)
      {
        const guint64 packet = __atomic_load_n (&from[i], __ATOMIC_RELAXED);

        if (packet >> 32 != number)
          return at;
        data[i] = (guint32) packet;
      }
#endif
  return at;
}

static guint64 *
leat_stayer_get_frame (LeatStayer *self, guint64 number)
{
  return self->frames + number % LEAT_DOORBELL_SLOTS * self->stay.frame_words;
}

/* The head comes last: the kernel may look for it alone. */
void
leat_stayer_send (LeatStayer *self, LeatLane *lane, guint64 number)
{
  guint64 *frame = leat_stayer_get_frame (self, number);

  for (guint i = 0; i < self->stay.n_inputs; i++)
    {
      const LeatPackets *packets = &self->stay.inputs[i];

      leat_packets_write (frame + 2 * (1 + packets->first), (const guint32 *) lane->hosts[self->inputs[i]->from],
                          packets->pairs, (guint32) number);
    }
  __atomic_store_n (&frame[1], leat_packet_make (0, (guint32) number), __ATOMIC_RELEASE);
  __atomic_store_n (&frame[0], leat_packet_make (lane->stay_lane, (guint32) number), __ATOMIC_RELEASE);
  lane->stay_taken = 0;
}

/* From where it was left. */
gboolean
leat_stayer_receive (LeatStayer *self, LeatLane *lane)
{
  const guint64 *frame = leat_stayer_get_frame (self, lane->rung);
  guint before = 0;

  for (guint i = 0; i < self->n_outputs; i++)
    {
      const LeatPackets *packets = &self->outputs[i].packets;

      if (lane->stay_taken < before + packets->pairs)
        lane->stay_taken =
          before
          + leat_packets_read (frame + 2 * packets->first, (guint32 *) lane->hosts[self->outputs[i].op->to],
                               lane->stay_taken - before, packets->pairs, (guint32) lane->rung);
      before += packets->pairs;
      if (lane->stay_taken < before)
        return FALSE;
    }
  return TRUE;
}

/* It must be possible to take inputs before all else is done. */
static gboolean
leat_stayer_waits_for_none (LeatStayer *self, const LeatOp *op)
{
  for (guint a = 0; a < op->n_after; a++)
    for (guint i = 0; i < self->stay.n_stages; i++)
      if (self->ops[i]->index == op->after[a])
        return FALSE;
  return TRUE;
}

static gboolean
leat_stayer_is_input (LeatStayer *self, const LeatOp *op)
{
  return op->kind == LEAT_OP_TRANSFER && leat_plan_get_buffer (self->plan, op->from)->kind == LEAT_BUFFER_STAGING;
}

static gboolean
leat_stayer_may_use_packets (LeatStayer *self)
{
  if (!self->plan->brief)
    return FALSE;
  for (guint i = 0; i < self->stay.n_stages; i++)
    if ((self->ops[i]->kind == LEAT_OP_TRANSFER && self->ops[i]->way != LEAT_TRANSFER_COPY)
        || (leat_stayer_is_input (self, self->ops[i]) && !leat_stayer_waits_for_none (self, self->ops[i])))
      return FALSE;
  return TRUE;
}

static void
leat_stayer_add_input (LeatStayer *self, LeatStage *stage, const LeatOp *op)
{
  self->inputs[self->stay.n_inputs] = op;
  self->stay.inputs[self->stay.n_inputs++] =
    (LeatPackets){ .first = self->stay.in_pairs, .pairs = op->bytes / 8, .args = stage->args };
  self->stay.in_pairs += op->bytes / 8;
  stage->kind = LEAT_STAGE_TAKEN;
}

static void
leat_stayer_add_output (LeatStayer *self, LeatStage *stage, const LeatOp *op, guint *end)
{
  stage->kind = LEAT_STAGE_SEND;
  stage->packets = (LeatPackets){ .first = *end, .pairs = op->bytes / 8 };
  self->outputs[self->n_outputs].op = op;
  self->outputs[self->n_outputs++].packets = stage->packets;
  *end += op->bytes / 8;
}

gboolean
leat_stayer_plan_packets (LeatStayer *self)
{
  guint end;

  if (!leat_stayer_may_use_packets (self))
    return FALSE;
  for (guint i = 0; i < self->stay.n_stages; i++)
    if (leat_stayer_is_input (self, self->ops[i]))
      leat_stayer_add_input (self, &self->stay.stages[i], self->ops[i]);
  end = 1 + self->stay.in_pairs;
  for (guint i = 0; i < self->stay.n_stages; i++)
    if (self->ops[i]->kind == LEAT_OP_TRANSFER && !leat_stayer_is_input (self, self->ops[i]))
      leat_stayer_add_output (self, &self->stay.stages[i], self->ops[i], &end);
  self->stay.frame_words = (2 * end + LEAT_STAYER_LINE_WORDS - 1) / LEAT_STAYER_LINE_WORDS * LEAT_STAYER_LINE_WORDS;
  self->stay.hot_ns = MIN (self->plan->traits.stay.hot_us * 1000, self->stay.idle_ns);
  return TRUE;
}

gboolean
leat_stayer_allocate_frames (LeatStayer *self, GError **error)
{
  const guint64 bytes = (guint64) self->stay.frame_words * sizeof (guint64) * LEAT_DOORBELL_SLOTS;

  self->frames_memory =
    leat_memory_new (self->device, LEAT_MEMORY_PINNED, bytes, "the packets of a resident kernel", error);
  if (self->frames_memory == NULL)
    return FALSE;
  self->frames = leat_memory_get_host (self->frames_memory);
  memset (self->frames, 0, bytes);
  self->stay.frames = (guint64 *) leat_memory_get_address (self->frames_memory);
  return TRUE;
}
