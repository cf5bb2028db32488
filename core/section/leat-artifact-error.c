/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The error domain of artifacts and other files of sections. */

#include "leat-artifact-error.h"

/**
 * leat_artifact_error_quark:
 *
 * Gets the domain of #LeatArtifactError.
 *
 * Returns: the quark
 *
 * Since: 0.1
 */
/* clang-format off */
G_DEFINE_QUARK (leat-artifact-error-quark, leat_artifact_error)
/* clang-format on */

/* A registered type, so that the description for other languages gives the domain to the codes. */
GType
leat_artifact_error_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
    { LEAT_ARTIFACT_ERROR_IO, "LEAT_ARTIFACT_ERROR_IO", "io" },
    { LEAT_ARTIFACT_ERROR_FORMAT, "LEAT_ARTIFACT_ERROR_FORMAT", "format" },
    { LEAT_ARTIFACT_ERROR_VERSION, "LEAT_ARTIFACT_ERROR_VERSION", "version" },
    { LEAT_ARTIFACT_ERROR_TRUNCATED, "LEAT_ARTIFACT_ERROR_TRUNCATED", "truncated" },
    { LEAT_ARTIFACT_ERROR_DAMAGED, "LEAT_ARTIFACT_ERROR_DAMAGED", "damaged" },
    { LEAT_ARTIFACT_ERROR_OWNER, "LEAT_ARTIFACT_ERROR_OWNER", "owner" },
    { LEAT_ARTIFACT_ERROR_MISSING, "LEAT_ARTIFACT_ERROR_MISSING", "missing" },
    { LEAT_ARTIFACT_ERROR_TARGET, "LEAT_ARTIFACT_ERROR_TARGET", "target" },
    { LEAT_ARTIFACT_ERROR_VARIABLE, "LEAT_ARTIFACT_ERROR_VARIABLE", "variable" },
    { 0, NULL, NULL },
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatArtifactError", values));
  return type;
}
