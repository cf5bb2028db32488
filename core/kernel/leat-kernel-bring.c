/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Headers that stand before a text because it names them: number types.  The preprocessor leaves a pragma where one is
 * included; here is what becomes of it for each device. */

#include "leat-kernel-bring-private.h"

#include "leat-kernel-transform-private.h"

#include <string.h>

#define LEAT_BRING_PRAGMA "#pragma leat_bring "

/* @is_cuda: a header of the CUDA toolkit, which NVRTC reads itself.  @texts: what it is on a CPU, and those of the
 * library on a GPU too.  @others: headers that it includes, whose texts @texts has as well. */
static const struct
{
  const char *name;
  gboolean is_cuda;
  const char *texts[5];
  const char *others[2];
} leat_kernel_brought[] = {
  { "leat-numbers.h", FALSE, { "leat-numbers.h" }, { NULL } },
  { "leat-complex.h", FALSE, { "leat-complex.h" }, { NULL } },
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
  return leat_kernel_find_brought (header) >= 0;
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

gboolean
leat_kernel_unit_has_brought (const LeatKernelUnit *unit, const char *header)
{
  guint found = leat_kernel_unit_find_brought (unit);
  int wanted = leat_kernel_find_brought (header);

  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_brought); i++)
    for (guint k = 0; found & 1u << i && k < G_N_ELEMENTS (leat_kernel_brought[i].others); k++)
      if (leat_kernel_brought[i].others[k] != NULL)
        found |= 1u << leat_kernel_find_brought (leat_kernel_brought[i].others[k]);
  return wanted >= 0 && found & 1u << wanted;
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
leat_kernel_append_texts (GString *out, GHashTable *seen, guint index)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_brought[index].texts); i++)
    {
      const char *name = leat_kernel_brought[index].texts[i];
      g_autofree char *text = NULL;

      if (name == NULL || !g_hash_table_add (seen, (gpointer) name))
        continue;
      text = leat_kernel_dup_device_text (name);
      g_string_append (out, text);
    }
}

char *
leat_kernel_unit_dup_brought_text (const LeatKernelUnit *unit, gboolean cuda)
{
  guint found = leat_kernel_unit_find_brought (unit);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_brought); i++)
    if (found & 1u << i && !(cuda && leat_kernel_brought[i].is_cuda))
      leat_kernel_append_texts (out, seen, i);
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
