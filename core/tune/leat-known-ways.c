/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Findings of calibration, on disk: one small key file for each device and pipeline geometry, with two groups for each
 * band of how full the inputs were (leat-band.c).  A file that cannot be read or does not fit counts as none.
 */

#include "kernel/leat-kernel-source-private.h"
#include "bind/leat-bind-private.h"
#include "leat-tuning-private.h"

#include <string.h>
#include <xxhash.h>

#define LEAT_WAYS_VERSION 8
#define LEAT_WAYS_BYTES   (1 << 20) /* more are in no such file */
#define LEAT_WAYS_BANDS   16        /* of which the first that was found goes */

static void
leat_ways_add_text (XXH3_state_t *hash, const char *text)
{
  XXH3_64bits_update (hash, text, strlen (text) + 1);
}

static void
leat_ways_add_op (XXH3_state_t *hash, LeatPlan *plan, const LeatOp *op)
{
  guint64 numbers[] = { op->kind, op->mode, op->cooperative, op->shared_bytes, op->n_touches };

  XXH3_64bits_update (hash, numbers, sizeof numbers);
  for (guint i = 0; i < op->n_touches; i++)
    {
      guint64 touch[] = { op->touches[i].buffer, op->touches[i].access };

      XXH3_64bits_update (hash, touch, sizeof touch);
    }
  if (op->kind != LEAT_OP_KERNEL)
    return;
  /* Whichever of these it has, what is found out is which. */
  XXH3_64bits_update (hash, op->choices, op->n_choices * sizeof *op->choices);
  /* That of as many blocks as run at once is known when the kernel is loaded, and not before. */
  if (!op->grid_by_occupancy && op->n_choices == 0)
    XXH3_64bits_update (hash, op->grid, sizeof op->grid);
  if (op->n_choices == 0)
    XXH3_64bits_update (hash, op->block, sizeof op->block);
  leat_ways_add_text (hash, op->prototype->entry);
  XXH3_64bits_update (hash, &leat_kernel_source_get_text (op->source)->hash, sizeof (guint64));
}

/* Everything that the times depend on, but for the contents of the data. */
guint64
leat_plan_hash_geometry (LeatPlan *plan, LeatDevice *device)
{
  XXH3_state_t *hash = XXH3_createState ();
  guint64 digest;

  XXH3_64bits_reset (hash);
  leat_ways_add_text (hash, leat_device_get_name (device));
  for (guint i = 0; i < plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (plan, i);
      guint64 numbers[] = { buffer->kind, buffer->bytes, buffer->header };

      XXH3_64bits_update (hash, numbers, sizeof numbers);
    }
  for (guint i = 0; i < plan->ops->len; i++)
    leat_ways_add_op (hash, plan, leat_plan_get_op (plan, i));
  digest = XXH3_64bits_digest (hash);
  XXH3_freeState (hash);
  return digest;
}

/* NULL where nothing is kept. */
static char *
leat_ways_dup_path (LeatPlan *plan, LeatDevice *device)
{
  g_autofree char *folder = leat_learned_dup_folder ("transfers");
  g_autofree char *name = g_strdup_printf ("%016" G_GINT64_MODIFIER "x.ini", leat_plan_hash_geometry (plan, device));

  return folder != NULL ? g_build_filename (folder, name, NULL) : NULL;
}

static char *
leat_ways_dup_group (const char *kind, const char *band)
{
  return *band != '\0' ? g_strdup_printf ("%s %s", kind, band) : g_strdup (kind);
}

static gboolean
leat_ways_read (LeatPlan *plan, GKeyFile *file, const char *band, guint *ways)
{
  g_autofree char *group = leat_ways_dup_group ("ways", band);

  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);
      g_autofree char *key = g_strdup_printf ("op-%u", i);
      g_autofree char *text = NULL;

      if (!leat_op_has_ways (op))
        continue;
      text = g_key_file_get_string (file, group, key, NULL);
      ways[i] = text != NULL ? leat_op_parse_way (op, text) : 0;
      if (ways[i] == 0)
        return FALSE;
    }
  return TRUE;
}

/* Of a kernel with several sizes of a block: how much faster a run is with the one that was found. */
static void
leat_ways_read_gains (LeatPlan *plan, GKeyFile *file, const char *band)
{
  g_autofree char *group = leat_ways_dup_group ("ways", band);

  for (guint i = 0; i < plan->ops->len; i++)
    {
      g_autofree char *key = g_strdup_printf ("gain-%u", i);

      if (leat_plan_get_op (plan, i)->n_choices > 0)
        leat_plan_note_block_gain (plan, leat_plan_get_op (plan, i), g_key_file_get_double (file, group, key, NULL));
    }
}

/* Sets of ways are numbered in the order in which they were tried. */
static void
leat_ways_write_trials (LeatTuning *self, GKeyFile *file, const char *band)
{
  g_autofree char *group = leat_ways_dup_group ("trials", band);

  g_key_file_remove_group (file, group, NULL);
  for (guint i = 0; i < self->trials->len; i++)
    {
      const LeatTrial *trial = &g_array_index (self->trials, LeatTrial, i);
      g_autofree char *ways = g_strdup_printf ("ways-%u", i), *us = g_strdup_printf ("us-%u", i);

      g_key_file_set_string (file, group, ways, trial->ways);
      g_key_file_set_double (file, group, us, trial->us);
    }
}

/* For who asks why it is these; nothing else follows from them. */
static void
leat_ways_read_trials (LeatTuning *self, GKeyFile *file, const char *band)
{
  g_autofree char *group = leat_ways_dup_group ("trials", band);

  g_mutex_lock (&self->lock);
  for (guint i = 0;; i++)
    {
      g_autofree char *ways = g_strdup_printf ("ways-%u", i), *us = g_strdup_printf ("us-%u", i);
      LeatTrial trial = { .ways = g_key_file_get_string (file, group, ways, NULL),
                          .us = g_key_file_get_double (file, group, us, NULL) };

      if (trial.ways == NULL)
        break;
      g_array_append_val (self->former_trials, trial);
    }
  g_mutex_unlock (&self->lock);
}

static gboolean
leat_ways_load (GKeyFile *file, const char *path)
{
  return path != NULL && leat_learned_load (file, path, LEAT_WAYS_BYTES)
         && g_key_file_get_integer (file, "transfers", "version", NULL) == LEAT_WAYS_VERSION;
}

static void
leat_ways_save (GKeyFile *file, const char *path)
{
  g_autofree char *folder = path != NULL ? g_path_get_dirname (path) : NULL;

  if (folder != NULL && g_mkdir_with_parents (folder, 0700) == 0)
    g_key_file_save_to_file (file, path, NULL);
}

static void
leat_ways_forget (GKeyFile *file)
{
  g_auto (GStrv) groups = g_key_file_get_groups (file, NULL);
  guint n = 0;

  for (guint i = g_strv_length (groups); i > 0; i--)
    if (g_str_has_prefix (groups[i - 1], "ways") && ++n > LEAT_WAYS_BANDS)
      {
        g_autofree char *trials = g_strconcat ("trials", groups[i - 1] + strlen ("ways"), NULL);

        g_key_file_remove_group (file, trials, NULL);
        g_key_file_remove_group (file, groups[i - 1], NULL);
      }
}

/* Binds the plan to what was found before, for the band that was the last. */
gboolean
leat_tuning_recall_ways (LeatTuning *self, LeatPlan *plan, LeatDevice *device)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = leat_ways_dup_path (plan, device);
  g_autofree guint *ways = g_new0 (guint, plan->ops->len + 1);
  LeatTraits traits = LEAT_BOUND_PLAN (plan)->traits;

  if (!leat_ways_load (file, path))
    return FALSE;
  g_free (self->band);
  self->band = g_key_file_get_string (file, "transfers", "band", NULL);
  if (self->band == NULL || !leat_ways_read (plan, file, self->band, ways))
    return FALSE;
  traits.ways = ways;
  leat_plan_bind (plan, &traits);
  self->ways_known = TRUE;
  leat_ways_read_gains (plan, file, self->band);
  leat_ways_read_trials (self, file, self->band);
  return TRUE;
}

/* Recalls the ways found for the session's band, which is the last one from now on. */
gboolean
leat_tuning_recall_ways_of_band (LeatTuning *self, LeatPlan *plan, LeatDevice *device, guint *ways)
{
  g_autoptr (GKeyFile) file = g_key_file_new ();
  g_autofree char *path = leat_ways_dup_path (plan, device);

  g_mutex_lock (&self->lock);
  g_array_set_size (self->former_trials, 0);
  g_mutex_unlock (&self->lock);
  if (!leat_ways_load (file, path) || !leat_ways_read (plan, file, self->band, ways))
    return FALSE;
  leat_ways_read_gains (plan, file, self->band);
  leat_ways_read_trials (self, file, self->band);
  g_key_file_set_string (file, "transfers", "band", self->band);
  leat_ways_save (file, path);
  return TRUE;
}

/* A folder that cannot be written costs the next session its own measuring. */
void
leat_tuning_remember_ways (LeatTuning *self, LeatPlan *plan, LeatDevice *device, const guint *ways, double us)
{
  g_autofree char *path = leat_ways_dup_path (plan, device), *group = leat_ways_dup_group ("ways", self->band);
  g_autoptr (GKeyFile) file = g_key_file_new ();

  if (!leat_ways_load (file, path))
    {
      g_key_file_unref (file);
      file = g_key_file_new ();
    }
  g_key_file_set_integer (file, "transfers", "version", LEAT_WAYS_VERSION);
  g_key_file_set_string (file, "transfers", "band", self->band);
  g_key_file_remove_group (file, group, NULL);
  g_key_file_set_double (file, group, "us", us);
  leat_ways_write_trials (self, file, self->band);
  for (guint i = 0; i < plan->ops->len; i++)
    {
      g_autofree char *key = g_strdup_printf ("op-%u", i), *gain = g_strdup_printf ("gain-%u", i);

      if (leat_op_has_ways (leat_plan_get_op (plan, i)))
        g_key_file_set_string (file, group, key, leat_op_get_way_name (leat_plan_get_op (plan, i), ways[i]));
      if (leat_plan_get_op (plan, i)->n_choices > 0)
        g_key_file_set_double (file, group, gain, LEAT_BOUND_OP (leat_plan_get_op (plan, i))->block_gain);
    }
  leat_ways_forget (file);
  leat_ways_save (file, path);
}

void
leat_plan_list_measured (LeatPlan *from, LeatPlan *to, guint *ways)
{
  for (guint i = 0; i < MIN (to->ops->len, from->ops->len); i++)
    {
      const LeatOp *old = leat_plan_get_op (from, i), *op = leat_plan_get_op (to, i);

      if (op->kind == old->kind && op->node == old->node && leat_op_has_ways (op) && leat_op_has_ways (old))
        ways[i] = leat_op_get_measured (old);
    }
}
