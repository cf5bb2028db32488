/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A list of pipelines: each is a paragraph in the file form, without its first line.  `{f32,f64}` in a word stands for
 * a pipeline with each of these, the same wherever the paragraph has the same words in braces, and a line that begins
 * with `#` says something to people. */

/* (element-type utf8) (transfer full) (nullable) */
GPtrArray *leat_kernelc_list_read (const char *path, GError **error);

G_END_DECLS
