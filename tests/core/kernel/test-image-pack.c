/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "artifact/leat-artifact-private.h"
#include "artifact/leat-section-writer-private.h"
#include "kernel/leat-image-pack-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* Packs of images: what runs where, and what is not taken.  Images are words here: nobody looks into them. */

#define PACK_TEXT "__global__ void f (int *x) { *x = 1; }\n"

typedef struct
{
  char *folder, *path, *folders[2];
  LeatKernelSource *source;
} PackCase;

static GString *pack_said;

static GLogWriterOutput
pack_hear (GLogLevelFlags level, const GLogField *fields, gsize n, gpointer data)
{
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (fields[i].key, "MESSAGE"))
      g_string_append_printf (pack_said, "%s\n", (const char *) fields[i].value);
  return G_LOG_WRITER_HANDLED;
}

static void
pack_case_init (PackCase *self)
{
  g_autoptr (GError) error = NULL;

  self->folder = g_dir_make_tmp ("leat-pack-XXXXXX", &error);
  g_assert_no_error (error);
  self->path = g_build_filename (self->folder, "p.leati", NULL);
  self->folders[0] = self->folder;
  self->folders[1] = NULL;
  self->source = leat_kernel_source_new ("f.cu", PACK_TEXT, &error);
  g_assert_no_error (error);
  g_string_truncate (pack_said, 0);
}

static void
pack_case_clear (PackCase *self)
{
  g_remove (self->path);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->path);
  g_free (self->folder);
  leat_kernel_source_unref (self->source);
}

/* Each target's image is its name. @targets: with blanks between */
static void
pack_case_write (PackCase *self, const char *targets, const char *kernels)
{
  g_autoptr (LeatSectionWriter) writer = leat_section_writer_new (LEAT_IMAGE_PACK_KIND, "image pack");
  g_auto (GStrv) names = g_strsplit (targets, " ", -1);
  g_autoptr (GError) error = NULL;

  leat_section_writer_add_text (writer, LEAT_IMAGE_PACK_FACT, "kernels", kernels);
  leat_section_writer_add_text (writer, LEAT_IMAGE_PACK_FACT, "targets", targets);
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GBytes) image = g_bytes_new_static (names[i], strlen (names[i])), packed = leat_image_deflate (image);
      g_autofree char *name = NULL;
      LeatImageTarget target;
      LeatImageKeyName key_name;
      LeatImageKey key;

      g_assert_true (leat_image_target_parse (names[i], &target, NULL));
      leat_image_make_key (self->source, &target, NULL, &key);
      leat_image_key_format (&key, key_name);
      name = g_strdup_printf ("%s %s f.cu", key_name, names[i]);
      leat_section_writer_add (writer, LEAT_IMAGE_PACK_IMAGE, name, packed);
    }
  g_assert_true (leat_section_writer_write (writer, self->path, &error));
  g_assert_no_error (error);
}

/* @wanted: (nullable) */
static void
pack_case_expect_form (PackCase *self, LeatKernelSource *source, const LeatImageTarget *target, const char *wanted)
{
  g_autoptr (GBytes) image = leat_image_packs_find (self->folders, source, target);
  g_autofree char *found = image != NULL ? g_strndup (g_bytes_get_data (image, NULL), g_bytes_get_size (image)) : NULL;

  g_assert_cmpstr (found, ==, wanted);
}

static void
pack_case_expect (PackCase *self, const char *asked, const char *wanted)
{
  LeatImageTarget target;

  g_assert_true (leat_image_target_parse (asked, &target, NULL));
  pack_case_expect_form (self, self->source, &target, wanted);
}

static void
test_image_pack_targets (void)
{
  static const char *const rows[][2] = {
    { "x86-64", "x86-64" },         { "x86-64-v3", "x86-64-v3" }, { "sm_80", "sm_80" },       { "sm_86", "sm_80" },
    { "sm_90", "sm_90" },           { "sm_75", "compute_75" },    { "sm_120", "compute_75" }, { "sm_70", NULL },
    { "compute_75", "compute_75" }, { "compute_90", NULL },
  };
  PackCase c;

  pack_case_init (&c);
  pack_case_write (&c, "x86-64-v3 x86-64 sm_90 sm_80 compute_75", leat_artifact_get_identity ());
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    pack_case_expect (&c, rows[i][0], rows[i][1]);
#ifdef __x86_64__
  pack_case_expect (&c, "native", leat_image_cpu_runs ("x86-64-v3") ? "x86-64-v3" : "x86-64");
#endif
  g_setenv ("CUDA_FORCE_PTX_JIT", "1", TRUE);
  pack_case_expect (&c, "sm_90", "compute_75");
  g_setenv ("CUDA_FORCE_PTX_JIT", "0", TRUE);
  pack_case_expect (&c, "sm_90", "sm_90");
  g_unsetenv ("CUDA_FORCE_PTX_JIT");
  g_assert_cmpstr (pack_said->str, ==, "");
  pack_case_clear (&c);
}

/* Another text, another form: not this image. */
static void
test_image_pack_other_key (void)
{
  g_autoptr (LeatKernelSource) other = leat_kernel_source_new ("f.cu", PACK_TEXT "//\n__device__ int y;\n", NULL);
  LeatImageTarget target;
  PackCase c;

  pack_case_init (&c);
  pack_case_write (&c, "sm_90 compute_75", leat_artifact_get_identity ());
  g_assert_true (leat_image_target_parse ("sm_90", &target, NULL));
  pack_case_expect_form (&c, other, &target, NULL);
  target.enclosed = TRUE;
  pack_case_expect_form (&c, c.source, &target, NULL);
  g_assert_cmpstr (pack_said->str, ==, "");
  pack_case_clear (&c);
}

static void
pack_case_change (PackCase *self, gssize at, gsize most)
{
  g_autofree char *data = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (self->path, &data, &size, NULL));
  if (at != 0)
    data[at < 0 ? (gssize) size + at : at] ^= 1;
  g_assert_true (g_file_set_contents (self->path, data, (gssize) MIN (size, most), NULL));
}

/* Nothing of such a pack is used, and the reason is told once. */
static void
test_image_pack_refused (void)
{
  static const struct
  {
    const char *kernels; /* NULL: those that are here */
    gssize change;
    gsize most;
    int mode;
    const char *reason;
  } rows[] = {
    { "another", 0, G_MAXSSIZE, 0600, "it was made by another build of Leat; ./dev images makes those of this one" },
    { NULL, 40, G_MAXSSIZE, 0600, "the checksum of its table is wrong; take another copy" },
    { NULL, 0, 100, 0600, "it has 100 bytes and should have" },
    { NULL, 0, 7, 0600, "it is no image pack" },
    { NULL, -64, G_MAXSSIZE, 0600, "the checksum of \"fact targets\" is wrong; take another copy" },
    { NULL, 260, G_MAXSSIZE, 0600, "the checksum of \"imag " },
    { NULL, 0, G_MAXSSIZE, 0666, "writable by nobody else" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      PackCase c;

      pack_case_init (&c);
      pack_case_write (&c, "sm_90", rows[i].kernels != NULL ? rows[i].kernels : leat_artifact_get_identity ());
      pack_case_change (&c, rows[i].change, rows[i].most);
      g_assert_cmpint (g_chmod (c.path, rows[i].mode), ==, 0);
      pack_case_expect (&c, "sm_90", NULL);
      g_assert_nonnull (strstr (pack_said->str, rows[i].reason));
      g_assert_nonnull (strstr (pack_said->str, "; kernels are compiled instead"));
      pack_case_clear (&c);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pack_said = g_string_new (NULL);
  g_log_set_writer_func (pack_hear, NULL, NULL);
  /* Else nothing ships, and these are no images anyway. */
  g_unsetenv ("LEAT_KERNEL_SANITIZE");
  g_test_add_func ("/leat/image/pack/targets", test_image_pack_targets);
  g_test_add_func ("/leat/image/pack/other-key", test_image_pack_other_key);
  g_test_add_func ("/leat/image/pack/refused", test_image_pack_refused);
  return g_test_run ();
}
