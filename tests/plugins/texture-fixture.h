/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

typedef struct
{
  const char *port, *spec;
  GBytes *data;
} TextureInput;

/* One run of `f` in @text, as a node with @node behind its source, on the device that LEAT_DEVICE names. */
void texture_run (const char *text, const char *node, const TextureInput *inputs, guint n_inputs, const char *output,
                  GBytes **found);
/* The pipeline of that; the inputs are `app` nodes called in_PORT, the output is `result`.  NULL with an error where it
 * cannot be planned. */
LeatPipeline *texture_make_pipeline (const char *text, const char *node, const TextureInput *inputs, guint n_inputs,
                                     const char *output, GError **error);
void texture_push (LeatPipeline *pipeline, const TextureInput *input);

/* @n random numbers of a type, and what they are.  Floats of 32 bits are small, or @is_wild: of any size and sort. */
GBytes *texture_make_data (const char *dtype, gsize n, gboolean is_wild, double *values);
double texture_read (const char *dtype, gconstpointer at);
guint texture_dtype_get_size (const char *dtype);
/* "float4" */
char *texture_dup_type (const char *dtype, guint channels);

G_END_DECLS
