// SPDX-License-Identifier: LGPL-2.1-or-later
struct Item
{
  int a, b;
  __device__ int sum () const { return a + b; }
  __device__ int gap () const { return a - b; }
};
using Getter = int (Item::*) () const;
__device__ int ask (const Item &item, Getter get, int Item::*field) { return (item.*get) () + item.*field; }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    {
      Item item = { x[i], 7 }, *p = &item;
      int Item::*field = i % 2 ? &Item::a : &Item::b;

      p->*field += 1;
      y[i] = ask (item, i % 3 == 0 ? &Item::sum : &Item::gap, field);
    }
}
