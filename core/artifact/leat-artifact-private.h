/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "section/leat-section-reader-private.h"

G_BEGIN_DECLS

/* A pipeline compiled ahead, as docs/reference/artifact.md has it. */

#define LEAT_ARTIFACT_KIND LEAT_SECTION_WORD ('l', 'e', 'a', 't')

/* Types of its sections. */
#define LEAT_ARTIFACT_MANIFEST                                                                                         \
  LEAT_SECTION_WORD ('m', 'a', 'n', 'i')                          /* "manifest": a key file, of the groups below       \
                                                                   */
#define LEAT_ARTIFACT_FILE LEAT_SECTION_WORD ('f', 'i', 'l', 'e') /* by path below the folder of all */
#define LEAT_ARTIFACT_IMAGE                                                                                            \
  LEAT_SECTION_WORD ('i', 'm', 'a', 'g') /* "KEY TARGET FORM NAME"; empty: it does not compile */
#define LEAT_ARTIFACT_LEARNED LEAT_SECTION_WORD ('l', 'e', 'r', 'n') /* by path in the cache: "transfers/0123.ini" */
#define LEAT_ARTIFACT_PLAN    LEAT_SECTION_WORD ('p', 'l', 'a', 'n') /* "plan.json" */

#define LEAT_ARTIFACT_GROUP  "artifact" /* library, kernels, main, folder, origin, targets, open */
#define LEAT_ARTIFACT_VALUES "values"   /* variables that are not as the text has them */

typedef struct _LeatArtifact LeatArtifact;

/* Checks it, and offers what it has to all pipelines of the process for as long as it lives. (transfer full) */
LeatArtifact *leat_artifact_open (const char *path, GError **error);
LeatArtifact *leat_artifact_ref (LeatArtifact *self);
void leat_artifact_unref (LeatArtifact *self);

LeatSectionReader *leat_artifact_get_reader (LeatArtifact *self);
/* Of the group LEAT_ARTIFACT_GROUP. (nullable) (transfer full) */
char *leat_artifact_dup_fact (LeatArtifact *self, const char *name);

/* Of what turns a kernel's text into an image in this library. */
const char *leat_artifact_get_identity (void);

/* The path of the pipeline's text, within the artifact. */
const char *leat_artifact_get_main (LeatArtifact *self);
/* Against which paths in fixed values are read. */
const char *leat_artifact_get_folder (LeatArtifact *self);
/* NAME=VALUE, of what is not as the text has it and not in @given. (transfer full) */
char **leat_artifact_list_values (LeatArtifact *self, const char *const *given);
gboolean leat_artifact_is_open (LeatArtifact *self, const char *variable);
/* Are these variables that may be set? */
gboolean leat_artifact_check_given (LeatArtifact *self, const char *const *given, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatArtifact, leat_artifact_unref)

G_END_DECLS
