/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The link between a device and the host, as the kernel's files tell it.  Reads those, and needs no driver. */

#include "leat-inspect-bus.h"

/* A file with one short line; NULL where there is none. */
static char *
leat_inspect_read_line (const char *root, const char *device, const char *name)
{
  g_autofree char *path = g_build_filename (root, device, name, NULL);
  char *text = NULL;

  return g_file_get_contents (path, &text, NULL, NULL) ? g_strstrip (text) : NULL;
}

/* "16.0 GT/s PCIe" is of the fourth generation; 0: of none that is known. */
static guint
leat_inspect_read_generation (const char *root, const char *device, const char *name)
{
  static const double speeds[] = { 2.5, 5, 8, 16, 32, 64 };
  g_autofree char *text = leat_inspect_read_line (root, device, name);
  char *end = NULL;
  double speed = text != NULL ? g_ascii_strtod (text, &end) : 0;

  for (guint i = 0; end != NULL && g_str_has_prefix (end, " GT/s") && i < G_N_ELEMENTS (speeds); i++)
    if (speed == speeds[i])
      return i + 1;
  return 0;
}

static guint
leat_inspect_read_width (const char *root, const char *device, const char *name)
{
  g_autofree char *text = leat_inspect_read_line (root, device, name);
  guint64 width = 0;

  return text != NULL && g_ascii_string_to_unsigned (text, 10, 1, 64, &width, NULL) ? (guint) width : 0;
}

void
leat_inspect_read_link (const char *root, const char *bus_id, LeatInspectLink *link)
{
  g_autofree char *device = g_ascii_strdown (bus_id, -1);

  link->generation = leat_inspect_read_generation (root, device, "current_link_speed");
  link->width = leat_inspect_read_width (root, device, "current_link_width");
  link->most_generation = leat_inspect_read_generation (root, device, "max_link_speed");
  link->most_width = leat_inspect_read_width (root, device, "max_link_width");
}
