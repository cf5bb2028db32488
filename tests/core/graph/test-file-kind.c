/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "graph/leat-file-kind.h"
#include "leat.h"

#include <glib/gstdio.h>
#include <string.h>

typedef struct
{
  const char *bytes;
  gsize size;
  const char *what, *advice; /* what: NULL for nothing that is known */
} FileKindCase;

#define CASE(bytes, what, advice)                                                                                      \
  {                                                                                                                    \
    bytes, sizeof (bytes) - 1, what, advice                                                                            \
  }

static const FileKindCase cases[] = {
  CASE ("\x93NUMPY\1\0", "an .npy file", "; io:npy path=a.b reads it"),
  CASE ("\x89PNG\r\n\x1a\n", "a PNG picture", "; image:read path=a.b reads it"),
  CASE ("\xff\xd8\xff\xe0", "a JPEG picture", "; image:read path=a.b reads it"),
  CASE ("II*\0\x08\0\0\0", "a TIFF picture", "; image:read path=a.b reads it"),
  CASE ("BM\x46\0\0\0\0\0\0\0\x36", "a BMP picture", "; image:read path=a.b reads it"),
  CASE ("\x1f\x8b\x08\0", "compressed by gzip", "; unpack it first, with gunzip -k"),
  CASE ("\x28\xb5\x2f\xfd\0", "compressed by zstd", "; unpack it first, with zstd -d"),
  CASE ("\xfd\x37\x7a\x58\x5a\0\0", "compressed by xz", "; unpack it first, with xz -dk"),
  CASE ("BZh91AY&SY", "compressed by bzip2", "; unpack it first, with bunzip2 -k"),
  CASE ("PK\3\4\x14", "a ZIP archive, such as an .npz file", "; unpack it first, with unzip"),
  CASE ("\x7f\x45LF\2", "a program or a library", ""),
  CASE ("\xff\xfel\0e\0", "text in UTF-16", "; save it as UTF-8"),
  CASE ("RIFF\0\0\0\0WAVE", "a WAV file", "; save each array of it with NumPy's save (), and read that with io:npy"),
  CASE ("leat 1\n", NULL, NULL),
  CASE ("BMx = map expr=x\n", NULL, NULL),
  CASE ("BZhello", NULL, NULL),
  CASE ("RIFF", NULL, NULL),
  CASE ("", NULL, NULL),
  CASE ("\x93", NULL, NULL),
};

static void
test_file_kind_finds (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const LeatFileKind *kind = leat_file_kind_find (cases[i].bytes, cases[i].size);
      g_autofree char *advice = kind != NULL ? leat_file_kind_dup_advice (kind, "a.b") : NULL;

      g_test_message ("%u", i);
      g_assert_cmpstr (kind != NULL ? kind->name : NULL, ==, cases[i].what);
      g_assert_cmpstr (advice, ==, cases[i].advice);
    }
}

/* A file of data where a pipeline is wanted. */
static void
test_file_kind_no_pipeline (void)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "data", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (LeatPipeline) pipeline = NULL;
      GError *error = NULL;

      if (cases[i].what == NULL)
        continue;
      g_assert_true (g_file_set_contents (path, cases[i].bytes, (gssize) cases[i].size, NULL));
      pipeline = leat_parse_file (path, NULL, &error);
      g_assert_null (pipeline);
      g_assert_error (error, LEAT_PARSE_ERROR, LEAT_PARSE_ERROR_SYNTAX);
      g_assert_nonnull (strstr (error->message, cases[i].what));
      g_assert_nonnull (strstr (error->message, ", and no pipeline"));
      g_clear_error (&error);
    }
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/file-kind/finds", test_file_kind_finds);
  g_test_add_func ("/leat/file-kind/no-pipeline", test_file_kind_no_pipeline);
  return g_test_run ();
}
