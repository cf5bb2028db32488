/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The head of .npy files, read and written: type, order and shape of the array behind it.  Items are left alone, but
 * for their byte order. */

#include "leat-npy-header.h"

#include <string.h>

#define LEAT_NPY_MAGIC    "\x93NUMPY"
#define LEAT_NPY_PREFIX   12         /* magic, version, length of the text in the longer form */
#define LEAT_NPY_MAX_TEXT (64 << 10) /* NumPy itself writes some hundred bytes */

/* The text is one Python dictionary with three known keys.  It is read as just that: nothing is evaluated. */
typedef struct
{
  const char *at;
  const char *end;
  LeatNpyHeader *header;
  gboolean fortran;
  guint seen; /* bits of leat_npy_keys */
  GError **error;
} LeatNpyText;

static const char *const leat_npy_keys[] = { "descr", "fortran_order", "shape", NULL };

G_GNUC_PRINTF (2, 3)
static gboolean
leat_npy_refuse (GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, text);
  return FALSE;
}

static char
leat_npy_text_peek (LeatNpyText *self)
{
  while (self->at < self->end && g_ascii_isspace (*self->at))
    self->at++;
  return self->at < self->end ? *self->at : '\0';
}

static gboolean
leat_npy_text_take (LeatNpyText *self, char c)
{
  if (leat_npy_text_peek (self) != c || self->at == self->end)
    return FALSE;
  self->at++;
  return TRUE;
}

static gboolean
leat_npy_text_expect (LeatNpyText *self, char c, const char *where)
{
  if (leat_npy_text_take (self, c))
    return TRUE;
  return leat_npy_refuse (self->error, "its header is damaged: '%c' is missing %s", c, where);
}

static gboolean
leat_npy_text_read_string (LeatNpyText *self, char *to, gsize size)
{
  char quote = leat_npy_text_peek (self);
  const char *close;

  if (quote != '\'' && quote != '"')
    return leat_npy_refuse (self->error, "its header is damaged: a quoted word is missing");
  close = memchr (self->at + 1, quote, (gsize) (self->end - self->at - 1));
  if (close == NULL || (gsize) (close - self->at) > size)
    return leat_npy_refuse (self->error, "its header is damaged: a quoted word does not end");
  for (const char *c = self->at + 1; c < close; c++)
    if (!g_ascii_isprint (*c) || *c == '\\')
      return leat_npy_refuse (self->error, "its header is damaged: a quoted word holds a stray character");
  memcpy (to, self->at + 1, (gsize) (close - self->at - 1));
  to[close - self->at - 1] = '\0';
  self->at = close + 1;
  return TRUE;
}

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

static gboolean
leat_npy_text_read_descr (LeatNpyText *self)
{
  const char native = G_BYTE_ORDER == G_LITTLE_ENDIAN ? '<' : '>';
  guint64 size = 0;
  char descr[32];

  if (leat_npy_text_peek (self) == '[')
    return leat_npy_refuse (self->error, "it holds records of several fields; save each field as an array of its own");
  if (!leat_npy_text_read_string (self, descr, sizeof descr))
    return FALSE;
  if (strchr ("<>=|", descr[0]) != NULL && descr[0] != '\0' && descr[1] != '\0'
      && g_ascii_string_to_unsigned (descr + 2, 10, 1, 64, &size, NULL))
    self->header->dtype = leat_npy_find_dtype (descr[1], size);
  else
    self->header->dtype = leat_npy_find_name (descr);
  if (self->header->dtype == LEAT_DTYPE_ANY || (descr[0] == '|' && size > 1 && descr[1] != 'V'))
    return leat_npy_refuse (self->error,
                            "it holds items of type \"%s\", which Leat does not have; convert them to u8 to u64, i8 to "
                            "i64, f16, f32, f64, c64, c128 or bool first, as NumPy's astype () does",
                            descr);
  self->header->nameless = descr[1] == 'V' && size == 1;
  self->header->swapped = size > 1 && descr[0] != native && descr[0] != '=' && descr[0] != '|';
  return TRUE;
}

static gboolean
leat_npy_text_read_word (LeatNpyText *self, const char *word)
{
  gsize length = strlen (word);

  leat_npy_text_peek (self);
  if ((gsize) (self->end - self->at) < length || memcmp (self->at, word, length) != 0)
    return FALSE;
  self->at += length;
  return TRUE;
}

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
leat_npy_text_read_number (LeatNpyText *self, guint64 *number)
{
  if (!g_ascii_isdigit (leat_npy_text_peek (self)))
    return leat_npy_refuse (self->error, "its header is damaged: the shape holds something other than sizes");
  *number = 0;
  for (; self->at < self->end && g_ascii_isdigit (*self->at); self->at++)
    if (!g_uint64_checked_mul (number, *number, 10)
        || !g_uint64_checked_add (number, *number, (guint64) (*self->at - '0')))
      return leat_npy_refuse (self->error, "its header claims a size beyond 64 bits");
  /* Python 2 wrote long numbers so. */
  if (self->at < self->end && *self->at == 'L')
    self->at++;
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
  self->bytes = leat_dtype_get_size (self->dtype);
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
  spec = leat_spec_new (self->dtype, dims, self->n_dims, rows > 0);
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

static char
leat_npy_get_kind (LeatDtype dtype)
{
  if (dtype == LEAT_DTYPE_BF16 || dtype == LEAT_DTYPE_F8E4M3 || dtype == LEAT_DTYPE_F8E5M2)
    return 'V';
  return leat_dtype_get_name (dtype)[0];
}

void
leat_npy_header_format (LeatDtype dtype, const guint64 *dims, guint n_dims, guint8 header[LEAT_NPY_HEADER_BYTES])
{
  const guint text = LEAT_NPY_HEADER_BYTES - 10;
  gsize size = leat_dtype_get_size (dtype);
  char order = size == 1 && leat_npy_get_kind (dtype) != 'V' ? '|' : G_BYTE_ORDER == G_LITTLE_ENDIAN ? '<' : '>';
  char *at = (char *) header + 10, *end = (char *) header + LEAT_NPY_HEADER_BYTES;

  memcpy (header, LEAT_NPY_MAGIC "\x01\x00", 8);
  header[8] = text & 0xff;
  header[9] = text >> 8;
  at += g_snprintf (at, (gulong) (end - at), "{'descr': '%c%c%" G_GSIZE_FORMAT "', 'fortran_order': False, 'shape': (",
                    order, leat_npy_get_kind (dtype), size);
  for (guint i = 0; i < n_dims; i++)
    at += g_snprintf (at, (gulong) (end - at), i == 0 ? "%" G_GUINT64_FORMAT "," : " %" G_GUINT64_FORMAT ",", dims[i]);
  at += g_snprintf (at, (gulong) (end - at), "), }");
  memset (at, ' ', (gsize) (end - at));
  end[-1] = '\n';
}
