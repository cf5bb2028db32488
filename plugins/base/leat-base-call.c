/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* From a kernel's prototype to the ports and arguments of `kernel`, and from those to the recorded call.  Touches the
 * ports of that node, and adds its ops and buffers to the plan. */

#include "leat-base-call.h"

#include "leat-base-geometry.h"
#include "leat-base-texture.h"

const LeatParam *
leat_call_find (const LeatPrototype *prototype, LeatParamKind kind, const char *port)
{
  for (guint i = 0; i < prototype->n_params; i++)
    if (prototype->params[i].kind == kind && (port == NULL || g_strcmp0 (prototype->params[i].port, port) == 0))
      return &prototype->params[i];
  return NULL;
}

static const char *
leat_call_get_variant_type (const LeatParam *param)
{
  static const struct
  {
    const char *dtype, *type;
  } rows[] = { { "u8", "y" },  { "i8", "n" },  { "u16", "q" }, { "i16", "n" }, { "u32", "u" },
               { "i32", "i" }, { "u64", "t" }, { "i64", "x" }, { "f32", "f" }, { "f64", "d" } };

  if (param->is_bool)
    return "b";
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_strcmp0 (rows[i].dtype, param->dtype) == 0)
      return rows[i].type;
  return "d";
}

/* A structure's array may be linked to bytes as well. */
static gboolean
leat_call_is_bytes (const LeatParam *param, LeatSpec *spec)
{
  return param->dtype != NULL && *param->dtype == '{' && leat_spec_get_dtype (spec) == LEAT_DTYPE_U8;
}

guint64
leat_call_get_lanes (const LeatParam *param, LeatSpec *spec)
{
  return leat_call_is_bytes (param, spec) ? param->item_bytes : param->item_lanes;
}

/* Its items, in any shape. */
static LeatSpec *
leat_call_dup_spec (const LeatParam *param)
{
  /* Floats may be read from a texture of other numbers. */
  if (param->form != LEAT_TEXTURE_NONE && !param->is_surface && g_strcmp0 (param->dtype, "f32") == 0)
    return leat_spec_new_any ();
  return param->dtype != NULL ? leat_spec_parse (param->dtype, NULL) : leat_spec_new_any ();
}

static void
leat_call_expose_port (LeatNode *node, const LeatParam *param)
{
  LeatDirection direction = param->kind == LEAT_PARAM_INPUT ? LEAT_PORT_INPUT : LEAT_PORT_OUTPUT;
  g_autoptr (LeatSpec) spec = leat_call_dup_spec (param);

  leat_node_add_port (node, param->name, direction, LEAT_PORT_DYNAMIC, spec, param->blurb);
}

static char *
leat_call_dup_before (const char *output)
{
  return g_strconcat (output, "_in", NULL);
}

static gboolean
leat_call_is_among (const char *const *names, const char *name)
{
  return names != NULL && g_strv_contains (names, name);
}

/* The input beside an output that is changed. */
static void
leat_call_expose_before (LeatNode *node, const LeatParam *param)
{
  g_autofree char *name = leat_call_dup_before (param->name);
  g_autoptr (LeatSpec) spec = leat_call_dup_spec (param);

  leat_node_add_port (node, name, LEAT_PORT_INPUT, LEAT_PORT_DYNAMIC, spec, NULL);
}

static void
leat_call_expose_arg (LeatNode *node, const LeatParam *param)
{
  leat_node_add_arg (node, param->name, leat_call_get_variant_type (param), NULL);
  if (param->initial != NULL)
    leat_node_set_arg_initial (node, param->name, param->initial);
}

void
leat_call_expose (LeatNode *node, const LeatPrototype *prototype, const char *const *updated)
{
  leat_node_remove_dynamic_ports (node);
  leat_node_remove_args (node);
  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];

      if (param->kind == LEAT_PARAM_INPUT || param->kind == LEAT_PARAM_OUTPUT)
        leat_call_expose_port (node, param);
      else if (param->kind == LEAT_PARAM_SCALAR)
        leat_call_expose_arg (node, param);
      if (param->kind == LEAT_PARAM_OUTPUT && leat_call_is_among (updated, param->name))
        leat_call_expose_before (node, param);
      if (param->form != LEAT_TEXTURE_NONE)
        leat_texture_expose (node, param);
    }
}

/* The items of an output: bytes, where it is linked to such or they come in. */
static LeatSpec *
leat_call_dup_items (LeatSpec *like, const LeatParam *input, const LeatParam *output, LeatSpec *allowed)
{
  if (output->dtype == NULL)
    return leat_spec_ref (like);
  if (leat_call_is_bytes (output, allowed) || (*output->dtype == '{' && leat_call_is_bytes (input, like)))
    return leat_spec_new (LEAT_DTYPE_U8, NULL, 0, FALSE);
  return leat_spec_parse (output->dtype, NULL);
}

/* The first input's shape with the output's own type. */
static LeatSpec *
leat_call_make_like (LeatSpec *like, const LeatParam *input, const LeatParam *output, LeatSpec *allowed,
                     gboolean counted, guint64 room)
{
  guint n_dims = leat_spec_get_n_dims (like);
  guint64 dims[LEAT_SPEC_MAX_DIMS + 1];
  gboolean bounded = n_dims > 0 && (counted || leat_spec_is_bounded (like));
  g_autoptr (LeatSpec) items = leat_call_dup_items (like, input, output, allowed);

  for (guint i = 0; i < n_dims; i++)
    dims[i] = leat_spec_get_dim (like, i);
  if (bounded)
    dims[0] = MAX (dims[0], room);
  if (leat_call_is_bytes (output, items) && !leat_call_is_bytes (input, like))
    dims[n_dims++] = output->item_bytes;
  return n_dims <= LEAT_SPEC_MAX_DIMS ? leat_spec_new_with_shape (items, dims, n_dims, bounded) : NULL;
}

/* An output that the kernel changes has the spec of its input. */
static LeatSpec *
leat_call_choose_updated (const LeatParam *output, LeatNegotiation *negotiation)
{
  g_autofree char *before = leat_call_dup_before (output->name);

  return leat_spec_ref (leat_negotiation_get_input (negotiation, before));
}

/* NULL: the port's own template has to say it. */
static LeatSpec *
leat_call_choose_spec (LeatNode *node, const LeatPrototype *prototype, const LeatParam *output, guint64 room,
                       LeatNegotiation *negotiation)
{
  const LeatParam *input = leat_call_find (prototype, LEAT_PARAM_INPUT, NULL);
  LeatSpec *like = input != NULL ? leat_negotiation_get_input (negotiation, input->name) : NULL;
  g_autoptr (LeatSpec) allowed = leat_negotiation_get_allowed (negotiation, output->name);
  LeatPort *port = leat_node_get_port (node, output->name, NULL);

  if (leat_spec_is_fixed (allowed))
    return g_steal_pointer (&allowed);
  if (leat_spec_has_shape (leat_port_get_template (port)) || like == NULL)
    return NULL;
  return leat_call_make_like (like, input, output, allowed,
                              leat_call_find (prototype, LEAT_PARAM_OUTPUT_COUNT, output->name) != NULL, room);
}

gboolean
leat_call_negotiate (LeatNode *node, const LeatPrototype *prototype, const char *const *updated, gboolean grows,
                     LeatNegotiation *negotiation, GError **error)
{
  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];
      gboolean is_updated = leat_call_is_among (updated, param->name);
      g_autoptr (LeatSpec) spec = NULL;
      guint64 room = 0;

      if (param->kind != LEAT_PARAM_OUTPUT)
        continue;
      if (grows && !is_updated && leat_call_find (prototype, LEAT_PARAM_OUTPUT_COUNT, param->name) != NULL)
        room = leat_negotiation_let_grow (negotiation, param->name);
      spec = is_updated ? leat_call_choose_updated (param, negotiation)
                        : leat_call_choose_spec (node, prototype, param, room, negotiation);
      if (spec != NULL && !leat_negotiation_set_output (negotiation, param->name, spec, error))
        return FALSE;
    }
  return TRUE;
}

static LeatBufferId
leat_call_get_buffer (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder, const char *port)
{
  gboolean input = leat_call_find (prototype, LEAT_PARAM_INPUT, port) != NULL;

  return input ? leat_recorder_get_input (recorder, port) : leat_recorder_get_output (recorder, port);
}

gboolean
leat_call_cover (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder, const char *port, guint n_axes,
                 guint64 threads[3], GError **error)
{
  const LeatParam *param = leat_call_find (prototype, LEAT_PARAM_OUTPUT, port);
  LeatSpec *spec;

  if (param == NULL)
    param = leat_call_find (prototype, LEAT_PARAM_INPUT, port);
  if (param == NULL)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PORT,
                   "grid: kernel %s has no port \"%s\" to count threads by", prototype->entry,
                   port != NULL ? port : "");
      return FALSE;
    }
  spec = leat_recorder_get_spec (recorder, leat_call_get_buffer (node, prototype, recorder, param->name));
  leat_geometry_cover (spec, leat_call_get_lanes (param, spec), n_axes, threads);
  return TRUE;
}

static guint64
leat_call_get_dim (LeatSpec *spec, guint dim)
{
  return dim < leat_spec_get_n_dims (spec) ? leat_spec_get_dim (spec, dim) : 1;
}

/* How many T an input holds; of a bounded one, how many to each step of its leading dimension. */
static guint64
leat_call_get_count (LeatSpec *spec, guint64 lanes)
{
  guint64 items = leat_spec_get_items (spec);

  if (leat_spec_is_bounded (spec))
    items /= MAX (leat_call_get_dim (spec, 0), 1);
  return items / lanes;
}

static void
leat_call_fill_arg (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder, const LeatParam *param,
                    LeatArg *arg, guint64 *value)
{
  LeatBufferId buffer =
    param->port != NULL ? leat_call_get_buffer (node, prototype, recorder, param->port) : LEAT_BUFFER_NONE;
  LeatSpec *spec = buffer != LEAT_BUFFER_NONE ? leat_recorder_get_spec (recorder, buffer) : NULL;

  *arg = (LeatArg){ .kind = LEAT_ARG_VALUE, .buffer = buffer };
  switch (param->kind)
    {
    case LEAT_PARAM_INPUT:
    case LEAT_PARAM_OUTPUT:
      arg->kind = LEAT_ARG_ITEMS;
      break;
    case LEAT_PARAM_SCALAR:
      arg->kind = LEAT_ARG_NODE_ARG;
      arg->name = param->name;
      break;
    case LEAT_PARAM_OUTPUT_COUNT:
      arg->kind = LEAT_ARG_COUNT;
      break;
    case LEAT_PARAM_INPUT_COUNT:
      if (leat_spec_is_bounded (spec))
        arg->kind = LEAT_ARG_COUNT;
      *value = leat_call_get_count (
        spec, leat_call_get_lanes (leat_call_find (prototype, LEAT_PARAM_INPUT, param->port), spec));
      break;
    case LEAT_PARAM_CAPACITY:
      *value = leat_call_get_dim (spec, 0);
      break;
    case LEAT_PARAM_DIM:
      *value = leat_call_get_dim (spec, param->dim);
      break;
    case LEAT_PARAM_QUEUE:
      arg->kind = LEAT_ARG_QUEUE;
      break;
    }
  if (param->kind == LEAT_PARAM_INPUT_COUNT || param->kind == LEAT_PARAM_CAPACITY || param->kind == LEAT_PARAM_DIM)
    {
      arg->value = value;
      arg->size = sizeof *value;
    }
}

/* Zero a count that the kernel adds to, which a cleared buffer has already; hand on the input's where the kernel does
 * not count. */
static void
leat_call_record_count (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder, const LeatParam *output,
                        gboolean cleared)
{
  const LeatParam *input = leat_call_find (prototype, LEAT_PARAM_INPUT, NULL);
  LeatBufferId to = leat_recorder_get_output (recorder, output->name);
  LeatBufferId from = input != NULL ? leat_recorder_get_input (recorder, input->name) : LEAT_BUFFER_NONE;

  if (!leat_spec_is_bounded (leat_recorder_get_spec (recorder, to)))
    return;
  if (leat_call_find (prototype, LEAT_PARAM_OUTPUT_COUNT, output->name) != NULL)
    {
      if (!cleared)
        leat_recorder_clear_count (recorder, to);
    }
  else if (from != LEAT_BUFFER_NONE && leat_spec_is_bounded (leat_recorder_get_spec (recorder, from)))
    leat_recorder_copy_count (recorder, to, from);
}

/* A count that is handed on must be one that the output has room for. */
static gboolean
leat_call_check_room (const LeatPrototype *prototype, LeatRecorder *recorder, const LeatParam *output,
                      const LeatParam *input, GError **error)
{
  LeatSpec *from = leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, input->name));
  LeatSpec *to = leat_recorder_get_spec (recorder, leat_recorder_get_output (recorder, output->name));
  g_autofree char *from_text = NULL;
  g_autofree char *to_text = NULL;

  if (leat_call_get_dim (to, 0) >= leat_call_get_dim (from, 0))
    return TRUE;
  from_text = leat_spec_to_string (from, LEAT_SPEC_STYLE_FILE);
  to_text = leat_spec_to_string (to, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "kernel %s gives as many items to its output \"%s\" (%s) as its input \"%s\" (%s) has, for which there "
               "is not always room; make that output [<=%" G_GUINT64_FORMAT
               "] or larger, or count what it gives in a parameter \"uint64_t *%s_count\"",
               prototype->entry, output->name, to_text, input->name, from_text, leat_call_get_dim (from, 0),
               output->name);
  return FALSE;
}

/* A bounded output whose count nobody would write is a mistake that shows only as wrong data. */
static gboolean
leat_call_check_count (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder, const LeatParam *output,
                       GError **error)
{
  const LeatParam *input = leat_call_find (prototype, LEAT_PARAM_INPUT, NULL);
  LeatBufferId from = input != NULL ? leat_recorder_get_input (recorder, input->name) : LEAT_BUFFER_NONE;
  LeatSpec *spec = leat_recorder_get_spec (recorder, leat_recorder_get_output (recorder, output->name));
  gboolean counted = leat_call_find (prototype, LEAT_PARAM_OUTPUT_COUNT, output->name) != NULL;
  gboolean bounded = leat_spec_is_bounded (spec);

  if (bounded && !counted
      && (from == LEAT_BUFFER_NONE || !leat_spec_is_bounded (leat_recorder_get_spec (recorder, from))))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "output \"%s\" is bounded, but kernel %s does not say how many items it gives; add a parameter "
                   "\"uint64_t *%s_count\"",
                   output->name, prototype->entry, output->name);
      return FALSE;
    }
  if (bounded && !counted && !leat_call_check_room (prototype, recorder, output, input, error))
    return FALSE;
  if (counted && !bounded)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
                   "kernel %s counts its output \"%s\", so that needs a bounded spec such as %s=%s[<=4096]",
                   prototype->entry, output->name, output->name, output->dtype != NULL ? output->dtype : "u8");
      return FALSE;
    }
  return TRUE;
}

/* A count by value that the device multiplies up cannot be a fraction of what it knows. */
static gboolean
leat_call_check_input_count (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder,
                             const LeatParam *param, GError **error)
{
  const LeatParam *input = leat_call_find (prototype, LEAT_PARAM_INPUT, param->port);
  LeatSpec *spec = leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, param->port));
  guint64 row = leat_call_get_count (spec, 1), lanes = leat_call_get_lanes (input, spec);
  g_autofree char *text = NULL;

  if (!leat_spec_is_bounded (spec) || row % lanes == 0)
    return TRUE;
  text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "kernel %s counts its input \"%s\" by %" G_GUINT64_FORMAT " items, but %s holds %" G_GUINT64_FORMAT
               " at each step; use a plain %s in the kernel, or link a spec whose last dimension is a multiple of "
               "%" G_GUINT64_FORMAT,
               prototype->entry, param->port, lanes, text, row,
               leat_call_is_bytes (input, spec) ? "u8"
               : input->dtype != NULL           ? input->dtype
                                                : "type",
               lanes);
  return FALSE;
}

static gboolean
leat_call_is_size_name (const char *name)
{
  static const char *const names[] = { "w",    "h",       "n",     "m",      "width", "height", "rows",
                                       "cols", "columns", "count", "length", "len",   "size",   "items" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (g_ascii_strcasecmp (name, names[i]) == 0)
      return TRUE;
  return FALSE;
}

/* The recorder checks it too; here it is known that sizes go by their parameters' names. */
static gboolean
leat_call_check_argument (LeatNode *node, const LeatPrototype *prototype, const LeatParam *param, GError **error)
{
  const LeatParam *input = leat_call_find (prototype, LEAT_PARAM_INPUT, NULL);
  g_autofree char *hint = NULL;

  if (leat_node_has_arg_value (node, param->name))
    return TRUE;
  if (input != NULL && leat_call_is_size_name (param->name))
    hint =
      g_strdup_printf ("; as a size of the input, call it %s_dim0, %s_dim1 (one dimension) or %s_count (all items) "
                       "in the kernel: these are filled in",
                       input->name, input->name, input->name);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
               "parameter \"%s\" (%s) of %s is not set; give it a value, as in %s=VALUE on the node%s", param->name,
               param->type, prototype->entry, param->name, hint != NULL ? hint : "");
  return FALSE;
}

/* Prepares an output for the launch: it is cleared where @cleared names it, and its count is set. */
static void
leat_call_record_output (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder,
                         const LeatParam *output, const char *const *cleared)
{
  gboolean clear = cleared != NULL && g_strv_contains (cleared, output->name);

  if (clear)
    leat_recorder_add_fill (recorder, leat_recorder_get_output (recorder, output->name), 0);
  leat_call_record_count (node, prototype, recorder, output, clear);
}

/* The kernel finds in the output what came in: in the same memory where nobody else reads that. */
static void
leat_call_record_before (LeatRecorder *recorder, const LeatParam *output)
{
  g_autofree char *before = leat_call_dup_before (output->name);

  if (!leat_recorder_alias (recorder, output->name, before))
    leat_recorder_add_copy (recorder, leat_recorder_get_output (recorder, output->name),
                            leat_recorder_get_input (recorder, before));
}

/* How a launch accesses the buffer of a parameter; 0 where that names none, or stands beside one that does. */
static LeatAccess
leat_call_get_access (const LeatParam *param)
{
  switch (param->kind)
    {
    case LEAT_PARAM_INPUT:
      return LEAT_ACCESS_READ;
    case LEAT_PARAM_OUTPUT:
      return LEAT_ACCESS_WRITE;
    case LEAT_PARAM_QUEUE:
      return LEAT_ACCESS_READ_WRITE;
    default:
      return 0;
    }
}

/* What is in the array before the launch: the data of an input, and of an output that is cleared or changed. */
static void
leat_call_fill_array (LeatRecorder *recorder, const LeatParam *param, LeatBufferId array, const char *const *cleared,
                      const char *const *updated)
{
  if (param->kind == LEAT_PARAM_INPUT)
    leat_recorder_add_copy (recorder, array, leat_recorder_get_input (recorder, param->name));
  else if (leat_call_is_among (cleared, param->name) || leat_call_is_among (updated, param->name))
    leat_recorder_add_copy (recorder, array, leat_recorder_get_output (recorder, param->name));
}

/* Behind the launch. */
static void
leat_call_bring_arrays (const LeatPrototype *prototype, LeatRecorder *recorder, const LeatKernelCall *call)
{
  for (guint i = 0; i < prototype->n_params; i++)
    if (prototype->params[i].form != LEAT_TEXTURE_NONE && prototype->params[i].kind == LEAT_PARAM_OUTPUT)
      leat_recorder_add_copy (recorder, leat_recorder_get_output (recorder, prototype->params[i].name),
                              call->args[i].buffer);
}

/* Prepares the buffer of a parameter that has one; @access: what the launch does with it. */
static gboolean
leat_call_record_port (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder, const LeatParam *param,
                       LeatAccess *access, const char *const *cleared, const char *const *updated, GError **error)
{
  gboolean is_updated = param->kind == LEAT_PARAM_OUTPUT && leat_call_is_among (updated, param->name);

  *access = is_updated ? LEAT_ACCESS_READ_WRITE : leat_call_get_access (param);
  if (is_updated)
    leat_call_record_before (recorder, param);
  else if (param->kind == LEAT_PARAM_OUTPUT)
    {
      if (!leat_call_check_count (node, prototype, recorder, param, error))
        return FALSE;
      leat_call_record_output (node, prototype, recorder, param, cleared);
    }
  return TRUE;
}

gboolean
leat_call_record (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder, LeatKernelCall *call,
                  const char *const *cleared, const char *const *updated, const LeatQueueChoice *queues, GError **error)
{
  const guint n = prototype->n_params;
  /* One block for five arrays, the widest first. */
  g_autofree LeatArg *args = g_malloc0_n (n + 1, sizeof (LeatArg) + sizeof (guint64) + sizeof (LeatSampling)
                                                   + sizeof (LeatBufferId) + sizeof (LeatAccess));
  guint64 *values = (guint64 *) (args + n);
  LeatSampling *samplings = (LeatSampling *) (values + n);
  LeatBufferId *buffers = (LeatBufferId *) (samplings + n);
  LeatAccess *access = (LeatAccess *) (buffers + n);

  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];

      if (param->kind == LEAT_PARAM_INPUT_COUNT
          && !leat_call_check_input_count (node, prototype, recorder, param, error))
        return FALSE;
      if (param->kind == LEAT_PARAM_SCALAR && !leat_call_check_argument (node, prototype, param, error))
        return FALSE;
      leat_call_fill_arg (node, prototype, recorder, param, &args[i], &values[i]);
      if (param->kind == LEAT_PARAM_QUEUE)
        args[i].buffer = leat_queue_record (queues, param, recorder);
      if (leat_call_get_access (param) == 0)
        continue;
      if (!leat_call_record_port (node, prototype, recorder, param, &access[call->n_buffers], cleared, updated, error))
        return FALSE;
      if (param->form != LEAT_TEXTURE_NONE)
        {
          if (!leat_texture_record (node, param, recorder, args[i].buffer, &args[i], &samplings[i], error))
            return FALSE;
          leat_call_fill_array (recorder, param, args[i].buffer, cleared, updated);
        }
      buffers[call->n_buffers++] = args[i].buffer;
    }
  call->args = args;
  call->n_args = prototype->n_params;
  call->buffers = buffers;
  call->access = access;
  leat_recorder_add_kernel (recorder, call);
  leat_call_bring_arrays (prototype, recorder, call);
  return TRUE;
}
