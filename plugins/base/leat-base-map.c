/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The node `map`: an expression, item by item.  The kernel's text is made when the types are known; from there on it is
 * a kernel like any other. */

#include "leat-base-map.h"

#include "leat-base-call.h"
#include "leat-base-expression.h"
#include "leat-base-geometry.h"
#include "leat-base-map-values.h"
#include "leat-base-number.h"

#define LEAT_MAP_BLOCK      256
#define LEAT_MAP_MOST_BLOCK 1024 /* of any GPU */

struct _LeatBaseMap
{
  LeatNode parent_instance;

  char *expr;
  char *inputs;
  char *into;
  int type;
  char *fp;
  guint block;

  LeatExpression *expression;
  char *loaded; /* expr and inputs that the ports were made from */
  char **input_names;
  LeatKernelSource *source;
};

G_DEFINE_FINAL_TYPE (LeatBaseMap, leat_base_map, LEAT_TYPE_NODE)

static const char *const type_choices[] = { "same",   "u8",  "i8",   "u16",  "i16", "u32",  "i32",
                                            "u64",    "i64", "f32",  "f64",  "f16", "bf16", "f8e4m3",
                                            "f8e5m2", "c64", "c128", "bool", NULL };

static const LeatProp props[] = {
  { sizeof (LeatProp), "expr", LEAT_PROP_STRING, LEAT_PROP_REQUIRED, offsetof (LeatBaseMap, expr),
    .blurb = "Expression in C, such as 2*x+1, or x.mass of records; names that are not inputs are arguments" },
  { sizeof (LeatProp), "inputs", LEAT_PROP_STRING, 0, offsetof (LeatBaseMap, inputs), .def.s = "x",
    .blurb = "Names of the inputs, separated by commas" },
  { sizeof (LeatProp), "into", LEAT_PROP_STRING, 0, offsetof (LeatBaseMap, into),
    .blurb = "Field of the first input that gets the result, such as mass; the output has the records of that input" },
  { sizeof (LeatProp), "type", LEAT_PROP_CHOICE, 0, offsetof (LeatBaseMap, type), .choices = type_choices,
    .blurb = "Type of the result; same: the type of the first input, or of the first field that is taken of it" },
  { sizeof (LeatProp), "fp", LEAT_PROP_STRING, 0, offsetof (LeatBaseMap, fp), .def.s = "strict",
    .blurb = "Freedoms of the compiler with floating point, separated by commas.  strict: none, the same "
             "bytes on every device; fast or contract: a multiplication and an addition may become one "
             "operation; and on GPUs flush, div, sqrt, intrinsics; all: all of these" },
  { sizeof (LeatProp), "block", LEAT_PROP_UINT, 0, offsetof (LeatBaseMap, block), .def.u = LEAT_MAP_BLOCK, .min.u = 1,
    .max.u = LEAT_MAP_MOST_BLOCK,
    .blurb = "Threads of a block; kernels with blocks of one size can be fused without a barrier" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "Results, in the shape of the inputs" },
  { sizeof (LeatPortInfo), "(NAME)", LEAT_PORT_INPUT, LEAT_PORT_DYNAMIC, "any",
    "One input for each name in inputs; x by default.  All have one shape, of any type" },
};

const LeatNodeInfo leat_base_map_info = {
  sizeof (LeatNodeInfo),
  "map",
  NULL,
  "Computes an expression for each item",
  "Compiles an expression to a kernel.  Names listed in `inputs` are input ports; "
  "other names are arguments, which are set like properties.  Functions include abs "
  "min max sqrt exp log sin cos tan pow floor ceil round fma, and conj real imag abs of "
  "complex numbers.  Of records, x.mass is a field.  If the result is f32, c64 or a float of fewer bits, arguments and "
  "numbers with a fraction are float.  If it is i64 or u64, arguments are whole numbers.  "
  "Otherwise they are double.\n\nExample: map expr=gain*x+offset "
  "gain=2 offset=1",
  props,
  G_N_ELEMENTS (props),
  ports,
  G_N_ELEMENTS (ports),
  leat_base_map_get_type,
};

static gboolean
leat_base_map_check_input (LeatBaseMap *self, const char *name, gboolean is_target, GError **error)
{
  gboolean good = g_ascii_isalpha (name[0]) && !g_str_equal (name, "out") && !g_str_equal (name, "i");

  for (const char *at = name; *at != '\0' && good; at++)
    good = g_ascii_isalnum (*at) || *at == '_';
  if (good && (is_target || g_strv_contains (leat_expression_list_names (self->expression), name)))
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE,
               good ? "input \"%s\" does not occur in \"%s\"; set inputs= to the names that do"
                    : "\"%s\" cannot be the name of an input of \"%s\"",
               name, self->expr);
  return FALSE;
}

/* An argument is set like a property, and one of that name there is already. */
static gboolean
leat_base_map_check_arguments (LeatBaseMap *self, GError **error)
{
  const char *const *names = leat_expression_list_names (self->expression);

  for (guint i = 0; names[i] != NULL; i++)
    for (guint k = 0; k < G_N_ELEMENTS (props); k++)
      if (g_str_equal (names[i], props[k].name) && !g_strv_contains ((const char *const *) self->input_names, names[i]))
        {
          g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE,
                       "\"%s\" is a property of map, so that no argument of \"%s\" can have its name; take another",
                       names[i], self->expr);
          return FALSE;
        }
  return TRUE;
}

static gboolean
leat_base_map_load (LeatBaseMap *self, GError **error)
{
  leat_node_blame (LEAT_NODE (self), "expr");
  g_clear_pointer (&self->expression, leat_expression_free);
  self->expression = leat_expression_parse_with_fields (self->expr, error);
  if (self->expression == NULL)
    return FALSE;
  leat_node_blame (LEAT_NODE (self), "inputs");
  g_strfreev (self->input_names);
  self->input_names = g_strsplit (self->inputs, ",", LEAT_SPEC_MAX_DIMS * 4);
  for (guint i = 0; self->input_names[i] != NULL; i++)
    if (!leat_base_map_check_input (self, g_strstrip (self->input_names[i]), i == 0 && self->into != NULL, error))
      return FALSE;
  leat_node_blame (LEAT_NODE (self), "expr");
  return leat_base_map_check_arguments (self, error);
}

static void
leat_base_map_expose (LeatBaseMap *self)
{
  const char *const *names = leat_expression_list_names (self->expression);
  g_autoptr (LeatSpec) any = leat_spec_new_any ();

  leat_node_remove_dynamic_ports (LEAT_NODE (self));
  leat_node_remove_args (LEAT_NODE (self));
  for (guint i = 0; self->input_names[i] != NULL; i++)
    leat_node_add_port (LEAT_NODE (self), self->input_names[i], LEAT_PORT_INPUT, LEAT_PORT_DYNAMIC, any, NULL);
  for (guint i = 0; names[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) self->input_names, names[i]))
      leat_node_add_arg (LEAT_NODE (self), names[i], "*", NULL);
}

/* An argument's type follows from the result's, which is open until the next plan. */
static gboolean
leat_base_map_set_arg_types (LeatBaseMap *self, const char *type, GError **error)
{
  const char *const *names = leat_expression_list_names (self->expression);

  for (guint i = 0; names[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) self->input_names, names[i])
        && !leat_node_set_arg_type (LEAT_NODE (self), names[i], type, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_base_map_prepare (LeatNode *node, GError **error)
{
  LeatBaseMap *self = LEAT_BASE_MAP (node);
  g_autofree char *wanted = NULL;

  if (self->expr == NULL)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING, "set expr=EXPRESSION");
      return FALSE;
    }
  wanted = g_strconcat (self->expr, "\n", self->inputs, self->into != NULL ? "\n" : "", NULL);
  if (g_strcmp0 (wanted, self->loaded) == 0)
    return leat_base_map_set_arg_types (self, "*", error);
  g_clear_pointer (&self->loaded, g_free);
  if (!leat_base_map_load (self, error))
    return FALSE;
  leat_base_map_expose (self);
  self->loaded = g_steal_pointer (&wanted);
  return TRUE;
}

/* Floats of fewer bits are computed with as f32, which has all of them. */
static gboolean
leat_base_map_is_single (LeatDtype output)
{
  return leat_number_get_rules (output) == LEAT_DTYPE_F32 || output == LEAT_DTYPE_C64;
}

/* The type of an argument, which must hold all that the result's type can.  Doubles hold all whole numbers of 32 bits;
 * where the result has 64, an argument is of its type. */
static const char *
leat_base_map_get_arg_c_type (LeatDtype output)
{
  if (output == LEAT_DTYPE_I64 || output == LEAT_DTYPE_U64)
    return leat_number_get_storage (output);
  return leat_base_map_is_single (output) ? "float" : "double";
}

static gboolean
leat_base_map_check_operators (LeatBaseMap *self, const LeatMapValues *values, LeatDtype output, GError **error)
{
  gboolean whole = output == LEAT_DTYPE_I64 || output == LEAT_DTYPE_U64, single = leat_base_map_is_single (output);
  const LeatExpressionTypes types = { (const char *const *) values->names->pdata,
                                      (const LeatDtype *) values->dtypes->data,
                                      whole    ? output
                                      : single ? LEAT_DTYPE_F32
                                               : LEAT_DTYPE_F64,
                                      single, output };

  return leat_expression_check (self->expression, LEAT_NODE (self), "expr", &types, error);
}

static const char *
leat_base_map_get_arg_type (LeatDtype output)
{
  if (output == LEAT_DTYPE_I64 || output == LEAT_DTYPE_U64)
    return output == LEAT_DTYPE_I64 ? "x" : "t";
  return "d"; /* kept as given where the kernel's is a float: a later plan may want more of it */
}

/* Bounded inputs each have a count of their own; one alone is passed on without a kernel's help. */
static guint
leat_base_map_get_n_counts (LeatBaseMap *self, gboolean bounded)
{
  return bounded ? g_strv_length (self->input_names) : 1;
}

/* As many items as all inputs have; the first thread tells how many rows these are. */
static void
leat_base_map_write_least (LeatBaseMap *self, guint n_counts, guint64 row_items, GString *text)
{
  g_string_append_printf (text, "  uint64_t leat_items = %s_count;\n\n", self->input_names[0]);
  for (guint i = 1; i < n_counts; i++)
    g_string_append_printf (text, "  if (%s_count < leat_items)\n    leat_items = %s_count;\n", self->input_names[i],
                            self->input_names[i]);
  if (n_counts > 1)
    g_string_append_printf (text,
                            "  if (blockIdx.x == 0 && threadIdx.x == 0)\n    *out_count = leat_items / "
                            "%" G_GUINT64_FORMAT "u;\n",
                            row_items);
}

static char *
leat_base_map_write_source (LeatBaseMap *self, const LeatMapValues *values, LeatSpec **specs, LeatDtype output,
                            guint n_counts, guint64 row_items)
{
  const char *const *names = leat_expression_list_names (self->expression);
  const LeatDtype *dtypes = (const LeatDtype *) values->dtypes->data;
  g_autofree char *body =
    leat_expression_to_c (self->expression, (const char *const *) values->names->pdata, dtypes,
                          (const char *const *) values->items->pdata, leat_base_map_is_single (output));
  g_autofree char *value = leat_number_dup_write (output, body);
  GString *text = g_string_new (NULL);

  leat_number_append_includes (text, dtypes, values->dtypes->len);
  leat_number_append_includes (text, &output, 1);
  leat_map_values_append_types (values, specs, text);
  g_string_append (text, "__global__ void map (");
  for (guint i = 0; self->input_names[i] != NULL; i++)
    g_string_append_printf (text, "const %s *%s, ", (char *) g_ptr_array_index (values->params, i),
                            self->input_names[i]);
  for (guint i = 0; i < n_counts; i++)
    g_string_append_printf (text, "uint64_t %s_count, ", self->input_names[i]);
  for (guint i = 0; names[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) self->input_names, names[i]))
      g_string_append_printf (text, "%s %s, ", leat_base_map_get_arg_c_type (output), names[i]);
  g_string_append_printf (text, "%s *out%s)\n{\n",
                          values->store != NULL ? (const char *) g_ptr_array_index (values->params, 0)
                                                : leat_number_get_storage (output),
                          n_counts > 1 ? ", uint64_t *out_count" : "");
  leat_base_map_write_least (self, n_counts, row_items, text);
  leat_map_values_append_loop (values, value, text);
  return g_string_free (text, FALSE);
}

static gboolean
leat_base_map_has_shape_of (LeatSpec *spec, LeatSpec *other)
{
  gboolean same = leat_spec_get_n_dims (spec) == leat_spec_get_n_dims (other)
                  && leat_spec_is_bounded (spec) == leat_spec_is_bounded (other);

  for (guint i = 0; same && i < leat_spec_get_n_dims (spec); i++)
    same = leat_spec_get_dim (spec, i) == leat_spec_get_dim (other, i);
  return same;
}

static gboolean
leat_base_map_check_shapes (LeatBaseMap *self, LeatNegotiation *negotiation, LeatSpec **specs, GError **error)
{
  LeatSpec *first = leat_negotiation_get_input (negotiation, self->input_names[0]);

  for (guint i = 0; self->input_names[i] != NULL; i++)
    {
      LeatSpec *spec = leat_negotiation_get_input (negotiation, self->input_names[i]);
      gboolean same = leat_base_map_has_shape_of (spec, first);

      specs[i] = spec;
      if (!same)
        {
          g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

          g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                       "map \"%s\": input \"%s\" is %s, and the first input has another shape",
                       leat_node_get_name (LEAT_NODE (self)), self->input_names[i], text);
          return FALSE;
        }
    }
  return TRUE;
}

static guint64
leat_base_map_get_row_items (LeatSpec *spec)
{
  guint64 rows = leat_spec_get_n_dims (spec) > 0 ? leat_spec_get_dim (spec, 0) : 1;

  return rows > 0 ? leat_spec_get_items (spec) / rows : 0;
}

static gboolean
leat_base_map_compile_text (LeatBaseMap *self, const LeatMapValues *values, LeatSpec **specs, LeatDtype output,
                            GError **error)
{
  LeatSpec *like = specs[0];
  guint n_counts = leat_base_map_get_n_counts (self, leat_spec_is_bounded (like));
  guint64 row_items = leat_base_map_get_row_items (like);
  g_autofree char *text = leat_base_map_write_source (self, values, specs, output, n_counts, row_items);
  LeatFloatFlags floats;

  if (!leat_float_flags_parse (self->fp, &floats, error))
    {
      leat_node_blame (LEAT_NODE (self), "fp");
      return FALSE;
    }
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  self->source = leat_kernel_source_new (self->expr, text, error);
  if (self->source != NULL)
    leat_kernel_source_set_floats (self->source, floats);
  return self->source != NULL;
}

static LeatMapValues *
leat_base_map_find_values (LeatBaseMap *self, LeatSpec **specs, GError **error)
{
  LeatMapValues *values = leat_map_values_new (self->expression, self->input_names, specs, error);

  leat_node_blame (LEAT_NODE (self), values == NULL ? "expr" : "into");
  if (values == NULL || self->into == NULL)
    return values;
  if (self->type != 0)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                 "into=%s: the result has the type of that field, so leave type=%s out", self->into,
                 type_choices[self->type]);
  if (self->type == 0 && leat_map_values_set_target (values, self->into, specs[0], error))
    return values;
  leat_map_values_free (values);
  return NULL;
}

static gboolean
leat_base_map_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  LeatBaseMap *self = LEAT_BASE_MAP (node);
  g_autofree LeatSpec **specs = g_new0 (LeatSpec *, g_strv_length (self->input_names) + 1);
  guint64 dims[LEAT_SPEC_MAX_DIMS];
  g_autoptr (LeatMapValues) values = NULL;
  g_autoptr (LeatSpec) spec = NULL;
  LeatSpec *like;
  LeatDtype output;

  if (!leat_base_map_check_shapes (self, negotiation, specs, error)
      || (values = leat_base_map_find_values (self, specs, error)) == NULL)
    return FALSE;
  like = specs[0];
  output = self->type == 0 ? leat_map_values_get_first (values) : leat_dtype_from_name (type_choices[self->type]);
  for (guint i = 0; i < leat_spec_get_n_dims (like); i++)
    dims[i] = leat_spec_get_dim (like, i);
  /* A wider type can make it too big, which set_output () then says. */
  spec = self->into != NULL
           ? leat_spec_new_with_shape (like, dims, leat_spec_get_n_dims (like), leat_spec_is_bounded (like))
           : leat_spec_new (output, dims, leat_spec_get_n_dims (like), leat_spec_is_bounded (like));
  return leat_base_map_check_operators (self, values, output, error)
         && leat_base_map_set_arg_types (self, leat_base_map_get_arg_type (output), error)
         && leat_base_map_compile_text (self, values, specs, output, error)
         && leat_negotiation_set_output (negotiation, "out", spec, error);
}

static void
leat_base_map_fill_args (LeatBaseMap *self, LeatRecorder *recorder, LeatArg *args, LeatBufferId *buffers,
                         LeatAccess *access, guint64 *count)
{
  const char *const *names = leat_expression_list_names (self->expression);
  guint n_inputs = g_strv_length (self->input_names);
  LeatSpec *spec = leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, self->input_names[0]));
  guint n_counts = leat_base_map_get_n_counts (self, leat_spec_is_bounded (spec));
  guint n = 0;

  for (guint i = 0; i < n_inputs; i++, n++)
    {
      buffers[i] = leat_recorder_get_input (recorder, self->input_names[i]);
      access[i] = LEAT_ACCESS_READ;
      args[n] = (LeatArg){ .kind = LEAT_ARG_ITEMS, .buffer = buffers[i] };
    }
  *count = leat_spec_is_bounded (spec) ? leat_base_map_get_row_items (spec) : leat_spec_get_items (spec);
  for (guint i = 0; i < n_counts; i++)
    args[n++] = (LeatArg){ .kind = leat_spec_is_bounded (spec) ? LEAT_ARG_COUNT : LEAT_ARG_VALUE,
                           .buffer = buffers[i],
                           .value = count,
                           .size = sizeof *count };
  for (guint i = 0; names[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) self->input_names, names[i]))
      args[n++] = (LeatArg){ .kind = LEAT_ARG_NODE_ARG, .buffer = LEAT_BUFFER_NONE, .name = names[i] };
  buffers[n_inputs] = leat_recorder_get_output (recorder, "out");
  access[n_inputs] = LEAT_ACCESS_WRITE;
  args[n++] = (LeatArg){ .kind = LEAT_ARG_ITEMS, .buffer = buffers[n_inputs] };
  if (n_counts > 1)
    args[n] = (LeatArg){ .kind = LEAT_ARG_COUNT, .buffer = buffers[n_inputs] };
}

/* Each item is read and written by one thread, so that a state can become the result where it is.  A count that is
 * written anew may be read by other threads still. */
static void
leat_base_map_update_state (LeatBaseMap *self, LeatRecorder *recorder)
{
  LeatSpec *out = leat_recorder_get_spec (recorder, leat_recorder_get_output (recorder, "out"));
  gboolean updated = leat_spec_is_bounded (out);

  for (guint i = 0; self->input_names[i] != NULL && !updated; i++)
    updated =
      leat_spec_equal (leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, self->input_names[i])), out)
      && leat_recorder_update (recorder, "out", self->input_names[i]);
}

static gboolean
leat_base_map_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatBaseMap *self = LEAT_BASE_MAP (node);
  const LeatPrototype *prototype = leat_kernel_source_get_prototype (self->source, "map", error);
  guint n_inputs = g_strv_length (self->input_names);
  g_autofree LeatBufferId *buffers = g_new0 (LeatBufferId, n_inputs + 1);
  g_autofree LeatAccess *access = g_new0 (LeatAccess, n_inputs + 1);
  LeatKernelCall call = { .source = self->source, .entry = "map", .block = { self->block, 1, 1 } };
  g_autofree LeatArg *args = NULL;
  guint64 count, threads[3];
  LeatBufferId out = leat_recorder_get_output (recorder, "out");
  LeatBufferId first = leat_recorder_get_input (recorder, self->input_names[0]);

  if (prototype == NULL)
    return FALSE;
  for (guint i = 1; i < n_inputs; i++)
    leat_recorder_align (recorder, self->input_names[0], self->input_names[i]);
  leat_base_map_update_state (self, recorder);
  args = g_new0 (LeatArg, prototype->n_params);
  leat_base_map_fill_args (self, recorder, args, buffers, access, &count);
  leat_geometry_cover (leat_recorder_get_spec (recorder, out), 1, 1, threads);
  threads[0] = MIN (threads[0], (guint64) self->block * 65536); /* GRID_FOR takes the rest */
  if (!leat_geometry_divide (threads, call.block, call.grid, error))
    return FALSE;
  if (leat_spec_is_bounded (leat_recorder_get_spec (recorder, out)) && n_inputs == 1)
    leat_recorder_copy_count (recorder, out, first);
  call.args = args;
  call.n_args = prototype->n_params;
  call.buffers = buffers;
  call.access = access;
  call.n_buffers = n_inputs + 1;
  call.pattern = LEAT_PATTERN_ELEMENTWISE;
  leat_recorder_add_kernel (recorder, &call);
  return TRUE;
}

static void
leat_base_map_finalize (GObject *object)
{
  LeatBaseMap *self = LEAT_BASE_MAP (object);

  g_clear_pointer (&self->expression, leat_expression_free);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  g_strfreev (self->input_names);
  g_free (self->loaded);
  G_OBJECT_CLASS (leat_base_map_parent_class)->finalize (object);
}

static void
leat_base_map_class_init (LeatBaseMapClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_base_map_finalize;
  node_class->prepare = leat_base_map_prepare;
  node_class->negotiate = leat_base_map_negotiate;
  node_class->record = leat_base_map_record;
  leat_node_class_describe (node_class, &leat_base_map_info);
}

static void
leat_base_map_init (LeatBaseMap *self)
{
}
