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

static const char kernel_text[] =
  "__global__ void saxpy (const float *x, uint64_t x_count, float a, float *y)\n"
  "{ GRID_FOR (i, x_count) y[i] = a * x[i]; }\n"
  "__global__ void __launch_bounds__ (128) tile (const float *x, float *y)\n"
  "{\n  __shared__ float t[6000];\n  extern __shared__ float u[];\n"
  "  t[threadIdx.x] = u[threadIdx.x] = x[threadIdx.x];\n  __syncthreads ();\n"
  "  y[threadIdx.x] = t[127 - threadIdx.x] + u[0];\n}\n"
  "__global__ void meet (const float *x, float *y)\n{ leat_grid_sync (); y[0] = x[0]; }\n";

typedef struct
{
  char *folder, *source;
} KernelFile;

static void
kernel_file_make (KernelFile *self, gconstpointer unused)
{
  g_autofree char *path = NULL;

  self->folder = tool_make_folder ();
  path = tool_write (self->folder, "k.cu", kernel_text);
  self->source = g_strconcat ("source=", path, NULL);
}

static void
kernel_file_remove (KernelFile *self, gconstpointer unused)
{
  tool_remove_folder (self->folder);
  g_free (self->folder);
  g_free (self->source);
}

static JsonObject *
get_on_device (JsonObject *all)
{
  return json_object_get_object_member (
    json_array_get_object_element (json_object_get_array_member (all, "kernels"), 0), "device");
}

/* The driver's arithmetic by hand: 2048 threads, 32 blocks and 228 KiB of shared memory a multiprocessor. */
static void
test_inspect_kernel_occupancy (KernelFile *self, gconstpointer unused)
{
  static const struct
  {
    const char *entry, *shared;
    guint threads, blocks, percent;
    const char *limit;
  } rows[] = {
    { "entry=saxpy", "shared=0", 32, 32, 50, "blocks" },
    { "entry=saxpy", "shared=0", 64, 32, 100, "threads" },
    { "entry=saxpy", "shared=0", 256, 8, 100, "threads" },
    { "entry=saxpy", "shared=0", 768, 2, 75, "threads" },
    { "entry=saxpy", "shared=0", 1024, 2, 100, "threads" },
    { "entry=saxpy", "shared=100000", 256, 2, 25, "shared memory" },
    { "entry=tile", "shared=512", 128, 9, 56, "shared memory" },
    { "entry=tile", "shared=512", 256, 0, 0, "__launch_bounds__" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (ToolResult) result =
        tool_run (as_h100, WORDS ("--json", "--device=cpu", "kernel", self->source, rows[i].entry, rows[i].shared));
      g_autoptr (JsonObject) all = tool_parse_json (result->out);
      JsonArray *sizes = json_object_get_array_member (get_on_device (all), "occupancy");
      gboolean found = FALSE;

      g_assert_cmpint (result->code, ==, 0);
      g_assert_cmpuint (json_array_get_length (sizes), ==, 10);
      for (guint k = 0; k < json_array_get_length (sizes); k++)
        {
          JsonObject *row = json_array_get_object_element (sizes, k);

          if (json_object_get_int_member (row, "threads") != rows[i].threads)
            continue;
          found = TRUE;
          assert_number (row, "blocks", rows[i].blocks);
          assert_number (row, "warps", rows[i].blocks * rows[i].threads / 32);
          assert_number (row, "percent", rows[i].percent);
          g_assert_cmpstr (json_object_get_string_member (row, "limit"), ==, rows[i].limit);
        }
      g_assert_true (found);
    }
}

static void
test_inspect_kernel_needs (KernelFile *self, gconstpointer unused)
{
  g_autoptr (ToolResult) result =
    tool_run (as_h100, WORDS ("--json", "--device=cpu", "kernel", self->source, "entry=tile", "shared=512"));
  g_autoptr (JsonObject) all = tool_parse_json (result->out);
  JsonObject *device = get_on_device (all), *launch = json_object_get_object_member (device, "launch");

  g_assert_cmpstr (json_object_get_string_member (device, "id"), ==, "cpu");
  g_assert_cmpstr (json_object_get_string_member (device, "name"), ==, "Leat CPU as H100");
  assert_number (device, "shared-bytes", 24000);
  assert_number (device, "shared-bytes-most", 227 * 1024 - 24000);
  assert_number (device, "threads-most", 128);
  g_assert_false (json_object_has_member (device, "registers"));
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (launch, "block"), 0), ==, 128);
  g_assert_false (json_object_has_member (launch, "grid"));
  assert_number (launch, "shared-bytes", 512);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (launch, "faults")), ==, 0);
}

/* Each limit has its line, and none keeps another from being told. */
static void
test_inspect_kernel_faults (KernelFile *self, gconstpointer unused)
{
  static const struct
  {
    const char *words[6];
    const char *says[7];
  } rows[] = {
    { { "entry=tile", "block=2000x2", "grid=3x70000", "shared=300000", "cooperative=true" },
      { "block 2000x2x1 is too large in x", "grid 3x70000x1 is too large in y",
        "at most 1024; give it a smaller block=", "compiled for at most 128",
        "300000 bytes of dynamic shared memory are too many" } },
    { { "entry=tile", "block=64" }, { "set shared=BYTES" } },
    { { "entry=saxpy", "block=256", "grid=100000", "cooperative=true" },
      { "a cooperative grid of 100000 blocks is too large: Leat CPU as H100 runs at most 1056" } },
    { { "entry=meet", "grid=2" }, { "set cooperative=true" } },
    { { "entry=meet", "block=16x16x8", "grid=1x1x65536" },
      { "too large in z", "a block of 2048 threads is too large", "set cooperative=true" } },
    { { "entry=saxpy", "block=1x1x65" }, { "block 1x1x65 is too large in z: Leat CPU as H100 allows at most 64" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const char *words[12] = { "leat-inspect", "--json", "--device=cpu", "kernel", self->source };
      g_autoptr (ToolResult) result = NULL;
      g_autoptr (JsonObject) all = NULL;
      JsonArray *faults;
      guint n = 0;

      for (guint k = 0; rows[i].words[k] != NULL; k++)
        words[5 + k] = rows[i].words[k];
      result = tool_run (as_h100, words);
      all = tool_parse_json (result->out);
      faults = json_object_get_array_member (json_object_get_object_member (get_on_device (all), "launch"), "faults");
      for (; rows[i].says[n] != NULL; n++)
        {
          g_assert_cmpuint (n, <, json_array_get_length (faults));
          tool_assert_contains (json_array_get_string_element (faults, n), rows[i].says[n]);
        }
      g_assert_cmpuint (json_array_get_length (faults), ==, n);
      g_assert_cmpint (result->code, ==, 1);
    }
}

static void
test_inspect_kernel_fills (KernelFile *self, gconstpointer unused)
{
  g_autoptr (ToolResult) result = tool_run (
    as_h100, WORDS ("--device=cpu", "kernel", self->source, "entry=meet", "grid=occupancy", "cooperative=true"));

  g_assert_cmpint (result->code, ==, 0);
  tool_assert_contains (result->out, "\nOn cpu (Leat CPU as H100)\n");
  tool_assert_contains (result->out, "\n    256        8      64   100%   threads\n");
  tool_assert_contains (result->out, "\n  block=256 grid=1056 cooperative=true breaks no limit\n");
}

/* On the device of the tests, whatever it is: the table is there, and a GPU tells of registers. */
static void
test_inspect_kernel_real (KernelFile *self, gconstpointer unused)
{
  const char *id = g_getenv ("LEAT_DEVICE");
  g_autofree char *device = g_strconcat ("--device=", id != NULL ? id : "cpu", NULL);
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS ("--json", device, "kernel", self->source, "entry=saxpy", "block=100", "fp=all"));
  g_autoptr (JsonObject) all = tool_parse_json (result->out);
  JsonObject *on = get_on_device (all);

  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (on, "occupancy")), ==, 11);
  g_assert_cmpint (json_object_get_int_member (on, "threads-most"), >=, 256);
  if (json_object_has_member (on, "registers"))
    g_assert_cmpint (json_object_get_int_member (on, "registers"), >, 0);
  g_assert_cmpint (json_object_has_member (on, "registers"), ==, id != NULL && g_str_has_prefix (id, "cuda"));
}

static void
test_inspect_kernel_mistakes (KernelFile *self, gconstpointer unused)
{
  static const struct
  {
    const char *device, *word;
    int code;
    const char *says;
  } rows[] = {
    { "--device=cpu", "block=0", 2, "block=0: expected numbers from 1" },
    { "--device=cpu", "block=1x2x3x4", 2, "block=1x2x3x4" },
    { "--device=cpu", "grid=many", 2, "grid=many" },
    { "--device=cpu", "shared=-1", 2, "shared=-1: expected bytes" },
    { "--device=cpu", "cooperative=perhaps", 2, "it is true or false" },
    { "--device=cpu", "fp=fats", 1, "did you mean \"fast\"?" },
    { "--device=cpu", "blok=2", 2, "and with --device also block=" },
    { "--device=cup", "block=2", 2, "\"cup\" is no device" },
    { "--json", "block=2", 2, "add --device=cuda:0 or --device=cpu" },
  };
  g_autoptr (ToolResult) alone = tool_run (as_h100, WORDS ("--device=cpu"));
  g_autoptr (ToolResult) node = tool_run (as_h100, WORDS ("--device=cpu", "upload"));

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (ToolResult) result =
        tool_run (as_h100, WORDS (rows[i].device, "kernel", self->source, "entry=saxpy", rows[i].word));

      g_assert_cmpint (result->code, ==, rows[i].code);
      tool_assert_contains (result->err, rows[i].says);
    }
  g_assert_cmpint (alone->code, ==, 2);
  tool_assert_contains (alone->err, "add kernel source=FILE.cu");
  g_assert_cmpint (node->code, ==, 2);
}

/* The ports are there where the device cannot take the kernel. */
static void
test_inspect_kernel_does_not_compile (void)
{
  g_autofree char *folder = tool_make_folder ();
  g_autofree char *path = tool_write (folder, "bad.cu", "__global__ void f (const float *x, float *y) { y[0] = z; }\n");
  g_autofree char *source = g_strconcat ("source=", path, NULL);
  g_autoptr (ToolResult) result = tool_run (as_h100, WORDS ("--device=cpu", "kernel", source));

  g_assert_cmpint (result->code, ==, 5);
  tool_assert_contains (result->out, "f: a kernel of");
  tool_assert_contains (result->err, "does not compile for the CPU");
  tool_remove_folder (folder);
}

/* A file that is compiled is shown by the prototype that is given for it. */
static void
test_inspect_kernel_compiled (void)
{
  g_autofree char *folder = tool_make_folder ();
  g_autofree char *path = tool_write (folder, "k.bin",
                                      ".version 7.0\n.target sm_70\n.address_size 64\n"
                                      ".visible .entry pass (.param .u64 x, .param .u64 y, .param .u32 n) { ret; }\n");
  g_autofree char *source = g_strconcat ("source=", path, NULL);
  g_autoptr (ToolResult) good =
    tool_run (as_h100, WORDS ("--json", "kernel", source, "entry=pass(const f32 *x, f32 *y, u32 x_count)"));
  g_autoptr (ToolResult) bare = tool_run (as_h100, WORDS ("kernel", source));
  g_autoptr (ToolResult) on_cpu =
    tool_run (as_h100, WORDS ("--device=cpu", "kernel", source, "entry=pass(const f32 *x, f32 *y, u32 x_count)"));
  g_autoptr (JsonObject) all = tool_parse_json (good->out);
  JsonObject *kernel = json_array_get_object_element (json_object_get_array_member (all, "kernels"), 0);

  g_assert_cmpint (good->code, ==, 0);
  g_assert_cmpstr (json_object_get_string_member (kernel, "entry"), ==, "pass");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (kernel, "parameters")), ==, 3);
  g_assert_cmpint (bare->code, ==, 1);
  tool_assert_contains (bare->err, "write the prototype, as in entry=\"k(const f32 *x, f32 *y, u32 n)\"; it has pass");
  g_assert_cmpint (on_cpu->code, ==, 5);
  tool_assert_contains (on_cpu->err, "is PTX, which runs on a GPU only");
  tool_assert_contains (on_cpu->out, "pass: a kernel of");
  tool_assert_contains (on_cpu->out, " entry=\"pass(const float *x, float *y, uint32_t x_count)\"\n");
  tool_remove_folder (folder);
}

/* The CPU driver plays a GPU's, which is given the bytes as they are. */
static void
test_inspect_kernel_compiled_for_gpu (void)
{
  const char *driver = g_getenv ("LEAT_CPU_DRIVER");
  g_autofree char *played = g_strconcat ("LEAT_CUDA_DRIVER=", driver, NULL), *folder = NULL, *path = NULL,
                  *source = NULL;
  const char *const as_cuda[] = { played, NULL };
  g_autoptr (ToolResult) result = NULL;

  if (driver == NULL)
    {
      g_test_skip ("LEAT_CPU_DRIVER does not say which driver could play a GPU's");
      return;
    }
  folder = tool_make_folder ();
  path = tool_write (folder, "k.bin", ".version 7.0\n.visible .entry k (.param .u64 y) { ret; }\n");
  source = g_strconcat ("source=", path, NULL);
  result = tool_run (as_cuda, WORDS ("--device=cuda:0", "kernel", source, "entry=k(f32 *y)"));
  g_assert_cmpint (result->code, !=, 0);
  tool_assert_contains (result->err, "cuModuleLoadData for the image of ");
  tool_assert_contains (result->err, "k.bin on cuda:0 ");
  tool_assert_contains (result->err, "the image is PTX text");
  tool_remove_folder (folder);
}

#define ADD(name, func)                                                                                                \
  g_test_add ("/leat/inspect/kernel-on-device/" name, KernelFile, NULL, kernel_file_make, func, kernel_file_remove)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/inspect/devices/json", test_inspect_devices_json);
  g_test_add_func ("/leat/inspect/devices/text", test_inspect_devices_text);
  g_test_add_func ("/leat/inspect/devices/real", test_inspect_devices_real);
  g_test_add_func ("/leat/inspect/devices/none", test_inspect_devices_none);
  g_test_add_func ("/leat/inspect/devices/usage", test_inspect_devices_usage);
  ADD ("occupancy", test_inspect_kernel_occupancy);
  ADD ("needs", test_inspect_kernel_needs);
  ADD ("faults", test_inspect_kernel_faults);
  ADD ("fills", test_inspect_kernel_fills);
  ADD ("real", test_inspect_kernel_real);
  ADD ("mistakes", test_inspect_kernel_mistakes);
  g_test_add_func ("/leat/inspect/kernel-on-device/compiled", test_inspect_kernel_compiled);
  g_test_add_func ("/leat/inspect/kernel-on-device/compiled-for-gpu", test_inspect_kernel_compiled_for_gpu);
  g_test_add_func ("/leat/inspect/kernel-on-device/does-not-compile", test_inspect_kernel_does_not_compile);
  return g_test_run ();
}
