/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "tool-run.h"

#include <string.h>

/* --dump-code writes what compilers are given, and its marks lead to the user's lines. */

typedef struct
{
  char *folder, *code, *option, *source;
} Files;

/* Lines are counted below. */
static const char source_text[] = "#include \"half.h\"\n"
                                  "\n"
                                  "__global__ void\n"
                                  "unused (const float *in, float *out)\n"
                                  "{\n"
                                  "  out[0] = in[0];\n"
                                  "}\n"
                                  "\n"
                                  "__global__ void\n"
                                  "first (const float *in, uint64_t in_count, float *out)\n"
                                  "{\n"
                                  "  GRID_FOR (i, in_count)\n"
                                  "    out[i] = half_of (in[i]);\n"
                                  "}\n"
                                  "\n"
                                  "__global__ void\n"
                                  "second (const float *in, uint64_t in_count, float *out)\n"
                                  "{\n"
                                  "  GRID_FOR (i, in_count)\n"
                                  "    out[i] = in[i] + 1;\n"
                                  "}\n";

static const char header_text[] = "// Half of it.\nstatic __device__ float\nhalf_of (float x)\n{\n  return x / 2;\n}\n";

#define K(entry) "kernel source=both.cu access=elementwise entry=" entry

static const char pipeline_text[] =
  "leat 1\n"
  "a = map expr=x*2\n"
  "m = megakernel {\n"
  "  w = " K ("first") "\n"
                       "  v = " K (
                         "second") "\n"
                                   "  in.x -> w -> v -> out.y\n"
                                   "}\n"
                                   "l = loop max-iterations=3 method=fused {\n"
                                   "  h = " K (
                                     "second") "\n"
                                               "  in.x -> h -> out.y\n"
                                               "}\n"
                                               "k = " K (
                                                 "second") "\n"
                                                           "io:file path=in.f32 out=f32[1000] -> upload -> a -> m.x\n"
                                                           "m.y -> l.x\n"
                                                           "l.y -> k -> readback -> io:file path=out.f32\n";

static void
files_set_up (Files *self, gconstpointer data)
{
  static const float in[1000];
  g_autofree char *path = NULL;

  self->folder = tool_make_folder ();
  path = g_build_filename (self->folder, "in.f32", NULL);
  g_assert_true (g_file_set_contents (path, (const char *) in, sizeof in, NULL));
  self->code = g_build_filename (self->folder, "code", NULL);
  self->option = g_strconcat ("--dump-code=", self->code, NULL);
  self->source = tool_write (self->folder, "both.cu", source_text);
  g_free (tool_write (self->folder, "half.h", header_text));
}

static void
files_tear_down (Files *self, gconstpointer data)
{
  if (g_file_test (self->code, G_FILE_TEST_IS_DIR))
    tool_remove_folder (self->code);
  tool_remove_folder (self->folder);
  g_free (self->folder);
  g_free (self->code);
  g_free (self->option);
  g_free (self->source);
}

static char *
read_code (const Files *self, const char *name)
{
  g_autofree char *path = g_build_filename (self->code, name, NULL);
  g_autoptr (GError) error = NULL;
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, &error);
  g_assert_no_error (error);
  return text;
}

/* The place that a compiler would say for what follows @part: by the last mark and the lines since then. */
static char *
dup_place (const char *text, const char *part)
{
  const char *found = strstr (text, part), *mark = NULL;
  guint64 line;
  char *end;

  if (found == NULL)
    g_error ("no \"%s\" in:\n%s", part, text);
  for (const char *at = text; (at = strstr (at, "#line ")) != NULL && at < found; at++)
    mark = at;
  g_assert_nonnull (mark);
  line = g_ascii_strtoull (mark + strlen ("#line "), &end, 10);
  for (const char *at = strchr (mark, '\n') + 1; at < found; at++)
    line += *at == '\n';
  return g_strdup_printf ("%.*s:%" G_GUINT64_FORMAT, (int) (strchr (end + 2, '"') - end - 2), end + 2, line);
}

static void
assert_place (const Files *self, const char *file, const char *part, const char *name, guint line)
{
  g_autofree char *text = read_code (self, file), *place = dup_place (text, part);
  g_autofree char *wanted = g_strdup_printf ("%s/%s:%u", self->folder, name, line);

  g_test_message ("%s: %s is at %s", file, part, place);
  g_assert_cmpstr (place, ==, wanted);
}

/* Without any device, wrapped, fused and looped kernels for both sorts of device. */
static void
test_code_writes (Files *self, gconstpointer data)
{
  const char *const *options = data;
  g_autofree char *pipeline = tool_write (self->folder, "p.leat", pipeline_text);
  g_autoptr (ToolResult) result =
    tool_run ((const char *const[]){ "LEAT_CUDA_DRIVER=/proc/none", NULL },
              (const char *const[]){ "leat-launch", "-q", self->option, options[0], pipeline, NULL });
  g_autofree char *files = NULL, *index = NULL;
  static const char *const endings[] = { "cu", "cpp" };

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  files = tool_list_folder (self->code);
  g_assert_cmpstr (files, ==,
                   "a-map.cpp a-map.cu index.tsv k-second.cpp k-second.cu l-fused_loop.cpp l-fused_loop.cu "
                   "m-megakernel.cpp m-megakernel.cu");
  index = read_code (self, "index.tsv");
  tool_assert_contains (index,
                        "m-megakernel.cu\tsm_80\tmegakernel, which is kernel \"w\" (first), kernel \"v\" (second)\t");
  tool_assert_contains (index, "k-second.cpp\thost\tsecond of kernel \"k\"\t");
  tool_assert_contains (index, self->source);
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    {
      g_autofree char *mega = g_strconcat ("m-megakernel.", endings[i], NULL);
      g_autofree char *loop = g_strconcat ("l-fused_loop.", endings[i], NULL);
      g_autofree char *plain = g_strconcat ("k-second.", endings[i], NULL);

      assert_place (self, mega, "f0_item_first (", "both.cu", 10);
      assert_place (self, mega, "f0_item_second (", "both.cu", 17);
      assert_place (self, mega, "f0_half_of (float", "half.h", 3);
      assert_place (self, loop, "f0_item_second (", "both.cu", 17);
      assert_place (self, plain, "= in[i] + 1;", "both.cu", 20);
    }
}

/* A mistake in a fused kernel is told at the user's line. */
static void
test_code_places_errors (Files *self, gconstpointer data)
{
  g_autofree char *pipeline = NULL, *place = g_strdup_printf ("%s/bad.cu:8:", self->folder);
  g_autoptr (ToolResult) result = NULL;

  g_free (tool_write (self->folder, "bad.cu",
                      "__global__ void\ngood (const float *in, uint64_t in_count, float *out)\n"
                      "{ GRID_FOR (i, in_count) out[i] = in[i]; }\n"
                      "\n"
                      "__global__ void\nbad (const float *in, uint64_t in_count, float *out)\n"
                      "{\n  GRID_FOR (i, in_count) out[i] = in[i] + no_such_thing;\n}\n"));
  pipeline =
    tool_write (self->folder, "p.leat",
                "leat 1\nm = megakernel {\n"
                "  g = kernel source=bad.cu entry=good access=elementwise\n"
                "  b = kernel source=bad.cu entry=bad access=elementwise\n"
                "  in.x -> g -> b -> out.y\n}\n"
                "io:file path=in.f32 out=f32[1000] -> upload -> m.x\nm.y -> readback -> io:file path=out.f32\n");
  result = tool_run (NULL, (const char *const[]){ "leat-launch", "-q", pipeline, NULL });
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 5);
  tool_assert_contains (result->err, place);
}

static void
test_code_refuses (Files *self, gconstpointer data)
{
  g_autofree char *pipeline = tool_write (self->folder, "p.leat", pipeline_text);
  g_autofree char *under_a_file = g_strconcat ("--dump-code=", self->source, "/code", NULL);
  const struct
  {
    const char *options[2];
    int code;
    const char *says;
  } table[] = {
    { { "--check", "--dump-code=/proc/none/code" }, 1, "--dump-code: cannot make the folder /proc/none/code: " },
    { { "--check", under_a_file }, 1, "--dump-code: cannot make the folder" },
    { { "--variables", self->option }, 2, "--dump-code goes with a run, --check or --plan" },
    { { "--compare=eager", self->option }, 2, "--compare goes without --dump-code" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (ToolResult) result = tool_run (
        NULL, (const char *const[]){ "leat-launch", table[i].options[0], table[i].options[1], pipeline, NULL });

      g_test_message ("%d %s", result->code, result->err);
      g_assert_cmpint (result->code, ==, table[i].code);
      tool_assert_contains (result->err, table[i].says);
    }
}

/* A kernel for GPUs only, and one that came compiled, are told of, and the rest is written. */
static void
test_code_tells_what_is_missing (Files *self, gconstpointer data)
{
  g_autofree char *index = NULL;
  g_autofree char *pipeline =
    tool_write (self->folder, "p.leat",
                "leat 1\nx = kernel source=ptx.cu\n"
                "io:file path=in.f32 out=f32[1000] -> upload -> x -> readback -> io:file path=out.f32\n");
  g_autoptr (ToolResult) result = NULL;

  g_free (tool_write (self->folder, "ptx.cu",
                      "__global__ void ptx (const float *in, uint64_t in_count, float *out)\n"
                      "{ GRID_FOR (i, in_count) { asm volatile (\"no.such.instruction;\"); out[i] = in[i]; } }\n"));
  result = tool_run (NULL, (const char *const[]){ "leat-launch", "-q", "--plan", self->option, pipeline, NULL });
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  index = read_code (self, "index.tsv");
  g_test_message ("%s", index);
  tool_assert_contains (index, "\n-\thost\tptx of kernel \"x\"\t");
  tool_assert_contains (index, "no.such.instruction");
  tool_assert_contains (index, "\nx-ptx.cu\tsm_80\t");
}

int
main (int argc, char **argv)
{
  static const char *const check[] = { "--check" }, *const plan[] = { "--plan" }, *const run[] = { "--device=cpu" };

  g_test_init (&argc, &argv, NULL);
#define ADD(name, data, func)                                                                                          \
  g_test_add ("/leat/tools/launch/code/" name, Files, data, files_set_up, func, files_tear_down)
  ADD ("writes/check", check, test_code_writes);
  ADD ("writes/plan", plan, test_code_writes);
  ADD ("writes/run", run, test_code_writes);
  ADD ("places-errors", NULL, test_code_places_errors);
  ADD ("refuses", NULL, test_code_refuses);
  ADD ("tells-what-is-missing", NULL, test_code_tells_what_is_missing);
  return g_test_run ();
}
