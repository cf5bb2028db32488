/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A file in the trace event format that Perfetto and Chrome read: an array of events, each on a track. */
typedef struct _LeatTrace LeatTrace;

/* The file has its name when it has ended. */
LeatTrace *leat_trace_new (const char *path, GCancellable *cancellable, GError **error);
/* Ends the file. FALSE when not all of it could be written. */
gboolean leat_trace_finish (LeatTrace *self, GError **error);
void leat_trace_free (LeatTrace *self);

void leat_trace_name_process (LeatTrace *self, const char *name);
void leat_trace_name_track (LeatTrace *self, guint track, const char *name);
/* @name is written as JSON; times are nanoseconds of one clock. */
void leat_trace_add (LeatTrace *self, guint track, const char *category, const char *name, gint64 begin_ns,
                     gint64 end_ns, guint64 run);
void leat_trace_add_instant (LeatTrace *self, guint track, const char *name, gint64 ns);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatTrace, leat_trace_free)

G_END_DECLS
