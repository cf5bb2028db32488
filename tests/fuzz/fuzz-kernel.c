/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"

#include "kernel/leat-kernel-source-private.h"

#include <unistd.h>

/* Reading a kernel file and turning it into what compilers get. */

#define FUZZ_KERNEL_SECONDS 20

const char *const leat_fuzz_words[] = {
  "__global__ ",
  "__device__ ",
  "__shared__ ",
  "__constant__ ",
  "LEAT_HOST_VARIANT ",
  "extern \"C\" ",
  "static ",
  "template <",
  "operator",
  "struct ",
  "typedef ",
  "using ",
  "const ",
  "void ",
  "float ",
  "float4 ",
  "#include <cuda_fp16.h>\n",
  "#include <leat-complex.h>\n",
  "#include <cooperative_groups.h>\n",
  "#include <cuda/barrier>\n",
  "#include <limits>\n",
  "namespace cg = cooperative_groups;\n",
  "cg::this_thread_block ()",
  "auto g = cg::this_grid ();",
  "g.sync ();",
  "cuda::std::",
  "__half ",
  "leat_c64 ",
  "uint64_t ",
  "*",
  "&",
  "(",
  ")",
  "{",
  "}",
  "[",
  "]",
  "<",
  ">",
  ";",
  ",",
  "=",
  "? :",
  "\\\n",
  "\n#if 0\n",
  "\n#else\n",
  "\n#endif\n",
  "\n#define X ",
  "\n#include \"a\"\n",
  "\n#line 3 \"t.cu\"\n",
  "/*",
  "*/",
  "//",
  "\"",
  "'",
  "R\"(",
  ")\"",
  "asm volatile (\"",
  ": \"=r\"(",
  ": \"+l\"(",
  "add.cc.u32 %0, %1, ",
  "ld.global.v2.u32 {%0, %1}, [%2 + 8];",
  ".reg .pred p;",
  "@!p ",
  "%%laneid",
  "mov.b64 {%0, %1}, ",
  "0f3F800000",
  "__fadd_rd ",
  "__isShared ",
  "threadIdx.x",
  "blockIdx.x * blockDim.x + ",
  "i += blockDim.x * gridDim.x",
  "GRID_FOR (i, n) ",
  "if (i >= n) return;",
  "for (",
  "while (",
  "do ",
  "else ",
  "break;",
  "__syncthreads ();",
  "_count",
  "_dim0",
  "_capacity",
  "atomicAdd (&",
  "1e+",
  NULL,
};

static void
check_error (GError *error)
{
  g_assert_nonnull (error);
  g_assert_true (error->domain == LEAT_KERNEL_ERROR);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

/* Where the size of a block may matter, a place and a reason are said. */
static void
check_block (LeatKernelSource *source, const char *entry)
{
  gboolean loops = FALSE;
  g_autofree char *why = leat_kernel_source_dup_why_one_block (source, entry, &loops);

  g_assert_true (why == NULL || (*why != '\0' && g_utf8_validate (why, -1, NULL)));
}

static void
check_entry (LeatKernelSource *source, const char *entry)
{
  g_autoptr (GError) error = NULL;
  const LeatPrototype *prototype = leat_kernel_source_get_prototype (source, entry, &error);

  if (prototype == NULL)
    {
      check_error (error);
      return;
    }
  g_assert_cmpstr (prototype->entry, ==, entry);
  check_block (source, entry);
  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];

      g_assert_nonnull (param->name);
      g_assert_cmpint (param->port == NULL, ==, param->kind == LEAT_PARAM_SCALAR);
      g_assert_cmpuint (param->item_bytes, >, 0);
    }
}

static void
check_texts (LeatKernelSource *source)
{
  g_autoptr (GError) host_error = NULL, cuda_error = NULL;

  if (leat_kernel_source_get_host_text (source, &host_error) == NULL)
    check_error (host_error);
  if (leat_kernel_source_get_cuda_text (source, &cuda_error) == NULL)
    check_error (cuda_error);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = NULL;
  g_auto (GStrv) entries = NULL;

  /* A text that takes this long hangs. */
  alarm (FUZZ_KERNEL_SECONDS);
  source = leat_kernel_source_new ("/nowhere/t.cu", text, &error);
  if (source == NULL)
    {
      check_error (error);
      return 0;
    }
  entries = leat_kernel_source_list_entries (source);
  for (guint i = 0; entries[i] != NULL; i++)
    check_entry (source, entries[i]);
  for (const char *const *warning = leat_kernel_source_list_warnings (source); *warning != NULL; warning++)
    g_assert_true (g_utf8_validate (*warning, -1, NULL));
  check_texts (source);
  return 0;
}
