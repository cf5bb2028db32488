// SPDX-License-Identifier: LGPL-2.1-or-later
/* Everything is declared before it is there, and once more. */
struct Node;
typedef struct Node Node;
__device__ int follow (const Node *n, int steps);
extern __device__ int bias;
__global__ void k (const int *x, int *y, int x_count);
__global__ void k (const int *x, int *y, int);
template <class T> __device__ T weigh (T v);

struct Node { int value; const Node *next; };
__device__ int bias = 4;

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Node c = { 3, nullptr }, b = { 2, &c }, a = { i < x_count ? x[i] : 0, &b };

  if (i < x_count)
    y[i] = weigh (follow (&a, 3) + bias);
}

__device__ int follow (const Node *n, int steps) { return n == nullptr || steps == 0 ? 0 : n->value + follow (n->next, steps - 1); }
template <class T> __device__ T weigh (T v) { return v - 4; }
