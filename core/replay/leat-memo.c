/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-memo-private.h"

#include <string.h>
#include <xxhash.h>

/* One block holds an entry's spans, one behind the other, each with its size before it. */
typedef struct
{
  XXH128_hash_t key;
  GList link; /* in the memo's queue, oldest first */
  gsize bytes;
  guint8 data[];
} LeatMemoEntry;

struct _LeatMemo
{
  guint most_entries;
  guint64 most_bytes;
  guint64 bytes;
  GHashTable *entries; /* by key */
  GQueue order;
  XXH3_state_t *hash;
  XXH128_hash_t key; /* of what was asked for last */
};

static guint
leat_memo_entry_hash (gconstpointer entry)
{
  return (guint) ((const LeatMemoEntry *) entry)->key.low64;
}

static gboolean
leat_memo_entry_equal (gconstpointer a, gconstpointer b)
{
  return XXH128_isEqual (((const LeatMemoEntry *) a)->key, ((const LeatMemoEntry *) b)->key);
}

LeatMemo *
leat_memo_new (guint most_entries, guint64 most_bytes)
{
  LeatMemo *self = g_new0 (LeatMemo, 1);

  self->most_entries = most_entries;
  self->most_bytes = most_bytes;
  self->entries = g_hash_table_new (leat_memo_entry_hash, leat_memo_entry_equal);
  self->hash = XXH3_createState ();
  g_queue_init (&self->order);
  return self;
}

static void
leat_memo_drop (LeatMemo *self, LeatMemoEntry *entry)
{
  g_hash_table_remove (self->entries, entry);
  g_queue_unlink (&self->order, &entry->link);
  self->bytes -= entry->bytes;
  g_free (entry);
}

void
leat_memo_clear (LeatMemo *self)
{
  while (self->order.head != NULL)
    leat_memo_drop (self, self->order.head->data);
}

void
leat_memo_free (LeatMemo *self)
{
  leat_memo_clear (self);
  g_hash_table_unref (self->entries);
  XXH3_freeState (self->hash);
  g_free (self);
}

/* Sizes are part of the key: two spans of 1 and 3 bytes are not two of 2 and 2. */
static XXH128_hash_t
leat_memo_make_key (LeatMemo *self, const LeatSpan *spans, guint n)
{
  if (n == 1)
    return XXH3_128bits_withSeed (spans->data, spans->bytes, spans->bytes);
  XXH3_128bits_reset (self->hash);
  for (guint i = 0; i < n; i++)
    {
      XXH3_128bits_update (self->hash, &spans[i].bytes, sizeof spans[i].bytes);
      XXH3_128bits_update (self->hash, spans[i].data, spans[i].bytes);
    }
  return XXH3_128bits_digest (self->hash);
}

static guint64
leat_memo_sum (const LeatSpan *spans, guint n)
{
  guint64 sum = 0;

  for (guint i = 0; i < n; i++)
    sum += sizeof (gsize) + spans[i].bytes;
  return sum;
}

static guint8 *
leat_memo_put (guint8 *at, const LeatSpan *spans, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      memcpy (at, &spans[i].bytes, sizeof (gsize));
      memcpy (at + sizeof (gsize), spans[i].data, spans[i].bytes);
      at += sizeof (gsize) + spans[i].bytes;
    }
  return at;
}

/* The place behind the spans, or NULL where they are not these. */
static const guint8 *
leat_memo_compare (const guint8 *at, const LeatSpan *spans, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      if (memcmp (at, &spans[i].bytes, sizeof (gsize)) != 0
          || memcmp (at + sizeof (gsize), spans[i].data, spans[i].bytes) != 0)
        return NULL;
      at += sizeof (gsize) + spans[i].bytes;
    }
  return at;
}

gboolean
leat_memo_find (LeatMemo *self, const LeatSpan *inputs, guint n_inputs, LeatSpan *outputs, guint n_outputs)
{
  LeatMemoEntry wanted;
  LeatMemoEntry *entry;
  const guint8 *at;

  self->key = wanted.key = leat_memo_make_key (self, inputs, n_inputs);
  entry = g_hash_table_lookup (self->entries, &wanted);
  at = entry != NULL ? leat_memo_compare (entry->data, inputs, n_inputs) : NULL;
  if (at == NULL)
    return FALSE;
  for (guint i = 0; i < n_outputs; i++)
    {
      memcpy (&outputs[i].bytes, at, sizeof (gsize));
      memcpy (outputs[i].data, at + sizeof (gsize), outputs[i].bytes);
      at += sizeof (gsize) + outputs[i].bytes;
    }
  return TRUE;
}

void
leat_memo_store (LeatMemo *self, const LeatSpan *inputs, guint n_inputs, const LeatSpan *outputs, guint n_outputs)
{
  guint64 bytes = leat_memo_sum (inputs, n_inputs) + leat_memo_sum (outputs, n_outputs);
  LeatMemoEntry wanted = { .key = self->key };
  LeatMemoEntry *entry = g_hash_table_lookup (self->entries, &wanted);

  if (entry != NULL)
    leat_memo_drop (self, entry);
  if (bytes > self->most_bytes || self->most_entries == 0)
    return;
  while (self->bytes + bytes > self->most_bytes || self->order.length >= self->most_entries)
    leat_memo_drop (self, self->order.head->data);
  entry = g_malloc (sizeof *entry + bytes);
  entry->key = self->key;
  entry->bytes = bytes;
  entry->link = (GList){ .data = entry };
  leat_memo_put (leat_memo_put (entry->data, inputs, n_inputs), outputs, n_outputs);
  g_hash_table_add (self->entries, entry);
  g_queue_push_tail_link (&self->order, &entry->link);
  self->bytes += bytes;
}

guint
leat_memo_get_n_entries (LeatMemo *self)
{
  return self->order.length;
}

guint64
leat_memo_get_bytes (LeatMemo *self)
{
  return self->bytes;
}
