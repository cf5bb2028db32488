/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's textures and surfaces: the types of both, and the texels that they hold.  Put before a text that names any of
 * them, behind leat-texture-view.h. */

typedef unsigned long long cudaTextureObject_t, CUtexObject;
typedef unsigned long long cudaSurfaceObject_t, CUsurfObject;
enum cudaSurfaceBoundaryMode
{
  cudaBoundaryModeZero,
  cudaBoundaryModeClamp,
  cudaBoundaryModeTrap
};

/* The numbers of a type of texels: how many, and their own type. */
template <class T> struct leat_texel;
#define LEAT_TEXEL(T, n, Lane)                                                                                         \
  template <> struct leat_texel<T>                                                                                     \
  {                                                                                                                    \
    typedef Lane lane;                                                                                                 \
    static constexpr unsigned int lanes = n;                                                                           \
  };
#define LEAT_TEXELS(T, name)                                                                                           \
  LEAT_TEXEL (T, 1, T) LEAT_TEXEL (name##1, 1, T) LEAT_TEXEL (name##2, 2, T) LEAT_TEXEL (name##4, 4, T)
LEAT_TEXEL (char, 1, signed char)
LEAT_TEXELS (signed char, char)
LEAT_TEXELS (unsigned char, uchar)
LEAT_TEXELS (short, short)
LEAT_TEXELS (unsigned short, ushort)
LEAT_TEXELS (int, int)
LEAT_TEXELS (unsigned int, uint)
LEAT_TEXELS (float, float)
#undef LEAT_TEXELS
#undef LEAT_TEXEL

static inline const LeatTextureView *
leat_texture_get (cudaTextureObject_t texture)
{
  return (const LeatTextureView *) (uintptr_t) texture;
}

template <class Lane>
LEAT_INLINE Lane
leat_texture_load (const unsigned char *texel, unsigned int lane)
{
  Lane value;

  __builtin_memcpy (&value, texel + lane * sizeof value, sizeof value);
  return value;
}

/* A half of 10 bits behind the point; all of them are floats. */
static inline float
leat_texture_widen (unsigned short half)
{
  const unsigned int exponent = half >> 10 & 31, bits = half & 1023u;
  const float size = exponent == 0    ? (float) bits * 0x1p-24f
                     : exponent == 31 ? (bits != 0 ? __builtin_nanf ("") : __builtin_inff ())
                                      : leat_bits<float> ((exponent + 112) << 23 | bits << 13);

  return half >> 15 ? -size : size;
}

/* A number of a texel as a whole number, and as a float: with whole numbers, the least is -1 or 0 and the greatest 1. */
static inline int
leat_texture_get_whole (const LeatTextureView *view, const unsigned char *texel, unsigned int lane)
{
  switch (view->format)
    {
    case 0x01:
      return leat_texture_load<unsigned char> (texel, lane);
    case 0x02:
      return leat_texture_load<unsigned short> (texel, lane);
    case 0x08:
      return leat_texture_load<signed char> (texel, lane);
    case 0x09:
      return leat_texture_load<short> (texel, lane);
    default:
      return leat_texture_load<int> (texel, lane);
    }
}
static inline float
leat_texture_get_float (const LeatTextureView *view, const unsigned char *texel, unsigned int lane)
{
  if (view->format < 0x10 && (view->flags & LEAT_TEXTURE_GIVES_RAW) != 0)
    {
      const int whole = leat_texture_get_whole (view, texel, lane);

      return leat_texture_load<float> ((const unsigned char *) &whole, 0); /* the bits, as on a GPU */
    }
  switch (view->format)
    {
    case 0x01:
      return (float) leat_texture_load<unsigned char> (texel, lane) / 255;
    case 0x02:
      return (float) leat_texture_load<unsigned short> (texel, lane) / 65535;
    case 0x08:
      return fmaxf ((float) leat_texture_load<signed char> (texel, lane) / 127, -1);
    case 0x09:
      return fmaxf ((float) leat_texture_load<short> (texel, lane) / 32767, -1);
    case 0x10:
      return leat_texture_widen (leat_texture_load<unsigned short> (texel, lane));
    default:
      return leat_texture_load<float> (texel, lane);
    }
}

/* The texel there, or NULL beyond the border. */
static inline const unsigned char *
leat_texture_at (const LeatTextureView *view, long long x, long long y, long long z)
{
  if (x < 0 || y < 0 || z < 0)
    return nullptr;
  return view->texels + z * view->slice_bytes + y * view->row_bytes + x * view->texel_bytes;
}
