/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Compares two specs: finds what both accept, and the values of names that come of it.  Gives new specs and changes
 * neither of the two. */

#include "leat-graph-error.h"
#include "leat-spec-private.h"

G_GNUC_PRINTF (4, 5)
static void
leat_spec_set_mismatch (LeatSpec *self, LeatSpec *other, GError **error, const char *format, ...)
{
  g_autofree char *a = leat_spec_to_string (self, LEAT_SPEC_STYLE_FILE);
  g_autofree char *b = leat_spec_to_string (other, LEAT_SPEC_STYLE_FILE);
  g_autofree char *why = NULL;
  va_list args;

  va_start (args, format);
  why = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "%s and %s do not agree: %s", a, b, why);
}

/* "up0.out (u8[5])", or the spec alone where nobody said whose it is. */
static char *
leat_spec_dup_side (LeatSpec *self, const char *label)
{
  g_autofree char *text = leat_spec_to_string (self, LEAT_SPEC_STYLE_FILE);

  return label != NULL ? g_strdup_printf ("%s (%s)", label, text) : g_steal_pointer (&text);
}

static void
leat_spec_set_dim_mismatch (const LeatSpecSide *self, const LeatSpecSide *other, guint dim, GError **error)
{
  g_autofree char *a = leat_spec_dup_side (self->spec, self->label);
  g_autofree char *b = leat_spec_dup_side (other->spec, other->label);

  leat_spec_set_mismatch (self->spec, other->spec, error,
                          "dimension %u is %" G_GUINT64_FORMAT " in %s and %" G_GUINT64_FORMAT " in %s", dim,
                          self->spec->dims[dim].number, a, other->spec->dims[dim].number, b);
}

/* A leading `*` stands for a capacity as well; a number or a name is a size that every run has. */
static gboolean
leat_spec_takes_bounded (LeatSpec *self)
{
  return self->bounded || self->dims[0].kind == LEAT_DIM_ANY;
}

/* A kernel that takes records of any number takes their bytes as well. */
static gboolean
leat_spec_takes_bytes (LeatSpec *self, LeatSpec *other)
{
  return self->record != NULL && !self->has_shape && other->dtype == LEAT_DTYPE_U8;
}

/* The one that says more about an item. */
static LeatSpec *
leat_spec_choose_items (LeatSpec *self, LeatSpec *other)
{
  return self->dtype == LEAT_DTYPE_ANY || leat_spec_takes_bytes (self, other) ? other : self;
}

static gboolean
leat_spec_check_items (LeatSpec *self, LeatSpec *other, GError **error)
{
  g_autofree char *difference = NULL;

  if (self->dtype == LEAT_DTYPE_ANY || other->dtype == LEAT_DTYPE_ANY || leat_spec_takes_bytes (self, other)
      || leat_spec_takes_bytes (other, self))
    return TRUE;
  if (self->dtype != other->dtype)
    difference = g_strdup_printf ("%s is not %s", self->record != NULL ? "a record" : leat_dtype_get_name (self->dtype),
                                  other->record != NULL ? "a record" : leat_dtype_get_name (other->dtype));
  else if (self->record != NULL)
    difference = leat_record_dup_difference (self->record, other->record);
  if (difference != NULL)
    leat_spec_set_mismatch (self, other, error, "%s", difference);
  return difference == NULL;
}

static gboolean
leat_spec_check_shape (LeatSpec *self, LeatSpec *other, GError **error)
{
  if (!leat_spec_check_items (self, other, error))
    return FALSE;
  if (!self->has_shape || !other->has_shape)
    return TRUE;
  if (self->n_dims != other->n_dims)
    {
      leat_spec_set_mismatch (self, other, error, "%u dimension%s against %u", self->n_dims,
                              self->n_dims == 1 ? "" : "s", other->n_dims);
      return FALSE;
    }
  if ((self->bounded && !leat_spec_takes_bounded (other)) || (other->bounded && !leat_spec_takes_bounded (self)))
    {
      leat_spec_set_mismatch (
        self, other, error, "a bounded leading dimension (<=) has a count that varies, the other one is a fixed size");
      return FALSE;
    }
  return TRUE;
}

/* Enters @name = @value, or checks it against what is there. */
static gboolean
leat_spec_bind_name (GHashTable *names, const char *name, guint64 value, guint64 *was)
{
  const guint64 *known = g_hash_table_lookup (names, name);
  guint64 *copy;

  if (known != NULL)
    {
      *was = *known;
      return *known == value;
    }
  copy = g_new (guint64, 1);
  *copy = value;
  g_hash_table_insert (names, g_strdup (name), copy);
  return TRUE;
}

static void
leat_spec_set_name_mismatch (const LeatSpecSide *first, const LeatSpecSide *second, guint dim, guint64 was,
                             GError **error)
{
  LeatSpec *self = first->spec, *other = second->spec;
  const char *name = self->dims[dim].name;
  g_autofree char *a = leat_spec_dup_side (self, first->label);
  g_autofree char *b = leat_spec_dup_side (other, second->label);

  for (guint i = 0; i < dim; i++)
    if (self->dims[i].kind == LEAT_DIM_NAME && g_str_equal (self->dims[i].name, name))
      {
        leat_spec_set_mismatch (self, other, error,
                                "dimensions %u and %u of %s are both %s, and %" G_GUINT64_FORMAT
                                " and %" G_GUINT64_FORMAT " in %s",
                                i, dim, a, name, was, other->dims[dim].number, b);
        return;
      }
  leat_spec_set_mismatch (self, other, error, "%s would be both %" G_GUINT64_FORMAT " and %" G_GUINT64_FORMAT, name,
                          was, other->dims[dim].number);
}

/* Numbers on one side give the other side's names their values; the sides' names are strangers to each other. */
static gboolean
leat_spec_collect_names (const LeatSpecSide *first, const LeatSpecSide *second, GHashTable *names, GError **error)
{
  LeatSpec *self = first->spec, *other = second->spec;

  for (guint i = 0; i < self->n_dims && self->n_dims == other->n_dims; i++)
    {
      guint64 was = 0;

      if (self->dims[i].kind != LEAT_DIM_NAME || other->dims[i].kind != LEAT_DIM_NUMBER
          || leat_spec_bind_name (names, self->dims[i].name, other->dims[i].number, &was))
        continue;
      leat_spec_set_name_mismatch (first, second, i, was, error);
      return FALSE;
    }
  return TRUE;
}

static gboolean
leat_spec_has_names (LeatSpec *self)
{
  for (guint i = 0; i < self->n_dims; i++)
    if (self->dims[i].kind == LEAT_DIM_NAME)
      return TRUE;
  return FALSE;
}

/* @side with the values of its names that @other gives it: itself where it has no names. (transfer full) */
static LeatSpec *
leat_spec_resolve_side (const LeatSpecSide *side, const LeatSpecSide *other, GError **error)
{
  g_autoptr (GHashTable) names = NULL;

  if (!leat_spec_has_names (side->spec))
    return leat_spec_ref (side->spec);
  names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  return leat_spec_collect_names (side, other, names, error) ? leat_spec_resolve (side->spec, names, error) : NULL;
}

/* The two dims in the order of how much they say: a number, a name, anything. */
static const LeatDim *
leat_spec_choose_dim (const LeatDim *a, const LeatDim *b)
{
  if (a->kind == LEAT_DIM_NUMBER || b->kind == LEAT_DIM_ANY)
    return a;
  if (b->kind == LEAT_DIM_NUMBER || a->kind == LEAT_DIM_ANY)
    return b;
  return a;
}

static gboolean
leat_spec_intersect_dims (LeatSpec *result, const LeatSpecSide *self, const LeatSpecSide *other, GError **error)
{
  for (guint i = 0; i < self->spec->n_dims; i++)
    {
      const LeatDim *a = &self->spec->dims[i], *b = &other->spec->dims[i];
      const LeatDim *dim = leat_spec_choose_dim (a, b);

      if (a->kind == LEAT_DIM_NUMBER && b->kind == LEAT_DIM_NUMBER && a->number != b->number)
        {
          leat_spec_set_dim_mismatch (self, other, i, error);
          return FALSE;
        }
      leat_spec_add_dim (result, dim->kind, dim->number, dim->name);
    }
  return TRUE;
}

/* Seals what a match made; a size that only now is known may be too large. */
static LeatSpec *
leat_spec_finish_match (LeatSpec *self, GError **error)
{
  g_autofree char *text = NULL;

  if (leat_spec_seal (self))
    return self;
  text = leat_spec_to_string (self, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "%s is more than 2^62 bytes", text);
  leat_spec_unref (self);
  return NULL;
}

static LeatSpec *
leat_spec_with_items (LeatSpec *self, LeatSpec *items, GError **error)
{
  LeatSpec *copy;

  if (self->dtype == items->dtype)
    return leat_spec_ref (self);
  copy = leat_spec_alloc_like (items, self->has_shape);
  copy->bounded = self->bounded;
  for (guint i = 0; i < self->n_dims; i++)
    leat_spec_add_dim (copy, self->dims[i].kind, self->dims[i].number, self->dims[i].name);
  return leat_spec_finish_match (copy, error);
}

LeatSpec *
leat_spec_with_leading (LeatSpec *self, guint64 number)
{
  LeatSpec *copy;

  if (!self->has_shape || self->n_dims == 0)
    return leat_spec_ref (self);
  copy = leat_spec_alloc_like (self, TRUE);
  copy->bounded = self->bounded;
  leat_spec_add_dim (copy, number > 0 ? LEAT_DIM_NUMBER : LEAT_DIM_ANY, number, NULL);
  for (guint i = 1; i < self->n_dims; i++)
    leat_spec_add_dim (copy, self->dims[i].kind, self->dims[i].number, self->dims[i].name);
  if (leat_spec_seal (copy))
    return copy;
  leat_spec_unref (copy);
  return leat_spec_ref (self);
}

LeatSpec *
leat_spec_intersect_sides (const LeatSpecSide *first, const LeatSpecSide *second, GError **error)
{
  LeatSpec *self = first->spec, *other = second->spec, *items = leat_spec_choose_items (self, other);
  g_autoptr (LeatSpec) result = NULL;
  g_autoptr (LeatSpec) mine = NULL;
  g_autoptr (LeatSpec) theirs = NULL;

  if (!leat_spec_check_shape (self, other, error))
    return NULL;
  if (!self->has_shape || !other->has_shape)
    return leat_spec_with_items (self->has_shape ? self : other, items, error);
  mine = leat_spec_resolve_side (first, second, error);
  theirs = mine != NULL ? leat_spec_resolve_side (second, first, error) : NULL;
  if (theirs == NULL)
    return NULL;
  result = leat_spec_alloc_like (items, TRUE);
  result->bounded = self->bounded || other->bounded;
  if (!leat_spec_intersect_dims (result, &(LeatSpecSide){ mine, first->label },
                                 &(LeatSpecSide){ theirs, second->label }, error))
    return NULL;
  return leat_spec_finish_match (g_steal_pointer (&result), error);
}

/**
 * leat_spec_intersect:
 * @self: a spec, fixed or a template
 * @other: another one
 * @error: return location
 *
 * Finds the most specific spec that both accept.
 *
 * Names of the two sides are strangers: a name that meets a number becomes that number in all its places, a name that
 * meets a name stays @self's.
 *
 * Returns: (transfer full): the spec, or %NULL with %LEAT_GRAPH_ERROR_SPEC
 *
 * Since: 0.1
 */
LeatSpec *
leat_spec_intersect (LeatSpec *self, LeatSpec *other, GError **error)
{
  g_return_val_if_fail (self != NULL && other != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  return leat_spec_intersect_sides (&(LeatSpecSide){ self, NULL }, &(LeatSpecSide){ other, NULL }, error);
}

gboolean
leat_spec_bind_sides (const LeatSpecSide *accepted, const LeatSpecSide *given, GHashTable *names, GError **error)
{
  LeatSpec *self = accepted->spec, *fixed = given->spec;

  if (!leat_spec_check_shape (self, fixed, error))
    return FALSE;
  if (!self->has_shape)
    return TRUE;
  for (guint i = 0; i < self->n_dims; i++)
    if (self->dims[i].kind == LEAT_DIM_NUMBER && self->dims[i].number != fixed->dims[i].number)
      {
        leat_spec_set_dim_mismatch (accepted, given, i, error);
        return FALSE;
      }
  return leat_spec_collect_names (accepted, given, names, error);
}

/**
 * leat_spec_bind: (skip)
 * @self: a template
 * @fixed: a fixed spec that flows there
 * @names: (element-type utf8 guint64): names and their values so far; keys and values are freed with g_free()
 * @error: return location
 *
 * Matches a template against a fixed spec and enters the values of its names.
 *
 * Equal names within one node are equal numbers, so one table serves all ports of a node.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_SPEC when the template does not accept @fixed, or a name has another value
 *
 * Since: 0.1
 */
gboolean
leat_spec_bind (LeatSpec *self, LeatSpec *fixed, GHashTable *names, GError **error)
{
  g_return_val_if_fail (self != NULL && fixed != NULL && names != NULL, FALSE);
  g_return_val_if_fail (fixed->fixed, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  return leat_spec_bind_sides (&(LeatSpecSide){ self, NULL }, &(LeatSpecSide){ fixed, NULL }, names, error);
}

/**
 * leat_spec_resolve: (skip)
 * @self: a spec
 * @names: (element-type utf8 guint64): names and their values
 * @error: return location
 *
 * Replaces names by their values; names that are not in @names stay.
 *
 * Returns: (transfer full): the spec, or %NULL with %LEAT_GRAPH_ERROR_SPEC when its bytes are more than 2^62
 *
 * Since: 0.1
 */
LeatSpec *
leat_spec_resolve (LeatSpec *self, GHashTable *names, GError **error)
{
  LeatSpec *result;

  g_return_val_if_fail (self != NULL && names != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (!leat_spec_has_names (self) && self->meaning == NULL)
    return leat_spec_ref (self);
  result = leat_spec_alloc_like (self, self->has_shape);
  result->bounded = self->bounded;
  for (guint i = 0; i < self->n_dims; i++)
    {
      const LeatDim *dim = &self->dims[i];
      const guint64 *value = dim->kind == LEAT_DIM_NAME ? g_hash_table_lookup (names, dim->name) : NULL;

      if (value != NULL)
        leat_spec_add_dim (result, LEAT_DIM_NUMBER, *value, NULL);
      else
        leat_spec_add_dim (result, dim->kind, dim->number, dim->name);
    }
  return leat_spec_finish_match (result, error);
}
