/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A session between two `app` nodes, for most cases: opened, filled, replayed and checked.  Touches the views of those
 * two nodes only. */

#include "leat-bench-subject.h"

#define MOST_STIRRED 1024

static float
leat_bench_number (gsize i, guint round)
{
  return (float) ((i * 31 + round * 7919u) % 4093);
}

static gboolean
leat_bench_subject_look (LeatBenchSubject *self, gsize from, gsize step, guint round, const LeatBenchRule *rule,
                         GError **error)
{
  for (gsize i = from; i < self->n; i += step)
    {
      float expected = (float) (rule->times * leat_bench_number (i, round) + rule->plus);

      if (self->out[i] == expected)
        continue;
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                   "wrong result: number %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " is %.9g, not %.9g, in run %u", i,
                   self->n, self->out[i], expected, round);
      return FALSE;
    }
  return TRUE;
}

static gboolean
leat_bench_subject_map (LeatBenchSubject *self, GError **error)
{
  LeatView in, out;

  if (!leat_session_map_output (self->session, "sink", &out, error)
      || !leat_session_map_input (self->session, "source", &in, error))
    return FALSE;
  self->in = in.data;
  self->out = out.data;
  self->n = MIN (in.capacity, out.capacity) / sizeof (float);
  self->step = MAX (1, self->n / MOST_STIRRED);
  return TRUE;
}

void
leat_bench_subject_close (LeatBenchSubject *self)
{
  if (self->session != NULL)
    leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

gboolean
leat_bench_subject_take (LeatBenchSubject *self, LeatPipeline *pipeline, LeatSession *session, GError **error)
{
  *self = (LeatBenchSubject){ .pipeline = pipeline, .session = session };
  if (leat_bench_subject_map (self, error))
    return TRUE;
  leat_bench_subject_close (self);
  return FALSE;
}

gboolean
leat_bench_subject_open (LeatBenchSubject *self, const LeatBench *bench, const char *text, GError **error,
                         const char *first_property, ...)
{
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  g_autoptr (LeatSession) session = NULL;
  va_list properties;

  if (pipeline == NULL)
    return FALSE;
  session = leat_session_new (pipeline, bench->selector);
  g_object_set (session, "wait", bench->wait, NULL);
  va_start (properties, first_property);
  g_object_set_valist (G_OBJECT (session), first_property, properties);
  va_end (properties);
  return leat_session_open (session, NULL, error)
         && leat_bench_subject_take (self, g_steal_pointer (&pipeline), g_steal_pointer (&session), error);
}

gboolean
leat_bench_subject_lend (LeatBenchSubject *self, GError **error)
{
  LeatView in;

  return leat_session_map_input (self->session, "source", &in, error);
}

gboolean
leat_bench_subject_try (LeatBenchSubject *self, const LeatBenchRule *rule, GError **error)
{
  const guint round = 123;

  if (!leat_bench_subject_lend (self, error))
    return FALSE;
  for (gsize i = 0; i < self->n; i++)
    self->in[i] = leat_bench_number (i, round);
  return leat_bench_subject_replay (self, FALSE, error) >= 0
         && leat_bench_subject_look (self, 0, 1, round, rule, error);
}

void
leat_bench_subject_stir (LeatBenchSubject *self, guint round)
{
  for (gsize i = round % self->step; i < self->n; i += self->step)
    self->in[i] = leat_bench_number (i, round);
}

gboolean
leat_bench_subject_check (LeatBenchSubject *self, guint round, const LeatBenchRule *rule, GError **error)
{
  return leat_bench_subject_look (self, round % self->step, self->step, round, rule, error);
}

double
leat_bench_subject_replay (LeatBenchSubject *self, gboolean lend, GError **error)
{
  double begin = leat_bench_now_us ();
  LeatView view;

  if ((lend && !leat_session_map_input (self->session, "source", &view, error))
      || leat_session_replay (self->session, FALSE, NULL, error) == LEAT_FLOW_ERROR
      || !leat_session_map_output (self->session, "sink", &view, error))
    return -1;
  return leat_bench_now_us () - begin;
}

guint64
leat_bench_subject_get_stat (LeatBenchSubject *self, const char *name)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (self->session);
  guint64 value = 0;

  g_variant_lookup (stats, name, "t", &value);
  return value;
}
