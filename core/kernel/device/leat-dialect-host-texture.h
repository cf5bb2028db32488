/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's functions that read textures, by the formulas of its programming guide ("Texture Fetching").  Behind
 * leat-dialect-host-filter.h. */

/* A number of one texel. */
static inline float
leat_texture_take (const LeatTextureView *view, const leat_taps taps[3], unsigned int lane, float)
{
  const unsigned char *texel = leat_texture_at (view, taps[0].at[0], taps[1].at[0], taps[2].at[0]);

  if (lane >= view->channels)
    return 0;
  return texel != nullptr ? leat_texture_get_float (view, texel, lane) : view->border[lane];
}
template <class Lane>
LEAT_INLINE Lane
leat_texture_take (const LeatTextureView *view, const leat_taps taps[3], unsigned int lane, Lane)
{
  const unsigned char *texel = leat_texture_at (view, taps[0].at[0], taps[1].at[0], taps[2].at[0]);

  return texel != nullptr && lane < view->channels ? (Lane) leat_texture_get_whole (view, texel, lane) : 0;
}

/* The numbers of a sample: only floats can be mixed. */
template <class Lane>
LEAT_INLINE void
leat_texture_sample (const LeatTextureView *view, const leat_taps taps[3], bool, Lane *lanes, unsigned int n)
{
  for (unsigned int i = 0; i < n; i++)
    lanes[i] = leat_texture_take (view, taps, i, Lane ());
}
LEAT_INLINE void
leat_texture_sample (const LeatTextureView *view, const leat_taps taps[3], bool mixed, float *lanes, unsigned int n)
{
  if (mixed)
    leat_filter_mix (view, taps, lanes, n);
  else
    leat_texture_sample<float> (view, taps, false, lanes, n);
}

/* T of a sample: a number, or a vector of them. */
template <class T>
LEAT_INLINE T
leat_texture_make (const LeatTextureView *view, const leat_taps taps[3], bool mixed)
{
  typename leat_texel<T>::lane lanes[leat_texel<T>::lanes];
  T value;

  leat_texture_sample (view, taps, mixed, lanes, leat_texel<T>::lanes);
  __builtin_memcpy (&value, lanes, sizeof value);
  return value;
}

template <class T>
LEAT_INLINE T
tex1Dfetch (cudaTextureObject_t texture, int x)
{
  const LeatTextureView *view = leat_texture_get (texture);
  const long long at = x < 0 || (uint64_t) x >= view->width ? -1 : x;
  const leat_taps taps[3] = { { { at, at }, 0 }, leat_taps_take (0, 0), leat_taps_take (0, 0) };

  return leat_texture_make<T> (view, taps, false);
}

template <class T>
LEAT_INLINE void
tex1Dfetch (T *value, cudaTextureObject_t texture, int x)
{
  *value = tex1Dfetch<T> (texture, x);
}

#define LEAT_TEXTURE(name, params, second, third)                                                                      \
  template <class T> LEAT_INLINE T name params                                                                         \
  {                                                                                                                    \
    const LeatTextureView *view = leat_texture_get (texture);                                                          \
    const bool two = view->filter != 0;                                                                                \
    const leat_taps taps[3] = { leat_taps_find (view, 0, (long long) view->width, x, two), second, third };         \
                                                                                                                       \
    return leat_texture_make<T> (view, taps, two);                                                                     \
  }                                                                                                                    \
  /* the form that leaves the value at an address */                                                                   \
  template <class T, class... A> LEAT_INLINE void name (T *value, cudaTextureObject_t texture, A... at)                \
  {                                                                                                                    \
    *value = name<T> (texture, at...);                                                                                 \
  }
#define LEAT_TEXTURE_ALONG(axis, n, x) leat_taps_find (view, axis, view->n, x, two)
#define LEAT_TEXTURE_NONE              leat_taps_take (0, 0)
#define LEAT_TEXTURE_LAYER             leat_taps_take (layer, view->depth)
LEAT_TEXTURE (tex1D, (cudaTextureObject_t texture, float x), LEAT_TEXTURE_NONE, LEAT_TEXTURE_NONE)
LEAT_TEXTURE (tex1DLayered, (cudaTextureObject_t texture, float x, int layer), LEAT_TEXTURE_NONE,
              LEAT_TEXTURE_LAYER)
LEAT_TEXTURE (tex2D, (cudaTextureObject_t texture, float x, float y),
              LEAT_TEXTURE_ALONG (1, height, y), LEAT_TEXTURE_NONE)
LEAT_TEXTURE (tex2DLayered, (cudaTextureObject_t texture, float x, float y, int layer),
              LEAT_TEXTURE_ALONG (1, height, y), LEAT_TEXTURE_LAYER)
LEAT_TEXTURE (tex3D, (cudaTextureObject_t texture, float x, float y, float z),
              LEAT_TEXTURE_ALONG (1, height, y), LEAT_TEXTURE_ALONG (2, depth, z))
#undef LEAT_TEXTURE
#undef LEAT_TEXTURE_ALONG
#undef LEAT_TEXTURE_NONE
#undef LEAT_TEXTURE_LAYER

/* One number of each of the four texels that a linear filter would mix, from the lower left against the clock. */
template <class T>
LEAT_INLINE T
tex2Dgather (cudaTextureObject_t texture, float x, float y, int lane = 0)
{
  typedef typename leat_texel<T>::lane number;
  const LeatTextureView *view = leat_texture_get (texture);
  const leat_taps along = leat_taps_find (view, 0, (long long) view->width, x, true);
  const leat_taps down = leat_taps_find (view, 1, view->height, y, true);
  const unsigned int order[4][2] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
  number numbers[4], lanes[4];
  T value;

  for (unsigned int i = 0; i < 4; i++)
    {
      const long long at_x = along.at[order[i][0]], at_y = down.at[order[i][1]];
      const leat_taps taps[3] = { { { at_x, at_x }, 0 }, { { at_y, at_y }, 0 }, leat_taps_take (0, 0) };

      leat_texture_sample (view, taps, view->filter != 0, lanes, (unsigned int) lane + 1);
      numbers[i] = lanes[lane];
    }
  __builtin_memcpy (&value, numbers, sizeof value);
  return value;
}
