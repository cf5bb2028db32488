/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The data of one `app` node in a contest: filled alike for both sides, and compared.  Touches that node's views, and
 * the host side's memory for it. */

#include "leat-bench-port.h"

#include <string.h>

void
leat_bench_port_clear (LeatBenchPort *self)
{
  for (guint i = 0; i < LEAT_BENCH_N_SIDES; i++)
    g_free (self->data[i]);
  g_clear_pointer (&self->spec, leat_spec_unref);
}

static gboolean
leat_bench_port_map (LeatBenchPort *self, LeatSession *session, LeatView *view, GError **error)
{
  if (self->source)
    return leat_session_map_input (session, self->name, view, error);
  return leat_session_map_output (session, self->name, view, error);
}

gboolean
leat_bench_port_init (LeatBenchPort *self, LeatSession *session, LeatBenchHost *host, LeatNode *node, GError **error)
{
  LeatView view;

  *self =
    (LeatBenchPort){ .name = leat_node_get_name (node), .source = leat_endpoint_is_source (LEAT_ENDPOINT (node)) };
  if (!leat_bench_port_map (self, session, &view, error))
    return FALSE;
  self->at_host = leat_bench_host_get_data (host, node, &self->count_at_host);
  if (self->at_host == NULL)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "the data of \"%s\" cannot be had by hand here",
                   self->name);
      return FALSE;
    }
  self->spec = leat_spec_ref (view.spec);
  self->bytes = view.capacity;
  for (guint i = 0; i < LEAT_BENCH_N_SIDES; i++)
    self->data[i] = g_malloc0_n (self->source ? 1 : LEAT_BENCH_TURN_RUNS, self->bytes);
  return TRUE;
}

static guint64
leat_bench_next (guint64 *state)
{
  guint64 x = *state += 0x9e3779b97f4a7c15u;

  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/* Numbers from 0 to 1 for floats and the parts of complex ones, 0 and 1 for bool, any bits for others.  The run, the
 * seed and the place of the node decide. */
void
leat_bench_port_fill (LeatBenchPort *self, guint64 seed, guint64 run, guint place)
{
  guint64 state = seed * 0x100000001b3u + run * 131 + place;
  LeatDtype dtype = leat_spec_get_dtype (self->spec);
  gboolean is_complex = dtype == LEAT_DTYPE_C64 || dtype == LEAT_DTYPE_C128;
  gsize size = leat_dtype_get_size (dtype) / (is_complex ? 2 : 1);
  guint8 *data = self->data[LEAT_BENCH_HOST];

  for (guint64 i = 0; i + size <= self->bytes; i += size)
    {
      guint64 bits = leat_bench_next (&state);
      double number = (double) (bits >> 40) / (1 << 24);
      float single = (float) number;

      if (dtype == LEAT_DTYPE_F32 || dtype == LEAT_DTYPE_C64)
        memcpy (data + i, &single, size);
      else if (dtype == LEAT_DTYPE_F64 || dtype == LEAT_DTYPE_C128)
        memcpy (data + i, &number, size);
      else if (dtype == LEAT_DTYPE_BOOL)
        data[i] = bits >> 40 & 1;
      else
        memcpy (data + i, &bits, MIN (size, sizeof bits));
    }
  memcpy (self->data[LEAT_BENCH_RESIDENT], data, self->bytes);
  memcpy (self->at_host, data, self->bytes);
  if (self->count_at_host != NULL)
    *self->count_at_host = self->bytes / leat_spec_get_row_bytes (self->spec);
}

gboolean
leat_bench_port_give (LeatBenchPort *self, LeatSession *session, GError **error)
{
  LeatView view;

  if (!leat_session_map_input (session, self->name, &view, error))
    return FALSE;
  memcpy (view.data, self->data[LEAT_BENCH_RESIDENT], self->bytes);
  return self->count_at_host == NULL
         || leat_session_set_input_count (session, self->name, self->bytes / leat_spec_get_row_bytes (self->spec),
                                          error);
}

gboolean
leat_bench_port_take (LeatBenchPort *self, LeatSession *session, guint at, GError **error)
{
  LeatView view;

  if (!leat_session_map_output (session, self->name, &view, error))
    return FALSE;
  self->live[LEAT_BENCH_RESIDENT][at] = leat_view_get_bytes (&view);
  memcpy (self->data[LEAT_BENCH_RESIDENT] + at * self->bytes, view.data, self->live[LEAT_BENCH_RESIDENT][at]);
  return TRUE;
}

void
leat_bench_port_keep (LeatBenchPort *self, guint at)
{
  guint64 bytes = self->bytes;

  if (self->count_at_host != NULL)
    bytes = MIN (bytes, *self->count_at_host * leat_spec_get_row_bytes (self->spec));
  self->live[LEAT_BENCH_HOST][at] = bytes;
  memcpy (self->data[LEAT_BENCH_HOST] + at * self->bytes, self->at_host, bytes);
}

gboolean
leat_bench_port_is_equal (LeatBenchPort *self, guint at)
{
  guint64 bytes = self->live[LEAT_BENCH_HOST][at];

  return bytes == self->live[LEAT_BENCH_RESIDENT][at]
         && memcmp (self->data[LEAT_BENCH_HOST] + at * self->bytes, self->data[LEAT_BENCH_RESIDENT] + at * self->bytes,
                    bytes)
              == 0;
}
