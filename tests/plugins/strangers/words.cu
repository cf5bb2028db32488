// SPDX-License-Identifier: LGPL-2.1-or-later
%:define SQUARE(v) ((v) * (v))
%:define STR(v) %:v
/* Other spellings of symbols, names that look like CUDA's, and names that are hidden. */
struct dim { int x; };
__device__ int blockSize = 3, x_bias = 2, threads = 1;

__global__ void k (const int *x, int *y, int x_count)
<%
  int i = blockIdx.x * blockDim.x + threadIdx.x, tab<:2:> = <% 1, 2 %>;
  dim grid = { blockSize };

  if (i >= x_count or not (i > -1)) return;
  int gridDim_x = grid.x, main = x_bias, out = tab<:1:>, in = tab[0];
  {
    int i = 5, x = 4;
    struct k { int lane; } k = { 6 };
    out += i + x + k.lane + threads;
  }
  auto print = [] (const char *s) { return s[0] == 'v' ? 2 : 0; };
  y[i] = SQUARE (x[i] % 100) + gridDim_x + main + out + in + print (STR (v));
%>
