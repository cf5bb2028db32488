/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds the image of a kernel in the artifacts that are open: the best one that runs on a target. */

#include "leat-artifact-object-private.h"

#include "kernel/leat-image-pack-private.h"

static gboolean
leat_artifact_find_image (LeatArtifact *self, LeatKernelSource *source, const LeatImageTarget *target,
                          LeatSection *section)
{
  for (guint i = 0; i < self->targets->len; i++)
    {
      LeatImageTarget made;
      LeatImageKeyName name;
      LeatImageKey key;

      if (!leat_image_target_runs (self->targets->pdata[i], target))
        continue;
      made = leat_image_target_with_code (target, self->targets->pdata[i]);
      leat_image_make_key (source, &made, NULL, &key);
      leat_image_key_format (&key, name);
      if (leat_section_reader_find_first (self->reader, LEAT_ARTIFACT_IMAGE, name, section))
        return TRUE;
    }
  return FALSE;
}

/* No lock is held: to make a key may be to read files of the artifact. (transfer full) (nullable) */
static LeatArtifact *
leat_artifacts_find_image_in (LeatKernelSource *source, const LeatImageTarget *target, LeatSection *section)
{
  g_autoptr (GPtrArray) artifacts = leat_artifacts_list ();

  for (guint i = 0; i < artifacts->len; i++)
    {
      LeatArtifact *artifact = artifacts->pdata[i];

      if (artifact->fits && leat_artifact_find_image (artifact, source, target, section))
        return leat_artifact_ref (artifact);
    }
  return NULL;
}

/* Kernels with a clock around them, and those of a loop, have another form to fall back to: no compiler is asked for
 * them where that one travels. */
static gboolean
leat_artifacts_have_plainer (LeatKernelSource *source, const LeatImageTarget *target, GError **error)
{
  LeatImageTarget plain = *target;
  g_autoptr (LeatArtifact) artifact = NULL;
  LeatSection section;

  plain.timed = plain.enclosed = FALSE;
  artifact = target->timed || target->enclosed ? leat_artifacts_find_image_in (source, &plain, &section) : NULL;
  if (artifact != NULL)
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER, "%s has no image of this form",
                 leat_section_reader_get_path (artifact->reader));
  return artifact != NULL;
}

GBytes *
leat_artifacts_find_image (LeatKernelSource *source, const LeatImageTarget *target, gboolean *is_known, GError **error)
{
  LeatSection section;
  g_autoptr (LeatArtifact) artifact = leat_artifacts_find_image_in (source, target, &section);

  *is_known = artifact != NULL;
  if (artifact == NULL)
    {
      *is_known = leat_artifacts_have_plainer (source, target, error);
      return NULL;
    }
  if (section.size > 0)
    return leat_section_reader_read (artifact->reader, &section, error);
  g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE, "%s does not compile, as when %s was made",
               leat_kernel_source_get_name (source), leat_section_reader_get_path (artifact->reader));
  return NULL;
}

/* With commas between; @more is the last one, unless it is among them. */
static char *
leat_artifact_dup_targets (LeatArtifact *self, const char *more)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) names = NULL;

  for (guint i = 0; i < self->targets->len; i++)
    {
      g_autofree char *name = leat_image_target_to_string (self->targets->pdata[i]);

      if (g_strcmp0 (name, more) != 0)
        g_strv_builder_add (builder, name);
    }
  if (more != NULL)
    g_strv_builder_add (builder, more);
  names = g_strv_builder_end (builder);
  return g_strjoinv (",", names);
}

/* Of the artifact that was opened last. */
char *
leat_artifacts_dup_image_advice (const LeatImageTarget *target)
{
  g_autoptr (GPtrArray) artifacts = leat_artifacts_list ();
  LeatArtifact *artifact = artifacts->len > 0 ? artifacts->pdata[0] : NULL;
  g_autofree char *name = leat_image_target_to_string (target), *has = NULL, *needs = NULL;

  if (artifact == NULL)
    return NULL;
  if (!artifact->fits)
    return g_strdup_printf ("; the images of %s are of another build of Leat: compile the pipeline again with the "
                            "leat-compile of this one",
                            leat_section_reader_get_path (artifact->reader));
  has = leat_artifact_dup_targets (artifact, NULL);
  needs = leat_artifact_dup_targets (artifact, name);
  return g_strdup_printf (
    "; %s has images for %s, and none of this kernel for %s%s: where there is a compiler, make it "
    "with leat-compile FILE.leat --target=%s%s",
    leat_section_reader_get_path (artifact->reader), has, name, target->wide ? " in batches" : "", needs,
    target->wide         ? " --batch"
    : target->persistent ? " --persistent"
                         : "");
}
