/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The left margins of the bodies that are open in a file's text, outermost first: what a line's blanks say about where
 * it belongs.  The file itself is the outermost; its margin has no blanks.  Blanks are compared as written, so that no
 * width of a tab is taken for granted. */
typedef struct _LeatMargins LeatMargins;

typedef enum
{
  LEAT_PLACE_STATEMENT,   /* at the margin: begins a statement */
  LEAT_PLACE_CONTINUES,   /* deeper: goes on with the statement above it */
  LEAT_PLACE_SHALLOW,     /* left of the margin, yet right of the statement that holds the body */
  LEAT_PLACE_OUTSIDE,     /* not right of that statement: the body has no end */
  LEAT_PLACE_NOT_DEEPER,  /* the first of its body, and not right of the statement that holds it */
  LEAT_PLACE_OTHER_BLANKS /* neither's blanks begin with the other's */
} LeatPlace;

LeatMargins *leat_margins_new (void);
void leat_margins_free (LeatMargins *self);
/* How many bodies are open. */
guint leat_margins_get_depth (const LeatMargins *self);
/* A line was placed in the innermost body. */
gboolean leat_margins_has_begun (const LeatMargins *self);
void leat_margins_open (LeatMargins *self);
void leat_margins_close (LeatMargins *self);
/* Where a line with the blanks @text before it belongs.  The first of a body sets its margin, whatever is said of it;
 * @text is then kept, not copied. */
LeatPlace leat_margins_place (LeatMargins *self, const char *text, gsize length);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatMargins, leat_margins_free)

G_END_DECLS
