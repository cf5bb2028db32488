/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-driver-private.h"

G_BEGIN_DECLS

typedef struct _LeatDriverHouse LeatDriverHouse;

/* For the files of this folder only. */
struct _LeatDriver
{
  LeatDriverKind kind;
  char *path;
  int version;
  guint device_count;
  LeatDriverTable table;  /* what everybody calls */
  LeatDriverTable direct; /* the library's own functions */
  LeatDriverTable held;   /* those, but for which guests leave (leat-driver-guest-private.h) */
  int trace_slot;         /* atomic; -1: never traced */
  LeatDriverHouse *house; /* of its guests */
};

G_END_DECLS
