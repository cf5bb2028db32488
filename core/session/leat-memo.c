/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The memo: finds results by the bytes of their inputs, and keeps the newest within two limits.  Touches copies of its
 * own only. */

#include "leat-memo-private.h"

#include <string.h>
#include <xxhash.h>

/* An entry is looked for in two steps.  First by a hash over sizes and a sample of the bytes, which costs the same for
 * inputs of any size: of the entries that share it, the one that was found last is compared, and most often is the one.
 * Where it is not, all bytes are hashed.  So whatever the inputs are, a look is one sample, at most two comparisons and
 * at most one hash over all bytes, and where the sample alone is new, nothing more. */

#define LEAT_MEMO_LINES 8  /* of the sample, from one span or from all of them together */
#define LEAT_MEMO_LINE  16 /* bytes */

/* One block holds an entry's spans, one behind the other, each with its size before it. */
typedef struct _LeatMemoEntry LeatMemoEntry;
struct _LeatMemoEntry
{
  XXH128_hash_t key;
  guint64 sample;
  LeatMemoEntry *next, *previous; /* that share the sample, from the one that was found last on */
  GList link;                     /* in the memo's queue, oldest first */
  gsize bytes;
  guint8 data[];
};

struct _LeatMemo
{
  guint most_entries;
  guint64 most_bytes;
  guint64 bytes;
  GHashTable *entries; /* by key */
  GHashTable *samples; /* by sample, the first that has it */
  GQueue order;
  XXH3_state_t *hash;
  XXH128_hash_t key; /* of what was asked for last */
  gboolean has_key;  /* it was needed */
  guint64 sample;    /* likewise */
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

static guint
leat_memo_sample_hash (gconstpointer entry)
{
  return (guint) ((const LeatMemoEntry *) entry)->sample;
}

static gboolean
leat_memo_sample_equal (gconstpointer a, gconstpointer b)
{
  return ((const LeatMemoEntry *) a)->sample == ((const LeatMemoEntry *) b)->sample;
}

LeatMemo *
leat_memo_new (guint most_entries, guint64 most_bytes)
{
  LeatMemo *self = g_new0 (LeatMemo, 1);

  self->most_entries = most_entries;
  self->most_bytes = most_bytes;
  self->entries = g_hash_table_new (leat_memo_entry_hash, leat_memo_entry_equal);
  self->samples = g_hash_table_new (leat_memo_sample_hash, leat_memo_sample_equal);
  self->hash = XXH3_createState ();
  g_queue_init (&self->order);
  return self;
}

/* To the front of those that share its sample. */
static void
leat_memo_chain (LeatMemo *self, LeatMemoEntry *entry)
{
  entry->previous = NULL;
  entry->next = g_hash_table_lookup (self->samples, entry);
  if (entry->next != NULL)
    entry->next->previous = entry;
  g_hash_table_replace (self->samples, entry, entry);
}

static void
leat_memo_unchain (LeatMemo *self, LeatMemoEntry *entry)
{
  if (entry->next != NULL)
    entry->next->previous = entry->previous;
  if (entry->previous != NULL)
    entry->previous->next = entry->next;
  else if (entry->next != NULL)
    g_hash_table_replace (self->samples, entry->next, entry->next);
  else
    g_hash_table_remove (self->samples, entry);
}

static void
leat_memo_drop (LeatMemo *self, LeatMemoEntry *entry)
{
  leat_memo_unchain (self, entry);
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
  g_hash_table_unref (self->samples);
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

/* @lines: of it, evenly spread, its first and last bytes among them */
static guint64
leat_memo_sample_span (const LeatSpan *span, guint lines, guint64 seed)
{
  guint8 sample[LEAT_MEMO_LINES * LEAT_MEMO_LINE];
  const guint8 *data = span->data;
  gsize step;

  if (span->bytes <= (gsize) lines * LEAT_MEMO_LINE)
    return XXH3_64bits_withSeed (data, span->bytes, seed + span->bytes);
  step = (span->bytes - LEAT_MEMO_LINE) / (lines - 1);
  for (guint i = 0; i < lines - 1; i++)
    memcpy (sample + i * LEAT_MEMO_LINE, data + i * step, LEAT_MEMO_LINE);
  memcpy (sample + (lines - 1) * LEAT_MEMO_LINE, data + span->bytes - LEAT_MEMO_LINE, LEAT_MEMO_LINE);
  return XXH3_64bits_withSeed (sample, (gsize) lines * LEAT_MEMO_LINE, seed + span->bytes);
}

static guint64
leat_memo_make_sample (const LeatSpan *spans, guint n)
{
  guint lines = MAX (LEAT_MEMO_LINES / n, 2);
  guint64 sample = n;

  for (guint i = 0; i < n; i++)
    sample = leat_memo_sample_span (&spans[i], lines, sample);
  return sample;
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

/* The key of the inputs that were asked for last, whose spans are @inputs. */
static void
leat_memo_have_key (LeatMemo *self, const LeatSpan *inputs, guint n_inputs)
{
  if (!self->has_key)
    self->key = leat_memo_make_key (self, inputs, n_inputs);
  self->has_key = TRUE;
}

/* The other entries with the same sample. @at: as leat_memo_compare () */
static LeatMemoEntry *
leat_memo_find_by_key (LeatMemo *self, const LeatSpan *inputs, guint n_inputs, const guint8 **at)
{
  LeatMemoEntry wanted;
  LeatMemoEntry *entry;

  leat_memo_have_key (self, inputs, n_inputs);
  wanted.key = self->key;
  entry = g_hash_table_lookup (self->entries, &wanted);
  *at = entry != NULL ? leat_memo_compare (entry->data, inputs, n_inputs) : NULL;
  if (*at == NULL)
    return NULL;
  leat_memo_unchain (self, entry);
  leat_memo_chain (self, entry);
  return entry;
}

gboolean
leat_memo_find (LeatMemo *self, const LeatSpan *inputs, guint n_inputs, LeatSpan *outputs, guint n_outputs)
{
  LeatMemoEntry wanted;
  LeatMemoEntry *entry;
  const guint8 *at;

  self->has_key = FALSE;
  self->sample = wanted.sample = leat_memo_make_sample (inputs, n_inputs);
  entry = g_hash_table_lookup (self->samples, &wanted);
  at = entry != NULL ? leat_memo_compare (entry->data, inputs, n_inputs) : NULL;
  if (at == NULL && (entry == NULL || leat_memo_find_by_key (self, inputs, n_inputs, &at) == NULL))
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
leat_memo_return_to (LeatMemo *self, const LeatSpan *inputs, guint n_inputs)
{
  self->has_key = FALSE;
  self->sample = leat_memo_make_sample (inputs, n_inputs);
}

/* The inputs are as they were when they were looked for: an upload that is overwritten is never mapped.  Where a
 * program wrote into them meanwhile, which it must not, that is noticed at little cost in most cases. */
void
leat_memo_store (LeatMemo *self, const LeatSpan *inputs, guint n_inputs, const LeatSpan *outputs, guint n_outputs)
{
  guint64 bytes = leat_memo_sum (inputs, n_inputs) + leat_memo_sum (outputs, n_outputs);
  LeatMemoEntry wanted;
  LeatMemoEntry *entry;

  /* A result that could never fit is not even hashed. */
  if (bytes > self->most_bytes || self->most_entries == 0)
    return;
  if (leat_memo_make_sample (inputs, n_inputs) != self->sample)
    return;
  leat_memo_have_key (self, inputs, n_inputs);
  wanted.key = self->key;
  entry = g_hash_table_lookup (self->entries, &wanted);
  if (entry != NULL)
    leat_memo_drop (self, entry);
  while (self->bytes + bytes > self->most_bytes || self->order.length >= self->most_entries)
    leat_memo_drop (self, self->order.head->data);
  entry = g_malloc (sizeof *entry + bytes);
  entry->key = self->key;
  entry->sample = self->sample;
  entry->bytes = bytes;
  entry->link = (GList){ .data = entry };
  leat_memo_put (leat_memo_put (entry->data, inputs, n_inputs), outputs, n_outputs);
  g_hash_table_add (self->entries, entry);
  leat_memo_chain (self, entry);
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
