/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Headers that stand before a text because it names them: number types.  The preprocessor leaves a pragma where one is
 * included; here is what becomes of it for each device. */

#include "leat-kernel-bring-private.h"

#include "leat-kernel-transform-private.h"

#include <string.h>

#define LEAT_BRING_PRAGMA   "#pragma leat_bring "
#define LEAT_BRING_STANDARD "leat-std.h"

/* What headers have in common, and is not for others to name. */
#define LEAT_BRING_NARROW  "leat-cuda-narrow.h"
#define LEAT_BRING_STD     "leat-cuda-std.h"
#define LEAT_BRING_VALUES  "leat-cuda-values.h"
#define LEAT_BRING_ATOMIC  "leat-cuda-atomic.h"
#define LEAT_BRING_BARRIER "leat-cuda-barrier.h"
#define LEAT_BRING_GROUPS  "leat-cuda-groups.h"
#define LEAT_BRING_CUB     "leat-cub.h"

static const char *const leat_kernel_inner[] = { LEAT_BRING_NARROW,  LEAT_BRING_STD,
                                                 LEAT_BRING_VALUES,  LEAT_BRING_ATOMIC,
                                                 LEAT_BRING_BARRIER, LEAT_BRING_GROUPS,
                                                 LEAT_BRING_CUB,     NULL };

/* @name: of the header, or of a folder of them.  @word: without which the text does not need it, as that of a program
 * whose host code does.  @part: likewise, of a word.  @is_cuda: of the CUDA toolkit, and NVRTC reads it itself.  @both:
 * what it is on all devices.
 * @texts: what more it is on a CPU.  @threads: likewise, but a part of the file, whose functions get their thread.
 * @others: those that it includes, which stand before it in this list. */
static const struct
{
  const char *name, *word;
  gboolean is_cuda;
  const char *part;
  const char *both[4], *texts[5], *threads[3], *others[2];
} leat_kernel_brought[] = {
  { "leat-numbers.h", .both = { "leat-numbers.h" } },
  { "leat-complex.h", .both = { "leat-complex.h" } },
  { LEAT_BRING_NARROW, .both = { "leat-cuda-constants.h" }, .texts = { "leat-cuda-narrow.h" },
    .others = { "leat-numbers.h" } },
  { "cuda_fp16.h", .is_cuda = TRUE, .texts = { "leat-cuda-fp16.h", "leat-cuda-half.h" },
    .others = { LEAT_BRING_NARROW } },
  { "cuda_bf16.h", .is_cuda = TRUE, .texts = { "leat-cuda-bf16.h", "leat-cuda-half.h" }, .others = { "cuda_fp16.h" } },
  { "cuda_fp8.h", .is_cuda = TRUE, .texts = { "leat-cuda-fp8.h" }, .others = { "cuda_bf16.h" } },
  { "cuComplex.h", .is_cuda = TRUE, .texts = { "leat-cuda-complex.h" } },
  { "cufft.h", .both = { "leat-cufft.h" } },
  { LEAT_BRING_STANDARD, "std",
    .both = { "leat-std-types.h", "leat-std-values.h", "leat-std-tuple.h", "leat-std-complex.h" } },
  { "curand_kernel.h", .part = "curand", .is_cuda = TRUE, .texts = { "leat-curand.h", "leat-curand-numbers.h" } },
  { "thrust/complex.h", "thrust", .both = { "leat-thrust-complex.h" }, .others = { LEAT_BRING_STANDARD } },
  { LEAT_BRING_STD,
    .texts = { "leat-std-types.h", "leat-std-values.h", "leat-std-tuple.h", "leat-std-complex.h", "leat-std-host.h" } },
  { LEAT_BRING_VALUES, .texts = { "leat-cuda-values.h" } },
  { LEAT_BRING_ATOMIC, .texts = { "leat-cuda-atomic.h" }, .others = { LEAT_BRING_STD } },
  { LEAT_BRING_BARRIER, .threads = { "leat-cuda-barrier.h" }, .others = { LEAT_BRING_VALUES, LEAT_BRING_ATOMIC } },
  { LEAT_BRING_GROUPS, .threads = { "leat-cuda-groups.h", "leat-cuda-groups-partition.h" },
    .others = { LEAT_BRING_VALUES } },
  { LEAT_BRING_CUB, .threads = { "leat-cub-warp.h", "leat-cub-block.h", "leat-cub-memory.h" },
    .others = { LEAT_BRING_VALUES, LEAT_BRING_STD } },
  { "cuda/std/atomic", "cuda", TRUE, .others = { LEAT_BRING_ATOMIC } },
  { "cuda/std/barrier", "cuda", TRUE, .others = { LEAT_BRING_BARRIER } },
  { "cuda/std/", "cuda", TRUE, .others = { LEAT_BRING_STD } },
  { "cuda/functional", "cuda", TRUE, .others = { LEAT_BRING_STD } },
  { "cuda/type_traits", "cuda", TRUE, .others = { LEAT_BRING_STD } },
  { "cuda/atomic", "cuda", TRUE, .others = { LEAT_BRING_ATOMIC } },
  { "cuda/barrier", "cuda", TRUE, .others = { LEAT_BRING_BARRIER } },
  { "cuda/pipeline", "cuda", TRUE, .threads = { "leat-cuda-pipeline.h" }, .others = { LEAT_BRING_BARRIER } },
  { "cooperative_groups.h", "cooperative_groups", TRUE, .others = { LEAT_BRING_GROUPS } },
  { "cooperative_groups/", "cooperative_groups", TRUE, .threads = { "leat-cuda-groups-algorithms.h" },
    .others = { LEAT_BRING_GROUPS } },
  { "mma.h", "nvcuda", TRUE, .threads = { "leat-cuda-mma.h" }, .others = { LEAT_BRING_VALUES, "cuda_bf16.h" } },
  { "cub/cub.cuh", "cub", TRUE, .others = { LEAT_BRING_CUB } },
  { "cub/block/", "cub", TRUE, .others = { LEAT_BRING_CUB } },
  { "cub/warp/", "cub", TRUE, .others = { LEAT_BRING_CUB } },
};
G_STATIC_ASSERT (G_N_ELEMENTS (leat_kernel_brought) <= 32);

/* Headers of the standard library that kernels use; those of C++ have one text, of the library's own on both sides. */
static const char *const leat_kernel_standard[] = { "type_traits", "limits",   "utility", "functional",
                                                    "algorithm",   "array",    "tuple",   "complex",
                                                    "numeric",     "cmath",    "cstdlib", "cstring",
                                                    "vector",      "iostream", "string",  NULL };

/* Host libraries of the toolkit, by how their headers begin, and the headers of types that these include.  @part: of a
 * word, without which the text does not need the header. */
static const struct
{
  const char *prefix, *header, *part;
} leat_kernel_along[] = {
  { "cublas", "cuComplex.h", "Complex" },  { "cublas", "cuda_fp16.h", "half" },
  { "cublas", "cuda_bf16.h", "bfloat16" }, { "cusparse", "cuComplex.h", "Complex" },
  { "cusparse", "cuda_fp16.h", "half" },   { "cusolver", "cuComplex.h", "Complex" },
  { "cusolver", "cuda_fp16.h", "half" },   { "cusolver", "cuda_bf16.h", "bfloat16" },
  { "cufft", "cuComplex.h", "Complex" },   { "cufft", "cufft.h", "cufft" },
  { "nccl.h", "cuda_fp16.h", "half" },     { "nccl.h", "cuda_bf16.h", "bfloat16" },
};

static int
leat_kernel_find_brought (const char *header)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_brought); i++)
    if (g_str_equal (leat_kernel_brought[i].name, header)
        || (g_str_has_suffix (leat_kernel_brought[i].name, "/")
            && g_str_has_prefix (header, leat_kernel_brought[i].name)))
      return (int) i;
  return -1;
}

gboolean
leat_kernel_brings (const char *header)
{
  return (leat_kernel_find_brought (header) >= 0 && !g_strv_contains (leat_kernel_inner, header))
         || g_strv_contains (leat_kernel_standard, header);
}

char *
leat_kernel_dup_bring_line (const char *header)
{
  return g_strconcat (LEAT_BRING_PRAGMA, g_strv_contains (leat_kernel_standard, header) ? LEAT_BRING_STANDARD : header,
                      NULL);
}

GPtrArray *
leat_kernel_list_along_lines (const char *header)
{
  GPtrArray *lines = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_along); i++)
    if (g_str_has_prefix (header, leat_kernel_along[i].prefix))
      g_ptr_array_add (
        lines, g_strdup_printf (LEAT_BRING_PRAGMA "%s %s", leat_kernel_along[i].header, leat_kernel_along[i].part));
  return lines;
}

static gboolean
leat_kernel_unit_has_part (const LeatKernelUnit *unit, const char *part)
{
  for (guint i = 0; i < unit->tokens->tokens->len; i++)
    {
      const LeatToken *token = leat_tokens_at (unit->tokens, i);

      if (token->kind == LEAT_TOKEN_IDENT
          && g_strstr_len (unit->tokens->text->text + token->offset, token->length, part) != NULL)
        return TRUE;
    }
  return FALSE;
}

/* @part: (nullable): of a word that the text has to have */
static gboolean
leat_kernel_unit_needs_brought (const LeatKernelUnit *unit, const char *name, const char *part)
{
  int index = leat_kernel_find_brought (name);
  const char *word = index >= 0 ? leat_kernel_brought[index].word : NULL;

  if (part == NULL && index >= 0)
    part = leat_kernel_brought[index].part;
  if (part != NULL && !leat_kernel_unit_has_part (unit, part))
    return FALSE;
  for (guint i = 0; word != NULL && i < unit->tokens->tokens->len; i++)
    if (leat_tokens_is (unit->tokens, i, word))
      return TRUE;
  return index >= 0 && word == NULL;
}

GPtrArray *
leat_kernel_unit_list_brought (const LeatKernelUnit *unit)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  const LeatTokens *tokens = unit->tokens;
  const gsize head = strlen (LEAT_BRING_PRAGMA);

  for (guint i = 0; i < tokens->directives->len; i++)
    {
      const LeatTokenGap *gap = &g_array_index (tokens->directives, LeatTokenGap, i);
      const char *at = tokens->text->text + gap->offset;
      char *name, *part;

      if (gap->length <= head || strncmp (at, LEAT_BRING_PRAGMA, head) != 0)
        continue;
      name = g_strstrip (g_strndup (at + head, gap->length - head));
      part = strchr (name, ' ');
      if (part != NULL)
        *part++ = '\0';
      if (leat_kernel_unit_needs_brought (unit, name, part)
          && !g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, name);
      else
        g_free (name);
    }
  return names;
}

/* Which of the headers the text names, a bit for each. */
static guint
leat_kernel_unit_find_brought (const LeatKernelUnit *unit)
{
  g_autoptr (GPtrArray) names = leat_kernel_unit_list_brought (unit);
  guint found = 0;

  for (guint i = 0; i < names->len; i++)
    found |= 1u << leat_kernel_find_brought (g_ptr_array_index (names, i));
  return found;
}

/* With those that they include. */
static guint
leat_kernel_add_others (guint found)
{
  for (guint i = G_N_ELEMENTS (leat_kernel_brought); i-- > 0;)
    for (guint k = 0; found & 1u << i && k < G_N_ELEMENTS (leat_kernel_brought[i].others); k++)
      if (leat_kernel_brought[i].others[k] != NULL)
        found |= 1u << leat_kernel_find_brought (leat_kernel_brought[i].others[k]);
  return found;
}

gboolean
leat_kernel_unit_has_brought (const LeatKernelUnit *unit, const char *header)
{
  int wanted = leat_kernel_find_brought (header);

  return wanted >= 0 && leat_kernel_add_others (leat_kernel_unit_find_brought (unit)) & 1u << wanted;
}

/* NVRTC cannot read what <cub/cub.cuh> has for host code. */
static void
leat_kernel_append_cub_lines (GString *lines)
{
  static const char *const names[] = { "block/block_exchange",   "block/block_histogram", "block/block_load",
                                       "block/block_radix_sort", "block/block_reduce",    "block/block_scan",
                                       "block/block_store",      "warp/warp_reduce",      "warp/warp_scan" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_string_append_printf (lines, "#include <cub/%s.cuh>\n", names[i]);
}

/* @all: not the toolkit's alone */
static char *
leat_kernel_unit_dup_lines (const LeatKernelUnit *unit, gboolean all)
{
  g_autoptr (GPtrArray) names = leat_kernel_unit_list_brought (unit);
  GString *lines = g_string_new (NULL);

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);

      if (!all && g_str_equal (name, "cub/cub.cuh"))
        leat_kernel_append_cub_lines (lines);
      else if (all || leat_kernel_brought[leat_kernel_find_brought (name)].is_cuda)
        g_string_append_printf (lines, "#include <%s>\n", name);
    }
  return g_string_free (lines, FALSE);
}

char *
leat_kernel_unit_dup_brought_lines (const LeatKernelUnit *unit)
{
  return leat_kernel_unit_dup_lines (unit, TRUE);
}

char *
leat_kernel_unit_dup_toolkit_lines (const LeatKernelUnit *unit)
{
  return leat_kernel_unit_dup_lines (unit, FALSE);
}

/* @seen: texts of the standard library, which a file may name under two names.  What number types have in common stands
 * behind each of them. */
static void
leat_kernel_append_texts (GString *out, GHashTable *seen, const char *const *names, guint n)
{
  for (guint i = 0; i < n && names[i] != NULL; i++)
    {
      g_autofree char *text = NULL;

      if (g_str_has_prefix (names[i], "leat-std-") && !g_hash_table_add (seen, (gpointer) names[i]))
        continue;
      text = leat_kernel_dup_device_text (names[i]);
      g_string_append (out, text);
    }
}

char *
leat_kernel_unit_dup_brought_text (const LeatKernelUnit *unit, gboolean cuda)
{
  guint all = leat_kernel_add_others (leat_kernel_unit_find_brought (unit));
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_brought); i++)
    {
      if (!(all & 1u << i))
        continue;
      leat_kernel_append_texts (out, seen, leat_kernel_brought[i].both, G_N_ELEMENTS (leat_kernel_brought[i].both));
      if (!cuda)
        leat_kernel_append_texts (out, seen, leat_kernel_brought[i].texts, G_N_ELEMENTS (leat_kernel_brought[i].texts));
    }
  return g_string_free (out, FALSE);
}

char *
leat_kernel_unit_dup_brought_threads (const LeatKernelUnit *unit)
{
  guint all = leat_kernel_add_others (leat_kernel_unit_find_brought (unit));
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_brought); i++)
    if (all & 1u << i)
      leat_kernel_append_texts (out, seen, leat_kernel_brought[i].threads,
                                G_N_ELEMENTS (leat_kernel_brought[i].threads));
  return g_string_free (out, FALSE);
}
