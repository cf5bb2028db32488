/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A row of a CSV file: a claim that a resident session is faster than an application that orchestrates each step from
 * the host.  It has the times of both sides with the same data, and the driver's calls while the clock ran. */

typedef struct
{
  double median_us, p10_us, p90_us, least_us, most_us;                /* of a run */
  double total_us;                                                    /* of all runs */
  double setup_us;                                                    /* before the first run; in none of the above */
  guint64 uploads, readbacks, allocations, launches, waits, bytes_up; /* in all runs, while the clock ran */
} LeatEvidenceSide;

typedef struct
{
  char *name; /* of the case */
  char *device, *driver;
  double compute; /* capability: 9.0 */
  guint64 memory_bytes;
  guint64 nodes, edges; /* of the pipeline */
  guint64 repetitions;
  guint64 seed; /* of the inputs */
  LeatEvidenceSide host, resident;
  guint64 output_bytes; /* of a run, all of them compared */
  char *output_sha256;  /* of all runs */
  char *outputs;        /* "equal" */
  double clock_us;      /* the least step of the clock */
  double delayed_us;    /* that the measuring thread was ready to run and others had the processors */
  char *date, *version, *commit;
  guint line;    /* where it was read; 0 where it was not */
  guint *places; /* (nullable): of its fields in the line */
} LeatEvidence;

typedef enum
{
  LEAT_EVIDENCE_TEXT,
  LEAT_EVIDENCE_COUNT,
  LEAT_EVIDENCE_NUMBER,
} LeatEvidenceKind;

typedef struct
{
  const char *name;
  LeatEvidenceKind kind;
  guint decimals; /* of a NUMBER */
  gsize offset;   /* in LeatEvidence */
} LeatEvidenceColumn;

#define LEAT_EVIDENCE_EQUAL "equal"

/* In the order of the file. */
const LeatEvidenceColumn *leat_evidence_get_columns (guint *n);
const LeatEvidenceColumn *leat_evidence_find_column (const char *name);
void leat_evidence_free (LeatEvidence *self);
double leat_evidence_get_speedup (const LeatEvidence *self);
double leat_evidence_get_number (const LeatEvidence *self, const LeatEvidenceColumn *column);

/* Both end with a line feed. (transfer full) */
char *leat_evidence_dup_header (void);
char *leat_evidence_to_line (const LeatEvidence *self);

/* Why a row is refused.  Places count from 1; those of the whole file are 0. */
typedef struct
{
  guint line, column;
  char *text;
} LeatEvidenceFault;

/* Rows that are complete; of the others, and of the file, what is wrong goes to @faults.  Any bytes may come.
 * (element-type LeatEvidence) (transfer full) */
GPtrArray *leat_evidence_parse (const char *text, gsize size, GPtrArray *faults);
/* (element-type LeatEvidenceFault) (transfer full) */
GPtrArray *leat_evidence_faults_new (void);
/* @name: the column that is to blame */
void leat_evidence_blame (GPtrArray *faults, const LeatEvidence *row, const char *name, const char *format, ...)
  G_GNUC_PRINTF (4, 5);
void leat_evidence_add_fault (GPtrArray *faults, guint line, guint column, const char *format, ...)
  G_GNUC_PRINTF (4, 5);

/* Checks each row: both sides do the same, nothing else was running, runs are enough, and repeated rows agree. */
void leat_evidence_check (const GPtrArray *rows, GPtrArray *faults);

typedef struct _LeatRequirement LeatRequirement;

/* "resident-not-slower", "all-cases", "committed", "case=NAME", "rows>=N", or a number of rows, "speedup>=3". */
LeatRequirement *leat_requirement_parse (const char *text, GError **error);
void leat_requirement_free (LeatRequirement *self);
/* @names: (nullable): all cases that there are, NULL-terminated */
void leat_requirement_check (const LeatRequirement *self, const GPtrArray *rows, const char *const *names,
                             GPtrArray *faults);

/* The row goes to the end of the file, which begins with the header.  Others may append at the same time; a file that
 * is no such file, or ends within a row, is left as it is. */
gboolean leat_evidence_append (const LeatEvidence *self, const char *path, GError **error);
/* Would it take a row? */
gboolean leat_evidence_check_file (const char *path, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatEvidence, leat_evidence_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatRequirement, leat_requirement_free)

G_END_DECLS
