/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reads a spec from text, in the spelling of files and in that of a shell; leat-record-parse.c reads fields. */

#include "leat-graph-error-private.h"
#include "leat-spec-reader-private.h"

#include <string.h>

void
leat_spec_reader_fail (LeatSpecReader *self, GError **error, const char *format, ...)
{
  g_autofree char *what = NULL;
  g_autofree char *shown = g_strndup (self->text, 80);
  g_autofree char *valid = g_utf8_make_valid (shown, -1);
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "spec \"%s\", column %" G_GSIZE_FORMAT ": %s", valid,
               (gsize) (self->at - self->text) + 1, what);
}

void
leat_spec_reader_skip_space (LeatSpecReader *self)
{
  while (g_ascii_isspace (*self->at))
    self->at++;
}

/* In the shell spelling an x ends a word, where no comma says otherwise. */
static gboolean
leat_spec_reader_is_word (LeatSpecReader *self)
{
  if (*self->at == 'x' && self->style == LEAT_SPEC_STYLE_SHELL && !self->comma)
    return FALSE;
  return g_ascii_isalnum (*self->at) || *self->at == '_';
}

gboolean
leat_spec_reader_size (LeatSpecReader *self, guint64 *number, GError **error)
{
  const char *start = self->at;
  gboolean fits = TRUE;
  guint shift = 0;

  for (*number = 0; g_ascii_isdigit (*self->at); self->at++)
    fits =
      fits && g_uint64_checked_mul (number, *number, 10) && g_uint64_checked_add (number, *number, *self->at - '0');
  switch (*self->at)
    {
    case 'K':
      shift = 10;
      break;
    case 'M':
      shift = 20;
      break;
    case 'G':
      shift = 30;
      break;
    default:
      break;
    }
  if (shift > 0)
    self->at++;
  if (leat_spec_reader_is_word (self))
    {
      leat_spec_reader_fail (self, error, "a number may end with K, M or G, not with \"%c\"", *self->at);
      return FALSE;
    }
  if (!fits || !g_uint64_checked_mul (number, *number, G_GUINT64_CONSTANT (1) << shift))
    {
      self->at = start;
      leat_spec_reader_fail (self, error, "the number does not fit 64 bits");
      return FALSE;
    }
  return TRUE;
}

static gboolean
leat_spec_reader_number (LeatSpecReader *self, guint64 *number, GError **error)
{
  const char *start = self->at;

  if (!leat_spec_reader_size (self, number, error))
    return FALSE;
  if (*number > 0)
    return TRUE;
  self->at = start;
  leat_spec_reader_fail (self, error,
                         "a dimension is at least 1; data that may be empty has a bounded one, such as <=1");
  return FALSE;
}

static char *
leat_spec_reader_name (LeatSpecReader *self, GError **error)
{
  const char *start = self->at;
  g_autofree char *name = NULL;

  while (leat_spec_reader_is_word (self))
    self->at++;
  name = g_strndup (start, MIN (self->at - start, LEAT_SPEC_MAX_NAME + 1));
  if (strlen (name) <= LEAT_SPEC_MAX_NAME && !g_str_has_prefix (name, "max") && !g_str_equal (name, "any")
      && !g_str_equal (name, "scalar"))
    return g_steal_pointer (&name);

  self->at = start;
  if (strlen (name) > LEAT_SPEC_MAX_NAME)
    leat_spec_reader_fail (self, error, "a name has at most %d letters", LEAT_SPEC_MAX_NAME);
  else
    leat_spec_reader_fail (self, error, "\"%s\" cannot be a name: any, scalar and what begins with max have a meaning",
                           name);
  return NULL;
}

static gboolean
leat_spec_reader_at_any (LeatSpecReader *self)
{
  LeatSpecReader ahead = *self;

  if (*self->at == '*')
    return TRUE;
  if (self->style != LEAT_SPEC_STYLE_SHELL || strncmp (self->at, "any", 3) != 0)
    return FALSE;
  ahead.at += 3;
  return !leat_spec_reader_is_word (&ahead);
}

static gboolean
leat_spec_reader_dim (LeatSpecReader *self, LeatSpec *spec, GError **error)
{
  guint64 number;

  if (spec->n_dims == LEAT_SPEC_MAX_DIMS)
    {
      leat_spec_reader_fail (self, error, "more than %d dimensions", LEAT_SPEC_MAX_DIMS);
      return FALSE;
    }
  if (leat_spec_reader_at_any (self))
    {
      self->at += *self->at == '*' ? 1 : 3;
      leat_spec_add_dim (spec, LEAT_DIM_ANY, 0, NULL);
    }
  else if (g_ascii_isdigit (*self->at))
    {
      if (!leat_spec_reader_number (self, &number, error))
        return FALSE;
      leat_spec_add_dim (spec, LEAT_DIM_NUMBER, number, NULL);
    }
  else if (leat_spec_reader_is_word (self))
    {
      g_autofree char *name = leat_spec_reader_name (self, error);

      if (name == NULL)
        return FALSE;
      leat_spec_add_dim (spec, LEAT_DIM_NAME, 0, name);
    }
  else
    {
      leat_spec_reader_fail (self, error, "expected a dimension: a number, a name or %s",
                             self->style == LEAT_SPEC_STYLE_FILE ? "*" : "any");
      return FALSE;
    }
  return TRUE;
}

/* The dimensions of `[...]`; the reader stands behind the bracket that opens. */
static gboolean
leat_spec_reader_file_dims (LeatSpecReader *self, LeatSpec *spec, GError **error)
{
  leat_spec_reader_skip_space (self);
  if (*self->at == ']')
    {
      self->at++;
      return TRUE;
    }
  if (self->at[0] == '<' && self->at[1] == '=')
    {
      spec->bounded = TRUE;
      self->at += 2;
    }
  for (;;)
    {
      leat_spec_reader_skip_space (self);
      if (!leat_spec_reader_dim (self, spec, error))
        return FALSE;
      leat_spec_reader_skip_space (self);
      if (*self->at == ']')
        break;
      if (*self->at != ',')
        {
          leat_spec_reader_fail (self, error, "expected \",\" or \"]\"");
          return FALSE;
        }
      self->at++;
    }
  self->at++;
  return TRUE;
}

/* The dimensions behind `f32:`. */
static gboolean
leat_spec_reader_shell_dims (LeatSpecReader *self, LeatSpec *spec, GError **error)
{
  self->comma = self->depth == 0 && strchr (self->at, ',') != NULL;
  if (g_str_has_prefix (self->at, "scalar") && !g_ascii_isalnum (self->at[6]) && self->at[6] != '_')
    {
      self->at += strlen ("scalar");
      return TRUE;
    }
  if (g_str_has_prefix (self->at, "max"))
    {
      spec->bounded = TRUE;
      self->at += strlen ("max");
    }
  for (;;)
    {
      if (!leat_spec_reader_dim (self, spec, error))
        return FALSE;
      if ((*self->at != ',' || self->depth > 0) && (*self->at != 'x' || self->comma))
        return TRUE;
      self->at++;
      if (self->at[-1] == ',' && (*self->at == '\0' || g_ascii_isspace (*self->at)))
        return TRUE;
    }
}

static gboolean
leat_spec_reader_dtype (LeatSpecReader *self, LeatDtype *dtype, GError **error)
{
  static const char *const names[] = { "any", "u8",  "i8",   "u16",    "i16",    "u32", "i32",  "u64",  "i64", "f16",
                                       "f32", "f64", "bf16", "f8e4m3", "f8e5m2", "c64", "c128", "bool", NULL };
  const char *start = self->at;
  char name[33];
  g_autofree char *hint = NULL;

  while (g_ascii_isalnum (*self->at) || *self->at == '_')
    self->at++;
  g_strlcpy (name, start, MIN ((gsize) (self->at - start) + 1, sizeof name));
  *dtype = leat_dtype_from_name (name);
  if (*dtype != LEAT_DTYPE_ANY || g_str_equal (name, "any"))
    return TRUE;

  self->at = start;
  hint = leat_graph_error_join (names);
  if (*name == '\0')
    leat_spec_reader_fail (self, error, "expected a type, one of %s, or {FIELD:TYPE,...}", hint);
  else if (leat_suggest (name, names) != NULL)
    leat_spec_reader_fail (self, error, "no type \"%s\" (did you mean \"%s\"?)", name, leat_suggest (name, names));
  else
    leat_spec_reader_fail (self, error, "no type \"%s\"; there are %s", name, hint);
  return FALSE;
}

/* `f32` or `{...}`. (transfer full) (nullable) */
static LeatSpec *
leat_spec_reader_items (LeatSpecReader *self, GError **error)
{
  LeatDtype dtype = LEAT_DTYPE_RECORD;
  LeatRecord *record = NULL;
  LeatSpec *spec;

  if (*self->at == '{' ? (record = leat_spec_reader_record (self, error)) == NULL
                       : !leat_spec_reader_dtype (self, &dtype, error))
    return NULL;
  spec = leat_spec_alloc (dtype, *self->at == '[' || *self->at == ':');
  spec->record = record;
  return spec;
}

LeatSpec *
leat_spec_reader_spec (LeatSpecReader *self, GError **error)
{
  const char *start = self->at;
  g_autoptr (LeatSpec) spec = leat_spec_reader_items (self, error);

  if (spec == NULL)
    return NULL;
  if (spec->has_shape)
    {
      self->style = *self->at++ == '[' ? LEAT_SPEC_STYLE_FILE : LEAT_SPEC_STYLE_SHELL;
      if (self->style == LEAT_SPEC_STYLE_FILE ? !leat_spec_reader_file_dims (self, spec, error)
                                              : !leat_spec_reader_shell_dims (self, spec, error))
        return NULL;
    }
  if (leat_spec_seal (spec))
    return g_steal_pointer (&spec);
  self->at = start;
  leat_spec_reader_fail (self, error, "its size is more than 2^62 bytes");
  return NULL;
}

/**
 * leat_spec_parse:
 * @text: a spec in either spelling
 * @error: return location
 *
 * Reads a spec: `f32[480,640]` and `u8[<=4M]` as pipeline files have it, `f32:480x640` and `u8:max4M` as a shell leaves
 * it alone.  Of records these are `{x:f32,y:f32[3]}[9]` and `{x:f32+y:f32:3}:9`.
 *
 * Numbers take K, M and G, powers of 1024.  In the shell spelling `any` stands for `*`, `f32:scalar` for `f32[]`, and
 * dimensions are separated by `x`, or by commas where a name has an x in it.  A message names the column.
 *
 * Returns: (transfer full): the spec, or %NULL with %LEAT_GRAPH_ERROR_SPEC
 *
 * Since: 0.1
 */
LeatSpec *
leat_spec_parse (const char *text, GError **error)
{
  LeatSpecReader reader = { .text = text, .at = text };
  g_autoptr (LeatSpec) self = NULL;

  g_return_val_if_fail (text != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  leat_spec_reader_skip_space (&reader);
  self = leat_spec_reader_spec (&reader, error);
  if (self == NULL)
    return NULL;
  leat_spec_reader_skip_space (&reader);
  if (*reader.at == '\0')
    return g_steal_pointer (&self);
  leat_spec_reader_fail (&reader, error, "nothing may follow here");
  return NULL;
}
