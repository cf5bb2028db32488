/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Single statements of a fused text: what is the same wherever it stands.  Touches the writer alone. */

#include "leat-fuse-writer-private.h"
#include "kernel/device/leat-report-block.h"

void
leat_fuse_writer_state (LeatFuseWriter *self, const char *format, ...)
{
  g_autofree char *statement = NULL;
  va_list args;

  va_start (args, format);
  statement = g_strdup_vprintf (format, args);
  va_end (args);
  leat_kernel_fuse_add_statement (self->text, statement);
}

void
leat_fuse_writer_meet (LeatFuseWriter *self)
{
  if (self->fuser->in_block)
    leat_fuse_writer_state (self, "__syncthreads ();");
  else
    leat_kernel_fuse_add_sync (self->text);
}

void
leat_fuse_writer_copy_bytes (LeatFuseWriter *self, LeatBufferId to_id, LeatBufferId from_id, guint64 bytes)
{
  const char *to = leat_fuse_writer_get_items (self, to_id), *from = leat_fuse_writer_get_items (self, from_id);

  if (bytes >= 8)
    leat_fuse_writer_state (
      self, "leat_fuse_copy ((uint64_t *) %s, (const uint64_t *) %s, (uint64_t) %" G_GUINT64_FORMAT "ull);", to, from,
      bytes / 8);
  if (bytes % 8 > 0)
    leat_fuse_writer_state (self,
                            "leat_fuse_copy (%s + %" G_GUINT64_FORMAT
                            "ull, (const unsigned char *) %s + %" G_GUINT64_FORMAT "ull, (uint64_t) %" G_GUINT64_FORMAT
                            "ull);",
                            to, bytes / 8 * 8, from, bytes / 8 * 8, bytes % 8);
}

char *
leat_stage_dup_access (const LeatFuseStage *stage)
{
  if (stage->op->pattern == LEAT_PATTERN_STENCIL)
    return g_strdup_printf ("access=stencil:%" G_GUINT64_FORMAT, stage->op->reach);
  return g_strdup (stage->op->pattern == LEAT_PATTERN_BLOCK ? "access=block" : "access=elementwise");
}

/* Of each fault of each node there is a code, as far as there are so many. */
static guint
leat_fuse_writer_get_code (LeatFuseWriter *self, const char *said)
{
  gpointer known;
  g_autofree char *declaration = NULL;
  gboolean last = self->n_codes + 1 == LEAT_REPORT_CODES;

  if (g_hash_table_lookup_extended (self->codes, said, NULL, &known))
    return GPOINTER_TO_UINT (known);
  if (self->n_codes == LEAT_REPORT_CODES)
    return LEAT_REPORT_CODES - 1;
  declaration = g_strdup_printf (
    "LEAT_REPORT (%u, error, \"%s\")\n", self->n_codes,
    last ? "a kernel is not what it says by access=; with fewer of them in the body it is told which" : said);
  leat_kernel_fuse_add_declaration (self->text, declaration);
  g_hash_table_insert (self->codes, g_strdup (said), GUINT_TO_POINTER (self->n_codes));
  return self->n_codes++;
}

void
leat_fuse_writer_tell (LeatFuseWriter *self, const LeatFuseStage *stage, const char *says, const char *at,
                       const char *variable)
{
  g_autofree char *said = g_strdup_printf ("%s \\\"%s\\\" says %s", leat_node_get_id (stage->op->node),
                                           leat_node_get_name (stage->op->node), says);

  leat_fuse_writer_state (self, "    if (%s != 0) { leat_report_at (%u, %s, %s - 1); %s = 0; }", variable,
                          leat_fuse_writer_get_code (self, said), at, variable, variable);
}

void
leat_fuse_writer_comment (LeatFuseWriter *self, const LeatFuseStage *stage)
{
  g_autofree char *text =
    g_strdup_printf ("%s %s", leat_node_get_id (stage->op->node), leat_node_get_name (stage->op->node));

  leat_kernel_fuse_add_comment (self->text, text);
}

char *
leat_fuse_writer_add_function (LeatFuseWriter *self, const LeatFuseStage *stage, LeatFuseForm form)
{
  return leat_kernel_fuse_add_function (self->text, stage->op->source, stage->op->prototype->entry, form);
}
