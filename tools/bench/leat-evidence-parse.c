/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reads the file of rows.  It takes what leat_evidence_to_line () writes, and the same from a spreadsheet: fields in
 * quotes, and lines that end with CR LF. */

#include "leat-evidence.h"

#include <string.h>

#define LEAT_EVIDENCE_MOST_FIELDS 256
#define MOST_NUMBER               1e15 /* that thousandths are exact of */

typedef struct
{
  char *text;
  guint column;
} LeatEvidenceField;

typedef struct
{
  const char *at, *end;
  const char *begin; /* of the line */
  guint line;
  GArray *fields; /* LeatEvidenceField */
  GPtrArray *faults;
} LeatEvidenceParser;

static void
leat_evidence_field_clear (gpointer field)
{
  g_free (((LeatEvidenceField *) field)->text);
}

static void
leat_evidence_fault_free (gpointer fault)
{
  g_free (((LeatEvidenceFault *) fault)->text);
  g_free (fault);
}

GPtrArray *
leat_evidence_faults_new (void)
{
  return g_ptr_array_new_with_free_func (leat_evidence_fault_free);
}

void
leat_evidence_add_fault (GPtrArray *faults, guint line, guint column, const char *format, ...)
{
  LeatEvidenceFault *fault = g_new0 (LeatEvidenceFault, 1);
  va_list args;

  va_start (args, format);
  *fault = (LeatEvidenceFault){ line, column, g_strdup_vprintf (format, args) };
  va_end (args);
  g_ptr_array_add (faults, fault);
}

void
leat_evidence_blame (GPtrArray *faults, const LeatEvidence *row, const char *name, const char *format, ...)
{
  const LeatEvidenceColumn *column = leat_evidence_find_column (name);
  g_autofree char *text = NULL;
  guint n, index = (guint) (column - leat_evidence_get_columns (&n));
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  leat_evidence_add_fault (faults, row->line, row->places != NULL ? row->places[index] : 0, "%s: %s", name, text);
}

static guint
leat_evidence_parser_get_column (const LeatEvidenceParser *self)
{
  return 1 + (guint) (self->at - self->begin);
}

/* FALSE at a quote that does not end, or behind whose end something stands. */
static gboolean
leat_evidence_parser_take_quoted (LeatEvidenceParser *self, GString *text)
{
  for (self->at++; self->at < self->end && *self->at != '\n'; self->at++)
    {
      if (*self->at != '"')
        {
          g_string_append_c (text, *self->at);
          continue;
        }
      self->at++;
      if (self->at == self->end || strchr (",\r\n", *self->at) != NULL)
        return TRUE;
      if (*self->at != '"')
        return FALSE;
      g_string_append_c (text, '"');
    }
  return FALSE;
}

static gboolean
leat_evidence_parser_take_field (LeatEvidenceParser *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LeatEvidenceField field = { .column = leat_evidence_parser_get_column (self) };
  gboolean good = TRUE;

  if (self->at < self->end && *self->at == '"')
    good = leat_evidence_parser_take_quoted (self, text);
  else
    for (; self->at < self->end && *self->at != ',' && *self->at != '\n'; self->at++)
      g_string_append_c (text, *self->at);
  if (!good)
    leat_evidence_add_fault (self->faults, self->line, field.column, "a quote that does not end with its field");
  else if (self->fields->len >= LEAT_EVIDENCE_MOST_FIELDS)
    leat_evidence_add_fault (self->faults, self->line, field.column, "more fields than any row has");
  if (!good || self->fields->len >= LEAT_EVIDENCE_MOST_FIELDS)
    return FALSE;
  field.text = g_strndup (text->str, text->len);
  g_array_append_val (self->fields, field);
  return TRUE;
}

static void
leat_evidence_parser_skip_line (LeatEvidenceParser *self)
{
  const char *feed = memchr (self->at, '\n', (gsize) (self->end - self->at));

  self->at = feed != NULL ? feed + 1 : self->end;
}

/* The fields of one line; FALSE where it is none.  Goes behind it in any case. */
static gboolean
leat_evidence_parser_take_line (LeatEvidenceParser *self)
{
  const char *feed = memchr (self->at, '\n', (gsize) (self->end - self->at)), *whole_end = self->end;
  gboolean good = TRUE;

  self->line++;
  self->begin = self->at;
  g_array_set_size (self->fields, 0);
  if (feed == NULL)
    {
      leat_evidence_add_fault (self->faults, self->line, 1, "ends within a row: whoever wrote it was interrupted");
      self->at = self->end;
      return FALSE;
    }
  self->end = feed > self->at && feed[-1] == '\r' ? feed - 1 : feed;
  for (gboolean more = TRUE; good && more;)
    {
      good = leat_evidence_parser_take_field (self);
      more = good && self->at < self->end && *self->at == ',';
      self->at += more;
    }
  self->end = whole_end;
  self->at = feed;
  leat_evidence_parser_skip_line (self);
  return good;
}

/* Bytes that no row can have make a place in it hard to tell, so they are looked for first. */
static gboolean
leat_evidence_parser_check_bytes (LeatEvidenceParser *self, const char *text, gsize size)
{
  const char *wrong = NULL;
  guint line = 1;
  const char *begin = text;

  if (g_utf8_validate_len (text, size, &wrong))
    for (wrong = text; wrong < text + size; wrong++)
      if ((guchar) *wrong < ' ' && *wrong != '\n' && !(*wrong == '\r' && wrong + 1 < text + size && wrong[1] == '\n'))
        break;
  if (wrong == text + size)
    return TRUE;
  for (const char *at = text; at < wrong; at++)
    if (*at == '\n')
      {
        line++;
        begin = at + 1;
      }
  leat_evidence_add_fault (self->faults, line, 1 + (guint) (wrong - begin), "is no text");
  return FALSE;
}

static gboolean
leat_evidence_parser_check_header (LeatEvidenceParser *self)
{
  guint n;
  const LeatEvidenceColumn *columns = leat_evidence_get_columns (&n);

  if (!leat_evidence_parser_take_line (self))
    return FALSE;
  for (guint i = 0; i < MAX (n, self->fields->len); i++)
    {
      const LeatEvidenceField *field =
        i < self->fields->len ? &g_array_index (self->fields, LeatEvidenceField, i) : NULL;

      if (field == NULL)
        leat_evidence_add_fault (self->faults, 1, g_array_index (self->fields, LeatEvidenceField, i - 1).column,
                                 "the column \"%s\" is missing behind this one", columns[i].name);
      else if (i >= n)
        leat_evidence_add_fault (self->faults, 1, field->column, "there is no column \"%s\"", field->text);
      else if (!g_str_equal (field->text, columns[i].name))
        leat_evidence_add_fault (self->faults, 1, field->column, "column \"%s\" where \"%s\" belongs", field->text,
                                 columns[i].name);
      else
        continue;
      return FALSE;
    }
  return TRUE;
}

/* Digits, and a point with digits where @decimals: the end of them. */
static const char *
leat_evidence_skip_number (const char *text, gboolean decimals)
{
  const char *at = text;

  while (g_ascii_isdigit (*at))
    at++;
  if (!decimals || at == text || *at != '.' || !g_ascii_isdigit (at[1]))
    return at;
  for (at++; g_ascii_isdigit (*at);)
    at++;
  return at;
}

static const char *
leat_evidence_get_unit (const LeatEvidenceColumn *column)
{
  if (g_str_has_suffix (column->name, "-us"))
    return "us";
  return strstr (column->name, "bytes") != NULL ? "bytes" : "1";
}

static gboolean
leat_evidence_parser_refuse (LeatEvidenceParser *self, const LeatEvidenceField *field, const LeatEvidenceColumn *column,
                             const char *why)
{
  leat_evidence_add_fault (self->faults, self->line, field->column, "%s: \"%s\" %s", column->name, field->text, why);
  return FALSE;
}

static gboolean
leat_evidence_parser_read_number (LeatEvidenceParser *self, const LeatEvidenceField *field,
                                  const LeatEvidenceColumn *column, LeatEvidence *row)
{
  gboolean count = column->kind == LEAT_EVIDENCE_COUNT;
  const char *end = leat_evidence_skip_number (field->text, !count);
  g_autofree char *unit = NULL;

  if (*field->text == '-' && g_ascii_isdigit (field->text[1]))
    return leat_evidence_parser_refuse (self, field, column, "is negative");
  if (end == field->text)
    return leat_evidence_parser_refuse (self, field, column, "is no number");
  if (*end != '\0')
    {
      unit = g_strdup_printf ("has \"%s\" behind the number; its unit is %s, and is not written", end,
                              leat_evidence_get_unit (column));
      return leat_evidence_parser_refuse (self, field, column, unit);
    }
  if (!count)
    {
      G_STRUCT_MEMBER (double, row, column->offset) = g_ascii_strtod (field->text, NULL);
      return G_STRUCT_MEMBER (double, row, column->offset) < MOST_NUMBER
             || leat_evidence_parser_refuse (self, field, column, "is beyond any measure");
    }
  return g_ascii_string_to_unsigned (field->text, 10, 0, G_MAXUINT64, &G_STRUCT_MEMBER (guint64, row, column->offset),
                                     NULL)
         || leat_evidence_parser_refuse (self, field, column, "is beyond any measure");
}

static gboolean
leat_evidence_parser_read_date (LeatEvidenceParser *self, const LeatEvidenceField *field,
                                const LeatEvidenceColumn *column)
{
  g_autoptr (GDateTime) date = g_date_time_new_from_iso8601 (field->text, NULL);

  return date != NULL || leat_evidence_parser_refuse (self, field, column, "is no date, such as 2026-11-22T12:00:00Z");
}

static gboolean
leat_evidence_parser_read_field (LeatEvidenceParser *self, const LeatEvidenceField *field,
                                 const LeatEvidenceColumn *column, LeatEvidence *row)
{
  if (*field->text == '\0')
    {
      leat_evidence_add_fault (self->faults, self->line, field->column, "%s is missing", column->name);
      return FALSE;
    }
  if (column->kind != LEAT_EVIDENCE_TEXT)
    return leat_evidence_parser_read_number (self, field, column, row);
  G_STRUCT_MEMBER (char *, row, column->offset) = g_strdup (field->text);
  return !g_str_equal (column->name, "date") || leat_evidence_parser_read_date (self, field, column);
}

/* (transfer full) (nullable) */
static LeatEvidence *
leat_evidence_parser_read_row (LeatEvidenceParser *self)
{
  guint n;
  const LeatEvidenceColumn *columns = leat_evidence_get_columns (&n);
  g_autoptr (LeatEvidence) row = g_new0 (LeatEvidence, 1);
  gboolean good = TRUE;

  row->line = self->line;
  if (self->fields->len != n)
    {
      leat_evidence_add_fault (self->faults, self->line, 1, "%u fields, and there are %u columns", self->fields->len,
                               n);
      return NULL;
    }
  row->places = g_new0 (guint, n);
  for (guint i = 0; i < n; i++)
    {
      const LeatEvidenceField *field = &g_array_index (self->fields, LeatEvidenceField, i);

      row->places[i] = field->column;
      good = leat_evidence_parser_read_field (self, field, &columns[i], row) && good;
    }
  return good ? g_steal_pointer (&row) : NULL;
}

GPtrArray *
leat_evidence_parse (const char *text, gsize size, GPtrArray *faults)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_evidence_free);
  g_autoptr (GArray) fields = g_array_new (FALSE, FALSE, sizeof (LeatEvidenceField));
  LeatEvidenceParser self = { .at = text, .end = text + size, .begin = text, .fields = fields, .faults = faults };
  LeatEvidence *row;

  g_array_set_clear_func (fields, leat_evidence_field_clear);
  if (size == 0)
    leat_evidence_add_fault (faults, 1, 1, "is empty, and a file of evidence begins with the names of its columns");
  if (size == 0 || !leat_evidence_parser_check_bytes (&self, text, size) || !leat_evidence_parser_check_header (&self))
    return rows;
  while (self.at < self.end)
    if (leat_evidence_parser_take_line (&self) && (row = leat_evidence_parser_read_row (&self)) != NULL)
      g_ptr_array_add (rows, row);
  return rows;
}
