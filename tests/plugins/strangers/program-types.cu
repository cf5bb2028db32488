// SPDX-License-Identifier: LGPL-2.1-or-later
/* Types of the host's with operators, members and variables, whose words a kernel uses for other things. */
#include <string>
#include <tuple>
#include <opencv2/core.hpp>

struct Picture
{
  cv::Mat pixels;
  static std::string value;
  template <class T> static int count;
  explicit operator bool () const;
  Picture &operator= (const Picture &other);
  int &operator[] (int i);
};

std::string Picture::value = cv::getBuildInformation ();
Picture::operator bool () const { return !pixels.empty (); }
Picture &Picture::operator= (const Picture &other) { pixels = other.pixels.clone (); return *this; }
int &Picture::operator[] (int i) { return pixels.at<int> (i); }
cv::Mat operator* (const cv::Mat &a, float b) { return cv::multiplied (a, b); }
bool operator== (const Picture &a, const Picture &b) { return cv::equal (a.pixels, b.pixels); }
template <class T> bool operator!= (const cv::Ptr<T> &a, const Picture &b) { return a->unlike (b); }
const auto [first, second] = std::make_pair (cv::Mat (), 3);
static union { int words; cv::Mat *image; };
extern "C++" { cv::Scalar colour = { 1, 2, 3 }; }
std::string operator"" _path (const char *text, size_t n) { return cv::samples::findFile (text); }

namespace math { struct num { int value; }; }
template <class T> struct Limits { static const int most; };
template <class T> const int Limits<T>::most = 20000;
inline __device__ math::num operator+ (math::num a, math::num b) { return math::num{ a.value + b.value }; }

__global__ void k (const int *x, int *y, int x_count)
{
  union { int words; unsigned bits; } image;
  int i = blockIdx.x * blockDim.x + threadIdx.x, first = 2, second = 3;
  const bool inside = i < x_count;

  if (!inside)
    return;
  auto sum = math::num{ x[i] } + math::num{ first * second };
  image.words = min (sum.value, Limits<int>::most);
  y[i] = image.words;
}

int main () { Picture p; if (p && p == p) k<<<1, 1>>> (0, 0, 0); cv::imwrite ("a.png"_path, p.pixels * 2.0f); }
