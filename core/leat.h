/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#define LEAT_INSIDE
#include "driver/leat-driver-error.h"
#include "device/leat-device.h"
#include "kernel/leat-suggest.h"
#include "graph/leat-types.h"
#include "graph/leat-spec.h"
#include "graph/leat-graph-error.h"
#include "graph/leat-plugin.h"
#include "graph/leat-port.h"
#include "graph/leat-node.h"
#include "graph/leat-endpoint.h"
#include "graph/leat-group.h"
#include "graph/leat-app.h"
#include "graph/leat-bus.h"
#include "graph/leat-pipeline.h"
#include "graph/leat-registry.h"
#include "graph/leat-work.h"
#include "buffer/leat-device-buffer.h"
#include "buffer/leat-transfer-batch.h"
#include "parse/leat-parse.h"
#include "kernel/leat-kernel-source.h"
#include "plan/leat-loop-call.h"
#include "plan/leat-recorder.h"
#include "fuse/leat-recorder-group.h"
#include "plan/leat-foreign.h"
#include "plan/leat-plan-error.h"
#include "plan/leat-plan.h"
#include "monitor/leat-monitor.h"
#include "lane/leat-session-error.h"
#include "lane/leat-wait.h"
#include "replay/leat-session.h"
#include "replay/leat-session-state.h"
#include "schedule/leat-scheduler.h"
#undef LEAT_INSIDE
