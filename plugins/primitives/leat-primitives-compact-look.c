/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The part of compact's text that loads what the predicate looks at, and asks it. */

#include "leat-primitives-compact-look.h"

#include "leat-base-number.h"
#include "leat-primitive-text.h"

gboolean
leat_compact_column_is_bits (const LeatCompactLayout *self, const LeatCompactColumn *column)
{
  return self->by == LEAT_COMPACT_BY_BITS && column->looked_at;
}

/* Whether the items that a thread loads of the column fill whole words, each with several items. */
static gboolean
leat_compact_column_is_packed (const LeatCompactLayout *self, const LeatCompactColumn *column)
{
  return column->row_bytes < 4 && column->row_bytes * self->pack % 4 == 0;
}

const char *
leat_compact_column_get_type (const LeatCompactLayout *self, const LeatCompactColumn *column)
{
  guint64 words;

  if (leat_compact_column_is_bits (self, column))
    return "uint8_t";
  return column->looked_at ? leat_number_get_storage (column->dtype)
                           : leat_compact_get_word (column->row_bytes, &words);
}

void
leat_compact_column_write_pack (const LeatCompactLayout *self, const LeatCompactColumn *column, GString *text)
{
  gboolean packed = leat_compact_column_is_packed (self, column);
  guint64 bytes = column->row_bytes * self->pack;

  g_string_append_printf (
    text, "struct __align__ (%u) CompactPack_%s\n{\n  %s at[%" G_GUINT64_FORMAT "];\n};\n", (guint) MIN (bytes, 16),
    column->name, packed ? "uint32_t" : leat_number_get_storage (column->dtype), packed ? bytes / 4 : self->pack);
}

/* Of what was loaded, item leat_i. */
static char *
leat_compact_column_dup_item (const LeatCompactLayout *self, const LeatCompactColumn *column)
{
  if (!leat_compact_column_is_packed (self, column))
    return g_strdup_printf ("leat_look.%s.at[leat_i]", column->name);
  return g_strdup_printf ("compact_unpack<%s> (leat_look.%s.at, leat_i)", leat_number_get_storage (column->dtype),
                          column->name);
}

/* The first few. */
static void
leat_compact_column_write_some (const LeatCompactLayout *self, const LeatCompactColumn *column, GString *text)
{
  const char *name = column->name;

  if (leat_compact_column_is_packed (self, column))
    g_string_append_printf (text,
                            "  leat_look.%s = {};\n"
                            "#pragma unroll\n"
                            "  for (uint32_t leat_i = 0; leat_i < COMPACT_PACK; leat_i++)\n"
                            "    if (leat_i < leat_n)\n"
                            "      compact_pack (leat_look.%s.at, leat_i, leat_from.%s[leat_first + leat_i]);\n",
                            name, name, name);
  else
    g_string_append_printf (text,
                            "#pragma unroll\n"
                            "  for (uint32_t leat_i = 0; leat_i < COMPACT_PACK; leat_i++)\n"
                            "    if (leat_i < leat_n)\n"
                            "      leat_look.%s.at[leat_i] = leat_from.%s[leat_first + leat_i];\n",
                            name, name);
}

void
leat_compact_layout_write_loads (const LeatCompactLayout *self, GString *text)
{
  GString *some = g_string_new (NULL);

  g_string_append (text, "static __device__ __forceinline__ void\ncompact_load (const CompactFrom &leat_from, uint64_t "
                         "leat_first, CompactLook &leat_look)\n{\n");
  for (guint i = 0; i < self->columns->len; i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (self, i);
      const char *name = column->name;

      if (leat_compact_column_is_bits (self, column))
        {
          g_string_append_printf (text, "  leat_look.%s = *(const uint16_t *) (leat_from.%s + leat_first / 8);\n", name,
                                  name);
          g_string_append_printf (some,
                                  "  leat_look.%s = 0;\n"
                                  "  for (uint32_t leat_i = 0; leat_i < leat_n; leat_i += 8)\n"
                                  "    leat_look.%s |= (uint32_t) leat_from.%s[(leat_first + leat_i) / 8] << leat_i;\n",
                                  name, name, name);
        }
      else if (column->looked_at)
        {
          g_string_append_printf (text, "  leat_look.%s = *(const CompactPack_%s *) (leat_from.%s + leat_first);\n",
                                  name, name, name);
          leat_compact_column_write_some (self, column, some);
        }
    }
  g_string_append_printf (text,
                          "}\nstatic __device__ __forceinline__ void\ncompact_load_some (const CompactFrom &leat_from, "
                          "uint64_t leat_first, uint32_t leat_n, CompactLook &leat_look)\n{\n%s}\n",
                          some->str);
  g_string_free (some, TRUE);
}

/* The predicate is a text of names: each is made a variable of that name. */
static void
leat_compact_layout_write_predicate (const LeatCompactLayout *self, GString *text, gboolean at_row)
{
  for (guint i = 0; i < self->columns->len; i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (self, i);
      const char *name = column->name;

      if (leat_compact_column_is_bits (self, column))
        g_string_append_printf (text,
                                at_row ? "  const uint32_t %s = leat_from.%s[leat_i / 8] >> leat_i %% 8 & 1;\n"
                                       : "  const uint32_t %s = leat_look.%s >> leat_i & 1;\n",
                                name, name);
      else if (column->looked_at)
        {
          g_autofree char *item =
            at_row ? g_strdup_printf ("leat_from.%s[leat_i]", name) : leat_compact_column_dup_item (self, column);

          g_autofree char *value = leat_number_dup_read (column->dtype, item);

          g_string_append_printf (text, "  const %s %s = %s;\n", leat_number_get_value (column->dtype), name, value);
        }
    }
  for (guint i = 0; self->args[i] != NULL; i++)
    g_string_append_printf (text, "  const %s %s = leat_from.%s;\n", self->arg_type, self->args[i], self->args[i]);
  g_string_append_printf (text, "\n  return (bool) (%s);\n}\n", self->predicate);
}

void
leat_compact_layout_write_choice (const LeatCompactLayout *self, GString *text)
{
  g_autofree char *staged = NULL;

  g_string_append (text, "static __device__ __forceinline__ bool\ncompact_keeps (const CompactFrom &leat_from, const "
                         "CompactLook &leat_look, uint32_t leat_i)\n{\n");
  leat_compact_layout_write_predicate (self, text, FALSE);
  g_string_append (text, "static __device__ __forceinline__ bool\ncompact_keeps_at (const CompactFrom &leat_from, "
                         "uint64_t leat_i)\n{\n");
  leat_compact_layout_write_predicate (self, text, TRUE);
  for (guint i = 0; i < self->columns->len && self->stages_items; i++)
    if (leat_compact_layout_get (self, i)->output != NULL)
      staged = leat_compact_column_dup_item (self, leat_compact_layout_get (self, i));
  g_string_append (text, "static __device__ __forceinline__ CompactStage\ncompact_stage (const CompactLook &leat_look, "
                         "uint64_t leat_first, uint32_t leat_i)\n{\n");
  if (staged != NULL)
    g_string_append_printf (text, "  return %s;\n}\n", staged);
  else
    g_string_append (text, "  return (uint16_t) (leat_first + leat_i);\n}\n");
}
