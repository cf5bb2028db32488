/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib-object.h>

G_BEGIN_DECLS

#define LEAT_STATE_ERROR (leat_state_error_quark ())

/**
 * LeatStateError:
 * @LEAT_STATE_ERROR_IO: the file cannot be read or written
 * @LEAT_STATE_ERROR_FORMAT: the file holds no state
 * @LEAT_STATE_ERROR_VERSION: it is in a form of another version of Leat
 * @LEAT_STATE_ERROR_TRUNCATED: it is shorter, or longer, than it says
 * @LEAT_STATE_ERROR_DAMAGED: its checksum is not that of its contents
 * @LEAT_STATE_ERROR_PIPELINE: it is the state of another pipeline
 * @LEAT_STATE_ERROR_UNKNOWN_NAME: the pipeline has no state of that name
 * @LEAT_STATE_ERROR_LANES: it is the state of more lanes than the session has
 *
 * Errors of the state of a session, beside those of the layers below.
 */
typedef enum
{
  LEAT_STATE_ERROR_IO,
  LEAT_STATE_ERROR_FORMAT,
  LEAT_STATE_ERROR_VERSION,
  LEAT_STATE_ERROR_TRUNCATED,
  LEAT_STATE_ERROR_DAMAGED,
  LEAT_STATE_ERROR_PIPELINE,
  LEAT_STATE_ERROR_UNKNOWN_NAME,
  LEAT_STATE_ERROR_LANES,
} LeatStateError;

GQuark leat_state_error_quark (void);

#define LEAT_TYPE_STATE_ERROR (leat_state_error_get_type ())
GType leat_state_error_get_type (void) G_GNUC_CONST;

G_END_DECLS
