/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-csr-graph.h"

G_BEGIN_DECLS

typedef enum
{
  LEAT_CSR_FORMAT_AUTO,
  LEAT_CSR_FORMAT_EDGES,
  LEAT_CSR_FORMAT_MATRIX,
  LEAT_CSR_FORMAT_PACKAGES
} LeatCsrFormat;

typedef enum
{
  LEAT_CSR_DIRECTED,
  LEAT_CSR_UNDIRECTED,
  LEAT_CSR_REVERSED
} LeatCsrDirection;

/* The files to read, and how. */
typedef struct
{
  char *path;                        /* a text, or */
  char *offsets, *indices, *weights; /* .npy files; weights: (nullable) */
  const char *from;                  /* (nullable): a package */
  LeatCsrFormat format;
  LeatCsrDirection direction;
  gboolean dedup;
  guint64 vertices; /* at least */
} LeatCsrFiles;

void leat_csr_files_clear (LeatCsrFiles *self);
/* A graph with sorted rows. @source: the number of @from, else 0; @rounding: weights that f32 does not hold */
LeatCsrGraph *leat_csr_files_read (const LeatCsrFiles *self, guint32 *source, LeatCsrRounding *rounding,
                                   GError **error);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatCsrFiles, leat_csr_files_clear)

G_END_DECLS
