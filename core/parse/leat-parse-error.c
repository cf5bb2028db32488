/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The domain of errors in the text of a pipeline. */

#include "leat-parse.h"

/**
 * leat_parse_error_quark:
 *
 * Gets the domain of #LeatParseError.
 *
 * Returns: the quark
 */
/* clang-format off */
G_DEFINE_QUARK (leat-parse-error-quark, leat_parse_error)
/* clang-format on */
