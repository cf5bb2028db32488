// SPDX-License-Identifier: LGPL-2.1-or-later
static __device__ int twice (int v);

__global__ void k (const int *__restrict__ x, int *__restrict__ y, int x_count);

#include <device_launch_parameters.h>
#include "helper_cuda.h"
#include "helper_timer.h"
#include <curand_kernel.h>
#include <cublas_v2.h>

void launch (const int *x, int *y, int n)
{
  cublasHandle_t handle;
  cublasCreate (&handle);
  k <<< (n + 63) / 64, 64 >>> (x, y, n);
  getLastCudaError ("k failed: { (");
}

__global__ void k (const int *__restrict__ x, int *__restrict__ y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count)
    y[i] = twice (x[i]);
}

#include <thrust/device_vector.h>
#include <opencv2/opencv.hpp>

void sort_all (thrust::device_vector<int> &v) { thrust::sort (v.begin (), v.end ()); cv::Mat m; }

static __device__ int twice (int v) { return v + v; }
