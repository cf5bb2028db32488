/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

/* kernels/functions-*.cu as a table, for test-device-functions.c and functions-record.c. */

typedef enum
{
  FUNCTION_EXACT,
  FUNCTION_NEAR,
  FUNCTION_FAST,
  FUNCTION_CLOSE
} FunctionKind;

typedef struct
{
  const char *file, *name; /* the kernel is of_NAME */
  FunctionKind kind;
  unsigned int arity;
  const char *result, *arguments[3]; /* types */
  double bound, low, high;
} FunctionRow;

#define FUNCTION_ROW(kind, arity, label, R, A, B, C, bound, low, high)                                                 \
  { FUNCTIONS_FILE, #label, kind, arity, #R, { #A, #B, #C }, bound, low, high },
#define EXACT1_AS(label, R, A, call)              FUNCTION_ROW (FUNCTION_EXACT, 1, label, R, A, , , 0, 0, 0)
#define EXACT2_AS(label, R, A, B, call)           FUNCTION_ROW (FUNCTION_EXACT, 2, label, R, A, B, , 0, 0, 0)
#define EXACT3_AS(label, R, A, B, C, call)        FUNCTION_ROW (FUNCTION_EXACT, 3, label, R, A, B, C, 0, 0, 0)
#define NEAR1_AS(label, T, ulps, low, high, call) FUNCTION_ROW (FUNCTION_NEAR, 1, label, T, T, , , ulps, low, high)
#define NEAR2_AS(label, T, ulps, low, high, call) FUNCTION_ROW (FUNCTION_NEAR, 2, label, T, T, T, , ulps, low, high)
#define NEAR3_AS(label, T, ulps, low, high, call) FUNCTION_ROW (FUNCTION_NEAR, 3, label, T, T, T, T, ulps, low, high)
#define FAST1_AS(label, T, ulps, low, high, call) FUNCTION_ROW (FUNCTION_FAST, 1, label, T, T, , , ulps, low, high)
#define FAST2_AS(label, T, ulps, low, high, call) FUNCTION_ROW (FUNCTION_FAST, 2, label, T, T, T, , ulps, low, high)
#define CLOSE1_AS(label, T, distance, low, high, call)                                                                 \
  FUNCTION_ROW (FUNCTION_CLOSE, 1, label, T, T, , , distance, low, high)

static const FunctionRow function_rows[] = {
#define FUNCTIONS_FILE "functions-rounded.cu"
#include "kernels/functions-rounded.cu"
#undef FUNCTIONS_FILE
#define FUNCTIONS_FILE "functions-converted.cu"
#include "kernels/functions-converted.cu"
#undef FUNCTIONS_FILE
#define FUNCTIONS_FILE "functions-lanes.cu"
#include "kernels/functions-lanes.cu"
#undef FUNCTIONS_FILE
#define FUNCTIONS_FILE "functions-dpx.cu"
#include "kernels/functions-dpx.cu"
#undef FUNCTIONS_FILE
#define FUNCTIONS_FILE "functions-whole.cu"
#include "kernels/functions-whole.cu"
#undef FUNCTIONS_FILE
#define FUNCTIONS_FILE "functions-parts.cu"
#include "kernels/functions-parts.cu"
#undef FUNCTIONS_FILE
#define FUNCTIONS_FILE "functions-near-f32.cu"
#include "kernels/functions-near-f32.cu"
#undef FUNCTIONS_FILE
#define FUNCTIONS_FILE "functions-near-f64.cu"
#include "kernels/functions-near-f64.cu"
#undef FUNCTIONS_FILE
#define FUNCTIONS_FILE "functions-ptx-whole.cu"
#include "kernels/functions-ptx-whole.cu"
#undef FUNCTIONS_FILE
#define FUNCTIONS_FILE "functions-ptx-real.cu"
#include "kernels/functions-ptx-real.cu"
#undef FUNCTIONS_FILE
};

#define FUNCTION_ROWS (sizeof function_rows / sizeof function_rows[0])
