/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-compile-gather.h"

G_BEGIN_DECLS

/* What there is to say of an artifact beside what was gathered. */
typedef struct
{
  const char *main;          /* the pipeline's file */
  const char *const *values; /* NAME=VALUE, as given */
  const char *const *open;   /* names of variables */
  const char *plan;          /* JSON */
  const char *const *nodes;  /* their ids */
  const GPtrArray *targets;  /* LeatImageTarget */
} LeatCompileFacts;

gboolean leat_compile_write (const LeatGathered *gathered, const LeatCompileFacts *facts, const char *path,
                             GError **error);

G_END_DECLS
