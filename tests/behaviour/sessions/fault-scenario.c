/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-scenario.h"

static char *fault_graphs;
static char *fault_folder;

void
fault_scenario_init (const char *folder)
{
  fault_graphs = g_test_build_filename (G_TEST_DIST, "..", "graphs", NULL);
  fault_folder = g_strdup (folder);
}

char *
fault_scenario_dup_text (const FaultScenario *self)
{
  g_auto (GStrv) parts = g_strsplit (self->text, "GRAPHS", -1);

  return g_strjoinv (fault_graphs, parts);
}

static void
add_setting (GPtrArray *settings, const char *variable, const char *path)
{
  if (path != NULL)
    g_ptr_array_add (settings, g_strconcat (variable, "=", path, NULL));
}

/* The graph as it stands, with its files. */
LeatPipeline *
fault_scenario_parse_file (const FaultScenario *self, char **outputs)
{
  g_autofree char *graph = self->file != NULL ? g_build_filename (fault_graphs, self->file, NULL) : NULL;
  g_autofree char *input = self->in != NULL ? g_build_filename (fault_folder, self->in, NULL) : NULL;
  g_autoptr (GPtrArray) settings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) unexpected = NULL;
  LeatPipeline *pipeline;

  outputs[0] = g_build_filename (fault_folder, self->out, NULL);
  outputs[1] = self->also != NULL ? g_strconcat (outputs[0], "-also", strrchr (self->out, '.'), NULL) : NULL;
  add_setting (settings, "output", outputs[0]);
  add_setting (settings, self->also, outputs[1]);
  add_setting (settings, "input", input);
  for (guint i = 0; self->set[i] != NULL; i++)
    g_ptr_array_add (settings, g_strdup (self->set[i]));
  g_ptr_array_add (settings, NULL);
  pipeline = graph != NULL
               ? leat_parse_file (graph, (const char *const *) settings->pdata, &unexpected)
               : leat_parse_text (self->text, LEAT_TEXT_STYLE_FILE, (const char *const *) settings->pdata, &unexpected);
  g_assert_no_error (unexpected);
  return pipeline;
}

static const FaultChange scan_changes[] = {
  { "scan", "patterns", "cab,black", 0 },
  { "source", "spec", "u8[<=96]", 96 },
  { "source", "spec", "u8[<=64]", 64 },
  { "up", "mode", "mapped", 0 },
  { 0 },
};
static const FaultChange edges_changes[] = {
  { "last", "block", "64", 0 },           { "blur", "entry", "blur_tiled", 0 }, { "source", "spec", "u8[16,8,3]", 384 },
  { "source", "spec", "u8[8,8,3]", 192 }, { "up", "mode", "copy", 0 },          { 0 },
};
static const FaultChange stats_changes[] = {
  { "scaled", "expr", "scale*x-offset", 0 },
  { "source", "spec", "f32[32]", 128 },
  { "source", "spec", "f32[16]", 64 },
  { "up", "mode", "mapped", 0 },
  { 0 },
};

static const FaultChange counts_changes[] = {
  { "source", "spec", "u8[<=96]", 96 },
  { "source", "spec", "u8[<=64]", 64 },
  { "up", "mode", "mapped", 0 },
  { 0 },
};

static const FaultChange loop_changes[] = {
  { "h", "expr", "x/3", 0 },
  { "source", "spec", "f32[32]", 128 },
  { "source", "spec", "f32[16]", 64 },
  { "up", "mode", "mapped", 0 },
  { 0 },
};

static const FaultChange check_changes[] = {
  { "last", "block", "64", 0 },
  { "source", "spec", "f32[32]", 128 },
  { "source", "spec", "f32[16]", 64 },
  { "up", "mode", "mapped", 0 },
  { 0 },
};

#define HALVE(executor)                                                                                                \
  "leat 1\n"                                                                                                           \
  "halve = loop until=\"most < limit\" limit=1 max-iterations=20 carry=x:half " executor "{\n"                         \
  "  h = map expr=x/2\n"                                                                                               \
  "  in.x -> h -> out.half\n"                                                                                          \
  "  h -> reduce op=max -> out.most\n"                                                                                 \
  "}\n"                                                                                                                \
  "app name=source spec=f32[16] -> upload name=up mode=copy -> halve.x\n"                                              \
  "halve.half -> readback mode=copy -> app name=sink\n"

const FaultScenario fault_scenarios[] = {
  { .name = "scan",
    .text = "leat 1\n"
            "app name=source spec=u8[<=64] -> upload name=up -> text:scan name=scan patterns=cab,cat -> readback "
            "-> app name=sink\n",
    .bytes = 64,
    .changes = scan_changes },
  { .name = "edges",
    .text = "leat 1\n"
            "app name=source spec=u8[8,8,3] -> upload name=up mode=kernel\n"
            "  -> kernel name=gray source=\"GRAPHS/edges.cu\" entry=gray block=16x16 rgb=u8[h,w,3] out=f32[h,w]\n"
            "  -> kernel name=blur source=\"GRAPHS/edges.cu\" entry=blur block=16x16\n"
            "  -> kernel source=\"GRAPHS/edges.cu\" entry=sobel block=16x16\n"
            "  -> kernel name=last source=\"GRAPHS/edges.cu\" entry=threshold limit=2\n"
            "  -> readback mode=copy -> app name=sink\n",
    .bytes = 192,
    .arg_node = "last",
    .arg = "limit",
    .keeps_nothing = TRUE,
    .first = "gray",
    .changes = edges_changes },
  { .name = "stats",
    .text = "leat 1\n"
            "scaled = map expr=\"scale*x+offset\" scale=2 offset=1\n"
            "parts = kernel source=\"GRAPHS/stats.cu\" entry=partials grid=64 block=256 x=f32[n] part=f64[64,4]\n"
            "final = kernel source=\"GRAPHS/stats.cu\" entry=finish grid=1 block=64 part=f64[64,4] x=f32[n] "
            "result=f64[4]\n"
            "app name=source spec=f32[16] -> upload name=up mode=copy -> scaled\n"
            "scaled -> parts -> final.part\n"
            "scaled -> final.x\n"
            "final -> readback mode=copy -> app name=sink\n",
    .bytes = 64,
    .arg_node = "scaled",
    .arg = "scale",
    .keeps_nothing = TRUE,
    .first = "scaled",
    .changes = stats_changes },
  { .name = "check",
    .text = "leat 1\n"
            "app name=source spec=f32[16] -> upload name=up mode=copy -> kernel name=last source=\"GRAPHS/check.cu\" "
            "limit=0 -> readback mode=copy -> app name=sink\n",
    .bytes = 64,
    .arg_node = "last",
    .arg = "limit",
    .keeps_nothing = TRUE,
    .minds_data = TRUE,
    .first = "last",
    .changes = check_changes },
  { .name = "counts",
    .text = "leat 1\n"
            "so-far = state spec=u32[256]\n"
            "counts = kernel source=\"GRAPHS/counts.cu\" update=hist grid=occupancy\n"
            "app name=source spec=u8[<=64] -> upload name=up mode=copy -> counts.in\n"
            "so-far -> counts.hist_in -> so-far\n"
            "counts.hist -> readback mode=copy -> app name=sink\n",
    .bytes = 64,
    .changes = counts_changes },
  { .name = "loop",
    .text = HALVE (""),
    .bytes = 64,
    .arg_node = "halve",
    .arg = "limit",
    .keeps_nothing = TRUE,
    .first = "halve",
    .changes = loop_changes },
  { .name = "loop-joint",
    .text = HALVE ("method=fused "),
    .bytes = 64,
    .arg_node = "halve",
    .arg = "limit",
    .keeps_nothing = TRUE,
    .first = "halve",
    .changes = loop_changes },
  { .name = "bind-copied",
    .text = "leat 1\n"
            "app name=source memory=user spec=u8[64] -> upload mode=copy -> map expr=x+1 -> map expr=2*x "
            "-> readback mode=copy -> app name=sink memory=user\n",
    .bytes = 64,
    .binds = TRUE },
  { .name = "bind-moved",
    .text = "leat 1\n"
            "app name=source memory=user spec=u8[<=64] -> upload mode=kernel -> map expr=x+1 -> readback "
            "-> app name=sink memory=user\n",
    .bytes = 64,
    .binds = TRUE },
  /* What prints on standard output has a file in its place. */
  { .name = "scan-file",
    .text = "leat 1\n"
            "let input = \"\"\n"
            "let output = \"\"\n"
            "io:file path=$input chunk=48 -> upload -> text:scan patterns=cab,cat -> readback -> io:file "
            "path=$output\n",
    .in = "in.txt",
    .out = "out.txt" },
  { .name = "grep-file",
    .text = "leat 1\n"
            "let input = \"\"\n"
            "let output = \"\"\n"
            "io:file path=$input chunk=48 -> upload -> text:scan regex=\"ca[bt],[a-d]n\" fold=true emit=line "
            "-> readback -> io:file path=$output\n",
    .in = "in.txt",
    .out = "out.txt" },
  { .name = "depends-file",
    .text = "leat 1\n"
            "let input = \"\"\n"
            "let output = \"\"\n"
            "g = csr:read path=$input format=packages from=cab\n"
            "b = csr:bfs\n"
            "g.offsets -> b.offsets\n"
            "g.indices -> b.indices\n"
            "g.source -> b.sources\n"
            "b.levels -> readback -> io:npy path=$output\n",
    .in = "in.packages",
    .out = "out.npy" },
  { .name = "bytes-file", .file = "bytes.leat", .in = "in.txt", .out = "out.npy", .also = "counts" },
  { .name = "check-file", .file = "check.leat", .in = "in.npy", .out = "out.npy" },
  { .name = "compact-file", .file = "compact.leat", .in = "in.npy", .out = "out.npy", .also = "numbers" },
  { .name = "counts-file", .file = "counts.leat", .in = "in.txt", .out = "out.txt", .set = { "chunk=48" } },
  { .name = "denoise-file", .file = "denoise.leat", .in = "in.png", .out = "out.png", .also = "moves" },
  { .name = "edges-file", .file = "edges.leat", .in = "in.png", .out = "out.png" },
  { .name = "mandelbrot-file", .file = "mandelbrot.leat", .out = "out.png", .set = { "width=32", "height=16" } },
  { .name = "resize-file", .file = "resize.leat", .in = "in.png", .out = "out.png", .set = { "width=9", "height=7" } },
  { .name = "stats-file", .file = "stats.leat", .in = "in.npy", .out = "out.npy" },
};
const guint fault_n_scenarios = G_N_ELEMENTS (fault_scenarios);
