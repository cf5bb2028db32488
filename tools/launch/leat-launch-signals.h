/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Tells the main loop of SIGINT, SIGTERM and SIGHUP, each that was meant as one of its own once. */
typedef void (*LeatSignalFunc) (int number, gpointer data);

void leat_signals_take (LeatSignalFunc func, gpointer data);

G_END_DECLS
