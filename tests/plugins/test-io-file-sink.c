/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files, devices and pipes that io:file writes. */

typedef LeatHarness Harness;

static void
test_io_file_sink (void)
{
  g_autofree char *path = leat_harness_dup_path ("out");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  GError *error = NULL;
  Harness harness;

  leat_harness_remove_files ();
  leat_harness_init_sink (&harness, "io:file", "u16[<=4]", setting, NULL);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_drain (&harness, "abcdefgh", 8, &error));
  g_assert_true (leat_harness_drain (&harness, "", 0, &error));
  g_assert_true (leat_harness_drain (&harness, "ij", 2, &error));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_true (leat_harness_finish (&harness, &error));
  leat_harness_assert_file (path, "abcdefghij", 10);
  leat_harness_clear (&harness);
  leat_harness_assert_folder_has (1);
}

/* Stopped before it finished: as if nothing had been. */
static void
test_io_file_sink_undone (void)
{
  g_autofree char *path = leat_harness_dup_path ("out");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  GError *error = NULL;
  Harness harness;

  leat_harness_remove_files ();
  leat_harness_write_file (path, "before", 6);
  leat_harness_init_sink (&harness, "io:file", "u8[<=16]", setting, NULL);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_drain (&harness, "after", 5, &error));
  leat_harness_stop (&harness);
  leat_harness_assert_file (path, "before", 6);
  leat_harness_assert_folder_has (1);
  leat_harness_clear (&harness);
}

static void
test_io_file_sink_keeps_mode_and_link (void)
{
  g_autofree char *path = leat_harness_dup_path ("out");
  g_autofree char *link = leat_harness_dup_path ("link");
  g_autofree char *setting = g_strconcat ("path=", link, NULL);
  GError *error = NULL;
  struct stat info;
  Harness harness;

  leat_harness_remove_files ();
  leat_harness_write_file (path, "before", 6);
  g_assert_cmpint (g_chmod (path, 0640), ==, 0);
  g_assert_cmpint (symlink (path, link), ==, 0);
  leat_harness_init_sink (&harness, "io:file", "u8[<=16]", setting, NULL);
  leat_harness_start (&harness);
  g_assert_true (leat_harness_drain (&harness, "after", 5, &error));
  g_assert_true (leat_harness_finish (&harness, &error));
  leat_harness_clear (&harness);
  leat_harness_assert_file (path, "after", 5);
  g_assert_cmpint (lstat (link, &info), ==, 0);
  g_assert_true (S_ISLNK (info.st_mode));
  g_assert_cmpint (stat (path, &info), ==, 0);
  g_assert_cmphex (info.st_mode & 0777, ==, 0640);
  leat_harness_assert_folder_has (2);
}

static void
test_io_file_sink_disk_full (void)
{
  g_autofree char *path = leat_harness_dup_path ("out");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autofree char *data = g_malloc0 (65536);
  struct rlimit was, small;
  GError *error = NULL;
  Harness harness;

  leat_harness_remove_files ();
  leat_harness_init_sink (&harness, "io:file", "u8[65536]", setting, NULL);
  leat_harness_start (&harness);
  /* A limit on the size of files is met as a full disk is, after some bytes. */
  signal (SIGXFSZ, SIG_IGN);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &was), ==, 0);
  small = was;
  small.rlim_cur = 100000;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
  g_assert_true (leat_harness_drain (&harness, data, 65536, &error));
  g_assert_false (leat_harness_drain (&harness, data, 65536, &error));
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &was), ==, 0);
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "after 100000 bytes");
  leat_harness_clear (&harness);
  leat_harness_assert_folder_has (0);
}

static void
test_io_file_sink_device (void)
{
  GError *error = NULL;
  Harness harness;

  leat_harness_init_sink (&harness, "io:file", "u8[8192]", "path=/dev/null", NULL);
  leat_harness_start (&harness);
  {
    g_autofree char *data = g_malloc0 (8192);

    g_assert_true (leat_harness_drain (&harness, data, 8192, &error));
  }
  g_assert_true (leat_harness_finish (&harness, &error));
  leat_harness_clear (&harness);
  leat_harness_init_sink (&harness, "io:file", "u8[4]", "path=/dev/full", NULL);
  leat_harness_start (&harness);
  g_assert_false (leat_harness_drain (&harness, "abcd", 4, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "/dev/full");
  leat_harness_clear (&harness);
}

static void
test_io_file_sink_no_folder (void)
{
  g_autofree char *path = leat_harness_dup_path ("none/such");
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *parent = g_path_get_dirname (folder);
  const struct
  {
    const char *path, *says;
  } table[] = { { path, "folder must exist" }, { parent, "directory" } };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *setting = g_strconcat ("path=", table[i].path, NULL);
      GError *error = NULL;
      Harness harness;

      leat_harness_init_sink (&harness, "io:file", "u8[4]", setting, NULL);
      g_assert_true (leat_harness_plan (&harness, &error));
      g_assert_false (LEAT_ENDPOINT_GET_CLASS (harness.node)->start (harness.node, &error));
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, table[i].says);
      leat_harness_clear (&harness);
    }
}

typedef struct
{
  LeatEndpoint *sink;
  gint done; /* atomic */
} Waker;

/* As a session that is being closed does it. */
static gpointer
test_io_file_wake_again (gpointer data)
{
  Waker *waker = data;

  while (!g_atomic_int_get (&waker->done))
    {
      g_usleep (20000);
      LEAT_ENDPOINT_GET_CLASS (waker->sink)->unblock (waker->sink);
    }
  return NULL;
}

/* A reader that has stopped reading: the write that waits for it can be called off. */
static void
test_io_file_sink_pipe_unblock (void)
{
  g_autofree char *path = leat_harness_dup_path ("pipe");
  g_autofree char *setting = g_strconcat ("path=", path, NULL);
  g_autofree char *data = g_malloc0 (1 << 20);
  GError *error = NULL;
  GThread *thread;
  Harness harness;
  Waker waker;
  int fd;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  fd = open (path, O_RDWR | O_CLOEXEC);
  leat_harness_init_sink (&harness, "io:file", "u8[1M]", setting, NULL);
  leat_harness_start (&harness);
  waker = (Waker){ .sink = harness.node };
  thread = g_thread_new ("waker", test_io_file_wake_again, &waker);
  g_assert_false (leat_harness_drain (&harness, data, 1 << 20, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_clear_error (&error);
  g_atomic_int_set (&waker.done, TRUE);
  g_thread_join (thread);
  leat_harness_clear (&harness);
  close (fd);
  g_remove (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/io-file/sink/appends-live-bytes", test_io_file_sink);
  g_test_add_func ("/leat/io-file/sink/undone-without-finish", test_io_file_sink_undone);
  g_test_add_func ("/leat/io-file/sink/keeps-mode-and-link", test_io_file_sink_keeps_mode_and_link);
  g_test_add_func ("/leat/io-file/sink/disk-full", test_io_file_sink_disk_full);
  g_test_add_func ("/leat/io-file/sink/device", test_io_file_sink_device);
  g_test_add_func ("/leat/io-file/sink/refuses-missing-folder", test_io_file_sink_no_folder);
  g_test_add_func ("/leat/io-file/sink/pipe-unblock", test_io_file_sink_pipe_unblock);
  return g_test_run ();
}
