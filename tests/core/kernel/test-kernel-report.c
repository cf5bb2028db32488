/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-harness.h"

#include "kernel/device/leat-report-block.h"
#include "kernel/leat-kernel-source-private.h"

#include <string.h>

#define F "__global__ void f (uint32_t *out, int n)"

/* What a file declares: "code name severity text", one after the other. */
static const struct
{
  const char *text;
  const char *expected;
} good[] = {
  { "LEAT_REPORT (3, error, \"bad\")\n" F " {}", "3 - error bad;" },
  { "LEAT_REPORT(A,warning,\"a, b\");LEAT_REPORT (B, error, \"\")" F " {}", "0 A warning a, b;1 B error ;" },
  { "LEAT_REPORT (A = 30, error, \"x\")\nLEAT_REPORT (B, warning, \"y\")\nLEAT_REPORT (0x2u, warning, \"z\")\n" F " {}",
    "30 A error x;31 B warning y;2 - warning z;" },
  { "/* LEAT_REPORT (1, no, 2) */\nLEAT_REPORT (1, error, \"say \\\"no\\\" \" // to\n \"twice\")\n" F " {}",
    "1 - error say \"no\" twice;" },
  { "static const int before = 1;\nLEAT_REPORT (1, error, \"x\")\n__device__ int after;\n" F " {}", "1 - error x;" },
};

static const struct
{
  const char *text;
  const char *message;
} bad[] = {
  { "LEAT_REPORT (32, error, \"x\")", "t.cu:1:14: the code of a report is a number from 0 to 31, and not \"32\"" },
  { "LEAT_REPORT (A = -1, error, \"x\")", "t.cu:1:18: the code of a report is a number, or a name with a number" },
  { "LEAT_REPORT (1.5, error, \"x\")", "t.cu:1:14: the code of a report is a number from 0 to 31, and not \"1.5\"" },
  { "LEAT_REPORT (A + 1, error, \"x\")", "t.cu:1:16: the code of a report is a number, or a name with a number" },
  { "LEAT_REPORT (A = 31, error, \"x\") LEAT_REPORT (B, error, \"x\")", "the code before \"B\" is the last, 31" },
  { "LEAT_REPORT (1, fatal, \"x\")",
    "t.cu:1:17: a report is an error, which fails the run, or a warning, and not \"fatal\"" },
  { "LEAT_REPORT (1, error, x)", "t.cu:1:24: the text of a report is a string" },
  { "LEAT_REPORT (1, error)", "t.cu:1:1: a report is declared with its code, \"error\" or \"warning\", and a text" },
  { "LEAT_REPORT ()", "t.cu:1:1: a report is declared with its code" },
  { "LEAT_REPORT (1, error, \"x\")\nLEAT_REPORT (1, error, \"y\")",
    "t.cu:2:1: line 1 has a report with the code 1 already" },
};

static void
test_report_declarations (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", good[i].text, &error);
      g_autoptr (GString) found = g_string_new (NULL);
      const LeatReportCode *codes;
      guint n;

      g_assert_no_error (error);
      codes = leat_kernel_source_list_reports (source, &n);
      for (guint c = 0; c < n; c++)
        {
          g_string_append_printf (found, "%u %s %s %s;", codes[c].code, codes[c].name != NULL ? codes[c].name : "-",
                                  codes[c].is_error ? "error" : "warning", codes[c].text);
          g_assert_true (leat_kernel_source_find_report (source, codes[c].code) == &codes[c]);
        }
      g_assert_cmpstr (found->str, ==, good[i].expected);
      g_assert_null (leat_kernel_source_find_report (source, 17));
    }
}

static void
test_report_faults (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", bad[i].text, &error);

      g_assert_null (source);
      g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SYNTAX);
      if (strstr (error->message, bad[i].message) == NULL)
        g_error ("case %u: \"%s\" instead of \"%s\"", i, error->message, bad[i].message);
    }
}

static void
test_report_reachable (void)
{
  static const char text[] = "__device__ void far (int v);\n"
                             "#define SAY(v) far (v)\n"
                             "__device__ void far (int v) { leat_report (1, v); }\n"
                             "template <class T> __device__ void near (T v) { SAY (v); }\n"
                             "__global__ void none (int *x) { x[0] = 1; /* leat_report (1, 2) */ }\n"
                             "__global__ void own (int *x) { leat_report_at (1, 2, 3); }\n"
                             "__global__ void deep (int *x) { near<int> (1); }\n"
                             "__global__ void macro (int *x) { SAY (1); }\n"
                             "__global__ void variant (int *x) { x[0] = 1; }\n"
                             "LEAT_HOST_VARIANT void variant (int *x) { far (2); }\n";
  static const struct
  {
    const char *entry;
    gboolean reports;
  } kernels[] = { { "none", FALSE }, { "own", TRUE }, { "deep", TRUE }, { "macro", TRUE }, { "variant", TRUE } };
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (kernels); i++)
    g_assert_cmpint (leat_kernel_source_get_prototype (source, kernels[i].entry, NULL)->reports, ==,
                     kernels[i].reports);
}

/* Each has a kernel `f` that, with 64 threads of two blocks and n = 10, reports 3 with the value 7 once, at 40. */
static const struct
{
  const char *what;
  const char *text;
} forms[] = {
  { "plain", F " { if (threadIdx.x == 8 && blockIdx.x == 1) leat_report (3, 7); out[threadIdx.x] = 1; }" },
  { "name", "LEAT_REPORT (SEVEN = 3, error, \"x\")\n" F
            " { if (threadIdx.x + blockIdx.x == 0) leat_report_at (SEVEN, 40, 7); }" },
  { "function", "__device__ void tell (int v);\n" F " { if (threadIdx.x + blockIdx.x == 0) tell (40); }\n"
                "__device__ void tell (int v) { leat_report_at (3, v, 7); }" },
  { "template", "template <class T, int N> struct keeps { T v; };\n"
                "template <class T> __device__ void tell (T v, keeps<T, 3> k) { leat_report_at (3, k.v, v); }\n" F
                " { keeps<int, 3> k = { 40 }; if (threadIdx.x + blockIdx.x == 0) tell (7, k); }" },
  { "macro", "#define TELL(v) \\\n  leat_report_at (3, 40, v)\n" F
             " { int seven = 7; if (threadIdx.x + blockIdx.x == 0) TELL (seven); }" },
  { "lambda",
    F " { auto tell = [&] (int v) { leat_report_at (3, 40, v); }; if (threadIdx.x + blockIdx.x == 0) tell (7); }" },
  { "recursion", "__device__ void down (int v) { if (v == 7) leat_report_at (3, 40, v); else down (v - 1); }\n" F
                 " { if (threadIdx.x + blockIdx.x == 0) down (n); }" },
  { "pointer",
    "__device__ void tell (int v) { leat_report_at (3, 40, v); }\n" F
    "\n{\n#ifdef LEAT_CUDA\n  void (*volatile to) (int) = tell;\n  if (threadIdx.x + blockIdx.x == 0)\n    to (7);\n"
    "#else\n  if (threadIdx.x + blockIdx.x == 0)\n    tell (7);\n#endif\n}" },
  { "conditional", "#ifdef LEAT_CUDA\n" F " { if (threadIdx.x + blockIdx.x == 0) leat_report_at (3, 40, 7); }\n"
                   "#else\n" F " { if (threadIdx.x + blockIdx.x == 0) leat_report_at (3, 40, 7); }\n#endif\n" },
  { "barrier",
    F "\n{\n  __shared__ int v[32];\n  v[threadIdx.x] = blockIdx.x * 32 + threadIdx.x;\n  __syncthreads ();\n"
      "  if (v[31 - threadIdx.x] == 40)\n    leat_report_at (3, v[31 - threadIdx.x], 7);\n}" },
  { "guard", F "\n{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n * 4 + 1)\n    return;\n"
               "  if (i == 40)\n    leat_report (3, 7);\n}" },
  { "beside-others", "__global__ void g () { leat_report (1, 2); }\n__global__ void h (void) { leat_report (1, 2); }\n"
                     "__global__ void s (int *x) { x[0] = 1; }\n" F
                     " { if (threadIdx.x + blockIdx.x == 0) leat_report_at (3, 40, 7); }" },
};

static LeatMemory *
make_block (KernelHarness *kernels, LeatMemory *told)
{
  g_autoptr (GError) error = NULL;
  g_autofree LeatReportBlock *block = g_new0 (LeatReportBlock, 1);
  LeatMemory *memory = leat_memory_new (kernels->device, LEAT_MEMORY_DEVICE, sizeof *block, "reports", &error);

  g_assert_no_error (error);
  block->any = (uint64_t *) leat_memory_get_address (told);
  block->own = block->any + 1;
  leat_memory_write (memory, 0, block, sizeof *block, &error);
  g_assert_no_error (error);
  return memory;
}

static void
check_block (LeatMemory *memory)
{
  g_autofree LeatReportBlock *block = g_new0 (LeatReportBlock, 1);
  g_autoptr (GError) error = NULL;

  leat_memory_read (memory, 0, block, sizeof *block, &error);
  g_assert_no_error (error);
  for (guint code = 0; code < LEAT_REPORT_ROWS; code++)
    g_assert_cmpuint (block->counts[code], ==, code == 3 ? 1 : 0);
  g_assert_cmpuint (block->records[3][0].index, ==, 40);
  g_assert_cmpuint (block->records[3][0].value, ==, 7);
  g_assert_cmpuint (block->records[3][0].code, ==, 3);
  g_assert_cmpuint (block->records[3][0].kind, ==, LEAT_REPORT_SIGNED);
}

static void
test_report_form (gconstpointer data)
{
  static const KernelShape shape = { { 2, 1, 1 }, { 32, 1, 1 }, 0 };
  const char *text = forms[GPOINTER_TO_UINT (data)].text;
  g_autoptr (LeatMemory) told = NULL, block = NULL;
  g_autoptr (GError) error = NULL;
  CUdeviceptr to = 0;
  gint64 n = 10;
  gpointer rest[] = { &n, &to, NULL };
  guint64 *words;
  KernelHarness kernels;

  if (!kernel_harness_init_text (&kernels, "form.cu", text))
    return;
  told = leat_memory_new (kernels.device, LEAT_MEMORY_PINNED, 16, "words", &error);
  g_assert_no_error (error);
  words = leat_memory_get_host (told);
  words[0] = words[1] = 0;
  block = make_block (&kernels, told);
  kernel_harness_run (&kernels, "f", &shape, n); /* with nowhere to report to */
  kernel_harness_launch (&kernels, "leat_wrap_f", &shape, rest);
  g_assert_cmpuint (words[0] | words[1], ==, 0);
  to = leat_memory_get_address (block);
  kernel_harness_launch (&kernels, "leat_wrap_f", &shape, rest);
  g_assert_cmpuint (words[0], ==, 1);
  g_assert_cmpuint (words[1], ==, 1);
  check_block (block);
  g_clear_pointer (&block, leat_memory_free);
  g_clear_pointer (&told, leat_memory_free);
  kernel_harness_clear (&kernels);
}

/* For devices that are not there. */
static void
test_report_forms_compile (gconstpointer level)
{
  LeatImageTarget target;
  g_autoptr (GError) error = NULL;

  leat_image_target_parse (level, &target, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("form.cu", forms[i].text, &error);
      g_autoptr (GBytes) image = NULL;

      g_assert_no_error (error);
      image = leat_image_compile (source, &target, &error);
      if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
        {
          g_test_skip (error->message);
          return;
        }
      g_assert_no_error (error);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/report/declarations", test_report_declarations);
  g_test_add_func ("/leat/kernel/report/faults", test_report_faults);
  g_test_add_func ("/leat/kernel/report/reachable", test_report_reachable);
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/kernel/report/form/", forms[i].what, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_report_form);
    }
  g_test_add_data_func ("/leat/kernel/report/compiles-for-sm-90", "sm_90", test_report_forms_compile);
  return g_test_run ();
}
