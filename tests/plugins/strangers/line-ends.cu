// SPDX-License-Identifier: LGPL-2.1-or-later
// A comment that goes on \
   __global__ void not_a_kernel (int *y) {
#define ADD(a, b) \
  ((a) \
   + (b))
__glo\
bal__ void k (const int *x,	int *y, int x_count)
{
  int i = block\
Idx.x * blockDim.x + thread\
Idx.x; /* a * in / it *
  / ** **/
  if (i < x_count) y[i] = ADD (x[i], 5);
}
int main () { const char *s = "a string that \
goes on: { \" "; return s != 0; }