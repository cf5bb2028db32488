/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The left margins of bodies that are open, and which of them a line belongs to. */

#include "leat-margins-private.h"

#include <string.h>

typedef struct
{
  const char *text; /* NULL until the first statement is met */
  gsize length;
} LeatMargin;

struct _LeatMargins
{
  GArray *stack; /* LeatMargin */
};

typedef enum
{
  LEAT_MARGIN_LEFT,
  LEAT_MARGIN_AT,
  LEAT_MARGIN_RIGHT,
  LEAT_MARGIN_ASIDE,
} LeatMarginSide;

/* Where @line is, seen from @self. */
static LeatMarginSide
leat_margin_compare (const LeatMargin *self, const LeatMargin *line)
{
  if (memcmp (self->text, line->text, MIN (self->length, line->length)) != 0)
    return LEAT_MARGIN_ASIDE;
  if (self->length == line->length)
    return LEAT_MARGIN_AT;
  return line->length > self->length ? LEAT_MARGIN_RIGHT : LEAT_MARGIN_LEFT;
}

static LeatMargin *
leat_margins_peek (const LeatMargins *self, guint from_top)
{
  return &g_array_index (self->stack, LeatMargin, self->stack->len - 1 - from_top);
}

/* Of the statement that holds the innermost body; bodies that are opened and not ended on one line, which is a fault,
 * have no margin yet. */
static const LeatMargin *
leat_margins_peek_outer (const LeatMargins *self)
{
  guint from_top = 1;

  while (leat_margins_peek (self, from_top)->text == NULL)
    from_top++;
  return leat_margins_peek (self, from_top);
}

LeatMargins *
leat_margins_new (void)
{
  LeatMargins *self = g_new0 (LeatMargins, 1);
  LeatMargin file = { "", 0 };

  self->stack = g_array_new (FALSE, FALSE, sizeof (LeatMargin));
  g_array_append_val (self->stack, file);
  return self;
}

void
leat_margins_free (LeatMargins *self)
{
  g_array_unref (self->stack);
  g_free (self);
}

guint
leat_margins_get_depth (const LeatMargins *self)
{
  return self->stack->len - 1;
}

gboolean
leat_margins_has_begun (const LeatMargins *self)
{
  return leat_margins_peek (self, 0)->text != NULL;
}

void
leat_margins_open (LeatMargins *self)
{
  LeatMargin unknown = { NULL, 0 };

  g_array_append_val (self->stack, unknown);
}

void
leat_margins_close (LeatMargins *self)
{
  g_array_set_size (self->stack, self->stack->len - 1);
}

static LeatPlace
leat_margins_place_first (LeatMargins *self, const LeatMargin *line)
{
  LeatMarginSide side = leat_margin_compare (leat_margins_peek_outer (self), line);

  *leat_margins_peek (self, 0) = *line;
  if (side == LEAT_MARGIN_ASIDE)
    return LEAT_PLACE_OTHER_BLANKS;
  return side == LEAT_MARGIN_RIGHT ? LEAT_PLACE_STATEMENT : LEAT_PLACE_NOT_DEEPER;
}

LeatPlace
leat_margins_place (LeatMargins *self, const char *text, gsize length)
{
  const LeatMargin line = { text, length };

  if (!leat_margins_has_begun (self))
    return leat_margins_place_first (self, &line);
  switch (leat_margin_compare (leat_margins_peek (self, 0), &line))
    {
    case LEAT_MARGIN_AT:
      return LEAT_PLACE_STATEMENT;
    case LEAT_MARGIN_RIGHT:
      return LEAT_PLACE_CONTINUES;
    case LEAT_MARGIN_ASIDE:
      return LEAT_PLACE_OTHER_BLANKS;
    default:
      break;
    }
  return leat_margin_compare (leat_margins_peek_outer (self), &line) == LEAT_MARGIN_RIGHT ? LEAT_PLACE_SHALLOW
                                                                                          : LEAT_PLACE_OUTSIDE;
}
