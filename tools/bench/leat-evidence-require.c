/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Requirements on rows of evidence, as leat-bench --require gives them: parsed, then checked.  Changes no row: adds to
 * the caller's list of faults. */

#include "leat-evidence.h"

#include <string.h>

typedef enum
{
  LEAT_REQUIREMENT_NOT_SLOWER,
  LEAT_REQUIREMENT_ALL_CASES,
  LEAT_REQUIREMENT_COMMITTED,
  LEAT_REQUIREMENT_CASE,
  LEAT_REQUIREMENT_ROWS,
  LEAT_REQUIREMENT_SPEEDUP,
  LEAT_REQUIREMENT_COLUMN,
} LeatRequirementKind;

struct _LeatRequirement
{
  LeatRequirementKind kind;
  char *text;
  char *name; /* of a case or a column */
  gboolean at_most;
  double number;
};

static const struct
{
  const char *name;
  LeatRequirementKind kind;
} leat_requirement_words[] = {
  { "resident-not-slower", LEAT_REQUIREMENT_NOT_SLOWER },
  { "all-cases", LEAT_REQUIREMENT_ALL_CASES },
  { "committed", LEAT_REQUIREMENT_COMMITTED },
};

void
leat_requirement_free (LeatRequirement *self)
{
  g_free (self->text);
  g_free (self->name);
  g_free (self);
}

static gboolean
leat_requirement_refuse (const char *text, GError **error)
{
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "--require=%s: expected resident-not-slower, all-cases, committed, case=NAME, or rows, speedup or a "
               "column of numbers with >=N or <=N, as in speedup>=3",
               text);
  return FALSE;
}

static gboolean
leat_requirement_find_kind (LeatRequirement *self)
{
  const LeatEvidenceColumn *column = leat_evidence_find_column (self->name);

  if (g_str_equal (self->name, "rows"))
    self->kind = LEAT_REQUIREMENT_ROWS;
  else if (g_str_equal (self->name, "speedup"))
    self->kind = LEAT_REQUIREMENT_SPEEDUP;
  else if (column != NULL && column->kind != LEAT_EVIDENCE_TEXT)
    self->kind = LEAT_REQUIREMENT_COLUMN;
  else
    return FALSE;
  return TRUE;
}

static gboolean
leat_requirement_parse_limit (LeatRequirement *self, GError **error)
{
  const char *sign = strpbrk (self->text, "<>");
  char *end = NULL;

  if (sign == NULL || sign[1] != '=' || !g_ascii_isdigit (sign[2]))
    return leat_requirement_refuse (self->text, error);
  self->name = g_strndup (self->text, (gsize) (sign - self->text));
  self->at_most = *sign == '<';
  self->number = g_ascii_strtod (sign + 2, &end);
  return (*end == '\0' && leat_requirement_find_kind (self)) || leat_requirement_refuse (self->text, error);
}

LeatRequirement *
leat_requirement_parse (const char *text, GError **error)
{
  g_autoptr (LeatRequirement) self = g_new0 (LeatRequirement, 1);

  self->text = g_strdup (text);
  for (guint i = 0; i < G_N_ELEMENTS (leat_requirement_words); i++)
    if (g_str_equal (text, leat_requirement_words[i].name))
      {
        self->kind = leat_requirement_words[i].kind;
        return g_steal_pointer (&self);
      }
  if (g_str_has_prefix (text, "case=") && text[strlen ("case=")] != '\0')
    {
      self->kind = LEAT_REQUIREMENT_CASE;
      self->name = g_strdup (text + strlen ("case="));
      return g_steal_pointer (&self);
    }
  return leat_requirement_parse_limit (self, error) ? g_steal_pointer (&self) : NULL;
}

static guint
leat_requirement_count_rows (const GPtrArray *rows, const char *name)
{
  guint n = 0;

  for (guint i = 0; i < rows->len; i++)
    n += g_str_equal (((const LeatEvidence *) g_ptr_array_index (rows, i))->name, name);
  return n;
}

static void
leat_requirement_check_case (const GPtrArray *rows, const char *name, GPtrArray *faults)
{
  if (leat_requirement_count_rows (rows, name) == 0)
    leat_evidence_add_fault (faults, 0, 0, "there is no row of the case \"%s\"", name);
}

static gboolean
leat_requirement_is_broken (const LeatRequirement *self, double number)
{
  return self->at_most ? number > self->number : number < self->number;
}

static void
leat_requirement_check_limit (const LeatRequirement *self, const LeatEvidence *row, const char *column, double number,
                              GPtrArray *faults)
{
  if (leat_requirement_is_broken (self, number))
    leat_evidence_blame (faults, row, column, "%s is required, and it is %.12g", self->text, number);
}

static void
leat_requirement_check_row (const LeatRequirement *self, const LeatEvidence *row, const GPtrArray *rows,
                            GPtrArray *faults)
{
  switch (self->kind)
    {
    case LEAT_REQUIREMENT_NOT_SLOWER:
      if (row->resident.median_us > row->host.median_us)
        leat_evidence_blame (faults, row, "resident-median-us", "%.3f, and orchestrated from the host %.3f",
                             row->resident.median_us, row->host.median_us);
      break;
    case LEAT_REQUIREMENT_COMMITTED:
      if (g_str_has_suffix (row->commit, "-dirty") || g_str_equal (row->commit, "unknown"))
        leat_evidence_blame (faults, row, "commit", "\"%s\" is nothing that others can build", row->commit);
      break;
    case LEAT_REQUIREMENT_ROWS:
      leat_requirement_check_limit (self, row, "case", leat_requirement_count_rows (rows, row->name), faults);
      break;
    case LEAT_REQUIREMENT_SPEEDUP:
      leat_requirement_check_limit (self, row, "resident-median-us", leat_evidence_get_speedup (row), faults);
      break;
    case LEAT_REQUIREMENT_COLUMN:
      leat_requirement_check_limit (self, row, self->name,
                                    leat_evidence_get_number (row, leat_evidence_find_column (self->name)), faults);
      break;
    case LEAT_REQUIREMENT_ALL_CASES:
    case LEAT_REQUIREMENT_CASE:
      break;
    }
}

void
leat_requirement_check (const LeatRequirement *self, const GPtrArray *rows, const char *const *names, GPtrArray *faults)
{
  if (self->kind == LEAT_REQUIREMENT_CASE)
    leat_requirement_check_case (rows, self->name, faults);
  for (guint i = 0; self->kind == LEAT_REQUIREMENT_ALL_CASES && names != NULL && names[i] != NULL; i++)
    leat_requirement_check_case (rows, names[i], faults);
  for (guint i = 0; i < rows->len; i++)
    leat_requirement_check_row (self, g_ptr_array_index (rows, i), rows, faults);
}
