/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-launch-options.h"

/* What goes with --executor=resident. */

static gboolean
leat_launch_resident_check (const char *option, gint64 value, guint least, guint most, GError **error)
{
  if (value == LEAT_LAUNCH_UNSET || (value >= (gint64) least && value <= (gint64) most))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "%s=%" G_GINT64_FORMAT ": expected a number from %u to %u", option, value, least, most);
  return FALSE;
}

gboolean
leat_launch_options_check_resident (const LeatLaunchOptions *self, GError **error)
{
  gboolean asked = self->resident_idle_ms != LEAT_LAUNCH_UNSET || self->resident_limit_ms != LEAT_LAUNCH_UNSET
                   || self->resident_multiprocessors != LEAT_LAUNCH_UNSET;

  if (asked && self->executor != LEAT_EXECUTOR_RESIDENT && self->executor != LEAT_EXECUTOR_RESIDENT_AUTO)
    {
      g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                           "--resident-idle-ms, --resident-limit-ms and --resident-multiprocessors go with "
                           "--executor=resident or --executor=resident-auto");
      return FALSE;
    }
  return leat_launch_resident_check ("--resident-idle-ms", self->resident_idle_ms, 1, 3600000, error)
         && leat_launch_resident_check ("--resident-limit-ms", self->resident_limit_ms, 1, 3600000, error)
         && leat_launch_resident_check ("--resident-multiprocessors", self->resident_multiprocessors, 0, 65535, error);
}

void
leat_launch_options_set_resident (const LeatLaunchOptions *self, LeatSession *session)
{
  if (self->resident_idle_ms != LEAT_LAUNCH_UNSET)
    g_object_set (session, "resident-idle-ms", (guint) self->resident_idle_ms, NULL);
  if (self->resident_limit_ms != LEAT_LAUNCH_UNSET)
    g_object_set (session, "resident-limit-ms", (guint) self->resident_limit_ms, NULL);
  if (self->resident_multiprocessors != LEAT_LAUNCH_UNSET)
    g_object_set (session, "resident-multiprocessors", (guint) self->resident_multiprocessors, NULL);
}
