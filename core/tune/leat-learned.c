/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Findings of kernels about the device (leat_recorder_add_learned ()), on disk from session to session.  Each device
 * and pipeline geometry has one small key file, as in leat-known-ways.c.  Files that were not used for longest go.  A
 * file that was not written for this device and geometry counts as none. */

#include "kernel/leat-supply-private.h"
#include "leat-tuning-private.h"

#include <glib/gstdio.h>
#include <utime.h>
#include <xxhash.h>

#define LEAT_LEARNED_VERSION 1
#define LEAT_LEARNED_FILES   256
#define LEAT_LEARNED_GROUP   "learned"

/* LEAT_LEARNED is where instead: what a test sees must not depend on what ran before it. */
char *
leat_learned_dup_folder (const char *kind)
{
  const char *folder = g_getenv ("LEAT_LEARNED");

  if (folder == NULL)
    return g_build_filename (g_get_user_cache_dir (), "leat", kind, NULL);
  return *folder != '\0' ? g_build_filename (folder, kind, NULL) : NULL;
}

static char *
leat_learned_dup_path (const char *folder, guint64 geometry)
{
  g_autofree char *name = g_strdup_printf ("%016" G_GINT64_MODIFIER "x.ini", geometry);

  return g_build_filename (folder, name, NULL);
}

/* Another geometry has another one, so a file under a name that is not its own is none. */
static char *
leat_learned_check (guint64 geometry, gconstpointer data, gsize size)
{
  return g_strdup_printf ("%016" G_GINT64_MODIFIER "x", (guint64) XXH3_64bits_withSeed (data, size, geometry));
}

static GBytes *
leat_learned_read (GKeyFile *file, guint64 geometry, const LeatBuffer *buffer)
{
  g_autofree char *key = g_strdup_printf ("contents-%u", buffer->id), *sum = g_strdup_printf ("check-%u", buffer->id);
  g_autofree char *text = g_key_file_get_string (file, LEAT_LEARNED_GROUP, key, NULL);
  g_autofree char *told = g_key_file_get_string (file, LEAT_LEARNED_GROUP, sum, NULL);
  g_autofree guint8 *data = NULL;
  g_autofree char *check = NULL;
  gsize size;

  if (text == NULL || told == NULL)
    return NULL;
  data = g_base64_decode (text, &size);
  check = leat_learned_check (geometry, data, size);
  return size == buffer->bytes && g_str_equal (check, told) ? g_bytes_new (data, size) : NULL;
}

static void
leat_learned_write (GKeyFile *file, guint64 geometry, const LeatBuffer *buffer, GBytes *contents)
{
  gsize size;
  const guint8 *data = g_bytes_get_data (contents, &size);
  g_autofree char *key = g_strdup_printf ("contents-%u", buffer->id), *sum = g_strdup_printf ("check-%u", buffer->id);
  g_autofree char *text = g_base64_encode (data, size), *check = leat_learned_check (geometry, data, size);

  g_key_file_set_string (file, LEAT_LEARNED_GROUP, key, text);
  g_key_file_set_string (file, LEAT_LEARNED_GROUP, sum, check);
}

static gboolean
leat_plan_learns (LeatPlan *plan)
{
  for (guint i = 0; i < plan->buffers->len; i++)
    if (leat_plan_get_buffer (plan, i)->is_learned)
      return TRUE;
  return FALSE;
}

/* More than what was written for these buffers is in no such file. */
static goffset
leat_plan_bound_learned (LeatPlan *plan)
{
  goffset most = 4096;

  for (guint i = 0; i < plan->buffers->len; i++)
    if (leat_plan_get_buffer (plan, i)->is_learned)
      most += 2 * (goffset) leat_plan_get_buffer (plan, i)->bytes + 256;
  return most;
}

static gboolean
leat_learned_load_file (GKeyFile *file, const char *path, goffset most)
{
  GStatBuf status;

  /* Reading anything but a regular file might block. */
  return g_stat (path, &status) == 0 && S_ISREG (status.st_mode) && status.st_size <= most
         && g_key_file_load_from_file (file, path, G_KEY_FILE_NONE, NULL);
}

static gboolean
leat_learned_load_supplied (GKeyFile *file, const char *name, goffset most)
{
  const LeatSupply *supply = leat_supply_get ();
  g_autoptr (GBytes) bytes = supply != NULL ? supply->find_learned (name) : NULL;

  return bytes != NULL && g_bytes_get_size (bytes) <= (gsize) most
         && g_key_file_load_from_bytes (file, bytes, G_KEY_FILE_NONE, NULL);
}

gboolean
leat_learned_load (GKeyFile *file, const char *path, goffset most)
{
  const LeatSupplyTaker *taker = leat_supply_get_taker ();
  g_autofree char *folder = g_path_get_dirname (path), *kind = g_path_get_basename (folder);
  g_autofree char *base = g_path_get_basename (path), *name = g_build_filename (kind, base, NULL);

  if (taker != NULL)
    taker->take_learned (name, path);
  return leat_learned_load_file (file, path, most) || leat_learned_load_supplied (file, name, most);
}

/* Before memory is made for the plan. */
void
leat_plan_recall_learned (LeatPlan *plan, LeatDevice *device)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *folder = leat_learned_dup_folder (LEAT_LEARNED_GROUP), *path = NULL;
  guint64 geometry;

  if (folder == NULL || !leat_plan_learns (plan))
    return;
  geometry = leat_plan_hash_geometry (plan, device);
  path = leat_learned_dup_path (folder, geometry);
  if (!leat_learned_load (file, path, leat_plan_bound_learned (plan))
      || g_key_file_get_integer (file, LEAT_LEARNED_GROUP, "version", NULL) != LEAT_LEARNED_VERSION)
    return;
  for (guint i = 0; i < plan->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (plan, i);

      if (buffer->is_learned && buffer->initial == NULL)
        buffer->initial = leat_learned_read (file, geometry, buffer);
    }
  g_utime (path, NULL);
}

typedef struct
{
  char *path;
  gint64 used;
} LeatLearnedFile;

static void
leat_learned_file_clear (gpointer data)
{
  g_free (((LeatLearnedFile *) data)->path);
}

static int
leat_learned_file_compare (gconstpointer a, gconstpointer b)
{
  const LeatLearnedFile *one = a, *other = b;

  return one->used < other->used ? 1 : one->used > other->used ? -1 : g_strcmp0 (one->path, other->path);
}

static void
leat_learned_forget (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GArray) files = g_array_new (FALSE, FALSE, sizeof (LeatLearnedFile));
  const char *name;

  g_array_set_clear_func (files, leat_learned_file_clear);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      LeatLearnedFile file = { .path = g_build_filename (folder, name, NULL) };
      GStatBuf status;

      file.used = g_stat (file.path, &status) == 0 ? (gint64) status.st_mtime : 0;
      g_array_append_val (files, file);
    }
  g_array_sort (files, leat_learned_file_compare);
  for (guint i = LEAT_LEARNED_FILES; i < files->len; i++)
    g_unlink (g_array_index (files, LeatLearnedFile, i).path);
}

/* From the device, or from the host where the session has left it. (transfer full) */
static GBytes *
leat_states_read_learned (LeatStates *self, LeatBufferId id)
{
  g_autoptr (GArray) requests = leat_requests_new ();
  LeatTransferCounts counts = { 0 };
  LeatRequest request;
  GBytes *kept = self->evicted != NULL ? g_ptr_array_index (self->evicted, id) : NULL;

  if (self->evicted != NULL)
    return kept != NULL ? g_bytes_ref (kept) : NULL;
  request = leat_states_make_request (self, LEAT_REQUEST_DOWNLOAD, 0, id);
  g_array_append_val (requests, request);
  if (!leat_requests_run (requests, &counts, NULL))
    return NULL;
  return g_steal_pointer (&g_array_index (requests, LeatRequest, 0).result);
}

static gboolean
leat_states_write_learned (LeatStates *self, GKeyFile *file, guint64 geometry)
{
  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);
      g_autoptr (GBytes) contents = buffer->is_learned ? leat_states_read_learned (self, i) : NULL;

      if (buffer->is_learned && contents == NULL)
        return FALSE;
      if (buffer->is_learned)
        leat_learned_write (file, geometry, buffer, contents);
    }
  return TRUE;
}

/* A folder that cannot be written costs the next session its own measuring. */
void
leat_states_remember_learned (LeatStates *self, LeatDevice *device)
{
  LeatPlan *plan = self->plan;
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *folder = leat_learned_dup_folder (LEAT_LEARNED_GROUP), *path = NULL;
  guint64 geometry;

  if (folder == NULL || self->lanes->len == 0 || leat_device_is_dead (device) || !leat_plan_learns (plan))
    return;
  geometry = leat_plan_hash_geometry (plan, device);
  path = leat_learned_dup_path (folder, geometry);
  g_key_file_set_integer (file, LEAT_LEARNED_GROUP, "version", LEAT_LEARNED_VERSION);
  if (leat_states_write_learned (self, file, geometry) && g_mkdir_with_parents (folder, 0700) == 0
      && g_key_file_save_to_file (file, path, NULL))
    leat_learned_forget (folder);
}
