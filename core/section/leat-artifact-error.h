/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib-object.h>

G_BEGIN_DECLS

#define LEAT_ARTIFACT_ERROR (leat_artifact_error_quark ())

/**
 * LeatArtifactError:
 * @LEAT_ARTIFACT_ERROR_IO: the file cannot be read or written
 * @LEAT_ARTIFACT_ERROR_FORMAT: the file is something else
 * @LEAT_ARTIFACT_ERROR_VERSION: it is in a form of another version of Leat
 * @LEAT_ARTIFACT_ERROR_TRUNCATED: it is shorter, or longer, than it says
 * @LEAT_ARTIFACT_ERROR_DAMAGED: a checksum is not that of what it is for, or the table does not fit the file
 * @LEAT_ARTIFACT_ERROR_OWNER: it belongs to somebody else, or somebody else can write to it
 * @LEAT_ARTIFACT_ERROR_MISSING: it lacks a section that is needed
 * @LEAT_ARTIFACT_ERROR_TARGET: no image for a target can be made here
 * @LEAT_ARTIFACT_ERROR_VARIABLE: a variable that is not open
 *
 * Errors of artifacts and other files of sections, beside those of the layers below.
 *
 * Since: 0.1
 */
typedef enum
{
  LEAT_ARTIFACT_ERROR_IO,
  LEAT_ARTIFACT_ERROR_FORMAT,
  LEAT_ARTIFACT_ERROR_VERSION,
  LEAT_ARTIFACT_ERROR_TRUNCATED,
  LEAT_ARTIFACT_ERROR_DAMAGED,
  LEAT_ARTIFACT_ERROR_OWNER,
  LEAT_ARTIFACT_ERROR_MISSING,
  LEAT_ARTIFACT_ERROR_TARGET,
  LEAT_ARTIFACT_ERROR_VARIABLE,
} LeatArtifactError;

GQuark leat_artifact_error_quark (void);

#define LEAT_TYPE_ARTIFACT_ERROR (leat_artifact_error_get_type ())
GType leat_artifact_error_get_type (void) G_GNUC_CONST;

G_END_DECLS
