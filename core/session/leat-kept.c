/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Copies what sources have given, and puts it back when a run by other means has used the memory.  Touches the memory
 * of the inputs and the counts of the session's ends. */

#include "leat-kept-private.h"

#include <string.h>

static void
leat_kept_make (LeatKept *self, LeatSession *session, const LeatFlight *flight)
{
  *self = (LeatKept){ .run = flight->run,
                      .inputs = g_new0 (GBytes *, session->ends.inputs->len + 1),
                      .counts = g_new0 (guint64, session->ends.inputs->len + 1),
                      .n_inputs = session->ends.inputs->len,
                      .n_filled = session->ends.n_filled };
}

static void
leat_kept_add (LeatKept *self, const LeatFlight *flight, guint index)
{
  LeatView view;

  leat_staging_view (&flight->inputs[index], &view);
  self->counts[index] = view.count;
  self->inputs[index] = g_bytes_new (view.data, leat_staging_get_live_bytes (&flight->inputs[index], &view));
}

void
leat_kept_init (LeatKept *self, LeatSession *session, const LeatFlight *flight, guint n)
{
  leat_kept_make (self, session, flight);
  for (guint i = 0; i < n; i++)
    leat_kept_add (self, flight, i);
}

void
leat_kept_init_given (LeatKept *self, LeatSession *session)
{
  const LeatFlight *flight = leat_session_get_flight (session, 0);

  leat_kept_make (self, session, flight);
  for (guint i = 0; i < session->ends.inputs->len; i++)
    if (!leat_session_get_input (session, i)->buffer->user
        && (i < session->ends.n_filled || leat_session_get_input (session, i)->direct))
      leat_kept_add (self, flight, i);
  session->ends.n_filled = 0;
}

void
leat_kept_put (const LeatKept *self, LeatSession *session, LeatFlight *flight)
{
  for (guint i = 0; i < self->n_inputs; i++)
    {
      const LeatStaging *staging = &flight->inputs[i];
      gsize size;
      gconstpointer data;

      if (self->inputs[i] == NULL)
        continue;
      data = g_bytes_get_data (self->inputs[i], &size);
      if (size > 0)
        memcpy (staging->view.data, data, size);
      if (staging->count != NULL)
        *staging->count = self->counts[i];
      leat_session_get_input (session, i)->generation++;
    }
  flight->run = self->run;
}

void
leat_kept_clear (LeatKept *self)
{
  for (guint i = 0; i < self->n_inputs; i++)
    g_clear_pointer (&self->inputs[i], g_bytes_unref);
  g_clear_pointer (&self->inputs, g_free);
  g_clear_pointer (&self->counts, g_free);
  self->n_inputs = 0;
}
