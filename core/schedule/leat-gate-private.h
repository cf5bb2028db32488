/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What one thread waits for and another opens, once.  Nobody else is woken, no lock is taken, and whoever opens it asks
 * the system for nothing where the other does not sleep.  Zeros are one that is shut.  It may be gone as soon as it has
 * been opened: who opens it looks at it no more. */
typedef struct
{
  guint32 word;
} LeatGate;

void leat_gate_open (LeatGate *self);
void leat_gate_await (LeatGate *self);

G_END_DECLS
