/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Takes note of what a pipeline uses.  Any thread of the library may tell; nothing is read here. */

#include "leat-compile-gather.h"

static GMutex lock;
static LeatGathered *gathered;
static GHashTable *left; /* files that are none of the artifact's */
static char **open_variables;

static void
leat_gathered_image_clear (gpointer data)
{
  LeatGatheredImage *self = data;

  leat_kernel_source_unref (self->source);
  g_clear_pointer (&self->image, g_bytes_unref);
  g_free (self);
}

void
leat_gathered_free (LeatGathered *self)
{
  g_ptr_array_unref (self->files);
  g_ptr_array_unref (self->images);
  g_hash_table_unref (self->learned);
  g_ptr_array_unref (self->apart);
  g_free (self);
}

static void
leat_compile_take_file (const char *path)
{
  char *absolute = g_canonicalize_filename (path, NULL);

  g_mutex_lock (&lock);
  if (g_ptr_array_find_with_equal_func (gathered->files, absolute, g_str_equal, NULL))
    g_free (absolute);
  else
    g_ptr_array_add (gathered->files, absolute);
  g_mutex_unlock (&lock);
}

static void
leat_compile_leave_file (const char *path)
{
  g_mutex_lock (&lock);
  g_hash_table_add (left, g_canonicalize_filename (path, NULL));
  g_mutex_unlock (&lock);
}

static gboolean
leat_compile_is_open (const char *variable)
{
  return g_strv_contains ((const char *const *) open_variables, variable);
}

static void
leat_compile_take_image (LeatKernelSource *source, const LeatImageTarget *target, GBytes *image)
{
  LeatGatheredImage *made = g_new0 (LeatGatheredImage, 1);

  *made = (LeatGatheredImage){ leat_kernel_source_ref (source), *target, image != NULL ? g_bytes_ref (image) : NULL };
  g_mutex_lock (&lock);
  g_ptr_array_add (gathered->images, made);
  g_mutex_unlock (&lock);
}

static void
leat_compile_take_learned (const char *name, const char *path)
{
  g_mutex_lock (&lock);
  g_hash_table_insert (gathered->learned, g_strdup (name), g_strdup (path));
  g_mutex_unlock (&lock);
}

void
leat_compile_gather_begin (const char *const *open)
{
  static const LeatSupplyTaker taker = { leat_compile_take_file, leat_compile_take_image, leat_compile_is_open,
                                         leat_compile_leave_file, leat_compile_take_learned };

  gathered = g_new0 (LeatGathered, 1);
  gathered->files = g_ptr_array_new_with_free_func (g_free);
  gathered->images = g_ptr_array_new_with_free_func (leat_gathered_image_clear);
  gathered->learned = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  gathered->apart = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_kernel_source_unref);
  left = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  open_variables = g_strdupv ((char **) open);
  leat_supply_set_taker (&taker);
}

guint
leat_compile_gather_count_images (void)
{
  return gathered->images->len;
}

LeatGatheredImage
leat_compile_gather_get_image (guint index)
{
  return *(LeatGatheredImage *) g_ptr_array_index (gathered->images, index);
}

void
leat_compile_gather_note_apart (LeatKernelSource *source)
{
  if (!leat_compile_gather_is_apart (source))
    g_ptr_array_add (gathered->apart, leat_kernel_source_ref (source));
}

gboolean
leat_compile_gather_is_apart (LeatKernelSource *source)
{
  return g_ptr_array_find (gathered->apart, source, NULL);
}

/* A file may have been read before it was said to belong to an open variable. */
LeatGathered *
leat_compile_gather_end (void)
{
  leat_supply_set_taker (NULL);
  for (guint i = gathered->files->len; i > 0; i--)
    if (g_hash_table_contains (left, g_ptr_array_index (gathered->files, i - 1))
        || !g_file_test (g_ptr_array_index (gathered->files, i - 1), G_FILE_TEST_IS_REGULAR))
      g_ptr_array_remove_index (gathered->files, i - 1);
  g_clear_pointer (&left, g_hash_table_unref);
  g_clear_pointer (&open_variables, g_strfreev);
  return g_steal_pointer (&gathered);
}
