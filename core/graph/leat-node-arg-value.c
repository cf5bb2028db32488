/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The value of an argument: converted, checked against its type, read from text and written as such.  Touches the one
 * argument that it is given, and no node. */

#include "leat-graph-error.h"
#include "leat-node-arg-private.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The numbers that an argument of each type can hold. */
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
  { 's', 0, 0, "one of its words" },
};

static guint
leat_node_arg_find_type (LeatNodeArg *arg)
{
  guint i = 0;

  while (leat_node_arg_types[i].type != *arg->type)
    i++;
  return i;
}

static gboolean
leat_number_from_variant (LeatNumber *self, GVariant *value)
{
  switch (g_variant_classify (value))
    {
    case G_VARIANT_CLASS_BOOLEAN:
      leat_number_set_bool (self, g_variant_get_boolean (value));
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
      leat_number_set_real (self, g_variant_get_double (value));
      return TRUE;
    default:
      return FALSE;
    }
}

static gboolean
leat_node_arg_fail (LeatNodeArg *arg, const char *shown, gboolean range, GError **error)
{
  guint i = leat_node_arg_find_type (arg);
  g_autofree char *words = arg->choices != NULL ? g_strjoinv (", ", (char **) arg->choices) : NULL;

  if (words != NULL)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "argument \"%s\" is one of %s, not %s", arg->name,
                 words, shown);
  else if (!range)
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

/* The fault of a number. */
typedef enum
{
  LEAT_ARG_FAULT_NONE,
  LEAT_ARG_FAULT_TYPE,
  LEAT_ARG_FAULT_RANGE,
} LeatArgFault;

/* A user who gives a whole number means that one; a float holds those of 24 bits and zeros behind them. */
static gboolean
leat_number_is_held (const LeatNumber *self)
{
  guint64 size = self->kind == LEAT_NUMBER_NEGATIVE ? -(guint64) self->i : self->u;

  return self->kind == LEAT_NUMBER_REAL || size == 0 || size >> __builtin_ctzll (size) >> FLT_MANT_DIG == 0;
}

/* Makes it one of the argument's type, where there is nothing wrong. */
static LeatArgFault
leat_node_arg_fit (LeatNodeArg *arg, LeatNumber *number)
{
  char type = *arg->type;
  guint i;

  if ((type == 'b') != (number->kind == LEAT_NUMBER_BOOL) || type == 's')
    return LEAT_ARG_FAULT_TYPE;
  if (type == 'b' || type == '*')
    return LEAT_ARG_FAULT_NONE;
  if (type == 'f' && isfinite (number->d) && fabs (number->d) > FLT_MAX)
    return LEAT_ARG_FAULT_RANGE;
  if (type == 'f' && !leat_number_is_held (number))
    return LEAT_ARG_FAULT_RANGE;
  if (type == 'f' || type == 'd')
    {
      leat_number_set_real (number, type == 'f' ? (float) number->d : number->d);
      return LEAT_ARG_FAULT_NONE;
    }
  if (number->kind == LEAT_NUMBER_REAL && (isnan (number->d) || floor (number->d) != number->d))
    return LEAT_ARG_FAULT_TYPE;
  if (!leat_number_make_whole (number))
    return LEAT_ARG_FAULT_RANGE;
  i = leat_node_arg_find_type (arg);
  if (number->kind == LEAT_NUMBER_NEGATIVE ? number->i < leat_node_arg_types[i].min
                                           : number->u > leat_node_arg_types[i].max)
    return LEAT_ARG_FAULT_RANGE;
  return LEAT_ARG_FAULT_NONE;
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
    case 's':
      return g_variant_new_string (arg->choices[number->u]);
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
leat_node_arg_dup_value (LeatNodeArg *arg)
{
  if (arg->value == NULL && (arg->is_set || arg->is_initial))
    arg->value = g_variant_ref_sink (leat_node_arg_new_variant (arg, &arg->number));
  return arg->value != NULL ? g_variant_ref (arg->value) : NULL;
}

/* As a message shows it. */
static char *
leat_number_print (const LeatNumber *self)
{
  if (self->kind == LEAT_NUMBER_REAL)
    return leat_prop_print_double (self->d, FALSE);
  if (self->kind == LEAT_NUMBER_BOOL)
    return g_strdup (self->u != 0 ? "true" : "false");
  return self->kind == LEAT_NUMBER_NEGATIVE ? g_strdup_printf ("%" G_GINT64_FORMAT, self->i)
                                            : g_strdup_printf ("%" G_GUINT64_FORMAT, self->u);
}

gboolean
leat_node_arg_take (LeatNodeArg *arg, LeatNumber *number, GError **error)
{
  const LeatNumber given = *number;
  LeatArgFault fault = leat_node_arg_fit (arg, number);
  g_autofree char *shown = NULL;

  if (G_LIKELY (fault == LEAT_ARG_FAULT_NONE))
    return TRUE;
  shown = leat_number_print (&given);
  return leat_node_arg_fail (arg, shown, fault == LEAT_ARG_FAULT_RANGE, error);
}

static gboolean
leat_node_arg_find_choice (LeatNodeArg *arg, const char *word, LeatNumber *number)
{
  guint i = 0;

  while (arg->choices[i] != NULL && !g_str_equal (arg->choices[i], word))
    i++;
  leat_number_set_uint (number, i);
  return arg->choices[i] != NULL;
}

/* A word, or a boolean where true and false are the words. */
static gboolean
leat_node_arg_convert_choice (LeatNodeArg *arg, GVariant *value, LeatNumber *number, GError **error)
{
  g_autofree char *shown = g_variant_print (value, FALSE);
  const char *word = g_variant_is_of_type (value, G_VARIANT_TYPE_STRING) ? g_variant_get_string (value, NULL) : shown;

  return leat_node_arg_find_choice (arg, word, number) || leat_node_arg_fail (arg, shown, FALSE, error);
}

gboolean
leat_node_arg_convert (LeatNodeArg *arg, GVariant *value, LeatNumber *number, GError **error)
{
  g_autofree char *shown = NULL;
  LeatArgFault fault;

  if (arg->choices != NULL)
    return leat_node_arg_convert_choice (arg, value, number, error);

  fault = leat_number_from_variant (number, value) ? leat_node_arg_fit (arg, number) : LEAT_ARG_FAULT_TYPE;
  if (G_LIKELY (fault == LEAT_ARG_FAULT_NONE))
    return TRUE;
  shown = g_variant_print (value, FALSE);
  return leat_node_arg_fail (arg, shown, fault == LEAT_ARG_FAULT_RANGE, error);
}

static gboolean
leat_node_arg_parse_number (LeatNodeArg *arg, const char *text, LeatNumber *number)
{
  gboolean flag;
  gint64 i;
  guint64 u;

  if (arg->choices != NULL)
    return leat_node_arg_find_choice (arg, text, number);
  if (*arg->type == 'b')
    {
      if (!leat_prop_parse_bool (text, &flag))
        return FALSE;
      leat_number_set_bool (number, flag);
      return TRUE;
    }
  if (leat_prop_parse_int (text, &i) && (i != 0 || *text != '-'))
    leat_number_set_int (number, i);
  else if (leat_prop_parse_uint (text, FALSE, &u))
    leat_number_set_uint (number, u);
  else
    {
      number->kind = LEAT_NUMBER_REAL;
      return leat_prop_parse_double (text, &number->d);
    }
  return TRUE;
}

gboolean
leat_node_arg_parse (LeatNodeArg *arg, const char *text, LeatNumber *number, GError **error)
{
  g_autofree char *shown = NULL;
  LeatArgFault fault;

  *number = (LeatNumber){ 0 };
  if (!leat_node_arg_parse_number (arg, text, number))
    {
      shown = g_strdup_printf ("\"%s\"", text);
      return leat_node_arg_fail (arg, shown, FALSE, error);
    }
  fault = arg->choices != NULL ? LEAT_ARG_FAULT_NONE : leat_node_arg_fit (arg, number);
  return fault == LEAT_ARG_FAULT_NONE || leat_node_arg_fail (arg, text, fault == LEAT_ARG_FAULT_RANGE, error);
}

char *
leat_node_arg_print (LeatNodeArg *arg)
{
  if (arg->choices != NULL)
    return g_strdup (arg->choices[arg->number.u]);
  return arg->number.kind == LEAT_NUMBER_REAL ? leat_prop_print_double (arg->number.d, *arg->type == 'f')
                                              : leat_number_print (&arg->number);
}
