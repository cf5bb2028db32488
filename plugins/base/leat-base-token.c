/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The grammar of expressions.  The compiler knows it too, but what it says of a mistake is about a kernel that nobody
 * wrote; and nothing but an expression may reach it. */

#include "leat-base-token.h"

#include <errno.h>

#define LEAT_TOKEN_SHOWN 80 /* bytes of an expression that an error shows */

static const char *const functions[] = { "abs",   "min",  "max",  "sqrt", "cbrt",  "exp",   "exp2", "log",   "log2",
                                         "log10", "sin",  "cos",  "tan",  "asin",  "acos",  "atan", "atan2", "sinh",
                                         "cosh",  "tanh", "pow",  "fmod", "hypot", "floor", "ceil", "round", "trunc",
                                         "fma",   "fabs", "fmin", "fmax", "erf",   "real",  "imag", "conj",  NULL };

/* Those that take one argument are not listed. */
static const struct
{
  const char *name;
  guint n_args;
} arities[] = { { "min", 2 },   { "max", 2 },  { "atan2", 2 }, { "pow", 2 }, { "fmod", 2 },
                { "hypot", 2 }, { "fmin", 2 }, { "fmax", 2 },  { "fma", 3 } };

/* Names that mean something in a kernel, or to the kernel that is made around the expression. */
static const char *const reserved[] = { "alignas",
                                        "alignof",
                                        "asm",
                                        "auto",
                                        "bool",
                                        "break",
                                        "case",
                                        "catch",
                                        "char",
                                        "class",
                                        "const",
                                        "continue",
                                        "decltype",
                                        "default",
                                        "delete",
                                        "do",
                                        "double",
                                        "else",
                                        "enum",
                                        "explicit",
                                        "export",
                                        "extern",
                                        "false",
                                        "float",
                                        "for",
                                        "friend",
                                        "goto",
                                        "if",
                                        "inline",
                                        "int",
                                        "long",
                                        "mutable",
                                        "namespace",
                                        "new",
                                        "noexcept",
                                        "nullptr",
                                        "operator",
                                        "private",
                                        "protected",
                                        "public",
                                        "register",
                                        "return",
                                        "short",
                                        "signed",
                                        "sizeof",
                                        "static",
                                        "struct",
                                        "switch",
                                        "template",
                                        "this",
                                        "throw",
                                        "true",
                                        "try",
                                        "typedef",
                                        "typeid",
                                        "typename",
                                        "union",
                                        "unsigned",
                                        "using",
                                        "virtual",
                                        "void",
                                        "volatile",
                                        "wchar_t",
                                        "while",
                                        "and",
                                        "or",
                                        "not",
                                        "xor",
                                        "bitand",
                                        "bitor",
                                        "compl",
                                        "threadIdx",
                                        "blockIdx",
                                        "blockDim",
                                        "gridDim",
                                        "warpSize",
                                        "map",
                                        "out",
                                        "i",
                                        "GRID_FOR",
                                        "and_eq",
                                        "or_eq",
                                        "not_eq",
                                        "xor_eq",
                                        "constexpr",
                                        "consteval",
                                        "constinit",
                                        "concept",
                                        "requires",
                                        "restrict",
                                        "typeof",
                                        "static_assert",
                                        "static_cast",
                                        "const_cast",
                                        "dynamic_cast",
                                        "reinterpret_cast",
                                        "thread_local",
                                        "char8_t",
                                        "char16_t",
                                        "char32_t",
                                        "co_await",
                                        "co_return",
                                        "co_yield",
                                        "import",
                                        "module",
                                        "assert",
                                        "printf",
                                        "clock",
                                        "malloc",
                                        "free",
                                        "dim3",
                                        "uchar",
                                        "ushort",
                                        "uint",
                                        "ulong",
                                        "size_t",
                                        "ssize_t",
                                        "ptrdiff_t",
                                        "intptr_t",
                                        "uintptr_t",
                                        "linux",
                                        "unix",
                                        "i386",
                                        "stdin",
                                        "stdout",
                                        "stderr",
                                        "errno",
                                        "EOF",
                                        "NULL",
                                        "NAN",
                                        "INFINITY",
                                        "HUGE_VAL",
                                        "HUGE_VALF",
                                        "CHAR_BIT",
                                        "CUDART_INF",
                                        "CUDART_INF_F",
                                        "CUDART_NAN",
                                        "CUDART_NAN_F",
                                        "CUDART_PI",
                                        "CUDART_PI_F",
                                        "CUDART_LN2_F",
                                        "CUDART_SQRT_TWO_F",
                                        NULL };

/* Words of C that stand for a value, and how that is written here. */
static const struct
{
  const char *name, *instead;
} constants[] = {
  { "NULL", "0" },
  { "EOF", "-1" },
  { "CHAR_BIT", "8" },
  { "true", "1" },
  { "false", "0" },
  { "nullptr", "0" },
  { "M_PI", "3.141592653589793" },
  { "CUDART_PI", "3.141592653589793" },
  { "CUDART_PI_F", "3.1415927" },
  { "M_PI_2", "1.5707963267948966" },
  { "M_PI_4", "0.7853981633974483" },
  { "M_E", "2.718281828459045" },
  { "M_SQRT2", "1.4142135623730951" },
  { "M_LN2", "0.6931471805599453" },
  { "INT8_MAX", "127" },
  { "UINT8_MAX", "255" },
  { "INT16_MAX", "32767" },
  { "UINT16_MAX", "65535" },
  { "INT32_MAX", "2147483647" },
  { "INT_MAX", "2147483647" },
  { "UINT32_MAX", "4294967295" },
  { "UINT_MAX", "4294967295" },
  { "INT64_MAX", "9223372036854775807" },
  { "UINT64_MAX", "18446744073709551615" },
  { "FLT_MAX", "3.4028234e38" },
  { "FLT_MIN", "1.1754944e-38" },
  { "FLT_EPSILON", "1.1920929e-7" },
  { "DBL_MAX", "1.7976931348623157e308" },
  { "DBL_EPSILON", "2.220446049250313e-16" },
};

/* The state of an open parenthesis; the first of the stack is the expression itself. */
typedef struct
{
  const LeatToken *function; /* NULL: a plain parenthesis */
  const LeatToken *question; /* the last ? that has no : yet */
  guint n_args;
  guint n_questions;
} LeatTokenFrame;

gboolean
leat_token_is_function (const char *name)
{
  return g_strv_contains (functions, name);
}

gboolean
leat_token_fail (const char *text, gsize at, GError **error, const char *what, ...)
{
  g_autofree char *message = NULL;
  gsize length = strlen (text);
  const char *end = length > LEAT_TOKEN_SHOWN ? g_utf8_find_prev_char (text, text + LEAT_TOKEN_SHOWN) : text + length;
  g_autofree char *shown = g_strndup (text, end - text);
  va_list args;

  va_start (args, what);
  message = g_strdup_vprintf (what, args);
  va_end (args);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE, "expression \"%s%s\", column %zu: %s", shown,
               *end != '\0' ? "..." : "", at + 1, message);
  return FALSE;
}

static gboolean
leat_token_is_value (const LeatToken *token)
{
  return token->kind == LEAT_TOKEN_NAME || token->kind == LEAT_TOKEN_NUMBER || token->kind == LEAT_TOKEN_FRACTION;
}

static gboolean
leat_token_is_operator (const LeatToken *token, const char *text)
{
  return token->kind == LEAT_TOKEN_OPERATOR && g_str_equal (token->text, text);
}

static gboolean
leat_token_is_prefix (const LeatToken *token)
{
  return token->kind == LEAT_TOKEN_OPERATOR && strchr ("+-!~", token->text[0]) != NULL && token->text[1] == '\0';
}

static guint
leat_token_get_arity (const LeatToken *function)
{
  for (guint i = 0; i < G_N_ELEMENTS (arities); i++)
    if (g_str_equal (function->text, arities[i].name))
      return arities[i].n_args;
  return 1;
}

/* Types and constants that come in families: int32_t, float4, INT_MAX, M_PI. */
static gboolean
leat_token_is_of_family (const char *name)
{
  static const char *const vectors[] = { "char",  "uchar", "short",  "ushort",   "int",       "uint", "long",
                                         "ulong", "float", "double", "longlong", "ulonglong", NULL };
  static const char *const numbers[] = { "INT",     "UINT",    "LONG",   "ULONG",   "LLONG",  "ULLONG",
                                         "CHAR",    "SCHAR",   "UCHAR",  "SHRT",    "USHRT",  "SIZE",
                                         "FLT",     "DBL",     "LDBL",   "INT8",    "INT16",  "INT32",
                                         "INT64",   "UINT8",   "UINT16", "UINT32",  "UINT64", "INTPTR",
                                         "UINTPTR", "PTRDIFF", "INTMAX", "UINTMAX", NULL };
  static const char *const ends[] = { "_MAX", "_MIN", "_EPSILON", "_DIG", "_C", NULL };
  gsize length = strlen (name);
  g_autofree char *stem = length > 0 ? g_strndup (name, length - 1) : NULL;
  const char *mark = strchr (name, '_');
  g_autofree char *head = mark != NULL ? g_strndup (name, mark - name) : NULL;

  if (stem != NULL && name[length - 1] >= '1' && name[length - 1] <= '4' && g_strv_contains (vectors, stem))
    return TRUE;
  if (g_str_has_prefix (name, "M_")
      || (head != NULL && g_strv_contains (numbers, head) && g_strv_contains (ends, mark)))
    return TRUE;
  return g_str_has_suffix (name, "_t") && (g_str_has_prefix (name, "int") || g_str_has_prefix (name, "uint"));
}

static gboolean
leat_token_is_reserved (const char *name)
{
  if (leat_token_is_of_family (name))
    return TRUE;
  return g_strv_contains (reserved, name) || g_str_has_prefix (name, "leat_") || g_str_has_prefix (name, "__")
         || g_str_has_suffix (name, "_count") || g_str_has_suffix (name, "_capacity") || strstr (name, "_dim") != NULL;
}

static gboolean
leat_token_check_name (const LeatToken *token, const LeatToken *next, const char *text, GError **error)
{
  g_autofree char *list = NULL;
  const char *near;

  if (token->kind == LEAT_TOKEN_FUNCTION && (next == NULL || next->kind != LEAT_TOKEN_OPEN))
    return leat_token_fail (text, token->column, error, "the function %s needs its arguments in parentheses",
                            token->text);
  if (token->kind != LEAT_TOKEN_NAME)
    return TRUE;
  if (next != NULL && next->kind == LEAT_TOKEN_OPEN)
    {
      near = leat_suggest (token->text, functions);
      list = g_strjoinv (" ", (char **) functions);
      return near != NULL
               ? leat_token_fail (text, token->column, error, "no function \"%s\" (did you mean \"%s\"?)", token->text,
                                  near)
               : leat_token_fail (text, token->column, error, "no function \"%s\"; there are %s", token->text, list);
    }
  for (guint i = 0; i < G_N_ELEMENTS (constants); i++)
    if (g_str_equal (token->text, constants[i].name))
      return leat_token_fail (text, token->column, error, "\"%s\" is not the name of an input or argument; write %s",
                              token->text, constants[i].instead);
  if (g_str_equal (token->text, "INFINITY") || g_str_equal (token->text, "NAN"))
    return leat_token_fail (
      text, token->column, error,
      "\"%s\" is not the name of an input or argument, and expressions have no word for it; a float that "
      "is not finite is one for which x - x == 0 does not hold",
      token->text);
  if (leat_token_is_reserved (token->text))
    return leat_token_fail (text, token->column, error, "\"%s\" has a meaning in kernels; choose another name",
                            token->text);
  return TRUE;
}

static gboolean
leat_token_check_number (const LeatToken *token, const char *text, GError **error)
{
  gboolean hex = token->text[0] == '0' && g_ascii_tolower (token->text[1]) == 'x';

  errno = 0;
  if (token->kind == LEAT_TOKEN_FRACTION)
    g_ascii_strtod (token->text, NULL);
  else if (token->kind == LEAT_TOKEN_NUMBER && !hex && token->text[0] == '0' && token->text[1] != '\0')
    return leat_token_fail (text, token->column, error, "a whole number does not begin with 0");
  else if (token->kind == LEAT_TOKEN_NUMBER)
    g_ascii_strtoull (token->text, NULL, hex ? 16 : 10);
  return errno != ERANGE
         || leat_token_fail (text, token->column, error, "the number %.24s is out of range", token->text);
}

/* Values and operators alternate. */
static gboolean
leat_token_check_order (const LeatToken *token, gboolean operand, const char *text, GError **error)
{
  gboolean opens = leat_token_is_value (token) || token->kind == LEAT_TOKEN_FUNCTION || token->kind == LEAT_TOKEN_OPEN;

  if (!operand && opens)
    return leat_token_fail (text, token->column, error, "expected an operator before this");
  if (operand && !opens && !leat_token_is_prefix (token))
    return leat_token_fail (text, token->column, error, "expected a value here");
  return TRUE;
}

static gboolean
leat_token_check_complete (const LeatTokenFrame *frame, const char *text, GError **error)
{
  return frame->n_questions == 0 || leat_token_fail (text, frame->question->column, error, "this ? has no :");
}

static gboolean
leat_token_open (GArray *frames, const LeatToken *token, const LeatToken *before, const char *text, GError **error)
{
  LeatTokenFrame frame = { .n_args = 1 };

  if (frames->len > LEAT_TOKEN_MAX_DEPTH)
    return leat_token_fail (text, token->column, error, "more than %d parentheses are open", LEAT_TOKEN_MAX_DEPTH);
  if (before != NULL && before->kind == LEAT_TOKEN_FUNCTION)
    frame.function = before;
  g_array_append_val (frames, frame);
  return TRUE;
}

static gboolean
leat_token_close (GArray *frames, const LeatToken *token, const char *text, GError **error)
{
  LeatTokenFrame *frame = &g_array_index (frames, LeatTokenFrame, frames->len - 1);
  guint arity;

  if (frames->len == 1)
    return leat_token_fail (text, token->column, error, "nothing to close");
  if (!leat_token_check_complete (frame, text, error))
    return FALSE;
  arity = frame->function != NULL ? leat_token_get_arity (frame->function) : 1;
  if (frame->n_args != arity)
    return leat_token_fail (text, frame->function->column, error, "%s takes %u argument%s, not %u",
                            frame->function->text, arity, arity == 1 ? "" : "s", frame->n_args);
  g_array_set_size (frames, frames->len - 1);
  return TRUE;
}

static gboolean
leat_token_check_nesting (GArray *frames, const LeatToken *token, const LeatToken *before, const char *text,
                          GError **error)
{
  LeatTokenFrame *frame = &g_array_index (frames, LeatTokenFrame, frames->len - 1);

  if (token->kind == LEAT_TOKEN_OPEN)
    return leat_token_open (frames, token, before, text, error);
  if (token->kind == LEAT_TOKEN_CLOSE)
    return leat_token_close (frames, token, text, error);
  if (token->kind == LEAT_TOKEN_COMMA && frame->function == NULL)
    return leat_token_fail (text, token->column, error, "a comma stands between the arguments of a function only");
  if (token->kind == LEAT_TOKEN_COMMA && !leat_token_check_complete (frame, text, error))
    return FALSE;
  frame->n_args += token->kind == LEAT_TOKEN_COMMA;
  if (leat_token_is_operator (token, "?"))
    {
      frame->n_questions++;
      frame->question = token;
    }
  if (!leat_token_is_operator (token, ":"))
    return TRUE;
  if (frame->n_questions == 0)
    return leat_token_fail (text, token->column, error, "this : has no ?");
  frame->n_questions--;
  return TRUE;
}

gboolean
leat_token_check (GArray *tokens, const char *text, GError **error)
{
  g_autoptr (GArray) frames = g_array_new (FALSE, FALSE, sizeof (LeatTokenFrame));
  LeatTokenFrame whole = { .n_args = 1 };
  gboolean operand = TRUE;

  g_array_append_val (frames, whole);
  for (guint i = 0; i < tokens->len; i++)
    {
      const LeatToken *token = &g_array_index (tokens, LeatToken, i);
      const LeatToken *before = i > 0 ? token - 1 : NULL;
      const LeatToken *next = i + 1 < tokens->len ? token + 1 : NULL;

      if (!leat_token_check_order (token, operand, text, error) || !leat_token_check_name (token, next, text, error)
          || !leat_token_check_number (token, text, error)
          || !leat_token_check_nesting (frames, token, before, text, error))
        return FALSE;
      operand = !(leat_token_is_value (token) || token->kind == LEAT_TOKEN_CLOSE);
    }
  if (operand)
    return leat_token_fail (text, strlen (text), error, "expected a value at the end");
  if (frames->len > 1)
    return leat_token_fail (text, strlen (text), error, "a parenthesis is not closed");
  return leat_token_check_complete (&g_array_index (frames, LeatTokenFrame, 0), text, error);
}
