/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The operation of `reduce` and `scan`, as text for a kernel: sum, least, greatest, their places, count, or an
 * expression.  Touches its own struct and the text only. */

#include "leat-primitive-operation.h"

#include "leat-base-number.h"
#include "leat-primitive-text.h"

const char *const leat_operation_names[] = { "sum", "min", "max", "argmin", "argmax", "count", "expr", NULL };

/* Sums of floats of fewer bits have more than these have room for: 65504 is the most of f16. */
LeatDtype
leat_operation_get_result (LeatOperationKind kind, LeatDtype item)
{
  if (kind == LEAT_OPERATION_ARGMIN || kind == LEAT_OPERATION_ARGMAX || kind == LEAT_OPERATION_COUNT)
    return LEAT_DTYPE_U64;
  if (kind != LEAT_OPERATION_SUM)
    return item;
  if (leat_number_is_real (item) || leat_number_is_complex (item))
    return leat_number_get_rules (item);
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

static gboolean
leat_operation_is_single (const LeatOperation *self)
{
  return leat_number_get_rules (self->result) == LEAT_DTYPE_F32 || self->result == LEAT_DTYPE_C64;
}

/* What has no meaning for complex numbers, and what to do instead. */
static const char *
leat_operation_find_fault (const LeatOperation *self)
{
  gboolean orders = self->kind >= LEAT_OPERATION_MIN && self->kind <= LEAT_OPERATION_ARGMAX;
  gboolean keeps = self->kind == LEAT_OPERATION_SUM || self->kind == LEAT_OPERATION_EXPR;

  if (leat_number_is_complex (self->item) && orders)
    return "complex numbers have no order: put map expr=abs(x) type=f32, or real(x), before it";
  if (leat_number_is_complex (self->item) && keeps && !leat_number_is_complex (self->result))
    return "its items are complex, and type= is not: put map expr=real(x) or abs(x) before it";
  if (leat_number_is_complex (self->result) && self->identity != NULL && leat_operation_is_limit (self->identity))
    return "complex numbers have no order, so that identity= is a number";
  return NULL;
}

gboolean
leat_operation_check_types (const LeatOperation *self, LeatNode *node, GError **error)
{
  const LeatDtype both[] = { self->result, self->result };
  const LeatExpressionTypes types = { (const char *const[]){ "a", "b", NULL }, both, self->result,
                                      leat_operation_is_single (self), self->result };
  const char *fault = leat_operation_find_fault (self);

  if (fault == NULL)
    return self->expression == NULL || leat_expression_check (self->expression, node, "expr", &types, error);
  leat_node_blame (node, self->kind == LEAT_OPERATION_EXPR ? "expr" : "op");
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE, "%s \"%s\": op=%s of %s: %s", leat_node_get_id (node),
               leat_node_get_name (node), leat_operation_names[self->kind], leat_dtype_get_name (self->item), fault);
  return FALSE;
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
         || (self->kind == LEAT_OPERATION_SUM
             && (leat_number_is_real (self->result) || leat_number_is_complex (self->result)));
}

gboolean
leat_operation_has_pairs (const LeatOperation *self)
{
  return leat_number_is_complex (self->result);
}

static gboolean
leat_operation_wants_greatest (const LeatOperation *self)
{
  return self->kind == LEAT_OPERATION_MAX || self->kind == LEAT_OPERATION_ARGMAX;
}

/* The same of floats that are kept as bits.  Of f8e4m3, which has no infinity, the greatest number stands for it. */
static void
leat_operation_write_narrow_key (const LeatOperation *self, gboolean arg, GString *head)
{
  static const struct
  {
    LeatDtype dtype;
    guint lowest, greatest;
  } limits[] = { { LEAT_DTYPE_F16, 0xfc00, 0x7c00 },
                 { LEAT_DTYPE_BF16, 0xff80, 0x7f80 },
                 { LEAT_DTYPE_F8E4M3, 0xfe, 0x7e },
                 { LEAT_DTYPE_F8E5M2, 0xfc, 0x7c } };
  guint bits = 8 * (guint) leat_dtype_get_size (self->item), i = 0;
  const char *nan = leat_operation_wants_greatest (self) ? "MAX" : "MIN";

  while (limits[i].dtype != self->item)
    i++;
  g_string_append_printf (head,
                          "typedef int%u_t Key;\n"
                          "static __device__ Key get_order (Key b) { return (Key) (b ^ ((b >> %u) & INT%u_MAX)); }\n"
                          "static __device__ Key get_key (Item x)\n{\n"
                          "  float f = leat_from_%s (x);\n\n"
                          "  return f != f ? INT%u_%s : %sget_order ((Key) x);\n}\n"
                          "static __device__ Item get_item (Key k)\n{\n"
                          "  return (Item) (k == INT%u_%s ? INT%u_MAX : get_order (k));\n}\n",
                          bits, bits - 1, bits, leat_dtype_get_name (self->item), bits, nan, arg ? "f == 0 ? 0 : " : "",
                          bits, nan, bits);
  if (arg)
    g_string_append_printf (head, "#define KEY_LOWEST INT%u_MIN\n#define KEY_GREATEST INT%u_MAX\n", bits, bits);
  else
    g_string_append_printf (head, "#define KEY_LOWEST get_order ((Key) 0x%xu)\n#define KEY_GREATEST ((Key) 0x%xu)\n",
                            limits[i].lowest, limits[i].greatest);
}

/* Whole numbers in the order of the items, so that there is no chance in which of two equal floats is found, and NaN is
 * found first. */
static void
leat_operation_write_key (const LeatOperation *self, gboolean arg, GString *head)
{
  gboolean wide = self->item == LEAT_DTYPE_F64;
  const char *key = wide ? "int64_t" : "int32_t", *bits = wide ? "INT64" : "INT32";
  const char *nan = leat_operation_wants_greatest (self) ? "MAX" : "MIN";

  if (leat_number_is_narrow (self->item))
    {
      leat_operation_write_narrow_key (self, arg, head);
      return;
    }
  if (!leat_number_is_real (self->item))
    {
      g_string_append_printf (head,
                              "typedef Item Key;\n"
                              "static __device__ Key get_key (Item x) { return %s; }\n"
                              "static __device__ Item get_item (Key k) { return k; }\n"
                              "#define KEY_LOWEST ((Key) %s)\n#define KEY_GREATEST ((Key) %s)\n",
                              self->item == LEAT_DTYPE_BOOL ? "x != 0" : "x", leat_primitive_get_lowest (self->item),
                              leat_primitive_get_greatest (self->item));
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
                          "static __device__ Out give (Acc a) { return %s; }\n",
                          acc, identity, take, combine, give);
  g_string_append (head, g_str_has_prefix (acc, "leat_c")
                           ? "static __device__ Acc shuffle (Acc a, int other)\n{\n"
                             "  return Acc (__shfl_xor_sync (0xffffffffu, a.re, other), __shfl_xor_sync (0xffffffffu, "
                             "a.im, other));\n}\n"
                           : "static __device__ Acc shuffle (Acc a, int other)\n{\n"
                             "  return (Acc) __shfl_xor_sync (0xffffffffu, a, other);\n}\n");
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
    return g_strdup (self->identity[0] == 'l' ? leat_primitive_get_lowest (leat_number_get_rules (self->result))
                                              : leat_primitive_get_greatest (leat_number_get_rules (self->result)));
  number = leat_expression_parse (self->identity, NULL);
  return leat_expression_to_c (number, (const char *const[]){ NULL }, NULL, NULL, leat_operation_is_single (self));
}

static void
leat_operation_write_expression (const LeatOperation *self, const char *item, GString *head)
{
  g_autofree char *text =
    leat_expression_to_c (self->expression, (const char *const[]){ NULL }, NULL, NULL, leat_operation_is_single (self));
  g_autofree char *identity = leat_operation_dup_identity (self), *give = leat_number_dup_write (self->result, "a");

  leat_operation_write_plain (head, leat_number_get_value (self->result), identity, item, text, give);
}

static void
leat_operation_write_sum (const LeatOperation *self, const char *item, GString *head)
{
  g_autofree char *give = leat_number_dup_write (self->result, "a");

  /* Whole numbers wrap around, which for those with a sign C leaves open. */
  leat_operation_write_plain (head, leat_number_get_value (self->result), "0", item,
                              leat_operation_is_ordered (self) ? "a + b" : "(uint64_t) a + (uint64_t) b", give);
}

static void
leat_operation_write_count (const char *item, GString *head)
{
  g_autofree char *take = g_strdup_printf ("%s != 0", item);

  leat_operation_write_plain (head, "Out", "0", take, "a + b", "a");
}

void
leat_operation_write (const LeatOperation *self, GString *head)
{
  const LeatDtype types[] = { self->item, self->result };
  guint width = (guint) (16 / leat_dtype_get_size (self->item));
  g_autofree char *item = leat_number_dup_read (self->item, "x");

  leat_number_append_includes (head, types, 2);
  g_string_append_printf (head,
                          "typedef %s Item;\ntypedef %s Out;\n#define WIDTH %u\n#define CHAINS %u\n"
                          "#define IN_ORDER %d\n",
                          leat_number_get_storage (self->item), leat_number_get_storage (self->result), width,
                          leat_operation_is_ordered (self) ? width : 1, leat_operation_is_ordered (self) ? 1 : 0);
  switch (self->kind)
    {
    case LEAT_OPERATION_SUM:
      leat_operation_write_sum (self, item, head);
      return;
    case LEAT_OPERATION_COUNT:
      leat_operation_write_count (item, head);
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
      leat_operation_write_expression (self, item, head);
      return;
    }
}
