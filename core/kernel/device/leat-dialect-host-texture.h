/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's textures and surfaces: the types of both, and how a texel is found and mixed, by the formulas of its programming
 * guide ("Texture Fetching").  Put before a text that names any of them, behind leat-texture-view.h. */

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
enum cudaSurfaceBoundaryMode
{
  cudaBoundaryModeZero,
  cudaBoundaryModeClamp,
  cudaBoundaryModeTrap
};

#define LEAT_TEXTURE_WRAP   0
#define LEAT_TEXTURE_MIRROR 2
#define LEAT_TEXTURE_BORDER 3

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
  const int exponent = half >> 10 & 31, bits = half & 1023;
  const float size = exponent == 0    ? __builtin_ldexpf ((float) bits, -24)
                     : exponent == 31 ? (bits != 0 ? __builtin_nanf ("") : __builtin_inff ())
                                      : __builtin_ldexpf ((float) (bits + 1024), exponent - 25);

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

/* Where a coordinate falls on an axis: two texels, and how much of the second is taken, in parts of 256.  A texel of -1
 * is the border. */
struct leat_taps
{
  long long at[2];
  int part;
};

static inline long long
leat_texture_enter (long long at, long long n, unsigned int mode)
{
  if (at >= 0 && at < n)
    return at;
  if (mode == LEAT_TEXTURE_BORDER)
    return -1;
  if (mode == LEAT_TEXTURE_WRAP)
    return (at % n + n) % n;
  return at < 0 ? 0 : n - 1; /* a coordinate that is mirrored goes past the end by one texel, whose mirror is the last */
}

static inline leat_taps
leat_texture_find (const LeatTextureView *view, unsigned int axis, long long n, float x, bool two)
{
  unsigned int mode = view->address[axis];
  const bool repeats = mode == LEAT_TEXTURE_WRAP || mode == LEAT_TEXTURE_MIRROR;
  leat_taps taps;

  if ((view->flags & LEAT_TEXTURE_IS_NORMALIZED) == 0)
    mode = repeats ? 1 : mode;
  else
    {
      const float whole = floorf (x);

      if (repeats)
        x -= whole;
      if (mode == LEAT_TEXTURE_MIRROR && fmodf (whole, 2) != 0)
        x = 1 - x;
      x *= (float) n;
    }
  x = fminf (fmaxf (x, -1e9f), 1e9f); /* NaN too */
  const long long fixed = (long long) floor (((double) x - 0.5) * 256 + 0.5);

  taps.at[0] = leat_texture_enter (two ? fixed >> 8 : (long long) floorf (x), n, mode);
  taps.at[1] = two ? leat_texture_enter ((fixed >> 8) + 1, n, mode) : taps.at[0];
  taps.part = two ? (int) (fixed & 255) : 0;
  return taps;
}

/* The texel there, or NULL beyond the border. */
static inline const unsigned char *
leat_texture_at (const LeatTextureView *view, long long x, long long y, long long z)
{
  if (x < 0 || y < 0 || z < 0)
    return nullptr;
  return view->texels + z * view->slice_bytes + y * view->row_bytes + x * view->texel_bytes;
}

static inline double
leat_texture_get_lane (const LeatTextureView *view, const unsigned char *texel, unsigned int lane)
{
  if (lane >= view->channels)
    return 0;
  return texel != nullptr ? leat_texture_get_float (view, texel, lane) : view->border[lane];
}

/* The weighted sum of the texels round a place, exact but for the last rounding; each axis has one texel or two. */
static inline float
leat_texture_mix (const LeatTextureView *view, const leat_taps taps[3], unsigned int lane)
{
  double sum = 0;

  for (unsigned int corner = 0; corner < 8; corner++)
    {
      double weight = 1;
      long long at[3];

      for (unsigned int axis = 0; axis < 3; axis++)
        {
          const unsigned int second = corner >> axis & 1;

          at[axis] = taps[axis].at[second];
          weight *= (second ? taps[axis].part : 256 - taps[axis].part) / 256.0;
        }
      if (weight != 0)
        sum += weight * leat_texture_get_lane (view, leat_texture_at (view, at[0], at[1], at[2]), lane);
    }
  return (float) sum;
}

static inline float
leat_texture_sample (const LeatTextureView *view, const leat_taps taps[3], unsigned int lane, float)
{
  return leat_texture_mix (view, taps, lane);
}
template <class Lane>
LEAT_INLINE Lane
leat_texture_sample (const LeatTextureView *view, const leat_taps taps[3], unsigned int lane, Lane)
{
  const unsigned char *texel = leat_texture_at (view, taps[0].at[0], taps[1].at[0], taps[2].at[0]);

  return texel != nullptr && lane < view->channels ? (Lane) leat_texture_get_whole (view, texel, lane) : 0;
}

/* T of a sample: a number, or a vector of them. */
template <class T>
LEAT_INLINE T
leat_texture_make (const LeatTextureView *view, const leat_taps taps[3])
{
  typedef typename leat_texel<T>::lane lane;
  lane lanes[leat_texel<T>::lanes];
  T value;

  for (unsigned int i = 0; i < leat_texel<T>::lanes; i++)
    lanes[i] = leat_texture_sample (view, taps, i, lane ());
  __builtin_memcpy (&value, lanes, sizeof value);
  return value;
}
