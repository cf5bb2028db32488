/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Planned against counted. */

#include "leat-launch-accounting.h"

typedef struct
{
  const char *name, *relation;
  guint64 planned, counted;
} LeatAccountingRow;

static const struct
{
  const char *relation, *sign; /* planned SIGN counted */
} leat_accounting_signs[] = { { "equal", "=" }, { "at-most", ">=" }, { "at-least", "<=" }, { "other", "?" } };

static const char *
leat_accounting_row_get_sign (const LeatAccountingRow *self)
{
  guint i = 0;

  while (i + 1 < G_N_ELEMENTS (leat_accounting_signs)
         && !g_str_equal (leat_accounting_signs[i].relation, self->relation))
    i++;
  return leat_accounting_signs[i].sign;
}

static gboolean
leat_accounting_row_holds (const LeatAccountingRow *self)
{
  if (g_str_equal (self->relation, "at-most"))
    return self->counted <= self->planned;
  if (g_str_equal (self->relation, "at-least"))
    return self->counted >= self->planned;
  return !g_str_equal (self->relation, "equal") || self->counted == self->planned;
}

static GVariant *
leat_accounting_row_to_variant (const LeatAccountingRow *self)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "name", "s", self->name);
  g_variant_dict_insert (&dict, "planned", "t", self->planned);
  g_variant_dict_insert (&dict, "counted", "t", self->counted);
  g_variant_dict_insert (&dict, "relation", "s", self->relation);
  g_variant_dict_insert (&dict, "holds", "b", leat_accounting_row_holds (self));
  return g_variant_dict_end (&dict);
}

static void
leat_accounting_row_append (const LeatAccountingRow *self, GString *text)
{
  g_string_append_printf (text, "%-20s%16" G_GUINT64_FORMAT " %-2s%16" G_GUINT64_FORMAT "%s\n", self->name,
                          self->planned, leat_accounting_row_get_sign (self), self->counted,
                          leat_accounting_row_holds (self) ? "" : "  differs");
}

static char *
leat_accounting_to_text (const LeatLaunchJob *job, guint64 runs, GVariant *accounting)
{
  GString *text = g_string_new (NULL);
  LeatAccountingRow row;
  GVariantIter iter;

  if (job->name != NULL)
    g_string_append_printf (text, "%s: ", job->name);
  g_string_append_printf (text, "%" G_GUINT64_FORMAT " run%s on %s\n%-20s%16s   %16s\n", runs, runs == 1 ? "" : "s",
                          leat_device_get_id (leat_session_get_device (job->session)), "", "planned", "counted");
  g_variant_iter_init (&iter, accounting);
  while (g_variant_iter_next (&iter, "(&stt&s)", &row.name, &row.planned, &row.counted, &row.relation))
    leat_accounting_row_append (&row, text);
  return g_string_free (text, FALSE);
}

static char *
leat_accounting_to_json (const LeatLaunchJob *job, guint64 runs, GVariant *accounting)
{
  g_autoptr (GVariant) all = NULL;
  GVariantBuilder figures;
  GVariantDict dict;
  LeatAccountingRow row;
  GVariantIter iter;

  g_variant_builder_init (&figures, G_VARIANT_TYPE ("aa{sv}"));
  g_variant_iter_init (&iter, accounting);
  while (g_variant_iter_next (&iter, "(&stt&s)", &row.name, &row.planned, &row.counted, &row.relation))
    g_variant_builder_add_value (&figures, leat_accounting_row_to_variant (&row));
  g_variant_dict_init (&dict, NULL);
  if (job->name != NULL)
    g_variant_dict_insert (&dict, "pipeline", "s", job->name);
  g_variant_dict_insert (&dict, "device", "s", leat_device_get_id (leat_session_get_device (job->session)));
  g_variant_dict_insert (&dict, "runs", "t", runs);
  g_variant_dict_insert_value (&dict, "figures", g_variant_builder_end (&figures));
  all = g_variant_ref_sink (g_variant_dict_end (&dict));
  return leat_tool_variant_to_json (all);
}

char *
leat_launch_accounting_to_string (const LeatLaunchJob *job, GError **error)
{
  g_autoptr (GVariant) accounting = leat_session_dup_accounting (job->session, error);
  g_autoptr (GVariant) stats = leat_session_dup_stats (job->session);
  guint64 runs = 0;

  if (accounting == NULL)
    return NULL;
  g_variant_lookup (stats, "runs", "t", &runs);
  return job->options->accounting_format == LEAT_FORMAT_JSON ? leat_accounting_to_json (job, runs, accounting)
                                                             : leat_accounting_to_text (job, runs, accounting);
}
