/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-launch-options.h"

G_BEGIN_DECLS

/* One of the two ways in which a comparison runs a pipeline. */

typedef enum
{
  LEAT_COMPARE_RESULTS, /* only what sinks get, so that the rest is done as always */
  LEAT_COMPARE_ALL,     /* what every node gives */
} LeatCompareKeep;

typedef struct
{
  const char *title; /* "here", "unfused" */
  const char *device;
  LeatExecutor executor;
  LeatFuseMode fuse;
  gboolean optimise;
} LeatCompareWay;

/* The iterations that a loop may do; NULL as node: as the pipeline says. */
typedef struct
{
  char *loop;
  guint64 most;
} LeatCompareLimit;

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  GPtrArray *outputs; /* LeatPort, in the order of the plan */
  GPtrArray *sinks;   /* LeatTapSink, one for each */
} LeatCompareSide;

/* Reads the pipeline, takes its sinks away, adds taps and opens a session. */
gboolean leat_compare_side_open (LeatCompareSide *self, const LeatLaunchOptions *options, const LeatCompareWay *way,
                                 LeatCompareKeep keep, const LeatCompareLimit *limit, GError **error);
void leat_compare_side_close (LeatCompareSide *self);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatCompareSide, leat_compare_side_close)

G_END_DECLS
