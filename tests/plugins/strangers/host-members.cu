// SPDX-License-Identifier: LGPL-2.1-or-later
/* Types that a kernel shares with host code: members without __device__ use what only a host has. */
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

static void report (const char *format, ...)
{
  va_list args;
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
}

class Managed
{
public:
  void *operator new (size_t size)
  {
    void *p;
    if (cudaMallocManaged (&p, size) != cudaSuccess)
      throw std::runtime_error ("no memory");
    return p;
  }
  void operator delete (void *p) { cudaFree (p); }
};

struct Weights : public Managed
{
  using Callback = std::function<void (int)>;
  enum Mode { SUM, PRODUCT };
  struct Entry { std::string name; int value{ 0 }; };

  int w[4]{ 1, 1, 0, 0 }, n = 4;
  Mode mode = SUM;
  static std::mutex lock;
  static constexpr int rounds = 2;

  Weights () = default;
  explicit Weights (const std::string &text) { sscanf (text.c_str (), "%d,%d", w, w + 1); }
  Weights (const char *path) : n (0) { std::ifstream in (path); in >> w[0]; }
  Weights (const Weights &) = default;
  Weights &operator= (std::vector<int> &&v) { n = (int) v.size (); return *this; }
  __host__ __device__ Weights (int a, int b) : w{ a, b, 0, 0 } {}

  std::string name () const { return "weights of " + std::to_string (n); }
  auto key () const -> std::pair<std::string, int> { return { name (), n }; }
  [[nodiscard]] std::vector<Entry> entries () const noexcept;
  template <typename F> void for_each (F &&f) { for (int v : w) f (v); report ("done\n"); }
  void on_change (Callback c = nullptr) { if (c) c (n); }
  static std::unique_ptr<Weights> create () { return std::make_unique<Weights> (); }
  static std::map<std::string, int> &table () { static std::map<std::string, int> all; return all; }
  void log (const char *format, ...) { va_list a; va_start (a, format); vfprintf (stdout, format, a); va_end (a); }
  void print () const;
  void launch (const int *x, int *y, int x_count);
  operator std::string () const { return name (); }
  friend std::ostream &operator<< (std::ostream &out, const Weights &a) { return out << a.n; }
  virtual std::string describe () const { return name (); }

  __device__ int at (int i) const { return w[i]; }
  __host__ __device__ int sum () const { return total (w, n); }

private:
  __host__ __device__ static int total (const int *v, int n)
  {
    int s = 0;
    for (int i = 0; i < n; i++)
      s += v[i];
    return s;
  }
};

std::mutex Weights::lock;
std::vector<Weights::Entry> Weights::entries () const noexcept { return { Entry{ "first", w[0] } }; }
void Weights::print () const { std::cout << *this << std::endl; }
inline std::istream &operator>> (std::istream &in, Weights &a) { return in >> a.w[0]; }

struct Owner
{
  int *items, gain;

  Owner (int n) : gain (2) { if (cudaMalloc (&items, n * sizeof *items)) exit (1); }
  Owner (const Owner &other);
  ~Owner () { report ("%d are freed\n", gain); cudaFree (items); }
  __device__ int get (int v) const { return v * gain; }
};

Owner::Owner (const Owner &other) : items (other.items), gain (other.gain) { fprintf (stderr, "copied\n"); }

__device__ int through (const Owner *owner, int v) { return owner != nullptr ? owner->get (v) : v; }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Weights a (1, 0);

  if (i < x_count)
    y[i] = through (nullptr, x[i]) * (a.at (0) + a.sum ()) + (int) log (1.0) + (Weights::rounds - 2);
}

void Weights::launch (const int *x, int *y, int x_count)
{
  k<<<(x_count + 255) / 256, 256>>> (x, y, x_count);
  print ();
}

int main () { Weights::create ()->launch (nullptr, nullptr, 0); }
