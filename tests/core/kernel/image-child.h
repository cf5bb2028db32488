/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernel/leat-image-private.h"

/* A process that gets one image, since what the cache folder is and what was said once hold for a whole process. */
typedef struct
{
  char *folder;   /* of the test's own: kernel.cu, cache/ */
  GPtrArray *set; /* NAME, VALUE, ...; a NULL value takes NAME away */
  const char *target;
  gboolean fast;
  const char *fp; /* (nullable): in place of @fast */
} ImageCase;

typedef struct
{
  LeatImageCounts counts;
  char *digest; /* of the image; NULL when there is none */
  char *errors; /* standard error */
} ImageResult;

#define IMAGE_TEXT "__global__ void f (unsigned int *out, int n) { out[threadIdx.x] = n; }\n"

/* To be called first in main: does the work of the child and ends there, in a child. */
void image_child_check (int argc, char **argv);
/* Skips the test where there is no C++ compiler. */
gboolean image_case_init (ImageCase *self);
void image_case_clear (ImageCase *self);
void image_case_set (ImageCase *self, const char *name, const char *value);
void image_case_write (ImageCase *self, const char *name, const char *text);
char *image_case_dup_path (ImageCase *self, const char *name);
/* The only image of the cache. */
char *image_case_dup_entry (ImageCase *self);
guint image_case_count_entries (ImageCase *self);
GSubprocess *image_case_start (ImageCase *self);
void image_case_finish (GSubprocess *child, ImageResult *result);
void image_case_get (ImageCase *self, ImageResult *result);
/* Gets the image and asserts where it came from. */
void image_case_expect (ImageCase *self, guint shipped, guint cached, guint compiled, guint damaged);
void image_result_clear (ImageResult *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (ImageResult, image_result_clear)
