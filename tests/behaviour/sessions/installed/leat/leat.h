/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Where a program finds it once Leat is installed. */
#include "../../../../../core/leat.h"
