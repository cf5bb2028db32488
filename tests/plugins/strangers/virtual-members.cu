// SPDX-License-Identifier: LGPL-2.1-or-later
struct Shape
{
  int n;
  __device__ Shape (int n) : n (n) {}
  __device__ virtual int area () const = 0;
  __device__ virtual ~Shape () {}
};
struct Square final : Shape { using Shape::Shape; __device__ int area () const override { return n * n; } };
struct Line : Shape { int w = 2; __device__ Line (int n) : Shape (n) {} __device__ int area () const override { return n * w; } };

__device__ int measure (const Shape &shape) { return shape.area (); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count)
    return;
  Square square (x[i]);
  Line line (x[i]);
  const Shape *shapes[] = { &square, &line };
  y[i] = measure (*shapes[i & 1]);
}
