/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "graph/leat-claims-private.h"
#include "leat.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Two that claim a file, by names that the file system alone knows to be one. */

typedef enum
{
  BOTH,
  NOT_TWO_WRITERS,
  WRITES_OVER,
  SHARE_INPUT,
} Verdict;

typedef struct
{
  const char *name;
  LeatClaimKind first_kind;
  const char *first; /* in the folder, unless it is "-" or absolute */
  LeatClaimKind second_kind;
  const char *second;
  Verdict verdict;
} Case;

#define R LEAT_CLAIM_READ
#define W LEAT_CLAIM_WRITE

/* The folder has: file, hard (a link to it), soft -> file, dangling -> new, fifo, and sub -> the folder itself. */
static const Case cases[] = {
  { "two-readers", R, "file", R, "file", BOTH },
  { "other-files", W, "new", W, "newer", BOTH },
  { "reader-and-other-writer", R, "file", W, "new", BOTH },
  { "same-name", W, "new", W, "new", NOT_TWO_WRITERS },
  { "same-name-other-path", W, "new", W, "./sub/./sub/new", NOT_TWO_WRITERS },
  { "link-to-be-made", W, "new", W, "dangling", NOT_TWO_WRITERS },
  { "hard-link", W, "file", W, "hard", NOT_TWO_WRITERS },
  { "symbolic-link", W, "soft", W, "file", NOT_TWO_WRITERS },
  { "over-an-input", R, "file", W, "file", WRITES_OVER },
  { "over-an-input-hard", R, "hard", W, "soft", WRITES_OVER },
  { "input-comes-later", W, "file", R, "hard", WRITES_OVER },
  { "two-readers-of-standard-input", R, "-", R, "-", SHARE_INPUT },
  { "standard-input-by-name", R, "-", R, "/dev/stdin", SHARE_INPUT },
  { "standard-input-by-number", R, "/dev/fd/0", R, "-", SHARE_INPUT },
  { "two-readers-of-a-pipe", R, "fifo", R, "sub/fifo", SHARE_INPUT },
  { "two-writers-of-a-pipe", W, "fifo", W, "fifo", BOTH },
  { "two-writers-of-standard-output", W, "-", W, "/dev/stdout", BOTH },
  { "two-writers-of-a-device", W, "/dev/null", W, "/dev/null", BOTH },
  { "reader-and-writer-of-a-device", R, "/dev/zero", W, "/dev/zero", BOTH },
};

static char *
dup_path (const char *folder, const char *name)
{
  return g_str_equal (name, "-") || g_path_is_absolute (name) ? g_strdup (name) : g_build_filename (folder, name, NULL);
}

static char *
make_folder (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("leat-claims-XXXXXX", &error);
  g_autofree char *file = NULL, *hard = NULL, *soft = NULL, *dangling = NULL, *fifo = NULL, *sub = NULL;

  g_assert_no_error (error);
  file = dup_path (folder, "file");
  hard = dup_path (folder, "hard");
  soft = dup_path (folder, "soft");
  dangling = dup_path (folder, "dangling");
  fifo = dup_path (folder, "fifo");
  sub = dup_path (folder, "sub");
  g_assert_true (g_file_set_contents (file, "x", -1, NULL));
  g_assert_cmpint (link (file, hard), ==, 0);
  g_assert_cmpint (symlink ("file", soft), ==, 0);
  g_assert_cmpint (symlink ("new", dangling), ==, 0);
  g_assert_cmpint (symlink (".", sub), ==, 0);
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  return folder;
}

static void
remove_folder (const char *folder)
{
  static const char *const names[] = { "file", "hard", "soft", "dangling", "fifo", "sub" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = dup_path (folder, names[i]);

      g_unlink (path);
    }
  /* Nothing was made by looking. */
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
test_claims (gconstpointer data)
{
  static const char *const says[] = {
    [NOT_TWO_WRITERS] = "one and other cannot both write to ",
    [WRITES_OVER] = " would write over ",
    [SHARE_INPUT] = "one and other cannot both read ",
  };
  const Case *self = data;
  g_autofree char *folder = make_folder ();
  g_autofree char *first = dup_path (folder, self->first), *second = dup_path (folder, self->second);
  g_autoptr (LeatClaims) claims = leat_claims_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (leat_claims_add (claims, "one", first, self->first_kind, &error));
  g_assert_no_error (error);
  g_assert_cmpint (leat_claims_add (claims, "other", second, self->second_kind, &error), ==, self->verdict == BOTH);
  if (self->verdict == BOTH)
    g_assert_no_error (error);
  else
    {
      g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TWO_WRITERS);
      g_assert_nonnull (strstr (error->message, says[self->verdict]));
    }
  remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/claims/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_claims);
    }
  return g_test_run ();
}
