/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Lets one thread wait until another opens the gate, with a futex and no lock.  Touches the gate's word only. */

#include "leat-gate-private.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

enum
{
  LEAT_GATE_SHUT,
  LEAT_GATE_SLEPT_FOR,
  LEAT_GATE_OPEN,
};

/* If the gate is gone, a thread that sleeps at its address wakes for nothing; any such thread is prepared for that. */
void
leat_gate_open (LeatGate *self)
{
  if (__atomic_exchange_n (&self->word, LEAT_GATE_OPEN, __ATOMIC_ACQ_REL) == LEAT_GATE_SLEPT_FOR)
    syscall (SYS_futex, &self->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void
leat_gate_await (LeatGate *self)
{
  guint32 seen = LEAT_GATE_SHUT;

  if (__atomic_compare_exchange_n (&self->word, &seen, LEAT_GATE_SLEPT_FOR, FALSE, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    seen = LEAT_GATE_SLEPT_FOR;
  while (seen != LEAT_GATE_OPEN)
    {
      syscall (SYS_futex, &self->word, FUTEX_WAIT_PRIVATE, LEAT_GATE_SLEPT_FOR, NULL, NULL, 0);
      seen = __atomic_load_n (&self->word, __ATOMIC_ACQUIRE);
    }
}
