// SPDX-License-Identifier: LGPL-2.1-or-later
struct Node { int value; Node *next; __device__ Node (int v, Node *n) : value (v), next (n) {} __device__ ~Node () { value = 0; } };

__device__ Node *push (Node *list, int v) { return new Node (v, list); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;

  if (i >= x_count) return;
  Node *list = nullptr;
  int *room = new int[3], *raw = (int *) malloc (2 * sizeof *raw);
  for (int n = 0; n < 3; n++)
    list = push (list, room[n] = x[i] + n);
  raw[0] = room[1], raw[1] = room[2];
  while (list != nullptr)
    {
      Node *next = list->next;
      sum += list->value;
      delete list;
      list = next;
    }
  y[i] = sum + raw[0] - raw[1];
  delete[] room;
  free (raw);
}
