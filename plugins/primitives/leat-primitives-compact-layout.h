/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* The facts of one `compact` that its kernel's text follows from. */

typedef enum
{
  LEAT_COMPACT_BY_WHERE,
  LEAT_COMPACT_BY_FLAGS,
  LEAT_COMPACT_BY_BITS,
} LeatCompactBy;

/* Rows that come in; where they are kept, those that go out at the port `output`. */
typedef struct
{
  char *name;
  char *output; /* NULL: it is only looked at */
  gboolean looked_at;
  LeatDtype dtype;
  guint64 row_bytes;
} LeatCompactColumn;

typedef struct
{
  LeatCompactBy by;
  GPtrArray *columns; /* LeatCompactColumn */
  char *numbers;      /* the port for the rows' numbers; NULL: none */
  guint number_bytes;
  char *predicate; /* C, of the names of columns and of @args */
  char **args;
  const char *arg_type; /* in C */
  gboolean bounded;
  gboolean in_place;
  gboolean truncates;
  guint64 most; /* rows that may come */

  /* leat_compact_layout_choose () */
  gboolean stages_items; /* else the numbers of rows */
  guint threads, pack, runs;
  gboolean few;  /* kernels/compact-few.cu */
  guint cluster; /* then: of so many blocks; 1 where they make none */
} LeatCompactLayout;

LeatCompactLayout *leat_compact_layout_new (void);
void leat_compact_layout_free (LeatCompactLayout *self);
LeatCompactColumn *leat_compact_layout_add (LeatCompactLayout *self, const char *name);
LeatCompactColumn *leat_compact_layout_get (const LeatCompactLayout *self, guint index);

/* How rows are shared out, from what they are. */
void leat_compact_layout_choose (LeatCompactLayout *self);
guint64 leat_compact_layout_get_tile (const LeatCompactLayout *self);
guint64 leat_compact_layout_get_tiles (const LeatCompactLayout *self);
/* Not more than @most, where one may do several tiles. */
guint leat_compact_layout_get_blocks (const LeatCompactLayout *self, guint most);
guint leat_compact_layout_get_shared_bytes (const LeatCompactLayout *self);
/* Of one of the two sets in the kernel's control words, and of all of these. */
guint64 leat_compact_layout_get_set_words (const LeatCompactLayout *self);
guint64 leat_compact_layout_get_control_bytes (const LeatCompactLayout *self);

/* The widest type that rows of so many bytes are made of. */
const char *leat_compact_get_word (guint64 row_bytes, guint64 *words);

/* The kernel `compact`.  Its parameters: the columns; the count of each, or of the first alone where they are not
 * bounded; the arguments; for each output its rows and their count; for how many rows there is room; the control words
 * and how many of them make a set. (transfer full) */
char *leat_compact_layout_write (const LeatCompactLayout *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatCompactLayout, leat_compact_layout_free)

G_END_DECLS
