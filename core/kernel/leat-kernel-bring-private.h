/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-unit-private.h"

G_BEGIN_DECLS

/* Headers that a kernel's text may name, and that stand before it then: <leat-numbers.h> and its like, and those of the
 * CUDA toolkit, for which there is another text on a CPU. */

/* Is it one of them? */
gboolean leat_kernel_brings (const char *header);
/* The line that stands for its #include in a text behind the preprocessor. (transfer full) */
char *leat_kernel_dup_bring_line (const char *header);
/* Likewise, for those that a host library's header includes: (element-type utf8). */
GPtrArray *leat_kernel_list_along_lines (const char *header);

/* Those that the text names: (element-type utf8). */
GPtrArray *leat_kernel_unit_list_brought (const LeatKernelUnit *unit);
/* Does the text name @header, or one that includes it? */
gboolean leat_kernel_unit_has_brought (const LeatKernelUnit *unit, const char *header);
/* `#include` of each that the text names, for a text that is made of it. (transfer full) */
char *leat_kernel_unit_dup_brought_lines (const LeatKernelUnit *unit);
/* What stands before the text.  With @cuda, of the library's own alone. (transfer full) */
char *leat_kernel_unit_dup_brought_text (const LeatKernelUnit *unit, gboolean cuda);
/* What becomes a part of the text on a CPU, before its own functions are given their threads. (transfer full) */
char *leat_kernel_unit_dup_brought_threads (const LeatKernelUnit *unit);
/* `#include` of each that is the CUDA toolkit's, for NVRTC. (transfer full) */
char *leat_kernel_unit_dup_toolkit_lines (const LeatKernelUnit *unit);

G_END_DECLS
