/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"

#include "replay/leat-state-file-private.h"

#define GIB (G_GUINT64_CONSTANT (1) << 30)

static void
add_entry (GArray *entries, const char *name, guint64 bytes)
{
  LeatStateEntry entry = { g_strdup (name), g_strdup ("u8[4]"), bytes, NULL };

  g_array_append_val (entries, entry);
}

/* A device has more memory than 32 bits count. */
static void
test_state_file_counts_large_states (void)
{
  g_autoptr (GArray) none = leat_state_entries_new (), entries = leat_state_entries_new ();
  guint64 head = leat_state_file_get_bytes (none);

  add_entry (entries, "a.out", 5 * GIB);
  add_entry (entries, "b.out", 3 * GIB + 1);
  g_assert_cmpuint (leat_state_file_get_bytes (entries), ==, head + 2 * (16 + 5 + 5) + 8 * GIB + 1);
}

static void
test_state_file_is_as_long_as_it_says (void)
{
  g_autoptr (GArray) entries = leat_state_entries_new (), expected = leat_state_entries_new ();
  g_autoptr (GBytes) file = NULL;
  g_autoptr (GError) error = NULL;
  guint64 bytes;

  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *name = g_strdup_printf ("s%u.out", i);
      g_autofree guint8 *data = g_malloc0 (i * 100 + 1);

      add_entry (entries, name, i * 100);
      add_entry (expected, name, i * 100);
      memset (data, (int) i, i * 100);
      g_array_index (entries, LeatStateEntry, i).data = g_bytes_new (data, i * 100);
    }
  bytes = leat_state_file_get_bytes (entries);
  file = leat_state_file_encode (entries, 17);
  g_assert_cmpuint (g_bytes_get_size (file), ==, bytes);
  leat_state_file_decode (file, expected, 17, "memory", &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    g_assert_true (g_bytes_equal (g_array_index (expected, LeatStateEntry, i).data,
                                  g_array_index (entries, LeatStateEntry, i).data));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/state-file/counts-large-states", test_state_file_counts_large_states);
  g_test_add_func ("/leat/state-file/is-as-long-as-it-says", test_state_file_is_as_long_as_it_says);
  return g_test_run ();
}
