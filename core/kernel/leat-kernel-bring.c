/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Headers that stand before a text because it names them: number types.  The preprocessor leaves a pragma where one is
 * included; here is what becomes of it for each device. */

#include "leat-kernel-bring-private.h"

#include "leat-kernel-transform-private.h"

#include <string.h>

#define LEAT_BRING_PRAGMA "#pragma leat_bring "

/* What CUDA's have in common, and is not for others to name. */
#define LEAT_BROUGHT_INNER "leat-cuda-narrow.h"

/* @is_cuda: of the CUDA toolkit, and NVRTC reads it itself.  @texts: what it is on a CPU, and of the library's own on a
 * GPU too.  @others: those that it includes, which stand before it in this list. */
static const struct
{
  const char *name;
  gboolean is_cuda;
  const char *both;
  const char *texts[2];
  const char *others[2];
} leat_kernel_brought[] = {
  { "leat-numbers.h", FALSE, "leat-numbers.h", { NULL }, { NULL } },
  { "leat-complex.h", FALSE, "leat-complex.h", { NULL }, { NULL } },
  { LEAT_BROUGHT_INNER, FALSE, "leat-cuda-constants.h", { "leat-cuda-narrow.h" }, { "leat-numbers.h" } },
  { "cuda_fp16.h", TRUE, NULL, { "leat-cuda-fp16.h", "leat-cuda-half.h" }, { LEAT_BROUGHT_INNER } },
  { "cuda_bf16.h", TRUE, NULL, { "leat-cuda-bf16.h", "leat-cuda-half.h" }, { "cuda_fp16.h" } },
  { "cuda_fp8.h", TRUE, NULL, { "leat-cuda-fp8.h" }, { "cuda_bf16.h" } },
  { "cuComplex.h", TRUE, NULL, { "leat-cuda-complex.h" }, { NULL } },
};

static int
leat_kernel_find_brought (const char *header)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_brought); i++)
    if (g_str_equal (leat_kernel_brought[i].name, header))
      return (int) i;
  return -1;
}

gboolean
leat_kernel_brings (const char *header)
{
  return leat_kernel_find_brought (header) >= 0 && !g_str_equal (header, LEAT_BROUGHT_INNER);
}

char *
leat_kernel_dup_bring_line (const char *header)
{
  return g_strconcat (LEAT_BRING_PRAGMA, header, NULL);
}

/* Which of the headers the text names, a bit for each. */
static guint
leat_kernel_unit_find_brought (const LeatKernelUnit *unit)
{
  const LeatTokens *tokens = unit->tokens;
  const gsize head = strlen (LEAT_BRING_PRAGMA);
  guint found = 0;

  for (guint i = 0; i < tokens->directives->len; i++)
    {
      const LeatTokenGap *gap = &g_array_index (tokens->directives, LeatTokenGap, i);
      const char *at = tokens->text->text + gap->offset;
      g_autofree char *name = NULL;

      if (gap->length <= head || strncmp (at, LEAT_BRING_PRAGMA, head) != 0)
        continue;
      name = g_strstrip (g_strndup (at + head, gap->length - head));
      if (leat_kernel_find_brought (name) >= 0)
        found |= 1u << leat_kernel_find_brought (name);
    }
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

char *
leat_kernel_unit_dup_brought_lines (const LeatKernelUnit *unit)
{
  guint found = leat_kernel_unit_find_brought (unit);
  GString *lines = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_brought); i++)
    if (found & 1u << i)
      g_string_append_printf (lines, "#include <%s>\n", leat_kernel_brought[i].name);
  return g_string_free (lines, FALSE);
}

static void
leat_kernel_append_text (GString *out, const char *name)
{
  g_autofree char *text = name != NULL ? leat_kernel_dup_device_text (name) : NULL;

  if (text != NULL)
    g_string_append (out, text);
}

char *
leat_kernel_unit_dup_brought_text (const LeatKernelUnit *unit, gboolean cuda)
{
  guint all = leat_kernel_add_others (leat_kernel_unit_find_brought (unit));
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_brought); i++)
    {
      if (!(all & 1u << i))
        continue;
      leat_kernel_append_text (out, leat_kernel_brought[i].both);
      for (guint k = 0; !cuda && k < G_N_ELEMENTS (leat_kernel_brought[i].texts); k++)
        leat_kernel_append_text (out, leat_kernel_brought[i].texts[k]);
    }
  return g_string_free (out, FALSE);
}

char *
leat_kernel_unit_dup_toolkit_lines (const LeatKernelUnit *unit)
{
  guint found = leat_kernel_unit_find_brought (unit);
  GString *lines = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_brought); i++)
    if (found & 1u << i && leat_kernel_brought[i].is_cuda)
      g_string_append_printf (lines, "#include <%s>\n", leat_kernel_brought[i].name);
  return g_string_free (lines, FALSE);
}
