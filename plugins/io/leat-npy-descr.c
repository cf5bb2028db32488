/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The type of items in the head of .npy files, read and written: NumPy's names of types, and lists of fields. */

#include "leat-npy-text.h"

#include <string.h>

#define LEAT_NPY_MAX_DEPTH 8 /* of records */

/* Types that NumPy does not have are written as ml_dtypes writes them: the size alone, but for one that has a kind. */
static LeatDtype
leat_npy_find_dtype (char kind, guint64 size)
{
  static const struct
  {
    char kind;
    guint8 size;
    LeatDtype dtype;
  } types[] = {
    { 'b', 1, LEAT_DTYPE_BOOL },   { 'u', 1, LEAT_DTYPE_U8 },     { 'u', 2, LEAT_DTYPE_U16 },
    { 'u', 4, LEAT_DTYPE_U32 },    { 'u', 8, LEAT_DTYPE_U64 },    { 'i', 1, LEAT_DTYPE_I8 },
    { 'i', 2, LEAT_DTYPE_I16 },    { 'i', 4, LEAT_DTYPE_I32 },    { 'i', 8, LEAT_DTYPE_I64 },
    { 'f', 2, LEAT_DTYPE_F16 },    { 'f', 4, LEAT_DTYPE_F32 },    { 'f', 8, LEAT_DTYPE_F64 },
    { 'c', 8, LEAT_DTYPE_C64 },    { 'c', 16, LEAT_DTYPE_C128 },  { 'V', 2, LEAT_DTYPE_BF16 },
    { 'V', 1, LEAT_DTYPE_F8E4M3 }, { 'f', 1, LEAT_DTYPE_F8E5M2 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (types[i].kind == kind && types[i].size == size)
      return types[i].dtype;
  return LEAT_DTYPE_ANY;
}

/* Names that other libraries write where NumPy has none. */
static LeatDtype
leat_npy_find_name (const char *name)
{
  static const struct
  {
    const char *name;
    LeatDtype dtype;
  } names[] = { { "bfloat16", LEAT_DTYPE_BF16 },
                { "float8_e4m3fn", LEAT_DTYPE_F8E4M3 },
                { "float8_e5m2", LEAT_DTYPE_F8E5M2 },
                { "bool", LEAT_DTYPE_BOOL } };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i].name, name))
      return names[i].dtype;
  return LEAT_DTYPE_ANY;
}

/* What came of a type's name. */
typedef struct
{
  LeatDtype dtype;
  gboolean swapped;
  gboolean nameless;
  guint64 size;
} LeatNpyType;

static LeatNpyType
leat_npy_find_type (const char *descr)
{
  const char native = G_BYTE_ORDER == G_LITTLE_ENDIAN ? '<' : '>';
  LeatNpyType type = { .dtype = LEAT_DTYPE_ANY };

  if (strchr ("<>=|", descr[0]) != NULL && descr[0] != '\0' && descr[1] != '\0'
      && g_ascii_string_to_unsigned (descr + 2, 10, 1, G_MAXUINT32, &type.size, NULL))
    type.dtype = leat_npy_find_dtype (descr[1], type.size);
  else
    type.dtype = leat_npy_find_name (descr);
  if (descr[0] == '|' && type.size > 1 && descr[1] != 'V')
    type.dtype = LEAT_DTYPE_ANY;
  type.nameless = descr[1] == 'V' && type.size == 1;
  type.swapped = type.size > 1 && descr[0] != native && descr[0] != '=' && descr[0] != '|';
  return type;
}

/* The text of a record for a spec, while it grows. */
typedef struct
{
  GString *text;
  guint64 bytes;
} LeatNpyRecord;

static gboolean leat_npy_text_read_record (LeatNpyText *self, LeatNpyRecord *record, guint depth);

/* 'x', or ('title', 'x').  An empty one is of a gap. @title: (out): empty where it has none */
static gboolean
leat_npy_text_read_field_name (LeatNpyText *self, char name[64], char title[256])
{
  gboolean has_title = leat_npy_text_take (self, '('), good;

  title[0] = '\0';
  if (has_title
      && (!leat_npy_text_read_string (self, title, 256) || !leat_npy_text_expect (self, ',', "behind a title")))
    return FALSE;
  if (!leat_npy_text_read_string (self, name, 64)
      || (has_title && !leat_npy_text_expect (self, ')', "behind a field's name")))
    return FALSE;
  good = !g_ascii_isdigit (*name);
  for (const char *c = name; *c != '\0'; c++)
    good = good && (g_ascii_isalnum (*c) || *c == '_');
  return good
         || leat_npy_refuse (self->error,
                             "it has a field \"%s\", and a field's name is letters, digits and _, not a digit first: "
                             "rename it, as NumPy's lib.recfunctions.rename_fields () does",
                             name);
}

static gboolean
leat_npy_text_refuse_type (LeatNpyText *self, const char *name, const char *descr, const LeatNpyType *type)
{
  if (type->swapped && type->dtype != LEAT_DTYPE_ANY)
    return leat_npy_refuse (self->error,
                            "field \"%s\" is \"%s\", which has its bytes in the other order; save a.astype "
                            "(a.dtype.newbyteorder (\"=\")) in place of a",
                            name, descr);
  if (type->nameless)
    return leat_npy_refuse (self->error,
                            "field \"%s\" is of type \"%s\", which several types of 8 bits are saved as; save it as "
                            "\"u1\", or leave it out, as a[[\"x\", \"y\"]]",
                            name, descr);
  return leat_npy_refuse (
    self->error,
    descr[1] == 'O' ? "field \"%s\" is \"%s\": objects of Python, which are no data outside of it; save the "
                      "other fields, as a[[\"x\", \"y\"]]"
                    : "field \"%s\" is of type \"%s\", which Leat does not have; make it one of u1 to u8, i1 to "
                      "i8, f2, f4, f8, c8, c16 or bool, or leave it out, as a[[\"x\", \"y\"]]",
    name, descr);
}

/* Several types of 8 bits are written as V1.  In a record no property can say which one a field is, so its title does:
 * `x:f8e4m3`, which as all titles of NumPy's has to be no other's. */
static char *
leat_npy_dup_title (const char *name, LeatDtype dtype)
{
  return g_strdup_printf ("%s:%s", name, leat_dtype_get_name (dtype));
}

static void
leat_npy_name_type (LeatNpyType *type, const char *name, const char *title)
{
  static const LeatDtype dtypes[] = { LEAT_DTYPE_F8E4M3, LEAT_DTYPE_F8E5M2 };

  for (guint i = 0; type->nameless && i < G_N_ELEMENTS (dtypes); i++)
    {
      g_autofree char *says = leat_npy_dup_title (name, dtypes[i]);

      if (g_str_equal (says, title))
        *type = (LeatNpyType){ .dtype = dtypes[i], .size = 1 };
    }
}

/* @bytes: (out): of one item of the field; @is_gap: (out): it is what NumPy calls the space between fields */
static gboolean
leat_npy_text_read_field_type (LeatNpyText *self, const char *name, const char *title, GString *text, guint64 *bytes,
                               gboolean *is_gap, guint depth)
{
  LeatNpyRecord record = { text, 0 };
  LeatNpyType type;
  char descr[32];

  *is_gap = FALSE;
  if (leat_npy_text_peek (self) == '[')
    {
      if (!leat_npy_text_read_record (self, &record, depth + 1))
        return FALSE;
      *bytes = record.bytes;
      return TRUE;
    }
  if (!leat_npy_text_read_string (self, descr, sizeof descr))
    return FALSE;
  type = leat_npy_find_type (descr);
  leat_npy_name_type (&type, name, title);
  *is_gap = *name == '\0' && descr[0] == '|' && descr[1] == 'V' && type.size > 0;
  *bytes = *is_gap ? type.size : leat_dtype_get_size (type.dtype);
  if (*is_gap)
    return TRUE;
  if (*name == '\0')
    return leat_npy_refuse (self->error, "its header is damaged: a field of type \"%s\" has no name", descr);
  if (type.dtype == LEAT_DTYPE_ANY || type.nameless || type.swapped)
    return leat_npy_text_refuse_type (self, name, descr, &type);
  g_string_append (text, leat_dtype_get_name (type.dtype));
  return TRUE;
}

/* `(3,)` or `3` of a field that is an array. @n: (inout): its items */
static gboolean
leat_npy_text_read_field_shape (LeatNpyText *self, const char *name, GString *text, guint64 *n)
{
  gboolean is_tuple = leat_npy_text_take (self, '('), more = TRUE;
  char opens = '[';

  while (more && !(is_tuple && leat_npy_text_take (self, ')')))
    {
      guint64 dim;

      if (!leat_npy_text_read_number (self, &dim))
        return FALSE;
      if (dim == 0 || !g_uint64_checked_mul (n, *n, dim) || *n > G_MAXINT64 / 2)
        return leat_npy_refuse (self->error,
                                "field \"%s\" is an array of no items, or of more than any memory holds; "
                                "leave it out, as a[[\"x\", \"y\"]]",
                                name);
      g_string_append_printf (text, "%c%" G_GUINT64_FORMAT, opens, dim);
      opens = ',';
      more = is_tuple;
      if (is_tuple && !leat_npy_text_take (self, ',') && leat_npy_text_peek (self) != ')')
        return leat_npy_refuse (self->error, "its header is damaged: the shape of field \"%s\" does not end", name);
    }
  g_string_append (text, opens == ',' ? "]" : "");
  return TRUE;
}

/* `('v', '<f4', (3,))` */
static gboolean
leat_npy_text_read_field (LeatNpyText *self, LeatNpyRecord *record, guint depth)
{
  g_autoptr (GString) type = g_string_new (NULL);
  guint64 bytes, n = 1;
  gboolean is_gap;
  char name[64], title[256];

  if (!leat_npy_text_expect (self, '(', "before a field") || !leat_npy_text_read_field_name (self, name, title)
      || !leat_npy_text_expect (self, ',', "behind a field's name")
      || !leat_npy_text_read_field_type (self, name, title, type, &bytes, &is_gap, depth))
    return FALSE;
  if (leat_npy_text_take (self, ',') && leat_npy_text_peek (self) != ')'
      && !leat_npy_text_read_field_shape (self, name, type, &n))
    return FALSE;
  if (!is_gap)
    g_string_append_printf (record->text, "%c%s:%s@%" G_GUINT64_FORMAT,
                            record->text->len > 0 && record->text->str[record->text->len - 1] != '{' ? ',' : ' ', name,
                            type->str, record->bytes);
  if (!g_uint64_checked_mul (&bytes, bytes, n) || !g_uint64_checked_add (&record->bytes, record->bytes, bytes)
      || record->bytes > G_MAXINT64 / 2)
    return leat_npy_refuse (self->error, "its items have more bytes than any memory holds");
  return leat_npy_text_expect (self, ')', "behind a field");
}

/* Appends `{x:f32@0,...,@8}`. */
static gboolean
leat_npy_text_read_record (LeatNpyText *self, LeatNpyRecord *record, guint depth)
{
  self->at++;
  if (depth > LEAT_NPY_MAX_DEPTH)
    return leat_npy_refuse (self->error, "its records are nested more than %d deep", LEAT_NPY_MAX_DEPTH);
  g_string_append_c (record->text, '{');
  while (!leat_npy_text_take (self, ']'))
    {
      if (!leat_npy_text_read_field (self, record, depth))
        return FALSE;
      if (!leat_npy_text_take (self, ',') && leat_npy_text_peek (self) != ']')
        return leat_npy_refuse (self->error, "its header is damaged: the list of fields does not end");
    }
  g_string_append_printf (record->text, ",@%" G_GUINT64_FORMAT "}", record->bytes);
  return TRUE;
}

static gboolean
leat_npy_text_read_items (LeatNpyText *self)
{
  g_autoptr (GString) text = g_string_new (NULL);
  LeatNpyRecord record = { text, 0 };
  g_autoptr (GError) local = NULL;

  if (!leat_npy_text_read_record (self, &record, 1))
    return FALSE;
  self->header->dtype = LEAT_DTYPE_RECORD;
  self->header->items = leat_spec_parse (text->str, &local);
  return self->header->items != NULL
         || leat_npy_refuse (self->error, "its fields make no record: %s; save fewer of them, as a[[\"x\", \"y\"]]",
                             local->message);
}

gboolean
leat_npy_text_read_descr (LeatNpyText *self)
{
  LeatNpyType type;
  char descr[32];

  if (leat_npy_text_peek (self) == '[')
    return leat_npy_text_read_items (self);
  if (leat_npy_text_peek (self) == '{')
    return leat_npy_refuse (self->error,
                            "its fields are a dictionary, which NumPy does not read either; NumPy's save () "
                            "writes a list of them, with names for the space between");
  if (!leat_npy_text_read_string (self, descr, sizeof descr))
    return FALSE;
  type = leat_npy_find_type (descr);
  if (type.dtype == LEAT_DTYPE_ANY)
    return leat_npy_refuse (self->error,
                            "it holds items of type \"%s\", which Leat does not have; convert them to u8 to u64, i8 to "
                            "i64, f16, f32, f64, c64, c128 or bool first, as NumPy's astype () does",
                            descr);
  self->header->dtype = type.dtype;
  self->header->nameless = type.nameless;
  self->header->swapped = type.swapped;
  return TRUE;
}

static char
leat_npy_get_kind (LeatDtype dtype)
{
  if (dtype == LEAT_DTYPE_BF16 || dtype == LEAT_DTYPE_F8E4M3 || dtype == LEAT_DTYPE_F8E5M2)
    return 'V';
  return leat_dtype_get_name (dtype)[0];
}

static void
leat_npy_append_type (GString *text, LeatDtype dtype)
{
  gsize size = leat_dtype_get_size (dtype);
  char order = size == 1 && leat_npy_get_kind (dtype) != 'V' ? '|' : G_BYTE_ORDER == G_LITTLE_ENDIAN ? '<' : '>';

  g_string_append_printf (text, "'%c%c%" G_GSIZE_FORMAT "'", order, leat_npy_get_kind (dtype), size);
}

/* The space up to @offset. */
static void
leat_npy_append_gap (GString *text, guint64 end, guint64 offset)
{
  if (offset > end)
    g_string_append_printf (text, "('', '|V%" G_GUINT64_FORMAT "'), ", offset - end);
}

static void
leat_npy_append_field (GString *text, const char *name, LeatSpec *spec)
{
  guint n_dims = leat_spec_get_n_dims (spec);
  LeatDtype dtype = leat_spec_get_dtype (spec);
  g_autofree char *title = leat_npy_dup_title (name, dtype);

  if (dtype == LEAT_DTYPE_F8E4M3 || dtype == LEAT_DTYPE_F8E5M2)
    g_string_append_printf (text, "(('%s', '%s'), ", title, name);
  else
    g_string_append_printf (text, "('%s', ", name);
  leat_npy_append_descr (text, spec);
  for (guint i = 0; i < n_dims; i++)
    g_string_append_printf (text, "%s%" G_GUINT64_FORMAT "%s", i == 0 ? ", (" : " ", leat_spec_get_dim (spec, i),
                            i + 1 < n_dims ? "," : ",)");
  g_string_append (text, "), ");
}

void
leat_npy_append_descr (GString *text, LeatSpec *spec)
{
  guint64 end = 0;

  if (leat_spec_get_dtype (spec) != LEAT_DTYPE_RECORD)
    {
      leat_npy_append_type (text, leat_spec_get_dtype (spec));
      return;
    }
  g_string_append_c (text, '[');
  for (guint i = 0; i < leat_spec_get_n_fields (spec); i++)
    {
      LeatSpec *field = leat_spec_get_field_spec (spec, i);

      leat_npy_append_gap (text, end, leat_spec_get_field_offset (spec, i));
      leat_npy_append_field (text, leat_spec_get_field_name (spec, i), field);
      end = leat_spec_get_field_offset (spec, i) + leat_spec_get_bytes (field);
    }
  leat_npy_append_gap (text, end, leat_spec_get_item_bytes (spec));
  g_string_truncate (text, text->len - 2);
  g_string_append_c (text, ']');
}
