/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib-object.h>

G_BEGIN_DECLS

#define LEAT_TYPE_SPEC (leat_spec_get_type ())
/**
 * LEAT_SPEC_MAX_DIMS:
 *
 * The most dimensions that a spec can have.
 */
#define LEAT_SPEC_MAX_DIMS 8

/**
 * LeatDtype:
 * @LEAT_DTYPE_ANY: not known yet; only in templates
 * @LEAT_DTYPE_U8: unsigned, 8 bits
 * @LEAT_DTYPE_I8: signed, 8 bits
 * @LEAT_DTYPE_U16: unsigned, 16 bits
 * @LEAT_DTYPE_I16: signed, 16 bits
 * @LEAT_DTYPE_U32: unsigned, 32 bits
 * @LEAT_DTYPE_I32: signed, 32 bits
 * @LEAT_DTYPE_U64: unsigned, 64 bits
 * @LEAT_DTYPE_I64: signed, 64 bits
 * @LEAT_DTYPE_F16: floating point, 16 bits
 * @LEAT_DTYPE_F32: floating point, 32 bits
 * @LEAT_DTYPE_F64: floating point, 64 bits
 * @LEAT_DTYPE_BF16: floating point, the upper 16 bits of an %LEAT_DTYPE_F32
 * @LEAT_DTYPE_F8E4M3: floating point, 4 bits of exponent and 3 of fraction, with NaN and no infinity
 * @LEAT_DTYPE_F8E5M2: floating point, the upper 8 bits of an %LEAT_DTYPE_F16
 * @LEAT_DTYPE_C64: a complex number, two of %LEAT_DTYPE_F32
 * @LEAT_DTYPE_C128: a complex number, two of %LEAT_DTYPE_F64
 * @LEAT_DTYPE_BOOL: a byte that is 0 or 1
 * @LEAT_DTYPE_RECORD: fields with names, which the spec tells
 *
 * The type of one item.
 */
typedef enum
{
  LEAT_DTYPE_ANY,
  LEAT_DTYPE_U8,
  LEAT_DTYPE_I8,
  LEAT_DTYPE_U16,
  LEAT_DTYPE_I16,
  LEAT_DTYPE_U32,
  LEAT_DTYPE_I32,
  LEAT_DTYPE_U64,
  LEAT_DTYPE_I64,
  LEAT_DTYPE_F16,
  LEAT_DTYPE_F32,
  LEAT_DTYPE_F64,
  LEAT_DTYPE_BF16,
  LEAT_DTYPE_F8E4M3,
  LEAT_DTYPE_F8E5M2,
  LEAT_DTYPE_C64,
  LEAT_DTYPE_C128,
  LEAT_DTYPE_BOOL,
  LEAT_DTYPE_RECORD,
} LeatDtype;

/**
 * LeatSpecStyle:
 * @LEAT_SPEC_STYLE_FILE: `f32[480,640]`, `u8[<=4194304]`, `{x:f32,y:f32[3]}[100]`
 * @LEAT_SPEC_STYLE_SHELL: `f32:480x640`, `u8:max4194304`, `{x:f32+y:f32:3}:100`; no character that a shell touches
 *
 * The spellings of a spec.
 */
typedef enum
{
  LEAT_SPEC_STYLE_FILE,
  LEAT_SPEC_STYLE_SHELL
} LeatSpecStyle;

/**
 * LeatSpec:
 *
 * Type and shape of the data at a port.
 *
 * Immutable and reference-counted.  A dimension is a number, a name (`f32[h,w]`: equal names within one node's ports
 * are equal numbers), or `*` (any).  The leading dimension may be bounded (`u8[<=4096]`, `u8[<=n]`): a fixed capacity,
 * and a 64-bit count that is data; a leading `*` accepts that too, a number or a plain name does not.  A spec without
 * names and without `*` is fixed: its bytes are known.  `any` without brackets accepts every spec.  A scalar is
 * `f32[]`.
 *
 * Items may be records: `{x:f32,y:f32,id:u32}[n]`.  A field begins where the one before it ends, or at the byte behind
 * an `@`; an `@` without a name, at the end, is the size of an item: `{a:u8,b:f32@4,@12}`.  A field may be an array of
 * fixed size or another record.
 */
typedef struct _LeatSpec LeatSpec;

GType leat_spec_get_type (void) G_GNUC_CONST;

LeatSpec *leat_spec_new (LeatDtype dtype, const guint64 *dims, guint n_dims, gboolean bounded);
LeatSpec *leat_spec_new_any (void);
LeatSpec *leat_spec_new_with_meaning (LeatSpec *like, GVariant *meaning);
LeatSpec *leat_spec_new_with_shape (LeatSpec *like, const guint64 *dims, guint n_dims, gboolean bounded);
LeatSpec *leat_spec_parse (const char *text, GError **error);
LeatSpec *leat_spec_ref (LeatSpec *self);
void leat_spec_unref (LeatSpec *self);

char *leat_spec_to_string (LeatSpec *self, LeatSpecStyle style);
gboolean leat_spec_equal (LeatSpec *self, LeatSpec *other);

LeatDtype leat_spec_get_dtype (LeatSpec *self);
guint leat_spec_get_n_dims (LeatSpec *self);
gboolean leat_spec_has_shape (LeatSpec *self);
guint64 leat_spec_get_dim (LeatSpec *self, guint index);
const char *leat_spec_get_dim_name (LeatSpec *self, guint index);
gboolean leat_spec_is_bounded (LeatSpec *self);
gboolean leat_spec_is_fixed (LeatSpec *self);
GVariant *leat_spec_get_meaning (LeatSpec *self);
guint64 leat_spec_get_item_bytes (LeatSpec *self);
/* Only for records */
guint leat_spec_get_n_fields (LeatSpec *self);
const char *leat_spec_get_field_name (LeatSpec *self, guint index);
LeatSpec *leat_spec_get_field_spec (LeatSpec *self, guint index);
guint64 leat_spec_get_field_offset (LeatSpec *self, guint index);
char *leat_spec_dup_first_path (LeatSpec *self);
LeatSpec *leat_spec_find_field (LeatSpec *self, const char *path, guint64 *offset, GError **error);
/* Only for fixed specs */
guint64 leat_spec_get_items (LeatSpec *self);
guint64 leat_spec_get_row_bytes (LeatSpec *self);
guint64 leat_spec_get_bytes (LeatSpec *self);

LeatSpec *leat_spec_intersect (LeatSpec *self, LeatSpec *other, GError **error);
gboolean leat_spec_bind (LeatSpec *self, LeatSpec *fixed, GHashTable *names, GError **error);
LeatSpec *leat_spec_resolve (LeatSpec *self, GHashTable *names, GError **error);

gsize leat_dtype_get_size (LeatDtype dtype);
const char *leat_dtype_get_name (LeatDtype dtype);
LeatDtype leat_dtype_from_name (const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatSpec, leat_spec_unref)

G_END_DECLS
