/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "planted-calls.h"

#include "device/leat-device-private.h"
#include "session-fixture.h"

/* source, upload, a foreign node, readback, sink, for 64 bytes */

#define FOREIGN_FIXTURE_N 64

typedef struct
{
  SessionFixture base;
  LeatDevice *device;
  ForeignNode *node; /* owned */
} ForeignFixture;

void foreign_fixture_set_up (ForeignFixture *self);
void foreign_fixture_open (ForeignFixture *self, LeatExecutor executor);
void foreign_fixture_clear (ForeignFixture *self);
/* One run, whose result is checked. */
void foreign_fixture_run (ForeignFixture *self, guint8 salt);
/* One of the numbers that the plan tells. */
guint64 foreign_fixture_predict (ForeignFixture *self, const char *name);
/* The one warning of the opening; NULL where there was none. (transfer full) */
LeatMessage *foreign_fixture_take_warning (ForeignFixture *self);
void foreign_fixture_make_node (LeatPipeline *pipeline, const char *id, const char *name, const char *property,
                                const char *value);
