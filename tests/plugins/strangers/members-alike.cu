// SPDX-License-Identifier: LGPL-2.1-or-later
/* Members of host code beside data that look like functions, and names that the host's library has too. */
#include <iostream>
#include <string>
#include <vector>
using namespace std;

typedef int (*Op) (int);

struct Ops
{
  void (*call) (int);
  Op op;
  int (Ops::*method) (int);
  int list, map : 3, : 0;
  struct { int a, b; void show () { cout << a; } } place;
  union { float f; int i; };
  static_assert (sizeof (int) == 4, "int");
  alignas (8) int aligned;
  __device__ int set (int stack, int queue) { return stack + queue + list; }
  vector<int> all ();
};

struct Range
{
  const int *p;
  int n;

  __device__ Range (const int *list, int map) : p (list), n{ map } {}
  Range (const string &s) try : p (0) { n = (int) s.size (); } catch (...) { n = 0; }
  __device__ const int *begin () const { return p; }
  __device__ const int *end () const { return p + n; }
  __device__ int operator() (int i) const { return p[i]; }
  __device__ int operator[] (int i) const { return p[i]; }
  bool operator< (const Range &o) const { return string (n, 'x') < string (o.n, 'x'); }
  __device__ operator bool () const { return n > 0; }
  template <typename F> __device__ auto map (F f) const -> decltype (f (0)) { return f (n); }
  friend ostream &operator<< (ostream &out, const Range &r) { for (int i = 0; i < r.n; i++) out << i; return out; }
  int (*cb) (int) = nullptr;
  vector<int> copy () const { return vector<int> (p, p + n); }
  void add (vector<int> &to) { to.push_back (n); }
  __device__ int last () const noexcept (true) { return n - 1; }
  void *operator new (size_t size) { void *q; cudaMallocManaged (&q, size); return q; }
};

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  Range r (x, x_count < 2 ? x_count : 2);
  Ops ops;

  ops.list = -2;
  for (int v : r)
    sum += v - v;
  if (i < x_count && r && r.cb == nullptr)
    y[i] = x[i] + x[i] + sum + r (0) - r[0] + ops.set (1, 1) + r.last () + (sizeof (Range) == 24 ? 1 : 0)
           - r.map ([] (int v) { return v; }) + (sizeof (Ops) == 64 ? 0 : (int) sizeof (Ops));
}

vector<int> Ops::all () { return { list, map }; }
int main () { cout << Range (string ("abc")); }
