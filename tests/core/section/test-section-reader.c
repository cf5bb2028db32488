/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"

#include "section/leat-section-form-private.h"
#include "artifact/leat-section-writer-private.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define KIND LEAT_SECTION_WORD ('t', 'e', 's', 't')
#define TEXT LEAT_SECTION_WORD ('t', 'e', 'x', 't')
#define DATA LEAT_SECTION_WORD ('d', 'a', 't', 'a')

static char *folder;

static LeatSectionWriter *
make_writer (void)
{
  LeatSectionWriter *writer = leat_section_writer_new (KIND, "sample");
  g_autofree guint8 *ramp = g_malloc (1000);
  g_autoptr (GBytes) large = NULL;

  for (guint i = 0; i < 1000; i++)
    ramp[i] = (guint8) (i * 7 + i / 251);
  large = g_bytes_new (ramp, 1000);
  leat_section_writer_add_text (writer, TEXT, "b", "second");
  leat_section_writer_add_text (writer, TEXT, "a", "first");
  leat_section_writer_add_text (writer, TEXT, "a", "not this one");
  leat_section_writer_add_text (writer, TEXT, "none", "");
  leat_section_writer_add (writer, DATA, "ramp", large);
  leat_section_writer_add (writer, DATA, "ramp again", large);
  return writer;
}

static char *
write_sample (const char *name)
{
  g_autoptr (LeatSectionWriter) writer = make_writer ();
  char *path = g_build_filename (folder, name, NULL);
  GError *error = NULL;

  leat_section_writer_write (writer, path, &error);
  g_assert_no_error (error);
  return path;
}

static void
check_text (LeatSectionReader *reader, const char *name, const char *expected)
{
  g_autoptr (GBytes) bytes = NULL;
  LeatSection section;
  GError *error = NULL;

  g_assert_true (leat_section_reader_find (reader, TEXT, name, &section));
  bytes = leat_section_reader_read (reader, &section, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, strlen (expected));
}

static void
test_section_reader_round_trip (void)
{
  g_autofree char *path = write_sample ("round-trip");
  GError *error = NULL;
  g_autoptr (LeatSectionReader) reader = leat_section_reader_new (path, KIND, "sample", &error);
  LeatSection one, other;

  g_assert_no_error (error);
  g_assert_cmpuint (leat_section_reader_get_count (reader), ==, 5);
  check_text (reader, "a", "first");
  check_text (reader, "b", "second");
  check_text (reader, "none", "");
  g_assert_true (leat_section_reader_find (reader, DATA, "ramp", &one));
  g_assert_true (leat_section_reader_find (reader, DATA, "ramp again", &other));
  g_assert_cmpuint (one.offset, ==, other.offset);
  g_assert_cmpuint (one.offset % LEAT_SECTION_ALIGN, ==, 0);
  g_assert_cmpuint (one.size, ==, 1000);
  g_assert_false (leat_section_reader_find (reader, DATA, "a", &one));
  g_assert_false (leat_section_reader_find (reader, TEXT, "ramp", &one));
  leat_section_reader_get (reader, leat_section_reader_seek (reader, DATA, "ramp "), &one);
  g_assert_cmpstr (one.name, ==, "ramp again");
  g_assert_true (leat_section_reader_check (reader, &error));
  g_assert_no_error (error);
}

/* The bytes outlive the reader and the name. */
static void
test_section_reader_bytes_stay (void)
{
  g_autofree char *path = write_sample ("stays");
  g_autoptr (LeatSectionReader) reader = leat_section_reader_new (path, KIND, "sample", NULL);
  g_autoptr (GBytes) bytes = NULL;
  LeatSection section;

  g_assert_true (leat_section_reader_find (reader, TEXT, "b", &section));
  bytes = leat_section_reader_read (reader, &section, NULL);
  g_clear_pointer (&reader, leat_section_reader_free);
  g_unlink (path);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), "second", 6);
}

/* Opens what is given, and reads all of it where that goes. */
static GError *
try_bytes (const char *data, gsize size)
{
  g_autofree char *path = g_build_filename (folder, "tried", NULL);
  g_autoptr (LeatSectionReader) reader = NULL;
  GError *error = NULL;

  g_assert_true (g_file_set_contents (path, data, (gssize) size, NULL));
  reader = leat_section_reader_new (path, KIND, "sample", &error);
  if (reader != NULL)
    leat_section_reader_check (reader, &error);
  return error;
}

static void
test_section_reader_truncated (void)
{
  g_autofree char *path = write_sample ("whole"), *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  for (gsize n = 0; n < size; n++)
    {
      g_autoptr (GError) error = try_bytes (data, n);

      g_assert_error (error, LEAT_ARTIFACT_ERROR,
                      (gint) (n < 8 ? LEAT_ARTIFACT_ERROR_FORMAT : LEAT_ARTIFACT_ERROR_TRUNCATED));
    }
}

/* No byte may differ. */
static void
test_section_reader_patched (void)
{
  g_autofree char *path = write_sample ("whole"), *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  for (gsize n = 0; n < size; n++)
    {
      g_autoptr (GError) error = NULL;

      data[n] ^= (char) (1 << n % 8);
      error = try_bytes (data, size);
      g_assert_nonnull (error);
      g_assert_true (error->domain == LEAT_ARTIFACT_ERROR);
      data[n] ^= (char) (1 << n % 8);
    }
}

static void
test_section_reader_versions (void)
{
  g_autofree char *path = write_sample ("whole"), *data = NULL;
  LeatSectionHead *head;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  head = (LeatSectionHead *) (gpointer) data;
  for (guint version = 0; version < 4; version += 2)
    {
      g_autoptr (GError) error = NULL;

      head->version = version;
      error = try_bytes (data, size);
      g_assert_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_VERSION);
      g_assert_nonnull (strstr (error->message, "reads version 1; make it again"));
    }
}

/* The table with another row or head, and the right checksum: what somebody would write on purpose. */
static GError *
try_forged (const char *data, gsize size, guint at, guint64 value, guint n_bytes)
{
  g_autofree char *forged = g_memdup2 (data, size);
  LeatSectionHead *head = (LeatSectionHead *) (gpointer) forged;
  guint64 bytes;

  memcpy (forged + at, &value, n_bytes);
  memset (head->checksum, 0, sizeof head->checksum);
  bytes = leat_section_head_get_bytes (head);
  if (bytes <= size)
    {
      XXH3_state_t *state = XXH3_createState ();

      XXH3_128bits_reset (state);
      XXH3_128bits_update (state, forged, bytes);
      leat_section_sum_end (state, head->checksum);
    }
  return try_bytes (forged, size);
}

static void
test_section_reader_huge (void)
{
  static const guint64 values[] = { 1u << 31, G_MAXUINT32, G_MAXUINT64, G_MAXUINT64 - 63, G_MAXINT64, 0 };
  static const struct
  {
    guint at, n_bytes;
  } places[] = { { 16, 4 }, { 20, 4 }, { 24, 8 }, { 68, 4 }, { 72, 8 }, { 80, 8 }, { 84, 4 }, { 104, 4 } };
  g_autofree char *path = write_sample ("whole"), *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    for (guint k = 0; k < G_N_ELEMENTS (values); k++)
      {
        guint64 now = 0;
        g_autoptr (GError) error = NULL;

        memcpy (&now, data + places[i].at, places[i].n_bytes);
        if (memcmp (&now, &values[k], places[i].n_bytes) == 0)
          continue;
        error = try_forged (data, size, places[i].at, values[k], places[i].n_bytes);
        g_assert_nonnull (error);
      }
}

static void
test_section_reader_other_files (void)
{
  g_autofree char *path = write_sample ("kind"), *missing = g_build_filename (folder, "missing", NULL);
  g_autoptr (GError) kind = NULL, text = NULL, there = NULL, dir = NULL;

  g_assert_null (leat_section_reader_new (path, TEXT, "artifact", &kind));
  g_assert_error (kind, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_FORMAT);
  g_assert_nonnull (strstr (kind->message, "it is no artifact, but a file of kind \"test\""));
  text = try_bytes ("leat 1\nupload\n", 14);
  g_assert_error (text, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_FORMAT);
  g_assert_null (leat_section_reader_new (missing, KIND, "sample", &there));
  g_assert_error (there, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_IO);
  g_assert_null (leat_section_reader_new (folder, KIND, "sample", &dir));
  g_assert_error (dir, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_FORMAT);
  g_assert_true (leat_section_file_is_at (path));
  g_assert_false (leat_section_file_is_at (missing));
}

static void
test_section_reader_owner (void)
{
  static const struct
  {
    guint mode;
    gboolean good;
  } rows[] = { { 0600, TRUE }, { 0644, TRUE }, { 0664, FALSE }, { 0646, FALSE } };
  g_autofree char *path = write_sample ("owner");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (LeatSectionReader) reader = NULL;
      g_autoptr (GError) error = NULL;

      g_assert_cmpint (g_chmod (path, (int) rows[i].mode), ==, 0);
      reader = leat_section_reader_new (path, KIND, "sample", NULL);
      g_assert_cmpint (leat_section_reader_check_owner (reader, &error), ==, rows[i].good);
      if (!rows[i].good)
        g_assert_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_OWNER);
    }
  if (geteuid () != 0)
    return;
  {
    g_autoptr (LeatSectionReader) reader = NULL;

    g_assert_cmpint (g_chmod (path, 0600), ==, 0);
    g_assert_cmpint (chown (path, 65534, (gid_t) -1), ==, 0);
    reader = leat_section_reader_new (path, KIND, "sample", NULL);
    g_assert_false (leat_section_reader_check_owner (reader, NULL));
  }
}

/* A limit on the size of files is an error like a full disk. */
static void
test_section_writer_full_disk (void)
{
  g_autofree char *path = write_sample ("full"), *before = NULL, *after = NULL;
  g_autoptr (LeatSectionWriter) writer = make_writer ();
  struct rlimit old, small;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_get_contents (path, &before, NULL, NULL));
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &old), ==, 0);
  small = old;
  small.rlim_cur = 512;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &small), ==, 0);
  g_assert_false (leat_section_writer_write (writer, path, &error));
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &old), ==, 0);
  g_assert_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_IO);
  g_assert_true (g_str_has_prefix (error->message, "cannot write the sample: "));
  g_assert_true (g_file_get_contents (path, &after, NULL, NULL));
  g_assert_cmpmem (before, 64, after, 64);
}

static gpointer
write_often (gpointer data)
{
  const char *path = data;

  for (guint i = 0; i < 50; i++)
    {
      g_autoptr (LeatSectionWriter) writer = make_writer ();
      GError *error = NULL;

      leat_section_writer_write (writer, path, &error);
      g_assert_no_error (error);
    }
  return NULL;
}

/* Who reads meanwhile sees the file of one of them, and a whole one. */
static void
test_section_writer_two_at_once (void)
{
  g_autofree char *path = write_sample ("contested");
  GThread *one = g_thread_new ("one", write_often, path), *other = g_thread_new ("other", write_often, path);

  for (guint i = 0; i < 50; i++)
    {
      GError *error = NULL;
      g_autoptr (LeatSectionReader) reader = leat_section_reader_new (path, KIND, "sample", &error);

      g_assert_no_error (error);
      g_assert_true (leat_section_reader_check (reader, NULL));
    }
  g_thread_join (one);
  g_thread_join (other);
}

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
  g_free (folder);
}

int
main (int argc, char **argv)
{
  int code;

  g_test_init (&argc, &argv, NULL);
  signal (SIGXFSZ, SIG_IGN);
  folder = g_dir_make_tmp ("leat-sections-XXXXXX", NULL);
  g_test_add_func ("/leat/section-reader/round-trip", test_section_reader_round_trip);
  g_test_add_func ("/leat/section-reader/bytes-stay", test_section_reader_bytes_stay);
  g_test_add_func ("/leat/section-reader/truncated", test_section_reader_truncated);
  g_test_add_func ("/leat/section-reader/patched", test_section_reader_patched);
  g_test_add_func ("/leat/section-reader/versions", test_section_reader_versions);
  g_test_add_func ("/leat/section-reader/huge", test_section_reader_huge);
  g_test_add_func ("/leat/section-reader/other-files", test_section_reader_other_files);
  g_test_add_func ("/leat/section-reader/owner", test_section_reader_owner);
  g_test_add_func ("/leat/section-writer/full-disk", test_section_writer_full_disk);
  g_test_add_func ("/leat/section-writer/two-at-once", test_section_writer_two_at_once);
  code = g_test_run ();
  remove_folder ();
  return code;
}
