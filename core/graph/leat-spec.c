/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The type: its life, its dimensions, and the bytes of a fixed spec.  A spec never changes once it is made. */

#include "leat-spec-private.h"

G_DEFINE_BOXED_TYPE (LeatSpec, leat_spec, leat_spec_ref, leat_spec_unref)

LeatSpec *
leat_spec_alloc (LeatDtype dtype, gboolean has_shape)
{
  LeatSpec *self = g_new0 (LeatSpec, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->dtype = dtype;
  self->has_shape = has_shape;
  return self;
}

LeatSpec *
leat_spec_alloc_like (LeatSpec *like, gboolean has_shape)
{
  LeatSpec *self = leat_spec_alloc (like->dtype, has_shape);

  self->record = like->record != NULL ? leat_record_ref (like->record) : NULL;
  return self;
}

void
leat_spec_add_dim (LeatSpec *self, LeatDimKind kind, guint64 number, const char *name)
{
  LeatDim *dim = &self->dims[self->n_dims++];

  g_assert (self->n_dims <= LEAT_SPEC_MAX_DIMS);
  dim->kind = kind;
  dim->number = kind == LEAT_DIM_NUMBER ? number : 0;
  dim->name = kind == LEAT_DIM_NAME ? g_strdup (name) : NULL;
}

gboolean
leat_spec_seal (LeatSpec *self)
{
  guint64 item = MAX (leat_spec_get_item_bytes (self), 1), row = item;
  guint64 all;

  self->fixed = self->has_shape && self->dtype != LEAT_DTYPE_ANY;
  for (guint i = 1; i < self->n_dims; i++)
    if (self->dims[i].kind == LEAT_DIM_NUMBER
        && (!g_uint64_checked_mul (&row, row, self->dims[i].number) || row > LEAT_SPEC_MAX_BYTES))
      return FALSE;
  all = row;
  if (self->n_dims > 0 && self->dims[0].kind == LEAT_DIM_NUMBER
      && (!g_uint64_checked_mul (&all, row, self->dims[0].number) || all > LEAT_SPEC_MAX_BYTES))
    return FALSE;
  for (guint i = 0; i < self->n_dims; i++)
    self->fixed &= self->dims[i].kind == LEAT_DIM_NUMBER;
  if (self->fixed)
    {
      self->row_bytes = row;
      self->bytes = all;
      self->items = all / item;
    }
  return TRUE;
}

/* With dimensions and sizes. (nullable) */
static LeatSpec *
leat_spec_take_shape (LeatSpec *spec, const guint64 *dims, guint n_dims, gboolean bounded)
{
  g_autoptr (LeatSpec) self = spec;

  self->bounded = bounded;
  for (guint i = 0; i < n_dims; i++)
    leat_spec_add_dim (self, dims[i] == 0 ? LEAT_DIM_ANY : LEAT_DIM_NUMBER, dims[i], NULL);
  return leat_spec_seal (self) ? g_steal_pointer (&self) : NULL;
}

/**
 * leat_spec_new:
 * @dtype: the type of an item; %LEAT_DTYPE_ANY makes a template; not %LEAT_DTYPE_RECORD, see
 *   leat_spec_new_with_shape()
 * @dims: (array length=n_dims) (nullable): the dimensions, the slowest first; 0 stands for `*`
 * @n_dims: how many there are, at most %LEAT_SPEC_MAX_DIMS; none makes a scalar
 * @bounded: whether the leading dimension is a capacity
 *
 * Makes a spec from numbers, as a source does that has read a file's header.
 *
 * Numbers from outside can be hostile, so a size that is beyond all memory is no programming error here.
 *
 * Returns: (transfer full) (nullable): the spec, or %NULL when its bytes are more than 2^62
 *
 * Since: 0.1
 */
LeatSpec *
leat_spec_new (LeatDtype dtype, const guint64 *dims, guint n_dims, gboolean bounded)
{
  g_return_val_if_fail (dtype != LEAT_DTYPE_RECORD, NULL);
  g_return_val_if_fail (n_dims <= LEAT_SPEC_MAX_DIMS, NULL);
  g_return_val_if_fail (n_dims == 0 || dims != NULL, NULL);
  g_return_val_if_fail (!bounded || n_dims > 0, NULL);

  return leat_spec_take_shape (leat_spec_alloc (dtype, TRUE), dims, n_dims, bounded);
}

/**
 * leat_spec_new_with_shape:
 * @like: a spec
 * @dims: (array length=n_dims) (nullable): the dimensions, the slowest first; 0 stands for `*`
 * @n_dims: how many there are, at most %LEAT_SPEC_MAX_DIMS; none makes a scalar
 * @bounded: whether the leading dimension is a capacity
 *
 * Makes a spec with the items of another one, which may be records, in a shape of its own.
 *
 * Returns: (transfer full) (nullable): the spec, or %NULL when its bytes are more than 2^62
 *
 * Since: 0.1
 */
LeatSpec *
leat_spec_new_with_shape (LeatSpec *like, const guint64 *dims, guint n_dims, gboolean bounded)
{
  g_return_val_if_fail (like != NULL, NULL);
  g_return_val_if_fail (n_dims <= LEAT_SPEC_MAX_DIMS, NULL);
  g_return_val_if_fail (n_dims == 0 || dims != NULL, NULL);
  g_return_val_if_fail (!bounded || n_dims > 0, NULL);

  return leat_spec_take_shape (leat_spec_alloc_like (like, TRUE), dims, n_dims, bounded);
}

/**
 * leat_spec_new_any:
 *
 * Makes the template that accepts every spec.
 *
 * Returns: (transfer full): the spec `any`
 *
 * Since: 0.1
 */
LeatSpec *
leat_spec_new_any (void)
{
  return leat_spec_alloc (LEAT_DTYPE_ANY, FALSE);
}

/**
 * leat_spec_ref: (skip)
 * @self: a spec
 *
 * Adds a reference.
 *
 * Returns: (transfer full): @self
 *
 * Since: 0.1
 */
LeatSpec *
leat_spec_ref (LeatSpec *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * leat_spec_unref: (skip)
 * @self: (transfer full): a spec
 *
 * Drops a reference; with the last one the spec goes.
 *
 * Since: 0.1
 */
void
leat_spec_unref (LeatSpec *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  for (guint i = 0; i < self->n_dims; i++)
    g_free (self->dims[i].name);
  g_clear_pointer (&self->meaning, g_variant_unref);
  g_clear_pointer (&self->record, leat_record_unref);
  g_free (self);
}

static gboolean
leat_spec_has_items_of (LeatSpec *self, LeatSpec *other)
{
  g_autofree char *difference = NULL;

  if (self->dtype != other->dtype || self->record == other->record)
    return self->dtype == other->dtype;
  difference = leat_record_dup_difference (self->record, other->record);
  return difference == NULL;
}

/**
 * leat_spec_equal:
 * @self: a spec
 * @other: another one
 *
 * Tells whether two specs are written alike: same type, same shape, same names.
 *
 * Returns: whether they are equal
 *
 * Since: 0.1
 */
gboolean
leat_spec_equal (LeatSpec *self, LeatSpec *other)
{
  g_return_val_if_fail (self != NULL && other != NULL, FALSE);

  if (self == other)
    return TRUE;
  if (!leat_spec_has_items_of (self, other) || self->has_shape != other->has_shape || self->bounded != other->bounded
      || self->n_dims != other->n_dims)
    return FALSE;
  for (guint i = 0; i < self->n_dims; i++)
    {
      const LeatDim *a = &self->dims[i], *b = &other->dims[i];

      if (a->kind != b->kind || a->number != b->number || g_strcmp0 (a->name, b->name) != 0)
        return FALSE;
    }
  return TRUE;
}

/**
 * leat_spec_get_dtype:
 * @self: a spec
 *
 * Gets the type of an item.
 *
 * Returns: the type
 *
 * Since: 0.1
 */
LeatDtype
leat_spec_get_dtype (LeatSpec *self)
{
  g_return_val_if_fail (self != NULL, LEAT_DTYPE_ANY);

  return self->dtype;
}

/**
 * leat_spec_get_n_dims:
 * @self: a spec
 *
 * Gets the number of dimensions.
 *
 * Returns: how many; 0 for a scalar and for a template without a shape, see leat_spec_has_shape()
 *
 * Since: 0.1
 */
guint
leat_spec_get_n_dims (LeatSpec *self)
{
  g_return_val_if_fail (self != NULL, 0);

  return self->n_dims;
}

/**
 * leat_spec_has_shape:
 * @self: a spec
 *
 * Tells whether the spec says anything about the shape: the templates `any` and `f32` do not, the scalar `f32[]` does.
 *
 * Returns: whether there is a shape
 *
 * Since: 0.1
 */
gboolean
leat_spec_has_shape (LeatSpec *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->has_shape;
}

/**
 * leat_spec_get_dim:
 * @self: a spec
 * @index: which dimension, the slowest is 0
 *
 * Gets the size of one dimension; for a bounded leading one its capacity.
 *
 * Returns: the number; 0 when it is a name or `*`
 *
 * Since: 0.1
 */
guint64
leat_spec_get_dim (LeatSpec *self, guint index)
{
  g_return_val_if_fail (self != NULL && index < self->n_dims, 0);

  return self->dims[index].number;
}

/**
 * leat_spec_get_dim_name:
 * @self: a spec
 * @index: which dimension, the slowest is 0
 *
 * Gets the name of one dimension.
 *
 * Returns: (transfer none) (nullable): the name, or %NULL when it is a number or `*`
 *
 * Since: 0.1
 */
const char *
leat_spec_get_dim_name (LeatSpec *self, guint index)
{
  g_return_val_if_fail (self != NULL && index < self->n_dims, NULL);

  return self->dims[index].name;
}

/**
 * leat_spec_is_bounded:
 * @self: a spec
 *
 * Tells whether the leading dimension is a capacity, with a count that is data.
 *
 * Returns: whether it is bounded
 *
 * Since: 0.1
 */
gboolean
leat_spec_is_bounded (LeatSpec *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->bounded;
}

/**
 * leat_spec_is_fixed:
 * @self: a spec
 *
 * Tells whether the type and every dimension are known, and so the bytes.
 *
 * Returns: whether it is fixed
 *
 * Since: 0.1
 */
gboolean
leat_spec_is_fixed (LeatSpec *self)
{
  g_return_val_if_fail (self != NULL, FALSE);

  return self->fixed;
}

/**
 * leat_spec_get_items:
 * @self: a fixed spec
 *
 * Gets the number of items in full capacity: the product of the dimensions, 1 for a scalar.
 *
 * Returns: items
 *
 * Since: 0.1
 */
guint64
leat_spec_get_items (LeatSpec *self)
{
  g_return_val_if_fail (self != NULL && self->fixed, 0);

  return self->items;
}

/**
 * leat_spec_get_row_bytes:
 * @self: a fixed spec
 *
 * Gets the bytes of one step of the leading dimension; those of the item for a scalar.
 *
 * Returns: bytes
 *
 * Since: 0.1
 */
guint64
leat_spec_get_row_bytes (LeatSpec *self)
{
  g_return_val_if_fail (self != NULL && self->fixed, 0);

  return self->row_bytes;
}

/**
 * leat_spec_get_bytes:
 * @self: a fixed spec
 *
 * Gets the bytes of all items in full capacity, without any header that a buffer may have.
 *
 * Returns: bytes, at most 2^62
 *
 * Since: 0.1
 */
guint64
leat_spec_get_bytes (LeatSpec *self)
{
  g_return_val_if_fail (self != NULL && self->fixed, 0);

  return self->bytes;
}
