/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The text of the kernel of `compact`, written from its layout.  Changes nothing of the layout. */

#include "leat-base-number.h"
#include "leat-primitive-text.h"
#include "leat-primitives-compact-look.h"

#define LEAT_COMPACT_BUSY_THREADS 1024 /* of a multiprocessor */

/* The text that kernels/compact.cu needs around it: types and functions that know the columns and the predicate.  Its
 * own names begin with leat_ where names of columns and arguments are too, since those may not begin so. */

static void
leat_compact_text_begin (const LeatCompactLayout *self, GString *text)
{
  for (guint i = 0; i < self->columns->len; i++)
    if (leat_compact_layout_get (self, i)->looked_at)
      leat_number_append_includes (text, &leat_compact_layout_get (self, i)->dtype, 1);
  g_string_append_printf (text,
                          "#define COMPACT_THREADS %u\n#define COMPACT_PACK %u\n#define COMPACT_RUNS %u\n"
                          "#define COMPACT_IN_PLACE %d\n#define COMPACT_CLUSTER %u\n",
                          self->threads, self->pack, self->runs, self->in_place != 0, self->cluster);
  if (self->truncates)
    g_string_append (
      text, "LEAT_REPORT (COMPACT_TRUNCATED, warning, \"{value} rows were kept, and there is room for {index}\")\n");
}

static void
leat_compact_text_add_types (const LeatCompactLayout *self, GString *text)
{
  GString *look = g_string_new ("struct CompactLook\n{\n"), *to = g_string_new ("struct CompactTo\n{\n");
  const char *stage = "uint16_t";

  g_string_append (text, "struct CompactFrom\n{\n");
  for (guint i = 0; i < self->columns->len; i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (self, i);
      const char *type = leat_compact_column_get_type (self, column);

      g_string_append_printf (text, "  const %s *%s;\n", type, column->name);
      if (leat_compact_column_is_bits (self, column))
        g_string_append_printf (look, "  uint32_t %s;\n", column->name);
      else if (column->looked_at)
        g_string_append_printf (look, "  CompactPack_%s %s;\n", column->name, column->name);
      if (column->output != NULL)
        g_string_append_printf (to, "  %s *%s;\n  uint64_t *%s_count;\n", type, column->output, column->output);
      if (column->output != NULL && self->stages_items)
        stage = type;
    }
  for (guint i = 0; self->args[i] != NULL; i++)
    g_string_append_printf (text, "  %s %s;\n", self->arg_type, self->args[i]);
  g_string_append (text, "};\n");
  if (self->numbers != NULL)
    g_string_append_printf (to, "  uint%u_t *%s;\n  uint64_t *%s_count;\n", 8 * self->number_bytes, self->numbers,
                            self->numbers);
  for (guint i = 0; i < self->columns->len; i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (self, i);

      if (column->looked_at && !leat_compact_column_is_bits (self, column))
        leat_compact_column_write_pack (self, column, text);
    }
  g_string_append_printf (text, "%s};\n%s  uint64_t leat_room;\n};\ntypedef %s CompactStage;\n", look->str, to->str,
                          stage);
  g_string_free (look, TRUE);
  g_string_free (to, TRUE);
}

static void
leat_compact_text_add_store (const LeatCompactLayout *self, const LeatCompactColumn *column, GString *text)
{
  guint64 words;
  const char *word = leat_compact_get_word (column->row_bytes, &words);

  if (!self->stages_items)
    g_string_append_printf (text,
                            "  compact_store_rows<%s, %" G_GUINT64_FORMAT "> ((%s *) leat_to.%s + leat_place * "
                            "%" G_GUINT64_FORMAT ", (const %s *) leat_from.%s + leat_base * %" G_GUINT64_FORMAT
                            ", leat_stage, leat_most);\n",
                            word, words, word, column->output, words, word, column->name, words);
  else if (column->row_bytes >= 4)
    g_string_append_printf (text, "  compact_store_items (leat_to.%s + leat_place, leat_stage, leat_most);\n",
                            column->output);
  else
    g_string_append_printf (text,
                            "  compact_store_bytes ((uint8_t *) (leat_to.%s + leat_place), (const uint8_t *) "
                            "leat_stage, leat_most * %u);\n",
                            column->output, (guint) column->row_bytes);
}

static void
leat_compact_text_add_give (const LeatCompactLayout *self, GString *text)
{
  g_string_append (text, "static __device__ __forceinline__ void\ncompact_give (const CompactFrom &leat_from, const "
                         "CompactTo &leat_to, uint64_t leat_base, const CompactStage *leat_stage, uint64_t leat_place, "
                         "uint32_t leat_n)\n{\n"
                         "  uint32_t leat_most = compact_clip (leat_place, leat_n, leat_to.leat_room);\n\n");
  for (guint i = 0; i < self->columns->len; i++)
    if (leat_compact_layout_get (self, i)->output != NULL)
      leat_compact_text_add_store (self, leat_compact_layout_get (self, i), text);
  if (self->numbers != NULL)
    g_string_append_printf (
      text, "  compact_store_numbers (leat_to.%s + leat_place, leat_base, leat_stage, leat_most);\n", self->numbers);
  g_string_append (text, "}\n");
}

/* One row, for kernels/compact-few.cu. */
static void
leat_compact_text_add_put (const LeatCompactLayout *self, GString *text)
{
  g_string_append (text, "static __device__ __forceinline__ void\ncompact_put (const CompactFrom &leat_from, const "
                         "CompactTo &leat_to, const CompactLook &leat_look, uint64_t leat_row, uint64_t leat_at)\n{\n"
                         "  if (leat_at >= leat_to.leat_room)\n    return;\n");
  for (guint i = 0; i < self->columns->len; i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (self, i);

      if (column->output != NULL && column->looked_at)
        g_string_append_printf (text, "  leat_to.%s[leat_at] = leat_look.%s.at[0];\n", column->output, column->name);
      else if (column->output != NULL)
        g_string_append_printf (text, "  leat_to.%s[leat_at] = leat_from.%s[leat_row];\n", column->output,
                                column->name);
    }
  if (self->numbers != NULL)
    g_string_append_printf (text, "  leat_to.%s[leat_at] = (uint%u_t) leat_row;\n", self->numbers,
                            8 * self->number_bytes);
  g_string_append (text, "}\n");
}

static void
leat_compact_text_add_give_on_host (const LeatCompactLayout *self, GString *text)
{
  g_string_append (text, "#ifdef LEAT_HOST\nstatic __device__ inline void\ncompact_give_on_host (const CompactFrom "
                         "&leat_from, const CompactTo &leat_to, uint64_t leat_base, uint64_t leat_rows, const uint64_t "
                         "*leat_kept, uint64_t leat_place, uint64_t leat_n, uint64_t leat_all)\n{\n"
                         "  uint64_t leat_most = compact_clip (leat_place, (uint32_t) leat_n, leat_to.leat_room);\n\n"
                         "  if (leat_most < leat_n)\n    leat_all = 0;\n");
  for (guint i = 0; i < self->columns->len; i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (self, i);
      guint64 words;
      const char *word = leat_compact_get_word (column->row_bytes, &words);

      if (column->output != NULL)
        g_string_append_printf (text,
                                "  compact_store_on_host<%s, %" G_GUINT64_FORMAT "> ((%s *) leat_to.%s + leat_place * "
                                "%" G_GUINT64_FORMAT ", (const %s *) leat_from.%s + leat_base * %" G_GUINT64_FORMAT
                                ", leat_kept, leat_rows, leat_most, leat_all);\n",
                                word, words, word, column->output, words, word, column->name, words);
    }
  if (self->numbers != NULL)
    g_string_append_printf (
      text, "  compact_number_on_host (leat_to.%s + leat_place, leat_base, leat_kept, leat_rows, leat_most);\n",
      self->numbers);
  g_string_append (text, "}\n#endif\n");
}

static void
leat_compact_text_add_tell (const LeatCompactLayout *self, GString *text)
{
  g_string_append (text,
                   "static __device__ inline void\ncompact_tell (const CompactTo &leat_to, uint64_t leat_sum)\n{\n");
  if (self->truncates)
    g_string_append (text, "  if (leat_sum > leat_to.leat_room)\n    {\n"
                           "      leat_report_at (COMPACT_TRUNCATED, leat_to.leat_room, leat_sum);\n"
                           "      leat_sum = leat_to.leat_room;\n    }\n");
  for (guint i = 0; i < self->columns->len; i++)
    if (leat_compact_layout_get (self, i)->output != NULL)
      g_string_append_printf (text, "  *leat_to.%s_count = leat_sum;\n", leat_compact_layout_get (self, i)->output);
  if (self->numbers != NULL)
    g_string_append_printf (text, "  *leat_to.%s_count = leat_sum;\n", self->numbers);
  g_string_append (text, "}\n");
}

static void
leat_compact_text_add_params (const LeatCompactLayout *self, GString *text)
{
  for (guint i = 0; i < self->columns->len; i++)
    g_string_append_printf (text, "const %s *%s, ",
                            leat_compact_column_get_type (self, leat_compact_layout_get (self, i)),
                            leat_compact_layout_get (self, i)->name);
  for (guint i = 0; i < (self->bounded ? self->columns->len : 1); i++)
    g_string_append_printf (text, "uint64_t %s_count, ", leat_compact_layout_get (self, i)->name);
  for (guint i = 0; self->args[i] != NULL; i++)
    g_string_append_printf (text, "%s %s, ", self->arg_type, self->args[i]);
  for (guint i = 0; i < self->columns->len; i++)
    if (leat_compact_layout_get (self, i)->output != NULL)
      g_string_append_printf (text, "%s *%s, uint64_t *%s_count, ",
                              leat_compact_column_get_type (self, leat_compact_layout_get (self, i)),
                              leat_compact_layout_get (self, i)->output, leat_compact_layout_get (self, i)->output);
  if (self->numbers != NULL)
    g_string_append_printf (text, "uint%u_t *%s, uint64_t *%s_count, ", 8 * self->number_bytes, self->numbers,
                            self->numbers);
  g_string_append (text, "uint64_t leat_room, uint64_t *leat_control, uint64_t leat_set_words)\n{\n");
}

/* The parameters as what the functions take; leat_rows is the least of the counts. */
static void
leat_compact_text_add_locals (const LeatCompactLayout *self, GString *text)
{
  g_string_append_printf (text, "  uint64_t leat_rows = %s_count;\n  CompactFrom leat_from;\n  CompactTo leat_to;\n\n",
                          leat_compact_layout_get (self, 0)->name);
  for (guint i = 1; i < self->columns->len && self->bounded; i++)
    {
      const char *name = leat_compact_layout_get (self, i)->name;

      g_string_append_printf (text, "  if (%s_count < leat_rows)\n    leat_rows = %s_count;\n", name, name);
    }
  for (guint i = 0; i < self->columns->len; i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (self, i);

      g_string_append_printf (text, "  leat_from.%s = %s;\n", column->name, column->name);
      if (column->output != NULL)
        g_string_append_printf (text, "  leat_to.%s = %s;\n  leat_to.%s_count = %s_count;\n", column->output,
                                column->output, column->output, column->output);
    }
  for (guint i = 0; self->args[i] != NULL; i++)
    g_string_append_printf (text, "  leat_from.%s = %s;\n", self->args[i], self->args[i]);
  if (self->numbers != NULL)
    g_string_append_printf (text, "  leat_to.%s = %s;\n  leat_to.%s_count = %s_count;\n", self->numbers, self->numbers,
                            self->numbers, self->numbers);
  g_string_append (text, "  leat_to.leat_room = leat_room;\n");
}

static void
leat_compact_text_add_run (const LeatCompactLayout *self, GString *text)
{
  if (!self->few)
    g_string_append (text, "  extern __shared__ uint4 leat_stages[];\n");
  leat_compact_text_add_locals (self, text);
  g_string_append (text, self->few ? "  compact_run_few (leat_from, leat_to, leat_rows, leat_control);\n"
                                   : "  compact_run (leat_from, leat_to, leat_rows, leat_control, leat_set_words, "
                                     "(CompactStage *) leat_stages);\n");
}

/* At least two blocks of a multiprocessor, of which one works while the other waits: 1,024 threads have at most 64
 * registers each. */
static void
leat_compact_text_add_kernel (const LeatCompactLayout *self, GString *text)
{
  g_string_append (text, "__global__ void ");
  if (self->cluster > 1)
    g_string_append_printf (text, "LEAT_CLUSTER (%u) ", self->cluster);
  g_string_append_printf (text, "__launch_bounds__ (%u, %u)\ncompact (", self->threads,
                          MAX (LEAT_COMPACT_BUSY_THREADS / self->threads, 2));
  leat_compact_text_add_params (self, text);
  leat_compact_text_add_run (self, text);
  g_string_append (text, "}\nLEAT_HOST_VARIANT void\ncompact (");
  leat_compact_text_add_params (self, text);
  leat_compact_text_add_locals (self, text);
  g_string_append (text, "  compact_run_on_host (leat_from, leat_to, leat_rows, leat_control, leat_set_words);\n}\n");
}

static gboolean
leat_compact_text_add_file (GString *text, const char *path, GError **error)
{
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);

  if (bytes != NULL)
    g_string_append_len (text, g_bytes_get_data (bytes, NULL), (gssize) g_bytes_get_size (bytes));
  return bytes != NULL;
}

char *
leat_compact_layout_write (const LeatCompactLayout *self, GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  leat_compact_text_begin (self, text);
  if (!leat_compact_text_add_file (text, "/leat/primitives/compact-store.cu", error)
      || !leat_compact_text_add_file (text, "/leat/primitives/compact-host.cu", error))
    return NULL;
  leat_compact_text_add_types (self, text);
  leat_compact_layout_write_loads (self, text);
  leat_compact_layout_write_choice (self, text);
  leat_compact_text_add_give (self, text);
  leat_compact_text_add_give_on_host (self, text);
  leat_compact_text_add_tell (self, text);
  if (!leat_compact_text_add_file (text, "/leat/primitives/compact.cu", error))
    return NULL;
  if (self->few)
    leat_compact_text_add_put (self, text);
  if (self->few && !leat_compact_text_add_file (text, "/leat/primitives/compact-few.cu", error))
    return NULL;
  leat_compact_text_add_kernel (self, text);
  return g_strdup (text->str);
}
