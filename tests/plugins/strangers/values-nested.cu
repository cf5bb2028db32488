// SPDX-License-Identifier: LGPL-2.1-or-later
/* Structures of structures, fixed arrays of them, enumerations, flags and vectors, in a namespace, by value. */
namespace render
{
enum class Mode : unsigned char { off, on = 3 };
struct Extra { long long lo; double scale; };
struct Light { float2 at; short level; bool lit; };
typedef struct Scene
{
  Light lights[2];
  Mode mode;
  float m[2][3];
  uchar4 tint;
  Extra extra;
} Scene;

__global__ void shade (const int *x, int *y, Scene s, uint3 size, int x_count, float4 last)
{
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= size.x * size.y || i >= x_count)
    return;
  int v = x[i] + s.lights[1].level * (s.lights[1].lit ? 1 : 100) + (s.mode == Mode::on ? s.tint.z : 0);
  v += (int) (s.m[1][2] * 2 + s.lights[0].at.y) + (int) s.extra.lo + (int) (s.extra.scale * 4) + (int) last.w;
  y[i] = v;
}
}
