/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "timing-fixture.h"

void
timing_fixture_open (SessionFixture *self, const char *text, LeatExecutor executor, LeatTimingMode mode)
{
  g_autoptr (GError) error = NULL;

  session_fixture_open (self, text, executor);
  leat_session_close (self->session);
  g_object_set (self->session, "timing", mode, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

guint64
timing_get_count (GVariant *dict, const char *name)
{
  guint64 value = 0;

  g_assert_true (g_variant_lookup (dict, name, "t", &value));
  return value;
}

double
timing_get_time (GVariant *dict, const char *name)
{
  double value = 0;

  g_assert_true (g_variant_lookup (dict, name, "d", &value));
  return value;
}
