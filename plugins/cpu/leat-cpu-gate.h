/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The function that an application gets for the driver call @name.  It is @function, unless calls are watched. */
gpointer leat_cpu_gate_get (const char *name, gpointer function);

G_END_DECLS
