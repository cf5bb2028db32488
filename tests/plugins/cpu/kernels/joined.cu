/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Where the compiler may join a product to a sum, it joins none to these.  Two kernels: what one has just multiplied, the
 * other rounds first, so that nothing is shared between the two. */

#define RESULT(T, call)                                                                                                \
  {                                                                                                                    \
    T a = (T) numbers[3 * i], b = (T) numbers[3 * i + 1], c = (T) numbers[3 * i + 2];                                  \
    results[32 * i + k++] = call;                                                                                      \
  }

__global__ void
joined (const double *numbers, int n, double *results)
{
  GRID_FOR (i, n)
  {
    int k = 0;

    RESULT (float, __fadd_rn (a * b, c))
    RESULT (float, __fsub_rn (c, a * b))
    RESULT (float, __fmul_rn (a, b) + c)
    RESULT (float, __fmaf_rn (a, b, a * c))
    RESULT (float, __fadd_rd (a * b, c))
    RESULT (float, __fsub_rd (c, a * b))
    RESULT (float, __fmul_rd (a, b) + c)
    RESULT (float, __fmaf_rd (a, b, a * c))
    RESULT (float, __fadd_ru (a * b, c))
    RESULT (float, __fsub_ru (c, a * b))
    RESULT (float, __fmul_ru (a, b) + c)
    RESULT (float, __fmaf_ru (a, b, a * c))
    RESULT (float, __fadd_rz (a * b, c))
    RESULT (float, __fsub_rz (c, a * b))
    RESULT (float, __fmul_rz (a, b) + c)
    RESULT (float, __fmaf_rz (a, b, a * c))
    RESULT (double, __dadd_rn (a * b, c))
    RESULT (double, __dsub_rn (c, a * b))
    RESULT (double, __dmul_rn (a, b) + c)
    RESULT (double, __fma_rn (a, b, a * c))
    RESULT (double, __dadd_rd (a * b, c))
    RESULT (double, __dsub_rd (c, a * b))
    RESULT (double, __dmul_rd (a, b) + c)
    RESULT (double, __fma_rd (a, b, a * c))
    RESULT (double, __dadd_ru (a * b, c))
    RESULT (double, __dsub_ru (c, a * b))
    RESULT (double, __dmul_ru (a, b) + c)
    RESULT (double, __fma_ru (a, b, a * c))
    RESULT (double, __dadd_rz (a * b, c))
    RESULT (double, __dsub_rz (c, a * b))
    RESULT (double, __dmul_rz (a, b) + c)
    RESULT (double, __fma_rz (a, b, a * c))
  }
}

__global__ void
apart (const double *numbers, int n, double *results)
{
  GRID_FOR (i, n)
  {
    int k = 0;

    RESULT (float, __fadd_rn (__fmul_rn (a, b), c))
    RESULT (float, __fsub_rn (c, __fmul_rn (a, b)))
    RESULT (float, __fadd_rn (__fmul_rn (a, b), c))
    RESULT (float, __fmaf_rn (a, b, __fmul_rn (a, c)))
    RESULT (float, __fadd_rd (__fmul_rn (a, b), c))
    RESULT (float, __fsub_rd (c, __fmul_rn (a, b)))
    RESULT (float, __fadd_rn (__fmul_rd (a, b), c))
    RESULT (float, __fmaf_rd (a, b, __fmul_rn (a, c)))
    RESULT (float, __fadd_ru (__fmul_rn (a, b), c))
    RESULT (float, __fsub_ru (c, __fmul_rn (a, b)))
    RESULT (float, __fadd_rn (__fmul_ru (a, b), c))
    RESULT (float, __fmaf_ru (a, b, __fmul_rn (a, c)))
    RESULT (float, __fadd_rz (__fmul_rn (a, b), c))
    RESULT (float, __fsub_rz (c, __fmul_rn (a, b)))
    RESULT (float, __fadd_rn (__fmul_rz (a, b), c))
    RESULT (float, __fmaf_rz (a, b, __fmul_rn (a, c)))
    RESULT (double, __dadd_rn (__dmul_rn (a, b), c))
    RESULT (double, __dsub_rn (c, __dmul_rn (a, b)))
    RESULT (double, __dadd_rn (__dmul_rn (a, b), c))
    RESULT (double, __fma_rn (a, b, __dmul_rn (a, c)))
    RESULT (double, __dadd_rd (__dmul_rn (a, b), c))
    RESULT (double, __dsub_rd (c, __dmul_rn (a, b)))
    RESULT (double, __dadd_rn (__dmul_rd (a, b), c))
    RESULT (double, __fma_rd (a, b, __dmul_rn (a, c)))
    RESULT (double, __dadd_ru (__dmul_rn (a, b), c))
    RESULT (double, __dsub_ru (c, __dmul_rn (a, b)))
    RESULT (double, __dadd_rn (__dmul_ru (a, b), c))
    RESULT (double, __fma_ru (a, b, __dmul_rn (a, c)))
    RESULT (double, __dadd_rz (__dmul_rn (a, b), c))
    RESULT (double, __dsub_rz (c, __dmul_rn (a, b)))
    RESULT (double, __dadd_rn (__dmul_rz (a, b), c))
    RESULT (double, __fma_rz (a, b, __dmul_rn (a, c)))
  }
}
