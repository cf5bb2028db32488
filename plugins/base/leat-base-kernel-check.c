/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Mistakes of a node `kernel` that show before there is a device: in names, launch, reads and sizes.  Records nothing:
 * it gives errors to the caller, and warnings to the recorder. */

#include "leat-base-kernel-check.h"

#include "leat-base-call.h"

#define LEAT_KERNEL_MAX_THREADS 1024       /* of a block, on every CUDA device */
#define LEAT_KERNEL_LARGE_BYTES (1u << 30) /* of an output that nobody asked for */

static GPtrArray *
leat_kernel_list_names (const LeatPrototype *prototype, LeatParamKind kind)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < prototype->n_params; i++)
    if (prototype->params[i].kind == kind)
      g_ptr_array_add (names, prototype->params[i].name);
  g_ptr_array_add (names, NULL);
  return names;
}

static const char *
leat_kernel_get_noun (LeatParamKind kind)
{
  return kind == LEAT_PARAM_QUEUE ? "queue" : "output";
}

static gboolean
leat_kernel_refuse_name (const LeatPrototype *prototype, LeatParamKind kind, const char *property, const char *name,
                         char **names, GError **error)
{
  const char *near = leat_suggest (name, (const char *const *) names), *noun = leat_kernel_get_noun (kind);
  g_autofree char *list = g_strjoinv (", ", names);

  for (guint i = 0; kind == LEAT_PARAM_OUTPUT && i < prototype->n_params; i++)
    if (prototype->params[i].kind == LEAT_PARAM_INPUT && g_str_equal (prototype->params[i].name, name))
      {
        g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PORT,
                     "%s=%s: \"%s\" is an input of kernel %s; only outputs can be %s (%s)", property, name, name,
                     prototype->entry, g_str_equal (property, "clear") ? "cleared" : "updated", list);
        return FALSE;
      }
  if (near != NULL)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PORT,
                 "%s=%s: kernel %s has no %s \"%s\" (did you mean \"%s\"?)", property, name, prototype->entry, noun,
                 name, near);
  else
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PORT,
                 "%s=%s: kernel %s has no %s \"%s\"; its %ss: %s", property, name, prototype->entry, noun, name, noun,
                 names[0] != NULL ? list : "none");
  return FALSE;
}

gboolean
leat_kernel_check_name (const LeatPrototype *prototype, LeatParamKind kind, const char *property, const char *name,
                        GError **error)
{
  g_autoptr (GPtrArray) names = leat_kernel_list_names (prototype, kind);

  return g_strv_contains ((const char *const *) names->pdata, name)
         || leat_kernel_refuse_name (prototype, kind, property, name, (char **) names->pdata, error);
}

gboolean
leat_kernel_check_names (const LeatPrototype *prototype, LeatParamKind kind, const char *property, const char *text,
                         char ***found, GError **error)
{
  g_auto (GStrv) names = NULL;

  if (text == NULL)
    return TRUE;
  names = g_strsplit (text, ",", -1);
  for (guint i = 0; names[i] != NULL; i++)
    if (!leat_kernel_check_name (prototype, kind, property, g_strstrip (names[i]), error))
      return FALSE;
  *found = g_steal_pointer (&names);
  return TRUE;
}

gboolean
leat_kernel_check_clear (const LeatPrototype *prototype, const char *text, char ***cleared, GError **error)
{
  return leat_kernel_check_names (prototype, LEAT_PARAM_OUTPUT, "clear", text, cleared, error);
}

static gboolean
leat_kernel_check_before (const LeatPrototype *prototype, const char *name, GError **error)
{
  g_autofree char *before = g_strconcat (name, "_in", NULL);

  for (guint i = 0; i < prototype->n_params; i++)
    if (g_str_equal (prototype->params[i].name, before))
      {
        g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DUPLICATE_NAME,
                     "update=%s: its input is called \"%s\", and so is a parameter of kernel %s; call that otherwise",
                     name, before, prototype->entry);
        return FALSE;
      }
  return TRUE;
}

gboolean
leat_kernel_check_update (const LeatPrototype *prototype, const char *text, const char *clear, char ***updated,
                          GError **error)
{
  g_auto (GStrv) cleared = clear != NULL ? g_strsplit (clear, ",", -1) : NULL;
  g_auto (GStrv) names = NULL;

  if (!leat_kernel_check_names (prototype, LEAT_PARAM_OUTPUT, "update", text, &names, error))
    return FALSE;
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    {
      if (!leat_kernel_check_before (prototype, names[i], error))
        return FALSE;
      if (cleared == NULL || !g_strv_contains ((const char *const *) cleared, names[i]))
        continue;
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                   "clear=%s and update=%s: an output is either zeros before the launch or what came in; leave one of "
                   "them out",
                   clear, text);
      return FALSE;
    }
  *updated = g_steal_pointer (&names);
  return TRUE;
}

gboolean
leat_kernel_check_launch (const LeatPrototype *prototype, const LeatKernelCall *call, const char *block, GError **error)
{
  guint64 threads = (guint64) call->block[0] * call->block[1];

  /* Three axes may overflow, two cannot. */
  threads = threads > LEAT_KERNEL_MAX_THREADS ? threads : threads * call->block[2];
  if (threads > LEAT_KERNEL_MAX_THREADS)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                   "block=%s is %" G_GUINT64_FORMAT
                   " threads; a block has at most %u, on every device: take fewer, such "
                   "as 256 or 16x16",
                   block, threads, LEAT_KERNEL_MAX_THREADS);
      return FALSE;
    }
  if (prototype->launch_bounds > 0 && threads > prototype->launch_bounds)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                   "block=%s is %" G_GUINT64_FORMAT
                   " threads, and kernel %s is compiled for at most %u: take no more, or say more in its "
                   "__launch_bounds__",
                   block, threads, prototype->entry, prototype->launch_bounds);
      return FALSE;
    }
  if (prototype->has_dynamic_shared && call->shared_bytes == 0)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
                   "kernel %s uses extern __shared__ memory, whose size the node has to say: set shared=BYTES",
                   prototype->entry);
      return FALSE;
    }
  return TRUE;
}

gboolean
leat_kernel_check_grid (const LeatPrototype *prototype, const LeatKernelCall *call, GError **error)
{
  gboolean several = call->grid_by_occupancy || (guint64) call->grid[0] * call->grid[1] > 1 || call->grid[2] > 1;
  g_autofree char *place =
    several && !call->cooperative ? leat_kernel_source_dup_grid_wait (call->source, prototype->entry) : NULL;

  if (place == NULL)
    return TRUE;
  g_set_error (
    error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
    "%s: this loop waits for all blocks of the grid, and only a cooperative launch is sure to run them all at "
    "once; set cooperative=true, and best write leat_grid_sync () in place of the loop",
    place);
  return FALSE;
}

gboolean
leat_kernel_check_clusters (const LeatPrototype *prototype, const LeatKernelCall *call, GError **error)
{
  for (guint axis = 0; !call->grid_by_occupancy && axis < 3; axis++)
    {
      guint size = MAX (prototype->cluster[axis], 1);

      if (call->grid[axis] % size == 0)
        continue;
      g_set_error (
        error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
        "grid=%ux%ux%u: kernel %s runs in clusters of %ux%ux%u blocks (__cluster_dims__), so the blocks along "
        "%c are a multiple of %u",
        call->grid[0], call->grid[1], call->grid[2], prototype->entry, prototype->cluster[0], prototype->cluster[1],
        prototype->cluster[2], 'x' + axis, size);
      return FALSE;
    }
  return TRUE;
}

gboolean
leat_kernel_check_image (const LeatPrototype *prototype, LeatRecorder *recorder, GError **error)
{
  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];
      gboolean is_count = param->kind == LEAT_PARAM_INPUT_COUNT;
      LeatSpec *spec =
        is_count ? leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, param->port)) : NULL;
      g_autofree char *text = NULL;

      if (param->kind == LEAT_PARAM_QUEUE)
        {
          g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                       "kernel %s came compiled, so it cannot have a queue (\"%s\"); give it as CUDA C",
                       prototype->entry, param->name);
          return FALSE;
        }
      if (spec == NULL || !leat_spec_is_bounded (spec))
        continue;
      text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
      g_set_error (
        error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
        "kernel %s came compiled and takes \"%s\" by value, and how many items \"%s\" (%s) has is known on "
        "the device alone; link data of a fixed shape, or give the kernel as CUDA C, to which Leat adds what "
        "reads the count there",
        prototype->entry, param->name, param->port, text);
      return FALSE;
    }
  return TRUE;
}

void
leat_kernel_warn_reads (const LeatPrototype *prototype, LeatKernelSource *source, const char *const *cleared,
                        const char *const *updated, LeatRecorder *recorder)
{
  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];

      if (param->reads_line == 0 || (cleared != NULL && g_strv_contains (cleared, param->name))
          || (updated != NULL && g_strv_contains (updated, param->name)))
        continue;
      leat_recorder_warn (
        recorder,
        "line %u of %s takes what output \"%s\" held before, and outputs are not cleared; set clear=%s for zeros, "
        "or update=%s for an input %s_in whose data it goes on from",
        param->reads_line, leat_kernel_source_get_name (source), param->name, param->name, param->name, param->name);
    }
}

void
leat_kernel_warn_source (const LeatPrototype *prototype, LeatKernelSource *source, LeatRecorder *recorder)
{
  g_auto (GStrv) warnings = leat_kernel_source_list_entry_warnings (source, prototype->entry);

  for (guint i = 0; warnings[i] != NULL; i++)
    leat_recorder_warn (recorder, "%s", warnings[i]);
}

static LeatSpec *
leat_kernel_get_first_output (const LeatPrototype *prototype, LeatRecorder *recorder)
{
  for (guint i = 0; i < prototype->n_params; i++)
    if (prototype->params[i].kind == LEAT_PARAM_OUTPUT)
      return leat_recorder_get_spec (recorder, leat_recorder_get_output (recorder, prototype->params[i].name));
  return NULL;
}

void
leat_kernel_warn_axes (const LeatPrototype *prototype, const LeatKernelCall *call, LeatRecorder *recorder)
{
  LeatSpec *spec = leat_kernel_get_first_output (prototype, recorder);
  guint n_dims = spec != NULL ? leat_spec_get_n_dims (spec) : 0;

  for (guint axis = 1; axis < prototype->n_axes && axis < n_dims; axis++)
    {
      guint64 blocks = call->grid_by_occupancy ? 1 : call->grid[axis];

      if (blocks * call->block[axis] > 1 || leat_spec_get_dim (spec, MIN (prototype->n_axes, n_dims) - 1 - axis) < 2)
        continue;
      leat_recorder_warn (recorder,
                          "kernel %s uses %c, and there is one thread along %c; leave block and grid out, or give them "
                          "%u axes such as block=%s",
                          prototype->entry, "xyz"[axis], "xyz"[axis], axis + 1, axis == 1 ? "16x16" : "8x8x4");
      return;
    }
}

static gboolean
leat_kernel_has_size (const LeatPrototype *prototype, const LeatParam *input)
{
  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];

      if ((param->kind == LEAT_PARAM_INPUT_COUNT || param->kind == LEAT_PARAM_CAPACITY || param->kind == LEAT_PARAM_DIM)
          && g_strcmp0 (param->port, input->name) == 0)
        return TRUE;
    }
  return FALSE;
}

static guint64
leat_kernel_get_items (LeatRecorder *recorder, const LeatParam *input)
{
  LeatSpec *spec = leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, input->name));

  return leat_spec_get_items (spec) / leat_call_get_lanes (input, spec);
}

/* The most items that the kernel is told to work on, by another input's count or by the grid; @what tells which. */
static guint64
leat_kernel_get_most (const LeatPrototype *prototype, guint64 n_threads, LeatRecorder *recorder, char **what)
{
  guint64 most = n_threads;

  *what = g_strdup_printf ("the grid has %" G_GUINT64_FORMAT " threads", n_threads);
  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *other = &prototype->params[i];
      guint64 items = 0;

      for (guint j = 0; other->kind == LEAT_PARAM_INPUT_COUNT && j < prototype->n_params; j++)
        if (prototype->params[j].kind == LEAT_PARAM_INPUT && g_str_equal (prototype->params[j].name, other->port))
          items = leat_kernel_get_items (recorder, &prototype->params[j]);
      if (items < most || items == 0)
        continue;
      most = items;
      g_free (*what);
      *what = g_strdup_printf ("%s can be %" G_GUINT64_FORMAT, other->name, items);
    }
  return most;
}

static guint
leat_kernel_count_inputs (const LeatPrototype *prototype)
{
  guint n = 0;

  for (guint i = 0; i < prototype->n_params; i++)
    n += prototype->params[i].kind == LEAT_PARAM_INPUT;
  return n;
}

void
leat_kernel_warn_sizes (LeatNode *node, const LeatPrototype *prototype, guint64 n_threads, LeatRecorder *recorder)
{
  if (leat_kernel_count_inputs (prototype) < 2)
    return;
  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *input = &prototype->params[i];
      LeatPort *port = input->kind == LEAT_PARAM_INPUT ? leat_node_get_port (node, input->name, NULL) : NULL;
      g_autofree char *what = NULL;
      guint64 items;

      if (port == NULL || input->form != LEAT_TEXTURE_NONE || leat_kernel_has_size (prototype, input)
          || leat_spec_has_shape (leat_port_get_template (port)))
        continue;
      items = leat_kernel_get_items (recorder, input);
      if (items < leat_kernel_get_most (prototype, n_threads, recorder, &what))
        leat_recorder_warn (recorder,
                            "input \"%s\" has %" G_GUINT64_FORMAT
                            " items, %s, and kernel %s is not told, so it may read past the end; add a parameter "
                            "\"uint64_t %s_count\", or state the shape on the node, as in %s=%s[n], by a name that "
                            "another port has too where the two must be equal",
                            input->name, items, what, prototype->entry, input->name, input->name,
                            input->dtype != NULL ? input->dtype : "u8");
    }
}

static guint64
leat_kernel_get_first_bytes (const LeatPrototype *prototype, LeatRecorder *recorder)
{
  const LeatParam *input = leat_call_find (prototype, LEAT_PARAM_INPUT, NULL);

  if (input == NULL)
    return G_MAXUINT64;
  return leat_spec_get_bytes (leat_recorder_get_spec (recorder, leat_recorder_get_input (recorder, input->name)));
}

/* One that is no larger than its input is as large as somebody wanted. */
void
leat_kernel_warn_outputs (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder)
{
  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *output = &prototype->params[i];
      g_autofree char *has = NULL, *size = NULL;
      LeatPort *port;
      LeatSpec *spec;

      if (output->kind != LEAT_PARAM_OUTPUT)
        continue;
      spec = leat_recorder_get_spec (recorder, leat_recorder_get_output (recorder, output->name));
      if (leat_spec_get_bytes (spec) < LEAT_KERNEL_LARGE_BYTES
          || leat_spec_get_bytes (spec) <= leat_kernel_get_first_bytes (prototype, recorder))
        continue;
      port = leat_node_get_port (node, output->name, NULL);
      if (port == NULL || leat_spec_has_shape (leat_port_get_template (port)))
        continue;
      has = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
      size = g_format_size_full (leat_spec_get_bytes (spec), G_FORMAT_SIZE_IEC_UNITS);
      leat_recorder_warn (recorder,
                          "output \"%s\" has the shape of the first input, which makes it %s, %s; state its shape on "
                          "the node, such as %s=%s[256], or %s=%s where that is meant",
                          output->name, has, size, output->name, leat_dtype_get_name (leat_spec_get_dtype (spec)),
                          output->name, has);
    }
}
