/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "io-faults.h"
#include "leat-harness.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* Files that fail in the middle, at the end, or give little at a time: the preloaded io-faults.c makes them so. */

static IoFaultsSet io_faults_set;
static IoFaultsCount io_faults_count;

static void
faults_arm (IoFaults faults)
{
  g_autofree char *path = leat_harness_dup_path ("x");
  g_autofree char *folder = g_path_get_dirname (path);

  faults.folder = folder;
  io_faults_set (&faults);
}

static void
faults_disarm (void)
{
  io_faults_set (&(IoFaults){ NULL });
}

static gboolean
faults_skip (void)
{
  if (io_faults_set == NULL)
    g_test_skip ("the sanitizers have these calls themselves, so no module is preloaded");
  return io_faults_set == NULL;
}

#define FAULTS_SIZE ((gsize) 3 << 20)

static guint8 *
faults_write_input (const char *path)
{
  guint8 *bytes = g_malloc (FAULTS_SIZE);

  for (gsize i = 0; i < FAULTS_SIZE; i++)
    bytes[i] = (guint8) (i * 2654435761u >> 13);
  leat_harness_write_file (path, bytes, FAULTS_SIZE);
  return bytes;
}

/* What a source gives until its end or an error. */
static GByteArray *
faults_read (const char *id, const char *path, const char *setting, const char *readers, GError **error)
{
  g_autofree char *where = g_strconcat ("path=", path, NULL);
  GByteArray *all = g_byte_array_new ();
  LeatHarness harness;
  LeatFlow flow;

  leat_harness_init_source (&harness, id, where, setting, readers, NULL);
  leat_harness_start (&harness);
  while ((flow = leat_harness_fill (&harness, TRUE, error)) == LEAT_FLOW_DATA)
    g_byte_array_append (all, harness.memory->data, harness.memory->len);
  g_assert_true ((flow == LEAT_FLOW_ERROR) == (*error != NULL));
  leat_harness_clear (&harness);
  return all;
}

static void
test_io_faults_read_fails (void)
{
  static const char *const readers[] = { "readers=1", "readers=4" };
  g_autofree char *path = NULL;
  g_autofree guint8 *bytes = NULL;

  if (faults_skip ())
    return;
  path = leat_harness_dup_path ("in");
  bytes = faults_write_input (path);
  for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
    for (gsize good = 0; good < FAULTS_SIZE; good += FAULTS_SIZE / 5)
      {
        GError *error = NULL;
        g_autoptr (GByteArray) got = NULL;

        faults_arm ((IoFaults){ .call = "read", .good_bytes = good, .code = EIO });
        got = faults_read ("io:file", path, "chunk=1M", readers[i], &error);
        faults_disarm ();
        leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "in\": Input/output error");
        g_assert_cmpuint (got->len, <=, good);
        g_assert_cmpmem (got->data, got->len, bytes, got->len);
      }
}

/* Little at a time, or interrupted once: nothing is missing. */
static void
test_io_faults_read_little (void)
{
  static const IoFaults faults[] = {
    { .call = "read", .most_bytes = 1009 },
    { .call = "read", .good_calls = 1, .code = EINTR, .times = 3 },
    { .call = "read", .good_bytes = 12345, .code = EINTR, .times = 1, .most_bytes = 4096 },
  };
  g_autofree char *path = NULL;
  g_autofree guint8 *bytes = NULL;

  if (faults_skip ())
    return;
  path = leat_harness_dup_path ("in");
  bytes = faults_write_input (path);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    for (guint readers = 1; readers <= 4; readers += 3)
      {
        g_autofree char *setting = g_strdup_printf ("readers=%u", readers);
        GError *error = NULL;
        g_autoptr (GByteArray) got = NULL;

        faults_arm (faults[i]);
        got = faults_read ("io:file", path, "chunk=1M", setting, &error);
        g_assert_cmpuint (io_faults_count (), ==, faults[i].times);
        faults_disarm ();
        g_assert_no_error (error);
        g_assert_cmpmem (got->data, got->len, bytes, FAULTS_SIZE);
      }
}

/* A file of a format, cut in the middle by the system. */
static void
test_io_faults_formats (void)
{
  static const struct
  {
    const char *id, *name;
  } formats[] = { { "io:npy", "samples.npy" }, { "image:read", "photo.jpg" }, { "image:read", "mandelbrot.png" } };

  if (faults_skip ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      g_autofree char *from = g_test_build_filename (G_TEST_DIST, "..", "graphs", formats[i].name, NULL);
      g_autofree char *path = leat_harness_dup_path (formats[i].name), *bytes = NULL;
      g_autoptr (GByteArray) whole = NULL, little = NULL, broken = NULL;
      GError *error = NULL;
      gsize size;

      g_assert_true (g_file_get_contents (from, &bytes, &size, NULL));
      leat_harness_write_file (path, bytes, size);
      whole = faults_read (formats[i].id, path, NULL, NULL, &error);
      g_assert_no_error (error);
      faults_arm ((IoFaults){ .call = "read", .most_bytes = 777 });
      little = faults_read (formats[i].id, path, NULL, NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (little->data, little->len, whole->data, whole->len);
      /* Its head is read twice before the pixels or items are. */
      faults_arm ((IoFaults){ .call = "read", .good_bytes = size / 2, .most_bytes = 4096, .code = EIO });
      broken = faults_read (formats[i].id, path, NULL, NULL, &error);
      faults_disarm ();
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, "Input/output error");
      g_assert_cmpuint (broken->len, ==, 0);
    }
}

/* A sink whose system says no: an error, and what was there before is there still. */
static void
test_io_faults_write (void)
{
  static const struct
  {
    IoFaults faults;
    const char *says;
    gboolean early; /* a write of data fails */
  } table[] = {
    { { .call = "write", .good_bytes = 3000, .code = ENOSPC }, "No space left on device", TRUE },
    { { .call = "write", .code = EIO }, "Input/output error", TRUE },
    { { .call = "close", .code = EIO, .times = 1 }, "Input/output error", FALSE },
    { { .call = "close", .code = ENOSPC, .times = 1 }, "No space left on device", FALSE },
    { { .call = "close", .code = EDQUOT, .times = 1 }, "quota exceeded", FALSE },
  };
  static const char *const sinks[] = { "io:file", "io:npy" };
  guint8 data[4096] = { 1, 2, 3 };

  if (faults_skip ())
    return;
  leat_harness_remove_files (); /* what there is is counted */
  for (guint i = 0; i < G_N_ELEMENTS (table) * G_N_ELEMENTS (sinks); i++)
    {
      guint k = i / G_N_ELEMENTS (sinks);
      g_autofree char *path = leat_harness_dup_path ("out");
      g_autofree char *where = g_strconcat ("path=", path, NULL);
      GError *error = NULL;
      LeatHarness harness;
      gboolean drained;

      leat_harness_write_file (path, "before", 6);
      leat_harness_init_sink (&harness, sinks[i % G_N_ELEMENTS (sinks)], "u8[4096]", where, NULL);
      leat_harness_start (&harness);
      faults_arm (table[k].faults);
      drained = leat_harness_drain (&harness, data, sizeof data, &error);
      g_assert_cmpint (drained, ==, !table[k].early);
      if (drained)
        g_assert_false (leat_harness_finish (&harness, &error));
      g_assert_cmpuint (io_faults_count (), ==, 1);
      faults_disarm ();
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO, table[k].says);
      leat_harness_clear (&harness);
      leat_harness_assert_file (path, "before", 6);
      leat_harness_assert_folder_has (1);
      leat_harness_remove_files ();
    }
}

/* Some bytes of each write, or an interruption: all of it comes. */
static void
test_io_faults_write_little (void)
{
  static const IoFaults faults[] = { { .call = "write", .most_bytes = 7 },
                                     { .call = "write", .most_bytes = 1000, .code = EINTR, .times = 2 } };
  guint8 data[4096];

  if (faults_skip ())
    return;
  for (guint i = 0; i < sizeof data; i++)
    data[i] = (guint8) (i * 7 + i / 256);
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *path = leat_harness_dup_path ("out");
      g_autofree char *where = g_strconcat ("path=", path, NULL);
      GError *error = NULL;
      LeatHarness harness;

      leat_harness_init_sink (&harness, "io:file", "u8[4096]", where, NULL);
      leat_harness_start (&harness);
      faults_arm (faults[i]);
      g_assert_true (leat_harness_drain (&harness, data, sizeof data, &error));
      g_assert_true (leat_harness_finish (&harness, &error));
      faults_disarm ();
      g_assert_no_error (error);
      leat_harness_clear (&harness);
      leat_harness_assert_file (path, data, sizeof data);
    }
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  io_faults_set = (IoFaultsSet) dlsym (RTLD_DEFAULT, "io_faults_set");
  io_faults_count = (IoFaultsCount) dlsym (RTLD_DEFAULT, "io_faults_get_count");
  g_test_add_func ("/leat/io-faults/read/fails", test_io_faults_read_fails);
  g_test_add_func ("/leat/io-faults/read/little", test_io_faults_read_little);
  g_test_add_func ("/leat/io-faults/read/formats", test_io_faults_formats);
  g_test_add_func ("/leat/io-faults/write/fails", test_io_faults_write);
  g_test_add_func ("/leat/io-faults/write/little", test_io_faults_write_little);
  result = g_test_run ();
  leat_harness_remove_files ();
  return result;
}
