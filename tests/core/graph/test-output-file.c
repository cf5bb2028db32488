/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "graph/leat-output-file-private.h"
#include "leat.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Output files without a name, and with a hidden one where the file system has no others. */
typedef struct
{
  char *folder, *path;
} Fixture;

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("leat-output-XXXXXX", NULL);
  g_assert_nonnull (self->folder);
  self->path = g_build_filename (self->folder, "out", NULL);
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  g_autoptr (GDir) folder = g_dir_open (self->folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename (self->folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (self->folder);
  g_free (self->folder);
  g_free (self->path);
}

static guint
fixture_count_files (Fixture *self)
{
  g_autoptr (GDir) folder = g_dir_open (self->folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (folder) != NULL)
    n++;
  return n;
}

static void
fixture_assert_text (Fixture *self, const char *text)
{
  g_autofree char *found = NULL;

  g_assert_true (g_file_get_contents (self->path, &found, NULL, NULL));
  g_assert_cmpstr (found, ==, text);
}

/* From now on this process has no files without a name: that flag is refused as file systems do that lack them. FALSE
 * where the kernel lets nobody say so. */
static gboolean
test_output_file_refuse_nameless (void)
{
  const guint32 flag = O_TMPFILE & ~O_DIRECTORY;
  struct sock_filter rules[] = {
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
    BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
    BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, args[2])),
    BPF_JUMP (BPF_JMP | BPF_JSET | BPF_K, flag, 0, 1),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
    BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = { G_N_ELEMENTS (rules), rules };

  return prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* @n_hidden: how many hidden names there are while it is written. */
static void
test_output_file_write_twice (Fixture *fixture, guint n_hidden)
{
  static const char *const texts[] = { "one", "another" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatOutputFile) file = leat_output_file_open (fixture->path, &error);

      g_assert_no_error (error);
      g_assert_true (leat_output_file_is_seekable (file));
      g_assert_true (leat_output_file_write (file, texts[i], strlen (texts[i]), NULL, &error));
      g_assert_cmpuint (fixture_count_files (fixture), ==, n_hidden + i);
      if (i > 0)
        fixture_assert_text (fixture, texts[0]);
      g_assert_true (leat_output_file_commit (file, &error));
      fixture_assert_text (fixture, texts[i]);
      g_assert_cmpuint (fixture_count_files (fixture), ==, 1);
    }
}

static gboolean
test_output_file_has_nameless (Fixture *fixture)
{
  int fd = open (fixture->folder, O_TMPFILE | O_RDWR, 0600);

  if (fd < 0)
    return FALSE;
  close (fd);
  return TRUE;
}

static void
test_output_file_nameless (Fixture *fixture, gconstpointer data)
{
  if (!test_output_file_has_nameless (fixture))
    {
      g_test_skip ("the file system of the folder for temporary files knows no files without a name");
      return;
    }
  test_output_file_write_twice (fixture, 0);
}

static void
test_output_file_keeps_mode (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatOutputFile) file = NULL;
  struct stat info;

  g_assert_true (g_file_set_contents (fixture->path, "old", -1, NULL));
  g_assert_cmpint (chmod (fixture->path, 0640), ==, 0);
  file = leat_output_file_open (fixture->path, NULL);
  g_assert_nonnull (file);
  g_assert_true (leat_output_file_commit (file, NULL));
  g_assert_cmpint (stat (fixture->path, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 07777, ==, 0640);
}

/* Where the file system has no access lists, too, of which old kernels think otherwise. */
static void
test_output_file_obeys_umask (Fixture *fixture, gconstpointer data)
{
  const mode_t before = umask (027);
  g_autoptr (LeatOutputFile) file = leat_output_file_open (fixture->path, NULL);
  struct stat info;

  umask (before);
  g_assert_nonnull (file);
  g_assert_true (leat_output_file_commit (file, NULL));
  g_assert_cmpint (stat (fixture->path, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 07777, ==, 0640);
}

/* A link stays one, whether it leads to a file or only will. */
static void
test_output_file_link_stays (Fixture *fixture, gconstpointer data)
{
  g_autofree char *link = g_build_filename (fixture->folder, "link", NULL);

  g_assert_cmpint (symlink ("out", link), ==, 0);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (LeatOutputFile) file = leat_output_file_open (link, NULL);

      g_assert_nonnull (file);
      g_assert_true (leat_output_file_write (file, i == 0 ? "one" : "two", 3, NULL, NULL));
      g_assert_true (leat_output_file_commit (file, NULL));
      g_assert_true (g_file_test (link, G_FILE_TEST_IS_SYMLINK));
      fixture_assert_text (fixture, i == 0 ? "one" : "two");
      g_assert_cmpuint (fixture_count_files (fixture), ==, 2);
    }
}

/* Somebody else may take the name while the file is written. */
static void
test_output_file_name_taken (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatOutputFile) file = leat_output_file_open (fixture->path, NULL);

  g_assert_nonnull (file);
  g_assert_true (leat_output_file_write (file, "new", 3, NULL, NULL));
  g_assert_true (g_file_set_contents (fixture->path, "other", -1, NULL));
  g_assert_true (leat_output_file_commit (file, NULL));
  fixture_assert_text (fixture, "new");
  g_assert_cmpuint (fixture_count_files (fixture), ==, 1);
}

/* What may be written, but not replaced, is refused by the check as by the opening.  The super-user may do all. */
static void
test_output_file_folder_closed (Fixture *fixture, gconstpointer data)
{
  const uid_t user = getuid (), nobody = 65534;
  g_autofree char *link = g_build_filename (fixture->folder, "link", NULL);
  g_autofree char *inner = g_build_filename (fixture->folder, "inner", NULL);
  g_autofree char *path = g_build_filename (inner, "out", NULL);

  g_assert_cmpint (mkdir (inner, 0755), ==, 0);
  g_assert_true (g_file_set_contents (path, "old", -1, NULL));
  g_assert_cmpint (symlink (path, link), ==, 0);
  g_assert_cmpint (chmod (path, 0666), ==, 0);
  g_assert_cmpint (chmod (inner, 0555), ==, 0);
  g_assert_cmpint (chmod (fixture->folder, 0777), ==, 0);
  if (user == 0 && setresuid (nobody, nobody, 0) != 0)
    g_test_skip ("this super-user may not become another user");
  else
    for (guint i = 0; i < 2; i++)
      {
        g_autoptr (GError) check = NULL;
        g_autoptr (GError) error = NULL;

        g_assert_false (leat_output_file_check (i == 0 ? path : link, &check));
        g_assert_error (check, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO);
        g_assert_null (leat_output_file_open (i == 0 ? path : link, &error));
        g_assert_cmpstr (check->message, ==, error->message);
      }
  g_assert_cmpint (user == 0 ? setresuid (0, 0, 0) : 0, ==, 0);
  g_assert_cmpint (chmod (inner, 0755), ==, 0);
  g_unlink (path);
  g_rmdir (inner);
}

/* One that comes when nothing waits. */
static void
test_output_file_wake_too_late (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatOutputFile) file = leat_output_file_open ("/dev/null", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_nonnull (file);
  leat_output_file_wake (file);
  leat_output_file_write (file, "text", 4, NULL, &error);
  g_assert_no_error (error);
}

static void
test_output_file_hidden (Fixture *fixture, gconstpointer data)
{
  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
      g_test_trap_assert_passed ();
      return;
    }
  if (!test_output_file_refuse_nameless ())
    exit (0);
  test_output_file_write_twice (fixture, 1);
  /* Given up, it is gone. */
  leat_output_file_free (leat_output_file_open (fixture->path, NULL));
  g_assert_cmpuint (fixture_count_files (fixture), ==, 1);
}

/* The one way out that runs no destructor and still takes hidden names away. */
static void
test_output_file_quick_exit (Fixture *fixture, gconstpointer data)
{
  if (!g_test_subprocess ())
    {
      g_setenv ("TEST_OUTPUT_FILE", fixture->path, TRUE);
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
      g_test_trap_assert_passed ();
      g_assert_cmpuint (fixture_count_files (fixture), ==, 0);
      return;
    }
  rmdir (fixture->folder);
  if (!test_output_file_refuse_nameless ())
    quick_exit (0);
  g_assert_nonnull (leat_output_file_open (g_getenv ("TEST_OUTPUT_FILE"), NULL));
  g_assert_nonnull (leat_output_file_open (g_getenv ("TEST_OUTPUT_FILE"), NULL));
  quick_exit (0);
}

#define ADD(name, func) g_test_add ("/leat/output-file/" name, Fixture, NULL, fixture_set_up, func, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("nameless", test_output_file_nameless);
  ADD ("keeps-mode", test_output_file_keeps_mode);
  ADD ("obeys-umask", test_output_file_obeys_umask);
  ADD ("link-stays", test_output_file_link_stays);
  ADD ("name-taken", test_output_file_name_taken);
  ADD ("folder-closed", test_output_file_folder_closed);
  ADD ("wake-too-late", test_output_file_wake_too_late);
  ADD ("hidden", test_output_file_hidden);
  ADD ("quick-exit", test_output_file_quick_exit);
  return g_test_run ();
}
