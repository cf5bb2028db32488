/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* A row of functions-*.cu is a kernel that applies one function to each item: R of the arguments a, b, c.  For the test
 * and the recorder, which define the macros otherwise, it is a row of a table.
 *
 * EXACT: bit for bit what a GPU gives.  NEAR: within so many units of its last place, of arguments from `low` to `high`
 * and of those that are no such numbers; FAST: of arguments from `low` to `high` alone; CLOSE: the same, within a
 * distance. */

#ifdef __CUDACC__
#define EXACT1_AS(label, R, A, call)                                                                                   \
  extern "C" __global__ void of_##label (int n, const A *as, R *r)                                                     \
  {                                                                                                                    \
    GRID_FOR (i, n)                                                                                                    \
    {                                                                                                                  \
      A a = as[i];                                                                                                     \
      r[i] = call;                                                                                                     \
    }                                                                                                                  \
  }
#define EXACT2_AS(label, R, A, B, call)                                                                                \
  extern "C" __global__ void of_##label (int n, const A *as, const B *bs, R *r)                                        \
  {                                                                                                                    \
    GRID_FOR (i, n)                                                                                                    \
    {                                                                                                                  \
      A a = as[i];                                                                                                     \
      B b = bs[i];                                                                                                     \
      r[i] = call;                                                                                                     \
    }                                                                                                                  \
  }
#define EXACT3_AS(label, R, A, B, C, call)                                                                             \
  extern "C" __global__ void of_##label (int n, const A *as, const B *bs, const C *cs, R *r)                           \
  {                                                                                                                    \
    GRID_FOR (i, n)                                                                                                    \
    {                                                                                                                  \
      A a = as[i];                                                                                                     \
      B b = bs[i];                                                                                                     \
      C c = cs[i];                                                                                                     \
      r[i] = call;                                                                                                     \
    }                                                                                                                  \
  }
#define NEAR1_AS(label, T, ulps, low, high, call)      EXACT1_AS (label, T, T, call)
#define NEAR2_AS(label, T, ulps, low, high, call)      EXACT2_AS (label, T, T, T, call)
#define NEAR3_AS(label, T, ulps, low, high, call)      EXACT3_AS (label, T, T, T, T, call)
#define FAST1_AS(label, T, ulps, low, high, call)      EXACT1_AS (label, T, T, call)
#define FAST2_AS(label, T, ulps, low, high, call)      EXACT2_AS (label, T, T, T, call)
#define CLOSE1_AS(label, T, distance, low, high, call) EXACT1_AS (label, T, T, call)
#endif

#define EXACT1(R, A, name)                   EXACT1_AS (name, R, A, name (a))
#define EXACT2(R, A, B, name)                EXACT2_AS (name, R, A, B, name (a, b))
#define EXACT3(R, A, B, C, name)             EXACT3_AS (name, R, A, B, C, name (a, b, c))
#define NEAR1(T, ulps, low, high, name)      NEAR1_AS (name, T, ulps, low, high, name (a))
#define NEAR2(T, ulps, low, high, name)      NEAR2_AS (name, T, ulps, low, high, name (a, b))
#define FAST1(T, ulps, low, high, name)      FAST1_AS (name, T, ulps, low, high, name (a))
#define FAST2(T, ulps, low, high, name)      FAST2_AS (name, T, ulps, low, high, name (a, b))
#define CLOSE1(T, distance, low, high, name) CLOSE1_AS (name, T, distance, low, high, name (a))
