// SPDX-License-Identifier: LGPL-2.1-or-later
/* } ) ] " ' */ // "
#include <cstdio> /* "{" */
__global__ /* launched below */ void // the name follows
k /* ( */ (const int *x /* in [n] */, int *y /* out } */, int x_count /* n */) // {
{ /* { */
  int i = blockIdx.x /* * 2 */ * blockDim.x + threadIdx.x; // ; }
  char quote = '"', brace = '{', escaped = '\'', slash = '\\';
  const char *text = "/* no comment */ // \" }";
  const char *raw = R"x(" )" } // )x";
  if (i >= x_count /* ) */) return;
  y[i] = x[i] + (quote == '\x22') + (brace == 123) + (escaped == '\47') + (text[0] == '/') + (raw[3] == '"') + 1'0'0 / 100 - (slash != '\\') - 1;
}
int main () { printf ("k<<<1, 1>>> /* %c */\n", '"'); const char *s = R"(
__global__ void k (int *z) { )" /* " */; puts (s); }
