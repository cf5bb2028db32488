/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One kernel's report with one code, in words and as a dictionary.  The dictionary is made only when somebody looks at
 * it: making it takes some tens of microseconds, in which some hundred lanes could have run. */

#include "leat-reports-private.h"

#include "graph/leat-node-private.h"
#include "graph/leat-plugin-private.h"
#include "kernel/leat-kernel-source-private.h"

#include <math.h>
#include <string.h>

struct _LeatReportTold
{
  gatomicrefcount refs;
  char *node, *text, *name; /* name: (nullable) */
  gboolean is_error;
  LeatReport report; /* its op and queue may be gone */
  GVariant *details; /* NULL until somebody looked */
};

/* NULL where the file does not declare it, and for queues. */
static const LeatReportCode *
leat_report_get_code (const LeatReport *self)
{
  return self->queue != NULL ? NULL : leat_kernel_source_find_report (self->op->source, self->code);
}

gboolean
leat_report_is_error (const LeatReport *self)
{
  const LeatReportCode *code = leat_report_get_code (self);

  if (self->queue != NULL)
    return leat_queue_report_is_error (self);
  return code != NULL && code->is_error;
}

char *
leat_report_dup_text (const LeatReport *self)
{
  const LeatReportCode *code = leat_report_get_code (self);

  if (self->queue != NULL)
    return leat_queue_report_dup_text (self);
  if (code != NULL)
    return g_strdup (code->text);
  if (self->code < LEAT_REPORT_CODES)
    return g_strdup_printf ("report %u", self->code);
  return g_strdup_printf ("report %u, a code above %u", self->records[0].code, LEAT_REPORT_CODES - 1);
}

static GVariant *
leat_report_record_get_value (const LeatReportRecord *self)
{
  double real;

  memcpy (&real, &self->value, sizeof real);
  if (self->kind == LEAT_REPORT_REAL)
    return g_variant_new_double (real);
  return self->kind == LEAT_REPORT_SIGNED ? g_variant_new_int64 ((gint64) self->value)
                                          : g_variant_new_uint64 (self->value);
}

static char *
leat_report_record_print_value (const LeatReportRecord *self)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  double real;

  memcpy (&real, &self->value, sizeof real);
  if (self->kind == LEAT_REPORT_REAL && isnan (real))
    return g_strdup ("nan"); /* whatever its sign */
  if (self->kind == LEAT_REPORT_REAL)
    return g_strdup (g_ascii_formatd (text, sizeof text, "%.9g", real));
  return self->kind == LEAT_REPORT_SIGNED ? g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) self->value)
                                          : g_strdup_printf ("%" G_GUINT64_FORMAT, self->value);
}

/* `{budget}`: what the node's property is. */
static void
leat_report_fill_props (const LeatReport *self, GString *sentence)
{
  gsize at = 0;
  const char *open, *end;

  while ((open = strchr (sentence->str + at, '{')) != NULL && (end = strchr (open, '}')) != NULL)
    {
      g_autofree char *name = g_strndup (open + 1, (gsize) (end - open - 1)), *value = NULL;
      const LeatProp *prop = leat_node_find_prop (self->op->node, name);
      gsize place = (gsize) (open - sentence->str);

      at = place + 1;
      if (prop == NULL)
        continue;
      leat_node_lock (self->op->node);
      value = leat_prop_print_field (prop, self->op->node);
      leat_node_unlock (self->op->node);
      if (value == NULL)
        value = g_strdup ("");
      g_string_erase (sentence, (gssize) place, end + 1 - open);
      g_string_insert (sentence, (gssize) place, value);
      at = place + strlen (value);
    }
}

/* A text may have places of its own for the two numbers; else they follow it. */
static char *
leat_report_dup_sentence (const LeatReport *self)
{
  g_autofree char *text = leat_report_dup_text (self), *value = leat_report_record_print_value (&self->records[0]);
  g_autofree char *index = g_strdup_printf ("%" G_GUINT64_FORMAT, self->records[0].index);
  GString *sentence = g_string_new (text);
  guint places = g_string_replace (sentence, "{value}", value, 0);

  places += g_string_replace (sentence, "{index}", index, 0);
  leat_report_fill_props (self, sentence);
  if (places == 0)
    g_string_append_printf (sentence, ": %s at index %s", value, index);
  return g_string_free (sentence, FALSE);
}

/* `kernel "sqrt0": a negative number: -3 at index 17 (and 41 more)` */
GError *
leat_report_make_error (const LeatReport *self)
{
  g_autofree char *sentence = NULL, *more = NULL;

  if (self->queue != NULL)
    return leat_queue_report_make_error (self);
  sentence = leat_report_dup_sentence (self);
  if (self->count > 1)
    more = g_strdup_printf (" (and %" G_GUINT64_FORMAT " more)", self->count - 1);
  return g_error_new (LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED, "%s \"%s\": %s%s",
                      leat_node_get_id (self->op->node), leat_node_get_name (self->op->node), sentence,
                      more != NULL ? more : "");
}

static GVariant *
leat_report_get_records (const LeatReport *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(tv)"));
  for (guint i = 0; i < self->n_records; i++)
    g_variant_builder_add (&builder, "(tv)", self->records[i].index, leat_report_record_get_value (&self->records[i]));
  return g_variant_builder_end (&builder);
}

static void
leat_report_told_begin (const LeatReportTold *self, GVariantDict *dict)
{
  g_variant_dict_init (dict, NULL);
  g_variant_dict_insert (dict, "node", "s", self->node);
  g_variant_dict_insert (dict, "entry", "u", self->report.entry);
  g_variant_dict_insert (dict, "run", "t", self->report.run);
}

static GVariant *
leat_report_told_describe (const LeatReportTold *self)
{
  const LeatReport *report = &self->report;
  GVariantDict dict;

  leat_report_told_begin (self, &dict);
  g_variant_dict_insert (&dict, "code", "u", report->records[0].code);
  if (self->name != NULL)
    g_variant_dict_insert (&dict, "name", "s", self->name);
  g_variant_dict_insert (&dict, "severity", "s", self->is_error ? "error" : "warning");
  g_variant_dict_insert (&dict, "text", "s", self->text);
  g_variant_dict_insert (&dict, "count", "t", report->count);
  g_variant_dict_insert (&dict, "lost", "t", report->count - report->n_records);
  g_variant_dict_insert (&dict, "index", "t", report->records[0].index);
  g_variant_dict_insert_value (&dict, "value", leat_report_record_get_value (&report->records[0]));
  g_variant_dict_insert_value (&dict, "records", leat_report_get_records (report));
  return g_variant_dict_end (&dict);
}

/* A queue's details come from the plan, so they are asked for at once. */
static GVariant *
leat_report_told_describe_queue (const LeatReportTold *self)
{
  GVariantDict dict;

  leat_report_told_begin (self, &dict);
  leat_queue_report_add_details (&self->report, &dict);
  return g_variant_dict_end (&dict);
}

LeatReportTold *
leat_report_told_new (const LeatReport *report)
{
  const LeatReportCode *code = leat_report_get_code (report);
  LeatReportTold *self = g_new0 (LeatReportTold, 1);

  g_atomic_ref_count_init (&self->refs);
  self->report = *report;
  self->node = g_strdup (leat_node_get_name (report->op->node));
  self->text = leat_report_dup_text (report);
  self->name = code != NULL ? g_strdup (code->name) : NULL;
  self->is_error = leat_report_is_error (report);
  if (report->queue != NULL)
    self->details = g_variant_ref_sink (leat_report_told_describe_queue (self));
  self->report.op = NULL;
  self->report.queue = NULL;
  return self;
}

LeatReportTold *
leat_report_told_ref (LeatReportTold *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
leat_report_told_unref (LeatReportTold *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_clear_pointer (&self->details, g_variant_unref);
  g_free (self->node);
  g_free (self->text);
  g_free (self->name);
  g_free (self);
}

/* (transfer none): of any thread */
GVariant *
leat_report_told_get_details (LeatReportTold *self)
{
  if (g_once_init_enter (&self->details))
    g_once_init_leave (&self->details, g_variant_ref_sink (leat_report_told_describe (self)));
  return self->details;
}
