/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The kernel at the end of a loop's body: it counts the iterations, keeps the series and says whether another one
 * follows.  Its text is written here, and its call is recorded.  It reads the body's outputs, and writes the loop's own
 * memory, report and series. */

#include "leat-base-loop-test.h"

#include "leat-base-number.h"

#define LEAT_LOOP_ENTRY "loop_test"

struct _LeatLoopTest
{
  LeatGroup *group; /* not owned */
  guint64 most, budget_ns;
  GPtrArray *names;  /* char *: outputs that the expression or the series takes */
  GPtrArray *args;   /* char *: arguments of the node */
  GPtrArray *told;   /* char *: not owned: what the report tells of, those of the expression */
  LeatSpec *series;  /* (nullable) */
  char *series_name; /* (nullable) */
  LeatKernelSource *source;
  LeatBufferId series_buffer, count_buffer;
};

/* The numbers in the memory of a loop, which are zeros at its beginning. */
#define LEAT_LOOP_DONE  "leat_memory[0]" /* iterations */
#define LEAT_LOOP_SINCE "leat_memory[1]" /* when the first one ended */
#define LEAT_LOOP_OVER  "[2]"            /* also of the outer one: some loop in it ran away, so that all of them end */

void
leat_loop_test_free (LeatLoopTest *self)
{
  g_ptr_array_unref (self->names);
  g_ptr_array_unref (self->args);
  g_ptr_array_unref (self->told);
  g_clear_pointer (&self->series, leat_spec_unref);
  g_clear_pointer (&self->source, leat_kernel_source_unref);
  g_free (self->series_name);
  g_free (self);
}

const char *const *
leat_loop_test_list_operands (LeatLoopTest *self)
{
  return (const char *const *) self->told->pdata;
}

/* Before there are names of a series alone. */
static void
leat_loop_test_find_operands (LeatLoopTest *self)
{
  for (guint i = 0; i < self->names->len && self->told->len < LEAT_LOOP_OPERANDS; i++)
    g_ptr_array_add (self->told, g_ptr_array_index (self->names, i));
  for (guint i = 0; i < self->args->len && self->told->len < LEAT_LOOP_OPERANDS; i++)
    g_ptr_array_add (self->told, g_ptr_array_index (self->args, i));
  g_ptr_array_add (self->told, NULL);
}

LeatSpec *
leat_loop_test_get_series (LeatLoopTest *self)
{
  return self->series;
}

static gboolean
leat_loop_test_has (LeatLoopTest *self, const char *name)
{
  return g_ptr_array_find_with_equal_func (self->names, name, g_str_equal, NULL);
}

/* The kernel has a parameter of that name. */
static gboolean
leat_loop_test_check_name (LeatLoopTest *self, const char *name, const char *what, GError **error)
{
  gboolean good = !g_str_equal (name, "i") && !g_str_has_prefix (name, "leat_");

  for (const char *at = name; *at != '\0' && good; at++)
    good = g_ascii_isalnum (*at) || *at == '_';
  if (good)
    return TRUE;
  leat_node_blame (LEAT_NODE (self->group), what);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE,
               "%s= takes outputs whose names are letters, digits and _, and not i: give out.%s another name", what,
               name);
  return FALSE;
}

/* An output that is one number. */
static gboolean
leat_loop_test_add_name (LeatLoopTest *self, const char *name, const char *what, GError **error)
{
  LeatSpec *spec = leat_group_get_result (self->group, name);
  g_autofree char *text = NULL;

  if (leat_loop_test_has (self, name))
    return TRUE;
  if (!leat_loop_test_check_name (self, name, what, error))
    return FALSE;
  if (!leat_spec_is_bounded (spec) && leat_spec_get_items (spec) == 1 && leat_spec_get_dtype (spec) != LEAT_DTYPE_RECORD
      && !leat_number_is_complex (leat_spec_get_dtype (spec)))
    {
      g_ptr_array_add (self->names, g_strdup (name));
      return TRUE;
    }
  text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  leat_node_blame (LEAT_NODE (self->group), what);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "%s= takes outputs of one %s, and out.%s is %s: %s",
               what, leat_number_is_complex (leat_spec_get_dtype (spec)) ? "real number" : "number", name, text,
               leat_number_is_complex (leat_spec_get_dtype (spec))
                 ? "give an output what is real of it, as with map expr=abs(x) type=f32"
               : leat_spec_get_dtype (spec) == LEAT_DTYPE_RECORD
                 ? "give an output a field of it, as with map expr=x.FIELD"
                 : "reduce it in the body, as with reduce op=max");
  return FALSE;
}

/* A hint at the outputs that the body has instead of @name. */
static char *
leat_loop_test_dup_hint (LeatLoopTest *self, const char *name)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (leat_group_get_end (self->group));
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < ports->len; i++)
    g_ptr_array_add (names, (gpointer) leat_port_get_name (g_ptr_array_index (ports, i)));
  g_ptr_array_add (names, NULL);
  return leat_graph_error_hint (name, (const char *const *) names->pdata, "outputs");
}

/* A name that is no output is an argument, which has a value by now; else it was most likely meant for an output. */
static gboolean
leat_loop_test_add_argument (LeatLoopTest *self, const char *name, GError **error)
{
  g_autofree char *hint = NULL;

  if (leat_node_has_arg_value (LEAT_NODE (self->group), name))
    {
      g_ptr_array_add (self->args, g_strdup (name));
      return TRUE;
    }
  hint = leat_loop_test_dup_hint (self, name);
  leat_node_blame (LEAT_NODE (self->group), "until");
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
               "until= has \"%s\", and the body brings no out.%s%s: link to it in the body, or give it a value, as in "
               "%s=VALUE on the node",
               name, name, hint, name);
  return FALSE;
}

static gboolean
leat_loop_test_find_names (LeatLoopTest *self, LeatExpression *expression, GError **error)
{
  const char *const *names = expression != NULL ? leat_expression_list_names (expression) : NULL;

  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      if (g_str_equal (names[i], LEAT_LOOP_COUNTER))
        continue;
      if (leat_group_get_result (self->group, names[i]) != NULL
            ? !leat_loop_test_add_name (self, names[i], "until", error)
            : !leat_loop_test_add_argument (self, names[i], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_loop_test_find_series (LeatLoopTest *self, const char *series, GError **error)
{
  LeatSpec *spec = series != NULL ? leat_group_get_result (self->group, series) : NULL;
  guint64 most = self->most;

  if (series == NULL)
    return TRUE;
  leat_node_blame (LEAT_NODE (self->group), "series");
  if (spec == NULL)
    {
      g_autofree char *hint = leat_loop_test_dup_hint (self, series);

      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PORT, "series=%s: the body brings no out.%s%s",
                   series, series, hint);
      return FALSE;
    }
  if (most == 0)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
                   "series=%s (out.%s) needs max-iterations=, the room that it is given", series, series);
      return FALSE;
    }
  if (!leat_loop_test_add_name (self, series, "series", error))
    return FALSE;
  self->series_name = g_strdup (series);
  self->series = leat_spec_new (leat_spec_get_dtype (spec), &most, 1, TRUE);
  return TRUE;
}

static LeatDtype
leat_loop_test_get_dtype (LeatLoopTest *self, const char *name)
{
  return leat_spec_get_dtype (leat_group_get_result (self->group, name));
}

/* Of an output or an argument. */
static char *
leat_loop_test_dup_value (LeatLoopTest *self, const char *name)
{
  g_autofree char *item = g_strconcat (name, "[0]", NULL);

  return leat_loop_test_has (self, name) ? leat_number_dup_read (leat_loop_test_get_dtype (self, name), item)
                                         : g_strdup (name);
}

static void
leat_loop_test_write_params (LeatLoopTest *self, const char *entry, GString *text)
{
  g_string_append_printf (text,
                          "__global__ void %s (uint64_t *leat_memory, uint64_t *leat_told, uint64_t leat_handle, "
                          "uint64_t leat_most, uint64_t leat_budget, uint64_t *leat_outer",
                          entry);
  for (guint i = 0; i < self->names->len; i++)
    {
      const char *name = g_ptr_array_index (self->names, i);

      g_string_append_printf (text, ", const %s *%s", leat_number_get_storage (leat_loop_test_get_dtype (self, name)),
                              name);
    }
  for (guint i = 0; i < self->args->len; i++)
    g_string_append_printf (text, ", double %s", (const char *) g_ptr_array_index (self->args, i));
  g_string_append (text, ", uint64_t *leat_iterations");
  if (self->series != NULL)
    g_string_append_printf (text, ", %s *leat_series, uint64_t *leat_series_count",
                            leat_number_get_storage (leat_spec_get_dtype (self->series)));
  g_string_append (text, ")\n");
}

/* Writes the fields of a LeatLoopReport in the host's memory, once where the host does not wait for the loop.  A loop
 * that ran away may be done again before the host looks: in an iteration of an unrolled loop around it, or in the next
 * of many runs.  It then ends at once, without taking its time again; that it ran away is not written over. */
static void
leat_loop_test_write_end (LeatLoopTest *self, const char *is_told, GString *text)
{
  g_string_append_printf (text, "  if (leat_outer != 0 && (leat_over || (leat_late && !leat_ends)))\n"
                                "    leat_outer" LEAT_LOOP_OVER " = 1;\n");
  if (self->series != NULL)
    g_string_append_printf (text,
                            "  leat_series[" LEAT_LOOP_COUNTER " - 1] = %s[0];\n"
                            "  *leat_series_count = " LEAT_LOOP_COUNTER ";\n",
                            self->series_name);
  g_string_append_printf (
    text,
    "  *leat_iterations = " LEAT_LOOP_COUNTER ";\n"
    "  if (%s)\n"
    "    {\n"
    "      leat_told[1] = " LEAT_LOOP_COUNTER ";\n"
    "      leat_told[2] = leat_over ? %d : leat_ends ? %d : leat_goes_on ? %d : leat_late ? %d : %d;\n"
    "      if (leat_late && !leat_over && !leat_ends)\n"
    "        {\n"
    "          leat_told[3] = " LEAT_LOOP_COUNTER ";\n"
    "          leat_told[4] = 1;\n"
    "        }\n",
    is_told, LEAT_LOOP_END_AROUND, LEAT_LOOP_END_CONVERGED, LEAT_LOOP_END_NONE, LEAT_LOOP_END_BUDGET,
    LEAT_LOOP_END_CAP);
  for (guint i = 0; g_ptr_array_index (self->told, i) != NULL; i++)
    {
      g_autofree char *value = leat_loop_test_dup_value (self, g_ptr_array_index (self->told, i));

      g_string_append_printf (text, "      ((double *) leat_told)[%u] = (double) %s;\n",
                              (guint) (G_STRUCT_OFFSET (LeatLoopReport, values) / sizeof (double)) + i, value);
    }
  g_string_append (text, "      leat_told[0] = leat_goes_on;\n"
                         "    }\n");
}

#define LEAT_LOOP_GOES_ON                                                                                              \
  "  const bool leat_goes_on = !leat_over && !leat_ends && !leat_late && " LEAT_LOOP_COUNTER " < leat_most;\n\n"

/* Names of its own begin so that no output is called so. */
static void
leat_loop_test_write (LeatLoopTest *self, const char *condition, GString *text)
{
  leat_loop_test_write_params (self, LEAT_LOOP_ENTRY, text);
  g_string_append_printf (
    text,
    "{\n"
    "  if (blockIdx.x > 0 || threadIdx.x > 0)\n    return;\n\n"
    "  const uint64_t i = 0, " LEAT_LOOP_COUNTER " = " LEAT_LOOP_DONE " + 1, leat_now = leat_clock_now ();\n"
    "  const uint64_t leat_since = " LEAT_LOOP_SINCE " != 0 ? " LEAT_LOOP_SINCE " : leat_now;\n"
    "  const bool leat_off = " LEAT_LOOP_DONE " %% %u == 0 && ((const volatile uint64_t *) leat_told)[4] != 0;\n"
    "  const bool leat_over = leat_off || leat_memory" LEAT_LOOP_OVER
    " != 0 || (leat_outer != 0 && leat_outer" LEAT_LOOP_OVER " != 0);\n"
    "  const bool leat_ends = %s, leat_late = leat_budget > 0 && leat_now - leat_since > "
    "leat_budget;\n" LEAT_LOOP_GOES_ON "  leat_memory[i] = " LEAT_LOOP_COUNTER ";\n"
    "  " LEAT_LOOP_SINCE " = leat_since;\n",
    LEAT_LOOP_LOOK, condition);
  leat_loop_test_write_end (self, "!leat_goes_on || leat_handle == 0", text);
  g_string_append (text, "  if (leat_handle != 0)\n"
                         "    leat_graph_set_conditional (leat_handle, leat_goes_on);\n"
                         "}\n");
}

/* The same in a kernel that does the iterations by itself, see LeatLoopCall. */
static void
leat_loop_test_write_fused (LeatLoopTest *self, const char *condition, GString *text)
{
  leat_loop_test_write_params (self, LEAT_LOOP_FUSED_ENTRY, text);
  g_string_append_printf (text,
                          "{\n"
                          "  const uint64_t i = 0, " LEAT_LOOP_COUNTER " = leat_memory[0] + 1;\n"
                          "  const bool leat_over = leat_memory[2] == 2, leat_late = leat_memory[2] == 1;\n"
                          "  const bool leat_ends = %s;\n" LEAT_LOOP_GOES_ON "  leat_memory[i] = " LEAT_LOOP_COUNTER
                          ";\n"
                          "  leat_memory[1] = leat_goes_on;\n"
                          "  if (blockIdx.x > 0 || threadIdx.x > 0)\n    return;\n\n",
                          condition);
  leat_loop_test_write_end (self, "!leat_goes_on", text);
  g_string_append (text, "}\n");
}

static char *
leat_loop_test_dup_text (LeatLoopTest *self, LeatExpression *expression)
{
  GString *text = g_string_new (NULL);
  g_autofree LeatDtype *dtypes = g_new0 (LeatDtype, self->names->len + 1);
  g_autofree char *condition = NULL;

  for (guint i = 0; i < self->names->len; i++)
    dtypes[i] = leat_loop_test_get_dtype (self, g_ptr_array_index (self->names, i));
  if (expression != NULL)
    condition = leat_expression_to_c (expression, (const char *const *) self->names->pdata, dtypes, NULL, FALSE);
  leat_number_append_includes (text, dtypes, self->names->len);

  leat_loop_test_write (self, condition != NULL ? condition : "false", text);
  leat_loop_test_write_fused (self, condition != NULL ? condition : "false", text);
  return g_string_free (text, FALSE);
}

LeatLoopTest *
leat_loop_test_new (LeatGroup *group, LeatExpression *expression, const char *until, const char *series, guint64 most,
                    double budget, GError **error)
{
  g_autoptr (LeatLoopTest) self = g_new0 (LeatLoopTest, 1);
  g_autofree char *text = NULL;

  self->group = group;
  self->most = most;
  self->budget_ns = (guint64) (budget * 1e9);
  self->names = g_ptr_array_new_with_free_func (g_free);
  self->args = g_ptr_array_new_with_free_func (g_free);
  self->told = g_ptr_array_new ();
  self->series_buffer = self->count_buffer = LEAT_BUFFER_NONE;
  if (!leat_loop_test_find_names (self, expression, error))
    return NULL;
  leat_loop_test_find_operands (self);
  if (!leat_loop_test_find_series (self, series, error))
    return NULL;
  /* For what wants it to end so. */
  g_ptr_array_add (self->names, NULL);
  g_ptr_array_set_size (self->names, (gint) self->names->len - 1);
  text = leat_loop_test_dup_text (self, expression);
  self->source = leat_kernel_source_new (until != NULL ? until : LEAT_LOOP_ENTRY, text, error);
  return self->source != NULL ? g_steal_pointer (&self) : NULL;
}

void
leat_loop_test_begin (LeatLoopTest *self, LeatRecorder *recorder)
{
  self->count_buffer = leat_recorder_add_scratch (recorder, "iterations", sizeof (guint64));
  leat_recorder_set_output (recorder, "iterations", self->count_buffer);
  self->series_buffer = LEAT_BUFFER_NONE;
  if (self->series != NULL)
    self->series_buffer = leat_recorder_add_output (recorder, "series");
}

static void
leat_loop_test_add (LeatArg *args, LeatBufferId *buffers, LeatAccess *access, guint *n_args, guint *n_buffers,
                    LeatArgKind kind, LeatBufferId buffer, LeatAccess how)
{
  args[(*n_args)++] = (LeatArg){ .kind = kind, .buffer = buffer };
  buffers[*n_buffers] = buffer;
  access[(*n_buffers)++] = how;
}

gboolean
leat_loop_test_record (LeatLoopTest *self, LeatRecorder *recorder, GError **error)
{
  const guint64 most = self->most > 0 ? self->most : G_MAXUINT64, none = 0;
  const LeatBufferId outer = leat_recorder_get_outer_loop_memory (recorder);
  guint room = self->names->len + self->args->len + 10, n_args = 0, n_buffers = 0;
  g_autofree LeatArg *args = g_new0 (LeatArg, room);
  g_autofree LeatBufferId *buffers = g_new0 (LeatBufferId, room);
  g_autofree LeatAccess *access = g_new0 (LeatAccess, room);
  LeatKernelCall call = { .source = self->source, .entry = LEAT_LOOP_ENTRY };

#define ADD(kind, buffer, how)                                                                                         \
  leat_loop_test_add (args, buffers, access, &n_args, &n_buffers, kind, buffer, LEAT_ACCESS_##how)
  ADD (LEAT_ARG_ITEMS, leat_recorder_get_loop_memory (recorder), READ_WRITE);
  ADD (LEAT_ARG_ITEMS, leat_recorder_get_loop_report (recorder), WRITE);
  args[n_args++] = (LeatArg){ .kind = LEAT_ARG_LOOP, .buffer = LEAT_BUFFER_NONE };
  args[n_args++] = (LeatArg){ .kind = LEAT_ARG_VALUE, .buffer = LEAT_BUFFER_NONE, .value = &most, .size = sizeof most };
  args[n_args++] = (LeatArg){
    .kind = LEAT_ARG_VALUE, .buffer = LEAT_BUFFER_NONE, .value = &self->budget_ns, .size = sizeof self->budget_ns
  };
  if (outer != LEAT_BUFFER_NONE)
    ADD (LEAT_ARG_ITEMS, outer, READ_WRITE);
  else
    args[n_args++] =
      (LeatArg){ .kind = LEAT_ARG_VALUE, .buffer = LEAT_BUFFER_NONE, .value = &none, .size = sizeof none };
  for (guint i = 0; i < self->names->len; i++)
    ADD (LEAT_ARG_ITEMS, leat_recorder_get_result (recorder, g_ptr_array_index (self->names, i)), READ);
  for (guint i = 0; i < self->args->len; i++)
    args[n_args++] =
      (LeatArg){ .kind = LEAT_ARG_NODE_ARG, .buffer = LEAT_BUFFER_NONE, .name = g_ptr_array_index (self->args, i) };
  ADD (LEAT_ARG_ITEMS, self->count_buffer, WRITE);
  if (self->series != NULL)
    {
      ADD (LEAT_ARG_ITEMS, self->series_buffer, READ_WRITE);
      args[n_args++] = (LeatArg){ .kind = LEAT_ARG_COUNT, .buffer = self->series_buffer };
    }
#undef ADD
  call.args = args;
  call.n_args = n_args;
  call.buffers = buffers;
  call.access = access;
  call.n_buffers = n_buffers;
  return leat_recorder_end_loop (recorder, &call, error);
}
