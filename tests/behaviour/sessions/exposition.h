/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* A strict reader of Prometheus's text format, version 0.0.4.  The samples, "name{labels}" -> value; fails the test
 * where the text breaks a rule: every sample behind a HELP and then a TYPE of its name, each name in one place, no
 * sample twice, counters that end in _total, values that are numbers, a line feed behind the last line. */
GHashTable *exposition_parse (const char *text);
/* NULL, or which rule is broken and where. (transfer full) */
char *exposition_find_fault (const char *text, GHashTable *samples);
/* That the reader sees what is wrong. */
void exposition_add_tests (void);
