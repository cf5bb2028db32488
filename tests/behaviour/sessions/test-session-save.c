/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a program does with the states of a session: lends, saves, loads, copies. */

#define N 1000
#define SUM                                                                                                            \
  "sum = state spec=f32[1000]\n"                                                                                       \
  "m = map inputs=x,sum expr=x*g+sum g=1\n"                                                                            \
  "app name=source spec=f32[1000] -> upload -> m.x\n"                                                                  \
  "sum -> m.sum -> sum\n"                                                                                              \
  "m -> readback -> app name=sink\n"
/* The same states, and another way. */
#define OTHER_LINKS                                                                                                    \
  "sum = state spec=f32[1000]\n"                                                                                       \
  "m = map inputs=x,sum expr=x*g+sum g=1\n"                                                                            \
  "app name=source spec=f32[1000] -> upload -> m.x\n"                                                                  \
  "sum -> m.sum\n"                                                                                                     \
  "m -> sum\n"                                                                                                         \
  "sum -> readback -> app name=sink\n"
#define OTHER_SIZE                                                                                                     \
  "sum = state spec=f32[999]\n"                                                                                        \
  "m = map inputs=x,sum expr=x*g+sum g=1\n"                                                                            \
  "app name=source spec=f32[999] -> upload -> m.x\n"                                                                   \
  "sum -> m.sum -> sum\n"                                                                                              \
  "m -> readback -> app name=sink\n"
#define OTHER_TYPE                                                                                                     \
  "sum = state spec=i32[1000]\n"                                                                                       \
  "m = map inputs=x,sum expr=x*g+sum g=1\n"                                                                            \
  "app name=source spec=i32[1000] -> upload -> m.x\n"                                                                  \
  "sum -> m.sum -> sum\n"                                                                                              \
  "m -> readback -> app name=sink\n"
#define NO_STATE "app name=source spec=f32[1000] -> upload -> map expr=x -> readback -> app name=sink\n"

static char *folder;

static float
run (SessionFixture *fixture, float x)
{
  float items[N];
  g_autoptr (GBytes) result = NULL;

  for (guint i = 0; i < N; i++)
    items[i] = x;
  result = session_fixture_run (fixture, items, sizeof items);
  return ((const float *) g_bytes_get_data (result, NULL))[N - 1];
}

static char *
dup_path (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static void
save (SessionFixture *fixture, const char *path)
{
  g_autoptr (GError) error = NULL;

  leat_session_save_state (fixture->session, path, &error);
  g_assert_no_error (error);
}

static void
load (SessionFixture *fixture, const char *path)
{
  g_autoptr (GError) error = NULL;

  leat_session_load_state (fixture->session, path, &error);
  g_assert_no_error (error);
}

static LeatDeviceBuffer *
get_state (SessionFixture *fixture, const char *name)
{
  g_autoptr (GError) error = NULL;
  LeatDeviceBuffer *state = leat_session_get_state (fixture->session, name, &error);

  g_assert_no_error (error);
  return state;
}

/* Into another session, in another process as it were, and with other properties. */
static void
test_session_save_goes_on_from_there (gconstpointer executor)
{
  g_autofree char *path = dup_path ("sum.state");
  SessionFixture first, second;

  session_fixture_open (&first, SUM, GPOINTER_TO_INT (executor));
  run (&first, 1);
  run (&first, 2);
  save (&first, path);
  g_assert_cmpfloat (run (&first, 4), ==, 7);
  load (&first, path);
  g_assert_cmpfloat (run (&first, 5), ==, 8);
  session_fixture_close (&first);
  session_fixture_open (&second, SUM, GPOINTER_TO_INT (executor));
  g_object_set (leat_pipeline_get_node (second.pipeline, "m", NULL), "expr", "x*g-sum", NULL);
  load (&second, path);
  g_assert_cmpfloat (run (&second, 10), ==, 7);
  session_fixture_close (&second);
  g_unlink (path);
}

static void
test_session_save_lists_states (void)
{
  SessionFixture fixture;
  g_auto (GStrv) names = NULL;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  names = leat_session_list_states (fixture.session);
  g_assert_cmpuint (g_strv_length (names), ==, 1);
  g_assert_cmpstr (names[0], ==, "sum.out");
  session_fixture_close (&fixture);
}

typedef enum
{
  BAD_SHORT,
  BAD_HEAD,
  BAD_LONG,
  BAD_BIT,
  BAD_HEAD_BIT,
  BAD_VERSION,
  BAD_MAGIC,
  BAD_EMPTY,
  BAD_MISSING,
  N_BAD
} Bad;

static const struct
{
  const char *name;
  LeatStateError code;
} bads[N_BAD] = {
  { "short", LEAT_STATE_ERROR_TRUNCATED },  { "head", LEAT_STATE_ERROR_TRUNCATED },
  { "long", LEAT_STATE_ERROR_TRUNCATED },   { "bit", LEAT_STATE_ERROR_DAMAGED },
  { "head-bit", LEAT_STATE_ERROR_DAMAGED }, { "version", LEAT_STATE_ERROR_VERSION },
  { "magic", LEAT_STATE_ERROR_FORMAT },     { "empty", LEAT_STATE_ERROR_FORMAT },
  { "missing", LEAT_STATE_ERROR_IO },
};

static void
spoil (const char *path, Bad bad)
{
  g_autofree char *data = NULL;
  g_autofree char *more = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  more = g_malloc0 (size + 1);
  memcpy (more, data, size);
  if (bad == BAD_SHORT)
    size -= 1;
  else if (bad == BAD_HEAD)
    size = 20;
  else if (bad == BAD_LONG)
    size += 1;
  else if (bad == BAD_BIT)
    more[size - 7] ^= 4;
  else if (bad == BAD_HEAD_BIT)
    more[24] ^= 1; /* of the pipeline's key */
  else if (bad == BAD_VERSION)
    more[8] ^= 1;
  else if (bad == BAD_MAGIC)
    more[6] = '\n';
  else if (bad == BAD_EMPTY)
    size = 0;
  g_assert_true (g_file_set_contents (path, more, (gssize) size, NULL));
  if (bad == BAD_MISSING)
    g_unlink (path);
}

static void
test_session_save_refuses_bad_files (gconstpointer data)
{
  const Bad bad = GPOINTER_TO_UINT (data);
  g_autofree char *path = dup_path ("bad.state");
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  run (&fixture, 1);
  save (&fixture, path);
  spoil (path, bad);
  run (&fixture, 2);
  g_assert_false (leat_session_load_state (fixture.session, path, &error));
  g_assert_error (error, LEAT_STATE_ERROR, (int) bads[bad].code);
  g_assert_nonnull (strstr (error->message, path));
  g_assert_cmpfloat (run (&fixture, 4), ==, 7);
  session_fixture_close (&fixture);
  g_unlink (path);
}

/* Every byte that is cut off, and every byte that is changed, is noticed. */
static void
test_session_save_notices_every_byte (void)
{
  g_autofree char *path = dup_path ("byte.state");
  g_autofree char *data = NULL;
  SessionFixture fixture;
  gsize size;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  save (&fixture, path);
  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  for (gsize i = 0; i < size; i += i < 120 ? 1 : 97)
    {
      g_autoptr (GError) error = NULL;

      data[i] ^= 0x20;
      g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
      g_assert_false (leat_session_load_state (fixture.session, path, &error));
      g_assert_true (error->domain == LEAT_STATE_ERROR);
      g_clear_error (&error);
      data[i] ^= 0x20;
      g_assert_true (g_file_set_contents (path, data, (gssize) i, NULL));
      g_assert_false (leat_session_load_state (fixture.session, path, &error));
      g_assert_true (error->domain == LEAT_STATE_ERROR);
    }
  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
  load (&fixture, path);
  session_fixture_close (&fixture);
  g_unlink (path);
}

/* SUM with one thing changed; what has the same states may be copied. */
#define SUM_BUT(state, name, kind, inputs, port, more)                                                                 \
  state "\n" name " = " kind " inputs=" inputs ",sum expr=" port "+sum\n"                                              \
        "app name=source spec=f32[1000] -> upload -> " name "." port "\nsum -> " name ".sum -> sum\n" name " -> " more \
        "readback -> app name=sink\n"

static const struct
{
  const char *name, *text;
  gboolean has_other_states;
} other_pipelines[] = {
  { "links", OTHER_LINKS, FALSE },
  { "size", OTHER_SIZE, TRUE },
  { "no-state", NO_STATE, TRUE },
  { "type", OTHER_TYPE, TRUE },
  { "node-name", SUM_BUT ("sum = state spec=f32[1000]", "n", "map", "x", "x", ""), FALSE },
  { "port-name", SUM_BUT ("sum = state spec=f32[1000]", "m", "map", "y", "y", ""), FALSE },
  { "one-more", SUM_BUT ("sum = state spec=f32[1000]", "m", "map", "x", "x", "map name=k expr=x -> "), FALSE },
  { "two-states",
    SUM_BUT ("late = state spec=f32[4]\nconst name=c spec=f32[4] path=\"CONST\" -> late\nlate -> readback -> app\n"
             "sum = state spec=f32[1000]",
             "m", "map", "x", "x", ""),
    TRUE },
};

static void
test_session_save_is_of_its_pipeline (gconstpointer data)
{
  const guint i = GPOINTER_TO_UINT (data);
  g_autofree char *path = dup_path ("other.state"), *contents = dup_path ("const.bin"), *text = NULL;
  g_auto (GStrv) parts = g_strsplit (other_pipelines[i].text, "CONST", -1);
  g_autoptr (GError) error = NULL;
  SessionFixture first, second;

  g_assert_true (g_file_set_contents (contents, "0123456789abcdef", 16, NULL));
  text = g_strjoinv (contents, parts);
  session_fixture_open (&first, text, LEAT_EXECUTOR_GRAPH);
  session_fixture_open (&second, SUM, LEAT_EXECUTOR_GRAPH);
  save (&first, path);
  run (&second, 3);
  g_assert_false (leat_session_load_state (second.session, path, &error));
  g_assert_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_PIPELINE);
  g_clear_error (&error);
  if (other_pipelines[i].has_other_states)
    {
      g_assert_false (leat_session_copy_state (second.session, first.session, &error));
      g_assert_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_PIPELINE);
    }
  g_assert_cmpfloat (run (&second, 1), ==, 4);
  session_fixture_close (&first);
  session_fixture_close (&second);
  g_unlink (path);
  g_unlink (contents);
}

/* As large as before and of another type, a state begins anew, and one that was lent is called in. */
static void
test_session_save_follows_types (void)
{
  SessionFixture fixture;
  g_autoptr (LeatDeviceBuffer) state = NULL;
  g_autoptr (GBytes) found = NULL, result = NULL;
  g_autoptr (GError) error = NULL;
  const gint32 x[N] = { 5 };

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  g_assert_cmpfloat (run (&fixture, 1.5f), ==, 1.5f);
  state = leat_session_get_state (fixture.session, "sum", &error);
  g_assert_no_error (error);
  g_object_set (fixture.source, "spec", "i32[1000]", NULL);
  g_object_set (leat_pipeline_get_node (fixture.pipeline, "sum", NULL), "spec", "i32[1000]", NULL);
  for (gint32 i = 1; i <= 2; i++)
    {
      g_clear_pointer (&result, g_bytes_unref);
      result = session_fixture_run (&fixture, x, sizeof x);
      g_assert_cmpint (((const gint32 *) g_bytes_get_data (result, NULL))[0], ==, 5 * i);
      g_assert_cmpint (((const gint32 *) g_bytes_get_data (result, NULL))[1], ==, 0);
    }
  found = leat_device_buffer_download (state, 0, 4, &error);
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RELEASED);
  session_fixture_close (&fixture);
}

/* What the properties are makes no difference. */
static void
test_session_save_is_of_any_properties (void)
{
  g_autofree char *path = dup_path ("props.state");
  SessionFixture first, second;

  session_fixture_open (&first, SUM, LEAT_EXECUTOR_GRAPH);
  session_fixture_open (&second,
                        "sum = state spec=f32[1000] init=7\nm = map inputs=x,sum expr=sum-x*g g=2 block=64\n"
                        "app name=source spec=f32[1000] -> upload mode=copy -> m.x\nsum -> m.sum -> sum\n"
                        "m -> readback mode=kernel -> app name=sink\n",
                        LEAT_EXECUTOR_EAGER);
  run (&first, 100);
  save (&first, path);
  load (&second, path);
  g_assert_cmpfloat (run (&second, 3), ==, 94);
  session_fixture_close (&first);
  session_fixture_close (&second);
  g_unlink (path);
}

/* A file that cannot be written leaves what is there. */
static void
test_session_save_cannot_write (void)
{
  g_autofree char *path = g_build_filename (folder, "no-such-folder", "sum.state", NULL);
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  g_assert_false (leat_session_save_state (fixture.session, path, &error));
  g_assert_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_IO);
  g_assert_cmpfloat (run (&fixture, 1), ==, 1);
  session_fixture_close (&fixture);
}

static void
assert_alone (const char *name)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  g_assert_cmpstr (g_dir_read_name (dir), ==, name);
  g_assert_null (g_dir_read_name (dir));
}

/* In the middle of the file, as on a full disk: the file that was there is good, and nothing is beside it. */
static void
test_session_save_runs_out_of_room (void)
{
  g_autofree char *path = dup_path ("full.state");
  const struct rlimit little = { 100, RLIM_INFINITY };
  struct rlimit before;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  run (&fixture, 1);
  save (&fixture, path);
  run (&fixture, 2);
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &little), ==, 0);
  g_assert_false (leat_session_save_state (fixture.session, path, &error));
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  g_assert_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_IO);
  g_assert_nonnull (strstr (error->message, path));
  assert_alone ("full.state");
  g_assert_cmpfloat (run (&fixture, 4), ==, 7);
  load (&fixture, path);
  g_assert_cmpfloat (run (&fixture, 5), ==, 6);
  session_fixture_close (&fixture);
  g_unlink (path);
}

/* In KiB: a line of what the system says of this process. */
static guint64
get_memory (const char *line)
{
  g_autofree char *text = NULL;
  const char *at;

  g_assert_true (g_file_get_contents ("/proc/self/status", &text, NULL, NULL));
  at = strstr (text, line);
  g_assert_nonnull (at);
  return g_ascii_strtoull (at + strlen (line), NULL, 10);
}

/* From here on VmHWM is the most since now. */
static void
forget_most_memory (void)
{
  FILE *file = fopen ("/proc/self/clear_refs", "w");

  g_assert_nonnull (file);
  g_assert_cmpint (fputs ("5", file), >=, 0);
  g_assert_cmpint (fclose (file), ==, 0);
}

#define LARGE_KIB (96u << 10)

static void
test_session_save_needs_little_memory (void)
{
  g_autofree char *path = dup_path ("large.state");
  g_autoptr (LeatDeviceBuffer) state = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  guint64 before;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  g_test_skip ("a sanitizer keeps memory that was freed, and has more for each byte");
  return;
#endif
  session_fixture_open (&fixture,
                        "sum = state spec=u8[100663296]\n"
                        "app name=source spec=u8[4] -> upload -> readback -> app name=sink\n"
                        "sum -> discard\n",
                        LEAT_EXECUTOR_GRAPH);
  state = get_state (&fixture, "sum");
  leat_device_buffer_fill (state, 0, (guint64) LARGE_KIB << 10, 7, &error);
  g_assert_no_error (error);
  forget_most_memory ();
  before = get_memory ("VmHWM:");
  save (&fixture, path);
  g_test_message ("%" G_GUINT64_FORMAT " KiB more than before", get_memory ("VmHWM:") - before);
  g_assert_cmpuint (get_memory ("VmHWM:") - before, <, LARGE_KIB / 2);
  session_fixture_close (&fixture);
  g_unlink (path);
}

/* Which call of pread () gives which error, 0 for the end of the file; the one before gives few bytes, after it was
 * interrupted once. */
static guint reads, read_fails;
static int read_error;

__attribute__ ((visibility ("default"))) ssize_t
pread (int file, void *data, size_t bytes, off_t at)
{
  if (read_fails > 0 && ++reads >= read_fails)
    {
      errno = read_error;
      return read_error == 0 ? 0 : -1;
    }
  if (read_fails > 0 && reads + 2 == read_fails)
    {
      errno = EINTR;
      return -1;
    }
  return (ssize_t) syscall (SYS_pread64, file, data, reads + 1 == read_fails ? MIN (bytes, 3) : bytes, at);
}

/* FALSE: the call @n failed. */
static gboolean
load_failing (const char *text, const char *path, guint n)
{
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  gboolean good;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  reads = 0;
  read_fails = n;
  read_error = n % 2 == 0 ? 0 : EIO;
  good = leat_session_load_state (fixture.session, path, &error);
  read_fails = 0;
  if (reads < n)
    g_assert_no_error (error);
  else
    g_assert_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_IO);
  g_assert_true (good == (reads < n));
  session_fixture_close (&fixture);
  return good;
}

/* A file that is read at once, and one that is read in pieces. */
static void
test_session_save_cannot_be_read (gconstpointer data)
{
  static const char *const texts[] = { SUM, "sum = state spec=u8[9000000]\n"
                                            "app name=source spec=f32[1000] -> upload -> readback -> app name=sink\n"
                                            "sum -> discard\n" };
  gboolean in_pieces = GPOINTER_TO_INT (data);
  g_autofree char *path = dup_path ("read.state");
  SessionFixture fixture;
  guint n = 1;

  session_fixture_open (&fixture, texts[in_pieces], LEAT_EXECUTOR_GRAPH);
  save (&fixture, path);
  session_fixture_close (&fixture);
  while (!load_failing (texts[in_pieces], path, n))
    n++;
  g_assert_cmpuint (n, >, in_pieces ? 6 : 1);
  g_unlink (path);
}

static void
test_session_save_needs_an_open_session (void)
{
  g_autofree char *path = dup_path ("closed.state");
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  leat_session_close (fixture.session);
  g_assert_false (leat_session_save_state (fixture.session, path, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  g_clear_error (&error);
  g_assert_null (leat_session_get_state (fixture.session, "sum", &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE);
  session_fixture_close (&fixture);
}

static void
test_session_save_forks (void)
{
  g_autoptr (GError) error = NULL;
  SessionFixture first, second;

  session_fixture_open (&first, SUM, LEAT_EXECUTOR_GRAPH);
  session_fixture_open (&second, SUM, LEAT_EXECUTOR_GRAPH);
  run (&first, 1);
  run (&first, 2);
  run (&second, 50);
  leat_session_copy_state (second.session, first.session, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (run (&second, 4), ==, 7);
  g_assert_cmpfloat (run (&first, 10), ==, 13);
  g_assert_cmpfloat (run (&second, 1), ==, 8);
  session_fixture_close (&first);
  session_fixture_close (&second);
}

/* Only what has changed crosses the link. */
static void
test_session_save_changes_ranges (void)
{
  const float last = 100;
  g_autoptr (LeatDeviceBuffer) state = NULL;
  g_autoptr (LeatTransferBatch) batch = leat_transfer_batch_new ();
  g_autoptr (GBytes) bytes = g_bytes_new (&last, sizeof last), found = NULL;
  g_autoptr (GVariant) stats = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  guint64 up = 0;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  state = get_state (&fixture, "sum");
  g_assert_cmpuint (leat_device_buffer_get_bytes (state), ==, N * sizeof (float));
  run (&fixture, 1);
  leat_transfer_batch_upload (batch, state, (N - 1) * sizeof last, bytes);
  leat_transfer_batch_run (batch, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (run (&fixture, 2), ==, 102);
  found = leat_device_buffer_download (state, 0, sizeof (float), &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (*(const float *) g_bytes_get_data (found, NULL), ==, 3);
  stats = leat_transfer_batch_dup_stats (batch);
  g_assert_true (g_variant_lookup (stats, "bytes-up", "t", &up));
  g_assert_cmpuint (up, ==, sizeof last);
  session_fixture_close (&fixture);
}

/* What is put there before the first run is there in it, although that run may try several ways. */
static void
test_session_save_holds_before_the_first_run (void)
{
  g_autoptr (LeatDeviceBuffer) state = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  state = get_state (&fixture, "sum.out");
  leat_device_buffer_fill (state, 0, N * sizeof (float), 0x40, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (run (&fixture, 1), ==, 1 + 0x1.8080800000000p+1f);
  session_fixture_close (&fixture);
}

static void
test_session_save_lends_while_open (void)
{
  g_autoptr (LeatDeviceBuffer) state = NULL, again = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  state = get_state (&fixture, "sum");
  again = get_state (&fixture, "sum");
  g_assert_true (state == again);
  g_assert_null (leat_session_get_state (fixture.session, "sun", &error));
  g_assert_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_UNKNOWN_NAME);
  g_clear_error (&error);
  g_assert_false (leat_device_buffer_release (state, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_BUSY);
  g_clear_error (&error);
  leat_session_close (fixture.session);
  g_assert_false (leat_device_buffer_fill (state, 0, 4, 0, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RELEASED);
  session_fixture_close (&fixture);
}

/* Between launch and complete the state is the run's. */
static void
test_session_save_is_busy_in_flight (void)
{
  const float items[N] = { 1 };
  g_autoptr (GBytes) bytes = g_bytes_new_static (items, sizeof items), result = NULL;
  g_autoptr (LeatDeviceBuffer) state = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  run (&fixture, 1);
  state = get_state (&fixture, "sum");
  leat_app_push_bytes (fixture.source, bytes, &error);
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_false (leat_device_buffer_fill (state, 0, 4, 0, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_BUSY);
  g_clear_error (&error);
  g_assert_false (leat_session_save_state (fixture.session, "nowhere", &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY);
  g_clear_error (&error);
  g_assert_cmpint (leat_session_complete (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_true (leat_device_buffer_fill (state, 0, 4, 0, &error));
  /* And a run that is never completed ends with the session. */
  leat_app_push_bytes (fixture.source, bytes, &error);
  g_assert_cmpint (leat_session_launch (fixture.session, NULL, &error), ==, LEAT_FLOW_DATA);
  session_fixture_close (&fixture);
  g_assert_false (leat_device_buffer_is_in_flight (state));
}

/* A state that has another size after a change is another one; one that has not is the same. */
static void
test_session_save_follows_changes (void)
{
  g_autoptr (LeatDeviceBuffer) state = NULL, other = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  state = get_state (&fixture, "sum");
  run (&fixture, 1);
  g_object_set (leat_pipeline_get_node (fixture.pipeline, "m", NULL), "expr", "x*g-sum", NULL);
  g_assert_cmpfloat (run (&fixture, 1), ==, 0);
  g_assert_true (leat_device_buffer_fill (state, 0, 4, 0, &error));
  g_object_set (leat_pipeline_get_node (fixture.pipeline, "sum", NULL), "spec", "f32[4]", NULL);
  leat_node_set_from_string (leat_pipeline_get_node (fixture.pipeline, "source", NULL), "spec", "f32[4]", &error);
  g_assert_no_error (error);
  {
    const float items[4] = { 5, 5, 5, 5 };
    g_autoptr (GBytes) result = session_fixture_run (&fixture, items, sizeof items);

    g_assert_cmpfloat (*(const float *) g_bytes_get_data (result, NULL), ==, 5);
  }
  g_assert_false (leat_device_buffer_fill (state, 0, 4, 0, &error));
  g_assert_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RELEASED);
  other = get_state (&fixture, "sum");
  g_assert_cmpuint (leat_device_buffer_get_bytes (other), ==, 16);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("leat-test-XXXXXX", NULL);
  g_test_add_data_func ("/leat/session-save/goes-on-from-there/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_session_save_goes_on_from_there);
  g_test_add_data_func ("/leat/session-save/goes-on-from-there/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_session_save_goes_on_from_there);
  g_test_add_func ("/leat/session-save/lists-states", test_session_save_lists_states);
  for (guint i = 0; i < N_BAD; i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/session-save/refuses-bad-files/%s", bads[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_session_save_refuses_bad_files);
    }
  g_test_add_func ("/leat/session-save/notices-every-byte", test_session_save_notices_every_byte);
  for (guint i = 0; i < G_N_ELEMENTS (other_pipelines); i++)
    {
      g_autofree char *name = g_strdup_printf ("/leat/session-save/is-of-its-pipeline/%s", other_pipelines[i].name);

      g_test_add_data_func (name, GUINT_TO_POINTER (i), test_session_save_is_of_its_pipeline);
    }
  g_test_add_func ("/leat/session-save/follows-types", test_session_save_follows_types);
  g_test_add_func ("/leat/session-save/is-of-any-properties", test_session_save_is_of_any_properties);
  g_test_add_func ("/leat/session-save/cannot-write", test_session_save_cannot_write);
  g_test_add_func ("/leat/session-save/runs-out-of-room", test_session_save_runs_out_of_room);
  g_test_add_func ("/leat/session-save/needs-little-memory", test_session_save_needs_little_memory);
  g_test_add_data_func ("/leat/session-save/cannot-be-read/at-once", GINT_TO_POINTER (0),
                        test_session_save_cannot_be_read);
  g_test_add_data_func ("/leat/session-save/cannot-be-read/in-pieces", GINT_TO_POINTER (1),
                        test_session_save_cannot_be_read);
  g_test_add_func ("/leat/session-save/needs-an-open-session", test_session_save_needs_an_open_session);
  g_test_add_func ("/leat/session-save/forks", test_session_save_forks);
  g_test_add_func ("/leat/session-save/changes-ranges", test_session_save_changes_ranges);
  g_test_add_func ("/leat/session-save/holds-before-the-first-run", test_session_save_holds_before_the_first_run);
  g_test_add_func ("/leat/session-save/lends-while-open", test_session_save_lends_while_open);
  g_test_add_func ("/leat/session-save/is-busy-in-flight", test_session_save_is_busy_in_flight);
  g_test_add_func ("/leat/session-save/follows-changes", test_session_save_follows_changes);
  status = g_test_run ();
  g_rmdir (folder);
  g_free (folder);
  return status;
}
