/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "schedule/leat-gate-private.h"

/* A thread that waits at gates, and one that opens them: each is on the stack of the first, and gone behind it. */

#define ROUNDS 20000

static LeatGate *offered; /* atomic: NULL: none */

static LeatGate *
take_gate (void)
{
  LeatGate *gate;

  while ((gate = g_atomic_pointer_get (&offered)) == NULL)
    g_thread_yield ();
  g_atomic_pointer_set (&offered, NULL);
  return gate;
}

/* What was done before a gate was opened is seen behind it. */
static gpointer
open_gates (gpointer data)
{
  guint *value = data;

  for (guint round = 0; round < ROUNDS; round++)
    {
      LeatGate *gate = take_gate ();

      if (round % 64 == 0)
        g_usleep (200);
      *value = round;
      leat_gate_open (gate);
    }
  return NULL;
}

static void
test_gate_opens (void)
{
  guint value = G_MAXUINT;
  GThread *thread = g_thread_new ("opener", open_gates, &value);

  for (guint round = 0; round < ROUNDS; round++)
    {
      LeatGate gate = { 0 };

      g_atomic_pointer_set (&offered, &gate);
      leat_gate_await (&gate);
      g_assert_cmpuint (value, ==, round);
    }
  g_thread_join (thread);
}

/* One that was opened before somebody comes to it. */
static void
test_gate_is_open (void)
{
  LeatGate gate = { 0 };

  leat_gate_open (&gate);
  leat_gate_await (&gate);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/gate/opens", test_gate_opens);
  g_test_add_func ("/leat/gate/is-open", test_gate_is_open);
  return g_test_run ();
}
