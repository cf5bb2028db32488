/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-token-private.h"

G_BEGIN_DECLS

/* The forms of a text beside the plain one; see LeatImageTarget. */
typedef enum
{
  LEAT_KERNEL_PLAIN = 0,
  LEAT_KERNEL_TIMED = 1 << 0, /* with kernels that tell when they ran, beside the others */
  LEAT_KERNEL_INDIRECT = 1 << 1,
  LEAT_KERNEL_WIDE = 1 << 2,       /* with kernels for many lanes, in a text of their own for GPUs */
  LEAT_KERNEL_PERSISTENT = 1 << 3, /* with one that stays on the device and has the others as its stages; likewise */
  LEAT_KERNEL_ENCLOSED = 1 << 4,   /* they wait for no other, and let none begin, as in bodies of loops; GPUs alone */
  LEAT_KERNEL_WHOLE = 1 << 5,      /* of a kernel that has a variant in plain C, that alone; CPUs alone */
} LeatKernelForm;

/* The source as it is for a target: itself, where its text does not ask.  It belongs to @self. */
LeatKernelSource *leat_kernel_source_get_for (LeatKernelSource *self, const LeatKernelTarget *target, GError **error);

/* Gives the text of a source for a target, or NULL with an error. (transfer full) */
typedef char *(*LeatKernelMaker) (gpointer data, const LeatKernelTarget *target, GError **error);
/* A source whose text is made for each target that there is a need for. @instance: (nullable): the entry that the text
 * has a kernel more for. @asks: whether it depends on the target at all. @data: (transfer full) */
LeatKernelSource *leat_kernel_source_new_made (const char *name, const char *instance, LeatKernelMaker maker,
                                               gpointer data, GDestroyNotify data_free, guint asks, GError **error);
guint leat_kernel_source_get_asks (LeatKernelSource *self);
/* (nullable): the macros that it was given */
const char *const *leat_kernel_source_get_defines (LeatKernelSource *self);
/* @text: (nullable): NULL for what is in the file @name */
LeatKernelSource *leat_kernel_source_new_full (const char *name, const char *text, const char *const *defines,
                                               GError **error);

/* Results of the source transformation of a file; made when first asked for, owned by the source, safe from any thread.
 * The texts name files by base name only, so that equal kernels in different folders are one image. */

/* C++ for the host: the file, and the table of its entries (leat-host-module.h). */
const char *leat_kernel_source_get_host_text (LeatKernelSource *self, GError **error);
/* The file as it was read, with what it includes: all that the two texts depend on beside `floats`. */
const LeatKernelText *leat_kernel_source_get_text (LeatKernelSource *self);
/* CUDA C for NVRTC. */
const char *leat_kernel_source_get_cuda_text (LeatKernelSource *self, GError **error);
/* The same in other forms. (transfer full) */
char *leat_kernel_source_dup_host_text (LeatKernelSource *self, LeatKernelForm form, GError **error);
char *leat_kernel_source_dup_cuda_text (LeatKernelSource *self, LeatKernelForm form, GError **error);
/* Why the lanes of a batch cannot be one launch of the kernel; static; NULL where they can. */
const char *leat_kernel_source_why_not_wide (LeatKernelSource *self, const char *entry);
/* Why the kernel cannot be a stage of one that stays on the device; static; NULL where it can, and then @stage is its
 * number there. */
const char *leat_kernel_source_why_no_stage (LeatKernelSource *self, const char *entry, guint *stage);
/* Has a kernel of it a variant in plain C? */
gboolean leat_kernel_source_has_variants (LeatKernelSource *self);
/* The source with no other kernel than @entry, for a file of which another kernel does not compile. */
LeatKernelSource *leat_kernel_source_new_only (LeatKernelSource *self, const char *entry, GError **error);
/* The kernels that are templates, with their namespaces; of each, instances are entries. (transfer full) */
char **leat_kernel_source_list_templates (LeatKernelSource *self);
/* Has its file more than one kernel, templates counted? */
gboolean leat_kernel_source_has_others (LeatKernelSource *self);
/* May its kernels leave something in variables for the next launch? */
gboolean leat_kernel_source_keeps_data (LeatKernelSource *self);
/* Why @path cannot be read, with a near name where it is not there; @error is GLib's. */
char *leat_kernel_source_dup_read_fault (const char *path, const GError *error);
/* Do both give the same images? */
gboolean leat_kernel_source_equal (LeatKernelSource *self, LeatKernelSource *other);
/* Between the two this thread looks once whether a file is what it was, and all that it read stays shared: for who
 * makes many nodes.  They do not nest. */
void leat_kernel_source_begin_round (void);
void leat_kernel_source_end_round (void);
/* Their names, as leat_float_flags_parse () takes them. (transfer full) */
char *leat_float_flags_to_string (LeatFloatFlags flags);
/* A code that a file declares for what its kernels report. */
typedef struct
{
  guint code;
  gboolean is_error; /* the run fails */
  char *name;        /* (nullable) */
  char *text;
  guint line;
} LeatReportCode;

/* (transfer none) (array length=n) */
const LeatReportCode *leat_kernel_source_list_reports (LeatKernelSource *self, guint *n);
/* (nullable): NULL where the code is not declared */
const LeatReportCode *leat_kernel_source_find_report (LeatKernelSource *self, guint code);

/* (nullable): of a source whose kernels came compiled (leat-kernel-image.c) */
GBytes *leat_kernel_source_get_image (LeatKernelSource *self);
/* The same for who loads it, or why that cannot be. @is_plain: nothing but the kernels is asked for (transfer full) */
GBytes *leat_kernel_source_take_image (LeatKernelSource *self, gboolean is_host, gboolean is_plain, GError **error);

/* `#line 12 "file"`, without the end of the line. */
void leat_kernel_append_mark (GString *text, guint64 line, const char *file);
/* @text with #line marks that name the user's files as this process finds them, and not by base name. (transfer full)
 */
char *leat_kernel_text_dup_marked (const LeatKernelText *self, const char *text);
/* Puts the user's file names into a compiler's messages (leat-kernel-place.c), and the user's columns where the text
 * that was compiled is known. @compiled: (nullable) */
char *leat_kernel_source_dup_messages (LeatKernelSource *self, const char *messages, const char *compiled);
/* A line on headers in <...> that the kernels may need after all; empty where there are none. */
char *leat_kernel_source_dup_passed (LeatKernelSource *self);

G_END_DECLS
