/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include "device/leat-device-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* Constants that several sessions have. */

#define BYTES (1 << 14)
#define ADD                                                                                                            \
  "m = map inputs=x,c expr=x+c\n"                                                                                      \
  "c = const path=\"PATH\" spec=u8[16384]\n"                                                                           \
  "app name=source spec=u8[16384] -> upload -> m.x\n"                                                                  \
  "c -> m.c\n"                                                                                                         \
  "m -> readback -> app name=sink\n"
/* It goes through no kernel. */
#define COPIED                                                                                                         \
  "m = map inputs=x expr=x\n"                                                                                          \
  "c = const path=\"PATH\" spec=u8[16384]\n"                                                                           \
  "app name=source spec=u8[16384] -> upload -> m.x\n"                                                                  \
  "m -> discard\n"                                                                                                     \
  "c -> readback mode=copy -> app name=sink\n"

static char *folder, *first_path, *second_path;

static void
open_with (SessionFixture *fixture, const char *text, const char *path)
{
  g_auto (GStrv) parts = g_strsplit (text, "PATH", 2);
  g_autofree char *whole = g_strjoinv (path, parts);

  session_fixture_open (fixture, whole, LEAT_EXECUTOR_GRAPH);
}

static guint
run (SessionFixture *fixture, guint8 x)
{
  g_autofree guint8 *data = g_malloc (BYTES);
  g_autoptr (GBytes) result = NULL;

  memset (data, x, BYTES);
  result = session_fixture_run (fixture, data, BYTES);
  return ((const guint8 *) g_bytes_get_data (result, NULL))[BYTES - 1];
}

static guint64
live_bytes (SessionFixture *fixture)
{
  LeatMemoryCounts counts;

  leat_device_get_memory_counts (leat_session_get_device (fixture->session), LEAT_MEMORY_DEVICE, &counts);
  return counts.live_bytes;
}

static void
set_path (SessionFixture *fixture, const char *path)
{
  g_autoptr (GError) error = NULL;

  leat_node_set_from_string (leat_pipeline_get_node (fixture->pipeline, "c", NULL), "path", path, &error);
  g_assert_no_error (error);
}

static void
test_session_shared_is_there_once (void)
{
  SessionFixture first, second, third;
  guint64 alone, both;

  open_with (&first, ADD, first_path);
  alone = live_bytes (&first);
  g_assert_cmpuint (session_fixture_get_count (&first, "shared-bytes"), ==, 0);
  open_with (&second, ADD, first_path);
  both = live_bytes (&first);
  g_assert_cmpuint (session_fixture_get_count (&second, "shared-bytes"), ==, BYTES);
  g_assert_cmpuint (both - alone, ==, alone - BYTES);
  open_with (&third, ADD, second_path);
  g_assert_cmpuint (session_fixture_get_count (&third, "shared-bytes"), ==, 0);
  g_assert_cmpuint (run (&first, 10), ==, 11);
  g_assert_cmpuint (run (&second, 20), ==, 21);
  g_assert_cmpuint (run (&third, 20), ==, 22);
  /* Who had it first may go first. */
  session_fixture_close (&first);
  g_assert_cmpuint (run (&second, 30), ==, 31);
  session_fixture_close (&second);
  g_assert_cmpuint (run (&third, 30), ==, 32);
  session_fixture_close (&third);
}

/* What one of them changes is not changed for the others. */
static void
test_session_shared_parts_with_changes (gconstpointer text)
{
  const gboolean adds = text == (gconstpointer) ADD;
  SessionFixture first, second;

  open_with (&first, text, first_path);
  open_with (&second, text, first_path);
  g_assert_cmpuint (run (&first, 10), ==, adds ? 11 : 1);
  set_path (&second, second_path);
  g_assert_cmpuint (run (&second, 10), ==, adds ? 12 : 2);
  g_assert_cmpuint (run (&first, 10), ==, adds ? 11 : 1);
  g_assert_cmpuint (session_fixture_get_count (&second, "shared-bytes"), ==, 0);
  set_path (&first, second_path);
  g_assert_cmpuint (run (&first, 20), ==, adds ? 22 : 2);
  set_path (&second, first_path);
  g_assert_cmpuint (run (&second, 20), ==, adds ? 21 : 1);
  g_assert_cmpuint (run (&first, 20), ==, adds ? 22 : 2);
  session_fixture_close (&first);
  session_fixture_close (&second);
}

static gpointer
open_and_close (gpointer data)
{
  for (guint i = 0; i < 5; i++)
    {
      SessionFixture fixture;

      open_with (&fixture, ADD, i % 2 == 0 ? first_path : second_path);
      g_assert_cmpuint (run (&fixture, (guint8) i), ==, i + 1 + i % 2);
      session_fixture_close (&fixture);
    }
  return NULL;
}

static void
test_session_shared_by_many_threads (void)
{
  GThread *threads[4];

  for (guint i = 0; i < 4; i++)
    threads[i] = g_thread_new ("opener", open_and_close, NULL);
  for (guint i = 0; i < 4; i++)
    g_thread_join (threads[i]);
}

static char *
write_file (const char *name, guint8 value)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autofree char *data = g_malloc (BYTES);

  memset (data, value, BYTES);
  g_assert_true (g_file_set_contents (path, data, BYTES, NULL));
  return path;
}

#define OPENERS 4

typedef struct
{
  SessionFixture fixtures[OPENERS];
  gint ready, next; /* atomic */
} Openers;

/* All at the same moment. */
static gpointer
open_at_once (gpointer data)
{
  Openers *self = data;
  gint i = g_atomic_int_add (&self->next, 1);

  g_atomic_int_inc (&self->ready);
  while (g_atomic_int_get (&self->ready) < OPENERS)
    g_thread_yield ();
  open_with (&self->fixtures[i], ADD, first_path);
  return NULL;
}

static void
test_session_shared_opened_at_once (void)
{
  for (guint round = 0; round < 20; round++)
    {
      Openers openers = { .ready = 0 };
      GThread *threads[OPENERS];
      guint64 found = 0;

      for (guint i = 0; i < OPENERS; i++)
        threads[i] = g_thread_new ("opener", open_at_once, &openers);
      for (guint i = 0; i < OPENERS; i++)
        g_thread_join (threads[i]);
      for (guint i = 0; i < OPENERS; i++)
        {
          found += session_fixture_get_count (&openers.fixtures[i], "shared-bytes");
          g_assert_cmpuint (run (&openers.fixtures[i], (guint8) i), ==, run (&openers.fixtures[0], (guint8) i));
        }
      g_assert_cmpuint (found, ==, (OPENERS - 1) * BYTES);
      for (guint i = 0; i < OPENERS; i++)
        session_fixture_close (&openers.fixtures[i]);
    }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("leat-test-XXXXXX", NULL);
  first_path = write_file ("first", 1);
  second_path = write_file ("second", 2);
  g_test_add_func ("/leat/session-shared/is-there-once", test_session_shared_is_there_once);
  g_test_add_data_func ("/leat/session-shared/parts-with-changes/kernel", ADD, test_session_shared_parts_with_changes);
  g_test_add_data_func ("/leat/session-shared/parts-with-changes/copy", COPIED, test_session_shared_parts_with_changes);
  g_test_add_func ("/leat/session-shared/by-many-threads", test_session_shared_by_many_threads);
  g_test_add_func ("/leat/session-shared/opened-at-once", test_session_shared_opened_at_once);
  status = g_test_run ();
  g_unlink (first_path);
  g_unlink (second_path);
  g_rmdir (folder);
  g_free (first_path);
  g_free (second_path);
  g_free (folder);
  return status;
}
