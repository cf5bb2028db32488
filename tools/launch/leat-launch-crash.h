/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* On the CPU a kernel is code of the process, and a wrong pointer in it ends the process by a signal.  From here on
 * such an end says which kernel it was and how to find the line; the process ends by the signal all the same.  Called
 * when the session is open, since it asks the driver that is loaded. */
void leat_launch_explain_crashes (void);

G_END_DECLS
