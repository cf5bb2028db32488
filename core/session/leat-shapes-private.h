/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "lane/leat-setup-private.h"

G_BEGIN_DECLS

/* Setups that are kept. */
typedef struct
{
  GPtrArray *setups; /* LeatSetup */
  guint64 clock;
} LeatShapes;

/* The setup for the shapes of @plan that is kept; NULL where there is none. */
LeatSetup *leat_shapes_find (LeatShapes *self, LeatPlan *plan);
/* Takes one out of those that are kept. (transfer full) */
LeatSetup *leat_shapes_steal (LeatShapes *self, LeatSetup *setup);
/* Of all but the @current one. */
guint64 leat_shapes_get_bytes (LeatShapes *self, const LeatSetup *current);
/* So that @bytes more may be kept, of @most; FALSE: they may not.  @out takes what goes. */
gboolean leat_shapes_make_room (LeatShapes *self, const LeatSetup *current, guint64 most, guint64 bytes,
                                GPtrArray *out);
/* Those that are kept beside the @current one. */
void leat_shapes_drop_others (LeatShapes *self, const LeatSetup *current);

G_END_DECLS
