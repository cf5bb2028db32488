/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sets of bytes and the nodes of a regex's tree. */

#include "leat-text-regex-ast.h"

void
leat_regex_set_add_range (LeatRegexSet *self, guint8 first, guint8 last)
{
  for (guint byte = first; byte <= last; byte++)
    leat_regex_set_add (self, (guint8) byte);
}

void
leat_regex_set_invert (LeatRegexSet *self)
{
  for (guint i = 0; i < 4; i++)
    self->bits[i] = ~self->bits[i];
}

void
leat_regex_set_add_all (LeatRegexSet *self, const LeatRegexSet *other)
{
  for (guint i = 0; i < 4; i++)
    self->bits[i] |= other->bits[i];
}

guint
leat_regex_set_count (const LeatRegexSet *self)
{
  guint n = 0;

  for (guint i = 0; i < 4; i++)
    n += (guint) __builtin_popcountll (self->bits[i]);
  return n;
}

void
leat_regex_set_fold (LeatRegexSet *self)
{
  for (guint8 lower = 'a'; lower <= 'z'; lower++)
    {
      guint8 upper = lower - 'a' + 'A';

      if (leat_regex_set_has (self, lower))
        leat_regex_set_add (self, upper);
      else if (leat_regex_set_has (self, upper))
        leat_regex_set_add (self, lower);
    }
}

gboolean
leat_regex_is_word (guint8 byte)
{
  return g_ascii_isalnum (byte) || byte == '_';
}

void
leat_regex_node_free (LeatRegexNode *self)
{
  g_clear_pointer (&self->children, g_ptr_array_unref);
  g_free (self->text);
  g_free (self);
}

LeatRegexNode *
leat_regex_node_new (LeatRegexKind kind)
{
  LeatRegexNode *self = g_new0 (LeatRegexNode, 1);

  self->kind = kind;
  return self;
}

void
leat_regex_node_add (LeatRegexNode *self, LeatRegexNode *child)
{
  if (self->children == NULL)
    self->children = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_regex_node_free);
  g_ptr_array_add (self->children, child);
}

LeatRegexNode *
leat_regex_node_new_literal (const guint8 *bytes, gsize length, gboolean fold)
{
  g_autoptr (LeatRegexNode) self = leat_regex_node_new (LEAT_REGEX_CAT);
  g_autofree char *text = g_strndup ((const char *) bytes, length);

  self->text = g_strescape (text, NULL);
  for (gsize i = 0; i < length; i++)
    {
      LeatRegexNode *node = leat_regex_node_new (LEAT_REGEX_SET);

      leat_regex_node_add (self, node);
      leat_regex_set_add (&node->set, bytes[i]);
      if (fold)
        leat_regex_set_fold (&node->set);
      if (bytes[i] == '\n')
        return NULL;
    }
  return g_steal_pointer (&self);
}

/* Repetition multiplies, so sums stop where no line goes on. */
#define LEAT_REGEX_LEAST_END (1u << 24)

guint
leat_regex_node_get_least (const LeatRegexNode *self)
{
  guint64 least = self->kind == LEAT_REGEX_SET ? 1 : 0;

  for (guint i = 0; self->children != NULL && i < self->children->len; i++)
    {
      guint child = leat_regex_node_get_least (g_ptr_array_index (self->children, i));

      if (self->kind == LEAT_REGEX_ALT)
        least = i == 0 ? child : MIN (least, child);
      else if (self->kind == LEAT_REGEX_REPEAT)
        least = (guint64) child * self->least;
      else
        least += child;
    }
  return (guint) MIN (least, LEAT_REGEX_LEAST_END);
}
