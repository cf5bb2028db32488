/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Rows of evidence, checked each by itself and against those before it.  Changes no row: adds to the caller's list of
 * faults. */

#include "leat-evidence.h"

#include <math.h>

#define LEAST_REPETITIONS 64
#define MOST_SPREAD       0.5  /* of the median, from the tenth to the ninetieth percentile */
#define MOST_DELAYED      0.05 /* of all runs */
#define LEAST_STEPS       20   /* of the clock, in the shortest run */
#define ROUNDED_US        0.001

typedef struct
{
  const char *name; /* "host" */
  const LeatEvidenceSide *side;
} LeatEvidencePart;

typedef struct
{
  const char *name; /* behind the side's */
  gsize offset;
} LeatEvidenceTerm;

#define TERM(name, field)                                                                                              \
  {                                                                                                                    \
    name, G_STRUCT_OFFSET (LeatEvidenceSide, field)                                                                    \
  }

/* Each is at least the one before. */
static const LeatEvidenceTerm leat_evidence_order[] = { TERM ("least-us", least_us), TERM ("p10-us", p10_us),
                                                        TERM ("median-us", median_us), TERM ("p90-us", p90_us),
                                                        TERM ("most-us", most_us) };

/* An application that orchestrates from the host does each at least once a run, else it is no such application. */
static const LeatEvidenceTerm leat_evidence_at_host[] = {
  TERM ("uploads", uploads),   TERM ("readbacks", readbacks), TERM ("allocations", allocations),
  TERM ("launches", launches), TERM ("waits", waits),         TERM ("bytes-up", bytes_up)
};

static void G_GNUC_PRINTF (5, 6)
  leat_evidence_blame_part (GPtrArray *faults, const LeatEvidence *row, const LeatEvidencePart *part, const char *term,
                            const char *format, ...)
{
  g_autofree char *name = g_strdup_printf ("%s-%s", part->name, term), *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  leat_evidence_blame (faults, row, name, "%s", text);
}

static gboolean
leat_evidence_check_order (const LeatEvidence *row, const LeatEvidencePart *part, GPtrArray *faults)
{
  for (guint i = 1; i < G_N_ELEMENTS (leat_evidence_order); i++)
    {
      double before = G_STRUCT_MEMBER (double, part->side, leat_evidence_order[i - 1].offset);
      double number = G_STRUCT_MEMBER (double, part->side, leat_evidence_order[i].offset);

      if (number >= before)
        continue;
      leat_evidence_blame_part (faults, row, part, leat_evidence_order[i].name, "%.3f, and %s is %.3f", number,
                                leat_evidence_order[i - 1].name, before);
      return FALSE;
    }
  return TRUE;
}

/* Times that were put down in another unit do not add up. */
static gboolean
leat_evidence_check_total (const LeatEvidence *row, const LeatEvidencePart *part, GPtrArray *faults)
{
  const LeatEvidenceSide *side = part->side;
  double n = (double) row->repetitions;

  if (side->total_us >= n * (side->least_us - ROUNDED_US) && side->total_us <= n * (side->most_us + ROUNDED_US))
    return TRUE;
  leat_evidence_blame_part (faults, row, part, "total-us",
                            "%.3f is no sum of %" G_GUINT64_FORMAT " runs of %.3f to %.3f: is one of them in another "
                            "unit?",
                            side->total_us, row->repetitions, side->least_us, side->most_us);
  return FALSE;
}

static void
leat_evidence_check_spread (const LeatEvidence *row, const LeatEvidencePart *part, GPtrArray *faults)
{
  const LeatEvidenceSide *side = part->side;

  if (side->p90_us - side->p10_us > MOST_SPREAD * side->median_us)
    leat_evidence_blame_part (faults, row, part, "p90-us",
                              "polluted: eight of ten runs are up to %.0f %% of the median apart, at most %.0f are "
                              "allowed; something else was running",
                              100 * (side->p90_us - side->p10_us) / side->median_us, 100 * MOST_SPREAD);
}

static void
leat_evidence_check_times (const LeatEvidence *row, const LeatEvidencePart *part, GPtrArray *faults)
{
  const LeatEvidenceSide *side = part->side;

  if (!leat_evidence_check_order (row, part, faults) || !leat_evidence_check_total (row, part, faults))
    return;
  if (side->least_us < LEAST_STEPS * row->clock_us)
    {
      leat_evidence_blame_part (faults, row, part, "least-us",
                                "too small: %.3f is less than %d steps of the clock, which are %.3f", side->least_us,
                                LEAST_STEPS, row->clock_us);
      return;
    }
  if (side->setup_us <= 0)
    leat_evidence_blame_part (faults, row, part, "setup-us", "nothing is set up in no time");
  leat_evidence_check_spread (row, part, faults);
}

static void
leat_evidence_check_resident (const LeatEvidence *row, GPtrArray *faults)
{
  if (row->resident.allocations > 0)
    leat_evidence_blame (faults, row, "resident-allocations",
                         "polluted: %" G_GUINT64_FORMAT " while the clock ran, and a resident session makes none",
                         row->resident.allocations);
  if (row->resident.launches < row->repetitions)
    leat_evidence_blame (faults, row, "resident-launches",
                         "%" G_GUINT64_FORMAT " in %" G_GUINT64_FORMAT " runs: some were not done",
                         row->resident.launches, row->repetitions);
  if (row->resident.waits < row->repetitions)
    leat_evidence_blame (faults, row, "resident-waits",
                         "%" G_GUINT64_FORMAT " in %" G_GUINT64_FORMAT " runs: the end of some was not awaited",
                         row->resident.waits, row->repetitions);
}

static void
leat_evidence_check_host (const LeatEvidence *row, GPtrArray *faults)
{
  const LeatEvidencePart host = { "host", &row->host };

  for (guint i = 0; i < G_N_ELEMENTS (leat_evidence_at_host); i++)
    {
      guint64 count = G_STRUCT_MEMBER (guint64, &row->host, leat_evidence_at_host[i].offset);

      if (count < row->repetitions)
        leat_evidence_blame_part (faults, row, &host, leat_evidence_at_host[i].name,
                                  "%" G_GUINT64_FORMAT " in %" G_GUINT64_FORMAT " runs: not what is compared with",
                                  count, row->repetitions);
    }
}

static gboolean
leat_evidence_is_sha256 (const char *text)
{
  gsize length = (gsize) g_checksum_type_get_length (G_CHECKSUM_SHA256) * 2;

  return strlen (text) == length && strspn (text, "0123456789abcdef") == length;
}

static void
leat_evidence_check_amounts (const LeatEvidence *row, GPtrArray *faults)
{
  if (!g_str_equal (row->outputs, LEAT_EVIDENCE_EQUAL))
    leat_evidence_blame (faults, row, "outputs", "\"%s\": the results are not the same, so there is no claim",
                         row->outputs);
  if (row->output_bytes == 0)
    leat_evidence_blame (faults, row, "output-bytes", "nothing was compared");
  if (!leat_evidence_is_sha256 (row->output_sha256))
    leat_evidence_blame (faults, row, "output-sha256", "\"%s\" is no SHA-256: 64 digits of 0-9 and a-f",
                         row->output_sha256);
  if (row->memory_bytes == 0)
    leat_evidence_blame (faults, row, "memory-bytes", "no device has no memory");
  if (row->nodes == 0)
    leat_evidence_blame (faults, row, "nodes", "too small: there is no pipeline");
  if (row->edges == 0)
    leat_evidence_blame (faults, row, "edges", "too small: nothing flows");
  if (row->repetitions < LEAST_REPETITIONS)
    leat_evidence_blame (faults, row, "repetitions", "too small: %" G_GUINT64_FORMAT ", at least %d are needed",
                         row->repetitions, LEAST_REPETITIONS);
  if (row->clock_us <= 0)
    leat_evidence_blame (faults, row, "clock-us", "no clock has such a step");
  if (row->delayed_us > MOST_DELAYED * (row->host.total_us + row->resident.total_us))
    leat_evidence_blame (faults, row, "delayed-us",
                         "polluted: for %.0f us of %.0f others had the processors, at most %.0f %% are allowed",
                         row->delayed_us, row->host.total_us + row->resident.total_us, 100 * MOST_DELAYED);
}

static void
leat_evidence_check_row (const LeatEvidence *row, GPtrArray *faults)
{
  const LeatEvidencePart parts[] = { { "host", &row->host }, { "resident", &row->resident } };

  leat_evidence_check_amounts (row, faults);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    leat_evidence_check_times (row, &parts[i], faults);
  leat_evidence_check_host (row, faults);
  leat_evidence_check_resident (row, faults);
}

/* Of the same thing on the same device with the same program? */
static gboolean
leat_evidence_repeats (const LeatEvidence *self, const LeatEvidence *other)
{
  return g_str_equal (self->name, other->name) && g_str_equal (self->device, other->device)
         && g_str_equal (self->driver, other->driver) && g_str_equal (self->version, other->version)
         && g_str_equal (self->commit, other->commit);
}

static void
leat_evidence_compare_times (const LeatEvidence *row, const LeatEvidencePart *part, const LeatEvidenceSide *before,
                             guint line, GPtrArray *faults)
{
  const LeatEvidenceSide *side = part->side;
  double apart = fabs (side->median_us - before->median_us);
  double spread = MAX (side->p90_us - side->p10_us, before->p90_us - before->p10_us);

  if (apart > spread)
    leat_evidence_blame_part (faults, row, part, "median-us",
                              "not reproducible: %.3f, and %.3f in line %u; they are %.3f apart, and their runs %.3f",
                              side->median_us, before->median_us, line, apart, spread);
}

static void
leat_evidence_compare (const LeatEvidence *row, const LeatEvidence *before, GPtrArray *faults)
{
  const LeatEvidencePart host = { "host", &row->host }, resident = { "resident", &row->resident };

  if (row->nodes != before->nodes || row->edges != before->edges || row->output_bytes != before->output_bytes)
    {
      leat_evidence_blame (faults, row, "case", "not reproducible: \"%s\" in line %u is another pipeline", row->name,
                           before->line);
      return;
    }
  if (row->seed == before->seed && row->repetitions == before->repetitions
      && !g_str_equal (row->output_sha256, before->output_sha256))
    leat_evidence_blame (faults, row, "output-sha256",
                         "not reproducible: the same inputs gave other results in line %u", before->line);
  leat_evidence_compare_times (row, &host, &before->host, before->line, faults);
  leat_evidence_compare_times (row, &resident, &before->resident, before->line, faults);
}

/* A row is held against the first one that it repeats. */
static void
leat_evidence_check_repeated (const GPtrArray *rows, guint index, GPtrArray *faults)
{
  const LeatEvidence *row = g_ptr_array_index (rows, index);

  for (guint i = 0; i < index; i++)
    if (leat_evidence_repeats (row, g_ptr_array_index (rows, i)))
      {
        leat_evidence_compare (row, g_ptr_array_index (rows, i), faults);
        return;
      }
}

void
leat_evidence_check (const GPtrArray *rows, GPtrArray *faults)
{
  for (guint i = 0; i < rows->len; i++)
    {
      leat_evidence_check_row (g_ptr_array_index (rows, i), faults);
      leat_evidence_check_repeated (rows, i, faults);
    }
}
