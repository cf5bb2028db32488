/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One row of evidence: its columns, and its line of a CSV file. */

#include "leat-evidence.h"

#include <string.h>

#define TEXT(name, field)                                                                                              \
  {                                                                                                                    \
    name, LEAT_EVIDENCE_TEXT, 0, G_STRUCT_OFFSET (LeatEvidence, field)                                                 \
  }
#define COUNT(name, field)                                                                                             \
  {                                                                                                                    \
    name, LEAT_EVIDENCE_COUNT, 0, G_STRUCT_OFFSET (LeatEvidence, field)                                                \
  }
#define NUMBER(name, decimals, field)                                                                                  \
  {                                                                                                                    \
    name, LEAT_EVIDENCE_NUMBER, decimals, G_STRUCT_OFFSET (LeatEvidence, field)                                        \
  }
#define SIDE(side)                                                                                                     \
  NUMBER (#side "-median-us", 3, side.median_us), NUMBER (#side "-p10-us", 3, side.p10_us),                            \
    NUMBER (#side "-p90-us", 3, side.p90_us), NUMBER (#side "-least-us", 3, side.least_us),                            \
    NUMBER (#side "-most-us", 3, side.most_us), NUMBER (#side "-total-us", 3, side.total_us),                          \
    NUMBER (#side "-setup-us", 3, side.setup_us), COUNT (#side "-uploads", side.uploads),                              \
    COUNT (#side "-readbacks", side.readbacks), COUNT (#side "-allocations", side.allocations),                        \
    COUNT (#side "-launches", side.launches), COUNT (#side "-waits", side.waits),                                      \
    COUNT (#side "-bytes-up", side.bytes_up)

static const LeatEvidenceColumn leat_evidence_columns[] = {
  TEXT ("case", name),
  TEXT ("device", device),
  NUMBER ("compute", 1, compute),
  TEXT ("driver", driver),
  COUNT ("memory-bytes", memory_bytes),
  COUNT ("nodes", nodes),
  COUNT ("edges", edges),
  COUNT ("repetitions", repetitions),
  COUNT ("seed", seed),
  SIDE (host),
  SIDE (resident),
  COUNT ("output-bytes", output_bytes),
  TEXT ("output-sha256", output_sha256),
  TEXT ("outputs", outputs),
  NUMBER ("clock-us", 3, clock_us),
  NUMBER ("delayed-us", 3, delayed_us),
  TEXT ("date", date),
  TEXT ("version", version),
  TEXT ("commit", commit),
};

const LeatEvidenceColumn *
leat_evidence_get_columns (guint *n)
{
  *n = G_N_ELEMENTS (leat_evidence_columns);
  return leat_evidence_columns;
}

const LeatEvidenceColumn *
leat_evidence_find_column (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_evidence_columns); i++)
    if (g_str_equal (leat_evidence_columns[i].name, name))
      return &leat_evidence_columns[i];
  return NULL;
}

void
leat_evidence_free (LeatEvidence *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (leat_evidence_columns); i++)
    if (leat_evidence_columns[i].kind == LEAT_EVIDENCE_TEXT)
      g_free (G_STRUCT_MEMBER (char *, self, leat_evidence_columns[i].offset));
  g_free (self->places);
  g_free (self);
}

double
leat_evidence_get_speedup (const LeatEvidence *self)
{
  return self->resident.median_us > 0 ? self->host.median_us / self->resident.median_us : 0;
}

double
leat_evidence_get_number (const LeatEvidence *self, const LeatEvidenceColumn *column)
{
  if (column->kind == LEAT_EVIDENCE_COUNT)
    return (double) G_STRUCT_MEMBER (guint64, self, column->offset);
  return G_STRUCT_MEMBER (double, self, column->offset);
}

char *
leat_evidence_dup_header (void)
{
  GString *line = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_evidence_columns); i++)
    g_string_append_printf (line, "%s%s", i > 0 ? "," : "", leat_evidence_columns[i].name);
  return g_string_free (g_string_append_c (line, '\n'), FALSE);
}

/* In quotes where it could be taken for more than one field. */
static void
leat_evidence_append_text (GString *line, const char *text)
{
  if (strpbrk (text, ",\"") == NULL)
    {
      g_string_append (line, text);
      return;
    }
  g_string_append_c (line, '"');
  for (; *text != '\0'; text++)
    {
      if (*text == '"')
        g_string_append_c (line, '"');
      g_string_append_c (line, *text);
    }
  g_string_append_c (line, '"');
}

static void
leat_evidence_append_number (GString *line, double number, guint decimals)
{
  char format[8], text[G_ASCII_DTOSTR_BUF_SIZE * 12];

  g_snprintf (format, sizeof format, "%%.%uf", decimals);
  g_string_append (line, g_ascii_formatd (text, sizeof text, format, number));
}

char *
leat_evidence_to_line (const LeatEvidence *self)
{
  GString *line = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (leat_evidence_columns); i++)
    {
      const LeatEvidenceColumn *column = &leat_evidence_columns[i];

      if (i > 0)
        g_string_append_c (line, ',');
      switch (column->kind)
        {
        case LEAT_EVIDENCE_TEXT:
          leat_evidence_append_text (line, G_STRUCT_MEMBER (const char *, self, column->offset));
          break;
        case LEAT_EVIDENCE_COUNT:
          g_string_append_printf (line, "%" G_GUINT64_FORMAT, G_STRUCT_MEMBER (guint64, self, column->offset));
          break;
        case LEAT_EVIDENCE_NUMBER:
          leat_evidence_append_number (line, G_STRUCT_MEMBER (double, self, column->offset), column->decimals);
          break;
        }
    }
  return g_string_free (g_string_append_c (line, '\n'), FALSE);
}
