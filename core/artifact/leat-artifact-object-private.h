/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-artifact-private.h"

#include "kernel/leat-image-private.h"

G_BEGIN_DECLS

struct _LeatArtifact
{
  guint refs; /* under the lock of leat-artifact-supply.c */
  LeatSectionReader *reader;
  GKeyFile *manifest;
  char *root;         /* absolute: paths within it begin with this and a slash */
  char *outside;      /* the folder that the artifact lies in */
  char *main;         /* path of the text, beginning as the user named the artifact */
  char *main_folder;  /* of the text within it, "" or "graphs" */
  char *folder;       /* of fixed values, beginning with the root */
  char *origin;       /* (nullable): where the root was when it was made, if its texts name that */
  GPtrArray *targets; /* LeatImageTarget, in the order in which they are taken */
  gboolean fits;
};

/* Offers it.  One with the same path and contents that is offered already is returned instead. (transfer full) */
LeatArtifact *leat_artifact_offer (LeatArtifact *self);

/* All that are open, the last one first. (element-type LeatArtifact) (transfer full) */
GPtrArray *leat_artifacts_list (void);

/* See LeatSupply. */
GBytes *leat_artifacts_find_image (LeatKernelSource *source, const LeatImageTarget *target, gboolean *is_known,
                                   GError **error);
char *leat_artifacts_dup_image_advice (const LeatImageTarget *target);

G_END_DECLS
