/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The options that go with --executor=persistent. */

#include "leat-launch-options.h"

static gboolean
leat_launch_persistent_check (const char *option, gint64 value, guint least, guint most, GError **error)
{
  if (value == LEAT_LAUNCH_UNSET || (value >= (gint64) least && value <= (gint64) most))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "%s=%" G_GINT64_FORMAT ": expected a number from %u to %u", option, value, least, most);
  return FALSE;
}

gboolean
leat_launch_options_check_persistent (const LeatLaunchOptions *self, GError **error)
{
  gboolean asked = self->persistent_idle_ms != LEAT_LAUNCH_UNSET || self->persistent_limit_ms != LEAT_LAUNCH_UNSET
                   || self->persistent_multiprocessors != LEAT_LAUNCH_UNSET;

  if (asked && self->executor != LEAT_EXECUTOR_PERSISTENT && self->executor != LEAT_EXECUTOR_PERSISTENT_AUTO)
    {
      g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                           "--persistent-idle-ms, --persistent-limit-ms and --persistent-multiprocessors go with "
                           "--executor=persistent or --executor=persistent-auto");
      return FALSE;
    }
  return leat_launch_persistent_check ("--persistent-idle-ms", self->persistent_idle_ms, 1, 3600000, error)
         && leat_launch_persistent_check ("--persistent-limit-ms", self->persistent_limit_ms, 1, 3600000, error)
         && leat_launch_persistent_check ("--persistent-multiprocessors", self->persistent_multiprocessors, 0, 65535,
                                          error);
}

void
leat_launch_options_set_persistent (const LeatLaunchOptions *self, LeatSession *session)
{
  if (self->persistent_idle_ms != LEAT_LAUNCH_UNSET)
    g_object_set (session, "persistent-idle-ms", (guint) self->persistent_idle_ms, NULL);
  if (self->persistent_limit_ms != LEAT_LAUNCH_UNSET)
    g_object_set (session, "persistent-limit-ms", (guint) self->persistent_limit_ms, NULL);
  if (self->persistent_multiprocessors != LEAT_LAUNCH_UNSET)
    g_object_set (session, "persistent-multiprocessors", (guint) self->persistent_multiprocessors, NULL);
}
