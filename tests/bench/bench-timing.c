/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bench.h"

#include "leat.h"
#include "session/leat-session-private.h"
#include "session/leat-session-told-private.h"

#include <glib/gstdio.h>

/* What it costs to measure nodes: one chain of kernels in three sessions, with timing=off, with timing=off again and
 * with timing=nodes, run in turns; inputs are filled in place, other ones each round.  Two equal sessions differ too
 * (where their memory and their graph came to lie), and what timing adds is to be seen beside that.  Prints the mean
 * and median of a replay of each, what timing adds to the mean for each node, and the same for the runs that are
 * measured alone, which are told apart by what the session says after each: how many there are depends on what they
 * cost. */

#define SETTLE 100 /* the runs that are all measured are in these */
#define ROUNDS 6400
#define ITEMS  1024

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  double *all, *measured;
  guint n_all, n_measured;
  guint64 told; /* measured runs, as the session says */
} Side;

static void
side_open (Side *self, guint nodes, const char *timing)
{
  g_autoptr (GString) text = g_string_new ("leat 1\napp name=source spec=f32[1024] -> upload mode=copy");
  GError *error = NULL;

  for (guint i = 0; i < nodes; i++)
    g_string_append (text, " -> map expr=x+1");
  g_string_append (text, " -> readback mode=copy -> app name=sink\n");
  self->pipeline = leat_parse_text (text->str, LEAT_TEXT_STYLE_FILE, NULL, &error);
  bench_must_not (error);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "timing", g_str_equal (timing, "off") ? LEAT_TIMING_OFF : LEAT_TIMING_NODES, NULL);
  leat_session_open (self->session, NULL, &error);
  bench_must_not (error);
  self->all = g_new (double, ROUNDS);
  self->measured = g_new (double, ROUNDS);
  self->n_all = self->n_measured = 0;
  self->told = 0;
}

static void
side_close (Side *self)
{
  leat_session_close (self->session);
  g_object_unref (self->session);
  g_object_unref (self->pipeline);
  g_free (self->all);
  g_free (self->measured);
}

/* Was the last run measured? */
static gboolean
side_was_measured (Side *self)
{
  guint64 before = self->told;

  self->told = leat_session_get_number (self->session, "runs-measured");
  return self->told > before;
}

static void
side_run (Side *self, guint nodes, guint round, gboolean count)
{
  GError *error = NULL;
  LeatView in, out;
  double begin, took;

  leat_session_map_input (self->session, "source", &in, &error);
  bench_must_not (error);
  for (guint i = 0; i < ITEMS; i++)
    ((float *) in.data)[i] = (float) ((round + i) % 1000);
  begin = bench_now_us ();
  leat_session_replay (self->session, FALSE, NULL, &error);
  took = bench_now_us () - begin;
  bench_must_not (error);
  leat_session_map_output (self->session, "sink", &out, &error);
  bench_must_not (error);
  if (((const float *) out.data)[7] != (float) ((round + 7) % 1000) + nodes)
    g_error ("the result of round %u is wrong", round);
  if (count)
    self->all[self->n_all++] = took;
  if (side_was_measured (self) && count)
    self->measured[self->n_measured++] = took;
}

/* Of all but the slowest hundredth, which are not ours. */
static double
get_mean (double *times, guint n)
{
  double sum = 0;
  guint kept = n - n / 100;

  bench_sort (times, n);
  for (guint i = 0; i < kept; i++)
    sum += times[i];
  return kept > 0 ? sum / kept : 0;
}

typedef enum
{
  SIDE_OFF,
  SIDE_OFF_TOO,
  SIDE_ON,
  N_SIDES
} SideKind;

static void
sides_open (Side *sides, guint nodes)
{
  static const char *const timings[N_SIDES] = { "off", "off", "nodes" };
  GError *error = NULL;
  LeatView view;

  for (guint i = 0; i < N_SIDES; i++)
    {
      side_open (&sides[i], nodes, timings[i]);
      leat_session_map_output (sides[i].session, "sink", &view, &error);
      bench_must_not (error);
    }
}

static void
sides_print (Side *sides, guint nodes)
{
  double means[N_SIDES], medians[N_SIDES], measured;
  guint64 early[N_SIDES];

  for (guint i = 0; i < N_SIDES; i++)
    {
      means[i] = get_mean (sides[i].all, sides[i].n_all);
      medians[i] = bench_get_median (sides[i].all, sides[i].n_all);
      early[i] = leat_session_get_number (sides[i].session, "early-starts");
    }
  measured = bench_get_median (sides[SIDE_ON].measured, sides[SIDE_ON].n_measured);
  g_print ("%4u nodes  off %8.2f us (median %8.2f)  off too %8.2f us (median %8.2f)  on %8.2f us (median %8.2f): "
           "%+7.1f ns a node, %+5.2f %%;  %u measured runs: median %8.2f us, %+7.1f ns a node;  early starts "
           "%" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT "\n",
           nodes, means[SIDE_OFF], medians[SIDE_OFF], means[SIDE_OFF_TOO], medians[SIDE_OFF_TOO], means[SIDE_ON],
           medians[SIDE_ON], (means[SIDE_ON] - means[SIDE_OFF]) * 1e3 / nodes,
           100 * (means[SIDE_ON] / means[SIDE_OFF] - 1), sides[SIDE_ON].n_measured, measured,
           (measured - medians[SIDE_OFF]) * 1e3 / nodes, early[SIDE_OFF], early[SIDE_OFF_TOO], early[SIDE_ON]);
}

static void
bench (guint nodes)
{
  Side sides[N_SIDES];
  guint rounds = SETTLE + ROUNDS / (1 + nodes / 64);

  sides_open (sides, nodes);
  for (guint round = 0; round < rounds; round++)
    for (guint i = 0; i < N_SIDES; i++)
      side_run (&sides[(round + i) % N_SIDES], nodes, round, round >= SETTLE);
  sides_print (sides, nodes);
  for (guint i = 0; i < N_SIDES; i++)
    side_close (&sides[i]);
}

int
main (void)
{
  static const guint nodes[] = { 1, 32, 512 };

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    bench (nodes[i]);
  return 0;
}
