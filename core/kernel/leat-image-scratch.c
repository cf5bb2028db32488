/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-image-scratch-private.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* Processes of the compiler's own may add files while others are removed. */
#define LEAT_IMAGE_SCRATCH_TRIES 10

struct _LeatImageScratch
{
  char *folder;
  GSubprocess *child;
};

static GMutex leat_image_scratch_mutex;
static GList *leat_image_scratches;

static void
leat_image_scratch_remove_folder (const char *folder)
{
  for (guint i = 0; i < LEAT_IMAGE_SCRATCH_TRIES && g_rmdir (folder) != 0; i++)
    {
      g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
      const char *name;

      while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
        {
          g_autofree char *path = g_build_filename (folder, name, NULL);

          g_unlink (path);
        }
    }
}

/* Called by quick_exit (); other threads run on, so the list stays locked.  What the compiler has started itself is not
 * known, and can make no file in a folder that is gone. */
static void
leat_image_scratch_remove_all (void)
{
  g_mutex_lock (&leat_image_scratch_mutex);
  for (GList *l = leat_image_scratches; l != NULL; l = l->next)
    {
      LeatImageScratch *self = l->data;

      if (self->child != NULL)
        g_subprocess_send_signal (self->child, SIGTERM);
      leat_image_scratch_remove_folder (self->folder);
    }
}

LeatImageScratch *
leat_image_scratch_new (GError **error)
{
  static gsize registered;
  LeatImageScratch *self;
  char *folder;

  if (g_once_init_enter (&registered))
    g_once_init_leave (&registered, at_quick_exit (leat_image_scratch_remove_all) == 0 ? 1 : 2);
  g_mutex_lock (&leat_image_scratch_mutex);
  folder = g_dir_make_tmp ("leat-kernel-XXXXXX", error);
  if (folder == NULL)
    {
      g_mutex_unlock (&leat_image_scratch_mutex);
      return NULL;
    }
  self = g_new0 (LeatImageScratch, 1);
  self->folder = folder;
  leat_image_scratches = g_list_prepend (leat_image_scratches, self);
  g_mutex_unlock (&leat_image_scratch_mutex);
  return self;
}

void
leat_image_scratch_free (LeatImageScratch *self)
{
  g_mutex_lock (&leat_image_scratch_mutex);
  leat_image_scratches = g_list_remove (leat_image_scratches, self);
  leat_image_scratch_remove_folder (self->folder);
  g_mutex_unlock (&leat_image_scratch_mutex);
  g_clear_object (&self->child);
  g_free (self->folder);
  g_free (self);
}

const char *
leat_image_scratch_get_folder (LeatImageScratch *self)
{
  return self->folder;
}

void
leat_image_scratch_set_child (LeatImageScratch *self, GSubprocess *child)
{
  g_mutex_lock (&leat_image_scratch_mutex);
  g_set_object (&self->child, child);
  g_mutex_unlock (&leat_image_scratch_mutex);
}
