/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes and removes the hidden files that output files are until they get their names.  Touches the process's list of
 * them, under its lock, so that quick_exit () leaves none behind. */

#include "leat-output-name-private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LEAT_OUTPUT_NAME_TRIES 100

typedef gboolean (*LeatOutputNameTry) (const char *name, gpointer data);

static GMutex leat_output_name_mutex;
static GList *leat_output_names; /* those that are there now */

/* Called by quick_exit (); other threads run on, so the list stays locked. */
static void
leat_output_name_remove_all (void)
{
  g_mutex_lock (&leat_output_name_mutex);
  for (GList *l = leat_output_names; l != NULL; l = l->next)
    unlink (l->data);
}

static gboolean
leat_output_name_try_create (const char *name, gpointer data)
{
  int *fd = data;

  *fd = open (name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  return *fd >= 0;
}

static gboolean
leat_output_name_try_link (const char *name, gpointer handle)
{
  return linkat (AT_FDCWD, handle, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Made and listed under the lock, so that quick_exit () finds every file there is. */
static char *
leat_output_name_find (const char *target, LeatOutputNameTry try, gpointer data)
{
  g_autofree char *folder = g_path_get_dirname (target);
  g_autofree char *name = g_path_get_basename (target);
  g_autofree char *hidden = g_strndup (name, 200); /* a name may be as long as a name can be */
  static gsize registered;

  if (g_once_init_enter (&registered))
    g_once_init_leave (&registered, at_quick_exit (leat_output_name_remove_all) == 0 ? 1 : 2);
  errno = EEXIST;
  for (guint i = 0; i < LEAT_OUTPUT_NAME_TRIES && errno == EEXIST; i++)
    {
      char *self = g_strdup_printf ("%s/.%s.%06x", folder, hidden, g_random_int () & 0xffffff);
      gboolean done;
      int code;

      g_mutex_lock (&leat_output_name_mutex);
      done = try (self, data);
      code = errno;
      if (done)
        leat_output_names = g_list_prepend (leat_output_names, self);
      g_mutex_unlock (&leat_output_name_mutex);
      if (done)
        return self;
      g_free (self);
      errno = code;
    }
  return NULL;
}

static void
leat_output_name_forget (char *self)
{
  leat_output_names = g_list_remove (leat_output_names, self);
  g_free (self);
}

char *
leat_output_name_create (const char *target, int *fd)
{
  return leat_output_name_find (target, leat_output_name_try_create, fd);
}

char *
leat_output_name_link (const char *target, const char *handle)
{
  return leat_output_name_find (target, leat_output_name_try_link, (gpointer) handle);
}

gboolean
leat_output_name_rename (char *self, const char *target)
{
  gboolean done;
  int code;

  g_mutex_lock (&leat_output_name_mutex);
  done = rename (self, target) == 0;
  code = errno;
  if (done)
    leat_output_name_forget (self);
  g_mutex_unlock (&leat_output_name_mutex);
  errno = code;
  return done;
}

void
leat_output_name_remove (char *self)
{
  g_mutex_lock (&leat_output_name_mutex);
  unlink (self);
  leat_output_name_forget (self);
  g_mutex_unlock (&leat_output_name_mutex);
}

char *
leat_output_name_from_fd (int fd)
{
  return g_strdup_printf ("/proc/self/fd/%d", fd);
}
