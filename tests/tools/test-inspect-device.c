/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <string.h>

/* leat-inspect about devices, and about kernels on a device: the one that LEAT_DEVICE names, and profiles of the CPU
 * driver. */

#define WORDS(...) ((const char *const[]){ "leat-inspect", __VA_ARGS__, NULL })

static const char *const as_h100[] = { "LEAT_CPU_PROFILE=h100", "LEAT_CUDA_DRIVER=/proc/nonexistent/cuda", NULL };
static const char *const no_driver[] = { "LEAT_CPU_DRIVER=/proc/nonexistent/driver",
                                         "LEAT_CUDA_DRIVER=/proc/nonexistent/cuda", NULL };

static JsonObject *
find_device (JsonObject *all, const char *id)
{
  JsonArray *devices = json_object_get_array_member (all, "devices");

  for (guint i = 0; i < json_array_get_length (devices); i++)
    if (g_str_equal (json_object_get_string_member (json_array_get_object_element (devices, i), "id"), id))
      return json_array_get_object_element (devices, i);
  g_error ("there is no device %s", id);
}

static void
assert_number (JsonObject *object, const char *name, gint64 wanted)
{
  if (!json_object_has_member (object, name) || json_object_get_int_member (object, name) != wanted)
    g_error ("%s is not %" G_GINT64_FORMAT, name, wanted);
}

/* What the profile says is what is told, and nothing that a CPU has not. */
static void
test_inspect_devices_json (void)
{
  static const char *const made_up[] = { "clock-khz", "memory-clock-khz",    "bus",
                                         "fault",     "registers-per-block", "registers-per-multiprocessor" };
  g_autoptr (ToolResult) result = tool_run (as_h100, WORDS ("--devices", "--json"));
  g_autoptr (JsonObject) all = tool_parse_json (result->out);
  JsonObject *cpu = find_device (all, "cpu"), *abilities = json_object_get_object_member (cpu, "abilities");
  JsonArray *absent = json_object_get_array_member (all, "absent");
  JsonArray *block = json_object_get_array_member (cpu, "block"), *grid = json_object_get_array_member (cpu, "grid");

  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpstr (json_object_get_string_member (cpu, "driver"), ==, "cpu");
  g_assert_cmpstr (json_object_get_string_member (cpu, "name"), ==, "Leat CPU as H100");
  g_assert_cmpstr (json_object_get_string_member (cpu, "compute-capability"), ==, "9.0");
  g_assert_nonnull (strchr (json_object_get_string_member (cpu, "driver-version"), '.'));
  assert_number (cpu, "multiprocessors", 132);
  assert_number (cpu, "memory-bytes", G_GINT64_CONSTANT (80) << 30);
  assert_number (cpu, "threads-per-block", 1024);
  assert_number (cpu, "threads-per-multiprocessor", 2048);
  assert_number (cpu, "blocks-per-multiprocessor", 32);
  assert_number (cpu, "shared-per-block", 48 * 1024);
  assert_number (cpu, "shared-per-block-most", 227 * 1024);
  assert_number (cpu, "shared-per-multiprocessor", 228 * 1024);
  assert_number (cpu, "warp-threads", 32);
  assert_number (cpu, "copy-engines", 3);
  g_assert_cmpint (json_array_get_int_element (block, 2), ==, 64);
  g_assert_cmpint (json_array_get_int_element (grid, 0), ==, 2147483647);
  g_assert_true (json_object_get_boolean_member (abilities, "cooperative-launch"));
  g_assert_false (json_object_get_boolean_member (abilities, "managed-memory"));
  g_assert_cmpuint (json_object_get_size (abilities), ==, 11);
  for (guint i = 0; i < G_N_ELEMENTS (made_up); i++)
    g_assert_false (json_object_has_member (cpu, made_up[i]));
  g_assert_cmpuint (json_array_get_length (absent), ==, 1);
  tool_assert_contains (json_array_get_string_element (absent, 0), "/proc/nonexistent/cuda");
}

static void
test_inspect_devices_text (void)
{
  g_autoptr (ToolResult) result = tool_run (as_h100, WORDS ("--devices"));

  g_assert_cmpint (result->code, ==, 0);
  g_assert_true (g_str_has_prefix (result->out, "cpu: Leat CPU as H100\n"));
  tool_assert_contains (result->out, "\n  compute capability  9.0\n");
  tool_assert_contains (result->out, "\n  block               1024 threads; 1024x1024x64\n");
  tool_assert_contains (result->out, "\n  has                 cooperative launches, memory pools");
  tool_assert_contains (result->out, "\n  lacks               managed memory");
  tool_assert_contains (result->out, "\nnot here: device cuda:0: ");
}

/* The device of the tests is among them, with some memory free. */
static void
test_inspect_devices_real (void)
{
  g_autoptr (ToolResult) result = tool_run (NULL, WORDS ("--devices", "--json"));
  g_autoptr (JsonObject) all = tool_parse_json (result->out);
  const char *id = g_getenv ("LEAT_DEVICE");
  JsonObject *device = find_device (all, id != NULL && g_str_has_prefix (id, "cuda:") ? id : "cpu");

  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpint (json_object_get_int_member (device, "memory-free-bytes"), >, 0);
  g_assert_cmpint (json_object_get_int_member (device, "memory-free-bytes"), <=,
                   json_object_get_int_member (device, "memory-bytes"));
  if (g_str_equal (json_object_get_string_member (device, "driver"), "cuda"))
    {
      g_assert_true (json_object_has_member (device, "bus"));
      g_assert_cmpint (json_object_get_int_member (device, "registers-per-multiprocessor"), >, 0);
    }
}

static void
test_inspect_devices_none (void)
{
  g_autoptr (ToolResult) json = tool_run (no_driver, WORDS ("--devices", "--json"));
  g_autoptr (ToolResult) text = tool_run (no_driver, WORDS ("--devices"));
  g_autoptr (JsonObject) all = tool_parse_json (json->out);

  g_assert_cmpint (text->code, ==, 0);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (all, "devices")), ==, 0);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (all, "absent")), ==, 2);
  tool_assert_contains (text->out, "not here: ");
  tool_assert_contains (text->out, "/proc/nonexistent/driver");
}

static void
test_inspect_devices_usage (void)
{
  g_autoptr (ToolResult) named = tool_run (no_driver, WORDS ("--devices", "upload"));
  g_autoptr (ToolResult) broken = tool_run (no_driver, WORDS ("--devices", "--broken"));

  g_assert_cmpint (named->code, ==, 2);
  tool_assert_contains (named->err, "--devices shows all devices, and nothing else: leave out upload");
  g_assert_cmpint (broken->code, ==, 2);
  tool_assert_contains (broken->err, "leave out --broken");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/inspect/devices/json", test_inspect_devices_json);
  g_test_add_func ("/leat/inspect/devices/text", test_inspect_devices_text);
  g_test_add_func ("/leat/inspect/devices/real", test_inspect_devices_real);
  g_test_add_func ("/leat/inspect/devices/none", test_inspect_devices_none);
  g_test_add_func ("/leat/inspect/devices/usage", test_inspect_devices_usage);
  return g_test_run ();
}
