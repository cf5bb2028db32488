/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-source-private.h"
#include "leat-kernel-transform-private.h"
#include "leat-kernel-unit-private.h"

G_BEGIN_DECLS

struct _LeatKernelSource
{
  gatomicrefcount refs;
  char *name;
  char *instance; /* (nullable): of a template, that the text has as a kernel */
  LeatFloatFlags floats;
  GBytes *image; /* (nullable): its kernels came compiled, and the text has their prototypes alone */
  LeatKernelText *text;
  LeatKernelTexts *users; /* (nullable): the user's files, where the text was made of theirs */
  LeatKernelUnit *unit;
  GPtrArray *kernels;         /* LeatDecl, in the order of the file */
  LeatPrototype **prototypes; /* in step; NULL until asked for */
  LeatKernelCalls *calls;     /* NULL until the first of them */
  GPtrArray *launched;        /* char*: instances of templates that the file launches itself */
  GPtrArray *warnings;        /* NULL until asked for: to find them costs as much as all the rest */
  GHashTable *entry_warnings; /* of those entries that were asked for: name -> strv */
  GMutex lock;                /* the two texts, the prototypes and the warnings */
  char *host_text;
  char *cuda_text;
  LeatKernelTarget target;
  gboolean is_part;      /* of a source, for another target */
  LeatKernelMaker maker; /* (nullable): of the text; NULL where files are all */
  gpointer maker_data;
  GDestroyNotify maker_free;
  GMutex parts_lock; /* taken with the other held, and never the other way */
  GPtrArray *parts;  /* LeatKernelSource */
};

LeatKernelSource *leat_kernel_source_new_empty (const char *name);
/* Of self->text. */
gboolean leat_kernel_source_read_unit (LeatKernelSource *self, GError **error);
/* leat-kernel-place.c: the files of a source whose text was made of that of @from are those of @from. */
void leat_kernel_source_take_places (LeatKernelSource *self, LeatKernelSource *from);

/* leat-kernel-target.c */
/* The source itself, and what it is for the devices that analysis looks at: where one of them may not, none may.
 * @lanes: for many lanes in one launch. (transfer container) */
GPtrArray *leat_kernel_source_list_parts (LeatKernelSource *self, gboolean lanes);
void leat_kernel_source_note_reporting (LeatKernelSource *self);

G_END_DECLS
