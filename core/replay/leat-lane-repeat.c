/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-lane-private.h"

/* The same run many times with nothing in between.  A graph that has that of the run as children, one behind the other,
 * makes one launch of many. */

#define LEAT_LOOP_LEAST 4  /* fewer are launched by themselves */
#define LEAT_LOOP_MOST  64 /* more are several launches */

/* After so many launches the thread waits for those before the last so many: what the driver keeps of a launch that has
 * not begun is memory, and the device never runs out of work. */
#define LEAT_REPEAT_AHEAD 64

static void
leat_lane_drop_loop (LeatLane *self, LeatLoop *loop)
{
  leat_lane_drop_graph (self, loop->exec, loop->graph);
  *loop = (LeatLoop){ 0 };
}

void
leat_lane_drop_loops (LeatLane *self, LeatPath path)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->loops); i++)
    if (self->loops[i].graph != NULL && self->loops[i].path == path)
      leat_lane_drop_loop (self, &self->loops[i]);
}

void
leat_lane_drop_repeats (LeatLane *self)
{
  static const LeatPath paths[] = { LEAT_PATH_FIRST, LEAT_PATH_STEP };

  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    if (self->executables[paths[i]].is_built)
      leat_lane_destroy_path (self, paths[i]);
}

/* Memory that the program brings is told to each launch by itself, and a graph with loops cannot be in another one. */
static gboolean
leat_lane_is_one_graph (LeatLane *self, LeatPath path)
{
  const LeatExecutable *it = &self->executables[path];

  return it->exec != NULL && it->next == NULL && self->plan->pieces->len == 1 && self->plan->loops->len == 0
         && self->plan->users->len == 0;
}

static CUresult
leat_lane_fill_loop (LeatLane *self, LeatLoop *loop, const char **call)
{
  CUgraphNode last = NULL, node;
  CUresult result;

  *call = "cuGraphCreate";
  result = (*self->table->cuGraphCreate) (&loop->graph, 0);
  for (guint i = 0; i < loop->n && result == CUDA_SUCCESS; i++)
    {
      *call = "cuGraphAddChildGraphNode";
      result = (*self->table->cuGraphAddChildGraphNode) (&node, loop->graph, &last, last != NULL ? 1 : 0,
                                                         self->executables[loop->path].graph);
      last = node;
    }
  if (result != CUDA_SUCCESS)
    return result;
  *call = "cuGraphInstantiateWithFlags";
  return (*self->table->cuGraphInstantiateWithFlags) (&loop->exec, loop->graph, 0);
}

/* Nodes that allocate may not be in a graph within a graph; which result says so is not the same in all drivers. */
static gboolean
leat_lane_refuses_loops (const char *call, CUresult result)
{
  return result == CUDA_ERROR_NOT_SUPPORTED
         || (result == CUDA_ERROR_INVALID_VALUE && g_str_equal (call, "cuGraphAddChildGraphNode"));
}

/* FALSE without an error: the driver does not do that with what is in the graph. */
static gboolean
leat_lane_build_loop (LeatLane *self, LeatLoop *loop, LeatPath path, guint n, GError **error)
{
  const char *call;
  CUresult result;

  if (!leat_device_push (self->resident->device, error))
    return FALSE;
  leat_lane_drop_loop (self, loop);
  *loop = (LeatLoop){ .path = path, .n = n };
  result = leat_lane_fill_loop (self, loop, &call);
  if (result != CUDA_SUCCESS)
    leat_lane_drop_loop (self, loop);
  leat_device_pop (self->resident->device);
  if (result == CUDA_SUCCESS)
    self->counts->instantiations++;
  else if (leat_lane_refuses_loops (call, result))
    self->has_no_loops = TRUE;
  else
    leat_device_set_error (self->resident->device, error, call, result, "the graph of %u runs", n);
  return result == CUDA_SUCCESS;
}

static gboolean
leat_lane_launch_loop (LeatLane *self, LeatLoop *loop, guint n, LeatPath path, GError **error)
{
  CUresult result;

  if ((loop->exec == NULL || loop->n != n || loop->path != path) && !leat_lane_build_loop (self, loop, path, n, error))
    return FALSE;
  result = (*self->table->cuGraphLaunch) (loop->exec, leat_stream_get (self->stream));
  if (result != CUDA_SUCCESS)
    return leat_device_set_error (self->resident->device, error, "cuGraphLaunch", result, "%u runs of %u ops", n,
                                  self->plan->ops->len);
  self->counts->work.launches++;
  leat_traffic_add (&self->counts->work.traffic, &self->executables[path].traffic, n);
  self->executables[path].launches += n;
  return TRUE;
}

gboolean
leat_lane_may_go_on (LeatLane *self, const LeatStop *stop, GError **error)
{
  if (g_atomic_int_get (stop->closing))
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the session is being closed");
  else if (!g_cancellable_set_error_if_cancelled (stop->cancellable, error))
    return TRUE;
  leat_lane_synchronize (self, NULL);
  self->other_waits++;
  return FALSE;
}

static gboolean
leat_lane_make_held (LeatLane *self, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->held); i++)
    if (self->held[i] == NULL
        && (self->held[i] = leat_event_new (self->resident->device, LEAT_EVENT_BLOCKING, error)) == NULL)
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
      self->other_waits++;
      if (!leat_lane_check_end (self, (*self->table->cuEventSynchronize) (leat_event_get (next)), error))
        return FALSE;
    }
  return leat_event_record (next, self->stream, error);
}

static guint
leat_lane_choose_loop (LeatLane *self, LeatPath path, guint64 left)
{
  guint n = (guint) MIN (left, LEAT_LOOP_MOST);

  return n >= LEAT_LOOP_LEAST && !self->has_no_loops && leat_lane_is_one_graph (self, path) ? n : 1;
}

gboolean
leat_lane_launch_repeated (LeatLane *self, LeatPath path, guint64 n, const LeatStop *stop, GError **error)
{
  guint64 launches = 0;

  while (n > 0)
    {
      guint some = leat_lane_choose_loop (self, path, n);
      LeatLoop *loop = &self->loops[some == LEAT_LOOP_MOST ? 0 : 1];
      GError *inner = NULL;

      if (!leat_lane_may_go_on (self, stop, error))
        return FALSE;
      if (some == 1 ? leat_lane_launch (self, path, &inner) : leat_lane_launch_loop (self, loop, some, path, &inner))
        {
          n -= some;
          if (!leat_lane_hold_back (self, ++launches, error))
            return FALSE;
        }
      else if (inner != NULL)
        {
          g_propagate_error (error, inner);
          return FALSE;
        }
    }
  return TRUE;
}
