// SPDX-License-Identifier: LGPL-2.1-or-later
/* A class around the device's memory, threads of the host, and a kernel that shares a type with them. */
#pragma once
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>
#include "helper_functions.h"
#include <cuda_runtime.h>
#include "helper_cuda.h"

struct Step { int by; static constexpr int rounds = 3; };

template <typename T>
class DeviceBuffer final {
  T *data_ = nullptr; size_t n_{};
public:
  explicit DeviceBuffer(size_t n) : n_(n) { checkCudaErrors(cudaMalloc(&data_, n * sizeof(T))); }
  ~DeviceBuffer() noexcept { cudaFree(data_); }
  DeviceBuffer(const DeviceBuffer &) = delete;
  DeviceBuffer &operator=(DeviceBuffer &&) noexcept;
  T *get() const { return data_; }
  operator bool() const { return data_ != nullptr; }
};
template <typename T> DeviceBuffer<T> &DeviceBuffer<T>::operator=(DeviceBuffer &&other) noexcept { std::swap(data_, other.data_); return *this; }

__global__ void addSteps(const int *x, int *y, int x_count, int by)
{
    const Step step{by};
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < x_count) {
        int v = x[i];
#pragma unroll
        for (int r = 0; r < Step::rounds; ++r) v += step.by;
        y[i] = v;
    }
}

class Runner {
 public:
  struct Options { std::string name = "default"; std::map<std::string, int> values{{"a", 1}, {"b", 2}}; };
  Runner(const Options &o) : options_(o), in_(1000), out_(1000) {}
  virtual ~Runner() = default;
  void run(cudaStream_t stream = 0)
  {
      dim3 grid((1000 + 255) / 256), block(256);
      addSteps<<<grid, block, 0, stream>>>(in_.get(), out_.get(), 1000, options_.values.at("a"));
      auto check = [this](cudaError_t e) -> bool { if (e != cudaSuccess) { std::printf("%s: %d\n", options_.name.c_str(), (int) e); } return !e; };
      check(cudaGetLastError());
  }
 private:
  Options options_;
  DeviceBuffer<int> in_, out_;
};

static void worker(std::unique_ptr<Runner> r) try { r->run(); } catch (const std::exception &e) { std::puts(e.what()); }

int main()
{
    Runner::Options o;
    std::vector<std::thread> all;
    for (int i = 0; i < 4; i++) all.emplace_back(worker, std::make_unique<Runner>(o));
    for (auto &t : all) t.join();
    return 0;
}
