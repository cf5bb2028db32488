/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel/leat-kernel-source-private.h"

#include <string.h>

/* PTX that a CPU does not have is refused at its line, with what to do.  What it has is run in tests/plugins/cpu. */

#define KERNEL(body) "__global__ void f (unsigned int *y, float *z)\n{\n  unsigned int a = y[0];\n" body "\n}\n"

static const struct
{
  const char *what, *text, *message; /* a part of it */
} ptx_refused[] = {
  { "instruction", KERNEL ("asm (\"mma.sync.aligned.m8n8k4.row.col.f32.f16 %0, %0;\" : \"+r\"(a));"),
    "a CPU has no PTX instruction \"mma.sync.aligned.m8n8k4.row.col.f32.f16\"; write it in C++, or keep it for GPUs "
    "between #ifdef LEAT_CUDA and #else" },
  { "type", KERNEL ("asm (\"add.f16 %0, %0, %0;\" : \"+r\"(a));"), "no PTX instruction \"add.f16\"" },
  { "modifier", KERNEL ("asm (\"add.wide.u32 %0, %0, %0;\" : \"+r\"(a));"), "no PTX instruction \"add.wide.u32\"" },
  { "branch", KERNEL ("asm (\"bra over;\");"), "\"bra\"; write the branch in C++" },
  { "label", KERNEL ("asm (\"over: add.u32 %0, %0, 1;\" : \"+r\"(a));"), "a CPU has no PTX label" },
  { "shuffle", KERNEL ("asm (\"shfl.sync.idx.b32 %0, %0, 0, 31, -1;\" : \"+r\"(a));"),
    "__shfl_sync () and its kin do it" },
  { "carry-of-signed", KERNEL ("asm (\"mad.hi.cc.s32 %0, %0, %0, %0;\" : \"+r\"(a));"),
    "no PTX instruction \"mad.hi.cc.s32\"" },
  { "special-register", KERNEL ("asm (\"mov.u32 %0, %%gridid;\" : \"=r\"(a));"),
    "a CPU has no PTX register \"%gridid\"" },
  { "unknown-register", KERNEL ("asm (\"add.u32 %0, %0, t;\" : \"+r\"(a));"),
    "there is no PTX register \"t\"; declare it with .reg" },
  { "register-type", KERNEL ("asm (\".reg .f16 t;\");"), "a CPU has no PTX register of type \".f16\"" },
  { "register-name", KERNEL ("asm (\".reg .u32 $t;\");"), "a PTX register has a name of C, and not \"$t\"" },
  { "operand-number", KERNEL ("asm (\"add.u32 %0, %0, %1;\" : \"+r\"(a));"),
    "there is no operand \"%1\"; this asm has 1" },
  { "operand-count", KERNEL ("asm (\"add.u32 %0, %0;\" : \"+r\"(a));"), "has 2 operands and takes 3" },
  { "operands-of-atom", KERNEL ("asm (\"atom.add.u32 %0, [%1];\" : \"=r\"(a) : \"l\"(y));"),
    "has 2 operands and takes 3" },
  { "address", KERNEL ("asm (\"ld.u32 %0, %1;\" : \"=r\"(a) : \"l\"(y));"),
    "an address is in brackets, and not \"%1\"" },
  { "vector", KERNEL ("asm (\"ld.v2.u32 %0, [%1];\" : \"=r\"(a) : \"l\"(y));"), "takes an address and 2 registers" },
  { "parts", KERNEL ("asm (\"mov.b64 {%0, %0, %0, %0}, %1;\" : \"=r\"(a) : \"l\"(y));"),
    "joins or parts two registers" },
  { "number", KERNEL ("asm (\"add.u32 %0, %0, 3x;\" : \"+r\"(a));"), "\"3x\" is no number of PTX" },
  { "constraint", KERNEL ("asm (\"add.u32 %0, %0, 3;\" : \"+q\"(a));"), "a CPU has no asm operand \"+q\"" },
  { "braces", KERNEL ("asm (\"{ add.u32 %0, %0, 3;\" : \"+r\"(a));"), "the braces of this PTX are not closed" },
  { "no-operands", KERNEL ("asm (\"add.u32;\" : \"+r\"(a));"), "has 0 operands and takes 3" },
  { "no-place", KERNEL ("asm (\"mov.b64;\" : \"+r\"(a));"), "has 0 operands and takes 2" },
  { "no-result", KERNEL ("asm (\"activemask.b32;\" : \"=r\"(a));"), "has 0 operands and takes 1" },
  { "no-address", KERNEL ("asm (\"ld.u32 %0, [];\" : \"=r\"(a));"), "there is no PTX register \"\"" },
  { "half-a-brace", KERNEL ("asm (\"mov.b64 %0, {;\" : \"=r\"(a));"), "the brackets of \"{\" are not closed" },
  { "half-a-list", KERNEL ("asm (\"mov.b64 %0, {%0, %0;\" : \"=r\"(a));"), "the brackets of \"{%0, %0\" are not" },
  { "half-a-store", KERNEL ("asm (\"st.u32 [%0], {;\" : : \"l\"(y));"), "the brackets of \"{\" are not closed" },
  { "half-an-address", KERNEL ("asm (\"ld.u32 %0, [%1;\" : \"=r\"(a) : \"l\"(y));"),
    "the brackets of \"[%1\" are not closed" },
  { "registers", KERNEL ("asm (\".reg .u32 t<4000>, u<4000>;\");"), "an asm has at most 4096 PTX registers" },
  { "partial-barrier", KERNEL ("asm (\"bar.sync 1, 64;\");"), "takes no more than 1 operand" },
  { "of-a-type",
    "struct S\n{\n  __device__ void f ()\n  { asm (\"brkpt;\"); }\n};\n__global__ void k (int *y) { S ().f (); }",
    "no PTX instruction \"brkpt\"" },
};

static void
test_ptx_refused (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("a.cu", ptx_refused[i].text, &error);

  g_assert_no_error (error);
  g_assert_null (leat_kernel_source_get_host_text (source, &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SYNTAX);
  if (strstr (error->message, ptx_refused[i].message) == NULL || !g_str_has_prefix (error->message, "a.cu:4:"))
    g_error ("\"%s\" is said, and at a.cu:4 \"%s\" is expected", error->message, ptx_refused[i].message);
  /* A GPU may well have it. */
  g_assert_nonnull (leat_kernel_source_get_cuda_text (source, NULL));
}

/* What is no PTX, or is for the CPU, stays. */
static void
test_ptx_kept (void)
{
  static const char *const texts[] = {
    "__global__ void f (int *y) { asm volatile (\"\" ::: \"memory\"); }",
    "__global__ void f (int *y) { y[0] = 1; }\nLEAT_HOST_VARIANT void f (int *y) { asm (\"nop\"); }",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("a.cu", texts[i], &error);
      const char *host = source != NULL ? leat_kernel_source_get_host_text (source, &error) : NULL;

      g_assert_no_error (error);
      g_assert_nonnull (strstr (host, i == 0 ? "asm volatile (\"\" ::: \"memory\")" : "asm (\"nop\")"));
    }
}

/* A kernel whose threads wait only in assembly runs as one that waits. */
static void
test_ptx_waits (void)
{
  static const struct
  {
    const char *body;
    gboolean waits;
  } cases[] = {
    { "asm volatile (\"bar.sync 0;\");", TRUE },
    { "asm volatile (\"add.u32 %0, %0, 1;\" : \"+r\"(y[0]));", FALSE },
    { "asm volatile (\"{ .reg .pred p; setp.ne.u32 p, %0, 0;\" \"vote.sync.ballot.b32 %0, p, -1; }\" : \"+r\"(y[0]));",
      TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = g_strdup_printf ("__global__ void f (unsigned int *y) { %s }", cases[i].body);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("a.cu", text, &error);
      const char *host = source != NULL ? leat_kernel_source_get_host_text (source, &error) : NULL;

      g_assert_no_error (error);
      g_assert_cmpint (strstr (strstr (host, "leat_kernels[] = "), "LEAT_HOST_KERNEL_MAY_WAIT") != NULL, ==,
                       cases[i].waits);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (ptx_refused); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/kernel/ptx/refused/", ptx_refused[i].what, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_ptx_refused);
    }
  g_test_add_func ("/leat/kernel/ptx/kept", test_ptx_kept);
  g_test_add_func ("/leat/kernel/ptx/waits", test_ptx_waits);
  return g_test_run ();
}
