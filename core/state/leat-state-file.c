/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The contents of a file of states; leat-state-file-write.c writes it, and leat-state-reader.c reads it. */

#include "leat-state-form-private.h"

#include <string.h>

static void
leat_state_entry_clear (LeatStateEntry *self)
{
  g_free (self->name);
  g_free (self->spec);
}

GArray *
leat_state_entries_new (void)
{
  GArray *entries = g_array_new (FALSE, TRUE, sizeof (LeatStateEntry));

  g_array_set_clear_func (entries, (GDestroyNotify) leat_state_entry_clear);
  return entries;
}

XXH3_state_t *
leat_state_sum_begin (const LeatStateHead *blank)
{
  XXH3_state_t *sum = XXH3_createState ();

  XXH3_128bits_reset (sum);
  XXH3_128bits_update (sum, blank, sizeof *blank);
  return sum;
}

void
leat_state_sum_end (XXH3_state_t *sum, guint8 checksum[16])
{
  XXH128_canonical_t canonical;

  XXH128_canonicalFromHash (&canonical, XXH3_128bits_digest (sum));
  XXH3_freeState (sum);
  memcpy (checksum, &canonical, sizeof canonical);
}

/* There may be more of it than 32 bits tell. */
guint64
leat_state_file_get_bytes (GArray *entries)
{
  guint64 bytes = sizeof (LeatStateHead);

  for (guint i = 0; i < entries->len; i++)
    {
      const LeatStateEntry *entry = &g_array_index (entries, LeatStateEntry, i);

      bytes += sizeof (LeatStateRow) + strlen (entry->name) + strlen (entry->spec) + entry->n_lanes * entry->bytes;
    }
  return bytes;
}
