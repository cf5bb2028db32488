/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "place-fixture.h"

#include <string.h>

void
place_note (Place *self, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_string_append_vprintf (self->told, format, args);
  va_end (args);
  g_string_append_c (self->told, '\n');
}

void
place_map (Place *self)
{
  g_autoptr (GError) error = NULL;

  leat_session_map_input (self->base.session, "source", &self->in, &error);
  g_assert_no_error (error);
  leat_session_map_output (self->base.session, "sink", &self->out, &error);
  g_assert_no_error (error);
}

void
place_fill (Place *self, float first)
{
  place_map (self);
  for (guint i = 0; i < PLACE_N; i++)
    ((float *) self->in.data)[i] = first + (float) i;
}

static void
place_note_results (Place *self)
{
  g_autoptr (GError) error = NULL;

  if (!leat_session_map_output (self->base.session, "sink", &self->out, &error))
    {
      place_note (self, "no output: %s", error->message);
      return;
    }
  g_string_append_printf (self->told, "%" G_GUINT64_FORMAT ":", self->out.count);
  for (guint i = 0; i < self->out.count; i++)
    g_string_append_printf (self->told, " %g", ((float *) self->out.data)[i]);
  g_string_append_c (self->told, '\n');
}

static const char *
place_get_message (const Place *self, const GError *error)
{
  const char *code = self->is_late && error != NULL ? strstr (error->message, ": CUDA_") : NULL;

  return error == NULL ? "good" : code != NULL ? code : error->message;
}

LeatFlow
place_attempt (Place *self)
{
  LeatSession *session = self->base.session;
  g_autoptr (GError) error = NULL;
  LeatFlow flow = leat_session_replay (session, FALSE, self->cancellable, &error);

  g_assert_true ((flow == LEAT_FLOW_ERROR) == (error != NULL));
  place_note (self, "flow %d, %s", flow, place_get_message (self, error));
  g_assert_cmpint (g_atomic_int_get (&session->hold.use), ==, LEAT_SESSION_FREE);
  if (flow == LEAT_FLOW_DATA)
    place_note_results (self);
  return flow;
}

LeatFlow
place_replay (Place *self, gboolean settled)
{
  guint64 before = self->base.session->told.ledger.n_settled;
  LeatFlow flow = place_attempt (self);

  g_assert_cmpuint (self->base.session->told.ledger.n_settled - before, ==, settled && self->settles);
  return flow;
}

void
place_run (Place *self, float first, float a, float b, gboolean settled)
{
  place_fill (self, first);
  memset (self->out.data, 0xff, PLACE_N * sizeof (float));
  g_assert_cmpint (place_replay (self, settled), ==, LEAT_FLOW_DATA);
  for (guint i = 0; i < PLACE_N; i++)
    g_assert_cmpfloat (((float *) self->out.data)[i], ==, a * (first + (float) i) + b);
}

void
place_set_double (Place *self, const char *node, const char *name, double value)
{
  g_autoptr (GError) error = NULL;

  leat_node_set_arg_double (leat_pipeline_get_node (self->base.pipeline, node, NULL), name, value, &error);
  g_assert_no_error (error);
}

/* Times differ from run to run, as does how often somebody looks who waits by looking; memory that is cached belongs to
 * no session. */
static gboolean
is_comparable (const Place *self, const char *name)
{
  static const char *const others[] = { "trials",
                                        "allocations",
                                        "pinned-allocations",
                                        "device-bytes",
                                        "device-bytes-most",
                                        "pinned-bytes",
                                        "pinned-bytes-most",
                                        "shared-bytes",
                                        "graph-bytes",
                                        "once-bytes",
                                        "graph-reserved-bytes",
                                        NULL };
  static const char *const asked[] = { "bytes-back", "bytes-up",  "calls",   "copies", "kernels",
                                       "launches",   "readbacks", "uploads", "waits",  NULL };

  return !g_str_has_suffix (name, "-us") && !((self->looks || self->on_gpu) && g_str_equal (name, "calls"))
         && !(self->on_gpu && g_str_equal (name, "waits")) && !(self->is_late && g_strv_contains (asked, name))
         && !g_strv_contains (others, name);
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static void
place_note_dict (Place *self, GVariant *dict)
{
  g_autoptr (GPtrArray) lines = g_ptr_array_new_with_free_func (g_free);
  const char *name;
  GVariant *value;
  GVariantIter iter;

  g_variant_iter_init (&iter, dict);
  while (g_variant_iter_loop (&iter, g_variant_is_of_type (dict, G_VARIANT_TYPE_VARDICT) ? "{&sv}" : "{&s@t}", &name,
                              &value))
    if (is_comparable (self, name))
      {
        g_autofree char *text = g_variant_print (value, FALSE);

        g_ptr_array_add (lines, g_strdup_printf ("%s = %s", name, text));
      }
  g_ptr_array_sort (lines, compare_names);
  for (guint i = 0; i < lines->len; i++)
    place_note (self, "%s", (char *) lines->pdata[i]);
}

/* What the session says, what it has of its own for others, and what the driver was asked for. */
static void
place_note_end (Place *self)
{
  LeatSession *session = self->base.session;
  g_autoptr (GVariant) stats = leat_session_dup_stats (session);
  g_autoptr (GVariant) counts = leat_session_stop_counting (session, NULL);
  g_autoptr (GVariant) reports = leat_session_dup_reports (session);
  g_autofree char *reported = g_variant_print (reports, FALSE);

  place_note_dict (self, stats);
  if (counts != NULL)
    place_note_dict (self, counts);
  place_note (self, "%s", reported);
  place_note (self, "recent %u, ended %d, failed %d", session->told.monitored.n_recent, session->ends.ended,
              session->hold.failed);
  for (guint i = 0; session->ends.inputs != NULL && i < session->ends.inputs->len; i++)
    place_note (self, "input %u: %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, i,
                g_array_index (session->ends.inputs, LeatSessionInput, i).generation,
                g_array_index (session->ends.inputs, LeatSessionInput, i).on_device);
}

static char *
place_play (const char *text, LeatExecutor executor, PlaceScene scene, const char *property, gint value,
            gboolean settles)
{
  /* Where a kernel stays and a run takes long, the driver is asked now and then whether it still goes on. */
  Place self = { .settles = settles, .looks = executor == LEAT_EXECUTOR_PERSISTENT, .told = g_string_new (NULL) };
  g_autoptr (GError) error = NULL;

  session_fixture_open (&self.base, text, executor);
  if (property != NULL)
    {
      leat_session_close (self.base.session);
      g_object_set (self.base.session, property, value, NULL);
      leat_session_open (self.base.session, NULL, &error);
      g_assert_no_error (error);
    }
  self.base.session->options.never_settled = !settles;
  self.on_gpu = !leat_device_is_cpu (leat_session_get_device (self.base.session));
  leat_session_start_counting (self.base.session, &error);
  g_assert_no_error (error);
  if (strstr (text, "memory=user") == NULL)
    place_map (&self);
  (*scene) (&self);
  place_note_end (&self);
  g_assert_true (settles || self.base.session->told.ledger.n_settled == 0);
  session_fixture_close (&self.base);
  return g_string_free (self.told, FALSE);
}

void
place_check_with (const char *text, LeatExecutor executor, PlaceScene scene, const char *property, gint value)
{
  g_autofree char *ordinary = place_play (text, executor, scene, property, value, FALSE);
  g_autofree char *settles = place_play (text, executor, scene, property, value, TRUE);

  g_auto (GStrv) lines = g_strsplit (ordinary, "\n", -1);
  g_auto (GStrv) settled_lines = g_strsplit (settles, "\n", -1);

  /* Line by line, so that a failure shows what differs. */
  for (guint i = 0; lines[i] != NULL && settled_lines[i] != NULL; i++)
    g_assert_cmpstr (settled_lines[i], ==, lines[i]);
  g_assert_cmpuint (g_strv_length (settled_lines), ==, g_strv_length (lines));
}

void
place_check (const char *text, LeatExecutor executor, PlaceScene scene)
{
  place_check_with (text, executor, scene, NULL, 0);
}
