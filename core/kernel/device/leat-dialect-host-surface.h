/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's functions that read and write surfaces.  Members of a struct between leat_thread and the kernel's text, where
 * that names any of them, because what is outside of a surface ends the kernel. */

/* Moves a coordinate to where it counts; false where nothing does. */
LEAT_MEMBER bool
leat_surface_enter (long long &at, long long n, cudaSurfaceBoundaryMode mode)
{
  if (at >= 0 && at < n)
    return true;
  if (mode == cudaBoundaryModeTrap)
    this->leat_trap ("access beyond the edge of a surface", nullptr, 0);
  at = at < 0 ? 0 : n - 1;
  return mode == cudaBoundaryModeClamp;
}

/* The bytes there, or NULL. @x: in bytes, of which a texel has @bytes */
LEAT_MEMBER unsigned char *
leat_surface_find (cudaSurfaceObject_t surface, long long x, long long y, long long z, long long bytes,
                   cudaSurfaceBoundaryMode mode)
{
  const LeatTextureView *view = (const LeatTextureView *) (uintptr_t) surface;
  long long texel = x < 0 ? -1 : x / bytes;

  if (!leat_surface_enter (texel, (long long) view->row_bytes / bytes, mode)
      || !leat_surface_enter (y, view->height > 0 ? view->height : 1, mode)
      || !leat_surface_enter (z, view->depth > 0 ? view->depth : 1, mode))
    return nullptr;
  return view->texels + z * view->slice_bytes + y * view->row_bytes + texel * bytes;
}

#define LEAT_SURFACE(name, params, y, z)                                                                               \
  template <class T>                                                                                                   \
  LEAT_MEMBER T name##read (cudaSurfaceObject_t surface, int x params,                                                 \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                       \
  {                                                                                                                    \
    const unsigned char *at = leat_surface_find (surface, x, y, z, sizeof (T), mode);                                  \
    T value = {};                                                                                                      \
                                                                                                                       \
    if (at != nullptr)                                                                                                 \
      __builtin_memcpy (&value, at, sizeof value);                                                                     \
    return value;                                                                                                      \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  LEAT_MEMBER void name##read (T *value, cudaSurfaceObject_t surface, int x params,                                    \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                    \
  {                                                                                                                    \
    const unsigned char *at = leat_surface_find (surface, x, y, z, sizeof (T), mode);                                  \
                                                                                                                       \
    *value = T{};                                                                                                      \
    if (at != nullptr)                                                                                                 \
      __builtin_memcpy (value, at, sizeof *value);                                                                     \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  LEAT_MEMBER void name##write (T value, cudaSurfaceObject_t surface, int x params,                                    \
                                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                   \
  {                                                                                                                    \
    unsigned char *at = leat_surface_find (surface, x, y, z, sizeof (T), mode);                                        \
                                                                                                                       \
    if (at != nullptr)                                                                                                 \
      __builtin_memcpy (at, &value, sizeof value);                                                                     \
  }
#define LEAT_SURFACE_AND ,
LEAT_SURFACE (surf1D, , 0, 0)
LEAT_SURFACE (surf1DLayered, LEAT_SURFACE_AND int layer, 0, layer)
LEAT_SURFACE (surf2D, LEAT_SURFACE_AND int y, y, 0)
LEAT_SURFACE (surf2DLayered, LEAT_SURFACE_AND int y LEAT_SURFACE_AND int layer, y, layer)
LEAT_SURFACE (surf3D, LEAT_SURFACE_AND int y LEAT_SURFACE_AND int z, y, z)
#undef LEAT_SURFACE_AND
#undef LEAT_SURFACE
