/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `compact`.  kernels/compact.cu says how it works; here is what rows come, which of them are looked at and
 * which go out. */

#include "leat-primitives-compact.h"

#include "leat-base-expression.h"
#include "leat-base-number.h"
#include "leat-primitive-text.h"
#include "leat-primitives-compact-layout.h"

#define LEAT_COMPACT_MOST_BLOCKS 264 /* that are launched for a tile each; of more tiles, blocks take one by one */
#define LEAT_COMPACT_MOST_INPUTS 32

struct _LeatPrimitivesCompact
{
  LeatNode parent_instance;

  char *where;
  char *inputs;
  char *keep;
  int by;
  int emit;
  int index;
  char *fp;
  int on_overflow;
  gboolean in_place;

  LeatExpression *expression; /* NULL: by flags or bits */
  char *loaded;               /* the properties that the ports were made from */
  char **input_names;
  char **kept_names;
  LeatCompactLayout *layout;
  LeatKernelSource *source;
};

G_DEFINE_FINAL_TYPE (LeatPrimitivesCompact, leat_primitives_compact, LEAT_TYPE_NODE)

static const char *const by_choices[] = { "where", "flags", "bits", NULL };
static const char *const emit_choices[] = { "items", "indices", "both", NULL };
static const char *const index_choices[] = { "u32", "u64", NULL };
static const char *const overflow_choices[] = { "error", "truncate", "grow", NULL };

enum
{
  LEAT_COMPACT_EMIT_ITEMS,
  LEAT_COMPACT_EMIT_INDICES,
  LEAT_COMPACT_EMIT_BOTH
};

enum
{
  LEAT_COMPACT_OVERFLOW_ERROR,
  LEAT_COMPACT_OVERFLOW_TRUNCATE,
  LEAT_COMPACT_OVERFLOW_GROW
};

static const LeatProp props[] = {
  { sizeof (LeatProp), "where", LEAT_PROP_STRING, 0, offsetof (LeatPrimitivesCompact, where),
    .blurb = "Predicate in C, such as x>0.5; it selects the rows for which it is not 0.  Names "
             "that are not inputs are arguments" },
  { sizeof (LeatProp), "inputs", LEAT_PROP_STRING, 0, offsetof (LeatPrimitivesCompact, inputs), .def.s = "x",
    .blurb = "Names of the inputs, separated by commas" },
  { sizeof (LeatProp), "keep", LEAT_PROP_STRING, 0, offsetof (LeatPrimitivesCompact, keep), .def.s = "",
    .blurb = "Names of the inputs whose rows are given out, separated by commas; empty: all of "
             "them.  The predicate may still use the others" },
  { sizeof (LeatProp), "by", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesCompact, by), .choices = by_choices,
    .blurb = "What selects rows; where: the predicate; flags: an input with a number for each "
             "row; bits: an input with a bit for each row" },
  { sizeof (LeatProp), "emit", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesCompact, emit), .choices = emit_choices,
    .blurb = "What is given out; items: the rows; indices: their indices; both: rows and indices" },
  { sizeof (LeatProp), "index", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesCompact, index), .choices = index_choices,
    .blurb = "Type of an index; rows are counted from 0" },
  { sizeof (LeatProp), "on-overflow", LEAT_PROP_CHOICE, 0, offsetof (LeatPrimitivesCompact, on_overflow),
    .choices = overflow_choices,
    .blurb = "If more rows are selected than the output has room for; error: the run fails; "
             "truncate: the first rows are given, with a warning; grow: the session makes room "
             "and does the run again" },
  { sizeof (LeatProp), "in-place", LEAT_PROP_BOOL, 0, offsetof (LeatPrimitivesCompact, in_place),
    .blurb = "true: store the rows in the memory of the input if that is possible" },
  { sizeof (LeatProp), "fp", LEAT_PROP_STRING, 0, offsetof (LeatPrimitivesCompact, fp), .def.s = "strict",
    .blurb = "Freedoms of the compiler with floating point, separated by commas.  strict: none, the same "
             "rows on every device; fast or contract: a multiplication and an addition may become one "
             "operation; and on GPUs flush, div, sqrt, intrinsics; all: all of these" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any",
    "Rows of the first input that is kept; with emit=indices, their indices" },
  { sizeof (LeatPortInfo), "(NAME)", LEAT_PORT_INPUT, LEAT_PORT_DYNAMIC, "any",
    "One input for each name in inputs; x by default.  All have the same number of rows, "
    "and all are bounded or none is" },
  { sizeof (LeatPortInfo), "(flags)", LEAT_PORT_INPUT, LEAT_PORT_DYNAMIC, "any",
    "With by=flags: one number for each row; a row is kept if its number is not 0.  Any "
    "type but complex" },
  { sizeof (LeatPortInfo), "(bits)", LEAT_PORT_INPUT, LEAT_PORT_DYNAMIC, "any",
    "With by=bits: one bit for each row, in words of u8, u16, u32 or u64; the lowest bit "
    "of a word comes first" },
  { sizeof (LeatPortInfo), "(out_NAME)", LEAT_PORT_OUTPUT, LEAT_PORT_DYNAMIC, "any",
    "Rows of each further input that is kept" },
  { sizeof (LeatPortInfo), "(indices)", LEAT_PORT_OUTPUT, LEAT_PORT_DYNAMIC, "any",
    "With emit=both: the indices of the rows" },
};

const LeatNodeInfo leat_primitives_compact_info = {
  sizeof (LeatNodeInfo),
  "compact",
  NULL,
  "Keeps the rows that are selected, in order",
  "A row is one step of the first dimension.  All inputs have the same number of "
  "rows.  A predicate over the inputs selects rows, or an input with a number or a bit "
  "for each row does.  The output is bounded: it has as many rows as are kept.  The "
  "node counts selected rows even if the output has no room for all of them.\n\n"
  "Example: compact where=x>least least=0.5",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_primitives_compact_get_type,
};

static gboolean leat_compact_fail (GError **error, int code, const char *format, ...) G_GNUC_PRINTF (3, 4);

static gboolean
leat_compact_fail (GError **error, int code, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, LEAT_GRAPH_ERROR, code, what);
  return FALSE;
}

static gboolean
leat_primitives_compact_has (char **names, const char *name)
{
  return g_strv_contains ((const char *const *) names, name);
}

static gboolean
leat_primitives_compact_looks_at (LeatPrimitivesCompact *self, const char *name)
{
  return self->expression != NULL && g_strv_contains (leat_expression_list_names (self->expression), name);
}

/* A name is a port's, and stands in the kernel beside those of its own. */
static gboolean
leat_primitives_compact_is_name (const char *name)
{
  static const char *const taken[] = { "out", "i", "flags", "bits", "indices", NULL };
  static const char *const prefixes[] = { "out_", "leat_", "compact", "Compact", "COMPACT", "LEAT", NULL };
  gboolean good = g_ascii_isalpha (name[0]) && !g_strv_contains (taken, name) && !g_str_has_suffix (name, "_count");

  for (guint i = 0; prefixes[i] != NULL; i++)
    good = good && !g_str_has_prefix (name, prefixes[i]);
  for (const char *at = name; *at != '\0' && good; at++)
    good = g_ascii_isalnum (*at) || *at == '_';
  return good;
}

/* "a, b" to names, each of them once; an empty list where there is none. (nullable) */
static char **
leat_primitives_compact_split (LeatPrimitivesCompact *self, const char *list, GError **error)
{
  g_auto (GStrv) names = g_strsplit (list, ",", -1);

  for (guint i = 0; names[i] != NULL; i++)
    {
      g_strstrip (names[i]);
      if (!leat_primitives_compact_is_name (names[i]))
        {
          leat_compact_fail (error, LEAT_GRAPH_ERROR_TYPE, "\"%s\" cannot be the name of an input", names[i]);
          return NULL;
        }
      for (guint k = 0; k < i; k++)
        if (g_str_equal (names[k], names[i]))
          {
            leat_compact_fail (error, LEAT_GRAPH_ERROR_TYPE, "\"%s\" occurs twice in \"%s\"", names[i], list);
            return NULL;
          }
    }
  if (g_strv_length (names) <= LEAT_COMPACT_MOST_INPUTS)
    return g_steal_pointer (&names);
  leat_compact_fail (error, LEAT_GRAPH_ERROR_RANGE, "%u inputs; at most %d are allowed", g_strv_length (names),
                     LEAT_COMPACT_MOST_INPUTS);
  return NULL;
}

static gboolean
leat_primitives_compact_load_predicate (LeatPrimitivesCompact *self, GError **error)
{
  const char *const *names;

  leat_node_blame (LEAT_NODE (self), "where");
  if (self->by != LEAT_COMPACT_BY_WHERE)
    return self->where == NULL
           || leat_compact_fail (error, LEAT_GRAPH_ERROR_TYPE,
                                 "where=%s selects nothing with by=%s; leave one of them out", self->where,
                                 by_choices[self->by]);
  if (self->where == NULL)
    return leat_compact_fail (error, LEAT_GRAPH_ERROR_MISSING, "set where=PREDICATE, or by=flags or by=bits");
  self->expression = leat_expression_parse (self->where, error);
  if (self->expression == NULL)
    return FALSE;
  names = leat_expression_list_names (self->expression);
  for (guint i = 0; names[i] != NULL; i++)
    if (!leat_primitives_compact_is_name (names[i]))
      return leat_compact_fail (error, LEAT_GRAPH_ERROR_TYPE,
                                "\"%s\" in \"%s\" cannot be the name of an input or an argument", names[i],
                                self->where);
  return TRUE;
}

/* Where flags or bits alone give indices, no rows need to come. */
static const char *
leat_primitives_compact_get_inputs (LeatPrimitivesCompact *self)
{
  return self->by != LEAT_COMPACT_BY_WHERE && self->emit == LEAT_COMPACT_EMIT_INDICES ? "" : self->inputs;
}

static gboolean
leat_primitives_compact_load_names (LeatPrimitivesCompact *self, GError **error)
{
  const char *kept = self->emit == LEAT_COMPACT_EMIT_INDICES                    ? ""
                     : self->keep != NULL && g_strstrip (self->keep)[0] != '\0' ? self->keep
                                                                                : self->inputs;

  leat_node_blame (LEAT_NODE (self), "inputs");
  self->input_names = leat_primitives_compact_split (self, leat_primitives_compact_get_inputs (self), error);
  if (self->input_names == NULL)
    return FALSE;
  leat_node_blame (LEAT_NODE (self), "keep");
  self->kept_names = leat_primitives_compact_split (self, kept, error);
  for (guint i = 0; self->kept_names != NULL && self->kept_names[i] != NULL; i++)
    if (!leat_primitives_compact_has (self->input_names, self->kept_names[i]))
      return leat_compact_fail (error, LEAT_GRAPH_ERROR_UNKNOWN_PORT,
                                "\"%s\" is to be kept, but is not one of the inputs \"%s\"", self->kept_names[i],
                                self->inputs);
  leat_node_blame (LEAT_NODE (self), "inputs");
  for (guint i = 0; self->kept_names != NULL && self->input_names[i] != NULL; i++)
    if (!leat_primitives_compact_has (self->kept_names, self->input_names[i])
        && !leat_primitives_compact_looks_at (self, self->input_names[i]))
      return leat_compact_fail (
        error, LEAT_GRAPH_ERROR_TYPE,
        "input \"%s\" is neither kept nor looked at; leave it out of inputs=", self->input_names[i]);
  return self->kept_names != NULL;
}

/* The port for what is kept of an input; of the first it is the one that the node always has. */
static char *
leat_primitives_compact_dup_output (LeatPrimitivesCompact *self, const char *input)
{
  if (g_strv_length (self->kept_names) > 0 && g_str_equal (self->kept_names[0], input))
    return g_strdup ("out");
  return leat_primitives_compact_has (self->kept_names, input) ? g_strconcat ("out_", input, NULL) : NULL;
}

static void
leat_primitives_compact_expose (LeatPrimitivesCompact *self)
{
  LeatNode *node = LEAT_NODE (self);
  const char *const none[] = { NULL };
  const char *const *names = self->expression != NULL ? leat_expression_list_names (self->expression) : none;
  g_autoptr (LeatSpec) any = leat_spec_new_any ();

  leat_node_remove_dynamic_ports (node);
  leat_node_remove_args (node);
  for (guint i = 0; self->input_names[i] != NULL; i++)
    leat_node_add_port (node, self->input_names[i], LEAT_PORT_INPUT, LEAT_PORT_DYNAMIC, any, NULL);
  if (self->by != LEAT_COMPACT_BY_WHERE)
    leat_node_add_port (node, by_choices[self->by], LEAT_PORT_INPUT, LEAT_PORT_DYNAMIC, any, NULL);
  for (guint i = 1; i < g_strv_length (self->kept_names); i++)
    {
      g_autofree char *output = leat_primitives_compact_dup_output (self, self->kept_names[i]);

      leat_node_add_port (node, output, LEAT_PORT_OUTPUT, LEAT_PORT_DYNAMIC, any, NULL);
    }
  if (self->emit == LEAT_COMPACT_EMIT_BOTH)
    leat_node_add_port (node, "indices", LEAT_PORT_OUTPUT, LEAT_PORT_DYNAMIC, any, NULL);
  for (guint i = 0; names[i] != NULL; i++)
    if (!leat_primitives_compact_has (self->input_names, names[i]))
      leat_node_add_arg (node, names[i], "*", NULL);
}

static gboolean
leat_primitives_compact_set_arg_types (LeatPrimitivesCompact *self, const char *type, GError **error)
{
  const char *const *names = self->expression != NULL ? leat_expression_list_names (self->expression) : NULL;

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (!leat_primitives_compact_has (self->input_names, names[i])
        && !leat_node_set_arg_type (LEAT_NODE (self), names[i], type, error))
      return FALSE;
  return TRUE;
}

static void
leat_primitives_compact_unload (LeatPrimitivesCompact *self)
{
  g_clear_pointer (&self->loaded, g_free);
  g_clear_pointer (&self->expression, leat_expression_free);
  g_clear_pointer (&self->input_names, g_strfreev);
  g_clear_pointer (&self->kept_names, g_strfreev);
}

static gboolean
leat_primitives_compact_prepare (LeatNode *node, GError **error)
{
  LeatPrimitivesCompact *self = LEAT_PRIMITIVES_COMPACT (node);
  g_autofree char *wanted = g_strdup_printf ("%s\n%s\n%s\n%d %d", self->where != NULL ? self->where : "", self->inputs,
                                             self->keep, self->by, self->emit);

  if (g_strcmp0 (wanted, self->loaded) == 0)
    return leat_primitives_compact_set_arg_types (self, "*", error);
  leat_primitives_compact_unload (self);
  if (!leat_primitives_compact_load_predicate (self, error) || !leat_primitives_compact_load_names (self, error))
    return FALSE;
  leat_primitives_compact_expose (self);
  self->loaded = g_steal_pointer (&wanted);
  return TRUE;
}

static guint64
leat_primitives_compact_count_bits (LeatSpec *spec)
{
  return 8 * leat_dtype_get_size (leat_spec_get_dtype (spec));
}

/* A column that selects has one number for each row, of a type that C has. */
static gboolean
leat_primitives_compact_check_looked_at (LeatPrimitivesCompact *self, const LeatCompactColumn *column, LeatSpec *spec,
                                         GError **error)
{
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  gboolean single = column->row_bytes == leat_dtype_get_size (column->dtype);
  gboolean is_complex = leat_number_is_complex (column->dtype),
           has_bits = leat_dtype_get_name (column->dtype)[0] == 'u';

  if (column->dtype == LEAT_DTYPE_RECORD)
    {
      g_autofree char *first = leat_spec_dup_first_path (spec);

      return leat_compact_fail (
        error, LEAT_GRAPH_ERROR_SPEC,
        "input \"%s\" is %s, and it does not look into records: let map make flags of them, as with "
        "expr=x.%s>0 type=bool, and link those to \"flags\", with by=flags",
        column->name, text, first);
    }
  if (single && !is_complex && (self->by != LEAT_COMPACT_BY_BITS || has_bits))
    return TRUE;
  return leat_compact_fail (
    error, LEAT_GRAPH_ERROR_SPEC,
    self->by == LEAT_COMPACT_BY_BITS ? "input \"%s\" is %s; bits come in u8, u16, u32 or u64, the lowest first"
    : single ? "input \"%s\" is %s, and it does not look at complex numbers: let map make flags of them, as with "
               "expr=abs(x)>1 type=bool, and link those to \"flags\", with by=flags"
             : "input \"%s\" is %s; what selects has one number for each row",
    column->name, text);
}

/* How many rows an input has, or says something of. */
static guint64
leat_primitives_compact_get_rows (LeatPrimitivesCompact *self, const LeatCompactColumn *column, LeatSpec *spec)
{
  guint64 dim = leat_spec_get_dim (spec, 0);

  return self->by == LEAT_COMPACT_BY_BITS && column->looked_at ? dim * leat_primitives_compact_count_bits (spec) : dim;
}

static gboolean
leat_primitives_compact_check_rows (LeatPrimitivesCompact *self, const LeatCompactColumn *column, LeatSpec *spec,
                                    LeatSpec *first, GError **error)
{
  guint64 rows = leat_spec_get_dim (first, 0), least = rows;
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  g_autofree char *first_text = leat_spec_to_string (first, LEAT_SPEC_STYLE_FILE);
  g_autofree char *needed = NULL;

  if (self->by == LEAT_COMPACT_BY_BITS && column->looked_at && spec != first)
    {
      guint64 bits = leat_primitives_compact_count_bits (spec);

      least = rows / bits + (rows % bits != 0);
      needed = g_strdup_printf ("as many rows have %" G_GUINT64_FORMAT " words of bits", least);
    }
  if (leat_spec_get_dim (spec, 0) == least && leat_spec_is_bounded (spec) == leat_spec_is_bounded (first))
    return TRUE;
  return leat_compact_fail (error, LEAT_GRAPH_ERROR_SPEC, "input \"%s\" is %s, and the first input is %s: %s",
                            column->name, text, first_text,
                            leat_spec_get_dim (spec, 0) == least ? "all are bounded or none is"
                            : needed != NULL                     ? needed
                                                                 : "all have as many rows");
}

static gboolean
leat_primitives_compact_add_column (LeatPrimitivesCompact *self, LeatNegotiation *negotiation, const char *name,
                                    gboolean looked_at, LeatSpec **first, GError **error)
{
  LeatSpec *spec = leat_negotiation_get_input (negotiation, name);
  LeatCompactColumn *column = leat_compact_layout_add (self->layout, name);

  if (*first == NULL)
    *first = spec;
  if (leat_spec_get_n_dims (spec) == 0)
    return leat_compact_fail (error, LEAT_GRAPH_ERROR_SPEC, "input \"%s\" is a single number, not rows", name);
  column->dtype = leat_spec_get_dtype (spec);
  column->row_bytes = leat_spec_get_row_bytes (spec);
  column->looked_at = looked_at;
  column->output = leat_primitives_compact_dup_output (self, name);
  self->layout->bounded = leat_spec_is_bounded (*first);
  if (!leat_primitives_compact_check_rows (self, column, spec, *first, error)
      || (looked_at && !leat_primitives_compact_check_looked_at (self, column, spec, error)))
    return FALSE;
  if (*first == spec)
    self->layout->most = leat_primitives_compact_get_rows (self, column, spec);
  return TRUE;
}

/* Arguments are what they are compared with: the widest kind among the inputs that are looked at. */
static void
leat_primitives_compact_choose_type (LeatPrimitivesCompact *self, const char **c_type, const char **type)
{
  gboolean has_double = FALSE, has_float = FALSE, has_natural = FALSE;

  for (guint i = 0; i < self->layout->columns->len; i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (self->layout, i);

      has_double = has_double || (column->looked_at && column->dtype == LEAT_DTYPE_F64);
      has_float = has_float || (column->looked_at && leat_number_get_rules (column->dtype) == LEAT_DTYPE_F32);
      has_natural = has_natural || (column->looked_at && column->dtype == LEAT_DTYPE_U64);
    }
  *c_type = has_double ? "double" : has_float ? "float" : has_natural ? "uint64_t" : "int64_t";
  *type = has_double || has_float ? "d" : has_natural ? "t" : "x";
}

static gboolean
leat_primitives_compact_check_operators (LeatPrimitivesCompact *self, GError **error)
{
  g_autofree LeatDtype *dtypes = g_new0 (LeatDtype, g_strv_length (self->input_names) + 1);
  gboolean single = g_str_equal (self->layout->arg_type, "float");
  const LeatExpressionTypes types = { (const char *const *) self->input_names, dtypes,
                                      single                                           ? LEAT_DTYPE_F32
                                      : g_str_equal (self->layout->arg_type, "double") ? LEAT_DTYPE_F64
                                                                                       : LEAT_DTYPE_I64,
                                      single, LEAT_DTYPE_ANY };

  if (self->expression == NULL)
    return TRUE;
  for (guint i = 0; self->input_names[i] != NULL; i++)
    dtypes[i] = leat_compact_layout_get (self->layout, i)->dtype;
  return leat_expression_check (self->expression, LEAT_NODE (self), "where", &types, error);
}

static gboolean
leat_primitives_compact_describe_predicate (LeatPrimitivesCompact *self, GError **error)
{
  static const char *const none[] = { NULL };
  g_autoptr (GPtrArray) args = g_ptr_array_new ();
  const char *const *names = self->expression != NULL ? leat_expression_list_names (self->expression) : none;
  const char *type;

  leat_primitives_compact_choose_type (self, &self->layout->arg_type, &type);
  for (guint i = 0; names[i] != NULL; i++)
    if (!leat_primitives_compact_has (self->input_names, names[i]))
      g_ptr_array_add (args, g_strdup (names[i]));
  g_ptr_array_add (args, NULL);
  self->layout->args = (char **) g_ptr_array_free (g_steal_pointer (&args), FALSE);
  self->layout->predicate =
    self->expression != NULL
      ? leat_expression_to_c (self->expression, none, NULL, NULL, g_str_equal (self->layout->arg_type, "float"))
      : g_strdup (self->by == LEAT_COMPACT_BY_FLAGS ? "flags != 0" : "bits != 0");
  return leat_primitives_compact_check_operators (self, error)
         && leat_primitives_compact_set_arg_types (self, type, error);
}

static gboolean
leat_primitives_compact_describe (LeatPrimitivesCompact *self, LeatNegotiation *negotiation, GError **error)
{
  LeatSpec *first = NULL;

  g_clear_pointer (&self->layout, leat_compact_layout_free);
  self->layout = leat_compact_layout_new ();
  self->layout->by = (LeatCompactBy) self->by;
  for (guint i = 0; self->input_names[i] != NULL; i++)
    if (!leat_primitives_compact_add_column (self, negotiation, self->input_names[i],
                                             leat_primitives_compact_looks_at (self, self->input_names[i]), &first,
                                             error))
      return FALSE;
  if (self->by != LEAT_COMPACT_BY_WHERE
      && !leat_primitives_compact_add_column (self, negotiation, by_choices[self->by], TRUE, &first, error))
    return FALSE;
  if (self->emit != LEAT_COMPACT_EMIT_ITEMS)
    self->layout->numbers = g_strdup (self->emit == LEAT_COMPACT_EMIT_BOTH ? "indices" : "out");
  self->layout->number_bytes = self->index == 0 ? 4 : 8;
  if (self->layout->numbers != NULL && self->index == 0 && self->layout->most > (guint64) G_MAXUINT32 + 1)
    return leat_compact_fail (error, LEAT_GRAPH_ERROR_SPEC,
                              "%" G_GUINT64_FORMAT " rows have indices that u32 does not hold; set index=u64",
                              self->layout->most);
  return TRUE;
}

/* As many rows as may come, or what the port or its reader says. */
static guint64
leat_primitives_compact_get_room (LeatPrimitivesCompact *self, LeatNegotiation *negotiation)
{
  g_autoptr (LeatSpec) allowed = leat_negotiation_get_allowed (negotiation, "out");

  if (leat_spec_has_shape (allowed) && leat_spec_get_n_dims (allowed) > 0 && leat_spec_is_bounded (allowed)
      && leat_spec_get_dim_name (allowed, 0) == NULL)
    return leat_spec_get_dim (allowed, 0);
  return self->layout->most;
}

/* All outputs have the same room, whichever of them was found to have too little. */
static guint64
leat_primitives_compact_grow (LeatPrimitivesCompact *self, LeatNegotiation *negotiation, guint64 room)
{
  const LeatCompactLayout *layout = self->layout;

  if (self->on_overflow != LEAT_COMPACT_OVERFLOW_GROW || room >= layout->most)
    return room;
  for (guint i = 0; i < layout->columns->len; i++)
    if (leat_compact_layout_get (layout, i)->output != NULL)
      room = MAX (room, leat_negotiation_let_grow (negotiation, leat_compact_layout_get (layout, i)->output));
  if (layout->numbers != NULL)
    room = MAX (room, leat_negotiation_let_grow (negotiation, layout->numbers));
  return MIN (room, layout->most);
}

static gboolean
leat_primitives_compact_state (LeatPrimitivesCompact *self, LeatNegotiation *negotiation, const char *output,
                               LeatSpec *like, guint64 room, GError **error)
{
  guint64 dims[LEAT_SPEC_MAX_DIMS] = { room };
  guint n_dims = MAX (leat_spec_get_n_dims (like), 1);
  g_autoptr (LeatSpec) spec = NULL;

  for (guint i = 1; i < n_dims; i++)
    dims[i] = leat_spec_get_dim (like, i);
  spec = leat_spec_new_with_shape (like, dims, n_dims, TRUE);
  return leat_negotiation_set_output (negotiation, output, spec, error);
}

static gboolean
leat_primitives_compact_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatPrimitivesCompact *self = LEAT_PRIMITIVES_COMPACT (node);
  g_autoptr (LeatSpec) number = leat_spec_new (self->index == 0 ? LEAT_DTYPE_U32 : LEAT_DTYPE_U64, NULL, 0, FALSE);
  guint64 room;

  if (!leat_primitives_compact_describe (self, negotiation, error))
    {
      g_prefix_error (error, "compact \"%s\": ", leat_node_get_name (node));
      return FALSE;
    }
  if (!leat_primitives_compact_describe_predicate (self, error))
    return FALSE;
  room = leat_primitives_compact_grow (self, negotiation, leat_primitives_compact_get_room (self, negotiation));
  self->layout->truncates = self->on_overflow == LEAT_COMPACT_OVERFLOW_TRUNCATE && room < self->layout->most;
  for (guint i = 0; i < self->layout->columns->len; i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (self->layout, i);

      if (column->output != NULL
          && !leat_primitives_compact_state (self, negotiation, column->output,
                                             leat_negotiation_get_input (negotiation, column->name), room, error))
        return FALSE;
    }
  leat_compact_layout_choose (self->layout);
  return self->layout->numbers == NULL
         || leat_primitives_compact_state (self, negotiation, self->layout->numbers, number, room, error);
}

/* The parts that a call is made from. */
typedef struct
{
  GArray *args;    /* LeatArg */
  GArray *buffers; /* LeatBufferId */
  GArray *access;  /* LeatAccess */
  guint64 counts[LEAT_COMPACT_MOST_INPUTS + 1];
  guint64 room, set_words;
} LeatCompactCall;

static void
leat_compact_call_touch (LeatCompactCall *self, LeatBufferId buffer, LeatAccess access)
{
  LeatArg arg = { .kind = LEAT_ARG_ITEMS, .buffer = buffer };

  g_array_append_val (self->args, arg);
  g_array_append_val (self->buffers, buffer);
  g_array_append_val (self->access, access);
}

static void
leat_compact_call_add (LeatCompactCall *self, LeatArgKind kind, LeatBufferId buffer, const guint64 *value,
                       const char *name)
{
  LeatArg arg = { .kind = kind, .buffer = buffer, .value = value, .size = sizeof *value, .name = name };

  g_array_append_val (self->args, arg);
}

/* Of bounded data each step of the first dimension is a row, or as many as it has bits. */
static void
leat_primitives_compact_add_counts (LeatPrimitivesCompact *self, LeatRecorder *recorder, LeatCompactCall *call)
{
  const LeatCompactLayout *layout = self->layout;

  for (guint i = 0; i < (layout->bounded ? layout->columns->len : 1); i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (layout, i);
      LeatBufferId buffer = leat_recorder_get_input (recorder, column->name);
      gboolean bits = self->by == LEAT_COMPACT_BY_BITS && column->looked_at;

      call->counts[i] = !layout->bounded ? layout->most
                        : bits ? leat_primitives_compact_count_bits (leat_recorder_get_spec (recorder, buffer))
                               : 1;
      leat_compact_call_add (call, layout->bounded ? LEAT_ARG_COUNT : LEAT_ARG_VALUE,
                             layout->bounded ? buffer : LEAT_BUFFER_NONE, &call->counts[i], NULL);
    }
}

static void
leat_primitives_compact_add_output (LeatRecorder *recorder, LeatCompactCall *call, const char *port)
{
  LeatBufferId buffer = leat_recorder_get_output (recorder, port);

  leat_compact_call_touch (call, buffer, LEAT_ACCESS_WRITE);
  leat_compact_call_add (call, LEAT_ARG_COUNT, buffer, NULL, NULL);
  call->room = leat_spec_get_dim (leat_recorder_get_spec (recorder, buffer), 0);
}

static void
leat_primitives_compact_fill (LeatPrimitivesCompact *self, LeatRecorder *recorder, LeatCompactCall *call)
{
  const LeatCompactLayout *layout = self->layout;

  for (guint i = 0; i < layout->columns->len; i++)
    leat_compact_call_touch (call, leat_recorder_get_input (recorder, leat_compact_layout_get (layout, i)->name),
                             LEAT_ACCESS_READ);
  for (guint i = 1; i < layout->columns->len && self->by != LEAT_COMPACT_BY_BITS; i++)
    leat_recorder_align (recorder, leat_compact_layout_get (layout, 0)->name,
                         leat_compact_layout_get (layout, i)->name);
  leat_primitives_compact_add_counts (self, recorder, call);
  for (guint i = 0; layout->args[i] != NULL; i++)
    leat_compact_call_add (call, LEAT_ARG_NODE_ARG, LEAT_BUFFER_NONE, NULL, layout->args[i]);
  for (guint i = 0; i < layout->columns->len; i++)
    if (leat_compact_layout_get (layout, i)->output != NULL)
      leat_primitives_compact_add_output (recorder, call, leat_compact_layout_get (layout, i)->output);
  if (layout->numbers != NULL)
    leat_primitives_compact_add_output (recorder, call, layout->numbers);
  leat_compact_call_add (call, LEAT_ARG_VALUE, LEAT_BUFFER_NONE, &call->room, NULL);
  leat_compact_call_touch (
    call, leat_recorder_add_marks (recorder, "progress", leat_compact_layout_get_control_bytes (layout)),
    LEAT_ACCESS_READ_WRITE);
  call->set_words = leat_compact_layout_get_set_words (layout);
  leat_compact_call_add (call, LEAT_ARG_VALUE, LEAT_BUFFER_NONE, &call->set_words, NULL);
}

/* The rows are staged before they are written, so that they may go where they came from; other columns are read again
 * by their numbers. */
static void
leat_primitives_compact_alias (LeatPrimitivesCompact *self, LeatRecorder *recorder)
{
  self->layout->in_place = FALSE;
  for (guint i = 0; i < self->layout->columns->len && self->layout->stages_items; i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (self->layout, i);

      if (column->output != NULL)
        self->layout->in_place = self->in_place ? leat_recorder_alias (recorder, column->output, column->name)
                                                : leat_recorder_update (recorder, column->output, column->name);
    }
}

static gboolean
leat_primitives_compact_load_source (LeatPrimitivesCompact *self, GError **error)
{
  g_autofree char *text = leat_compact_layout_write (self->layout, error);
  LeatFloatFlags floats;

  if (text == NULL)
    return FALSE;
  if (!leat_float_flags_parse (self->fp, &floats, error))
    {
      leat_node_blame (LEAT_NODE (self), "fp");
      return FALSE;
    }
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  self->source = leat_kernel_source_new (self->where != NULL ? self->where : "compact", text, error);
  if (self->source != NULL)
    leat_kernel_source_set_floats (self->source, floats);
  return self->source != NULL;
}

static gboolean
leat_primitives_compact_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatPrimitivesCompact *self = LEAT_PRIMITIVES_COMPACT (node);
  LeatKernelCall call = { .entry = "compact",
                          .grid = { leat_compact_layout_get_blocks (self->layout, LEAT_COMPACT_MOST_BLOCKS), 1, 1 },
                          .block = { self->layout->threads, 1, 1 },
                          .shared_bytes = leat_compact_layout_get_shared_bytes (self->layout),
                          .grid_by_occupancy =
                            leat_compact_layout_get_tiles (self->layout) > LEAT_COMPACT_MOST_BLOCKS };
  LeatCompactCall parts = { .args = g_array_new (FALSE, FALSE, sizeof (LeatArg)),
                            .buffers = g_array_new (FALSE, FALSE, sizeof (LeatBufferId)),
                            .access = g_array_new (FALSE, FALSE, sizeof (LeatAccess)) };
  gboolean good;

  leat_primitives_compact_alias (self, recorder);
  good = leat_primitives_compact_load_source (self, error);
  if (good)
    {
      leat_primitives_compact_fill (self, recorder, &parts);
      call.source = self->source;
      call.args = (const LeatArg *) (gpointer) parts.args->data;
      call.n_args = parts.args->len;
      call.buffers = (const LeatBufferId *) (gpointer) parts.buffers->data;
      call.access = (const LeatAccess *) (gpointer) parts.access->data;
      call.n_buffers = parts.buffers->len;
      leat_recorder_add_kernel (recorder, &call);
    }
  g_array_unref (parts.args);
  g_array_unref (parts.buffers);
  g_array_unref (parts.access);
  return good;
}

static void
leat_primitives_compact_finalize (GObject *object)
{
  LeatPrimitivesCompact *self = LEAT_PRIMITIVES_COMPACT (object);

  leat_primitives_compact_unload (self);
  g_clear_pointer (&self->layout, leat_compact_layout_free);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  G_OBJECT_CLASS (leat_primitives_compact_parent_class)->finalize (object);
}

static void
leat_primitives_compact_class_init (LeatPrimitivesCompactClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_primitives_compact_finalize;
  node_class->prepare = leat_primitives_compact_prepare;
  node_class->negotiate = leat_primitives_compact_negotiate;
  node_class->record = leat_primitives_compact_record;
  leat_node_class_describe (node_class, &leat_primitives_compact_info);
}

static void
leat_primitives_compact_init (LeatPrimitivesCompact *self)
{
}
