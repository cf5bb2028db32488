/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes a pack: plans each pipeline of a list, which needs no device, and compiles its kernels for every target. */

#include "leat-kernelc-pack.h"

#include "leat-kernelc-list.h"

#include "leat.h"

#include "artifact/leat-artifact-private.h"
#include "artifact/leat-section-writer-private.h"
#include "bind/leat-bind-private.h"
#include "kernel/leat-image-pack-private.h"
#include "kernel/leat-kernel-source-private.h"
#include "lane/leat-repeater-private.h"
#include "plan/leat-plan-private.h"

#include <stdio.h>
#include <string.h>

/* From here on kernels may begin before others have ended, and there is a form of those that do not. */
#define LEAT_KERNELC_EARLY 90
/* The newest PTX that the driver takes which README.md promises. */
#define LEAT_KERNELC_PTX 8.4

typedef struct
{
  LeatKernelSource *source;
  LeatImageTarget target;
  char *name; /* of the section */
  GBytes *packed;
} LeatKernelcImage;

typedef struct
{
  GPtrArray *targets; /* LeatImageTarget */
  GHashTable *images; /* name of the section -> LeatKernelcImage */
  guint n_done;
  GError *error;
  GMutex lock;
} LeatKernelcPack;

static void
leat_kernelc_image_free (gpointer data)
{
  LeatKernelcImage *self = data;

  leat_kernel_source_unref (self->source);
  g_clear_pointer (&self->packed, g_bytes_unref);
  g_free (self->name);
  g_free (self);
}

static void
leat_kernelc_pack_clear (LeatKernelcPack *self)
{
  g_ptr_array_unref (self->targets);
  g_hash_table_unref (self->images);
  g_clear_error (&self->error);
  g_mutex_clear (&self->lock);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatKernelcPack, leat_kernelc_pack_clear)

static gboolean
leat_kernelc_pack_parse_targets (LeatKernelcPack *self, const char *list, GError **error)
{
  g_auto (GStrv) names = g_strsplit (list, ",", -1);
  LeatImageTarget target;

  for (guint i = 0; names[i] != NULL; i++)
    {
      if (!leat_image_target_parse (names[i], &target, error))
        return FALSE;
      g_ptr_array_add (self->targets, g_memdup2 (&target, sizeof target));
    }
  return TRUE;
}

static void
leat_kernelc_pack_add (LeatKernelcPack *self, LeatKernelSource *source, const LeatImageTarget *target)
{
  g_autofree char *name = leat_image_target_to_string (target);
  LeatKernelcImage *image;
  LeatImageKeyName key_name;
  LeatImageKey key;

  leat_image_make_key (source, target, NULL, &key);
  leat_image_key_format (&key, key_name);
  image = g_new0 (LeatKernelcImage, 1);
  image->source = leat_kernel_source_ref (source);
  image->target = *target;
  image->name = g_strdup_printf ("%s %s%s%s %s", key_name, name, target->enclosed ? "+enclosed" : "",
                                 target->whole ? "+whole" : "", leat_kernel_source_get_name (source));
  if (g_hash_table_contains (self->images, image->name))
    leat_kernelc_image_free (image);
  else
    g_hash_table_insert (self->images, image->name, image);
}

/* In each form that an ordinary run asks for. */
static void
leat_kernelc_pack_add_source (LeatKernelcPack *self, LeatKernelSource *source)
{
  for (guint i = 0; i < self->targets->len; i++)
    {
      LeatImageTarget target = *(LeatImageTarget *) self->targets->pdata[i];

      target.whole = target.kind == LEAT_IMAGE_HOST && leat_kernel_source_has_variants (source);
      leat_kernelc_pack_add (self, source, &target);
      target.enclosed = target.kind == LEAT_IMAGE_CUBIN && target.capability >= LEAT_KERNELC_EARLY;
      if (target.enclosed)
        leat_kernelc_pack_add (self, source, &target);
    }
}

static gboolean
leat_kernelc_pack_add_pipeline (LeatKernelcPack *self, const char *text, GError **error)
{
  g_autofree char *whole = g_strconcat ("leat 1\n", text, NULL);
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, error);
  LeatPlan *plan = pipeline != NULL ? leat_plan_new (pipeline, error) : NULL;

  if (plan == NULL)
    {
      g_prefix_error (error, "in the pipeline\n%s", text);
      return FALSE;
    }
  for (guint i = 0; i < plan->ops->len; i++)
    if (leat_plan_get_op (plan, i)->kind == LEAT_OP_KERNEL)
      leat_kernelc_pack_add_source (self, leat_plan_get_op (plan, i)->source);
  g_object_unref (plan);
  return TRUE;
}

/* What ships loads on every driver that Leat is for. */
static gboolean
leat_kernelc_image_check (const LeatKernelcImage *self, GBytes *bytes, GError **error)
{
  const char *ptx = self->target.kind == LEAT_IMAGE_PTX ? g_bytes_get_data (bytes, NULL) : NULL;
  const char *line = ptx != NULL ? strstr (ptx, ".version ") : NULL;

  if (line == NULL || g_ascii_strtod (line + strlen (".version "), NULL) <= LEAT_KERNELC_PTX)
    return TRUE;
  g_set_error (
    error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED,
    "%s: the PTX needs version %.3s, and drivers for CUDA 12.4 take %.1f: if what is new in it is older, add it to "
    "core/kernel/leat-image-ptx-version.c",
    self->name, line + strlen (".version "), LEAT_KERNELC_PTX);
  return FALSE;
}

static void
leat_kernelc_pack_compile (gpointer data, gpointer user_data)
{
  LeatKernelcImage *image = data;
  LeatKernelcPack *self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = leat_image_get (image->source, &image->target, &error);

  if (bytes != NULL && leat_kernelc_image_check (image, bytes, &error))
    image->packed = leat_image_deflate (bytes);
  g_mutex_lock (&self->lock);
  if (error != NULL && self->error == NULL)
    self->error = g_steal_pointer (&error);
  if (++self->n_done % 50 == 0)
    g_printerr ("leat-kernelc: %u of %u images\n", self->n_done, g_hash_table_size (self->images));
  g_mutex_unlock (&self->lock);
}

static gboolean
leat_kernelc_pack_compile_all (LeatKernelcPack *self, GError **error)
{
  GThreadPool *pool = g_thread_pool_new (leat_kernelc_pack_compile, self, (int) g_get_num_processors (), FALSE, error);
  GHashTableIter iter;
  gpointer image;

  if (pool == NULL)
    return FALSE;
  g_hash_table_iter_init (&iter, self->images);
  while (g_hash_table_iter_next (&iter, NULL, &image))
    g_thread_pool_push (pool, image, NULL);
  g_thread_pool_free (pool, FALSE, TRUE);
  if (self->error != NULL)
    g_propagate_error (error, g_steal_pointer (&self->error));
  return error == NULL || *error == NULL;
}

static gboolean
leat_kernelc_pack_write (LeatKernelcPack *self, const char *path, const char *targets, GError **error)
{
  g_autoptr (LeatSectionWriter) writer = leat_section_writer_new (LEAT_IMAGE_PACK_KIND, "image pack");
  g_autofree char *words = g_strdelimit (g_strdup (targets), ",", ' ');
  GHashTableIter iter;
  gpointer data;

  leat_section_writer_add_text (writer, LEAT_IMAGE_PACK_FACT, "kernels", leat_artifact_get_identity ());
  leat_section_writer_add_text (writer, LEAT_IMAGE_PACK_FACT, "targets", words);
  g_hash_table_iter_init (&iter, self->images);
  while (g_hash_table_iter_next (&iter, NULL, &data))
    {
      LeatKernelcImage *image = data;

      leat_section_writer_add (writer, LEAT_IMAGE_PACK_IMAGE, image->name, image->packed);
    }
  return leat_section_writer_write (writer, path, error);
}

static int
leat_kernelc_image_compare (gconstpointer a, gconstpointer b)
{
  return strcmp (strchr (a, ' '), strchr (b, ' '));
}

static void
leat_kernelc_pack_print (LeatKernelcPack *self)
{
  g_autoptr (GList) names = g_list_sort (g_hash_table_get_keys (self->images), leat_kernelc_image_compare);

  for (GList *link = names; link != NULL; link = link->next)
    puts (link->data);
}

gboolean
leat_kernelc_pack (const char *path, const char *targets, const char *list, GError **error)
{
  g_auto (LeatKernelcPack) self = { g_ptr_array_new_with_free_func (g_free),
                                    g_hash_table_new_full (g_str_hash, g_str_equal, NULL, leat_kernelc_image_free) };
  g_autoptr (GPtrArray) pipelines = leat_kernelc_list_read (list, error);

  g_mutex_init (&self.lock);
  if (pipelines == NULL || !leat_kernelc_pack_parse_targets (&self, targets, error))
    return FALSE;
  for (guint i = 0; i < pipelines->len; i++)
    if (!leat_kernelc_pack_add_pipeline (&self, pipelines->pdata[i], error))
      return FALSE;
  leat_kernelc_pack_add_source (&self, leat_transfer_get_source ());
  leat_kernelc_pack_add_source (&self, leat_repeater_get_source ());
  if (path == NULL)
    leat_kernelc_pack_print (&self);
  return path == NULL
         || (leat_kernelc_pack_compile_all (&self, error) && leat_kernelc_pack_write (&self, path, targets, error));
}
