/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* One of the pipelines that a command line names or is made of. */
typedef struct
{
  char **words; /* the file and its variables, or the pipeline */
  gboolean is_file;
  char *name; /* what messages call it where there are several */
} LeatLaunchText;

/* A file takes the settings of variables behind it; a word that is another file, or `//`, ends the pipeline before it.
 * NULL with an error (G_OPTION_ERROR). (element-type LeatLaunchText) (transfer full) */
GPtrArray *leat_launch_texts_split (char **words, GError **error);
/* Reads and validates it; NULL with @errors (element-type GError). (transfer full) (nullable) */
LeatPipeline *leat_launch_text_read (const LeatLaunchText *self, GPtrArray *errors);

G_END_DECLS
