/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The head of .npy files, read and written: order and shape of the array behind it; leat-npy-descr.c has the type.
 * Items are left alone, but for their byte order. */

#include "leat-npy-text.h"

#include <string.h>

#define LEAT_NPY_MAGIC    "\x93NUMPY"
#define LEAT_NPY_PREFIX   12         /* magic, version, length of the text in the longer form */
#define LEAT_NPY_MAX_TEXT (64 << 10) /* NumPy itself writes some hundred bytes */

static const char *const leat_npy_keys[] = { "descr", "fortran_order", "shape", NULL };

static gboolean
leat_npy_text_read_order (LeatNpyText *self)
{
  if (leat_npy_text_read_word (self, "True"))
    self->fortran = TRUE;
  else if (!leat_npy_text_read_word (self, "False"))
    return leat_npy_refuse (self->error, "its header is damaged: fortran_order is neither True nor False");
  return TRUE;
}

static gboolean
leat_npy_text_read_shape (LeatNpyText *self)
{
  LeatNpyHeader *header = self->header;

  if (!leat_npy_text_expect (self, '(', "before the shape"))
    return FALSE;
  while (!leat_npy_text_take (self, ')'))
    {
      if (header->n_dims == LEAT_SPEC_MAX_DIMS)
        return leat_npy_refuse (self->error, "it has more than %d dimensions; reshape it first", LEAT_SPEC_MAX_DIMS);
      if (!leat_npy_text_read_number (self, &header->dims[header->n_dims++]))
        return FALSE;
      if (!leat_npy_text_take (self, ',') && leat_npy_text_peek (self) != ')')
        return leat_npy_refuse (self->error, "its header is damaged: the shape does not end");
    }
  return TRUE;
}

static gboolean
leat_npy_text_read_entry (LeatNpyText *self)
{
  char key[32];
  guint which = 0;

  if (!leat_npy_text_read_string (self, key, sizeof key) || !leat_npy_text_expect (self, ':', "after a key"))
    return FALSE;
  while (leat_npy_keys[which] != NULL && !g_str_equal (leat_npy_keys[which], key))
    which++;
  if (leat_npy_keys[which] == NULL || (self->seen & (1u << which)) != 0)
    return leat_npy_refuse (self->error, "its header is damaged: the key \"%s\" is unknown or there twice", key);
  self->seen |= 1u << which;
  if (which == 0)
    return leat_npy_text_read_descr (self);
  return which == 1 ? leat_npy_text_read_order (self) : leat_npy_text_read_shape (self);
}

static gboolean
leat_npy_text_read (LeatNpyText *self)
{
  if (!leat_npy_text_expect (self, '{', "where it begins"))
    return FALSE;
  while (!leat_npy_text_take (self, '}'))
    {
      if (!leat_npy_text_read_entry (self))
        return FALSE;
      if (!leat_npy_text_take (self, ',') && leat_npy_text_peek (self) != '}')
        return leat_npy_refuse (self->error, "its header is damaged: it does not end with '}'");
    }
  if (leat_npy_text_peek (self) != '\0' || self->at != self->end)
    return leat_npy_refuse (self->error, "its header is damaged: something follows the '}'");
  for (guint i = 0; leat_npy_keys[i] != NULL; i++)
    if ((self->seen & (1u << i)) == 0)
      return leat_npy_refuse (self->error, "its header is damaged: \"%s\" is missing", leat_npy_keys[i]);
  return TRUE;
}

/* In memory, the orders differ only where two dimensions are longer than 1. */
static gboolean
leat_npy_header_check_order (const LeatNpyHeader *self, gboolean fortran, GError **error)
{
  guint long_dims = 0;

  for (guint i = 0; i < self->n_dims; i++)
    long_dims += self->dims[i] > 1;
  if (!fortran || long_dims < 2)
    return TRUE;
  return leat_npy_refuse (error, "it is stored column after column (fortran_order); save it row after row, as NumPy's "
                                 "ascontiguousarray () makes it");
}

static gboolean
leat_npy_header_measure (LeatNpyHeader *self, GError **error)
{
  self->bytes = self->items != NULL ? leat_spec_get_item_bytes (self->items) : leat_dtype_get_size (self->dtype);
  for (guint i = 0; i < self->n_dims; i++)
    if (!g_uint64_checked_mul (&self->bytes, self->bytes, self->dims[i]) || self->bytes > G_MAXINT64 / 2)
      return leat_npy_refuse (error, "its header claims a shape of more bytes than any memory holds");
  return TRUE;
}

static gboolean
leat_npy_header_refuse_kind (const guint8 *begin, gsize size, GError **error)
{
  const LeatFileKind *kind = leat_file_kind_find (begin, size);
  g_autofree char *advice = kind != NULL ? leat_file_kind_dup_advice (kind, "FILE") : NULL;

  if (kind == NULL)
    return leat_npy_refuse (error, "it is not an .npy file; NumPy's save () writes one");
  return leat_npy_refuse (error, "it is not an .npy file, but %s%s", kind->name, advice);
}

/* Where the text begins and how long it is, from the first LEAT_NPY_PREFIX bytes. */
static gboolean
leat_npy_header_find_text (const guint8 *prefix, gsize size, gsize *begin, gsize *length, GError **error)
{
  const gsize magic = strlen (LEAT_NPY_MAGIC);

  if (size < magic || memcmp (prefix, LEAT_NPY_MAGIC, magic) != 0)
    return leat_npy_header_refuse_kind (prefix, size, error);
  if (size < LEAT_NPY_PREFIX)
    return leat_npy_refuse (error, "it ends within its header");
  if (prefix[magic] < 1 || prefix[magic] > 3)
    return leat_npy_refuse (error, "it is an .npy file of version %u.%u; 1.0 to 3.0 can be read", prefix[magic],
                            prefix[magic + 1]);
  *length = prefix[8] | (gsize) prefix[9] << 8;
  *begin = 10;
  if (prefix[magic] > 1)
    {
      *length |= (gsize) prefix[10] << 16 | (gsize) prefix[11] << 24;
      *begin = 12;
    }
  if (*length > LEAT_NPY_MAX_TEXT)
    return leat_npy_refuse (error, "its header claims to be %" G_GSIZE_FORMAT " bytes long; %d is the most", *length,
                            LEAT_NPY_MAX_TEXT);
  return TRUE;
}

void
leat_npy_header_clear (LeatNpyHeader *self)
{
  g_clear_pointer (&self->items, leat_spec_unref);
}

gboolean
leat_npy_header_parse (LeatNpyHeader *self, const guint8 *data, gsize size, GError **error)
{
  gsize begin, length;
  LeatNpyText text = { NULL };

  *self = (LeatNpyHeader){ 0 };
  if (!leat_npy_header_find_text (data, size, &begin, &length, error))
    return FALSE;
  if (begin + length > size)
    return leat_npy_refuse (error, "it ends within its header");
  self->offset = begin + length;
  text = (LeatNpyText){ (const char *) data + begin, (const char *) data + begin + length, self, FALSE, 0, error };
  return leat_npy_text_read (&text) && leat_npy_header_check_order (self, text.fortran, error)
         && leat_npy_header_measure (self, error);
}

static gboolean
leat_npy_header_read_bytes (LeatNpyHeader *self, LeatInputFile *input, GError **error)
{
  g_autofree guint8 *data = g_malloc0 (LEAT_NPY_PREFIX + LEAT_NPY_MAX_TEXT);
  gsize begin, length, got, more = 0;

  if (leat_input_file_read (input, data, LEAT_NPY_PREFIX, &got, TRUE, NULL, error) == LEAT_FLOW_ERROR
      || !leat_npy_header_find_text (data, got, &begin, &length, error))
    return FALSE;
  if (begin + length < LEAT_NPY_PREFIX)
    return leat_npy_refuse (error, "its header is damaged: it is too short");
  if (begin + length > got
      && leat_input_file_read (input, data + got, begin + length - got, &more, TRUE, NULL, error) == LEAT_FLOW_ERROR)
    return FALSE;
  return leat_npy_header_parse (self, data, got + more, error);
}

/* A user who called save () twice on one file would get half of it without a word. */
static gboolean
leat_npy_header_check_end (const LeatNpyHeader *self, LeatInputFile *input, guint64 rest, GError **error)
{
  char next[sizeof LEAT_NPY_MAGIC - 1];
  gboolean another;

  if (rest == 0)
    return TRUE;
  another = leat_input_file_peek (input, self->offset + self->bytes, next, sizeof next) == sizeof next
            && memcmp (next, LEAT_NPY_MAGIC, sizeof next) == 0;
  return leat_npy_refuse (error, "cannot read \"%s\" as .npy: behind its array are %" G_GUINT64_FORMAT " bytes more%s",
                          leat_input_file_get_path (input), rest,
                          another ? ", another array; save each to a file of its own"
                                  : "; save the array again, or cut them off");
}

/* Bits that NumPy knows no type for are often saved as whole numbers of that size. */
static gboolean
leat_npy_header_set_type (LeatNpyHeader *self, LeatDtype type, const char *path, GError **error)
{
  gboolean may = self->nameless || self->dtype == LEAT_DTYPE_U8 || self->dtype == LEAT_DTYPE_U16;

  if (type == LEAT_DTYPE_ANY && self->nameless)
    return leat_npy_refuse (error,
                            "cannot read \"%s\" as .npy: its items are of type \"V1\", which is how several types of "
                            "8 bits are saved; say which they are, as in type=f8e4m3 or type=f8e5m2",
                            path);
  if (type == LEAT_DTYPE_ANY || type == self->dtype)
    return TRUE;
  if (!may || leat_dtype_get_size (type) != leat_dtype_get_size (self->dtype))
    return leat_npy_refuse (error,
                            "cannot read \"%s\" as .npy: it holds %s, which is not to be taken for %s; leave "
                            "type= out, and convert with map expr=x type=%s",
                            path, leat_dtype_get_name (self->dtype), leat_dtype_get_name (type),
                            leat_dtype_get_name (type));
  self->dtype = type;
  return TRUE;
}

gboolean
leat_npy_header_read (LeatNpyHeader *self, LeatInputFile *input, GError **error)
{
  return leat_npy_header_read_as (self, LEAT_DTYPE_ANY, input, error);
}

gboolean
leat_npy_header_read_as (LeatNpyHeader *self, LeatDtype type, LeatInputFile *input, GError **error)
{
  guint64 size = leat_input_file_get_size (input);

  if (!leat_input_file_is_regular (input))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
                   "cannot read \"%s\" as .npy: it is not a regular file; save the array to a file first",
                   leat_input_file_get_path (input));
      return FALSE;
    }
  if (!leat_npy_header_read_bytes (self, input, error))
    {
      if (error == NULL || g_error_matches (*error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA))
        g_prefix_error (error, "cannot read \"%s\" as .npy: ", leat_input_file_get_path (input));
      return FALSE;
    }
  if (!leat_npy_header_set_type (self, type, leat_input_file_get_path (input), error))
    return FALSE;
  if (size - self->offset >= self->bytes)
    return leat_npy_header_check_end (self, input, size - self->offset - self->bytes, error);
  return leat_npy_refuse (error,
                          "cannot read \"%s\" as .npy: it claims %" G_GUINT64_FORMAT " bytes of items and holds "
                          "%" G_GUINT64_FORMAT "; it was cut short or its header is wrong",
                          leat_input_file_get_path (input), self->bytes, size - self->offset);
}

LeatSpec *
leat_npy_header_new_spec (const LeatNpyHeader *self, guint64 rows, GError **error)
{
  guint64 dims[LEAT_SPEC_MAX_DIMS];
  LeatSpec *spec;

  memcpy (dims, self->dims, sizeof dims);
  if (rows > 0 && self->n_dims > 0)
    dims[0] = rows;
  for (guint i = 0; i < self->n_dims; i++)
    if (dims[i] == 0)
      {
        leat_npy_refuse (error, "the array is empty: dimension %u has the size 0%s", i,
                         i == 0 ? "; with rows=N, the most that a run takes, it may be" : "");
        return NULL;
      }
  if (rows > 0 && self->n_dims == 0)
    {
      leat_npy_refuse (error, "the array is a single number and has no rows; leave \"rows\" out");
      return NULL;
    }
  spec = self->items != NULL ? leat_spec_new_with_shape (self->items, dims, self->n_dims, rows > 0)
                             : leat_spec_new (self->dtype, dims, self->n_dims, rows > 0);
  if (spec == NULL)
    leat_npy_refuse (error, "rows=%" G_GUINT64_FORMAT " of this array are more bytes than any memory holds", rows);
  return spec;
}

void
leat_npy_header_swap (const LeatNpyHeader *self, gpointer items, guint64 bytes)
{
  gboolean is_complex = self->dtype == LEAT_DTYPE_C64 || self->dtype == LEAT_DTYPE_C128;
  gsize size = leat_dtype_get_size (self->dtype) / (is_complex ? 2 : 1);

  if (self->dtype == LEAT_DTYPE_BOOL)
    for (guint8 *at = items, *end = at + bytes; at < end; at++)
      *at = *at != 0;
  if (!self->swapped)
    return;
  if (size == 2)
    for (guint16 *at = items; bytes >= 2; at++, bytes -= 2)
      *at = GUINT16_SWAP_LE_BE (*at);
  else if (size == 4)
    for (guint32 *at = items; bytes >= 4; at++, bytes -= 4)
      *at = GUINT32_SWAP_LE_BE (*at);
  else if (size == 8)
    for (guint64 *at = items; bytes >= 8; at++, bytes -= 8)
      *at = GUINT64_SWAP_LE_BE (*at);
}

/* A shape of other numbers must find room in a header that is written over: eight of 20 digits. */
GBytes *
leat_npy_header_format (LeatSpec *spec)
{
  g_autoptr (GString) text = g_string_new (LEAT_NPY_MAGIC "\x01###{'descr': ");
  gsize size;

  leat_npy_append_descr (text, spec);
  size = MAX ((text->len + 226 + 63) / 64 * 64, LEAT_NPY_HEADER_BYTES);
  g_string_append (text, ", 'fortran_order': False, 'shape': (");
  for (guint i = 0; i < leat_spec_get_n_dims (spec); i++)
    g_string_append_printf (text, i == 0 ? "%" G_GUINT64_FORMAT "," : " %" G_GUINT64_FORMAT ",",
                            leat_spec_get_dim (spec, i));
  g_string_append (text, "), }");
  while (text->len + 1 < size)
    g_string_append_c (text, ' ');
  g_string_append_c (text, '\n');
  text->str[7] = 0;
  text->str[8] = (char) ((size - 10) & 0xff);
  text->str[9] = (char) ((size - 10) >> 8);
  return g_string_free_to_bytes (g_steal_pointer (&text));
}
