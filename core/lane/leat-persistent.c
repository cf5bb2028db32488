/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How the kernel comes and goes. */

#include "leat-persistent-object-private.h"

#include "kernel/leat-image-private.h"

#define LEAT_PERSISTENT_NAP_US 50

static gboolean
leat_persistent_load (LeatPersistent *self, GError **error)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  LeatKernelSource *source = leat_persistent_find_source (self->plan);
  g_autofree char *name = leat_device_is_cpu (self->device)
                            ? g_strdup ("host")
                            : g_strdup_printf ("sm_%u%u", facts->compute_major, facts->compute_minor);
  g_autoptr (GBytes) image = NULL;
  LeatImageTarget target;

  if (!leat_image_target_parse (name, &target, error))
    return FALSE;
  target.persistent = TRUE;
  image = leat_image_get (source, &target, error);
  if (image == NULL)
    {
      leat_persistent_explain_limit (error);
      return FALSE;
    }
  self->module = leat_module_load (self->device, image, leat_kernel_source_get_name (source), error);
  if (self->module != NULL)
    self->function = leat_module_get_function (self->module, LEAT_PERSISTENT_SYMBOL, error);
  return self->function != NULL;
}

/* At most one block on each multiprocessor that it may have.  On the CPU each takes a thread that looks for work all
 * the time. */
static guint
leat_persistent_get_most_blocks (LeatPersistent *self)
{
  guint asked = LEAT_BOUND_PLAN (self->plan)->traits.persistent_limits.multiprocessors;

  if (leat_device_is_cpu (self->device))
    return asked != 0 ? MIN (asked, leat_device_get_facts (self->device)->multiprocessors) : 1;
  return leat_device_get_persistent_share (self->device, asked);
}

/* No more than the stages can use. */
static gboolean
leat_persistent_choose_blocks (LeatPersistent *self, GError **error)
{
  guint most = leat_persistent_get_most_blocks (self), wanted = 1;

  for (guint i = 0; i < self->params.n_stages; i++)
    {
      const guint *grid = self->params.stages[i].grid;

      wanted = MAX (wanted, grid[0] * grid[1] * grid[2]);
    }
  self->shape.grid[0] = self->blocks_fixed != 0 ? self->blocks_fixed : MIN (wanted, most);
  if (self->shape.grid[0] > most)
    {
      g_set_error (
        error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_PERSISTENT,
        "cannot be a persistent kernel: %u blocks wait for each other, and the kernel may have %u "
        "multiprocessors beside other persistent sessions; allow more with persistent-multiprocessors, close "
        "others, or open "
        "the session with executor=graph",
        self->blocks_fixed, most);
      return FALSE;
    }
  leat_persistent_fit_stages (self);
  self->noted_blocks = self->shape.grid[0];
  leat_device_note_persistent (self->device, (gint) self->noted_blocks);
  return TRUE;
}

static gboolean
leat_persistent_allocate (LeatPersistent *self, GError **error)
{
  guint64 args_bytes = self->params.lane_bytes * LEAT_RUN_SIGNAL_SLOTS;

  self->grid_bytes = sizeof (LeatPersistentGrid) + self->shape.grid[0] * sizeof (LeatPersistentBlock);
  self->signal_memory = leat_memory_new (self->device, LEAT_MEMORY_PINNED, sizeof (LeatRunSignal),
                                         "the run signal of a persistent kernel", error);
  if (self->signal_memory == NULL)
    return FALSE;
  self->grid_memory = leat_memory_new (self->device, LEAT_MEMORY_DEVICE, self->grid_bytes,
                                       "what blocks of a persistent kernel say to each other", error);
  if (self->grid_memory == NULL)
    return FALSE;
  self->args_memory =
    leat_memory_new (self->device, LEAT_MEMORY_DEVICE, args_bytes, "the parameters of a persistent kernel", error);
  if (self->args_memory == NULL)
    return FALSE;
  self->args = g_malloc0 (args_bytes);
  self->signal = leat_memory_get_host (self->signal_memory);
  memset (self->signal, 0, sizeof *self->signal);
  self->params.signal = (LeatRunSignal *) leat_memory_get_address (self->signal_memory);
  self->params.grid = (LeatPersistentGrid *) leat_memory_get_address (self->grid_memory);
  self->params.args = (const guint8 *) leat_memory_get_address (self->args_memory);
  return TRUE;
}

/* It says so itself, and takes up nothing from then on.  With the lock held. */
static gboolean
leat_persistent_is_gone (LeatPersistent *self)
{
  return __atomic_load_n (&self->signal->left, __ATOMIC_ACQUIRE) == self->params.launch;
}

/* Checks what the run signal does not show: whether the driver has given up, and whether the kernel does not end. */
static gboolean
leat_persistent_check_alive (LeatPersistent *self, gint64 waited_us, GError **error)
{
  const LeatDriverTable *table = leat_device_get_table (self->device);
  CUresult result = (*table->cuStreamQuery) (self->stream);
  g_autofree char *nodes = NULL;

  if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY)
    {
      nodes = leat_lane_list_nodes (self->plan);
      return leat_device_set_error (self->device, error, "cuStreamQuery", result, "%s, persistent", nodes);
    }
  if (waited_us < leat_persistent_get_patience_us (self))
    return leat_device_check (self->device, error);
  nodes = leat_lane_list_nodes (self->plan);
  leat_device_mark_hung (self->device, "a persistent kernel does not end");
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_HUNG,
               "%s, persistent: no answer for %" G_GINT64_FORMAT " ms, and a run may take %" G_GUINT64_FORMAT " ms",
               nodes, waited_us / 1000, self->params.limit_ns / 1000000);
  return FALSE;
}

/* It leaves when it has done all that was signalled.  Nobody else may be waiting who would see that it never will. */
static void
leat_persistent_await_leave (LeatPersistent *self)
{
  guint64 done = self->signal->done;
  gint64 begin_us = g_get_monotonic_time (), checked_us = 0;

  while (!leat_persistent_is_gone (self) && leat_device_check (self->device, NULL))
    {
      gint64 waited_us = g_get_monotonic_time () - begin_us;

      if (__atomic_load_n (&self->signal->fault, __ATOMIC_ACQUIRE) != 0)
        leat_persistent_settle_fault (self, NULL);
      else if (__atomic_load_n (&self->signal->done, __ATOMIC_ACQUIRE) != done)
        {
          done = self->signal->done;
          begin_us += waited_us;
          checked_us = 0;
        }
      else if (waited_us - checked_us >= LEAT_PERSISTENT_CHECK_US)
        {
          checked_us = waited_us;
          leat_persistent_check_alive (self, waited_us, NULL);
        }
      else
        g_usleep (LEAT_PERSISTENT_NAP_US);
    }
}

static void
leat_persistent_leave (gpointer data)
{
  LeatPersistent *self = data;

  g_mutex_lock (&self->lock);
  if (!leat_persistent_is_gone (self))
    {
      self->is_asked = TRUE;
      __atomic_store_n (&self->signal->order, self->signal->order | LEAT_ORDER_LEAVE, __ATOMIC_RELEASE);
      leat_persistent_count (&self->counts.leaves);
    }
  leat_persistent_await_leave (self);
  leat_driver_trace_begin_aside ();
  if (self->params.launch > 0 && leat_device_check (self->device, NULL))
    (*leat_device_get_table (self->device)->cuStreamSynchronize) (self->stream);
  leat_driver_trace_end_aside ();
  g_mutex_unlock (&self->lock);
}

void
leat_persistent_explain_limit (GError **error)
{
  g_autoptr (GError) why = NULL;

  if (error == NULL
      || (!g_error_matches (*error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_LAUNCH_LIMIT)
          && !g_error_matches (*error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE)))
    return;
  why = g_steal_pointer (error);
  g_set_error (
    error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_PERSISTENT,
    "cannot be a persistent kernel: %s; open the session with executor=graph, or with executor=persistent-auto, "
    "which does that by itself",
    why->message);
}

/* Kernels that are joined have the shared memory of all of them. */
static gboolean
leat_persistent_fits (LeatPersistent *self, GError **error)
{
  if (leat_module_prepare_launch (self->module, self->function, &self->shape, "the persistent kernel", error))
    return TRUE;
  leat_persistent_explain_limit (error);
  return FALSE;
}

LeatPersistent *
leat_persistent_new (LeatDevice *device, LeatPlan *plan, const LeatLoadedKernel *loaded, GError **error)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (plan);
  g_autoptr (LeatPersistent) self = g_new0 (LeatPersistent, 1);

  g_mutex_init (&self->lock);
  self->device = g_object_ref (device);
  self->plan = plan;
  self->shape = (LeatLaunchShape){ .grid = { 1, 1, 1 }, .cooperative = TRUE };
  self->params.idle_ns = bound->traits.persistent_limits.idle_us * 1000;
  self->params.limit_ns = bound->traits.persistent_limits.limit_us * 1000;
  self->guest = (LeatDriverGuest){ leat_persistent_leave, self };
  if (!leat_persistent_list_stages (self, loaded, error) || !leat_persistent_load (self, error))
    return NULL;
  if (!leat_persistent_choose_blocks (self, error) || !leat_persistent_fits (self, error)
      || !leat_persistent_allocate (self, error) || !leat_device_borrow_stream (device, &self->stream, error))
    return NULL;
  leat_driver_add_guest (leat_device_get_driver (device), &self->guest);
  self->is_guest = TRUE;
  return g_steal_pointer (&self);
}

static void
leat_persistent_send_away (LeatPersistent *self)
{
  LeatDriver *driver = leat_device_get_driver (self->device);

  leat_driver_begin_visit (driver);
  leat_persistent_leave (self);
  leat_driver_end_visit (driver);
}

static void
leat_persistent_release (gpointer data)
{
  LeatPersistent *self = data;

  if (self->stream != NULL && leat_device_check (self->device, NULL))
    leat_device_return_stream (self->device, self->stream);
  g_clear_pointer (&self->signal_memory, leat_memory_free);
  g_clear_pointer (&self->grid_memory, leat_memory_free);
  g_clear_pointer (&self->args_memory, leat_memory_free);
  g_clear_pointer (&self->module, leat_module_unref);
  g_free (self->args);
  leat_device_note_persistent (self->device, -(gint) self->noted_blocks);
  g_clear_object (&self->device);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
leat_persistent_free (LeatPersistent *self)
{
  if (self->is_guest)
    {
      leat_persistent_send_away (self);
      leat_driver_remove_guest (leat_device_get_driver (self->device), &self->guest);
    }
  leat_device_release (self->device, self, leat_persistent_release);
}

static CUresult
leat_persistent_launch (LeatPersistent *self, const char **call)
{
  const LeatDriverTable *table = leat_device_get_table (self->device);
  void *params[] = { &self->params };
  CUresult result;

  *call = "cuMemsetD8Async";
  result = (*table->cuMemsetD8Async) (leat_memory_get_address (self->grid_memory), 0, self->grid_bytes, self->stream);
  if (result != CUDA_SUCCESS)
    return result;
  *call = "cuLaunchCooperativeKernel";
  return (*table->cuLaunchCooperativeKernel) (self->function->function, self->shape.grid[0], 1, 1, self->shape.block[0],
                                              self->shape.block[1], self->shape.block[2], self->shape.shared_bytes,
                                              self->stream, params);
}

/* With no call under way that might wait for it.  A launch that fails leaves it gone. */
static gboolean
leat_persistent_come (LeatPersistent *self, GError **error)
{
  LeatDriver *driver = leat_device_get_driver (self->device);
  const char *call = NULL;
  CUresult result = CUDA_SUCCESS;

  if (!leat_device_check (self->device, error) || !leat_device_push (self->device, error))
    return FALSE;
  leat_driver_begin_visit (driver);
  leat_driver_trace_begin_aside ();
  g_mutex_lock (&self->lock);
  if (leat_persistent_is_gone (self))
    {
      self->is_asked = FALSE;
      __atomic_store_n (&self->signal->order, self->signal->order & ~(guint64) LEAT_ORDER_LEAVE, __ATOMIC_RELEASE);
      self->params.done = self->signal->done;
      self->params.launch++;
      result = leat_persistent_launch (self, &call);
      if (result == CUDA_SUCCESS)
        leat_persistent_count (&self->counts.launches);
      else
        __atomic_store_n (&self->signal->left, self->params.launch, __ATOMIC_RELEASE);
    }
  g_mutex_unlock (&self->lock);
  leat_driver_trace_end_aside ();
  leat_driver_end_visit (driver);
  leat_device_pop (self->device);
  return result == CUDA_SUCCESS
         || leat_device_set_error (self->device, error, call, result, "the persistent kernel of %u blocks",
                                   self->shape.grid[0]);
}

/* With nothing of this lane under way. */
static gboolean
leat_persistent_bring_params (LeatPersistent *self, LeatLane *lane, GError **error)
{
  guint64 offset;

  if (lane->persistent != self)
    {
      lane->param_lane = self->n_lanes++;
      lane->persistent = self;
    }
  if (lane->param_lane >= LEAT_RUN_SIGNAL_SLOTS)
    {
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_PERSISTENT,
                   "a persistent kernel has %d lanes at most; open the session with fewer", LEAT_RUN_SIGNAL_SLOTS);
      return FALSE;
    }
  if (leat_persistent_take_params (self, lane))
    return TRUE;
  leat_persistent_send_away (self);
  offset = lane->param_lane * self->params.lane_bytes;
  return leat_memory_write (self->args_memory, offset, self->args + offset, self->params.lane_bytes, error);
}

/* With the lock held. */
static void
leat_persistent_strike (LeatPersistent *self, LeatLane *lane, guint64 number)
{
  self->signal->lanes[number % LEAT_RUN_SIGNAL_SLOTS] = lane->param_lane;
  __atomic_store_n (&self->signal->order,
                    LEAT_ORDER_MAKE (number, lane->param_lane) | (self->is_asked ? LEAT_ORDER_LEAVE : 0),
                    __ATOMIC_RELEASE);
}

/* Copies of its stages between host and device are in no graph and no call. */
static void
leat_persistent_note_moves (LeatPersistent *self, LeatLane *lane)
{
  for (guint i = 0; i < self->params.n_stages; i++)
    {
      const LeatOp *op = self->ops[i];
      void *from, *to;
      CUdeviceptr address;

      if ((op->kind != LEAT_OP_COPY && op->kind != LEAT_OP_TRANSFER) || op->loop != NULL)
        continue;
      leat_lane_get_end (lane, op, op->from, &address, &from);
      leat_lane_get_end (lane, op, op->to, &address, &to);
      leat_traffic_add_copy (&lane->counts->work.traffic, from != NULL, to != NULL,
                             leat_lane_get_moved_bytes (lane, op));
    }
}

gboolean
leat_persistent_ring (LeatPersistent *self, LeatLane *lane, GError **error)
{
  guint64 number;

  if (G_UNLIKELY (!leat_persistent_bring_params (self, lane, error)))
    return FALSE;
  g_mutex_lock (&self->lock);
  number = ++self->signalled;
  __atomic_store_n (&self->faults[number % LEAT_RUN_SIGNAL_SLOTS].number, 0, __ATOMIC_RELAXED);
  leat_persistent_strike (self, lane, number);
  leat_persistent_count (&self->counts.signals);
  g_mutex_unlock (&self->lock);
  lane->signalled = number;
  leat_persistent_note_moves (self, lane);
  return !leat_persistent_is_gone (self) || leat_persistent_come (self, error);
}

gboolean
leat_persistent_is_done (LeatPersistent *self, LeatLane *lane)
{
  return __atomic_load_n (&self->signal->done, __ATOMIC_ACQUIRE) >= lane->signalled;
}

/* One look that found nothing: who is there no more is called back, and the clock is looked at. */
static gboolean
leat_persistent_look_after (LeatPersistent *self, gint64 waited_us, gint64 *checked_us, GError **error)
{
  gboolean good;

  if (__atomic_load_n (&self->signal->fault, __ATOMIC_ACQUIRE) != 0)
    {
      g_mutex_lock (&self->lock);
      good = leat_persistent_settle_fault (self, error);
      g_mutex_unlock (&self->lock);
      return good;
    }
  if (leat_persistent_is_gone (self))
    return leat_persistent_come (self, error);
  if (waited_us - *checked_us < LEAT_PERSISTENT_CHECK_US)
    return TRUE;
  *checked_us = waited_us;
  return leat_persistent_check_alive (self, waited_us, error);
}

static gboolean
leat_persistent_finish (LeatPersistent *self, LeatLane *lane, GError **error)
{
  const LeatPersistentFault *fault = &self->faults[lane->signalled % LEAT_RUN_SIGNAL_SLOTS];
  const gboolean failed = __atomic_load_n (&fault->number, __ATOMIC_ACQUIRE) == lane->signalled;

  lane->signalled = 0;
  lane->ran_away = failed;
  if (failed)
    leat_persistent_fail_run (self, fault, error);
  return !failed;
}

gboolean
leat_persistent_wait (LeatPersistent *self, LeatLane *lane, gint64 spin_us, GError **error)
{
  gint64 begin_us = 0, waited_us = 0, checked_us = 0;

  for (guint looks = 1; !leat_persistent_is_done (self, lane); looks++)
    {
      if (looks % LEAT_PERSISTENT_LOOKS == 0)
        {
          gint64 now_us = g_get_monotonic_time ();

          begin_us = begin_us == 0 ? now_us : begin_us;
          waited_us = now_us - begin_us;
          if (!leat_persistent_look_after (self, waited_us, &checked_us, error))
            return FALSE;
        }
      if (waited_us > spin_us)
        g_usleep (LEAT_PERSISTENT_NAP_US);
      else if (lane->on_host)
        g_thread_yield ();
    }
  return leat_persistent_finish (self, lane, error);
}

void
leat_persistent_get_counts (LeatPersistent *self, LeatPersistentCounts *counts)
{
  counts->signals = __atomic_load_n (&self->counts.signals, __ATOMIC_RELAXED);
  counts->launches = __atomic_load_n (&self->counts.launches, __ATOMIC_RELAXED);
  counts->leaves = __atomic_load_n (&self->counts.leaves, __ATOMIC_RELAXED);
  counts->faults = __atomic_load_n (&self->counts.faults, __ATOMIC_RELAXED);
}
