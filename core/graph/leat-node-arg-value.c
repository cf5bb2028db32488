/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-graph-error.h"
#include "leat-node-arg-private.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* What an argument of a type can hold.  Whole numbers are compared apart by sign, since no one type holds them all. */
static const struct
{
  char type;
  gint64 min;
  guint64 max;
  const char *what;
} leat_node_arg_types[] = {
  { 'b', 0, 1, "true or false" },
  { 'y', 0, G_MAXUINT8, "a whole number" },
  { 'n', G_MININT16, G_MAXINT16, "a whole number" },
  { 'q', 0, G_MAXUINT16, "a whole number" },
  { 'i', G_MININT32, G_MAXINT32, "a whole number" },
  { 'u', 0, G_MAXUINT32, "a whole number" },
  { 'x', G_MININT64, G_MAXINT64, "a whole number" },
  { 't', 0, G_MAXUINT64, "a whole number" },
  { 'd', 0, 0, "a number" },
  { 'f', 0, 0, "a number" },
  { '*', 0, 0, "a number" },
};

typedef struct
{
  enum
  {
    LEAT_NUMBER_NEGATIVE,
    LEAT_NUMBER_POSITIVE,
    LEAT_NUMBER_REAL,
    LEAT_NUMBER_BOOL
  } kind;
  gint64 i;
  guint64 u;
  double d;
} LeatNumber;

static guint
leat_node_arg_find_type (LeatNodeArg *arg)
{
  guint i = 0;

  while (leat_node_arg_types[i].type != *arg->type)
    i++;
  return i;
}

static void
leat_number_set_int (LeatNumber *self, gint64 value)
{
  self->kind = value < 0 ? LEAT_NUMBER_NEGATIVE : LEAT_NUMBER_POSITIVE;
  self->i = value;
  self->u = (guint64) value;
  self->d = (double) value;
}

static void
leat_number_set_uint (LeatNumber *self, guint64 value)
{
  self->kind = LEAT_NUMBER_POSITIVE;
  self->u = value;
  self->d = (double) value;
}

static gboolean
leat_number_from_variant (LeatNumber *self, GVariant *value)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BOOLEAN:
      leat_number_set_uint (self, g_variant_get_boolean (value));
      self->kind = LEAT_NUMBER_BOOL;
      return TRUE;
    case G_VARIANT_CLASS_BYTE:
      leat_number_set_uint (self, g_variant_get_byte (value));
      return TRUE;
    case G_VARIANT_CLASS_INT16:
      leat_number_set_int (self, g_variant_get_int16 (value));
      return TRUE;
    case G_VARIANT_CLASS_UINT16:
      leat_number_set_uint (self, g_variant_get_uint16 (value));
      return TRUE;
    case G_VARIANT_CLASS_INT32:
      leat_number_set_int (self, g_variant_get_int32 (value));
      return TRUE;
    case G_VARIANT_CLASS_UINT32:
      leat_number_set_uint (self, g_variant_get_uint32 (value));
      return TRUE;
    case G_VARIANT_CLASS_INT64:
      leat_number_set_int (self, g_variant_get_int64 (value));
      return TRUE;
    case G_VARIANT_CLASS_UINT64:
      leat_number_set_uint (self, g_variant_get_uint64 (value));
      return TRUE;
    case G_VARIANT_CLASS_DOUBLE:
      self->kind = LEAT_NUMBER_REAL;
      self->d = g_variant_get_double (value);
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
leat_node_arg_fail (LeatNodeArg *arg, const char *shown, gboolean range, GError **error)
{
  guint i = leat_node_arg_find_type (arg);

  if (!range)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE, "argument \"%s\" takes %s, not %s", arg->name,
                 leat_node_arg_types[i].what, shown);
  else if (*arg->type == 'f' || *arg->type == 'd')
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                 "argument \"%s\" is a %s-bit float, which cannot hold %s", arg->name, *arg->type == 'f' ? "32" : "64",
                 shown);
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                 "argument \"%s\" is %" G_GINT64_FORMAT " to %" G_GUINT64_FORMAT ", not %s", arg->name,
                 leat_node_arg_types[i].min, leat_node_arg_types[i].max, shown);
  return FALSE;
}

/* Makes a whole number of a real one that is one; beyond 2^64 nothing is exact any more. */
static gboolean
leat_number_make_whole (LeatNumber *self)
{
  if (self->kind != LEAT_NUMBER_REAL)
    return TRUE;
  if (floor (self->d) != self->d || self->d < -0x1p63 || self->d >= 0x1p64)
    return FALSE;
  if (self->d < 0)
    leat_number_set_int (self, (gint64) self->d);
  else
    leat_number_set_uint (self, (guint64) self->d);
  return TRUE;
}

static gboolean
leat_node_arg_check (LeatNodeArg *arg, LeatNumber *number, const char *shown, GError **error)
{
  guint i = leat_node_arg_find_type (arg);

  if (*arg->type == 'd' || *arg->type == '*')
    return TRUE;
  if (*arg->type == 'f')
    return !isfinite (number->d) || fabs (number->d) <= FLT_MAX || leat_node_arg_fail (arg, shown, TRUE, error);
  if (number->kind == LEAT_NUMBER_REAL && (isnan (number->d) || floor (number->d) != number->d))
    return leat_node_arg_fail (arg, shown, FALSE, error);
  if (!leat_number_make_whole (number))
    return leat_node_arg_fail (arg, shown, TRUE, error);
  if (number->kind == LEAT_NUMBER_NEGATIVE ? number->i < leat_node_arg_types[i].min
                                           : number->u > leat_node_arg_types[i].max)
    return leat_node_arg_fail (arg, shown, TRUE, error);
  return TRUE;
}

static GVariant *
leat_node_arg_new_variant (LeatNodeArg *arg, const LeatNumber *number)
{
  switch (*arg->type)
    {
    case 'b':
      return g_variant_new_boolean (number->u != 0);
    case 'y':
      return g_variant_new_byte ((guint8) number->u);
    case 'n':
      return g_variant_new_int16 ((gint16) number->u);
    case 'q':
      return g_variant_new_uint16 ((guint16) number->u);
    case 'i':
      return g_variant_new_int32 ((gint32) number->u);
    case 'u':
      return g_variant_new_uint32 ((guint32) number->u);
    case 'x':
      return g_variant_new_int64 ((gint64) number->u);
    case 't':
      return g_variant_new_uint64 (number->u);
    case 'f':
      return g_variant_new_double ((float) number->d);
    case '*':
      if (number->kind == LEAT_NUMBER_REAL)
        return g_variant_new_double (number->d);
      return number->kind == LEAT_NUMBER_NEGATIVE || number->u <= G_MAXINT64 ? g_variant_new_int64 ((gint64) number->u)
                                                                             : g_variant_new_uint64 (number->u);
    default:
      return g_variant_new_double (number->d);
    }
}

GVariant *
leat_node_arg_convert (LeatNodeArg *arg, GVariant *value, GError **error)
{
  LeatNumber number = { 0 };
  gboolean known =
    leat_number_from_variant (&number, value) && (*arg->type == 'b') == (number.kind == LEAT_NUMBER_BOOL);
  g_autofree char *shown = NULL;

  if (known && leat_node_arg_check (arg, &number, NULL, NULL))
    return g_variant_ref_sink (leat_node_arg_new_variant (arg, &number));
  shown = g_variant_print (value, FALSE);
  if (known)
    leat_node_arg_check (arg, &number, shown, error);
  else
    leat_node_arg_fail (arg, shown, FALSE, error);
  return NULL;
}

static gboolean
leat_node_arg_parse_number (LeatNodeArg *arg, const char *text, LeatNumber *number)
{
  gboolean flag;
  gint64 i;
  guint64 u;

  if (*arg->type == 'b')
    {
      if (!leat_prop_parse_bool (text, &flag))
        return FALSE;
      leat_number_set_uint (number, flag);
      return TRUE;
    }
  if (*arg->type != 'd' && *arg->type != 'f' && leat_prop_parse_int (text, &i))
    leat_number_set_int (number, i);
  else if (*arg->type != 'd' && *arg->type != 'f' && leat_prop_parse_uint (text, FALSE, &u))
    leat_number_set_uint (number, u);
  else
    {
      number->kind = LEAT_NUMBER_REAL;
      return leat_prop_parse_double (text, &number->d);
    }
  return TRUE;
}

GVariant *
leat_node_arg_parse (LeatNodeArg *arg, const char *text, GError **error)
{
  LeatNumber number = { 0 };

  if (!leat_node_arg_parse_number (arg, text, &number))
    {
      g_autofree char *shown = g_strdup_printf ("\"%s\"", text);

      leat_node_arg_fail (arg, shown, FALSE, error);
      return NULL;
    }
  if (!leat_node_arg_check (arg, &number, text, error))
    return NULL;
  return g_variant_ref_sink (leat_node_arg_new_variant (arg, &number));
}

char *
leat_node_arg_print (LeatNodeArg *arg)
{
  if (g_variant_is_of_type (arg->value, G_VARIANT_TYPE_DOUBLE))
    return leat_prop_print_double (g_variant_get_double (arg->value), *arg->type == 'f');
  if (*arg->type == 'y')
    return g_strdup_printf ("%u", g_variant_get_byte (arg->value));
  return g_variant_print (arg->value, FALSE);
}
