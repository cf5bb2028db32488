/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reports of kernels: the codes that a file declares with `LEAT_REPORT (NAME = 3, error, "a negative length")`, and
 * which of its kernels come to report. */

#include "device/leat-report-block.h"
#include "leat-kernel-report-private.h"

static gboolean
leat_kernel_unit_read_report_number (const LeatKernelUnit *self, guint token, guint *code, GError **error)
{
  g_autofree char *word = leat_tokens_dup (self->tokens, token);
  char *end;
  guint64 number = g_ascii_strtoull (word, &end, 0);

  if (leat_tokens_at (self->tokens, token)->kind == LEAT_TOKEN_NUMBER && (*end == '\0' || strspn (end, "uU") == 1)
      && number < LEAT_REPORT_CODES)
    {
      *code = (guint) number;
      return TRUE;
    }
  leat_tokens_set_error (self->tokens, token, LEAT_KERNEL_ERROR_SYNTAX, error,
                         "the code of a report is a number from 0 to %u, and not \"%s\"", LEAT_REPORT_CODES - 1, word);
  return FALSE;
}

/* `3`, `NAME = 3`, or `NAME` for one more than the code before. */
static gboolean
leat_kernel_unit_read_report_code (const LeatKernelUnit *self, guint first, guint last, LeatReportCode *to,
                                   GError **error)
{
  guint number = first;

  if (leat_tokens_at (self->tokens, first)->kind == LEAT_TOKEN_IDENT)
    {
      to->name = leat_tokens_dup (self->tokens, first);
      if (first == last)
        {
          if (self->reports->len > 0)
            to->code = g_array_index (self->reports, LeatReportCode, self->reports->len - 1).code + 1;
          if (to->code < LEAT_REPORT_CODES)
            return TRUE;
          leat_tokens_set_error (self->tokens, first, LEAT_KERNEL_ERROR_SYNTAX, error,
                                 "the code before \"%s\" is the last, %u; give it a number", to->name,
                                 LEAT_REPORT_CODES - 1);
          return FALSE;
        }
      number = leat_tokens_is (self->tokens, first + 1, "=") ? first + 2 : first + 1;
    }
  if (number == last)
    return leat_kernel_unit_read_report_number (self, number, &to->code, error);
  leat_tokens_set_error (self->tokens, number, LEAT_KERNEL_ERROR_SYNTAX, error,
                         "the code of a report is a number, or a name with a number: NAME = 3");
  return FALSE;
}

static gboolean
leat_kernel_unit_read_report_severity (const LeatKernelUnit *self, guint token, LeatReportCode *to, GError **error)
{
  g_autofree char *word = NULL;

  to->is_error = leat_tokens_is (self->tokens, token, "error");
  if (to->is_error || leat_tokens_is (self->tokens, token, "warning"))
    return TRUE;
  word = leat_tokens_dup (self->tokens, token);
  leat_tokens_set_error (self->tokens, token, LEAT_KERNEL_ERROR_SYNTAX, error,
                         "a report is an error, which fails the run, or a warning, and not \"%s\"", word);
  return FALSE;
}

/* One literal or several that follow each other, as in C. */
static gboolean
leat_kernel_unit_read_report_text (const LeatKernelUnit *self, guint first, guint last, LeatReportCode *to,
                                   GError **error)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = first; i <= last; i++)
    {
      g_autofree char *word = leat_tokens_dup (self->tokens, i), *plain = NULL;
      gsize length = strlen (word);

      if (leat_tokens_at (self->tokens, i)->kind != LEAT_TOKEN_STRING || word[0] != '"' || length < 2)
        {
          leat_tokens_set_error (self->tokens, i, LEAT_KERNEL_ERROR_SYNTAX, error,
                                 "the text of a report is a string: \"a negative length\"");
          return FALSE;
        }
      word[length - 1] = '\0';
      plain = g_strcompress (word + 1);
      g_string_append (text, plain);
    }
  to->text = g_utf8_make_valid (text->str, text->len);
  return TRUE;
}

static gboolean
leat_kernel_unit_read_report_parts (const LeatKernelUnit *self, const LeatDecl *decl, LeatReportCode *to,
                                    GError **error)
{
  guint open = decl->first + 1;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self, open + 1, leat_tokens_at (self->tokens, open)->match);
  const guint *at = (const guint *) pieces->data;

  if (pieces->len != 6 || at[2] != at[3])
    {
      leat_tokens_set_error (
        self->tokens, decl->first, LEAT_KERNEL_ERROR_SYNTAX, error,
        "a report is declared with its code, \"error\" or \"warning\", and a text: " LEAT_REPORT_WORD
        " (1, error, \"a negative length\")");
      return FALSE;
    }
  return leat_kernel_unit_read_report_code (self, at[0], at[1], to, error)
         && leat_kernel_unit_read_report_severity (self, at[2], to, error)
         && leat_kernel_unit_read_report_text (self, at[4], at[5], to, error);
}

const LeatReportCode *
leat_kernel_unit_find_report (const LeatKernelUnit *self, guint code)
{
  for (guint i = 0; i < self->reports->len; i++)
    if (g_array_index (self->reports, LeatReportCode, i).code == code)
      return &g_array_index (self->reports, LeatReportCode, i);
  return NULL;
}

static gboolean
leat_kernel_unit_read_report (LeatKernelUnit *self, const LeatDecl *decl, GError **error)
{
  LeatReportCode report = { .line = leat_tokens_at (self->tokens, decl->first)->line };
  const LeatReportCode *before;

  if (!leat_kernel_unit_read_report_parts (self, decl, &report, error))
    {
      leat_report_code_clear (&report);
      return FALSE;
    }
  before = leat_kernel_unit_find_report (self, report.code);
  if (before != NULL)
    {
      leat_tokens_set_error (self->tokens, decl->first, LEAT_KERNEL_ERROR_SYNTAX, error,
                             "line %u has a report with the code %u already", before->line, report.code);
      leat_report_code_clear (&report);
      return FALSE;
    }
  g_array_append_val (self->reports, report);
  return TRUE;
}

/* Whether any kernel of the file can report: the rest of a file that has none costs nothing. */
gboolean
leat_kernel_unit_mentions_reports (const LeatKernelUnit *self)
{
  return (self->reporting != NULL && g_hash_table_size (self->reporting) > 0)
         || strstr (self->tokens->text->text, "leat_report") != NULL;
}

gboolean
leat_kernel_unit_reports (const LeatKernelUnit *self, LeatKernelCalls *calls, const LeatDecl *decl)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, decl->name);
  const LeatDecl *variant = leat_kernel_unit_find_variant (self, name), *base = leat_kernel_unit_at (self, 0);
  LeatKernelAsks asks = leat_kernel_calls_get_asks (calls, decl - base);

  if (variant != NULL)
    asks |= leat_kernel_calls_get_asks (calls, variant - base);
  return (asks & LEAT_KERNEL_ASKS_REPORTS)
         || (self->reporting != NULL && g_hash_table_contains (self->reporting, name));
}

gboolean
leat_kernel_unit_read_reports (LeatKernelUnit *self, GError **error)
{
  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self, i);

      if (decl->kind == LEAT_DECL_REPORT && !leat_kernel_unit_read_report (self, decl, error))
        return FALSE;
    }
  return TRUE;
}

char *
leat_kernel_unit_dup_report_text (const LeatKernelUnit *self, const char *header)
{
  g_autofree char *block = NULL, *dialect = NULL;

  if (!leat_kernel_unit_mentions_reports (self))
    return g_strdup ("");
  block = leat_kernel_dup_device_text ("leat-report-block.h");
  dialect = leat_kernel_dup_device_text (header);
  return g_strconcat (block, dialect, NULL);
}

/* Of a declaration nothing is left for compilers but its name. */
void
leat_kernel_unit_edit_report (const LeatKernelUnit *self, GArray *edits, const LeatDecl *decl)
{
  for (guint i = 0; i < self->reports->len; i++)
    {
      const LeatReportCode *report = &g_array_index (self->reports, LeatReportCode, i);

      if (report->name != NULL && leat_tokens_is (self->tokens, decl->first + 2, report->name))
        {
          leat_edits_replace (edits, self->tokens, decl->first, decl->last, "enum { %s = %u };", report->name,
                              report->code);
          return;
        }
    }
  leat_edits_replace (edits, self->tokens, decl->first, decl->last, "%s", "");
}
