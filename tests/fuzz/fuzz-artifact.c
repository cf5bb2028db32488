/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"

#include "leat.h"

#include "artifact/leat-artifact-private.h"
#include "section/leat-section-form-private.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

const char *const leat_fuzz_words[] = {
  "LEATSEC\n",
  "leat",
  "file",
  "imag",
  "lern",
  "mani",
  "plan",
  "manifest",
  "main=",
  "folder=",
  "origin=/",
  "targets=native;sm_90;",
  "open=",
  "[values]\n",
  "[artifact]\n",
  "../",
  "/",
  "\x01",
  "\xff\xff\xff\xff",
  "\xff\xff\xff\xff\xff\xff\xff\xff",
  "include \"",
  "\n",
  NULL,
};

static const char *
get_path (void)
{
  static char *path;

  if (path == NULL)
    path = g_strdup_printf ("%s/fuzz-artifact-%d.leata", g_get_tmp_dir (), (int) getpid ());
  return path;
}

/* Whatever else it says: what an attacker would write has the right checksums. */
static void
sum_up (const guint8 *data, guint64 size, guint8 checksum[16])
{
  XXH3_state_t *state = XXH3_createState ();

  XXH3_128bits_reset (state);
  XXH3_128bits_update (state, data, size);
  leat_section_sum_end (state, checksum);
}

static void
forge (guint8 *data, gsize size)
{
  LeatSectionHead *head = (LeatSectionHead *) (gpointer) data;
  LeatSectionRow *rows = (LeatSectionRow *) (gpointer) (data + sizeof *head);
  guint64 all;

  if (size < sizeof *head)
    return;
  memcpy (head->magic, LEAT_SECTION_MAGIC, sizeof head->magic);
  head->version = LEAT_SECTION_VERSION;
  head->kind = LEAT_ARTIFACT_KIND;
  head->file_bytes = size;
  all = leat_section_head_get_bytes (head);
  if (all > size)
    return;
  for (guint i = 0; i < head->n_sections; i++)
    if (rows[i].offset <= size && leat_section_align (rows[i].size) <= size - rows[i].offset && rows[i].size <= size)
      sum_up (data + rows[i].offset, leat_section_align (rows[i].size), rows[i].checksum);
  memset (head->checksum, 0, sizeof head->checksum);
  sum_up (data, all, head->checksum);
}

static void
write_file (const guint8 *data, gsize size)
{
  FILE *file = fopen (get_path (), "we");

  g_assert_nonnull (file);
  g_assert_cmpuint (fwrite (data, 1, size, file), ==, size);
  g_assert_cmpint (fclose (file), ==, 0);
  g_assert_cmpint (g_chmod (get_path (), 0600), ==, 0);
}

/* All sections can be read, or an error says why not. */
static void
try_reader (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatSectionReader) reader = leat_section_reader_new (get_path (), LEAT_ARTIFACT_KIND, "artifact", &error);

  if (reader != NULL && leat_section_reader_check (reader, &error))
    g_assert_no_error (error);
  else
    g_assert_true (error != NULL && error->domain == LEAT_ARTIFACT_ERROR);
}

static void
try_pipeline (void)
{
  g_autoptr (GError) error = NULL, other = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_file (get_path (), NULL, &error);
  g_autoptr (GVariant) variables = leat_parse_list_variables (get_path (), &other);

  g_assert_true ((pipeline == NULL) == (error != NULL));
  g_assert_true ((variables == NULL) == (other != NULL));
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree guint8 *forged = g_memdup2 (data, size);

  write_file (data, size);
  try_reader ();
  if (!leat_section_file_is_at (get_path ()) || size < sizeof (LeatSectionHead))
    return 0;
  forge (forged, size);
  write_file (forged, size);
  try_reader ();
  if (leat_section_file_is_at (get_path ()))
    try_pipeline ();
  g_unlink (get_path ());
  return 0;
}
