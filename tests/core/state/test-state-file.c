/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"

#include "state/leat-state-reader-private.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static char *
write_file (const char *name)
{
  g_autoptr (GArray) entries = list_entries (G_MAXUINT);
  char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;
  guint pieces = G_MAXUINT;

  leat_state_file_write (path, entries, 17, feed, &pieces, &error);
  g_assert_no_error (error);
  return path;
}

/* All of it in pieces of @step bytes; FALSE with the error of the first that failed, or of the end. */
static gboolean
read_all (LeatStateReader *reader, GArray *entries, guint64 step, GError **error)
{
  for (guint i = 0; i < entries->len; i++)
    for (guint lane = 0; lane < g_array_index (entries, LeatStateEntry, i).n_lanes; lane++)
      for (guint64 at = 0, n; at < sizes[i]; at += n)
        {
          g_autoptr (GBytes) piece = NULL;
          const guint8 *is;

          n = MIN (step, sizes[i] - at);
          piece = leat_state_reader_get (reader, &g_array_index (entries, LeatStateEntry, i), lane, at, n, error);
          if (piece == NULL)
            return FALSE;
          g_assert_cmpuint (g_bytes_get_size (piece), ==, n);
          is = g_bytes_get_data (piece, NULL);
          for (guint64 k = 0; k < n; k++)
            if (is[k] != get_byte (i, lane, at + k))
              return leat_state_reader_finish (reader, error);
        }
  return leat_state_reader_finish (reader, error);
}

static void
test_state_file_is_as_long_as_it_says (void)
{
  static const guint64 steps[] = { LARGE, 8 << 20, (1 << 20) + 3, 65536 };
  g_autoptr (GArray) entries = list_entries (G_MAXUINT);
  g_autofree char *path = write_file ("good.state"), *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpuint (size, ==, leat_state_file_get_bytes (entries));
  for (guint s = 0; s < G_N_ELEMENTS (steps); s++)
    {
      g_autoptr (GArray) expected = list_entries (G_MAXUINT);
      g_autoptr (LeatStateReader) reader = NULL;
      g_autoptr (GError) error = NULL;

      reader = leat_state_reader_new (path, expected, 17, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        g_assert_cmpuint (g_array_index (expected, LeatStateEntry, i).n_lanes, ==, lanes[i]);
      g_assert_true (read_all (reader, expected, steps[s], &error));
      g_assert_no_error (error);
    }
  g_unlink (path);
}

static void
test_state_file_refuses_more_lanes (void)
{
  g_autoptr (GArray) expected = list_entries (2);
  g_autofree char *path = write_file ("lanes.state");
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_state_reader_new (path, expected, 17, &error));
  g_assert_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_LANES);
  g_assert_nonnull (strstr (error->message, "s2.out is of 3 lanes in it, and the session has 2"));
  for (guint i = 0; i < expected->len; i++)
    g_assert_cmpuint (g_array_index (expected, LeatStateEntry, i).at, ==, 0);
  g_unlink (path);
}

static void
flip_byte (const char *path, guint64 at)
{
  int fd = g_open (path, O_RDWR | O_CLOEXEC, 0);
  guint8 byte;

  g_assert_cmpint (pread (fd, &byte, 1, (off_t) at), ==, 1);
  byte ^= 0x10;
  g_assert_cmpint (pwrite (fd, &byte, 1, (off_t) at), ==, 1);
  g_assert_cmpint (close (fd), ==, 0);
}

static void
assert_refused (const char *path, int code)
{
  g_autoptr (GArray) expected = list_entries (G_MAXUINT);
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_state_reader_new (path, expected, 17, &error));
  g_assert_error (error, LEAT_STATE_ERROR, code);
}

/* At the borders of what is read at a time. */
#define PIECE (8u << 20)

static void
test_state_file_is_looked_at_as_a_whole (void)
{
  g_autofree char *path = write_file ("whole.state"), *data = NULL;
  guint64 places[] = { 48, 49, 47 + PIECE, 48 + PIECE, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 47, 2 * PIECE + 48, 0 };
  g_autoptr (GError) error = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  places[G_N_ELEMENTS (places) - 1] = size - 1;
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      flip_byte (path, places[i]);
      assert_refused (path, LEAT_STATE_ERROR_DAMAGED);
      flip_byte (path, places[i]);
      g_file_set_contents (path, data, (gssize) places[i], &error);
      g_assert_no_error (error);
      assert_refused (path, LEAT_STATE_ERROR_TRUNCATED);
      g_file_set_contents (path, data, (gssize) size, &error);
      g_assert_no_error (error);
    }
  g_unlink (path);
}

typedef enum
{
  MEANWHILE_CHANGED,
  MEANWHILE_CUT,
  MEANWHILE_REPLACED
} Meanwhile;

/* Somebody writes to it between the first reading and the second.  A file that takes its name is another one. */
static void
test_state_file_is_looked_at_again (gconstpointer what)
{
  g_autofree char *path = write_file ("again.state");
  g_autoptr (GArray) expected = list_entries (G_MAXUINT);
  g_autoptr (LeatStateReader) reader = NULL;
  g_autoptr (GError) error = NULL;

  reader = leat_state_reader_new (path, expected, 17, &error);
  g_assert_no_error (error);
  switch (GPOINTER_TO_INT (what))
    {
    case MEANWHILE_CHANGED:
      flip_byte (path, 2 * PIECE + 100);
      break;
    case MEANWHILE_CUT:
      g_assert_cmpint (truncate (path, PIECE + 5), ==, 0);
      break;
    default:
      g_assert_true (g_file_set_contents (path, "another", -1, NULL));
    }
  if (GPOINTER_TO_INT (what) == MEANWHILE_REPLACED)
    {
      g_assert_true (read_all (reader, expected, PIECE, &error));
      g_assert_no_error (error);
    }
  else
    {
      g_assert_false (read_all (reader, expected, PIECE, &error));
      g_assert_error (error, LEAT_STATE_ERROR,
                      (GPOINTER_TO_INT (what) == MEANWHILE_CUT ? LEAT_STATE_ERROR_IO : LEAT_STATE_ERROR_DAMAGED));
    }
  g_unlink (path);
}

/* What cannot be read, each with what the system says. */
static void
test_state_file_is_not_there (void)
{
  g_autofree char *none = g_build_filename (folder, "none.state", NULL);

  assert_refused (none, LEAT_STATE_ERROR_IO);
  assert_refused (folder, LEAT_STATE_ERROR_IO);
  assert_refused ("/dev/null", LEAT_STATE_ERROR_FORMAT);
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

typedef struct
{
  int in, held; /* held open, so that the end comes when the test says so */
  GThread *thread;
} Pipe;

static gpointer
read_to_the_end (gpointer data)
{
  const Pipe *self = data;
  GByteArray *all = g_byte_array_new ();
  guint8 piece[65536];
  gssize n;

  while ((n = read (self->in, piece, sizeof piece)) > 0)
    g_byte_array_append (all, piece, (guint) n);
  g_assert_cmpint (n, ==, 0);
  return g_byte_array_free_to_bytes (all);
}

static void
pipe_open (Pipe *self, const char *path)
{
  self->in = g_open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
  self->held = g_open (path, O_WRONLY | O_CLOEXEC, 0);
  g_assert_cmpint (fcntl (self->in, F_SETFL, 0), ==, 0);
  self->thread = g_thread_new ("reads", read_to_the_end, self);
}

/* (transfer full): what was written to it */
static GBytes *
pipe_close (Pipe *self)
{
  GBytes *bytes;

  g_assert_cmpint (close (self->held), ==, 0);
  bytes = g_thread_join (self->thread);
  g_assert_cmpint (close (self->in), ==, 0);
  return bytes;
}

#define N_PIECES 6 /* of all states */

/* A pipe gets nothing before all that there is to write was read once; where the second reading fails, what has come is
 * too short.  Each says so. */
static void
test_state_file_goes_into_a_pipe (void)
{
  static const guint fails_at[] = { 1, N_PIECES, N_PIECES + 1, 2 * N_PIECES, 2 * N_PIECES + 1 };
  g_autoptr (GArray) entries = list_entries (G_MAXUINT);
  g_autofree char *path = write_file ("same.state"), *name = g_build_filename (folder, "pipe", NULL), *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  g_assert_cmpint (mkfifo (name, 0600), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (fails_at); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) is = NULL;
      guint left = fails_at[i];
      gboolean good;
      Pipe pipe;

      pipe_open (&pipe, name);
      good = leat_state_file_write (name, entries, 17, feed, &left, &error);
      is = pipe_close (&pipe);
      g_assert_cmpint (good, ==, fails_at[i] > 2 * N_PIECES);
      if (good)
        {
          g_assert_no_error (error);
          g_assert_cmpmem (g_bytes_get_data (is, NULL), g_bytes_get_size (is), data, size);
          continue;
        }
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_FAILED);
      g_assert_cmpstr (error->message, ==, "cannot save the state: that is as far as it goes");
      g_assert_cmpint (g_bytes_get_size (is) > 0, ==, fails_at[i] > N_PIECES);
      g_assert_cmpuint (g_bytes_get_size (is), <, size);
    }
  g_unlink (name);
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
  g_test_add_func ("/leat/state-file/is-looked-at-as-a-whole", test_state_file_is_looked_at_as_a_whole);
  g_test_add_data_func ("/leat/state-file/is-looked-at-again/changed", GINT_TO_POINTER (MEANWHILE_CHANGED),
                        test_state_file_is_looked_at_again);
  g_test_add_data_func ("/leat/state-file/is-looked-at-again/cut", GINT_TO_POINTER (MEANWHILE_CUT),
                        test_state_file_is_looked_at_again);
  g_test_add_data_func ("/leat/state-file/is-looked-at-again/replaced", GINT_TO_POINTER (MEANWHILE_REPLACED),
                        test_state_file_is_looked_at_again);
  g_test_add_func ("/leat/state-file/is-not-there", test_state_file_is_not_there);
  g_test_add_func ("/leat/state-file/fails-as-a-whole", test_state_file_fails_as_a_whole);
  g_test_add_func ("/leat/state-file/goes-into-a-pipe", test_state_file_goes_into_a_pipe);
  status = g_test_run ();
  g_assert_cmpint (g_rmdir (folder), ==, 0);
  g_free (folder);
  return status;
}
