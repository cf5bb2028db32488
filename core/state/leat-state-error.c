/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The error domain of states and their files. */

#include "leat-state-error.h"

/**
 * leat_state_error_quark:
 *
 * Gets the domain of #LeatStateError.
 *
 * Returns: the quark
 */
/* clang-format off */
G_DEFINE_QUARK (leat-state-error-quark, leat_state_error)
/* clang-format on */

/* A registered type, so that the description for other languages gives the domain to the codes. */
GType
leat_state_error_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_STATE_ERROR_IO, "LEAT_STATE_ERROR_IO", "io" },
                                       { LEAT_STATE_ERROR_FORMAT, "LEAT_STATE_ERROR_FORMAT", "format" },
                                       { LEAT_STATE_ERROR_VERSION, "LEAT_STATE_ERROR_VERSION", "version" },
                                       { LEAT_STATE_ERROR_TRUNCATED, "LEAT_STATE_ERROR_TRUNCATED", "truncated" },
                                       { LEAT_STATE_ERROR_DAMAGED, "LEAT_STATE_ERROR_DAMAGED", "damaged" },
                                       { LEAT_STATE_ERROR_PIPELINE, "LEAT_STATE_ERROR_PIPELINE", "pipeline" },
                                       { LEAT_STATE_ERROR_UNKNOWN_NAME, "LEAT_STATE_ERROR_UNKNOWN_NAME",
                                         "unknown-name" },
                                       { LEAT_STATE_ERROR_LANES, "LEAT_STATE_ERROR_LANES", "lanes" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatStateError", values));
  return type;
}
