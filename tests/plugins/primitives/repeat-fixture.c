/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "repeat-fixture.h"

#include <string.h>

#define REPEAT_LONG         100
#define REPEAT_SHORT        2
#define REPEAT_WATCHED_STEP 3  /* none, half of it and a mixture of what compact keeps */
#define REPEAT_GIVES        10 /* runs on inputs that are not touched in between */

/* At the borders of warps and of all tiles that there are, primes, and so many tiles that blocks take several. */
static const guint64 repeat_sizes[] = {
  0,    1,    31,   32,    33,    1023,  1024,   1025,   4095,    4096,    4097,
  4099, 8191, 8192, 16384, 16385, 65536, 104729, 262145, 1048575, 1048577, 4194319
};

/* Of these a sanitizer's threads, which take some hundred times as long, see the borders and blocks that wait for
 * others. */
static const guint64 repeat_watched_sizes[] = { 0, 33, 1025, 4099, 16385, 104729 };

guint
repeat_get_pattern_step (void)
{
  return repeat_is_watched () ? REPEAT_WATCHED_STEP : 1;
}

gboolean
repeat_get_size (guint index, guint64 most, guint64 *n)
{
  gboolean watched = repeat_is_watched ();
  const guint64 *sizes = watched ? repeat_watched_sizes : repeat_sizes;

  if (index >= (watched ? G_N_ELEMENTS (repeat_watched_sizes) : G_N_ELEMENTS (repeat_sizes)) || sizes[index] > most)
    return FALSE;
  *n = sizes[index];
  return TRUE;
}

guint64
repeat_get_most_rows (guint64 most)
{
  guint64 n = 0;

  for (guint i = 0; repeat_get_size (i, most, &n); i++)
    ;
  return n;
}

void
repeat_open (Repeat *self, const char *node, const char *inputs, const char *outputs)
{
  primitive_fixture_open (&self->fixture, node, inputs, outputs);
  self->times = repeat_count (REPEAT_SHORT, REPEAT_LONG);
  self->runs = 0;
  self->node = g_strdup (node);
  repeat_watch_begin (&self->watch, self->node, self->fixture.session);
}

static void
repeat_give (Repeat *self, const RepeatData *in)
{
  for (guint i = 0; i < self->fixture.n_inputs; i++)
    {
      g_autofree char *name = g_strdup_printf ("in%u", i);
      GError *error = NULL;
      LeatView view;

      leat_session_map_input (self->fixture.session, name, &view, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (in[i].rows * in[i].row_bytes, <=, view.capacity);
      if (in[i].rows > 0)
        memcpy (view.data, in[i].data, in[i].rows * in[i].row_bytes);
      leat_session_set_input_count (self->fixture.session, name, in[i].rows, &error);
      g_assert_no_error (error);
    }
}

static void
repeat_compare (Repeat *self, guint port, const RepeatData *wanted, gpointer *first, const char *what)
{
  g_autofree char *name = g_strdup_printf ("out%u", port);
  gsize bytes = wanted->rows * wanted->row_bytes;
  gconstpointer data = wanted->data;
  GError *error = NULL;
  LeatView view;

  leat_session_map_output (self->fixture.session, name, &view, &error);
  g_assert_no_error (error);
  if (data == NULL && *first == NULL)
    *first = g_memdup2 (view.data, bytes);
  data = data != NULL ? data : *first;
  if (view.count != wanted->rows)
    g_error ("%s: run %" G_GUINT64_FORMAT ": %s has %" G_GUINT64_FORMAT " rows, not %" G_GUINT64_FORMAT, what,
             self->runs, name, view.count, wanted->rows);
  for (gsize i = 0; bytes > 0 && memcmp (view.data, data, bytes) != 0 && i < bytes; i++)
    if (((const guint8 *) view.data)[i] != ((const guint8 *) data)[i])
      g_error ("%s: run %" G_GUINT64_FORMAT ": byte %zu of %zu of %s is %u, not %u", what, self->runs, i, bytes, name,
               ((const guint8 *) view.data)[i], ((const guint8 *) data)[i]);
}

void
repeat_check (Repeat *self, const RepeatData *in, const RepeatData *out, const char *what)
{
  gpointer first[PRIMITIVE_PORTS_MOST] = { NULL };
  GError *error = NULL;
  LeatView view;

  for (guint i = 0; i < self->fixture.n_outputs && self->runs == 0; i++)
    {
      g_autofree char *name = g_strdup_printf ("out%u", i);

      leat_session_map_output (self->fixture.session, name, &view, &error);
      g_assert_no_error (error);
    }
  for (guint t = 0; t < self->times; t++, self->runs++)
    {
      repeat_watch_step (&self->watch);
      if (t % REPEAT_GIVES == 0)
        repeat_give (self, in);
      leat_session_replay (self->fixture.session, FALSE, NULL, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < self->fixture.n_outputs; i++)
        repeat_compare (self, i, &out[i], &first[i], what);
    }
  for (guint i = 0; i < self->fixture.n_outputs; i++)
    g_free (first[i]);
}

void
repeat_close (Repeat *self)
{
  repeat_watch_end (&self->watch);
  primitive_fixture_close (&self->fixture);
  g_free (self->node);
}
