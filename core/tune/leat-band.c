/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Tells how full the bounded inputs of a run are, so that measured choices go for inputs of that kind.  Reads the
 * counts of the inputs, and changes nothing. */

#include "leat-tuning-private.h"

/* How full the bounded inputs of a run are, in bands: the fastest way for many items need not be so for few.  Findings
 * of the first run hold for inputs of its bands.
 *
 * A band has a digit for each bounded input that the host fills: 0 for no items.  Else it is one more than how often
 * the room can be halved until it is no more than the count, and 9 at most.  Memory that the application brings is not
 * looked at. */

#define LEAT_BAND_LAST 9

static gboolean
leat_op_is_banded (const LeatOp *op, LeatPlan *plan)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (plan, op->touches[0].buffer);

  return op->kind == LEAT_OP_SOURCE && buffer->header && !buffer->user;
}

gboolean
leat_plan_has_bands (LeatPlan *plan)
{
  for (guint i = 0; i < plan->ops->len; i++)
    if (leat_op_is_banded (leat_plan_get_op (plan, i), plan))
      return TRUE;
  return FALSE;
}

static guint
leat_band_of (guint64 count, guint64 most)
{
  guint band = 1;

  if (count == 0)
    return 0;
  for (; band < LEAT_BAND_LAST && most / 2 >= count; band++)
    most /= 2;
  return band;
}

char *
leat_flight_dup_band (const LeatFlight *flight)
{
  GString *band = g_string_new (NULL);

  for (guint i = 0; i < flight->n_inputs; i++)
    if (leat_op_is_banded (flight->inputs[i].op, flight->lane->plan))
      g_string_append_c (band, '0' + leat_band_of (*flight->inputs[i].count, flight->inputs[i].most));
  return g_string_free (band, FALSE);
}
