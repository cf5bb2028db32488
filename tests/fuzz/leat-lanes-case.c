/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-lanes-case.h"

#include <string.h>

/* The last is above what goes together with others. */
static const guint lanes_rooms[] = { 1, 2, 3, 7, 15, 16, 17, 31, 64, 100, 255, 256, 999, 70000 };

static void
lanes_chain_make (LanesChain *self, LeatFuzzChoices *choices)
{
  self->kind = leat_fuzz_choose (choices, LANES_CHAIN_SUM + 1);
  self->bytes = leat_fuzz_choose (choices, 2) == 0 ? 4 : 1;
  self->room = lanes_rooms[leat_fuzz_choose (choices, G_N_ELEMENTS (lanes_rooms))];
  self->bounded = leat_fuzz_choose (choices, 2) == 1;
  self->a = leat_fuzz_choose (choices, 256);
  self->b = leat_fuzz_choose (choices, 256);
  self->up = leat_fuzz_choose (choices, 4);
  self->back[0] = leat_fuzz_choose (choices, 4);
  self->back[1] = leat_fuzz_choose (choices, 4);
  /* Kernels for many rows are others, and to compile them all would take longer than to try the rest. */
  if (self->kind == LANES_CHAIN_COMPACT)
    self->room = MIN (self->room, 999);
}

void
lanes_case_make (LanesCase *self, LeatFuzzChoices *choices)
{
  self->n_chains = 1 + leat_fuzz_choose (choices, LANES_CHAINS_MOST);
  self->n_runs = 1 + leat_fuzz_choose (choices, LANES_RUNS_MOST);
  for (guint i = 0; i < self->n_chains; i++)
    lanes_chain_make (&self->chains[i], choices);
}

guint
lanes_chain_get_outputs (const LanesChain *self)
{
  return self->kind == LANES_CHAIN_STAGES ? 2 : 1;
}

static void
lanes_chain_write_nodes (const LanesChain *self, guint i, GString *text)
{
  switch (self->kind)
    {
    case LANES_CHAIN_PLAIN:
      return;
    case LANES_CHAIN_MAP:
      g_string_append_printf (text, "n%u = map expr=x*a+b a=%u b=%u\nup%u -> n%u\n", i, self->a, self->b, i, i);
      return;
    case LANES_CHAIN_STAGES:
      g_string_append_printf (text,
                              "n%u = map expr=x*a+b a=%u b=%u\nm%u = map expr=x*a+b a=3 b=1\nup%u -> n%u -> m%u\n", i,
                              self->a, self->b, i, i, i, i);
      return;
    case LANES_CHAIN_COMPACT:
      g_string_append_printf (text, "n%u = compact where=\"x < least\" least=%u\nup%u -> n%u.x\n", i, self->a, i, i);
      return;
    case LANES_CHAIN_SUM:
      g_string_append_printf (text, "n%u = reduce\nup%u -> n%u\n", i, i, i);
      return;
    }
}

char *
lanes_case_dup_text (const LanesCase *self)
{
  static const char *const ways[] = { "auto", "kernel", "copy", "mapped" };
  GString *text = g_string_new ("leat 1\n");
  guint out = 0;

  for (guint i = 0; i < self->n_chains; i++)
    {
      const LanesChain *chain = &self->chains[i];

      g_string_append_printf (text, "up%u = upload mode=%s\napp name=in%u spec=%s[%s%u] -> up%u\n", i, ways[chain->up],
                              i, chain->bytes == 1 ? "u8" : "u32", chain->bounded ? "<=" : "", chain->room, i);
      lanes_chain_write_nodes (chain, i, text);
      for (guint k = 0; k < lanes_chain_get_outputs (chain); k++)
        g_string_append_printf (text, "%s%u -> readback mode=%s -> app name=out%u\n",
                                chain->kind == LANES_CHAIN_PLAIN ? "up"
                                : k == 0                         ? "n"
                                                                 : "m",
                                i, ways[chain->back[k]], out++);
    }
  return g_string_free (text, FALSE);
}

GBytes *
lanes_chain_make_input (const LanesChain *self, GRand *random)
{
  gsize n = self->bounded ? (gsize) g_rand_int_range (random, 0, (gint32) self->room + 1) : self->room;
  guint8 *data = g_malloc (n * self->bytes + 1);

  for (gsize i = 0; i < n * self->bytes; i++)
    data[i] = i % self->bytes < 2 ? (guint8) g_rand_int (random) : 0;
  return g_bytes_new_take (data, n * self->bytes);
}

static guint32
lanes_chain_get_item (const LanesChain *self, const guint8 *data, gsize i)
{
  guint32 item = 0;

  memcpy (&item, data + i * self->bytes, self->bytes);
  return item;
}

GBytes *
lanes_chain_compute (const LanesChain *self, guint output, GBytes *input)
{
  GByteArray *found = g_byte_array_new ();
  gsize size;
  const guint8 *data = g_bytes_get_data (input, &size);
  guint64 sum = 0;

  for (gsize i = 0; i < size / self->bytes; i++)
    {
      guint32 x = lanes_chain_get_item (self, data, i), y = x;

      sum += x;
      if (self->kind == LANES_CHAIN_MAP || self->kind == LANES_CHAIN_STAGES)
        y = x * self->a + self->b;
      if (output == 1)
        y = y * 3 + 1;
      if (self->kind == LANES_CHAIN_SUM || (self->kind == LANES_CHAIN_COMPACT && x >= self->a))
        continue;
      g_byte_array_append (found, (const guint8 *) &y, self->bytes);
    }
  if (self->kind == LANES_CHAIN_SUM)
    g_byte_array_append (found, (const guint8 *) &sum, sizeof sum);
  return g_byte_array_free_to_bytes (found);
}
