/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-program-case.h"

#include <string.h>

/* Programs around known kernels: host code between their pieces, and pieces behind conditions, made by macros, with
 * comments and line ends inside, none of which changes what the kernels are. */

static const ProgramSet sets[PROGRAM_SETS] = {
  { { "struct Params { float gain; int clip[2]; };",
      "__device__ float clipped (float v, const Params &p)\n{\n  return v < p.clip[0] ? p.clip[0] : v > p.clip[1] ? "
      "p.clip[1] : v;\n}",
      "__global__ void adjust (const float *in, float *out, int in_count, Params p)\n{\n  int i = blockIdx.x * "
      "blockDim.x + threadIdx.x;\n"
      "  if (i < in_count) out[i] = clipped (in[i] * p.gain, p);\n}",
      "__constant__ float taps[3] = { 1, 2, 1 };",
      "extern \"C\" __global__ void blur (const float *in, float *out, int in_count)\n{\n  for (int i = threadIdx.x; i "
      "+ 2 < in_count; i += blockDim.x)\n"
      "    out[i] = in[i] * taps[0] + in[i + 1] * taps[1] + in[i + 2] * taps[2];\n}" },
    "adjust<<<dim3 (1, 2), 256, 0, stream>>> (a, b, 3, Params{ 1, { 0, 9 } })" },
  { { "namespace img { namespace detail { template <class T> __device__ T twice (T v) { return v + v; } } }",
      "template <class T> struct Traits { static const int step = 1; };",
      "template <> struct Traits<int> { static const int step = 2; };",
      "namespace img { template <class T, int N = Traits<T>::step> __global__ void scale (const T *x, T *y, int n)\n"
      "{ for (int i = 0; i < n; i += N) y[i] = detail::twice<T> (x[i]); } }",
      "namespace img { __global__ void plain (const int *x, int *y) { y[0] = detail::twice (x[0]) << 1; } }" },
    "img::scale<int, (4 > 2) ? 3 : 1><<<1, 1>>> (a, b, 3)",
    "img::scale<float, 3>" },
  { { "#define TILE 32\n#define FOR(i, n) for (int i = threadIdx.x; i < (n); i += blockDim.x)",
      "#include <cooperative_groups.h>\nnamespace cg = cooperative_groups;", "enum class Mode : int { sum, most = 4 };",
      "struct Best { int value; __device__ bool operator< (const Best &o) const { return value < o.value; } };",
      "__device__ Best operator+ (Best u, Best v) { return Best{ u.value + v.value }; }",
      "__global__ void __launch_bounds__ (TILE) fold (const int *x, int *y, int x_count, Mode mode)\n{\n  __shared__ "
      "Best best[TILE];\n"
      "  cg::thread_block block = cg::this_thread_block ();\n  auto take = [&] (int at) { return at < x_count ? x[at] "
      ": 0; };\n"
      "  best[threadIdx.x] = Best{ take (block.thread_rank ()) };\n  block.sync ();\n"
      "  FOR (t, TILE) if (mode == Mode::most && best[t] < best[0]) y[t] = (best[t] + best[0]).value;\n}" },
    "fold<<<1, TILE>>> (a, b, 3, Mode::sum)" },
  { { "typedef int (*op_t) (int);", "__device__ int same (int v) { return v; }",
      "__device__ int less (int v) { return v - 1; }", "__device__ op_t ops[] = { same, less };",
      "union Word { int whole; unsigned char bytes[4]; };",
      "__global__ void\nrun (const int *x, int *y, unsigned long long x_count, bool back)\n{\n  extern __shared__ int "
      "room[];\n  Word w;\n"
      "  unsigned long long i = blockIdx.x * (unsigned long long) blockDim.x + threadIdx.x;\n"
      "  if (i >= x_count) return;\n  room[threadIdx.x] = ops[back] (x[i]);\n  __syncthreads ();\n  w.whole = "
      "room[threadIdx.x ^ 1];\n"
      "  asm (\"prmt.b32 %0, %1, 0, 0x0123;\" : \"=r\"(w.whole) : \"r\"(w.whole));\n  y[i] = w.bytes[0] + '}' + "
      "\"{\"[0];\n}" },
    "run<<<g, b, sizeof (int) * b>>> (a, b, 1ull << 3, true)" },
};

/* Words of the piece, with comments or spliced lines where the choices want them. */
static void
program_add_words (ProgramCase *self, const char *piece)
{
  static const char *const blanks[] = { " ", " ", " ", " ", " ", "/* } \" */", "\t/**/", " // {\n", "\\\n ", "\f\n" };
  gboolean in_line = FALSE, in_string = FALSE;

  for (const char *p = piece; *p != '\0'; p++)
    {
      in_line = *p == '#' || (in_line && *p != '\n');
      in_string = in_string != (*p == '"');
      if (*p == ' ' && !in_line && !in_string)
        g_string_append (self->text, blanks[leat_fuzz_choose (self->choices, G_N_ELEMENTS (blanks))]);
      else
        g_string_append_c (self->text, *p);
    }
}

/* As one line, in a macro that stands for the whole. */
static void
program_add_macro (ProgramCase *self, const char *piece)
{
  guint name = self->n_names++;

  g_string_append_printf (self->text, "#define h%u(a, ...) ", name);
  for (const char *p = piece; *p != '\0'; p++)
    g_string_append (self->text, *p == '\n' ? " \\\n" : ((char[2]){ *p, '\0' }));
  g_string_append_printf (self->text, "\nh%u (1)", name);
}

static void
program_add_piece (ProgramCase *self, const char *piece)
{
  switch (leat_fuzz_choose (self->choices, 6))
    {
    case 1:
      program_add_words (self, piece);
      break;
    case 2:
      if (strchr (piece, '#') == NULL)
        program_add_macro (self, piece);
      else
        g_string_append (self->text, piece);
      break;
    case 3:
      g_string_append_printf (self->text, "#ifndef NEVER\n%s\n#endif", piece);
      break;
    case 4:
      g_string_append_printf (self->text, "#if NEVER > 2\n} \" (\n#elif 1 // \"\n%s\n#else\n{ '\n#endif", piece);
      break;
    default:
      g_string_append (self->text, piece);
      break;
    }
  g_string_append_c (self->text, '\n');
}

/* Line ends as other systems have them, a mark before the first, and none at the end. */
static void
program_change_ends (ProgramCase *self)
{
  static const char *const marks[] = { "", "", "\xef\xbb\xbf" };

  if (leat_fuzz_choose (self->choices, 3) == 1)
    g_string_replace (self->text, "\n", "\r\n", 0);
  g_string_prepend (self->text, marks[leat_fuzz_choose (self->choices, G_N_ELEMENTS (marks))]);
  if (leat_fuzz_choose (self->choices, 3) == 1)
    g_string_truncate (self->text, self->text->len - 1);
}

void
program_case_init (ProgramCase *self, LeatFuzzChoices *choices)
{
  guint number = leat_fuzz_choose (choices, PROGRAM_SETS);

  *self = (ProgramCase){ choices, number, &sets[number], g_string_new (NULL) };
  for (guint i = 0;; i++)
    {
      for (guint n = leat_fuzz_choose (choices, 4); n > 0; n--)
        {
          program_case_add_host (self, leat_fuzz_choose (choices, 3) == 2 ? 'l' : 'd', 0);
          g_string_append_c (self->text, '\n');
        }
      if (self->set->pieces[i] == NULL)
        break;
      program_add_piece (self, self->set->pieces[i]);
    }
  program_change_ends (self);
}

void
program_case_clear (ProgramCase *self)
{
  g_string_free (self->text, TRUE);
}

char *
program_case_dup_alone (const ProgramCase *self)
{
  return g_strjoinv ("\n", (char **) self->set->pieces);
}
