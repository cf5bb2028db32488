// SPDX-License-Identifier: LGPL-2.1-or-later
#include <iostream>
#include <vector>
#include <cuda_runtime.h>
#include "helper_cuda.h"
#define CHECK(e) do { cudaError_t c = (e); if (c != cudaSuccess) { std::cerr << c; exit (1); } } while (0)
using namespace std;

class Timer : public Base
{
public:
  Timer () : start (0), v{ 1 } {}
  double start;
  int v;
};

template <class T> std::vector<T> make (int n) { return std::vector<T> (n); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count)
    return;
  y[i] = x[i] * 2;
}

int main (int argc, char **argv)
{
  vector<int> a = make<int> (10);
  Timer t;
  k<<<1, 10>>> (nullptr, nullptr, 10);
  CHECK (cudaDeviceSynchronize ());
  cout << R"(done " { )" << endl;
}
