/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A folder for one call of a compiler, which goes with the call, with the process, or with the next process that looks.
 * Touches such folders only. */

#include "leat-image-scratch-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Processes of the compiler's own may add files while others are removed. */
#define LEAT_IMAGE_SCRATCH_TRIES 10
/* Behind it come the process and six characters of chance. */
#define LEAT_IMAGE_SCRATCH_NAME "leat-kernel-"
#define LEAT_IMAGE_SCRATCH_END  "-XXXXXX"

struct _LeatImageScratch
{
  char *folder;
  int lock; /* held as long as the process lives */
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

/* Called by quick_exit (); other threads run on, so the list stays locked.  Processes that the compiler has started
 * itself are not known, and can make no file in a folder that is gone. */
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

/* Is it of a process that is there no more?  One of another container may be there all the same, and holds the lock. */
static gboolean
leat_image_scratch_is_left (const char *folder, const char *name)
{
  char *end;
  guint64 pid = g_ascii_strtoull (name + strlen (LEAT_IMAGE_SCRATCH_NAME), &end, 10);
  struct stat info;
  gboolean left;
  int fd;

  /* Others may have folders whose names begin so. */
  if (end[0] != '-' || strlen (end) != strlen (LEAT_IMAGE_SCRATCH_END))
    return FALSE;
  if (pid == 0 || pid > G_MAXINT || kill ((pid_t) pid, 0) == 0 || errno != ESRCH)
    return FALSE;
  fd = open (folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0)
    return FALSE;
  left = fstat (fd, &info) == 0 && info.st_uid == geteuid () && flock (fd, LOCK_EX | LOCK_NB) == 0;
  close (fd);
  return left;
}

/* A process that was killed left its folder. */
static void
leat_image_scratch_sweep (void)
{
  g_autoptr (GDir) dir = g_dir_open (g_get_tmp_dir (), 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *folder = NULL;

      if (!g_str_has_prefix (name, LEAT_IMAGE_SCRATCH_NAME))
        continue;
      folder = g_build_filename (g_get_tmp_dir (), name, NULL);
      if (leat_image_scratch_is_left (folder, name))
        leat_image_scratch_remove_folder (folder);
    }
}

static char *
leat_image_scratch_make_folder (GError **error)
{
  g_autofree char *name = g_strdup_printf (LEAT_IMAGE_SCRATCH_NAME "%d" LEAT_IMAGE_SCRATCH_END, (int) getpid ());

  return g_dir_make_tmp (name, error);
}

LeatImageScratch *
leat_image_scratch_new (GError **error)
{
  static gsize registered;
  LeatImageScratch *self;
  char *folder;

  if (g_once_init_enter (&registered))
    {
      leat_image_scratch_sweep ();
      g_once_init_leave (&registered, at_quick_exit (leat_image_scratch_remove_all) == 0 ? 1 : 2);
    }
  g_mutex_lock (&leat_image_scratch_mutex);
  folder = leat_image_scratch_make_folder (error);
  if (folder == NULL)
    {
      g_mutex_unlock (&leat_image_scratch_mutex);
      return NULL;
    }
  self = g_new0 (LeatImageScratch, 1);
  self->folder = folder;
  self->lock = open (folder, O_RDONLY | O_CLOEXEC);
  if (self->lock >= 0)
    flock (self->lock, LOCK_EX | LOCK_NB);
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
  if (self->lock >= 0)
    close (self->lock);
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
