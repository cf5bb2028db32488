/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-image-private.h"
#include "leat-supply.h"

G_BEGIN_DECLS

/* An artifact that is open gives what otherwise lies on disk or is compiled: files, images, and what was learned.  One
 * that is made takes note of the same as it is used.  This is the seam: artifact/ and tools fill the two tables. */

typedef struct
{
  /* What @path stands for where @base is the folder that it was written in: a path within an artifact that has it, else
   * one on disk.  NULL: the artifact has no say in it. (transfer full) (nullable) */
  char *(*resolve) (const char *base, const char *path);
  /* @bytes: (out) (optional) (transfer full). Returns another number where the contents are others; 0: it has none */
  guint64 (*find_file) (const char *path, GBytes **bytes);
  /* @is_known: (out): it is no use to look elsewhere, and what is returned is NULL with an error.
   * (transfer full) (nullable) */
  GBytes *(*find_image) (LeatKernelSource *source, const LeatImageTarget *target, gboolean *is_known, GError **error);
  /* What an open artifact has to offer instead, for who has neither image nor compiler. (transfer full) (nullable) */
  char *(*dup_image_advice) (const LeatImageTarget *target);
  /* @name: "learned/0123.ini" (transfer full) (nullable) */
  GBytes *(*find_learned) (const char *name);
} LeatSupply;

typedef struct
{
  void (*take_file) (const char *path);
  /* @image: (nullable): NULL: it does not compile */
  void (*take_image) (LeatKernelSource *source, const LeatImageTarget *target, GBytes *image);
  /* Will the variable have another value when the artifact is used? */
  gboolean (*is_open) (const char *variable);
  /* The value of an open variable is the path of a file: no part of the artifact. */
  void (*leave_file) (const char *path);
  /* A file below the folder of findings that was asked for, there or not. */
  void (*take_learned) (const char *name, const char *path);
} LeatSupplyTaker;

/* For the rest of the process.  Tables stay where they are. */
void leat_supply_set (const LeatSupply *supply);
void leat_supply_set_taker (const LeatSupplyTaker *taker);
/* NULL while no artifact is open, or none is made. */
const LeatSupply *leat_supply_get (void);
const LeatSupplyTaker *leat_supply_get_taker (void);

/* A descriptor of a file without a name that has these bytes, at its beginning; -1 with errno. */
int leat_supply_make_file (gconstpointer data, gsize size);
/* A regular file, within an artifact or on disk. */
gboolean leat_supply_has (const char *path);
/* g_file_get_contents () */
gboolean leat_supply_get_contents (const char *path, char **data, gsize *size, GError **error);
/* The beginning of a regular file; how much that is. */
gsize leat_supply_peek (const char *path, gpointer to, gsize size);
/* Of one within an artifact; 0 for others. */
guint64 leat_supply_identify (const char *path);
/* @path where nobody has a say in it. (transfer full) */
char *leat_supply_resolve (const char *base, const char *path);

G_END_DECLS
