/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-text.h"
#include "leat-launch-wrong.h"
#include "leat-tool.h"
#include "leat.h"
#include "session/leat-session.h"

G_BEGIN_DECLS

typedef enum
{
  LEAT_LAUNCH_RUN,
  LEAT_LAUNCH_CHECK,
  LEAT_LAUNCH_PLAN,
  LEAT_LAUNCH_VARIABLES,
} LeatLaunchTask;

typedef enum
{
  LEAT_FORMAT_NONE,
  LEAT_FORMAT_TEXT,
  LEAT_FORMAT_JSON,
  LEAT_FORMAT_DOT,
} LeatFormat;

typedef enum
{
  LEAT_STATS_NONE,
  LEAT_STATS_TEXT,
  LEAT_STATS_JSON,
  LEAT_STATS_NODES,
  LEAT_STATS_PROMETHEUS,
} LeatStatsFormat;

#define LEAT_LAUNCH_UNSET G_MININT64

/* The command line, checked. */
typedef struct
{
  LeatLaunchTask task;
  LeatFormat plan_format;
  LeatStatsFormat stats_format;
  LeatFormat accounting_format;
  char *plan_path;  /* NULL: standard output */
  char *stats_path; /* NULL: standard error */
  char *trace_path; /* NULL: none */
  char *dot_path;   /* the plan with what was measured; NULL: none */
  LeatTimingMode timing;
  char *load_path;          /* state to begin with; NULL: as the pipeline says */
  char *save_path;          /* state at the end; NULL: not kept */
  LeatPriority *priorities; /* of each pipeline, which take turns; NULL: they do not */
  char *monitor;            /* a socket to be watched through, "" for the usual one; NULL: none */
  gint64 runs;              /* on each set of inputs */
  LeatReadback readback;
  char *device; /* NULL: what LEAT_DEVICE says */
  LeatExecutor executor;
  LeatWait wait;
  LeatEarlyStart early_start;
  LeatFuseMode fuse;
  gboolean optimise;
  guint lanes;    /* 0: auto */
  guint batch;    /* runs in one launch; 0: one */
  guint64 budget; /* 0: none */
  LeatMemoMode memo;
  gint64 memo_entries, memo_bytes;                                            /* negative: as a session has them */
  gint64 persistent_idle_ms, persistent_limit_ms, persistent_multiprocessors; /* LEAT_LAUNCH_UNSET: likewise */
  LeatLaunchWrong wrong;
  gboolean bound;
  gboolean verbose;
  gboolean quiet;
  gboolean progress;
  gboolean version;
  char **plugin_paths;
  char **words;     /* all of the pipelines */
  GPtrArray *texts; /* LeatLaunchText; at least one */
} LeatLaunchOptions;

/* NULL with the reason in @error (G_OPTION_ERROR).  --help prints and exits. */
LeatLaunchOptions *leat_launch_options_new (int argc, char **argv, GError **error);
void leat_launch_options_free (LeatLaunchOptions *self);
/* When all else is checked: what options for wrong results do not go with. */
gboolean leat_launch_wrong_check_others (const LeatLaunchOptions *self, GError **error);
/* Before it is opened. */
void leat_launch_options_set_memo (const LeatLaunchOptions *self, LeatSession *session);
void leat_launch_options_set_persistent (const LeatLaunchOptions *self, LeatSession *session);
/* Whether they are numbers that a session takes, with an executor that they go with. */
gboolean leat_launch_options_check_persistent (const LeatLaunchOptions *self, GError **error);
/* Options that runs elsewhere have to have, to be the same. (transfer full) */
char **leat_launch_options_list_settings (const LeatLaunchOptions *self);
const char *leat_launch_executor_get_name (LeatExecutor executor);
/* The one that there is where options ask for what only one can give. */
const LeatLaunchText *leat_launch_options_get_text (const LeatLaunchOptions *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatLaunchOptions, leat_launch_options_free)

G_END_DECLS
