/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* The texels that a texture's coordinates fall on.  Coordinates have as many bits as an H200's do, by measurements: a
 * normalized one 21 behind the point or more, a place between two texels 8.  Behind leat-dialect-host-texel.h. */

#define LEAT_TEXTURE_WRAP   0
#define LEAT_TEXTURE_CLAMP  1
#define LEAT_TEXTURE_MIRROR 2
#define LEAT_TEXTURE_BORDER 3

/* Where a coordinate falls on an axis: two texels, and how much of the second is taken, in parts of 256.  A texel of -1
 * is the border. */
struct leat_taps
{
  long long at[2];
  int part;
};

/* A place on an axis: the number of a texel, or with a linear filter 256 times that of the first of two and the part.
 * It is the texels that are mirrored there, not the place, so that it is rounded the same way. */
struct leat_spot
{
  long long at;
  bool mirrored;
};

static inline long long
leat_taps_enter (long long at, long long n, unsigned int mode, bool mirrored)
{
  if (mirrored)
    at = n - 1 - at;
  if (at >= 0 && at < n)
    return at;
  if (mode == LEAT_TEXTURE_BORDER)
    return -1;
  if (mode == LEAT_TEXTURE_WRAP)
    return (at % n + n) % n;
  return at < 0 ? 0 : n - 1; /* a coordinate that is mirrored goes past the end by one texel, whose mirror is the last */
}

static inline leat_spot
leat_spot_find (float x, bool two)
{
  x = fminf (fmaxf (x, -1e9f), 1e9f);
  return { (long long) (two ? floor ((double) x * 256 - 127.5) : (double) floorf (x)), false };
}

/* The same for coordinates from 0 to 1, which are cut to k bits. */
static inline leat_spot
leat_spot_find_normalized (float x, long long n, unsigned int mode, bool two)
{
  const bool repeats = mode == LEAT_TEXTURE_WRAP || mode == LEAT_TEXTURE_MIRROR;
  const int k = n <= 8192 ? 21 : n <= 65536 ? 22 : 23;

  if (repeats)
    x = fabsf (x) < 0x1p24f ? x : 0; /* beyond are even numbers only */
  else
    x = fminf (fmaxf (x, -2), 3); /* both texels are outside there */
  const long long cut = (long long) floor ((double) x * (double) (1LL << k));
  const long long at = (repeats ? cut & ((1LL << k) - 1) : cut) * n;

  return { two ? ((at * 256 + (1LL << (k - 1))) >> k) - 128 : at >> k,
           mode == LEAT_TEXTURE_MIRROR && (cut >> k & 1) != 0 };
}

static inline leat_taps
leat_taps_find (const LeatTextureView *view, unsigned int axis, long long n, float x, bool two)
{
  const bool normalized = (view->flags & LEAT_TEXTURE_IS_NORMALIZED) != 0;
  const unsigned int asked = view->address[axis];
  const unsigned int mode = normalized || asked == LEAT_TEXTURE_BORDER ? asked : LEAT_TEXTURE_CLAMP;

  if (!(fabsf (x) >= 0x1p-126f))
    x = 0; /* NaN too */
  const leat_spot place = normalized ? leat_spot_find_normalized (x, n, mode, two) : leat_spot_find (x, two);
  const long long first = leat_taps_enter (two ? place.at >> 8 : place.at, n, mode, place.mirrored);
  const long long second = two ? leat_taps_enter ((place.at >> 8) + 1, n, mode, place.mirrored) : first;
  const bool one = !two || (mode == LEAT_TEXTURE_CLAMP && first == second);

  return { { first, second }, one ? 0 : (int) (place.at & 255) };
}

/* An axis on which nothing is mixed: the layers, of which the last is taken for one that there is not, and those axes
 * that are not there. */
static inline leat_taps
leat_taps_take (long long at, long long n)
{
  at = n == 0 ? 0 : at < 0 || at >= n ? n - 1 : at;
  return { { at, at }, 0 };
}
