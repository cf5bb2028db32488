/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

#include "kernel/leat-kernel-source-private.h"

#include <math.h>

/* What kernels reported, for people and programs.  All of this is done only after a run in which one did. */

#define LEAT_SESSION_REPORTS_POSTED 16 /* messages of one run */

/* What one node reported with one code since the session was opened. */
typedef struct
{
  char *node, *text;
  guint code;
  gboolean is_error;
  guint64 count;
} LeatReportTotal;

static void
leat_report_total_clear (gpointer data)
{
  LeatReportTotal *self = data;

  g_free (self->node);
  g_free (self->text);
}

GArray *
leat_session_totals_new (void)
{
  GArray *totals = g_array_new (FALSE, TRUE, sizeof (LeatReportTotal));

  g_array_set_clear_func (totals, leat_report_total_clear);
  return totals;
}

void
leat_session_clear_reports (LeatSession *self)
{
  g_mutex_lock (&self->told_lock);
  g_array_set_size (self->report_totals, 0);
  g_array_set_size (self->loop_totals, 0);
  g_clear_pointer (&self->reported, g_variant_unref);
  g_clear_pointer (&self->told_queues, g_variant_unref);
  g_clear_pointer (&self->refusal, g_variant_unref);
  g_mutex_unlock (&self->told_lock);
}

/* NULL where the file does not declare it, and for queues. */
static const LeatReportCode *
leat_report_get_code (const LeatReport *self)
{
  return self->queue != NULL ? NULL : leat_kernel_source_find_report (self->op->source, self->code);
}

static gboolean
leat_report_is_error (const LeatReport *self)
{
  const LeatReportCode *code = leat_report_get_code (self);

  if (self->queue != NULL)
    return leat_queue_report_is_error (self);
  return code != NULL && code->is_error;
}

static char *
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

/* A text may have places of its own for the two numbers; else they follow it. */
static char *
leat_report_dup_sentence (const LeatReport *self)
{
  g_autofree char *text = leat_report_dup_text (self), *value = leat_report_record_print_value (&self->records[0]);
  g_autofree char *index = g_strdup_printf ("%" G_GUINT64_FORMAT, self->records[0].index);
  GString *sentence = g_string_new (text);
  guint places = g_string_replace (sentence, "{value}", value, 0);

  places += g_string_replace (sentence, "{index}", index, 0);
  if (places == 0)
    g_string_append_printf (sentence, ": %s at index %s", value, index);
  return g_string_free (sentence, FALSE);
}

/* `kernel "sqrt0": a negative number: -3 at index 17 (and 41 more)` */
static GError *
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

static GVariant *
leat_report_get_details (const LeatReport *self)
{
  g_autofree char *text = leat_report_dup_text (self);
  const LeatReportCode *code = leat_report_get_code (self);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "node", "s", leat_node_get_name (self->op->node));
  g_variant_dict_insert (&dict, "lane", "u", self->lane);
  g_variant_dict_insert (&dict, "run", "t", self->run);
  if (self->queue != NULL)
    {
      leat_queue_report_add_details (self, &dict);
      return g_variant_dict_end (&dict);
    }
  g_variant_dict_insert (&dict, "code", "u", self->records[0].code);
  if (code != NULL && code->name != NULL)
    g_variant_dict_insert (&dict, "name", "s", code->name);
  g_variant_dict_insert (&dict, "severity", "s", leat_report_is_error (self) ? "error" : "warning");
  g_variant_dict_insert (&dict, "text", "s", text);
  g_variant_dict_insert (&dict, "count", "t", self->count);
  g_variant_dict_insert (&dict, "lost", "t", self->count - self->n_records);
  g_variant_dict_insert (&dict, "index", "t", self->records[0].index);
  g_variant_dict_insert_value (&dict, "value", leat_report_record_get_value (&self->records[0]));
  g_variant_dict_insert_value (&dict, "records", leat_report_get_records (self));
  return g_variant_dict_end (&dict);
}

static LeatReportTotal *
leat_session_have_total (LeatSession *self, const LeatReport *report)
{
  const char *node = leat_node_get_name (report->op->node);
  LeatReportTotal total = { .code = report->records[0].code };

  for (guint i = 0; i < self->report_totals->len; i++)
    {
      LeatReportTotal *is = &g_array_index (self->report_totals, LeatReportTotal, i);

      if (is->code == total.code && g_str_equal (is->node, node))
        return is;
    }
  total.node = g_strdup (node);
  g_array_append_val (self->report_totals, total);
  return &g_array_index (self->report_totals, LeatReportTotal, self->report_totals->len - 1);
}

/* Under the lock. */
static void
leat_session_add_report (LeatSession *self, const LeatReport *report)
{
  LeatReportTotal *total = leat_session_have_total (self, report);

  g_free (total->text);
  total->text = leat_report_dup_text (report); /* another file may give the code another one */
  total->is_error = leat_report_is_error (report);
  total->count += report->count;
  self->stats.reports += report->count;
  if (report->queue == NULL)
    self->stats.reports_lost += report->count - report->n_records;
}

static void
leat_session_note_reports (LeatSession *self, GArray *reports)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  g_mutex_lock (&self->told_lock);
  for (guint i = 0; i < reports->len; i++)
    {
      const LeatReport *report = &g_array_index (reports, LeatReport, i);

      leat_session_add_report (self, report);
      g_variant_builder_add_value (&builder, leat_report_get_details (report));
    }
  g_clear_pointer (&self->reported, g_variant_unref);
  self->reported = g_variant_ref_sink (g_variant_builder_end (&builder));
  g_mutex_unlock (&self->told_lock);
}

static void
leat_session_post_report (LeatSession *self, const LeatReport *report)
{
  g_autoptr (GError) warning = leat_report_make_error (report);

  leat_bus_post (leat_pipeline_get_bus (self->pipeline),
                 leat_message_new (LEAT_MESSAGE_WARNING, leat_node_get_name (report->op->node), warning,
                                   leat_report_get_details (report)));
}

static void
leat_session_post_left_out (LeatSession *self, guint left_out)
{
  g_autoptr (GError) warning = g_error_new (LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED,
                                            "%u more kinds of reports of this run are not told one by one", left_out);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "left-out", "u", left_out);
  leat_bus_post (leat_pipeline_get_bus (self->pipeline),
                 leat_message_new (LEAT_MESSAGE_WARNING, NULL, warning, g_variant_dict_end (&dict)));
}

/* The error that the run fails with is told by who asked for the run. */
static void
leat_session_post_reports (LeatSession *self, GArray *reports, const LeatReport *cause)
{
  guint n = 0;

  for (guint i = 0; i < reports->len; i++)
    {
      const LeatReport *report = &g_array_index (reports, LeatReport, i);

      if (report != cause && n++ < LEAT_SESSION_REPORTS_POSTED)
        leat_session_post_report (self, report);
    }
  if (n > LEAT_SESSION_REPORTS_POSTED)
    leat_session_post_left_out (self, n - LEAT_SESSION_REPORTS_POSTED);
}

/* The first in the order of the ops: those behind it may only have met what it left. */
static const LeatReport *
leat_session_find_cause (GArray *reports, guint first)
{
  for (guint i = first; i < reports->len; i++)
    if (leat_report_is_error (&g_array_index (reports, LeatReport, i)))
      return &g_array_index (reports, LeatReport, i);
  return NULL;
}

static void
leat_session_set_origin (GArray *reports, guint first, guint lane, guint64 run)
{
  for (guint i = first; i < reports->len; i++)
    {
      g_array_index (reports, LeatReport, i).lane = lane;
      g_array_index (reports, LeatReport, i).run = run;
    }
}

static G_NO_INLINE gboolean
leat_session_read_reports (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  g_autoptr (GArray) reports = g_array_new (FALSE, FALSE, sizeof (LeatReport));
  const LeatReport *cause;

  if (!leat_lane_take_reports (flight->lane, reports, error))
    return FALSE;
  flight->run.reported = TRUE;
  leat_session_set_origin (reports, 0, flight->index, flight->run.number);
  cause = leat_session_find_cause (reports, 0);
  leat_session_note_reports (self, reports);
  leat_session_post_reports (self, reports, cause);
  if (cause == NULL)
    return TRUE;
  flight->run.refused = TRUE;
  leat_session_take_refusal (self, g_variant_ref_sink (leat_report_get_details (cause)));
  self->stats.runs_refused++;
  g_propagate_error (error, leat_report_make_error (cause));
  return FALSE;
}

gboolean
leat_session_check_reports (LeatSession *self, LeatSessionFlight *flight, GError **error)
{
  return G_LIKELY (!leat_lane_has_reports (flight->lane)) || leat_session_read_reports (self, flight, error);
}

/* For a lane of a plan for several: adds what it reported to those of the batch; FALSE with what it fails with. @lane:
 * of the batch
 */
gboolean
leat_session_take_lane_reports (LeatSession *self, LeatLane *wide, guint index, guint lane, guint64 run, GError **error)
{
  GArray *reports = self->batch->reports;
  guint first = reports->len;
  const LeatReport *cause;

  if (!leat_lane_take_reports_of (wide, index, reports, error))
    return FALSE;
  leat_session_set_origin (reports, first, lane, run);
  cause = leat_session_find_cause (reports, first);
  if (cause == NULL)
    return TRUE;
  if (self->refusal == NULL)
    leat_session_take_refusal (self, g_variant_ref_sink (leat_report_get_details (cause)));
  self->stats.runs_refused++;
  g_propagate_error (error, leat_report_make_error (cause));
  return FALSE;
}

/* What lanes reported. @all: errors too, all of them; else the first is what the call ends with */
void
leat_session_tell_lane_reports (LeatSession *self, GArray *reports, gboolean all)
{
  leat_session_note_reports (self, reports);
  leat_session_post_reports (self, reports, all ? NULL : leat_session_find_cause (reports, 0));
}

/* Where what failed in a run is not what the call ends with. */
void
leat_session_post_refusal (LeatSession *self, const GError *error)
{
  g_autoptr (GVariant) details = leat_session_dup_refusal (self);

  leat_bus_post (leat_pipeline_get_bus (self->pipeline), leat_message_new (LEAT_MESSAGE_WARNING, NULL, error, details));
}

/* Of runs that nobody asked for. */
gboolean
leat_session_drop_reports (LeatSession *self, LeatLane *lane, GError **error)
{
  g_autoptr (GArray) reports = g_array_new (FALSE, FALSE, sizeof (LeatReport));

  return !leat_lane_has_reports (lane) || leat_lane_take_reports (lane, reports, error);
}

/**
 * leat_session_dup_reports:
 * @self: a session
 *
 * Gets what kernels reported in the last run in which any did, since the session was opened.  Any thread may ask.
 *
 * Returns: (transfer full): a list of dictionaries (aa{sv}), one for each node and code, in the order of the nodes:
 * node s, lane u, run t (since the session was opened, from 1), code u, name s (where the file gives the code one),
 * severity s (`error`, `warning`), text s, count t, records a(tv) (the first that came: index and value, which is x, t
 * or d), lost t (reports without a record), and of the first record index t and value v.  Of a queue with which
 * something was wrong, in the place of the last five: queue s, capacity t, overflows t (items that there was no room
 * for)
 */
GVariant *
leat_session_dup_reports (LeatSession *self)
{
  GVariant *reported;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  g_mutex_lock (&self->told_lock);
  reported = self->reported != NULL ? g_variant_ref (self->reported) : NULL;
  g_mutex_unlock (&self->told_lock);
  return reported != NULL ? reported : g_variant_ref_sink (g_variant_new_array (G_VARIANT_TYPE_VARDICT, NULL, 0));
}

/* What the run that was refused last failed with. (transfer full) (nullable) */
GVariant *
leat_session_dup_refusal (LeatSession *self)
{
  GVariant *refusal;

  g_mutex_lock (&self->told_lock);
  refusal = self->refusal != NULL ? g_variant_ref (self->refusal) : NULL;
  g_mutex_unlock (&self->told_lock);
  return refusal;
}

/* (transfer full) (nullable) */
GVariant *
leat_session_steal_refusal (LeatSession *self)
{
  GVariant *refusal;

  g_mutex_lock (&self->told_lock);
  refusal = g_steal_pointer (&self->refusal);
  g_mutex_unlock (&self->told_lock);
  return refusal;
}

/* @refusal: (transfer full) */
void
leat_session_take_refusal (LeatSession *self, GVariant *refusal)
{
  g_mutex_lock (&self->told_lock);
  g_clear_pointer (&self->refusal, g_variant_unref);
  self->refusal = refusal;
  g_mutex_unlock (&self->told_lock);
}

/* For the statistics. (transfer floating) */
GVariant *
leat_session_print_reports (LeatSession *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  g_mutex_lock (&self->told_lock);
  for (guint i = 0; i < self->report_totals->len; i++)
    {
      const LeatReportTotal *total = &g_array_index (self->report_totals, LeatReportTotal, i);
      GVariantDict dict;

      g_variant_dict_init (&dict, NULL);
      g_variant_dict_insert (&dict, "node", "s", total->node);
      g_variant_dict_insert (&dict, "code", "u", total->code);
      g_variant_dict_insert (&dict, "severity", "s", total->is_error ? "error" : "warning");
      g_variant_dict_insert (&dict, "text", "s", total->text);
      g_variant_dict_insert (&dict, "count", "t", total->count);
      g_variant_builder_add_value (&builder, g_variant_dict_end (&dict));
    }
  g_mutex_unlock (&self->told_lock);
  return g_variant_builder_end (&builder);
}
