/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define LEAT_CSR_CALL_MOST 32

/* The one launch that a node of this plugin makes, put together parameter by parameter: as many blocks as run at once,
 * which wait for each other. */
typedef struct
{
  LeatRecorder *recorder;
  LeatArg args[LEAT_CSR_CALL_MOST];
  guint64 values[LEAT_CSR_CALL_MOST];
  LeatBufferId buffers[LEAT_CSR_CALL_MOST];
  LeatAccess access[LEAT_CSR_CALL_MOST];
  guint n_args, n_buffers;
} LeatCsrCall;

/* The items of a buffer. */
void leat_csr_call_add (LeatCsrCall *self, LeatBufferId buffer, LeatAccess access);
/* Memory that nobody else sees. */
void leat_csr_call_add_scratch (LeatCsrCall *self, const char *name, guint64 bytes);
/* The same, all zeros when a run begins. */
void leat_csr_call_add_zeros (LeatCsrCall *self, const char *name, guint64 bytes);
/* An output where it is linked, else scratch. */
void leat_csr_call_add_output (LeatCsrCall *self, LeatNode *node, const char *port, guint64 bytes);
/* The times that searches took, by their limits (kernels/tune.cu).  They are kept from run to run and from session to
 * session where it @tunes; else this is memory that nobody looks at. */
void leat_csr_call_add_tuning (LeatCsrCall *self, gboolean tunes);
/* A bounded output's items, and the count that the kernel sets. */
void leat_csr_call_add_series (LeatCsrCall *self, LeatNode *node, const char *port, guint64 bytes);
/* How many items of an input that was added are live. */
void leat_csr_call_add_count (LeatCsrCall *self, LeatBufferId buffer);
/* A parameter `uint64_t`. */
void leat_csr_call_add_number (LeatCsrCall *self, guint64 number);
/* The same, of a time in seconds: in nanoseconds, 0 for no limit. */
void leat_csr_call_add_budget (LeatCsrCall *self, double seconds);
void leat_csr_call_finish (LeatCsrCall *self, LeatKernelSource *source, const char *entry, guint threads);

/* @head, then the texts of @files, a list that ends with NULL. (nullable) */
LeatKernelSource *leat_csr_source_new (const char *head, const char *const *files, GError **error);

G_END_DECLS
