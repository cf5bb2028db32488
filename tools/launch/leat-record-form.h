/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "artifact/leat-artifact-private.h"

G_BEGIN_DECLS

/* What a recording has beside an artifact, as docs/reference/recording.md has it. */

#define LEAT_RECORD_MAIN  "recording.leat"
#define LEAT_RECORD_INPUT LEAT_SECTION_WORD ('i', 'n', 'p', 't') /* "NODE/00000001": its live items in that run */

#define LEAT_RECORD_GROUP "recording" /* of the manifest: runs, settings, first-run */
#define LEAT_RECORD_FACTS "device"    /* id, name, driver, capability, memory */

#define LEAT_RECORD_MOST_RUNS 1000000

/* "NODE/00000001" (transfer full) */
static inline char *
leat_record_dup_input_name (const char *node, guint64 run)
{
  return g_strdup_printf ("%s/%08" G_GUINT64_FORMAT, node, run);
}

G_END_DECLS
