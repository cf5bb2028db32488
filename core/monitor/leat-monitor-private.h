/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-monitor.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* Adds what it knows to a snapshot.  Any thread. */
typedef void (*LeatMonitorTeller) (GVariantDict *dict);

/* The tellers, with the keys that they tell. */
typedef enum
{
  LEAT_MONITOR_SESSIONS, /* "up-us", "devices", "sessions" */
  LEAT_MONITOR_SCHEDULERS,
  LEAT_MONITOR_N_KINDS
} LeatMonitorKind;

/* From now on snapshots have what @teller adds, which there is one of for each kind.  When there are sessions a socket
 * is made where LEAT_MONITOR asks for one. */
void leat_monitor_join (LeatMonitorKind kind, LeatMonitorTeller teller);
/* FALSE where there is one of its kind already. */
gboolean leat_monitor_add_teller (LeatMonitorKind kind, LeatMonitorTeller teller);

/* UTF-8: what is none as \xHH, byte by byte. (transfer full) */
char *leat_monitor_dup_text (const char *text);
/* @text: (nullable): any bytes */
void leat_monitor_insert_text (GVariantDict *dict, const char *key, const char *text);

/* The longest request, with its line feed; a client that sends more is no client. */
#define LEAT_MONITOR_REQUEST_BYTES 256

/* The line that answers a request (without its line feed), with a line feed.  Any bytes may come.  (transfer full) */
char *leat_monitor_answer (const char *request, gsize size);

/* A socket at @path that nobody but this user can connect to, or in the user's own folder where @path is NULL: what it
 * is called then goes to @chosen.  A socket that nobody listens at any more is replaced. */
GSocket *leat_monitor_listen (const char *path, char **chosen, GError **error);
/* /leat (transfer full) */
char *leat_monitor_dup_folder (void);

G_END_DECLS
