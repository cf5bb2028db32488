/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-join-case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What every node gives, by plain C that knows nothing of Leat's. */

static guint64
join_cut (guint64 x, guint bytes)
{
  return bytes == 1 ? (guint8) x : bytes == 4 ? (guint32) x : x;
}

GBytes *
join_case_make_input (const JoinCase *self, guint input, GRand *random)
{
  const JoinValue *value = &self->values[input];
  gsize n = value->bounded ? (gsize) g_rand_int_range (random, 0, (gint32) value->room + 1) : value->room;
  guint8 *data = g_malloc0 (n * value->bytes + 1);

  /* Numbers of one byte: some are equal, some are numbers of rows. */
  for (gsize i = 0; i < n; i++)
    data[i * value->bytes] = (guint8) g_rand_int (random);
  return g_bytes_new_take (data, n * value->bytes);
}

static JoinData
join_data_read (GBytes *bytes, guint width)
{
  gsize size;
  const guint8 *at = g_bytes_get_data (bytes, &size);
  JoinData data = { g_new0 (guint64, size / width + 1), size / width };

  for (gsize i = 0; i < data.n; i++)
    memcpy (&data.items[i], at + i * width, width);
  return data;
}

GBytes *
join_case_make_bytes (const JoinCase *self, guint value, const JoinData *data)
{
  guint width = self->values[value].bytes > 0 ? self->values[value].bytes : 8;
  guint8 *bytes = g_malloc0 (data->n * width + 1);

  for (gsize i = 0; i < data->n; i++)
    memcpy (bytes + i * width, &data->items[i], width);
  return g_bytes_new_take (bytes, data->n * width);
}

static JoinData
join_data_new (gsize n)
{
  return (JoinData){ g_new0 (guint64, n + 1), n };
}

static guint64
join_map (guint which, guint64 x)
{
  switch (which)
    {
    case 0:
      return x * 3 + 1;
    case 1:
      return x + 7;
    case 2:
      return x / 2;
    case 4:
      return x * x;
    case 5:
      return 255 - x;
    default:
      return x;
    }
}

/* Stable, by insertion into places that are counted: slow, and plainly right. */
static void
join_sort (const JoinData *x, gboolean descending, guint64 *from)
{
  for (gsize i = 0; i < x->n; i++)
    {
      gsize at = i;

      for (; at > 0 && (descending ? x->items[from[at - 1]] < x->items[i] : x->items[from[at - 1]] > x->items[i]); at--)
        from[at] = from[at - 1];
      from[at] = i;
    }
}

static gsize
join_partition (const JoinData *x, guint64 least, guint64 *out)
{
  gsize n = 0, front;

  for (gsize i = 0; i < x->n; i++)
    if (x->items[i] < least)
      out[n++] = x->items[i];
  front = n;
  for (gsize i = 0; i < x->n; i++)
    if (x->items[i] >= least)
      out[n++] = x->items[i];
  return front;
}

static void
join_compute_sort (const JoinNode *node, const JoinData *x, const JoinData *y, JoinData *gives)
{
  g_autofree guint64 *from = g_new0 (guint64, x->n + 1);

  join_sort (x, node->a == 1, from);
  gives[0] = join_data_new (x->n);
  gives[1] = join_data_new (x->n);
  for (gsize i = 0; i < x->n; i++)
    {
      gives[0].items[i] = x->items[from[i]];
      if (node->kind == JOIN_SORT)
        gives[1].items[i] = from[i];
      else
        gives[1].items[i] = from[i] < y->n ? y->items[from[i]] : 0;
    }
}

static void
join_compute_compact (const JoinData *x, guint64 least, JoinData *gives)
{
  gives[0] = join_data_new (x->n);
  gives[1] = join_data_new (x->n);
  gives[0].n = gives[1].n = 0;
  for (gsize i = 0; i < x->n; i++)
    if (x->items[i] < least)
      {
        gives[0].items[gives[0].n++] = x->items[i];
        gives[1].items[gives[1].n++] = i;
      }
}

static void
join_compute_unique (const JoinData *x, JoinData *gives)
{
  for (guint i = 0; i < 3; i++)
    {
      gives[i] = join_data_new (x->n);
      gives[i].n = 0;
    }
  for (gsize i = 0; i < x->n; i++)
    {
      if (i == 0 || x->items[i] != x->items[i - 1])
        {
          gives[0].items[gives[0].n++] = x->items[i];
          gives[1].items[gives[1].n++] = i;
          gives[2].n++;
        }
      gives[2].items[gives[2].n - 1]++;
    }
}

static void
join_compute_loop (const JoinNode *node, guint width, JoinData *data)
{
  for (guint times = 0; times < 1 + node->b; times++)
    {
      guint body = (node->a + 2 * node->b) % 4;
      g_autofree guint64 *was = g_memdup2 (data->items, (data->n + 1) * sizeof *was);
      g_autofree guint64 *from = g_new0 (guint64, data->n + 1);
      JoinData before = { was, data->n };

      if (body == 3)
        join_partition (&before, 90, data->items);
      if (body == 1 || body == 2)
        join_sort (&before, FALSE, from);
      for (gsize i = 0; i < data->n && body != 3; i++)
        data->items[i] = join_cut (body == 0 ? was[i] + 3 : body == 1 ? was[from[i]] : was[from[i]] / 2, width);
    }
}

static void
join_compute_text (const JoinData *x, guint64 *scanned, JoinData *out)
{
  *out = join_data_new (2 * x->n);
  out->n = 0;
  for (gsize i = 0; i < x->n; i++)
    if (x->items[i] == 'A' || x->items[i] == 'a')
      {
        out->items[out->n++] = *scanned + i;
        out->items[out->n++] = x->items[i] == 'a';
      }
  *scanned += x->n;
}

/* The edges are read from the text, again and again until nothing comes nearer. */
static void
join_compute_reach (const JoinData *x, JoinData *out)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  gboolean any = TRUE;

  g_assert_true (g_file_get_contents (LEAT_FUZZ_FOLDER "/join-graph.txt", &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  *out = join_data_new (JOIN_VERTICES);
  for (guint i = 0; i < JOIN_VERTICES; i++)
    out->items[i] = G_MAXUINT32;
  for (gsize i = 0; i < x->n; i++)
    out->items[x->items[i] % JOIN_VERTICES] = 0;
  while (any)
    {
      any = FALSE;
      for (guint i = 0; lines[i] != NULL; i++)
        {
          guint a, b;

          if (sscanf (lines[i], "%u %u", &a, &b) != 2 || out->items[a] == G_MAXUINT32
              || out->items[b] <= out->items[a] + 1)
            continue;
          out->items[b] = out->items[a] + 1;
          any = TRUE;
        }
    }
}

static void
join_compute_rows (const JoinNode *node, const JoinData *x, const JoinData *y, guint width, JoinData *out)
{
  if (node->kind == JOIN_SUM)
    {
      out->n = MIN (x->n, y->n);
      for (gsize i = 0; i < out->n; i++)
        out->items[i] = join_cut (x->items[i] + y->items[i] * (1 + node->b), width);
    }
  else if (node->kind == JOIN_GATHER)
    {
      *out = join_data_new (y->n);
      for (gsize i = 0; i < y->n; i++)
        out->items[i] = y->items[i] < x->n ? x->items[y->items[i]] : 0;
    }
  else
    {
      *out = join_data_new (50);
      for (gsize i = 0; i < MIN (x->n, y->n); i++)
        if (y->items[i] < out->n)
          out->items[y->items[i]] = x->items[i];
    }
}

/* Those with one output, most of them as long as the input. */
static void
join_compute_one (const JoinNode *node, const JoinData *x, guint width, guint64 *sums, JoinData *out)
{
  guint64 sum = 0;

  *out = join_data_new (MAX (x->n, 16));
  out->n = node->kind == JOIN_REDUCE ? 1 : node->kind == JOIN_HISTOGRAM ? 16 : node->kind == JOIN_PICK ? 0 : x->n;
  for (gsize i = 0; i < x->n; i++)
    {
      guint64 it = x->items[i], before = sum;

      sum += it;
      if (node->kind == JOIN_MAP)
        out->items[i] = join_cut (join_map (node->a * 3 + node->b, it), width);
      else if (node->kind == JOIN_SCAN)
        out->items[i] = node->a == 1 ? before : sum;
      else if (node->kind == JOIN_REDUCE)
        out->items[0] = sum;
      else if (node->kind == JOIN_HISTOGRAM)
        out->items[MIN (it / 16, 16)] += it < 256;
      else if (node->kind == JOIN_STEP)
        out->items[i] = it / 2 + 1;
      else if (node->kind == JOIN_NEAR)
        out->items[i] = (guint32) (it + (i > 0 ? x->items[i - 1] : 0) + (i + 1 < x->n ? x->items[i + 1] : 0));
      else if (node->kind == JOIN_PICK && it % 2 == 1)
        out->items[out->n++] = it;
      else if (node->kind == JOIN_STATE)
        out->items[i] = sums[i] = (guint32) (sums[i] + it);
    }
}

static void
join_node_compute (const JoinCase *self, guint i, JoinMemory *memory, JoinData *data)
{
  const JoinNode *node = &self->nodes[i];
  const JoinData *x = &data[node->takes[0]], *y = &data[node->takes[node->n_takes - 1]];
  const guint64 least = 60 + 60 * node->b;
  guint width = self->values[node->takes[0]].bytes;
  JoinData *gives = &data[node->gives];

  if (memory->sums[i] == NULL)
    memory->sums[i] = g_new0 (guint64, self->values[node->takes[0]].room + 1);
  if (node->kind == JOIN_SORT || node->kind == JOIN_CARRY)
    join_compute_sort (node, x, y, gives);
  else if (node->kind == JOIN_COMPACT)
    join_compute_compact (x, least, gives);
  else if (node->kind == JOIN_UNIQUE)
    join_compute_unique (x, gives);
  else if (node->kind == JOIN_PARTITION)
    {
      gives[0] = join_data_new (x->n);
      gives[1] = join_data_new (1);
      gives[1].items[0] = join_partition (x, least, gives[0].items);
    }
  else if (node->kind == JOIN_LOOP)
    {
      gives[0] = (JoinData){ g_memdup2 (x->items, (x->n + 1) * sizeof *x->items), x->n };
      join_compute_loop (node, width, &gives[0]);
    }
  else if (node->kind == JOIN_TEXT)
    join_compute_text (x, &memory->scanned[i], &gives[0]);
  else if (node->kind == JOIN_REACH)
    join_compute_reach (x, &gives[0]);
  else if (node->n_takes == 2)
    {
      gives[0] = join_data_new (x->n);
      if (node->kind != JOIN_SUM)
        g_clear_pointer (&gives[0].items, g_free);
      join_compute_rows (node, x, y, width, &gives[0]);
    }
  else
    join_compute_one (node, x, width, memory->sums[i], &gives[0]);
}

void
join_case_compute (const JoinCase *self, GPtrArray *inputs, guint first_input, JoinMemory *memory, JoinData *data)
{
  for (guint i = 0; i < self->n_inputs; i++)
    data[i] = join_data_read (g_ptr_array_index (inputs, first_input + i), self->values[i].bytes);
  for (guint i = 0; i < self->n_nodes; i++)
    join_node_compute (self, i, memory, data);
}

void
join_data_clear (JoinData *data, guint n)
{
  for (guint i = 0; i < n; i++)
    g_free (data[i].items);
}

void
join_memory_clear (JoinMemory *self)
{
  for (guint i = 0; i < JOIN_NODES_MOST; i++)
    g_free (self->sums[i]);
}
