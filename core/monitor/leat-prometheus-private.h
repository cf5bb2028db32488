/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The text exposition format of Prometheus, version 0.0.4: base units (seconds, bytes), `_total` behind what only
 * grows. */

void leat_prometheus_append_head (GString *out, const char *name, const char *help);
/* name="value" */
void leat_prometheus_append_label (GString *out, const char *name, const char *value);
/* With the line feed that ends a sample. */
void leat_prometheus_append_seconds (GString *out, gint64 us);

G_END_DECLS
