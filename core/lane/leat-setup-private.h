/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-lane-private.h"

G_BEGIN_DECLS

/* A bound plan that is loaded, with its lanes and their graphs.  A session runs one and keeps some that it ran before,
 * most of all for other shapes of its data. */
typedef struct
{
  LeatPlan *plan;
  guint64 key; /* leat_plan_hash () */
  LeatProgram *program;
  GPtrArray *lanes; /* LeatLane */
  LeatTurn *turn;   /* of them; NULL where nothing has to be done lane after lane, or there is one lane */
  guint64 bytes;    /* of memory, of the device and of the host, that was not there before */
  guint64 used;     /* when it was last taken up, by a clock of its session */
} LeatSetup;

/* Shared by the setups of one session. */
typedef struct
{
  LeatDevice *device;
  LeatStore *store;
  LeatGraphCounts *counts;
  gboolean measured; /* runs may be */
} LeatSetupBase;

/* Without graphs.  @before (nullable): lends modules. */
LeatSetup *leat_setup_new (const LeatSetupBase *base, LeatPlan *plan, LeatSetup *before, GError **error);
void leat_setup_free (LeatSetup *self);
/* Arguments of nodes as they are in @before, a setup for another room, and not as they were set since. */
void leat_setup_take_args (LeatSetup *self, LeatSetup *before);
/* The graphs of the first path.  @donor (nullable): a setup that is not needed any more when this succeeds, alike to
 * this one: its executables are updated where the driver does so.  @why: as leat_lane_take_graph (). */
gboolean leat_setup_build (LeatSetup *self, LeatSetup *donor, char **why, GError **error);
/* Its graphs, as they were when it ran last: after a build that it was the donor of, or an adjustment, that failed. */
gboolean leat_setup_rebuild (LeatSetup *self, GError **error);
/* From now on graphs of one op are worth their while. */
void leat_setup_settle (LeatSetup *self);
/* See leat_lane_adjust (). */
gboolean leat_setup_adjust (LeatSetup *self, const LeatSetupBase *base, LeatPlan *plan, gboolean *broken,
                            GError **error);
/* Constants and what is kept from run to run are what they shall be when @before (nullable) ran until now. */
gboolean leat_setup_begin (LeatSetup *self, LeatSetup *before, GError **error);
/* At least @n lanes from here on, with graphs where the first has them, and state that they share.  No run is under
 * way. After an error there are as many as could be made. */
gboolean leat_setup_grow (LeatSetup *self, const LeatSetupBase *base, guint n, GError **error);
gboolean leat_setup_has_graphs (LeatSetup *self);
guint64 leat_setup_get_graph_bytes (LeatSetup *self);
/* The memory that it takes, with its graphs. */
guint64 leat_setup_get_bytes (LeatSetup *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatSetup, leat_setup_free)

G_END_DECLS
