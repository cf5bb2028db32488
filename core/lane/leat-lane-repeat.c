/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The same run many times with nothing in between.  Where the driver has nodes that do a body again and again, one
 * launch is any number of runs (leat-repeater.c); else a graph that has that of the run as children, one behind the
 * other, makes one launch of many. */

#include "leat-lane-graph-private.h"

#define LEAT_REPEAT_LEAST 4         /* fewer are launched by themselves */
#define LEAT_REPEAT_MOST  64        /* children; more are several launches */
#define LEAT_REPEAT_ANY   G_MAXUINT /* on the device */

/* After so many launches the thread waits for those before the last so many: what the driver keeps of a launch that has
 * not begun is memory, and the device never runs out of work. */
#define LEAT_REPEAT_AHEAD 64

void
leat_lane_drop_repeats (LeatLane *self)
{
  static const LeatPath paths[] = { LEAT_PATH_FIRST, LEAT_PATH_STEP };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    if (self->executables[paths[i]].is_built)
      leat_lane_destroy_path (self, paths[i]);
}

/* A loop that is unrolled, or is one kernel, is nodes like all others. */
static gboolean
leat_lane_has_loop_node (LeatLane *self)
{
  for (guint i = 0; i < self->plan->loops->len; i++)
    {
      const LeatPlanLoop *loop = g_ptr_array_index (self->plan->loops, i);

      if (!loop->is_kernel && LEAT_BOUND_LOOP (loop)->method != LEAT_LOOP_UNROLLED)
        return TRUE;
    }
  return FALSE;
}

/* A graph with a node that does a body again and again cannot be in another one.  Memory that the program has bound
 * since the graph was made is told to the executable, and a graph that has it in it would not know. */
static gboolean
leat_lane_is_one_graph (LeatLane *self, LeatPath path)
{
  const LeatExecutable *it = &self->executables[path];

  return it->exec != NULL && it->next == NULL && LEAT_BOUND_PLAN (self->plan)->pieces->len == 1
         && !leat_lane_has_loop_node (self) && (self->plan->users->len == 0 || it->made_with == self->bound);
}

/* For so many runs a graph with what is bound now pays for itself. */
void
leat_lane_renew_repeated (LeatLane *self, LeatPath path, guint64 n)
{
  if (self->plan->users->len > 0 && n >= LEAT_REPEAT_MOST && self->executables[path].made_with != self->bound)
    leat_lane_destroy_path (self, path);
}

static CUresult
leat_lane_unroll_repeat (LeatLane *self, LeatRepeatGraph *repeat, const char **call)
{
  CUgraphNode last = NULL, node;
  CUresult result = CUDA_SUCCESS;

  *call = "cuGraphAddChildGraphNode";
  for (guint i = 0; i < repeat->n && result == CUDA_SUCCESS; i++)
    {
      result = (*self->table->cuGraphAddChildGraphNode) (&node, repeat->graph, &last, last != NULL ? 1 : 0,
                                                         self->executables[repeat->path].graph);
      last = node;
    }
  return result;
}

static CUresult
leat_lane_fill_repeat (LeatLane *self, LeatRepeatGraph *repeat, const char **call)
{
  CUresult result;

  *call = "cuGraphCreate";
  result = (*self->table->cuGraphCreate) (&repeat->graph, 0);
  if (result == CUDA_SUCCESS)
    result = repeat->n == LEAT_REPEAT_ANY
               ? leat_repeater_fill (self->repeater, repeat->graph, self->executables[repeat->path].graph, call)
               : leat_lane_unroll_repeat (self, repeat, call);
  if (result != CUDA_SUCCESS)
    return result;
  *call = "cuGraphInstantiateWithFlags";
  return (*self->table->cuGraphInstantiateWithFlags) (&repeat->exec, repeat->graph, 0);
}

/* Nodes that allocate may not be in a graph within a graph, and a body has rules of its own; which result says so is
 * not the same in all drivers. */
static gboolean
leat_loop_is_refused (const LeatRepeatGraph *self, const char *call, CUresult result)
{
  return result == CUDA_ERROR_NOT_SUPPORTED
         || (result == CUDA_ERROR_INVALID_VALUE
             && (self->n == LEAT_REPEAT_ANY || g_str_equal (call, "cuGraphAddChildGraphNode")));
}

/* FALSE without an error: there is nothing that could compile its kernels. */
static gboolean
leat_lane_make_repeater (LeatLane *self, GError **error)
{
  g_autofree char *nodes = NULL;
  GError *inner = NULL;

  if (self->repeater == NULL)
    self->repeater = leat_repeater_new (self->program->device, &inner);
  if (self->repeater != NULL)
    return TRUE;
  if (inner->domain == LEAT_KERNEL_ERROR)
    {
      self->least_method = LEAT_REPEAT_UNROLLED;
      g_error_free (inner);
      return FALSE;
    }
  nodes = leat_lane_list_nodes (self->plan);
  g_propagate_prefixed_error (error, inner, "%s, repeated: ", nodes);
  return FALSE;
}

/* FALSE without an error: the driver does not do that with what is in the graph. */
static gboolean
leat_lane_build_repeat (LeatLane *self, LeatRepeatGraph *repeat, LeatPath path, guint n, GError **error)
{
  g_autofree char *nodes = NULL;
  const char *call;
  LeatRepeatGraph tried;
  CUresult result;

  if (n == LEAT_REPEAT_ANY && !leat_lane_make_repeater (self, error))
    return FALSE;
  if (!leat_device_push (self->program->device, error))
    return FALSE;
  leat_lane_drop_repeat (self, repeat);
  *repeat = tried = (LeatRepeatGraph){ .path = path, .n = n };
  result = leat_lane_fill_repeat (self, repeat, &call);
  if (result != CUDA_SUCCESS)
    leat_lane_drop_repeat (self, repeat);
  leat_device_pop (self->program->device);
  if (result == CUDA_SUCCESS)
    self->counts->instantiations++;
  else if (leat_loop_is_refused (&tried, call, result))
    self->least_method = n == LEAT_REPEAT_ANY ? LEAT_REPEAT_UNROLLED : LEAT_REPEAT_ALONE;
  else
    {
      nodes = leat_lane_list_nodes (self->plan);
      leat_device_set_error (self->program->device, error, call, result, "%s, repeated", nodes);
    }
  return result == CUDA_SUCCESS;
}

static gboolean
leat_lane_launch_repeat (LeatLane *self, LeatRepeatGraph *repeat, guint n, guint64 runs, LeatPath path, GError **error)
{
  CUresult result;

  if ((repeat->exec == NULL || repeat->n != n || repeat->path != path)
      && !leat_lane_build_repeat (self, repeat, path, n, error))
    return FALSE;
  if (n == LEAT_REPEAT_ANY)
    leat_repeater_set_runs (self->repeater, runs);
  result = (*self->table->cuGraphLaunch) (repeat->exec, leat_stream_get (self->stream));
  if (result != CUDA_SUCCESS)
    return leat_lane_fail_launch (self, result, runs, error);
  self->counts->work.launches++;
  *(n == LEAT_REPEAT_ANY ? &self->counts->on_device : &self->counts->unrolled) += runs;
  leat_traffic_add (&self->counts->work.traffic, &self->executables[path].traffic, runs);
  self->executables[path].launches += runs;
  return TRUE;
}

guint64
leat_lane_take_back_runs (LeatLane *self, LeatPath path)
{
  const guint64 left = leat_repeater_take_left (self->repeater);
  LeatTraffic undone = { 0 };

  leat_traffic_add (&undone, &self->executables[path].traffic, left);
  leat_traffic_take_out (&self->counts->work.traffic, &undone);
  self->executables[path].launches -= left;
  self->counts->on_device -= left;
  return left;
}

static gboolean
leat_lane_make_held (LeatLane *self, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->held); i++)
    if (self->held[i] == NULL
        && (self->held[i] = leat_event_new (self->program->device, LEAT_EVENT_BLOCKING, error)) == NULL)
      return FALSE;
  return TRUE;
}

/* @launches: that there were.  Of the two events the one that comes next was recorded as long ago as the last one is
 * now. */
static gboolean
leat_lane_hold_back (LeatLane *self, guint64 launches, GError **error)
{
  guint64 turn = launches / LEAT_REPEAT_AHEAD;
  LeatEvent *next = self->held[turn % 2];

  if (launches % LEAT_REPEAT_AHEAD != 0)
    return TRUE;
  if (next == NULL)
    {
      if (!leat_lane_make_held (self, error))
        return FALSE;
      next = self->held[turn % 2];
    }
  if (turn > 2)
    {
      leat_lane_note_other_wait (self);
      if (!leat_lane_check_end (self, (*self->table->cuEventSynchronize) (leat_event_get (next)), error))
        return FALSE;
    }
  return leat_event_record (next, self->stream, error);
}

/* NULL: the device can do the loop. */
static const char *
leat_lane_why_not_on_device (LeatLane *self, LeatPath path)
{
  if (leat_lane_has_loop_node (self))
    return "the pipeline has a loop that is neither unrolled nor one kernel";
  if (!leat_lane_is_one_graph (self, path))
    return "the run is not one graph of its own";
  if (self->table->cuGraphConditionalHandleCreate == NULL || self->table->cuGraphAddNode == NULL)
    return "the driver has no nodes that do a body again and again";
  if (self->executables[path].turn != NULL)
    return "the runs of several lanes wait for each other";
  if (self->least_method > LEAT_REPEAT_ON_DEVICE)
    return self->repeater != NULL ? "the driver does no such loop around this graph"
                                  : "there is no compiler for the kernels that count the runs";
  return NULL;
}

static LeatRepeatMethod
leat_lane_choose_method (LeatLane *self, LeatPath path, guint64 left)
{
  if (left < LEAT_REPEAT_LEAST || self->least_method == LEAT_REPEAT_ALONE || !leat_lane_is_one_graph (self, path))
    return LEAT_REPEAT_ALONE;
  return leat_lane_why_not_on_device (self, path) == NULL ? LEAT_REPEAT_ON_DEVICE : LEAT_REPEAT_UNROLLED;
}

/* Of @n runs as many as go into one launch; 0 with an error, or without one where the driver does not do it so. */
static guint64
leat_lane_launch_some (LeatLane *self, LeatPath path, guint64 n, LeatRepeatMethod method, GError **error)
{
  guint some = (guint) MIN (n, LEAT_REPEAT_MOST);

  switch (method)
    {
    case LEAT_REPEAT_ON_DEVICE:
      return leat_lane_launch_repeat (self, &self->repeats[2], LEAT_REPEAT_ANY, n, path, error) ? n : 0;
    case LEAT_REPEAT_UNROLLED:
      return leat_lane_launch_repeat (self, &self->repeats[some == LEAT_REPEAT_MOST ? 0 : 1], some, some, path, error)
               ? some
               : 0;
    case LEAT_REPEAT_ALONE:
      break;
    }
  return leat_lane_launch (self, path, error) ? 1 : 0;
}

gboolean
leat_lane_launch_repeated (LeatLane *self, LeatPath path, guint64 n, const LeatStop *stop, gboolean *on_device,
                           GError **error)
{
  guint64 launches = 0;

  *on_device = FALSE;
  while (n > 0)
    {
      LeatRepeatMethod method = leat_lane_choose_method (self, path, n);
      GError *inner = NULL;
      guint64 done;

      if (!leat_lane_may_go_on (self, stop, error))
        return FALSE;
      done = leat_lane_launch_some (self, path, n, method, &inner);
      if (inner != NULL)
        {
          g_propagate_error (error, inner);
          return FALSE;
        }
      n -= done;
      *on_device = *on_device || (done > 0 && method == LEAT_REPEAT_ON_DEVICE);
      if (done > 0 && n + done >= LEAT_REPEAT_LEAST)
        self->counts->why_not_on_device = leat_lane_why_not_on_device (self, path);
      if (done > 0 && !leat_lane_hold_back (self, ++launches, error))
        return FALSE;
    }
  return TRUE;
}
