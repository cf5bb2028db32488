/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-types.h"

G_BEGIN_DECLS

#define LEAT_TYPE_MESSAGE (leat_message_get_type ())
#define LEAT_TYPE_BUS     (leat_bus_get_type ())
G_DECLARE_FINAL_TYPE (LeatBus, leat_bus, LEAT, BUS, GObject)

/**
 * LeatMessageType:
 * @LEAT_MESSAGE_ERROR: the run ended with an error
 * @LEAT_MESSAGE_WARNING: something is not as it should be, and the run goes on
 * @LEAT_MESSAGE_END: end of stream: every sink has finished
 * @LEAT_MESSAGE_PROGRESS: how far the run is; the details have `runs` (t), `bytes` (t), `total-bytes` (t; 0 when not
 *   known) and `seconds` (d)
 * @LEAT_MESSAGE_STATS: what a session has counted and measured
 * @LEAT_MESSAGE_CHANGE: properties that were set while a session is open needed an executable graph; the details have
 *   `how` (s: `graph-updated`, `instantiated`) and `reason` (s: which node, and what of it).  Also: an output was given
 *   more room, because a run gave more than it had; then there are `grown` (s: which output), `needed` (t: items),
 *   `from` and `to` (t: the room before and after) too
 *
 * Kinds of messages.
 */
typedef enum
{
  LEAT_MESSAGE_ERROR = 1 << 0,
  LEAT_MESSAGE_WARNING = 1 << 1,
  LEAT_MESSAGE_END = 1 << 2,
  LEAT_MESSAGE_PROGRESS = 1 << 3,
  LEAT_MESSAGE_STATS = 1 << 4,
  LEAT_MESSAGE_CHANGE = 1 << 5,
} LeatMessageType;

GType leat_message_get_type (void) G_GNUC_CONST;
LeatMessage *leat_message_new (LeatMessageType type, const char *source, const GError *error, GVariant *details);
LeatMessage *leat_message_ref (LeatMessage *self);
void leat_message_unref (LeatMessage *self);
LeatMessageType leat_message_get_kind (LeatMessage *self);
const char *leat_message_get_source (LeatMessage *self);
const GError *leat_message_get_error (LeatMessage *self);
GVariant *leat_message_get_details (LeatMessage *self);

LeatBus *leat_bus_new (void);
void leat_bus_post (LeatBus *self, LeatMessage *message);
LeatMessage *leat_bus_pop (LeatBus *self, gint64 timeout_us);
void leat_bus_add_watch (LeatBus *self);
void leat_bus_remove_watch (LeatBus *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatMessage, leat_message_unref)

G_END_DECLS
