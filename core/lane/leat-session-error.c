/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The error domain of sessions, registered.  Below them, as whatever works for a session fails with its codes. */

#include "leat-session-error.h"

/**
 * leat_session_error_quark:
 *
 * Gets the domain of #LeatSessionError.
 *
 * Returns: the quark
 */
/* clang-format off */
G_DEFINE_QUARK (leat-session-error-quark, leat_session_error)
/* clang-format on */

/* A registered type, so that the description for other languages gives the domain to the codes, not to LeatSession. */
GType
leat_session_error_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_SESSION_ERROR_FAILED, "LEAT_SESSION_ERROR_FAILED", "failed" },
                                       { LEAT_SESSION_ERROR_STATE, "LEAT_SESSION_ERROR_STATE", "state" },
                                       { LEAT_SESSION_ERROR_OVERFLOW, "LEAT_SESSION_ERROR_OVERFLOW", "overflow" },
                                       { LEAT_SESSION_ERROR_ARGUMENT, "LEAT_SESSION_ERROR_ARGUMENT", "argument" },
                                       { LEAT_SESSION_ERROR_UNEVEN, "LEAT_SESSION_ERROR_UNEVEN", "uneven" },
                                       { LEAT_SESSION_ERROR_MEMO, "LEAT_SESSION_ERROR_MEMO", "memo" },
                                       { LEAT_SESSION_ERROR_CAPTURE, "LEAT_SESSION_ERROR_CAPTURE", "capture" },
                                       { LEAT_SESSION_ERROR_BUSY, "LEAT_SESSION_ERROR_BUSY", "busy" },
                                       { LEAT_SESSION_ERROR_UNBOUND, "LEAT_SESSION_ERROR_UNBOUND", "unbound" },
                                       { LEAT_SESSION_ERROR_MEMORY, "LEAT_SESSION_ERROR_MEMORY", "memory" },
                                       { LEAT_SESSION_ERROR_BATCH, "LEAT_SESSION_ERROR_BATCH", "batch" },
                                       { LEAT_SESSION_ERROR_REPORTED, "LEAT_SESSION_ERROR_REPORTED", "reported" },
                                       { LEAT_SESSION_ERROR_EVICTION, "LEAT_SESSION_ERROR_EVICTION", "eviction" },
                                       { LEAT_SESSION_ERROR_BUDGET, "LEAT_SESSION_ERROR_BUDGET", "budget" },
                                       { LEAT_SESSION_ERROR_DEVICE, "LEAT_SESSION_ERROR_DEVICE", "device" },
                                       { LEAT_SESSION_ERROR_PERSISTENT, "LEAT_SESSION_ERROR_PERSISTENT", "persistent" },
                                       { LEAT_SESSION_ERROR_RUNAWAY, "LEAT_SESSION_ERROR_RUNAWAY", "runaway" },
                                       { LEAT_SESSION_ERROR_OVERRUN, "LEAT_SESSION_ERROR_OVERRUN", "overrun" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatSessionError", values));
  return type;
}
