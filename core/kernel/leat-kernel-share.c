/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Many nodes run kernels of one file.  The sources made of the files that were asked for last are kept.  The next node
 * gets one of them while the file, and every file that it includes, is the one that was read. */

#include "leat-kernel-source-private.h"
#include "leat-supply-private.h"

#include <string.h>
#include <sys/stat.h>

#define MOST_SHARED 8

typedef struct
{
  dev_t device;
  ino_t inode;
  off_t bytes;
  struct timespec modified, changed;
} LeatFileStamp;

typedef struct
{
  char *path;
  char **defines; /* (nullable) */
  LeatFloatFlags floats;
  LeatKernelSource *source;
  LeatFileStamp *stamps; /* of the files that its text depends on, in step */
  guint64 round;         /* in which the files were looked at last */
} LeatSharedSource;

static GMutex leat_shared_lock;
static GQueue leat_shared = G_QUEUE_INIT;  /* LeatSharedSource, asked for last first */
static guint64 leat_shared_rounds;         /* that were begun */
static __thread guint64 leat_shared_round; /* of this thread; 0: none */

static void
leat_shared_source_free (LeatSharedSource *self)
{
  leat_kernel_source_unref (self->source);
  g_free (self->path);
  g_strfreev (self->defines);
  g_free (self->stamps);
  g_free (self);
}

static void
leat_shared_source_trim (void)
{
  while (g_queue_get_length (&leat_shared) > MOST_SHARED)
    leat_shared_source_free (g_queue_pop_tail (&leat_shared));
}

void
leat_kernel_source_begin_round (void)
{
  g_mutex_lock (&leat_shared_lock);
  leat_shared_round = ++leat_shared_rounds;
  g_mutex_unlock (&leat_shared_lock);
}

void
leat_kernel_source_end_round (void)
{
  g_mutex_lock (&leat_shared_lock);
  leat_shared_round = 0;
  leat_shared_source_trim ();
  g_mutex_unlock (&leat_shared_lock);
}

/* All zeros where there is no such file. */
static void
leat_file_stamp_take (LeatFileStamp *self, const char *path)
{
  struct stat facts;

  memset (self, 0, sizeof *self);
  if (stat (path, &facts) != 0)
    {
      self->inode = leat_supply_identify (path);
      return;
    }
  self->device = facts.st_dev;
  self->inode = facts.st_ino;
  self->bytes = facts.st_size;
  self->modified = facts.st_mtim;
  self->changed = facts.st_ctim;
}

static gboolean
leat_shared_source_is_current (LeatSharedSource *self)
{
  const GPtrArray *files = leat_kernel_source_get_text (self->source)->asked;

  if (leat_shared_round != 0 && self->round == leat_shared_round)
    return TRUE;
  self->round = leat_shared_round;
  for (guint i = 0; i < files->len; i++)
    {
      LeatFileStamp now;

      leat_file_stamp_take (&now, g_ptr_array_index (files, i));
      if (memcmp (&now, &self->stamps[i], sizeof now) != 0)
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_shared_source_has_defines (LeatSharedSource *self, const char *const *defines)
{
  if (self->defines == NULL || defines == NULL)
    return self->defines == NULL && defines == NULL;
  return g_strv_equal ((const char *const *) self->defines, defines);
}

/* (transfer full) (nullable) */
static LeatKernelSource *
leat_shared_source_find (const char *path, const char *const *defines, LeatFloatFlags floats)
{
  for (GList *link = leat_shared.head; link != NULL; link = link->next)
    {
      LeatSharedSource *shared = link->data;

      if (shared->floats != floats || !g_str_equal (shared->path, path)
          || !leat_shared_source_has_defines (shared, defines))
        continue;
      g_queue_unlink (&leat_shared, link);
      if (leat_shared_source_is_current (shared))
        {
          g_queue_push_head_link (&leat_shared, link);
          return leat_kernel_source_ref (shared->source);
        }
      leat_shared_source_free (shared);
      g_list_free_1 (link);
      return NULL;
    }
  return NULL;
}

/* @before: the stamp of the file itself before it was read, so that one that changed since is not kept. */
static void
leat_shared_source_add (const char *path, const char *const *defines, LeatFloatFlags floats, LeatKernelSource *source,
                        const LeatFileStamp *before)
{
  const GPtrArray *files = leat_kernel_source_get_text (source)->asked;
  g_autofree LeatFileStamp *stamps = g_new0 (LeatFileStamp, files->len + 1);
  LeatSharedSource *shared;

  for (guint i = 0; i < files->len; i++)
    leat_file_stamp_take (&stamps[i], g_ptr_array_index (files, i));
  if (files->len == 0 || memcmp (&stamps[0], before, sizeof *before) != 0)
    return;
  shared = g_new0 (LeatSharedSource, 1);
  shared->path = g_strdup (path);
  shared->defines = g_strdupv ((char **) defines);
  shared->floats = floats;
  shared->source = leat_kernel_source_ref (source);
  shared->stamps = g_steal_pointer (&stamps);
  shared->round = leat_shared_round;
  g_queue_push_head (&leat_shared, shared);
  if (leat_shared_round == 0)
    leat_shared_source_trim ();
}

/**
 * leat_kernel_source_new_shared: (skip)
 * @path: a `.cu` file
 * @defines: (array zero-terminated=1) (nullable): macros, each `NAME` or `NAME=VALUE`
 * @strict: whether floating point is as written; see leat_kernel_source_set_strict()
 * @error: return location
 *
 * Reads a file as it is now, and shares the source with all who asked for the same before. What is shared must not be
 * made strict or fast afterwards.
 *
 * Returns: (transfer full): the source
 *
 * Since: 0.1
 */
LeatKernelSource *
leat_kernel_source_new_shared (const char *path, const char *const *defines, gboolean strict, GError **error)
{
  return leat_kernel_source_new_shared_with_floats (path, defines, strict ? LEAT_FLOATS_STRICT : LEAT_FLOATS_CONTRACT,
                                                    error);
}

/**
 * leat_kernel_source_new_shared_with_floats: (skip)
 * @path: a `.cu` file
 * @defines: (array zero-terminated=1) (nullable): macros, each `NAME` or `NAME=VALUE`
 * @floats: what the compiler may do with floating point
 * @error: return location
 *
 * Reads a file as leat_kernel_source_new_shared() does, with each freedom of the compiler named.
 *
 * Returns: (transfer full): the source
 *
 * Since: 0.1
 */
LeatKernelSource *
leat_kernel_source_new_shared_with_floats (const char *path, const char *const *defines, LeatFloatFlags floats,
                                           GError **error)
{
  LeatKernelSource *source;
  LeatFileStamp before;

  g_mutex_lock (&leat_shared_lock);
  source = leat_shared_source_find (path, defines, floats);
  if (source == NULL)
    {
      leat_file_stamp_take (&before, path);
      source = leat_kernel_source_new_full (path, NULL, defines, error);
      if (source != NULL)
        {
          leat_kernel_source_set_floats (source, floats);
          leat_shared_source_add (path, defines, floats, source, &before);
        }
    }
  g_mutex_unlock (&leat_shared_lock);
  return source;
}
