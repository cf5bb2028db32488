/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-inspect-bus.h"
#include "tool-run.h"

#include <glib/gstdio.h>

/* The kernel's files about a link, played by a folder. */

static void
write_line (const char *folder, const char *name, const char *text)
{
  g_autofree char *path = text != NULL ? tool_write (folder, name, text) : NULL;
}

static void
test_inspect_bus_link (void)
{
  static const struct
  {
    const char *speed, *width, *most_speed, *most_width;
    LeatInspectLink link;
  } rows[] = {
    { "16.0 GT/s PCIe\n", "16\n", "32.0 GT/s PCIe\n", "16\n", { 4, 16, 5, 16 } },
    { "2.5 GT/s PCIe\n", "4\n", "8.0 GT/s PCIe\n", "8\n", { 1, 4, 3, 8 } },
    { "5 GT/s\n", "1\n", "64.0 GT/s PCIe\n", "32\n", { 2, 1, 6, 32 } },
    { "Unknown speed\n", "0\n", "7.0 GT/s PCIe\n", "255\n", { 0, 0, 0, 0 } },
    { "16.0\n", "16 lanes\n", "", "-1\n", { 0, 0, 0, 0 } },
    { NULL, NULL, NULL, NULL, { 0, 0, 0, 0 } },
    { NULL, "8\n", "8.0 GT/s PCIe\n", NULL, { 0, 8, 3, 0 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *root = tool_make_folder (), *device = g_build_filename (root, "0000:3b:00.0", NULL);
      LeatInspectLink link = { 9, 9, 9, 9 };

      g_assert_cmpint (g_mkdir (device, 0700), ==, 0);
      write_line (device, "current_link_speed", rows[i].speed);
      write_line (device, "current_link_width", rows[i].width);
      write_line (device, "max_link_speed", rows[i].most_speed);
      write_line (device, "max_link_width", rows[i].most_width);
      leat_inspect_read_link (root, "0000:3B:00.0", &link);
      g_assert_cmpuint (link.generation, ==, rows[i].link.generation);
      g_assert_cmpuint (link.width, ==, rows[i].link.width);
      g_assert_cmpuint (link.most_generation, ==, rows[i].link.most_generation);
      g_assert_cmpuint (link.most_width, ==, rows[i].link.most_width);
      tool_remove_folder (device);
      tool_remove_folder (root);
    }
}

static void
test_inspect_bus_absent (void)
{
  static const char *const ids[] = { "", "0000:3B:00.0" };

  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    {
      LeatInspectLink link = { 9, 9, 9, 9 };

      leat_inspect_read_link ("/proc/nonexistent", ids[i], &link);
      g_assert_cmpuint (link.generation + link.width + link.most_generation + link.most_width, ==, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/inspect/bus/link", test_inspect_bus_link);
  g_test_add_func ("/leat/inspect/bus/absent", test_inspect_bus_absent);
  return g_test_run ();
}
