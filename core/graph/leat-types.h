/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

/* Forward declarations of every public type, so that headers of one folder may name a type of a later one without
 * including it (a node records into a recorder, which belongs to plan/). */
typedef struct _LeatNode LeatNode;
typedef struct _LeatNodeClass LeatNodeClass;
typedef struct _LeatPort LeatPort;
typedef struct _LeatGroup LeatGroup;
typedef struct _LeatPipeline LeatPipeline;
typedef struct _LeatFactory LeatFactory;
typedef struct _LeatRegistry LeatRegistry;
typedef struct _LeatBus LeatBus;
typedef struct _LeatMessage LeatMessage;
typedef struct _LeatNegotiation LeatNegotiation;
typedef struct _LeatRecorder LeatRecorder;
typedef struct _LeatPlan LeatPlan;
typedef struct _LeatSession LeatSession;

G_END_DECLS
