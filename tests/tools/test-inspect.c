/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <string.h>

#define WORDS(...) ((const char *const[]){ "leat-inspect", __VA_ARGS__, NULL })

/* leat-inspect touches no device: whatever would, fails here. */
static const char *const no_device[] = { "LEAT_DEVICE=nonsense", "LEAT_CPU_DRIVER=/proc/nonexistent/driver", NULL };

static ToolResult *
inspect (const char *const *words)
{
  ToolResult *result = tool_run (no_device, words);

  g_test_message ("%s", result->err);
  return result;
}

static void
test_inspect_lists_nodes (void)
{
  g_autoptr (ToolResult) result = inspect ((const char *const[]){ "leat-inspect", NULL });
  static const char *const ids[] = { "upload", "readback", "kernel", "map", "io:file", "io:npy", "text:scan" };

  g_assert_cmpint (result->code, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (ids); i++)
    tool_assert_contains (result->out, ids[i]);
  tool_assert_contains (result->out, " plugins");
}

/* The passes over plans, in their order. */
static void
test_inspect_passes (void)
{
  g_autoptr (ToolResult) text = inspect (WORDS ("--passes"));
  g_autoptr (ToolResult) json = inspect (WORDS ("--passes", "--json"));
  g_autoptr (ToolResult) wrong = inspect (WORDS ("--passes", "map"));
  const char *const names[] = { "merge", "copies", "dead", "fold", "hoist" };

  g_assert_cmpint (text->code, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      tool_assert_contains (text->out, names[i]);
      tool_assert_contains (json->out, names[i]);
    }
  g_assert_cmpint (wrong->code, ==, 2);
  tool_assert_contains (wrong->err, "leave out map");
}

/* What is said of every node is complete: inspect is the only help there is. */
static void
test_inspect_json_is_complete (void)
{
  g_autoptr (ToolResult) result = inspect (WORDS ("--json"));
  g_autoptr (JsonObject) all = tool_parse_json (result->out);
  JsonArray *nodes = json_object_get_array_member (all, "nodes");

  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpuint (json_array_get_length (nodes), >, 5);
  for (guint i = 0; i < json_array_get_length (nodes); i++)
    {
      JsonObject *node = json_array_get_object_element (nodes, i);
      JsonArray *props = json_object_get_array_member (node, "properties");

      g_test_message ("%s", json_object_get_string_member (node, "id"));
      g_assert_cmpstr (json_object_get_string_member (node, "summary"), !=, "");
      tool_assert_contains (json_object_get_string_member (node, "description"), "Example: ");
      for (guint p = 0; p < json_array_get_length (props); p++)
        {
          JsonObject *prop = json_array_get_object_element (props, p);

          g_assert_cmpstr (json_object_get_string_member (prop, "blurb"), !=, "");
          g_assert_cmpstr (json_object_get_string_member (prop, "type"), !=, "unknown");
        }
    }
}

static void
test_inspect_node (void)
{
  g_autoptr (ToolResult) result = inspect (WORDS ("io:file"));
  g_autoptr (ToolResult) kernel = inspect (WORDS ("kernel"));

  g_assert_cmpint (result->code, ==, 0);
  g_assert_true (g_str_has_prefix (result->out, "io:file: "));
  tool_assert_contains (result->out, "\nPorts\n");
  tool_assert_contains (result->out, "  path            path, required\n");
  tool_assert_contains (result->out, "  chunk           bytes, 1 to 1099511627776, default 4194304\n");
  tool_assert_contains (kernel->out, "choice: session, lane, default session");
}

static void
test_inspect_node_json (void)
{
  g_autoptr (ToolResult) result = inspect (WORDS ("--json", "upload"));
  g_autoptr (JsonObject) node = tool_parse_json (result->out);
  JsonObject *in = json_array_get_object_element (json_object_get_array_member (node, "ports"), 0);

  g_assert_cmpstr (json_object_get_string_member (node, "id"), ==, "upload");
  g_assert_cmpstr (json_object_get_string_member (in, "direction"), ==, "input");
  g_assert_cmpstr (json_object_get_string_member (in, "memory"), ==, "host");
}

static void
test_inspect_plugin (void)
{
  g_autoptr (ToolResult) result = inspect (WORDS ("io"));

  g_assert_cmpint (result->code, ==, 0);
  g_assert_true (g_str_has_prefix (result->out, "io "));
  tool_assert_contains (result->out, "io:npy");
  g_assert_null (strstr (result->out, "upload"));
}

static const char *const kernel_text = "// Adds a gain.\n"
                                       "__global__ void\n"
                                       "amplify (const float *in, float *out, unsigned int in_count, float gain)\n"
                                       "{\n"
                                       "  out[0] = in[0] * gain;\n"
                                       "}\n";

static const char *const kernel_golden = "amplify: a kernel of %1$s, line 3\n"
                                         "\n"
                                         "Adds a gain.\n"
                                         "\n"
                                         "Input ports\n"
                                         "  in              float, spec f32\n"
                                         "\n"
                                         "Output ports\n"
                                         "  out             float, spec f32\n"
                                         "\n"
                                         "Arguments\n"
                                         "  gain            float\n"
                                         "\n"
                                         "Filled in: live items of an input\n"
                                         "  in_count        unsigned int, of in\n"
                                         "\n"
                                         "Launch\n"
                                         "  block           256 threads, unless block= says another\n"
                                         "  outputs         hold anything before; clear=PORT fills one with zeros\n"
                                         "\n"
                                         "In a pipeline\n"
                                         "  kernel source=%1$s entry=amplify gain=VALUE\n";

static void
test_inspect_kernel (void)
{
  g_autofree char *folder = tool_make_folder ();
  g_autofree char *path = tool_write (folder, "amplify.cu", kernel_text);
  g_autofree char *source = g_strconcat ("source=", path, NULL);
  g_auto (GStrv) parts = g_strsplit (kernel_golden, "%1$s", -1);
  g_autofree char *golden = g_strjoinv (path, parts);
  g_autoptr (ToolResult) text = inspect (WORDS ("kernel", source));
  g_autoptr (ToolResult) json = inspect (WORDS ("--json", "kernel", source, "entry=amplify"));
  g_autoptr (JsonObject) all = tool_parse_json (json->out);
  JsonObject *kernel = json_array_get_object_element (json_object_get_array_member (all, "kernels"), 0);

  g_assert_cmpstr (text->out, ==, golden);
  g_assert_cmpint (text->code, ==, 0);
  g_assert_cmpstr (json_object_get_string_member (kernel, "entry"), ==, "amplify");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (kernel, "parameters")), ==, 4);
  tool_remove_folder (folder);
}

static const char *const counting_text =
  "__global__ void hist (const uint8_t *x, uint64_t x_count, uint32_t *bins, float *seen)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    atomicAdd (&bins[x[i]], 1u);\n"
  "}\n"
  "__global__ void mix (const float *a, uint64_t a_count, const float *b, float *y) { y[0] = a[0] + b[0]; }\n"
  "__global__ void plane (const uint8_t *x, uint32_t x_dim0, uint32_t x_dim1, float *y)\n"
  "{\n"
  "  extern __shared__ float part[];\n"
  "  uint32_t c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;\n"
  "  if (c < x_dim1 && r < x_dim0)\n"
  "    y[r * x_dim1 + c] = x[(r * x_dim1 + c) * 3];\n"
  "}\n";

/* What the body of a kernel says about its launch: what has to be cleared, the block, shared memory, shapes. */
static void
test_inspect_kernel_launch (void)
{
  g_autofree char *folder = tool_make_folder ();
  g_autofree char *path = tool_write (folder, "count.cu", counting_text);
  g_autofree char *source = g_strconcat ("source=", path, NULL);
  g_autoptr (ToolResult) hist = inspect (WORDS ("kernel", source, "entry=hist"));
  g_autoptr (ToolResult) mix = inspect (WORDS ("kernel", source, "entry=mix"));
  g_autoptr (ToolResult) plane = inspect (WORDS ("kernel", source, "entry=plane"));
  g_autoptr (ToolResult) json = inspect (WORDS ("--json", "kernel", source, "entry=plane"));
  g_autoptr (JsonObject) all = tool_parse_json (json->out);
  JsonObject *kernel = json_array_get_object_element (json_object_get_array_member (all, "kernels"), 0);

  tool_assert_contains (
    hist->out, "line 4 takes what it held before: set clear=bins for zeros, or update=bins for an input bins_in");
  tool_assert_contains (hist->out, " entry=hist bins=u32[n] seen=f32[n] clear=bins\n");
  tool_assert_contains (hist->out, "  block           256 threads");
  tool_assert_contains (plane->out, "  block           16x16 threads");
  tool_assert_contains (mix->out, "float, spec f32\n");
  tool_assert_contains (mix->out, "spec f32; the kernel is not told its size: state it, as in b=f32[n]\n");
  g_assert_null (strstr (mix->out, "a=f32[n]"));
  g_assert_null (strstr (hist->out, "not told its size"));
  tool_assert_contains (plane->out, "shared=BYTES");
  tool_assert_contains (plane->out, " entry=plane y=f32[h,w]\n");
  g_assert_null (strstr (plane->out, "clear=y"));
  g_assert_cmpint (json_array_get_int_element (json_object_get_array_member (kernel, "block"), 1), ==, 16);
  tool_remove_folder (folder);
}

/* Types, and the line to copy, are those with the macros that are given. */
static void
test_inspect_kernel_defines (void)
{
  g_autofree char *folder = tool_make_folder ();
  g_autofree char *path = tool_write (folder, "real.cu",
                                      "#ifdef USE_DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n"
                                      "__global__ void k (const real *x, real *y) {}\n");
  g_autofree char *source = g_strconcat ("source=", path, NULL);
  g_autoptr (ToolResult) plain = inspect (WORDS ("kernel", source));
  g_autoptr (ToolResult) wide = inspect (WORDS ("kernel", source, "defines=USE_DOUBLE,N=2"));
  g_autoptr (ToolResult) wrong = inspect (WORDS ("kernel", source, "defines=2=N"));

  tool_assert_contains (plain->out, "spec f32");
  g_assert_null (strstr (plain->out, "f64"));
  tool_assert_contains (wide->out, "spec f64");
  tool_assert_contains (wide->out, " entry=k defines=\"USE_DOUBLE,N=2\"");
  tool_assert_contains (wrong->err, "cannot define \"2=N\"; expected NAME or NAME=VALUE");
  g_assert_cmpint (wrong->code, !=, 0);
  tool_remove_folder (folder);
}

/* One that cannot be bound does not hide the others; asked for by name, it is an error. */
static void
test_inspect_kernel_unbound (void)
{
  static const char text[] = "__global__ void a (float **y) {}\n__global__ void b (float *y, float gain = 2) {}\n"
                             "__global__ void b (int *y) {}\n__global__ void c (int n) { b<<<1, n>>> (0); }\n";
  g_autofree char *folder = tool_make_folder ();
  g_autofree char *path = tool_write (folder, "several.cu", text), *word = g_strconcat ("source=", path, NULL);
  g_autoptr (ToolResult) all = inspect (WORDS ("kernel", word));
  g_autoptr (ToolResult) one = inspect (WORDS ("kernel", word, "entry=a"));
  g_autoptr (ToolResult) json = inspect (WORDS ("--json", "kernel", word));
  g_autoptr (JsonNode) root = json_from_string (json->out, NULL);
  JsonArray *unbound = json_object_get_array_member (json_node_get_object (root), "unbound");

  g_assert_cmpint (all->code, ==, 0);
  tool_assert_contains (all->out, "b(float *, float): a kernel of");
  tool_assert_contains (all->out, "gain            float, 2 unless set\n");
  tool_assert_contains (all->out, "entry=\"b(int *)\"");
  tool_assert_contains (all->out, "\na: a kernel that cannot be bound\n\n");
  tool_assert_contains (all->out, ":1:28: \"y\" is a pointer to pointers");
  tool_assert_contains (all->out, ":4:30: device code cannot launch kernels here");
  g_assert_cmpint (one->code, ==, 1);
  g_assert_cmpuint (json_array_get_length (unbound), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (unbound, 1), "entry"), ==, "c");
  tool_remove_folder (folder);
}

static void
test_inspect_kernel_entries (void)
{
  g_autofree char *source = g_test_build_filename (G_TEST_DIST, "..", "graphs", "edges.cu", NULL);
  g_autofree char *word = g_strconcat ("source=", source, NULL);
  g_autoptr (ToolResult) all = inspect (WORDS ("kernel", word));
  g_autoptr (ToolResult) one = inspect (WORDS ("kernel", word, "entry=sobel"));
  g_autoptr (ToolResult) none = inspect (WORDS ("kernel", word, "entry=sobell"));

  tool_assert_contains (all->out, "blur: a kernel of");
  tool_assert_contains (all->out, "sobel: a kernel of");
  g_assert_true (g_str_has_prefix (one->out, "sobel: "));
  g_assert_null (strstr (one->out, "blur: "));
  g_assert_cmpint (none->code, ==, 1);
  tool_assert_contains (none->err, "sobel");
}

typedef struct
{
  const char *words[5];
  int code;
  const char *err;
} MistakeCase;

static const MistakeCase mistake_cases[] = {
  { { "uplaod" }, 1, "did you mean \"upload\"?" },
  { { "edges.cu" }, 1, "leat-inspect kernel source=edges.cu" },
  { { "--nonsense" }, 2, "--nonsense" },
  { { "upload", "readback" }, 2, "one name at a time" },
  { { "kernel", "sauce=edges.cu" }, 2, "sauce=edges.cu" },
  { { "kernel", "entry=sobel" }, 2, "source=FILE.cu" },
  { { "--broken", "upload" }, 2, "--broken" },
  { { "kernel", "source=/proc/nonexistent.cu" }, 1, "/proc/nonexistent.cu" },
};

static void
test_inspect_mistakes (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (mistake_cases); i++)
    {
      const char *words[7] = { "leat-inspect" };
      g_autoptr (ToolResult) result = NULL;

      for (guint w = 0; w < G_N_ELEMENTS (mistake_cases[i].words); w++)
        words[w + 1] = mistake_cases[i].words[w];
      result = inspect (words);
      g_assert_cmpint (result->code, ==, mistake_cases[i].code);
      g_assert_cmpstr (result->out, ==, "");
      tool_assert_contains (result->err, mistake_cases[i].err);
    }
}

static void
test_inspect_broken_plugin (void)
{
  g_autofree char *folder = tool_make_folder ();
  g_autofree char *path = tool_write (folder, "libleat-damaged.so", "no shared object");
  g_autofree char *option = g_strconcat ("--plugin-path=", folder, NULL);
  g_autoptr (ToolResult) broken = inspect (WORDS (option, "--broken"));
  g_autoptr (ToolResult) list = inspect (WORDS (option, "upload"));

  g_assert_cmpint (broken->code, ==, 0);
  tool_assert_contains (broken->out, path);
  /* The others are as good as before. */
  g_assert_cmpint (list->code, ==, 0);
  tool_remove_folder (folder);
}

/* The command line goes before the environment. */
static void
test_inspect_plugin_path_is_first (void)
{
  g_autofree char *folder = tool_make_folder ();
  g_autofree char *copy = g_build_filename (folder, "libleat-copy.so", NULL);
  g_autofree char *option = g_strconcat ("--plugin-path=", folder, NULL);
  g_autoptr (ToolResult) there = inspect (WORDS ("--json", "upload"));
  g_autoptr (JsonObject) before = tool_parse_json (there->out);
  g_autoptr (JsonObject) after = NULL;
  g_autoptr (ToolResult) here = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *bytes = NULL;
  gsize size;

  g_file_get_contents (json_object_get_string_member (before, "plugin-path"), &bytes, &size, &error);
  g_assert_no_error (error);
  g_file_set_contents (copy, bytes, size, &error);
  g_assert_no_error (error);
  here = inspect (WORDS (option, "--json", "upload"));
  after = tool_parse_json (here->out);
  g_assert_cmpstr (json_object_get_string_member (after, "plugin-path"), ==, copy);
  tool_remove_folder (folder);
}

/* With the descriptions cached, not even the plugins' code is loaded. */
static void
test_inspect_loads_no_plugin (void)
{
  static const char *const env[] = { "LD_DEBUG=files", NULL };
  static const char *const unwanted[] = { "libcuda", "libnvrtc", "libleat-cpu", "libleat-base", "libleat-io" };
  g_autoptr (ToolResult) warm = inspect (WORDS ("upload"));
  g_autoptr (ToolResult) result = NULL;

  if (tool_why_not_measure () != NULL)
    {
      g_test_skip (tool_why_not_measure ());
      return;
    }
  result = tool_run (env, WORDS ("io:file"));
  g_assert_cmpint (warm->code, ==, 0);
  g_assert_cmpint (result->code, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (unwanted); i++)
    g_assert_null (strstr (result->err, unwanted[i]));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/tools/inspect/passes", test_inspect_passes);
  g_test_add_func ("/leat/tools/inspect/lists-nodes", test_inspect_lists_nodes);
  g_test_add_func ("/leat/tools/inspect/json-is-complete", test_inspect_json_is_complete);
  g_test_add_func ("/leat/tools/inspect/node", test_inspect_node);
  g_test_add_func ("/leat/tools/inspect/node-json", test_inspect_node_json);
  g_test_add_func ("/leat/tools/inspect/plugin", test_inspect_plugin);
  g_test_add_func ("/leat/tools/inspect/kernel", test_inspect_kernel);
  g_test_add_func ("/leat/tools/inspect/kernel-launch", test_inspect_kernel_launch);
  g_test_add_func ("/leat/tools/inspect/kernel-defines", test_inspect_kernel_defines);
  g_test_add_func ("/leat/tools/inspect/kernel-unbound", test_inspect_kernel_unbound);
  g_test_add_func ("/leat/tools/inspect/kernel-entries", test_inspect_kernel_entries);
  g_test_add_func ("/leat/tools/inspect/mistakes", test_inspect_mistakes);
  g_test_add_func ("/leat/tools/inspect/broken-plugin", test_inspect_broken_plugin);
  g_test_add_func ("/leat/tools/inspect/plugin-path-is-first", test_inspect_plugin_path_is_first);
  g_test_add_func ("/leat/tools/inspect/loads-no-plugin", test_inspect_loads_no_plugin);
  return g_test_run ();
}
