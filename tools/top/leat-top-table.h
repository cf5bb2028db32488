/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-top-sample.h"

G_BEGIN_DECLS

/* The figures of a process, for people.  @before: (nullable): an earlier sample of the same process, from which rates
 * come.  Lines end with line feeds and are at most @width columns wide (0: as wide as they are). */
void leat_top_append_process (GString *text, const LeatTopSample *before, const LeatTopSample *now, guint width);

G_END_DECLS
