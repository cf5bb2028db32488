/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-private.h"

G_BEGIN_DECLS

/* Data that sources have given, aside while the memory that they were put into is used otherwise. */
typedef struct
{
  LeatRun run;
  GBytes **inputs; /* of each source: NULL where nothing of it is kept */
  guint64 *counts;
  guint n_inputs;
  guint n_filled; /* of the session then */
} LeatKept;

/* Of the first @n sources, by where @flight has them. */
void leat_kept_init (LeatKept *self, LeatSession *session, const LeatFlight *flight, guint n);
/* As init, of all whose memory a run by other means would overwrite; the session has no such data then. */
void leat_kept_init_given (LeatKept *self, LeatSession *session);
/* To where @flight has them. */
void leat_kept_put (const LeatKept *self, LeatSession *session, LeatFlight *flight);
void leat_kept_clear (LeatKept *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatKept, leat_kept_clear)

G_END_DECLS
