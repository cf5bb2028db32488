/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-top-sample.h"

G_BEGIN_DECLS

/* Where processes tell what they do: sockets (leat_monitor_start ()). */

/* Those in the user's folder, sorted. (element-type filename) (transfer full) */
GPtrArray *leat_top_list_sockets (void);
/* That of a process, or a path as it is. (transfer full) */
char *leat_top_find_socket (const char *word);
/* Asks the process there; gives up after some seconds.  A socket in the user's folder at which nobody listens is taken
 * away (G_IO_ERROR_CONNECTION_REFUSED). */
LeatTopSample *leat_top_ask (const char *path, GError **error);

G_END_DECLS
