/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-dump.h"

G_BEGIN_DECLS

/* What the command line asks for when results are wrong. */
typedef struct
{
  GPtrArray *dumps; /* LeatDump */

  /*< private >*/
  char **dump_words;
} LeatLaunchWrong;

void leat_launch_wrong_add_options (LeatLaunchWrong *self, GOptionContext *context);
/* When they are parsed. */
gboolean leat_launch_wrong_check (LeatLaunchWrong *self, GError **error);
void leat_launch_wrong_clear (LeatLaunchWrong *self);

G_END_DECLS
