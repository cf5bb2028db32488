/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One thread waits for a gate, and another opens it, once.  Nobody else is woken, no lock is taken, and the opener asks
 * the system for nothing where the other does not sleep.  Zeros are a gate that is shut.  It may be gone as soon as it
 * has been opened: the opener looks at it no more. */
typedef struct
{
  guint32 word;
} LeatGate;

void leat_gate_open (LeatGate *self);
void leat_gate_await (LeatGate *self);

G_END_DECLS
