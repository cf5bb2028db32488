/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Values of properties as text: read, checked against the range, and the shortest spelling of a number.  Touches the
 * value that it is given, and no node. */

#include "leat-graph-error-private.h"
#include "leat-plugin-private.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The shortest of a few spellings that reads back as the same number. */
char *
leat_prop_print_double (double value, gboolean single)
{
  char buffer[G_ASCII_DTOSTR_BUF_SIZE];
  static const char *const formats[] = { "%.6g", "%.9g", "%.15g", "%.16g", "%.17g" };

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++)
    {
      double back;

      g_ascii_formatd (buffer, sizeof buffer, formats[i], value);
      back = g_ascii_strtod (buffer, NULL);
      if (single ? (float) back == (float) value : back == value)
        break;
    }
  return g_strdup (buffer);
}

gboolean
leat_prop_parse_bool (const char *text, gboolean *value)
{
  static const char *const yes[] = { "true", "yes", "on", "1", NULL };
  static const char *const no[] = { "false", "no", "off", "0", NULL };

  *value = g_strv_contains (yes, text);
  return *value || g_strv_contains (no, text);
}

gboolean
leat_prop_parse_int (const char *text, gint64 *value)
{
  return g_ascii_string_to_signed (text, 10, G_MININT64, G_MAXINT64, value, NULL);
}

gboolean
leat_prop_parse_uint (const char *text, gboolean suffixes, guint64 *value)
{
  g_autofree char *digits = g_strdup (text);
  gsize n = strlen (digits);
  guint shift = 0;

  if (suffixes && n > 1)
    shift = digits[n - 1] == 'K' ? 10 : digits[n - 1] == 'M' ? 20 : digits[n - 1] == 'G' ? 30 : 0;
  if (shift > 0)
    digits[n - 1] = '\0';
  return g_ascii_string_to_unsigned (digits, 10, 0, G_MAXUINT64, value, NULL)
         && g_uint64_checked_mul (value, *value, G_GUINT64_CONSTANT (1) << shift);
}

gboolean
leat_prop_parse_double (const char *text, double *value)
{
  char *end = NULL;

  /* g_ascii_strtod () would skip leading space and read hexadecimal and "inf" as well. */
  if (!g_ascii_isdigit (*text) && strchr ("+-.", *text) == NULL)
    return FALSE;
  if (strpbrk (text, "xXnN") != NULL)
    return FALSE;
  errno = 0;
  *value = g_ascii_strtod (text, &end);
  return end != text && *end == '\0' && isfinite (*value);
}

static gboolean
leat_prop_parse_choice (const LeatProp *self, const char *text, GValue *value, GError **error)
{
  g_autofree char *hint = NULL;
  g_autofree char *list = NULL;
  const char *near;

  for (guint i = 0; self->choices[i] != NULL; i++)
    if (strcmp (self->choices[i], text) == 0)
      {
        g_value_set_enum (value, (gint) i);
        return TRUE;
      }
  near = leat_suggest (text, self->choices);
  list = leat_graph_error_join (self->choices);
  hint = near != NULL ? g_strdup_printf (" (did you mean \"%s\"?)", near) : g_strdup ("");
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE, "property \"%s\" is one of %s, not \"%s\"%s", self->name,
               list, text, hint);
  return FALSE;
}

static const char *
leat_prop_name_type (const LeatProp *self)
{
  static const char *const names[] = {
    [LEAT_PROP_BOOL] = "true or false",
    [LEAT_PROP_INT] = "a whole number",
    [LEAT_PROP_UINT] = "a whole number that is not negative",
    [LEAT_PROP_BYTES] = "a number of bytes such as 4096, 64K, 4M or 1G",
    [LEAT_PROP_DOUBLE] = "a number",
    [LEAT_PROP_STRING] = "text",
    [LEAT_PROP_PATH] = "a file name",
    [LEAT_PROP_CHOICE] = "a word",
  };

  return names[self->type];
}

static gboolean
leat_prop_parse_number (const LeatProp *self, const char *text, LeatPropValue *number)
{
  if (self->type == LEAT_PROP_INT)
    return leat_prop_parse_int (text, &number->i);
  if (self->type == LEAT_PROP_DOUBLE)
    return leat_prop_parse_double (text, &number->d);
  return leat_prop_parse_uint (text, self->type == LEAT_PROP_BYTES, &number->u);
}

static void
leat_prop_set_number (const LeatProp *self, LeatPropValue number, GValue *value)
{
  if (self->type == LEAT_PROP_INT)
    g_value_set_int64 (value, number.i);
  else if (self->type == LEAT_PROP_DOUBLE)
    g_value_set_double (value, number.d);
  else
    g_value_set_uint64 (value, number.u);
}

/* A number as such, whatever its size and sign. */
static gboolean
leat_prop_is_whole_number (const char *text)
{
  gsize n_digits;

  text += *text == '-' || *text == '+' ? 1 : 0;
  n_digits = strspn (text, "0123456789");
  text += n_digits;
  text += *text == 'K' || *text == 'M' || *text == 'G' ? 1 : 0;
  return n_digits > 0 && *text == '\0';
}

static void
leat_prop_set_range_error (const LeatProp *self, const char *text, GError **error)
{
  g_autofree char *range = leat_prop_dup_range (self);

  if (range == NULL && self->type == LEAT_PROP_INT)
    range = g_strdup_printf ("%" G_GINT64_FORMAT " to %" G_GINT64_FORMAT, G_MININT64, G_MAXINT64);
  else if (range == NULL)
    range = g_strdup_printf ("0 to %" G_GUINT64_FORMAT, G_MAXUINT64);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "property \"%s\" is %s, not %s", self->name, range,
               text);
}

static gboolean
leat_prop_parse_as_number (const LeatProp *self, const char *text, GValue *value, GError **error)
{
  LeatPropValue number = { 0 };

  if (!leat_prop_parse_number (self, text, &number))
    {
      if (self->type != LEAT_PROP_DOUBLE && leat_prop_is_whole_number (text)
          && (self->type == LEAT_PROP_BYTES || strpbrk (text, "KMG") == NULL))
        leat_prop_set_range_error (self, text, error);
      else
        g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE, "property \"%s\" takes %s, not \"%s\"", self->name,
                     leat_prop_name_type (self), text);
      return FALSE;
    }
  if (!leat_prop_is_in_range (self, number))
    {
      leat_prop_set_range_error (self, text, error);
      return FALSE;
    }
  leat_prop_set_number (self, number, value);
  return TRUE;
}

/* @value: of the property's type, and of no use without @text */
gboolean
leat_prop_parse (const LeatProp *self, const char *text, GValue *value, GError **error)
{
  gboolean flag;

  switch (self->type)
    {
    case LEAT_PROP_CHOICE:
      return leat_prop_parse_choice (self, text, value, error);
    case LEAT_PROP_STRING:
    case LEAT_PROP_PATH:
      g_value_set_static_string (value, text);
      return TRUE;
    case LEAT_PROP_BOOL:
      if (leat_prop_parse_bool (text, &flag))
        {
          g_value_set_boolean (value, flag);
          return TRUE;
        }
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE, "property \"%s\" takes %s, not \"%s\"", self->name,
                   leat_prop_name_type (self), text);
      return FALSE;
    default:
      return leat_prop_parse_as_number (self, text, value, error);
    }
}
