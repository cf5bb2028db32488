/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The operation of `reduce` and `scan`, as text for a kernel: sum, least, greatest, their places, count, or an
 * expression.  Touches its own struct and the text only. */

#include "leat-primitive-operation.h"

#include "leat-primitive-text.h"

const char *const leat_operation_names[] = { "sum", "min", "max", "argmin", "argmax", "count", "expr", NULL };

LeatDtype
leat_operation_get_result (LeatOperationKind kind, LeatDtype item)
{
  if (kind == LEAT_OPERATION_ARGMIN || kind == LEAT_OPERATION_ARGMAX || kind == LEAT_OPERATION_COUNT)
    return LEAT_DTYPE_U64;
  if (kind != LEAT_OPERATION_SUM || leat_primitive_is_real (item))
    return item;
  return leat_primitive_is_signed (item) ? LEAT_DTYPE_I64 : LEAT_DTYPE_U64;
}

gboolean
leat_operation_check (LeatOperationKind kind, const char *expression, gboolean has_type, GError **error)
{
  gboolean expr = kind == LEAT_OPERATION_EXPR;

  if (expr == (expression != NULL) && (expr || kind == LEAT_OPERATION_SUM || !has_type))
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE,
               expr && expression == NULL ? "op=%s needs expr=EXPRESSION"
               : expression != NULL       ? "expr is for op=expr, not op=%s"
                                          : "type is for op=sum and op=expr; results of op=%s have a type of their own",
               leat_operation_names[kind]);
  return FALSE;
}

static gboolean
leat_operation_is_limit (const char *identity)
{
  return g_str_equal (identity, "lowest") || g_str_equal (identity, "greatest");
}

gboolean
leat_operation_set_expression (LeatOperation *self, const char *expression, const char *identity, GError **error)
{
  static const char *const both[] = { "a", "b", NULL }, *const none[] = { NULL };
  g_autoptr (LeatExpression) number = NULL;

  leat_operation_clear (self);
  self->identity = g_strdup (identity);
  self->expression = leat_expression_parse (expression, error);
  if (self->expression == NULL
      || !leat_expression_check_names (self->expression, both, "what is combined is a and b", error))
    return FALSE;
  if (leat_operation_is_limit (identity))
    return TRUE;
  number = leat_expression_parse (identity, error);
  return number != NULL && leat_expression_check_names (number, none, "set a number, lowest or greatest", error);
}

gboolean
leat_operation_check_types (const LeatOperation *self, LeatNode *node, GError **error)
{
  const LeatDtype both[] = { self->result, self->result };
  const LeatExpressionTypes types = { (const char *const[]){ "a", "b", NULL }, both, self->result,
                                      self->result == LEAT_DTYPE_F32 };

  return self->expression == NULL || leat_expression_check (self->expression, node, "expr", &types, error);
}

void
leat_operation_clear (LeatOperation *self)
{
  g_clear_pointer (&self->expression, leat_expression_free);
  g_clear_pointer (&self->identity, g_free);
}

gboolean
leat_operation_is_ordered (const LeatOperation *self)
{
  return self->kind == LEAT_OPERATION_EXPR
         || (self->kind == LEAT_OPERATION_SUM && leat_primitive_is_real (self->result));
}

static gboolean
leat_operation_wants_greatest (const LeatOperation *self)
{
  return self->kind == LEAT_OPERATION_MAX || self->kind == LEAT_OPERATION_ARGMAX;
}

/* Whole numbers in the order of the items, so that there is no chance in which of two equal floats is found, and NaN is
 * found first. */
static void
leat_operation_write_key (const LeatOperation *self, gboolean arg, GString *head)
{
  gboolean wide = self->item == LEAT_DTYPE_F64;
  const char *key = wide ? "int64_t" : "int32_t", *bits = wide ? "INT64" : "INT32";
  const char *nan = leat_operation_wants_greatest (self) ? "MAX" : "MIN";

  if (!leat_primitive_is_real (self->item))
    {
      g_string_append_printf (head,
                              "typedef Item Key;\n"
                              "static __device__ Key get_key (Item x) { return x; }\n"
                              "static __device__ Item get_item (Key k) { return k; }\n"
                              "#define KEY_LOWEST ((Key) %s)\n#define KEY_GREATEST ((Key) %s)\n",
                              leat_primitive_get_lowest (self->item), leat_primitive_get_greatest (self->item));
      return;
    }
  g_string_append_printf (head,
                          "typedef %s Key;\n"
                          "static __device__ Key get_key (Item x)\n{\n"
                          "  Key b = %s (x%s);\n\n"
                          "  return x != x ? %s_%s : b ^ ((b >> %d) & %s_MAX);\n}\n"
                          "static __device__ Item get_item (Key k)\n{\n"
                          "  Key b = k == %s_%s ? %s : k ^ ((k >> %d) & %s_MAX);\n\n"
                          "  return %s (b);\n}\n",
                          key, wide ? "__double_as_longlong" : "__float_as_int", arg ? " + 0" : "", bits, nan,
                          wide ? 63 : 31, bits, bits, nan, wide ? "0x7ff8000000000000" : "0x7fc00000", wide ? 63 : 31,
                          bits, wide ? "__longlong_as_double" : "__int_as_float");
  /* An index is taken of any item, be it the worst of all; where only the item counts, nothing is an infinite one. */
  if (arg)
    g_string_append_printf (head, "#define KEY_LOWEST %s_MIN\n#define KEY_GREATEST %s_MAX\n", bits, bits);
  else
    g_string_append (head, wide ? "#define KEY_LOWEST ((Key) 0x800fffffffffffff)\n"
                                  "#define KEY_GREATEST ((Key) 0x7ff0000000000000)\n"
                                : "#define KEY_LOWEST ((Key) 0x807fffff)\n#define KEY_GREATEST ((Key) 0x7f800000)\n");
}

static void
leat_operation_write_arg (const LeatOperation *self, GString *head)
{
  gboolean greatest = self->kind == LEAT_OPERATION_ARGMAX;

  leat_operation_write_key (self, TRUE, head);
  g_string_append_printf (head,
                          "struct Acc\n{\n  Key key;\n  uint64_t at;\n};\n"
                          "static __device__ Acc identity () { return { %s, UINT64_MAX }; }\n"
                          "static __device__ Acc take (Item x, uint64_t i) { return { get_key (x), i }; }\n"
                          "static __device__ Acc combine (Acc a, Acc b)\n{\n"
                          "  return b.key %s a.key || (b.key == a.key && b.at < a.at) ? b : a;\n}\n"
                          "static __device__ Acc shuffle (Acc a, int other)\n{\n"
                          "  return { (Key) __shfl_xor_sync (0xffffffffu, a.key, other), (uint64_t) __shfl_xor_sync "
                          "(0xffffffffu, a.at, other) };\n}\n"
                          "static __device__ Out give (Acc a) { return a.at; }\n",
                          greatest ? "KEY_LOWEST" : "KEY_GREATEST", greatest ? ">" : "<");
}

static void
leat_operation_write_plain (GString *head, const char *acc, const char *identity, const char *take, const char *combine,
                            const char *give)
{
  g_string_append_printf (head,
                          "typedef %s Acc;\n"
                          "static __device__ Acc identity () { return (Acc) (%s); }\n"
                          "static __device__ Acc take (Item x, uint64_t i) { return (Acc) (%s); }\n"
                          "static __device__ Acc combine (Acc a, Acc b) { return (Acc) (%s); }\n"
                          "static __device__ Acc shuffle (Acc a, int other) { return (Acc) __shfl_xor_sync "
                          "(0xffffffffu, a, other); }\n"
                          "static __device__ Out give (Acc a) { return (Out) (%s); }\n",
                          acc, identity, take, combine, give);
}

static void
leat_operation_write_least (const LeatOperation *self, GString *head)
{
  gboolean greatest = leat_operation_wants_greatest (self);

  leat_operation_write_key (self, FALSE, head);
  leat_operation_write_plain (head, "Key", greatest ? "KEY_LOWEST" : "KEY_GREATEST", "get_key (x)",
                              greatest ? "a < b ? b : a" : "b < a ? b : a", "get_item (a)");
}

static char *
leat_operation_dup_identity (const LeatOperation *self)
{
  g_autoptr (LeatExpression) number = NULL;

  if (leat_operation_is_limit (self->identity))
    return g_strdup (self->identity[0] == 'l' ? leat_primitive_get_lowest (self->result)
                                              : leat_primitive_get_greatest (self->result));
  number = leat_expression_parse (self->identity, NULL);
  return leat_expression_to_c (number, (const char *const[]){ NULL }, NULL, self->result == LEAT_DTYPE_F32);
}

static void
leat_operation_write_expression (const LeatOperation *self, GString *head)
{
  g_autofree char *text =
    leat_expression_to_c (self->expression, (const char *const[]){ NULL }, NULL, self->result == LEAT_DTYPE_F32);
  g_autofree char *identity = leat_operation_dup_identity (self);

  leat_operation_write_plain (head, "Out", identity, "x", text, "a");
}

void
leat_operation_write (const LeatOperation *self, GString *head)
{
  g_string_append_printf (head, "typedef %s Item;\ntypedef %s Out;\n#define WIDTH %u\n#define CHAINS %u\n",
                          leat_primitive_get_c_type (self->item), leat_primitive_get_c_type (self->result),
                          (guint) (16 / leat_dtype_get_size (self->item)),
                          leat_operation_is_ordered (self) ? (guint) (16 / leat_dtype_get_size (self->item)) : 1);
  switch (self->kind)
    {
    case LEAT_OPERATION_SUM:
      /* Whole numbers wrap around, which for those with a sign C leaves open. */
      leat_operation_write_plain (head, "Out", "0", "x",
                                  leat_primitive_is_real (self->result) ? "a + b" : "(uint64_t) a + (uint64_t) b", "a");
      return;
    case LEAT_OPERATION_COUNT:
      leat_operation_write_plain (head, "Out", "0", "x != 0", "a + b", "a");
      return;
    case LEAT_OPERATION_MIN:
    case LEAT_OPERATION_MAX:
      leat_operation_write_least (self, head);
      return;
    case LEAT_OPERATION_ARGMIN:
    case LEAT_OPERATION_ARGMAX:
      leat_operation_write_arg (self, head);
      return;
    case LEAT_OPERATION_EXPR:
      leat_operation_write_expression (self, head);
      return;
    }
}
