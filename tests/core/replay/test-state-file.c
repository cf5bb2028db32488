/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"

#include "replay/leat-state-file-private.h"

#include <glib/gstdio.h>
#include <string.h>

#define GIB (G_GUINT64_CONSTANT (1) << 30)

static char *folder;

static void
add_entry (GArray *entries, const char *name, guint64 bytes, guint n_lanes)
{
  LeatStateEntry entry = {
    .name = g_strdup (name), .spec = g_strdup ("u8[4]"), .bytes = bytes, .n_lanes = n_lanes, .by_lane = n_lanes > 1
  };

  g_array_append_val (entries, entry);
}

/* A device has more memory than 32 bits count. */
static void
test_state_file_counts_large_states (void)
{
  g_autoptr (GArray) none = leat_state_entries_new (), entries = leat_state_entries_new ();
  guint64 head = leat_state_file_get_bytes (none);

  add_entry (entries, "a.out", 5 * GIB, 1);
  add_entry (entries, "b.out", 3 * GIB + 1, 2);
  g_assert_cmpuint (leat_state_file_get_bytes (entries), ==, head + 2 * (24 + 5 + 5) + 11 * GIB + 2);
}

/* More than one piece of it, and none. */
#define LARGE (20u << 20)

static const guint64 sizes[] = { LARGE, 0, 100 };
static const guint lanes[] = { 1, 2, 3 };

static guint8
get_byte (guint entry, guint lane, guint64 at)
{
  return (guint8) (entry * 31 + lane * 7 + at * 5 + at / 4099);
}

/* @data: of which piece on it fails, counted from 1 */
static GBytes *
feed (gpointer data, guint entry, guint lane, guint64 offset, guint64 bytes, GError **error)
{
  guint *left = data;
  guint8 *piece = g_malloc (bytes);

  g_assert_cmpuint (lane, <, lanes[entry]);
  g_assert_cmpuint (offset + bytes, <=, sizes[entry]);
  g_assert_cmpuint (bytes, <=, LARGE / 2);
  for (guint64 i = 0; i < bytes; i++)
    piece[i] = get_byte (entry, lane, offset + i);
  if (--*left > 0)
    return g_bytes_new_take (piece, bytes);
  g_free (piece);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "that is as far as it goes");
  return NULL;
}

static GArray *
list_entries (guint most_lanes)
{
  GArray *entries = leat_state_entries_new ();

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *name = g_strdup_printf ("s%u.out", i);

      add_entry (entries, name, sizes[i], MIN (lanes[i], most_lanes));
    }
  return entries;
}

static void
test_state_file_is_as_long_as_it_says (void)
{
  g_autoptr (GArray) entries = list_entries (G_MAXUINT), expected = list_entries (G_MAXUINT);
  g_autofree char *path = g_build_filename (folder, "good.state", NULL), *data = NULL;
  g_autoptr (GBytes) file = NULL;
  g_autoptr (GError) error = NULL;
  guint pieces = G_MAXUINT;
  gsize size;

  leat_state_file_write (path, entries, 17, feed, &pieces, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpuint (size, ==, leat_state_file_get_bytes (entries));
  file = g_bytes_new_take (g_steal_pointer (&data), size);
  leat_state_file_decode (file, expected, 17, "memory", &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const LeatStateEntry *entry = &g_array_index (expected, LeatStateEntry, i);

      g_assert_cmpuint (entry->n_lanes, ==, lanes[i]);
      g_assert_cmpuint (entry->data->len, ==, lanes[i]);
      for (guint lane = 0; lane < lanes[i]; lane++)
        {
          const guint8 *is = g_bytes_get_data (g_ptr_array_index (entry->data, lane), NULL);

          g_assert_cmpuint (g_bytes_get_size (g_ptr_array_index (entry->data, lane)), ==, sizes[i]);
          for (guint64 at = 0; at < sizes[i]; at++)
            if (is[at] != get_byte (i, lane, at))
              g_error ("state %u, lane %u: byte %" G_GUINT64_FORMAT " is another one", i, lane, at);
        }
    }
  g_unlink (path);
}

static void
test_state_file_refuses_more_lanes (void)
{
  g_autoptr (GArray) entries = list_entries (G_MAXUINT), expected = list_entries (2);
  g_autofree char *path = g_build_filename (folder, "lanes.state", NULL), *data = NULL;
  g_autoptr (GBytes) file = NULL;
  g_autoptr (GError) error = NULL;
  guint pieces = G_MAXUINT;
  gsize size;

  leat_state_file_write (path, entries, 17, feed, &pieces, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  file = g_bytes_new_take (g_steal_pointer (&data), size);
  g_assert_false (leat_state_file_decode (file, expected, 17, "memory", &error));
  g_assert_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_LANES);
  g_assert_nonnull (strstr (error->message, "s2.out is of 3 lanes in it, and the session has 2"));
  for (guint i = 0; i < expected->len; i++)
    g_assert_null (g_array_index (expected, LeatStateEntry, i).data);
  g_unlink (path);
}

/* Wherever it fails, what was there is what it was, and there is nothing beside it. */
static void
test_state_file_fails_as_a_whole (void)
{
  g_autoptr (GArray) entries = list_entries (G_MAXUINT);
  g_autofree char *path = g_build_filename (folder, "old.state", NULL);
  gboolean good = FALSE;

  g_assert_true (g_file_set_contents (path, "what was there", -1, NULL));
  for (guint n = 1; !good; n++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *data = NULL;
      g_autoptr (GDir) dir = NULL;
      guint left = n;

      good = leat_state_file_write (path, entries, 17, feed, &left, &error);
      g_assert_cmpint (good, ==, error == NULL);
      g_assert_true (g_file_get_contents (path, &data, NULL, NULL));
      g_assert_cmpint (g_str_equal (data, "what was there"), ==, !good);
      dir = g_dir_open (folder, 0, NULL);
      g_assert_cmpstr (g_dir_read_name (dir), ==, "old.state");
      g_assert_null (g_dir_read_name (dir));
      g_assert_cmpuint (n, <, 20);
    }
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("leat-test-XXXXXX", NULL);
  g_test_add_func ("/leat/state-file/counts-large-states", test_state_file_counts_large_states);
  g_test_add_func ("/leat/state-file/is-as-long-as-it-says", test_state_file_is_as_long_as_it_says);
  g_test_add_func ("/leat/state-file/refuses-more-lanes", test_state_file_refuses_more_lanes);
  g_test_add_func ("/leat/state-file/fails-as-a-whole", test_state_file_fails_as_a_whole);
  status = g_test_run ();
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
  return status;
}
