/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The life of what a session finds out by trying, and its trials for those who ask.  Touches LeatTuning. */

#include "leat-tuning-private.h"

static void
leat_trial_clear (gpointer data)
{
  g_free (((LeatTrial *) data)->ways);
}

static GArray *
leat_trials_new (void)
{
  GArray *trials = g_array_new (FALSE, TRUE, sizeof (LeatTrial));

  g_array_set_clear_func (trials, leat_trial_clear);
  return trials;
}

void
leat_tuning_init (LeatTuning *self, LeatTuningFits fits, gpointer session)
{
  g_mutex_init (&self->lock);
  self->trials = leat_trials_new ();
  self->former_trials = leat_trials_new ();
  self->trials_us = LEAT_TUNING_TRIALS_US;
  self->fits = fits;
  self->session = session;
}

void
leat_tuning_clear (LeatTuning *self)
{
  g_array_unref (self->trials);
  g_array_unref (self->former_trials);
  g_clear_error (&self->trial_error);
  g_free (self->band);
  g_mutex_clear (&self->lock);
}

static GVariant *
leat_trials_print (const GArray *trials)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sd)"));
  for (guint i = 0; i < trials->len; i++)
    {
      const LeatTrial *trial = &g_array_index (trials, LeatTrial, i);

      g_variant_builder_add (&builder, "(sd)", trial->ways, trial->us);
    }
  return g_variant_builder_end (&builder);
}

void
leat_tuning_fill_stats (LeatTuning *self, GVariantDict *dict)
{
  g_mutex_lock (&self->lock);
  g_variant_dict_insert_value (dict, "trials", leat_trials_print (self->trials));
  g_variant_dict_insert_value (dict, "former-trials", leat_trials_print (self->former_trials));
  g_mutex_unlock (&self->lock);
}
