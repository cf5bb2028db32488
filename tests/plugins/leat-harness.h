/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* One node at a time, without a device: a pipeline is planned, so that specs are negotiated, and the harness makes the
 * calls on the node's class that a session would. */
typedef struct
{
  LeatPipeline *pipeline;
  LeatEndpoint *node; /* the one under test */
  LeatPlan *plan;
  GByteArray *memory; /* of one run */
} LeatHarness;

/* A source of kind @id, linked to `discard`; a sink, fed by an `app` that gives @spec.  @first: name=value and so on,
 * ended by NULL. */
void leat_harness_init_source (LeatHarness *self, const char *id, const char *first, ...) G_GNUC_NULL_TERMINATED;
void leat_harness_init_sink (LeatHarness *self, const char *id, const char *spec, const char *first,
                             ...) G_GNUC_NULL_TERMINATED;
void leat_harness_clear (LeatHarness *self);
void leat_harness_set (LeatNode *node, const char *name, const char *value);

gboolean leat_harness_plan (LeatHarness *self, GError **error);
/* Plans and starts; both must work. */
void leat_harness_start (LeatHarness *self);
char *leat_harness_dup_spec (LeatHarness *self);

/* One run.  The bytes of @self->memory that are live are what came. */
LeatFlow leat_harness_fill (LeatHarness *self, gboolean wait, GError **error);
/* The same in two steps, into memory of the caller's, which has room for a run: @count is what came. */
gboolean leat_harness_begin (LeatHarness *self, gpointer to);
LeatFlow leat_harness_complete (LeatHarness *self, gpointer to, guint64 *count, GError **error);
gboolean leat_harness_drain (LeatHarness *self, gconstpointer data, gsize size, GError **error);
gboolean leat_harness_finish (LeatHarness *self, GError **error);
void leat_harness_stop (LeatHarness *self);

/* A folder that is gone with its contents when the program ends. */
char *leat_harness_dup_path (const char *name);
void leat_harness_write_file (const char *path, gconstpointer data, gsize size);
void leat_harness_assert_file (const char *path, gconstpointer data, gsize size);
/* The head of an .npy file with such items, which has LEAT_NPY_HEADER_BYTES. */
void leat_harness_format_npy (LeatDtype dtype, const guint64 *dims, guint n_dims, guint8 *to);
/* Nothing of a temporary file is left. */
void leat_harness_assert_folder_has (guint n_files);
void leat_harness_remove_files (void);

#define leat_harness_assert_error(error, domain, code, word)                                                           \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    g_assert_error (error, domain, code);                                                                              \
    if (strstr ((error)->message, (word)) == NULL)                                                                     \
      g_error ("\"%s\" does not say \"%s\"", (error)->message, (word));                                                \
    g_clear_error (&(error));                                                                                          \
  }                                                                                                                    \
  G_STMT_END

G_END_DECLS
