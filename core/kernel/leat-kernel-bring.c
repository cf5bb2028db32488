/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Headers that stand before a text because it names them: number types.  The preprocessor leaves a pragma where one is
 * included; here is what becomes of it for each device. */

#include "leat-kernel-bring-private.h"

#include "leat-kernel-source-internal-private.h"
#include "leat-kernel-transform-private.h"

#include <string.h>

#define LEAT_BRING_PRAGMA "#pragma leat_bring "

/* @name: of the header, or of a folder of them.  @is_cuda: a header of the CUDA toolkit, which NVRTC reads itself.
 * @texts: what it is on a CPU, and those of the library on a GPU too.  @others: headers that it includes, whose texts
 * @texts has as well.  @threads: what more it is on a CPU: a part of the file, whose functions get their thread. */
static const struct
{
  const char *name;
  gboolean is_cuda;
  const char *texts[5];
  const char *others[2];
  const char *threads[4];
} leat_kernel_brought[] = {
  { "leat-numbers.h", FALSE, { "leat-numbers.h" }, { NULL } },
  { "leat-complex.h", FALSE, { "leat-complex.h" }, { NULL } },
  { "cooperative_groups.h", TRUE, { NULL }, { NULL }, { "leat-cuda-groups.h", "leat-cuda-groups-partition.h" } },
  { "cooperative_groups/",
    TRUE,
    { "leat-cuda-values.h" },
    { NULL },
    { "leat-cuda-groups.h", "leat-cuda-groups-partition.h", "leat-cuda-groups-algorithms.h" } },
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
  return leat_kernel_find_brought (header) >= 0;
}

char *
leat_kernel_dup_bring_line (const char *header)
{
  return g_strconcat (LEAT_BRING_PRAGMA, header, NULL);
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
      char *name;

      if (gap->length <= head || strncmp (at, LEAT_BRING_PRAGMA, head) != 0)
        continue;
      name = g_strstrip (g_strndup (at + head, gap->length - head));
      if (leat_kernel_find_brought (name) >= 0)
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

/* @all: not the toolkit's alone */
static char *
leat_kernel_unit_dup_lines (const LeatKernelUnit *unit, gboolean all)
{
  g_autoptr (GPtrArray) names = leat_kernel_unit_list_brought (unit);
  GString *lines = g_string_new (NULL);

  for (guint i = 0; i < names->len; i++)
    {
      const char *name = g_ptr_array_index (names, i);

      if (all || leat_kernel_brought[leat_kernel_find_brought (name)].is_cuda)
        g_string_append_printf (lines, "#include <%s>\n", name);
    }
  return g_string_free (lines, FALSE);
}

char *
leat_kernel_unit_dup_brought_lines (const LeatKernelUnit *unit)
{
  return leat_kernel_unit_dup_lines (unit, TRUE);
}

GPtrArray *
leat_kernel_source_list_toolkit (LeatKernelSource *source)
{
  GPtrArray *names = leat_kernel_unit_list_brought (source->unit);

  for (guint i = names->len; i-- > 0;)
    if (!leat_kernel_brought[leat_kernel_find_brought (g_ptr_array_index (names, i))].is_cuda)
      g_ptr_array_remove_index (names, i);
  return names;
}

char *
leat_kernel_unit_dup_toolkit_lines (const LeatKernelUnit *unit)
{
  return leat_kernel_unit_dup_lines (unit, FALSE);
}

static void
leat_kernel_append_texts (GString *out, GHashTable *seen, const char *const *names, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *text = NULL;

      if (names[i] == NULL || !g_hash_table_add (seen, (gpointer) names[i]))
        continue;
      text = leat_kernel_dup_device_text (names[i]);
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
      leat_kernel_append_texts (out, seen, leat_kernel_brought[i].texts, G_N_ELEMENTS (leat_kernel_brought[i].texts));
  return g_string_free (out, FALSE);
}

char *
leat_kernel_unit_dup_brought_threads (const LeatKernelUnit *unit)
{
  guint found = leat_kernel_unit_find_brought (unit);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_kernel_brought); i++)
    if (found & 1u << i)
      leat_kernel_append_texts (out, seen, leat_kernel_brought[i].threads,
                                G_N_ELEMENTS (leat_kernel_brought[i].threads));
  return g_string_free (out, FALSE);
}
