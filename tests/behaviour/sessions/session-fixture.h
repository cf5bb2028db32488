/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"
#include "session/leat-session-private.h"

/* A pipeline between two `app` nodes, "source" and "sink", open on the device that LEAT_DEVICE names. */
typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatApp *source, *sink;
} SessionFixture;

/* @text: the statements after the version line. */
void session_fixture_open (SessionFixture *self, const char *text, LeatExecutor executor);
/* @pipeline: (transfer full) */
void session_fixture_open_pipeline (SessionFixture *self, LeatPipeline *pipeline, LeatExecutor executor);
void session_fixture_close (SessionFixture *self);
/* One run. Fails the test on errors. (transfer full) */
GBytes *session_fixture_run (SessionFixture *self, gconstpointer data, gsize bytes);
/* The same for a run that may fail; NULL then. (transfer full) (nullable) */
GBytes *session_fixture_try (SessionFixture *self, gconstpointer data, gsize bytes, GError **error);
/* One of the numbers of leat_session_dup_stats (), counts and times alike. */
guint64 session_fixture_get_number (LeatSession *session, const char *name);
/* The same of the fixture's session, and a count only. */
guint64 session_fixture_get_count (SessionFixture *self, const char *name);
/* None of the counts and times of leat_session_dup_stats () has passed 0 or is beyond what a test takes.  Of each
 * session when it is closed. */
void session_fixture_check_stats (LeatSession *session);
/* Parses and tries to open; the error must be there. */
GError *session_fixture_fail (const char *text, const char *device);
