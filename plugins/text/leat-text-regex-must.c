/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A string is a GArray of guint16: a byte, and in the upper half what is set in the text's byte before comparing. A set
 * of strings is a GPtrArray; NULL stands for "cannot be told".  Strings stop growing at some length: a part of what a
 * line must hold is something that it must hold. */

#include "leat-text-regex-must.h"

#define LEAT_REGEX_MAX_STRING   24
#define LEAT_REGEX_MAX_LETTERS  4
#define LEAT_REGEX_MAX_UNROLLED 8

typedef struct
{
  GPtrArray *exact;  /* all that it matches */
  GPtrArray *must;   /* one of these is in all that it matches */
  GPtrArray *prefix; /* one of these begins all that it matches; NULL with `exact` */
  GPtrArray *suffix; /* ends it */
} LeatRegexMust;

static LeatRegexMust leat_regex_must_of (const LeatRegexNode *node);

static GPtrArray *
leat_regex_strings_new (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
}

static GPtrArray *
leat_regex_strings_new_empty (void)
{
  GPtrArray *strings = leat_regex_strings_new ();

  g_ptr_array_add (strings, g_array_new (FALSE, FALSE, sizeof (guint16)));
  return strings;
}

static void
leat_regex_strings_free (GPtrArray *strings)
{
  if (strings != NULL)
    g_ptr_array_unref (strings);
}

static void
leat_regex_must_clear (LeatRegexMust *self)
{
  g_clear_pointer (&self->exact, leat_regex_strings_free);
  g_clear_pointer (&self->must, leat_regex_strings_free);
  g_clear_pointer (&self->prefix, leat_regex_strings_free);
  g_clear_pointer (&self->suffix, leat_regex_strings_free);
}

static guint
leat_regex_strings_get_shortest (const GPtrArray *strings)
{
  guint shortest = strings != NULL && strings->len > 0 ? G_MAXUINT : 0;

  for (guint i = 0; strings != NULL && i < strings->len; i++)
    shortest = MIN (shortest, ((GArray *) g_ptr_array_index (strings, i))->len);
  return shortest;
}

/* Longer is rarer, and fewer strings are found faster. */
static guint
leat_regex_strings_rate (const GPtrArray *strings)
{
  guint shortest = MIN (leat_regex_strings_get_shortest (strings), 8);

  return shortest == 0 ? 0 : shortest * 16 + (LEAT_REGEX_MAX_KEYS - strings->len);
}

/* The better of the two; both are taken. */
static GPtrArray *
leat_regex_strings_choose (GPtrArray *one, GPtrArray *other)
{
  gboolean is_other = leat_regex_strings_rate (other) > leat_regex_strings_rate (one);

  leat_regex_strings_free (is_other ? one : other);
  return is_other ? other : one;
}

static GPtrArray *
leat_regex_strings_copy (const GPtrArray *strings)
{
  GPtrArray *copy = leat_regex_strings_new ();

  for (guint i = 0; i < strings->len; i++)
    g_ptr_array_add (copy, g_array_copy (g_ptr_array_index (strings, i)));
  return copy;
}

/* Each of @strings with each of @tails behind it; NULL where that is too much. */
static GPtrArray *
leat_regex_strings_join (const GPtrArray *strings, const GPtrArray *tails)
{
  g_autoptr (GPtrArray) joined = leat_regex_strings_new ();

  if (tails == NULL || strings->len * tails->len > LEAT_REGEX_MAX_KEYS)
    return NULL;
  for (guint i = 0; i < strings->len; i++)
    for (guint j = 0; j < tails->len; j++)
      {
        GArray *string = g_array_copy (g_ptr_array_index (strings, i));
        const GArray *tail = g_ptr_array_index (tails, j);

        g_array_append_vals (string, tail->data, tail->len);
        g_ptr_array_add (joined, string);
        if (string->len > LEAT_REGEX_MAX_STRING)
          return NULL;
      }
  return g_steal_pointer (&joined);
}

/* Takes @more; NULL where one of them is, or where there are too many. */
static GPtrArray *
leat_regex_strings_unite (GPtrArray *strings, GPtrArray *more)
{
  if (strings != NULL && more != NULL && strings->len + more->len <= LEAT_REGEX_MAX_KEYS)
    {
      g_ptr_array_extend_and_steal (strings, more);
      return strings;
    }
  leat_regex_strings_free (strings);
  leat_regex_strings_free (more);
  return NULL;
}

static LeatRegexMust
leat_regex_must_of_set (const LeatRegexSet *set)
{
  LeatRegexMust self = { NULL, NULL, NULL, NULL };
  guint n = leat_regex_set_count (set), left = n;

  if (n == 0 || n > LEAT_REGEX_MAX_LETTERS)
    return self;
  self.exact = leat_regex_strings_new ();
  for (guint byte = 0; byte < 256 && left > 0; byte++)
    {
      gboolean has_other = g_ascii_isalpha (byte) && leat_regex_set_has (set, (guint8) byte ^ 0x20);
      guint16 unit = (guint16) (byte | (has_other ? 0x2000 : 0));
      GArray *string;

      if (!leat_regex_set_has (set, (guint8) byte))
        continue;
      left--;
      if (has_other && g_ascii_isupper (byte))
        continue; /* the small letter stands for both */
      string = g_array_new (FALSE, FALSE, sizeof (guint16));
      g_array_append_val (string, unit);
      g_ptr_array_add (self.exact, string);
    }
  return self;
}

/* A row of parts: what of it is in a row without doubt is `open`; what was before is rated in `best`. */
typedef struct
{
  GPtrArray *open;
  GPtrArray *best;
  GPtrArray *prefix; /* what was open when it first ended */
} LeatRegexRow;

/* The open strings end here, and those of @open begin. */
static void
leat_regex_row_break (LeatRegexRow *self, GPtrArray *open)
{
  if (self->prefix == NULL)
    self->prefix = leat_regex_strings_copy (self->open);
  self->best = leat_regex_strings_choose (self->best, self->open);
  self->open = open != NULL ? open : leat_regex_strings_new_empty ();
}

static gboolean
leat_regex_row_join (LeatRegexRow *self, const GPtrArray *tails)
{
  GPtrArray *joined = leat_regex_strings_join (self->open, tails);

  if (joined == NULL)
    return FALSE;
  leat_regex_strings_free (self->open);
  self->open = joined;
  return TRUE;
}

/* Clears @part. */
static void
leat_regex_row_add (LeatRegexRow *self, LeatRegexMust *part)
{
  if (part->exact == NULL)
    {
      leat_regex_row_join (self, part->prefix);
      leat_regex_row_break (self, g_steal_pointer (&part->suffix));
      self->best = leat_regex_strings_choose (self->best, g_steal_pointer (&part->must));
    }
  else if (!leat_regex_row_join (self, part->exact))
    leat_regex_row_break (self, g_steal_pointer (&part->exact));
  leat_regex_must_clear (part);
}

static LeatRegexMust
leat_regex_row_end (LeatRegexRow *self)
{
  LeatRegexMust must = { NULL, NULL, NULL, NULL };

  if (self->prefix == NULL)
    must.exact = leat_regex_strings_copy (self->open);
  else
    must.suffix = leat_regex_strings_copy (self->open);
  must.prefix = self->prefix;
  must.must = leat_regex_strings_choose (self->best, self->open);
  return must;
}

static LeatRegexMust
leat_regex_must_of_cat (const LeatRegexNode *node)
{
  LeatRegexRow row = { leat_regex_strings_new_empty (), NULL, NULL };

  for (guint i = 0; node->children != NULL && i < node->children->len; i++)
    {
      LeatRegexMust part = leat_regex_must_of (g_ptr_array_index (node->children, i));

      leat_regex_row_add (&row, &part);
    }
  return leat_regex_row_end (&row);
}

static LeatRegexMust
leat_regex_must_of_alt (const GPtrArray *children)
{
  LeatRegexMust self = { leat_regex_strings_new (), leat_regex_strings_new (), NULL, NULL };

  for (guint i = 0; i < children->len; i++)
    {
      LeatRegexMust part = leat_regex_must_of (g_ptr_array_index (children, i));
      GPtrArray *exact = part.exact != NULL ? leat_regex_strings_copy (part.exact) : NULL;

      self.must = leat_regex_strings_unite (self.must, leat_regex_strings_choose (g_steal_pointer (&part.must), exact));
      self.exact = leat_regex_strings_unite (self.exact, g_steal_pointer (&part.exact));
      leat_regex_must_clear (&part);
    }
  return self;
}

static LeatRegexMust
leat_regex_must_of_repeat (const LeatRegexNode *node)
{
  LeatRegexRow row = { leat_regex_strings_new_empty (), NULL, NULL };
  guint n = MIN (node->least, LEAT_REGEX_MAX_UNROLLED);

  for (guint i = 0; i < n; i++)
    {
      LeatRegexMust part = leat_regex_must_of (g_ptr_array_index (node->children, 0));
      GPtrArray *last = part.exact != NULL ? leat_regex_strings_copy (part.exact) : NULL;

      leat_regex_row_add (&row, &part);
      /* Any number more come between the first of them and the last. */
      if (i == n - 1 && node->most != n)
        leat_regex_row_break (&row, last);
      else
        leat_regex_strings_free (last);
    }
  if (n == 0)
    leat_regex_row_break (&row, NULL);
  return leat_regex_row_end (&row);
}

static LeatRegexMust
leat_regex_must_of (const LeatRegexNode *node)
{
  switch (node->kind)
    {
    case LEAT_REGEX_SET:
      return leat_regex_must_of_set (&node->set);
    case LEAT_REGEX_CAT:
      return leat_regex_must_of_cat (node);
    case LEAT_REGEX_ALT:
      return leat_regex_must_of_alt (node->children);
    case LEAT_REGEX_REPEAT:
      return leat_regex_must_of_repeat (node);
    default:
      return (LeatRegexMust){ leat_regex_strings_new_empty (), NULL, NULL, NULL };
    }
}

guint
leat_regex_get_frequency (guint8 byte)
{
  static const char common[] = " etaoinsrhldcumfpgwybvk,.-_\"'()0123456789;:=/<>*{}[]xjqz#SCTAEIPRDBMLNFOHGWU";
  const char *known = byte != '\0' ? strchr (common, byte) : NULL;

  return known != NULL ? (guint) (sizeof common - 1 - (gsize) (known - common)) : 0;
}

/* The part of a string that begins with its rarest two bytes, but is not short if that can be helped. */
static LeatRegexKey
leat_regex_key_new (const GArray *string)
{
  LeatRegexKey self = { 0, 0, 0 };
  guint begin = 0, least = G_MAXUINT;

  for (guint i = 0; i + 1 < string->len; i++)
    {
      guint rated = leat_regex_get_frequency ((guint8) g_array_index (string, guint16, i))
                    + leat_regex_get_frequency ((guint8) g_array_index (string, guint16, i + 1));

      if (i > 0 && i + 3 > string->len)
        break;
      if (rated < least)
        {
          least = rated;
          begin = i;
        }
    }
  for (guint i = begin; i < string->len && i < begin + 8; i++)
    {
      guint16 unit = g_array_index (string, guint16, i);

      self.value |= (guint64) (unit & 0xff) << 8 * (i - begin);
      self.fold |= (guint64) (unit >> 8) << 8 * (i - begin);
      self.mask |= (guint64) 0xff << 8 * (i - begin);
    }
  return self;
}

guint
leat_regex_find_keys (GPtrArray *list, LeatRegexKey keys[LEAT_REGEX_MAX_KEYS])
{
  LeatRegexMust must = leat_regex_must_of_alt (list);
  GPtrArray *strings = leat_regex_strings_choose (g_steal_pointer (&must.must), g_steal_pointer (&must.exact));
  guint n = leat_regex_strings_get_shortest (strings) > 0 ? strings->len : 0;

  for (guint i = 0; i < n; i++)
    keys[i] = leat_regex_key_new (g_ptr_array_index (strings, i));
  leat_regex_strings_free (strings);
  return n;
}
