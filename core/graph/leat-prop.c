/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Described properties as GObject has them, and the fields of a node that hold their values.  leat-node-value.c says
 * when such a field may be written. */

#include "leat-plugin-private.h"

#include <math.h>
#include <string.h>

#define LEAT_PROP_FIELD(prop, instance, type) (*(type *) ((char *) (instance) + (prop)->offset))

/* clang-format off */
static G_DEFINE_QUARK (leat-prop, leat_prop)
  /* clang-format on */

  /* A range of 0 to 0 is none; a maximum below the minimum is no maximum (min 1, max left out). */
  static gboolean leat_prop_is_below (const LeatProp *self, LeatPropValue a, LeatPropValue b)
{
  switch (self->type)
    {
    case LEAT_PROP_INT:
      return a.i < b.i;
    case LEAT_PROP_UINT:
    case LEAT_PROP_BYTES:
      return a.u < b.u;
    case LEAT_PROP_DOUBLE:
      return a.d < b.d;
    default:
      return FALSE;
    }
}

static gboolean
leat_prop_is_number (const LeatProp *self)
{
  return self->type == LEAT_PROP_INT || self->type == LEAT_PROP_UINT || self->type == LEAT_PROP_BYTES
         || self->type == LEAT_PROP_DOUBLE;
}

gboolean
leat_prop_has_min (const LeatProp *self)
{
  return leat_prop_is_number (self) && (self->min.u != 0 || self->max.u != 0);
}

gboolean
leat_prop_has_max (const LeatProp *self)
{
  return leat_prop_has_min (self) && !leat_prop_is_below (self, self->max, self->min);
}

gboolean
leat_prop_is_in_range (const LeatProp *self, LeatPropValue value)
{
  if (self->type == LEAT_PROP_DOUBLE && isnan (value.d))
    return FALSE;
  return !(leat_prop_has_min (self) && leat_prop_is_below (self, value, self->min))
         && !(leat_prop_has_max (self) && leat_prop_is_below (self, self->max, value));
}

/* Registers the words of a CHOICE under a name that is made from the node type's and the property's. */
static GType
leat_prop_get_enum (const LeatProp *self, const char *type_name)
{
  GString *name = g_string_new (type_name);
  g_autofree char *owned = NULL;
  GEnumValue *values;
  GType type;
  guint n = 0;

  for (const char *at = self->name; *at != '\0'; at++)
    if (*at != '-')
      g_string_append_c (name, at == self->name || at[-1] == '-' ? g_ascii_toupper (*at) : *at);
  owned = g_string_free (name, FALSE);
  type = g_type_from_name (owned);
  if (type != 0)
    return type;
  while (self->choices[n] != NULL)
    n++;
  values = g_new0 (GEnumValue, n + 1); /* belongs to the type system from here on */
  for (guint i = 0; i < n; i++)
    values[i] = (GEnumValue){ (gint) i, self->choices[i], self->choices[i] };
  return g_enum_register_static (owned, values);
}

static GParamSpec *
leat_prop_new_number_pspec (const LeatProp *self, GParamFlags flags)
{
  gboolean low = leat_prop_has_min (self), high = leat_prop_has_max (self);
  /* A required one has no default, but GObject insists on one within the range. */
  LeatPropValue def =
    (self->flags & LEAT_PROP_REQUIRED) != 0 && !leat_prop_is_in_range (self, self->def) ? self->min : self->def;

  if (self->type == LEAT_PROP_INT)
    return g_param_spec_int64 (self->name, NULL, self->blurb, low ? self->min.i : G_MININT64,
                               high ? self->max.i : G_MAXINT64, def.i, flags);
  if (self->type == LEAT_PROP_DOUBLE)
    return g_param_spec_double (self->name, NULL, self->blurb, low ? self->min.d : -G_MAXDOUBLE,
                                high ? self->max.d : G_MAXDOUBLE, def.d, flags);
  return g_param_spec_uint64 (self->name, NULL, self->blurb, low ? self->min.u : 0, high ? self->max.u : G_MAXUINT64,
                              def.u, flags);
}

GParamSpec *
leat_prop_new_pspec (const LeatProp *self, const char *type_name)
{
  GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS;
  GParamSpec *pspec;

  if (self->type == LEAT_PROP_BOOL)
    pspec = g_param_spec_boolean (self->name, NULL, self->blurb, self->def.i != 0, flags);
  else if (self->type == LEAT_PROP_CHOICE)
    pspec = g_param_spec_enum (self->name, NULL, self->blurb, leat_prop_get_enum (self, type_name), self->def.i, flags);
  else if (leat_prop_is_number (self))
    pspec = leat_prop_new_number_pspec (self, flags);
  else
    pspec = g_param_spec_string (self->name, NULL, self->blurb, self->def.s, flags);
  g_param_spec_set_qdata (pspec, leat_prop_quark (), (gpointer) self);
  return pspec;
}

const LeatProp *
leat_prop_from_pspec (GParamSpec *pspec)
{
  return g_param_spec_get_qdata (pspec, leat_prop_quark ());
}

void
leat_prop_get_field (const LeatProp *self, gpointer instance, GValue *value)
{
  switch (self->type)
    {
    case LEAT_PROP_BOOL:
      g_value_set_boolean (value, LEAT_PROP_FIELD (self, instance, gboolean));
      break;
    case LEAT_PROP_INT:
      g_value_set_int64 (value, LEAT_PROP_FIELD (self, instance, gint64));
      break;
    case LEAT_PROP_UINT:
    case LEAT_PROP_BYTES:
      g_value_set_uint64 (value, LEAT_PROP_FIELD (self, instance, guint64));
      break;
    case LEAT_PROP_DOUBLE:
      g_value_set_double (value, LEAT_PROP_FIELD (self, instance, gdouble));
      break;
    case LEAT_PROP_CHOICE:
      g_value_set_enum (value, LEAT_PROP_FIELD (self, instance, int));
      break;
    case LEAT_PROP_STRING:
    case LEAT_PROP_PATH:
      g_value_set_string (value, LEAT_PROP_FIELD (self, instance, char *));
      break;
    }
}

void
leat_prop_set_field (const LeatProp *self, gpointer instance, const GValue *value)
{
  switch (self->type)
    {
    case LEAT_PROP_BOOL:
      LEAT_PROP_FIELD (self, instance, gboolean) = g_value_get_boolean (value);
      break;
    case LEAT_PROP_INT:
      LEAT_PROP_FIELD (self, instance, gint64) = g_value_get_int64 (value);
      break;
    case LEAT_PROP_UINT:
    case LEAT_PROP_BYTES:
      LEAT_PROP_FIELD (self, instance, guint64) = g_value_get_uint64 (value);
      break;
    case LEAT_PROP_DOUBLE:
      LEAT_PROP_FIELD (self, instance, gdouble) = g_value_get_double (value);
      break;
    case LEAT_PROP_CHOICE:
      LEAT_PROP_FIELD (self, instance, int) = g_value_get_enum (value);
      break;
    case LEAT_PROP_STRING:
    case LEAT_PROP_PATH:
      g_free (LEAT_PROP_FIELD (self, instance, char *));
      LEAT_PROP_FIELD (self, instance, char *) = g_value_dup_string (value);
      break;
    }
}

void
leat_prop_init_field (const LeatProp *self, gpointer instance)
{
  switch (self->type)
    {
    case LEAT_PROP_BOOL:
      LEAT_PROP_FIELD (self, instance, gboolean) = self->def.i != 0;
      break;
    case LEAT_PROP_INT:
    case LEAT_PROP_UINT:
    case LEAT_PROP_BYTES:
      LEAT_PROP_FIELD (self, instance, guint64) = self->def.u;
      break;
    case LEAT_PROP_DOUBLE:
      LEAT_PROP_FIELD (self, instance, gdouble) = self->def.d;
      break;
    case LEAT_PROP_CHOICE:
      LEAT_PROP_FIELD (self, instance, int) = self->def.i;
      break;
    case LEAT_PROP_STRING:
    case LEAT_PROP_PATH:
      LEAT_PROP_FIELD (self, instance, char *) = g_strdup (self->def.s);
      break;
    }
}

void
leat_prop_clear_field (const LeatProp *self, gpointer instance)
{
  if (self->type == LEAT_PROP_STRING || self->type == LEAT_PROP_PATH)
    g_clear_pointer (&LEAT_PROP_FIELD (self, instance, char *), g_free);
}

gboolean
leat_prop_holds_default (const LeatProp *self, gpointer instance)
{
  switch (self->type)
    {
    case LEAT_PROP_BOOL:
      return LEAT_PROP_FIELD (self, instance, gboolean) == (self->def.i != 0);
    case LEAT_PROP_INT:
    case LEAT_PROP_UINT:
    case LEAT_PROP_BYTES:
      return LEAT_PROP_FIELD (self, instance, guint64) == self->def.u;
    case LEAT_PROP_DOUBLE:
      return LEAT_PROP_FIELD (self, instance, gdouble) == self->def.d;
    case LEAT_PROP_CHOICE:
      return LEAT_PROP_FIELD (self, instance, int) == self->def.i;
    default:
      return g_strcmp0 (LEAT_PROP_FIELD (self, instance, char *), self->def.s) == 0;
    }
}

static char *
leat_prop_print_value (const LeatProp *self, LeatPropValue value)
{
  if (self->type == LEAT_PROP_INT)
    return g_strdup_printf ("%" G_GINT64_FORMAT, value.i);
  if (self->type == LEAT_PROP_DOUBLE)
    return leat_prop_print_double (value.d, FALSE);
  return g_strdup_printf ("%" G_GUINT64_FORMAT, value.u);
}

char *
leat_prop_dup_range (const LeatProp *self)
{
  g_autofree char *min = NULL;
  g_autofree char *max = NULL;

  if (self->type == LEAT_PROP_CHOICE)
    return g_strjoinv (", ", (char **) self->choices);
  if (!leat_prop_has_min (self))
    return NULL;
  min = leat_prop_print_value (self, self->min);
  if (!leat_prop_has_max (self))
    return g_strdup_printf ("at least %s", min);
  max = leat_prop_print_value (self, self->max);
  return g_strdup_printf ("%s to %s", min, max);
}

char *
leat_prop_print_field (const LeatProp *self, gpointer instance)
{
  switch (self->type)
    {
    case LEAT_PROP_BOOL:
      return g_strdup (LEAT_PROP_FIELD (self, instance, gboolean) ? "true" : "false");
    case LEAT_PROP_CHOICE:
      return g_strdup (self->choices[LEAT_PROP_FIELD (self, instance, int)]);
    case LEAT_PROP_STRING:
    case LEAT_PROP_PATH:
      return g_strdup (LEAT_PROP_FIELD (self, instance, char *));
    case LEAT_PROP_DOUBLE:
      return leat_prop_print_double (LEAT_PROP_FIELD (self, instance, gdouble), FALSE);
    default:
      return leat_prop_print_value (self, (LeatPropValue){ .u = LEAT_PROP_FIELD (self, instance, guint64) });
    }
}
