/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "tool-run.h"

#include <string.h>

/* --compare names the kernel that is wrong.  On a CPU a kernel that is wrong in one way only is one that says
 * access=elementwise and reads the item behind its own: apart it is right, and fused with what makes its input it is
 * not.  Between a GPU and the CPU it is one whose text differs. */

#define N_ITEMS 1000

typedef struct
{
  char *folder;
} Files;

/* Kernels that read the next item, and say nothing of it here; the pipelines say it is elementwise. */
static const char near_text[] =
  "__global__ void near (const float *in, uint64_t in_count, float *out)\n"
  "{ GRID_FOR (i, in_count) out[i] = in[i] + (i + 1 < in_count ? in[i + 1] : 0); }\n"
  "__global__ void near64 (const double *in, uint64_t in_count, double *out)\n"
  "{ GRID_FOR (i, in_count) out[i] = in[i] + (i + 1 < in_count ? in[i + 1] : 0); }\n"
  "__global__ void near8 (const uint8_t *in, uint64_t in_count, uint8_t *out)\n"
  "{ GRID_FOR (i, in_count) out[i] = (uint8_t) (in[i] + (i + 1 < in_count ? in[i + 1] : 0)); }\n"
  "__global__ void neari (const int *in, uint64_t in_count, int *out)\n"
  "{ GRID_FOR (i, in_count) out[i] = in[i] - (i + 1 < in_count ? in[i + 1] : 0); }\n"
  "__global__ void late (const float *in, uint64_t in_count, float *out)\n"
  "{ GRID_FOR (i, in_count) out[i] = in[i] > 1030 && i + 1 < in_count ? in[i + 1] : in[i]; }\n"
  "__global__ void two (const float *in, uint64_t in_count, float *same, float *sum)\n"
  "{ GRID_FOR (i, in_count) { same[i] = in[i]; sum[i] = in[i] + (i + 1 < in_count ? in[i + 1] : 0); } }\n";

/* The same on a GPU and a CPU, but for a plus 1 on the GPU. */
static const char gpu_text[] = "#if defined(LEAT_CUDA)\n#define OFF 1\n#else\n#define OFF 0\n#endif\n"
                               "__global__ void near (const float *in, uint64_t in_count, float *out)\n"
                               "{ GRID_FOR (i, in_count) out[i] = in[i] + OFF; }\n"
                               "__global__ void near64 (const double *in, uint64_t in_count, double *out)\n"
                               "{ GRID_FOR (i, in_count) out[i] = in[i] + OFF; }\n"
                               "__global__ void near8 (const uint8_t *in, uint64_t in_count, uint8_t *out)\n"
                               "{ GRID_FOR (i, in_count) out[i] = in[i] + OFF; }\n"
                               "__global__ void neari (const int *in, uint64_t in_count, int *out)\n"
                               "{ GRID_FOR (i, in_count) out[i] = in[i] + OFF; }\n"
                               "__global__ void late (const float *in, uint64_t in_count, float *out)\n"
                               "{ GRID_FOR (i, in_count) out[i] = in[i] + (in[i] > 1030 ? OFF : 0); }\n"
                               "__global__ void two (const float *in, uint64_t in_count, float *same, float *sum)\n"
                               "{ GRID_FOR (i, in_count) { same[i] = in[i]; sum[i] = in[i] + OFF; } }\n";

typedef struct
{
  const char *name;
  const char *text; /* W: the node that is wrong begins, and goes on with its entry */
  const char *says;
} Case;

#define W "kernel source=wrong.cu access=elementwise entry="

static const Case cases[] = {
  { "chain",
    "a = map expr=x*2\nw = " W "near\nb = map expr=x+1\n"
    "io:file path=in.f32 out=f32[<=400] -> upload -> a -> w -> b -> readback -> io:file path=o\n",
    "run 1: kernel \"w\" gives other data at out: " },
  { "branch",
    "u = upload\na = map expr=x*2\nw = " W "near\nb = map expr=x*3\nsum = map inputs=x,y expr=x+y\n"
    "io:file path=in.f32 out=f32[1000] -> u -> a -> w -> sum.x\nu -> b -> sum.y\n"
    "sum -> readback -> io:file path=o\n",
    "run 1: kernel \"w\" gives other data at out: " },
  { "loop",
    "l = loop max-iterations=20 method=fused {\n  a = map expr=x+2\n  w = " W "late\n  in.x -> a -> w -> out.y\n}\n"
    "io:file path=in.f32 out=f32[1000] -> upload -> l.x\nl.y -> readback -> io:file path=o\n",
    "run 1, iteration 17 of \"l\": kernel \"w\"" },
  { "megakernel",
    "m = megakernel {\n  a = map expr=x*2\n  w = " W "near\n  b = map expr=x+1\n  in.x -> a -> w -> b -> out.y\n}\n"
    "io:file path=in.f32 out=f32[1000] -> upload -> m.x\nm.y -> readback -> io:file path=o\n",
    "run 1: kernel \"w\" gives other data at out: " },
  { "second-output",
    "a = map expr=x*2\nw = " W "two\nio:file path=in.f32 out=f32[1000] -> upload -> a -> w\n"
    "w.same -> readback -> io:file path=o\nw.sum -> readback -> io:file path=p\n",
    "run 1: kernel \"w\" gives other data at sum: " },
  { "f64",
    "a = map expr=x*2 type=f64\nw = " W "near64\n"
    "io:file path=in.f32 out=f32[1000] -> upload -> a -> w -> readback -> io:file path=o\n",
    "run 1: kernel \"w\" gives other data at out: " },
  { "u8",
    "a = map expr=x+1\nw = " W "near8\n"
    "io:file path=in.f32 out=u8[<=4000] -> upload -> a -> w -> readback -> io:file path=o\n",
    "run 1: kernel \"w\" gives other data at out: " },
  { "picture",
    "a = map expr=x*2\nw = " W "near\n"
    "io:file path=in.f32 out=f32[10,100] -> upload -> a -> w -> readback -> io:file path=o\n",
    "items differ, first [0,0]: " },
  { "state",
    "s = state out=f32[1000]\nnext = map inputs=x,y expr=x+y\nw = " W "near\n"
    "io:file path=in.f32 out=f32[1000] -> upload -> next.x\ns -> next.y\nnext -> s\n"
    "next -> w -> readback -> io:file path=o\n",
    "run 1: kernel \"w\" gives other data at out: " },
  { "before-reduce",
    "a = map expr=x*3 type=i32\nw = " W "neari\nr = reduce op=sum\n"
    "io:file path=in.f32 out=f32[1000] -> upload -> a -> w -> r -> readback -> io:file path=o\n",
    "run 1: kernel \"w\" gives other data at out: " },
};

static void
files_set_up (Files *self, gconstpointer data)
{
  g_autofree char *path = NULL;
  float in[N_ITEMS];

  self->folder = tool_make_folder ();
  path = g_build_filename (self->folder, "in.f32", NULL);
  for (guint i = 0; i < N_ITEMS; i++)
    in[i] = (float) i;
  g_assert_true (g_file_set_contents (path, (const char *) in, sizeof in, NULL));
}

static void
files_tear_down (Files *self, gconstpointer data)
{
  tool_remove_folder (self->folder);
  g_free (self->folder);
}

static gboolean
is_on_gpu (void)
{
  const char *device = g_getenv ("LEAT_DEVICE");

  return device != NULL && g_str_has_prefix (device, "cuda");
}

static ToolResult *
run (const Files *self, const char *text, const char *const *options)
{
  g_autofree char *whole = g_strconcat ("leat 1\n", text, NULL);
  g_autofree char *pipeline = tool_write (self->folder, "p.leat", whole);
  g_autoptr (GPtrArray) words = g_ptr_array_new ();

  g_ptr_array_add (words, (gpointer) "leat-launch");
  for (guint i = 0; options[i] != NULL; i++)
    g_ptr_array_add (words, (gpointer) options[i]);
  g_ptr_array_add (words, pipeline);
  g_ptr_array_add (words, NULL);
  return tool_run (NULL, (const char *const *) words->pdata);
}

/* One command names it, and writes nothing. */
static void
test_compare_names (Files *self, gconstpointer data)
{
  const Case *c = data;
  g_autofree char *source = tool_write (self->folder, "wrong.cu", is_on_gpu () ? gpu_text : near_text);
  const char *option = is_on_gpu () ? "--compare=cpu" : "--compare=unfused";
  g_autoptr (ToolResult) result = run (self, c->text, (const char *const[]){ option, NULL });
  g_autofree char *files = tool_list_folder (self->folder);

  g_test_message ("%s%s", result->out, result->err);
  g_assert_cmpint (result->code, ==, 1);
  if (strcmp (c->name, "loop") == 0)
    tool_assert_contains (result->out, "of \"l\": kernel \"w\" gives other data at out: ");
  else
    tool_assert_contains (result->out, c->says);
  tool_assert_contains (result->out, "all that comes before it is the same; --dump=w.");
  g_assert_cmpstr (files, ==, "in.f32 p.leat wrong.cu");
}

/* What is right is the same in all ways, with loops, states, records and many runs. */
static void
test_compare_same (Files *self, gconstpointer data)
{
  static const char *const ways[] = { "--compare=eager", "--compare=unfused", "--compare=unoptimised" };
  static const char text[] =
    "s = state out=f32[200]\nu = upload\na = map expr=x*2\ntwin = map expr=x*2\nnext = map inputs=x,y,z expr=x+y+z\n"
    "l = loop max-iterations=3 {\n  h = map expr=x*0.5\n  in.x -> h -> out.y\n}\n"
    "io:file path=in.f32 out=f32[200] -> u\nu -> a -> next.x\nu -> twin -> next.y\ns -> next.z\nnext -> s\n"
    "next -> l.x\nl.y -> readback -> io:file path=o\nu -> reduce op=max -> readback -> io:file path=p\n";

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autoptr (ToolResult) result = run (self, text, (const char *const[]){ ways[i], NULL });

      g_test_message ("%s%s", result->out, result->err);
      g_assert_cmpint (result->code, ==, 0);
      tool_assert_contains (result->out, "1005 items of 2 results in 5 runs");
    }
}

/* The value, the place and the count are those of the plan's first output that differs: 66 is its third byte. */
static void
test_compare_values (Files *self, gconstpointer data)
{
  static const struct
  {
    const char *when, *option, *way;
  } table[] = { { "captured", "--compare=eager", "eager" }, { "optimised", "--compare=unoptimised", "unoptimised" } };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *text =
        g_strdup_printf ("a = map expr=x+1\nf = test:flawed when=%s\nb = map expr=x*2\n"
                         "io:file path=in.f32 out=f32[1000] -> upload -> a -> f -> b -> readback -> io:file path=o\n",
                         table[i].when);
      /* 2.0f is 00 00 00 40, and 00 00 42 40 is 3.03125f. */
      g_autofree char *says = g_strdup_printf (
        "run 1: test:flawed \"f\" gives other data at out: 1 of 1000 items differs, first [1]: 3.03125 here, 2 %s\n",
        table[i].way);
      g_autoptr (ToolResult) result = run (self, text, (const char *const[]){ table[i].option, NULL });
      g_autoptr (ToolResult) near = run (self, text, (const char *const[]){ table[i].option, "--tolerance=0.4", NULL });
      g_autoptr (ToolResult) far = run (self, text, (const char *const[]){ table[i].option, "--tolerance=0.3", NULL });

      g_test_message ("%s%s", result->out, result->err);
      g_assert_cmpint (result->code, ==, 1);
      tool_assert_contains (result->out, says);
      g_assert_cmpint (near->code, ==, 0);
      g_assert_cmpint (far->code, ==, 1);
    }
}

/* Numbers of every sort are printed as they are. */
static void
test_compare_types (Files *self, gconstpointer data)
{
  static const struct
  {
    const char *spec, *says;
  } table[] = {
    /* Floats 0, 1, 2, 3 are 00000000 3f800000 40000000 40400000; the byte 6 becomes 0x42, as 2 of 1's. */
    { "u8[4000]", "1 of 4000 items differs, first [6]: 66 here, 128 eager" },
    { "i8[4000]", "first [6]: 66 here, -128 eager" },
    { "u16[2000]", "first [3]: 16194 here, 16256 eager" },
    { "i32[1000]", "first [1]: 1061289984 here, 1065353216 eager" },
    { "u64[500]", "first [0]: 4558205772852363264 here, 4575657221408423936 eager" },
    { "f16[2000]", "first [3]: 1.8144531 here, 1.875 eager" },
    { "bf16[2000]", "first [3]: 0.7578125 here, 1 eager" },
    { "f8e4m3[4000]", "first [6]: 2.5 here, -0 eager" },
    { "f8e5m2[4000]", "first [6]: 3 here, -0 eager" },
    { "f64[500]", "first [0]: 0.00054931640625 here, 0.0078125 eager" },
    { "c64[500]", "first [0]: (0, 0.7578125) here, (0, 1) eager" },
    { "f32[10,100]", "first [0,1]: 0.7578125 here, 1 eager" },
    { "\"{x:f32,y:f32}[500]\"", "1 of 500 items differs, first [0].y: 0.7578125 here, 1 eager" },
    { "\"{p:u16[4]}[500]\"", "first [0].p[3]: 16194 here, 16256 eager" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *text = g_strdup_printf (
        "f = test:flawed\nio:file path=in.f32 out=%s -> upload -> f -> readback -> io:file path=o\n", table[i].spec);
      g_autoptr (ToolResult) result = run (self, text, (const char *const[]){ "--compare=eager", NULL });

      g_test_message ("%s: %s%s", table[i].spec, result->out, result->err);
      tool_assert_contains (result->out, table[i].says);
    }
}

/* A way that fails alone is a difference; where both fail, the error is told. */
static void
test_compare_failures (Files *self, gconstpointer data)
{
  g_autoptr (ToolResult) one = run (self,
                                    "f = test:flawed when=fails\n"
                                    "io:file path=in.f32 out=f32[1000] -> upload -> f -> readback -> io:file path=o\n",
                                    (const char *const[]){ "--compare=unoptimised", NULL });
  g_autoptr (ToolResult) both = run (self,
                                     "f = test:flawed when=fails\n"
                                     "io:file path=in.f32 out=f32[1000] -> upload -> f -> readback -> io:file path=o\n",
                                     (const char *const[]){ "--compare=eager", NULL });

  g_test_message ("%s%s%s%s", one->out, one->err, both->out, both->err);
  g_assert_cmpint (one->code, ==, 1);
  tool_assert_contains (one->out, "run 1 fails here, and not unoptimised: ");
  tool_assert_contains (one->out, "test:flawed \"f\": a call that fails");
  g_assert_cmpint (both->code, ==, 1);
  g_assert_cmpstr (both->out, ==, "");
  tool_assert_contains (both->err, "both ways fail: ");
}

/* A device that is no CPU to Leat, though the same driver is behind it: what is done by copies alone works on it. */
static void
test_compare_cpu (Files *self, gconstpointer data)
{
  g_autofree char *driver = g_strconcat ("LEAT_CUDA_DRIVER=", g_getenv ("LEAT_CPU_DRIVER"), NULL);
  g_autofree char *pipeline =
    tool_write (self->folder, "p.leat",
                "leat 1\nf = test:flawed\nio:file path=in.f32 out=f32[1000] -> upload mode=copy -> f -> "
                "readback mode=copy -> io:file path=o\n");
  g_autoptr (ToolResult) result = NULL;

  if (is_on_gpu ())
    {
      g_test_skip ("the device is a GPU");
      return;
    }
  result = tool_run (
    (const char *const[]){ driver, NULL },
    (const char *const[]){ "leat-launch", "--device=cuda:0", "--executor=eager", "--compare=cpu", pipeline, NULL });
  g_test_message ("%s%s", result->out, result->err);
  g_assert_cmpint (result->code, ==, 1);
  tool_assert_contains (result->out, "1 of 1000 items differs, first [1]: 1 here, 0.7578125 on the CPU");
}

/* Results that are alike as soon as somebody looks are told of all the same, with what to try. */
static void
test_compare_vanishes (Files *self, gconstpointer data)
{
  g_autoptr (ToolResult) result =
    run (self,
         "f = test:flawed when=once\n"
         "io:file path=in.f32 out=f32[1000] -> upload -> f -> readback -> io:file path=o\n",
         (const char *const[]){ "--compare=eager", NULL });

  g_test_message ("%s%s", result->out, result->err);
  g_assert_cmpint (result->code, ==, 1);
  tool_assert_contains (result->out, "run 1: readback \"readback0\" gives other data at out: 1 of 1000 items differs");
  tool_assert_contains (result->out, "no difference where all outputs are kept");
  tool_assert_contains (result->out, "LEAT_POISON=1");
}

static void
test_compare_refuses (Files *self, gconstpointer data)
{
  static const struct
  {
    const char *options[4];
    const char *says;
  } table[] = {
    { { "--compare=gpu" }, "--compare=gpu: expected cpu, eager, unfused or unoptimised" },
    { { "--compare=off" }, "--compare=off: expected cpu" },
    { { "--tolerance=1" }, "--tolerance goes with --compare" },
    { { "--compare=eager", "--tolerance=-1" }, "--tolerance=-1: expected a number from 0 on" },
    { { "--compare=eager", "--tolerance=nan" }, "--tolerance=nan: expected a number from 0 on" },
    { { "--compare=eager", "--tolerance=" }, "--tolerance=: expected a number from 0 on" },
    { { "--compare=eager", "--executor=eager" }, "--compare with --executor=eager would do the same twice" },
    { { "--compare=unfused", "--fuse=never" }, "--compare with --fuse=never would do the same twice" },
    { { "--compare=unoptimised", "--optimise=off" }, "--compare with --optimise=off would do the same twice" },
    { { "--compare=cpu", "--device=cpu" }, "--compare with --device=cpu would do the same twice" },
    { { "--compare=eager", "--check" }, "--compare goes without --check" },
    { { "--compare=eager", "--dump=u" }, "--compare goes without --dump" },
    { { "--compare=eager", "--stats" }, "--compare goes without --stats" },
    { { "--compare=eager", "--lanes=2" }, "--compare goes without --lanes" },
    { { "--compare=eager", "--memo=exact" }, "--compare goes without --memo" },
    { { "--compare=eager", "--save-state=x" }, "--compare goes without --load-state" },
    { { "--compare=eager", "--priority=low" }, "--compare goes without --priority" },
  };
  g_autoptr (ToolResult) pipe = tool_run (NULL, (const char *const[]){ "leat-launch", "--compare=eager", "io:file",
                                                                       "path=-", "+", "upload", "+", "discard", NULL });

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (ToolResult) result =
        run (self, "u = upload\nio:file path=in.f32 -> u -> readback -> io:file path=o\n", table[i].options);

      g_test_message ("%s", result->err);
      g_assert_cmpint (result->code, ==, 2);
      tool_assert_contains (result->err, table[i].says);
    }
  g_assert_cmpint (pipe->code, ==, 1);
  tool_assert_contains (pipe->err, "--compare reads the input twice, and \"file0\" reads -, which gives it once");
}

/* On the CPU there is nothing to hold against it. */
static void
test_compare_needs_gpu (Files *self, gconstpointer data)
{
  g_autoptr (ToolResult) result = NULL;

  if (is_on_gpu ())
    {
      g_test_skip ("the device is a GPU");
      return;
    }
  result = run (self, "io:file path=in.f32 -> upload -> readback -> io:file path=o\n",
                (const char *const[]){ "--compare=cpu", NULL });
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 2);
  tool_assert_contains (result->err, "the device here is the CPU");
}

/* That two ways are one is told, since it says nothing about a fault. */
static void
test_compare_one_way (Files *self, gconstpointer data)
{
  static const char text[] = "a = map expr=x+1\nio:file path=in.f32 out=f32[1000] -> upload -> a -> readback -> "
                             "io:file path=o\n";
  g_autoptr (ToolResult) unfused = run (self, text, (const char *const[]){ "--compare=unfused", NULL });
  g_autoptr (ToolResult) unoptimised = run (self, text, (const char *const[]){ "--compare=unoptimised", NULL });
  g_autoptr (ToolResult) eager = run (self, text, (const char *const[]){ "--compare=eager", NULL });

  g_test_message ("%s%s%s", unfused->err, unoptimised->err, eager->err);
  tool_assert_contains (unfused->err, "nothing of this pipeline can be fused: both ways are one");
  tool_assert_contains (unoptimised->err, "nothing of this pipeline is left out: both ways are one");
  g_assert_null (strstr (eager->err, "both ways are one"));
}

/* The pipeline without any fusion gives what the fused one does, where no kernel is wrong. */
static void
test_compare_fuse_never (Files *self, gconstpointer data)
{
  static const char text[] = "m = megakernel {\n  a = map expr=x*2\n  b = map expr=x+1\n  in.x -> a -> b -> out.y\n}\n"
                             "l = loop max-iterations=3 method=fused {\n  c = map expr=x*3\n  in.x -> c -> out.y\n}\n"
                             "io:file path=in.f32 out=f32[1000] -> upload -> m.x\nm.y -> l.x\n"
                             "l.y -> readback -> io:file path=o\n";
  g_autoptr (ToolResult) fused = run (self, text, (const char *const[]){ "--plan", NULL });
  g_autoptr (ToolResult) apart = run (self, text, (const char *const[]){ "--plan", "--fuse=never", NULL });
  g_autoptr (ToolResult) result = run (self, text, (const char *const[]){ "--compare=unfused", NULL });

  g_test_message ("%s%s%s%s", fused->out, apart->out, result->out, result->err);
  tool_assert_contains (fused->out, "megakernel grid");
  tool_assert_contains (fused->out, "fused_loop grid");
  g_assert_null (strstr (apart->out, "megakernel grid"));
  g_assert_null (strstr (apart->out, "fused_loop grid"));
  g_assert_cmpint (result->code, ==, 0);
}

#define ADD(name, data, func)                                                                                          \
  g_test_add ("/leat/tools/launch/compare/" name, Files, data, files_set_up, func, files_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strconcat ("/leat/tools/launch/compare/names/", cases[i].name, NULL);

      g_test_add (name, Files, &cases[i], files_set_up, test_compare_names, files_tear_down);
    }
  ADD ("same", NULL, test_compare_same);
  ADD ("values", NULL, test_compare_values);
  ADD ("types", NULL, test_compare_types);
  ADD ("failures", NULL, test_compare_failures);
  ADD ("cpu", NULL, test_compare_cpu);
  ADD ("vanishes", NULL, test_compare_vanishes);
  ADD ("refuses", NULL, test_compare_refuses);
  ADD ("needs-gpu", NULL, test_compare_needs_gpu);
  ADD ("one-way", NULL, test_compare_one_way);
  ADD ("fuse-never", NULL, test_compare_fuse_never);
  return g_test_run ();
}
