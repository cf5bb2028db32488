/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "../device/leat-device.h"
#include "../graph/leat-endpoint.h"
#include "../graph/leat-pipeline.h"
#include "../plan/leat-plan.h"
#include "../lane/leat-session-error.h"
#include "../lane/leat-wait.h"

G_BEGIN_DECLS

/**
 * LeatExecutor:
 * @LEAT_EXECUTOR_AUTO: a graph where that pays: not for a plan that runs once, and for a single op only when it has
 * been run often
 * @LEAT_EXECUTOR_GRAPH: the ops are one CUDA graph, launched once a run
 * @LEAT_EXECUTOR_EAGER: the ops go to a stream one by one; slower, and simpler to debug
 * @LEAT_EXECUTOR_PERSISTENT: a kernel stays on the device, has the ops as its stages and waits for each run there, so
 *   that a run takes no call of the driver; a pipeline that cannot be run so is refused
 * @LEAT_EXECUTOR_PERSISTENT_AUTO: the same where it can be, and else as @LEAT_EXECUTOR_AUTO, with a warning on the bus
 *   that says why
 *
 * The executors of a session.  All give the same bytes.  Work that cannot be captured (leat_recorder_add_foreign())
 * goes to the stream in every run, between the graphs of what comes before and after it.
 */
typedef enum
{
  LEAT_EXECUTOR_AUTO,
  LEAT_EXECUTOR_GRAPH,
  LEAT_EXECUTOR_EAGER,
  LEAT_EXECUTOR_PERSISTENT,
  LEAT_EXECUTOR_PERSISTENT_AUTO,
} LeatExecutor;

#define LEAT_TYPE_EXECUTOR (leat_executor_get_type ())
GType leat_executor_get_type (void) G_GNUC_CONST;

/**
 * LeatEarlyStart:
 * @LEAT_EARLY_START_AUTO: kernels whose blocks all run at once, one as the other
 * @LEAT_EARLY_START_OFF: none
 * @LEAT_EARLY_START_ON: kernels of any size
 *
 * Kernels of a graph that may begin before a kernel that they depend on has ended. They wait for it themselves, which
 * saves the time to start them.
 */
typedef enum
{
  LEAT_EARLY_START_AUTO,
  LEAT_EARLY_START_OFF,
  LEAT_EARLY_START_ON,
} LeatEarlyStart;

#define LEAT_TYPE_EARLY_START (leat_early_start_get_type ())
GType leat_early_start_get_type (void) G_GNUC_CONST;

/**
 * LeatMemoMode:
 * @LEAT_MEMO_OFF: every run is done
 * @LEAT_MEMO_EXACT: a run whose inputs are byte for byte those of an earlier one gives that one's results
 *
 * Whether results are remembered.
 */
typedef enum
{
  LEAT_MEMO_OFF,
  LEAT_MEMO_EXACT,
} LeatMemoMode;

#define LEAT_TYPE_MEMO_MODE (leat_memo_mode_get_type ())
GType leat_memo_mode_get_type (void) G_GNUC_CONST;

/**
 * LeatTimingMode:
 * @LEAT_TIMING_OFF: only the host's clock is looked at
 * @LEAT_TIMING_NODES: the device's clock says when each node began and ended
 *
 * The measurements of a session.
 */
typedef enum
{
  LEAT_TIMING_OFF,
  LEAT_TIMING_NODES,
} LeatTimingMode;

#define LEAT_TYPE_TIMING_MODE (leat_timing_mode_get_type ())
GType leat_timing_mode_get_type (void) G_GNUC_CONST;

/**
 * LeatReadback:
 * @LEAT_READBACK_FINAL: the results of the last run, nothing being waited for before
 * @LEAT_READBACK_EACH: the results of each run
 *
 * The results to read back of runs on the same inputs (#LeatSession:repeat).
 */
typedef enum
{
  LEAT_READBACK_FINAL,
  LEAT_READBACK_EACH,
} LeatReadback;

#define LEAT_TYPE_READBACK (leat_readback_get_type ())
GType leat_readback_get_type (void) G_GNUC_CONST;

/**
 * LeatPriority:
 * @LEAT_PRIORITY_LOW: for what may wait
 * @LEAT_PRIORITY_NORMAL: for all else
 * @LEAT_PRIORITY_HIGH: for what somebody waits for
 *
 * The priority of a session in a #LeatScheduler. On the device, ready work of high priority goes first. Normal and
 * low are the same there, because nothing is below the default.
 */
typedef enum
{
  LEAT_PRIORITY_LOW,
  LEAT_PRIORITY_NORMAL,
  LEAT_PRIORITY_HIGH,
} LeatPriority;

#define LEAT_TYPE_PRIORITY (leat_priority_get_type ())
GType leat_priority_get_type (void) G_GNUC_CONST;

/**
 * LeatPortMemory:
 * @name: an `app` node that is a source, with `memory=user`
 * @address: where its data begin
 * @bytes: how many bytes there are
 * @count: how many steps of the leading dimension are live
 *
 * Memory of the program's for one input, for leat_session_bind_inputs ().
 */
typedef struct
{
  const char *name;
  guint64 address;
  guint64 bytes;
  guint64 count;
} LeatPortMemory;

#define LEAT_TYPE_SESSION (leat_session_get_type ())
G_DECLARE_FINAL_TYPE (LeatSession, leat_session, LEAT, SESSION, GObject)

LeatSession *leat_session_new (LeatPipeline *pipeline, const char *device);
gboolean leat_session_open (LeatSession *self, GCancellable *cancellable, GError **error);
LeatFlow leat_session_replay (LeatSession *self, gboolean wait, GCancellable *cancellable, GError **error);
LeatFlow leat_session_repeat (LeatSession *self, guint64 runs, gboolean wait, GCancellable *cancellable,
                              GError **error);
LeatFlow leat_session_launch (LeatSession *self, GCancellable *cancellable, GError **error);
LeatFlow leat_session_complete (LeatSession *self, GCancellable *cancellable, GError **error);
int leat_session_get_fd (LeatSession *self, GError **error);
GSource *leat_session_create_source (LeatSession *self, GError **error);
void leat_session_replay_async (LeatSession *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data);
LeatFlow leat_session_replay_finish (LeatSession *self, GAsyncResult *result, GError **error);
gboolean leat_session_run (LeatSession *self, GCancellable *cancellable, GError **error);
void leat_session_run_async (LeatSession *self, GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer user_data);
gboolean leat_session_run_finish (LeatSession *self, GAsyncResult *result, GError **error);
gboolean leat_session_evict (LeatSession *self, GCancellable *cancellable, GError **error);
gboolean leat_session_restore (LeatSession *self, GCancellable *cancellable, GError **error);
gboolean leat_session_is_evicted (LeatSession *self);
void leat_session_close (LeatSession *self);
gboolean leat_session_is_open (LeatSession *self);
LeatPlan *leat_session_dup_plan (LeatSession *self);
LeatDevice *leat_session_get_device (LeatSession *self);
gboolean leat_session_map_input (LeatSession *self, const char *name, LeatView *view, GError **error);
gboolean leat_session_set_input_count (LeatSession *self, const char *name, guint64 count, GError **error);
gboolean leat_session_bind_input (LeatSession *self, const char *name, guint64 address, guint64 bytes, guint64 count,
                                  GError **error);
gboolean leat_session_bind_inputs (LeatSession *self, const LeatPortMemory *memories, gsize n_memories, GError **error);
gboolean leat_session_bind_output (LeatSession *self, const char *name, guint64 address, guint64 bytes, GError **error);
gboolean leat_session_map_output (LeatSession *self, const char *name, LeatView *view, GError **error);
gboolean leat_session_map_batch (LeatSession *self, const char *name, guint n_entries, LeatView *view, guint64 *stride,
                                 GError **error);
gboolean leat_session_set_entry_count (LeatSession *self, const char *name, guint entry, guint64 count, GError **error);
gboolean leat_session_get_entry_count (LeatSession *self, const char *name, guint entry, guint64 *count,
                                       GError **error);
gboolean leat_session_replay_batch (LeatSession *self, guint n_entries, GPtrArray *inputs, GPtrArray **results,
                                    GCancellable *cancellable, GError **error);
GError *leat_session_dup_entry_error (LeatSession *self, guint entry);
LeatPlan *leat_session_get_batch_plan (LeatSession *self, GError **error);
GVariant *leat_session_predict (LeatSession *self, guint64 runs, GError **error);
GVariant *leat_session_dup_accounting (LeatSession *self, GError **error);
GVariant *leat_session_dup_stats (LeatSession *self);
GVariant *leat_session_dup_reports (LeatSession *self);
GVariant *leat_session_dup_work_queues (LeatSession *self, GError **error);
GVariant *leat_session_dup_loops (LeatSession *self);
GVariant *leat_session_dup_times (LeatSession *self);
char *leat_session_to_dot (LeatSession *self);
char *leat_session_to_prometheus (LeatSession *self, const char *pipeline);
gboolean leat_session_start_counting (LeatSession *self, GError **error);
GVariant *leat_session_dup_predicted (LeatSession *self);
GVariant *leat_session_stop_counting (LeatSession *self, GError **error);

G_END_DECLS
