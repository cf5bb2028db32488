/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

/* States that are larger than what is read at a time. */

#define MIB   (1u << 20)
#define LARGE (64 * MIB)
#define TEXT                                                                                                           \
  "large = state spec=u32[16777216]\n"                                                                                 \
  "k = map inputs=x expr=x+1\n"                                                                                        \
  "large -> k.x\n"                                                                                                     \
  "k -> large\n"                                                                                                       \
  "small = state spec=u32[100]\n"                                                                                      \
  "m = map inputs=x,s expr=x+s\n"                                                                                      \
  "app name=source spec=u32[100] -> upload -> m.x\n"                                                                   \
  "small -> m.s -> small\n"                                                                                            \
  "m -> readback -> app name=sink\n"

static char *path;

static LeatDeviceBuffer *
get_state (SessionFixture *fixture, const char *name)
{
  g_autoptr (GError) error = NULL;
  LeatDeviceBuffer *state = leat_session_get_state (fixture->session, name, &error);

  g_assert_no_error (error);
  return state;
}

static GBytes *
make_contents (guint seed)
{
  guint32 *items = g_malloc (LARGE);

  for (guint i = 0; i < LARGE / 4; i++)
    items[i] = (i + seed) * 2654435761u;
  return g_bytes_new_take (items, LARGE);
}

static void
put (SessionFixture *fixture, GBytes *contents)
{
  g_autoptr (LeatDeviceBuffer) state = get_state (fixture, "large");
  g_autoptr (GError) error = NULL;

  leat_device_buffer_upload (state, 0, contents, &error);
  g_assert_no_error (error);
}

static void
assert_has (SessionFixture *fixture, GBytes *contents)
{
  g_autoptr (LeatDeviceBuffer) state = get_state (fixture, "large");
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) found = leat_device_buffer_download (state, 0, LARGE, &error);

  g_assert_no_error (error);
  g_assert_true (g_bytes_equal (found, contents));
}

/* By whichever case comes first. */
static void
have_file (SessionFixture *fixture)
{
  g_autoptr (GBytes) first = NULL;
  g_autoptr (GError) error = NULL;

  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return;
  first = make_contents (1);
  put (fixture, first);
  leat_session_save_state (fixture->session, path, &error);
  g_assert_no_error (error);
}

static void
test_session_load_is_what_was_saved (void)
{
  g_autoptr (GBytes) first = make_contents (1), second = make_contents (2);
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, TEXT, LEAT_EXECUTOR_GRAPH);
  have_file (&fixture);
  put (&fixture, second);
  leat_session_load_state (fixture.session, path, &error);
  g_assert_no_error (error);
  assert_has (&fixture, first);
  session_fixture_close (&fixture);
}

/* In KiB; 0 where the system does not tell. */
static guint64
get_status (const char *field)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    return 0;
  line = strstr (text, field);
  return line != NULL ? g_ascii_strtoull (line + strlen (field) + 1, NULL, 10) : 0;
}

static gboolean
forget_most (void)
{
  FILE *file = g_fopen ("/proc/self/clear_refs", "w");
  gboolean good = file != NULL && fputs ("5", file) >= 0;

  return file != NULL && fclose (file) == 0 && good;
}

/* The most that the process had during the second load, in memory that the first has touched. */
static void
test_session_load_takes_little (void)
{
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  guint64 before, most;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  g_test_skip ("a sanitizer keeps memory that was freed, and has more for each byte");
  return;
#endif
  session_fixture_open (&fixture, TEXT, LEAT_EXECUTOR_GRAPH);
  have_file (&fixture);
  leat_session_load_state (fixture.session, path, &error);
  g_assert_no_error (error);
  before = get_status ("VmRSS:");
  if (before == 0 || !forget_most ())
    g_test_skip ("the system does not tell what a process takes");
  else
    {
      leat_session_load_state (fixture.session, path, &error);
      g_assert_no_error (error);
      most = get_status ("VmHWM:");
      g_test_message ("%" G_GUINT64_FORMAT " KiB more than before", most - MIN (before, most));
      g_assert_cmpuint (most, <, before + LARGE / 2 / 1024);
    }
  session_fixture_close (&fixture);
}

static void
flip_byte (guint64 at)
{
  FILE *file = g_fopen (path, "r+b");
  int byte;

  fseek (file, (long) at, SEEK_SET);
  byte = fgetc (file);
  fseek (file, (long) at, SEEK_SET);
  fputc (byte ^ 1, file);
  g_assert_cmpint (fclose (file), ==, 0);
}

/* Wherever it is not what was written, no byte of any state is another. */
static void
test_session_load_changes_nothing (void)
{
  static const guint64 places[] = { 8 * MIB - 1, 8 * MIB, 8 * MIB + 48, 40 * MIB, LARGE - 1, LARGE + 300 };
  g_autoptr (GBytes) second = make_contents (2);
  SessionFixture fixture;

  session_fixture_open (&fixture, TEXT, LEAT_EXECUTOR_GRAPH);
  have_file (&fixture);
  put (&fixture, second);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_autoptr (GError) error = NULL;

      flip_byte (places[i]);
      g_assert_false (leat_session_load_state (fixture.session, path, &error));
      g_assert_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_DAMAGED);
      flip_byte (places[i]);
    }
  assert_has (&fixture, second);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = NULL;
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("leat-test-XXXXXX", NULL);
  path = g_build_filename (folder, "large.state", NULL);
  g_test_add_func ("/leat/session-load/is-what-was-saved", test_session_load_is_what_was_saved);
  g_test_add_func ("/leat/session-load/takes-little", test_session_load_takes_little);
  g_test_add_func ("/leat/session-load/changes-nothing", test_session_load_changes_nothing);
  status = g_test_run ();
  g_unlink (path);
  g_rmdir (folder);
  g_free (path);
  return status;
}
