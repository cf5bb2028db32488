/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

/* Catches warnings, which would end a test, so that it can say which one it expects.  (What GLib has for that does not
 * see structured messages, which Leat writes.) */
void warnings_catch (void);
/* Exactly one warning has come since the last call, and matches the glob @pattern. */
void warnings_assert_one (const char *pattern);
