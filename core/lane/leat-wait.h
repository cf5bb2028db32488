/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * LeatWait:
 * @LEAT_WAIT_AUTO: looks for about as long as the last runs took, and sleeps after that; where runs are long, at once
 * @LEAT_WAIT_SPIN: looks again and again for up to 20 ms, and sleeps after that: the shortest way to a result, at the
 *   cost of a processor
 * @LEAT_WAIT_BLOCK: sleeps until the device wakes it
 *
 * The way a thread waits for the device.
 */
typedef enum
{
  LEAT_WAIT_AUTO,
  LEAT_WAIT_SPIN,
  LEAT_WAIT_BLOCK,
} LeatWait;

#define LEAT_TYPE_WAIT (leat_wait_get_type ())
GType leat_wait_get_type (void) G_GNUC_CONST;

G_END_DECLS
