/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* A texture or surface object of the CPU driver, as kernels see it: the object's number is the address of one.  C and
 * C++.  Formats and modes are those of the CUDA driver API. */

#define LEAT_TEXTURE_IS_NORMALIZED 1u /* coordinates are 0 to 1 */
#define LEAT_TEXTURE_GIVES_RAW     2u /* whole numbers stay what they are */

typedef struct
{
  unsigned char *texels;
  uint64_t row_bytes, slice_bytes;
  uint64_t width;             /* texels of a row */
  uint32_t height, depth;     /* rows; slices or layers; 0 where there are none */
  uint32_t format;            /* CUarray_format */
  uint32_t channels;
  uint32_t texel_bytes;
  uint32_t flags;
  uint32_t filter;            /* CUfilter_mode */
  uint32_t address[3];        /* CUaddress_mode */
  float border[4];
} LeatTextureView;
