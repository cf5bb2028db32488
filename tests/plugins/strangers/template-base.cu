// SPDX-License-Identifier: LGPL-2.1-or-later
/* A base that knows what derives from it, and another that is a parameter. */
template <class Derived> struct Shape
{
  __device__ int area () const { return static_cast<const Derived *> (this)->width () * static_cast<const Derived *> (this)->height (); }
};
struct Square : Shape<Square> { int side; __device__ Square (int s) : side (s) {} __device__ int width () const { return side; } __device__ int height () const { return side; } };
template <class Base> struct Grown : public Base { using Base::Base; __device__ int height () const { return Base::height () + 1; } };
struct Strip : Shape<Strip>, private Grown<Square> { __device__ Strip (int s) : Grown<Square> (s) {} __device__ int width () const { return Grown<Square>::width (); } __device__ int height () const { return Grown<Square>::height (); } };

template <class S> __device__ int area_of (const Shape<S> &shape) { return shape.area (); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = area_of<Strip> (Strip (x[i]));
}
