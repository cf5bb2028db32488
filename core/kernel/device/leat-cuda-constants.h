/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The constants of <cuda_fp16.h> and <cuda_bf16.h>, for both sides: NVRTC takes the classes from its own library, and leaves
 * these out. */

#ifndef CUDART_INF_FP16
#define CUDART_INF_FP16 __ushort_as_half (0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half (0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half (0x0001)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half (0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half (0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half (0x0000)
#define CUDART_ONE_FP16 __ushort_as_half (0x3c00)
#endif
#ifndef CUDART_INF_BF16
#define CUDART_INF_BF16 __ushort_as_bfloat16 (0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16 (0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16 (0x0001)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16 (0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16 (0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16 (0x0000)
#define CUDART_ONE_BF16 __ushort_as_bfloat16 (0x3f80)
#endif
