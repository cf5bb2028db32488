/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "loop-fixture.h"

#include "device/leat-device-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* Loops that are one kernel: what comes out is what the other executors give, and what C gives. */

#define MANY 5000 /* 20 blocks of 256 threads */

static char *folder, *kernels_path;

/* `spread` and `turn` look at items of other blocks, `tile` at those of its own; `tell` cannot be part of a kernel. */
static const char kernels_text[] =
  "__global__ void spread (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    y[i] = x[i > 0 ? i - 1 : i] + 2 * x[i] + x[i + 1 < x_count ? i + 1 : i];\n"
  "}\n"
  "__global__ void turn (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  for (uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; i < x_count; i += blockDim.x * gridDim.x)\n"
  "    y[i] = x[x_count - 1 - i] + 1;\n"
  "}\n"
  "__global__ void tile (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  __shared__ uint32_t cells[256];\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  cells[threadIdx.x] = i < x_count ? x[i] : 0;\n"
  "  __syncthreads ();\n"
  "  if (i < x_count)\n"
  "    y[i] = cells[threadIdx.x] ^ cells[255 - threadIdx.x];\n"
  "}\n"
  "__global__ void first (const uint32_t *x, uint32_t *y)\n"
  "{\n"
  "  if (blockIdx.x == 0 && threadIdx.x == 0)\n"
  "    y[0] = x[0];\n"
  "}\n"
  "__global__ void large (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  extern __shared__ uint32_t room[];\n"
  "  GRID_FOR (i, x_count)\n"
  "    y[i] = x[x_count - 1 - i] + (room == nullptr);\n"
  "}\n"
  "__global__ void odd (const uint32_t *x, uint32_t *y, uint64_t x_count, uint64_t *y_count)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    if (x[i] % 2)\n"
  "      y[atomicAdd (y_count, (uint64_t) 1)] = x[i];\n"
  "}\n"
  "LEAT_REPORT (1, warning, \"small\")\n"
  "__global__ void tell (const uint32_t *x, uint32_t *y, uint64_t x_count)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    y[i] = x[i];\n"
  "  leat_report (1, 3);\n"
  "}\n";

/* @text: with KERNELS for the file */
static char *
fused_dup_text (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "KERNELS", -1);

  return g_strjoinv (kernels_path, parts);
}

static void
fused_open (Loop *self, const char *text, const char *who)
{
  g_autofree char *whole = fused_dup_text (text);

  loop_open (self, whole, who, LEAT_EXECUTOR_GRAPH, 1);
}

static void
fused_check_plan (Loop *self, const char *said)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (self->session);
  g_autofree char *text = leat_plan_to_text (plan);

  if (strstr (text, said) == NULL)
    g_error ("%s does not say \"%s\"", text, said);
}

static void
fused_check_words (Loop *self, const char *name, const guint32 *expected, gsize n)
{
  g_autoptr (GBytes) bytes = loop_pull (self, name);

  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, n * sizeof *expected);
}

static void
fused_check_end (Loop *self, guint index, const char *end)
{
  g_autoptr (GVariant) loops = leat_session_dup_loops (self->session);
  g_autoptr (GVariant) one = g_variant_get_child_value (loops, index);
  const char *text = NULL;

  g_assert_true (g_variant_lookup (one, "end", "&s", &text));
  g_assert_cmpstr (text, ==, end);
}

typedef void (*Step) (const guint32 *x, guint32 *y, guint n);

static void
step_spread (const guint32 *x, guint32 *y, guint n)
{
  for (guint i = 0; i < n; i++)
    y[i] = x[i > 0 ? i - 1 : i] + 2 * x[i] + x[i + 1 < n ? i + 1 : i];
}

static void
step_turn (const guint32 *x, guint32 *y, guint n)
{
  for (guint i = 0; i < n; i++)
    y[i] = x[n - 1 - i] + 1;
}

static void
step_tile (const guint32 *x, guint32 *y, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      guint other = i / 256 * 256 + 255 - i % 256;

      y[i] = x[i] ^ (other < n ? x[other] : 0);
    }
}

static void
step_map (const guint32 *x, guint32 *y, guint n)
{
  for (guint i = 0; i < n; i++)
    y[i] = x[i] * 5 + 3;
}

static const struct
{
  const char *text;
  Step step;
} steps[] = { { "kernel source=KERNELS entry=spread", step_spread },
              { "kernel source=KERNELS entry=turn", step_turn },
              { "kernel source=KERNELS entry=tile", step_tile },
              { "map expr=x*5+3", step_map } };

#define MOST_STEPS 6

/* A body: two things that go on, steps each of which takes what is there before it, and a test of one of them. */
typedef struct
{
  guint n_steps, kind[MOST_STEPS], from[MOST_STEPS]; /* 0, 1: what goes on; k + 2: step k */
  guint next[2], tested, most;
  guint32 limit;
} Body;

static gboolean
body_has (const Body *self, guint value)
{
  for (guint i = 0; i < self->n_steps; i++)
    if (self->from[i] == value)
      return TRUE;
  return self->next[0] == value || self->next[1] == value || self->tested == value;
}

static void
body_init (Body *self, GRand *rand)
{
  self->n_steps = (guint) g_rand_int_range (rand, 2, MOST_STEPS + 1);
  for (guint i = 0; i < self->n_steps; i++)
    {
      self->kind[i] = (guint) g_rand_int_range (rand, 0, G_N_ELEMENTS (steps));
      self->from[i] = (guint) g_rand_int_range (rand, 0, (gint32) (i > 0 ? i + 2 : 1));
    }
  self->next[0] = self->n_steps + 1;
  self->next[1] = (guint) g_rand_int_range (rand, 1, (gint32) self->n_steps + 2);
  self->tested = (guint) g_rand_int_range (rand, 2, (gint32) self->n_steps + 2);
  self->most = (guint) g_rand_int_range (rand, 1, 8);
  self->limit = g_rand_boolean (rand) ? G_MAXUINT32 : 0x80000000u;
  /* All that is made is linked. */
  for (guint i = self->n_steps - 1; i-- > 0;)
    if (!body_has (self, i + 2))
      self->from[i + 1] = i + 2;
  if (!body_has (self, 1))
    self->next[1] = 1;
}

static void
body_append_name (GString *text, guint value)
{
  if (value < 2)
    g_string_append (text, value == 0 ? "in.a" : "in.b");
  else
    g_string_append_printf (text, "s%u", value - 2);
}

static char *
body_dup_text (const Body *self)
{
  GString *text = g_string_new ("leat 1\n");

  g_string_append_printf (text,
                          "l = loop max-iterations=%u until=\"top >= limit\" limit=%u carry=a:x,b:y series=top "
                          "method=METHOD {\n",
                          self->most, self->limit);
  for (guint i = 0; i < self->n_steps; i++)
    {
      g_string_append_printf (text, "  s%u = %s\n  ", i, steps[self->kind[i]].text);
      body_append_name (text, self->from[i]);
      g_string_append_printf (text, " -> s%u\n", i);
    }
  for (guint i = 0; i < 3; i++)
    {
      g_string_append (text, "  ");
      body_append_name (text, i < 2 ? self->next[i] : self->tested);
      g_string_append (text, i == 0 ? " -> out.x\n" : i == 1 ? " -> out.y\n" : " -> reduce op=max -> out.top\n");
    }
  g_string_append (text, "}\napp name=a spec=u32[5000] -> upload -> l.a\napp name=b spec=u32[5000] -> upload -> l.b\n"
                         "l.x -> readback -> app name=x\nl.y -> readback -> app name=y\n"
                         "l.series -> readback -> app name=series\n");
  return g_string_free (text, FALSE);
}

/* @values: of what goes on, and of the steps; @series: of each iteration.  How many there were. */
static guint
body_do (const Body *self, guint32 (*values)[MANY], guint32 *series)
{
  for (guint n = 0;; n++)
    {
      g_autofree guint32 *next = g_new (guint32, 2 * MANY);

      for (guint i = 0; i < self->n_steps; i++)
        steps[self->kind[i]].step (values[self->from[i]], values[i + 2], MANY);
      series[n] = 0;
      for (guint i = 0; i < MANY; i++)
        series[n] = MAX (series[n], values[self->tested][i]);
      memcpy (next, values[self->next[0]], sizeof *values);
      memcpy (next + MANY, values[self->next[1]], sizeof *values);
      memcpy (values, next, 2 * sizeof *values);
      if (series[n] >= self->limit || n + 1 == self->most)
        return n + 1;
    }
}

static void
body_check (const Body *self, const char *text, const char *who)
{
  static guint32 values[MOST_STEPS + 2][MANY];
  guint32 series[8];
  Loop loop;

  fused_open (&loop, text, who);
  for (guint run = 0; run < 2; run++)
    {
      guint n;

      for (guint i = 0; i < MANY; i++)
        {
          values[0][i] = i * 7 + run;
          values[1][i] = i * i + 31 * run;
        }
      loop_push (&loop, "a", values[0], sizeof *values);
      loop_push (&loop, "b", values[1], sizeof *values);
      loop_replay (&loop);
      n = body_do (self, values, series);
      loop_check_report (&loop, 0, n, series[n - 1] >= self->limit ? "converged" : "cap", who);
      fused_check_words (&loop, "x", values[0], MANY);
      fused_check_words (&loop, "y", values[1], MANY);
      fused_check_words (&loop, "series", series, n);
    }
  loop_close (&loop);
}

/* Any body, by three executors. */
static void
test_fused_random (void)
{
  static const char *const who[] = { "fused", "while", "host" };
  g_autoptr (GRand) rand = g_rand_new_with_seed (20);

  for (guint round = 0; round < 8; round++)
    {
      Body body;
      g_autofree char *text = NULL;

      body_init (&body, rand);
      text = body_dup_text (&body);
      g_test_message ("%s", text);
      for (guint i = 0; i < G_N_ELEMENTS (who); i++)
        body_check (&body, text, who[i]);
    }
}

/* What goes on changes places with what it becomes, so that it is elsewhere after an odd number of iterations. */
static void
test_fused_swap (void)
{
  for (guint most = 1; most < 5; most++)
    {
      g_autofree char *text = g_strdup_printf ("leat 1\nl = loop max-iterations=%u method=METHOD {\n"
                                               "  in.x -> kernel source=KERNELS entry=spread -> out.y\n}\n"
                                               "app name=in spec=u32[4999] -> upload -> l.x\n"
                                               "l.y -> readback -> app name=out\n",
                                               most);
      g_autofree guint32 *x = g_new (guint32, 4999), *y = g_new (guint32, 4999);
      Loop loop;

      for (guint i = 0; i < 4999; i++)
        x[i] = i;
      fused_open (&loop, text, "fused");
      fused_check_plan (&loop, "in an iteration 3 ops, 1 barrier of the grid");
      fused_check_plan (&loop, "copy \"l\"   pointers change places");
      loop_push (&loop, "in", x, 4999 * sizeof *x);
      loop_replay (&loop);
      for (guint k = 0; k < most; k++)
        {
          step_spread (x, y, 4999);
          memcpy (x, y, 4999 * sizeof *x);
        }
      fused_check_words (&loop, "out", x, 4999);
      loop_check_report (&loop, 0, most, "cap", "fused");
      loop_close (&loop);
    }
}

/* Small enough for one block, with and without kernels that ask for theirs; and a test of what the first layer writes,
 * which is in the last layer or in one before it. */
static const struct
{
  const char *name, *body, *said;
  guint n;
  Step first, second;
} small_rows[] = {
  { "grown", "  s = kernel source=KERNELS entry=spread\n  t = kernel source=KERNELS entry=turn\n",
    "2 barriers of the one "
    "block",
    1000, step_spread, step_turn },
  { "own-block", "  s = kernel source=KERNELS entry=tile\n  t = kernel source=KERNELS entry=turn\n",
    "2 barriers of the one block", 250, step_tile, step_turn },
};

static void
test_fused_one_block (gconstpointer data)
{
  const guint row = GPOINTER_TO_UINT (data), n = small_rows[row].n;
  g_autofree char *text = g_strdup_printf ("leat 1\nl = loop max-iterations=9 method=METHOD {\n%s"
                                           "  in.x -> s -> t -> out.y\n}\n"
                                           "app name=in spec=u32[%u] -> upload -> l.x\n"
                                           "l.y -> readback -> app name=out\n",
                                           small_rows[row].body, n);
  guint32 x[1000], y[1000];
  Loop loop;

  for (guint i = 0; i < n; i++)
    x[i] = i * i;
  fused_open (&loop, text, "fused");
  fused_check_plan (&loop, small_rows[row].said);
  loop_push (&loop, "in", x, n * sizeof *x);
  loop_replay (&loop);
  for (guint k = 0; k < 9; k++)
    {
      small_rows[row].first (x, y, n);
      small_rows[row].second (y, x, n);
    }
  fused_check_words (&loop, "out", x, n);
  loop_close (&loop);
}

/* What the test reads is written in the first layer: it is read before the next iteration comes there.  @data: what
 * follows in the body */
static const struct
{
  const char *name, *body, *said;
} early_rows[] = {
  { "last", "  in.x -> s -> out.y\n  in.x -> f -> out.top\n",
    "the test comes behind all layers, and a barrier behind it" },
  { "before-last", "  t = kernel source=KERNELS entry=turn\n  in.x -> s -> t -> out.y\n  in.x -> f -> out.top\n",
    "the test comes behind the last layer that writes what it reads\n" },
};

static void
test_fused_early_test (gconstpointer data)
{
  const guint row = GPOINTER_TO_UINT (data);
  g_autofree char *text =
    g_strdup_printf ("leat 1\nl = loop until=\"top >= 99000\" max-iterations=60 series=top carry=x:y method=METHOD {\n"
                     "  s = kernel source=KERNELS entry=spread\n"
                     "  f = kernel source=KERNELS entry=first y=u32[1]\n%s}\n"
                     "app name=in spec=u32[5000] -> upload -> l.x\nl.y -> readback -> app name=out\n"
                     "l.series -> readback -> app name=series\n",
                     early_rows[row].body);
  g_autofree guint32 *x = g_new (guint32, MANY), *y = g_new (guint32, MANY);
  guint32 series[60];
  guint n = 0;
  Loop loop;

  for (guint i = 0; i < MANY; i++)
    x[i] = 3;
  fused_open (&loop, text, "fused");
  fused_check_plan (&loop, early_rows[row].said);
  loop_push (&loop, "in", x, MANY * sizeof *x);
  loop_replay (&loop);
  do
    {
      series[n] = x[0];
      step_spread (x, y, MANY);
      if (row == 0)
        memcpy (x, y, MANY * sizeof *x);
      else
        step_turn (y, x, MANY);
    }
  while (series[n++] < 99000);
  fused_check_words (&loop, "out", x, MANY);
  fused_check_words (&loop, "series", series, n);
  loop_check_report (&loop, 0, n, "converged", "fused");
  loop_close (&loop);
}

/* The body does not change what only comes in, though it works in place. */
static void
test_fused_reads_alone (void)
{
  static const char text[] = "leat 1\nl = loop max-iterations=4 carry=x:y method=METHOD {\n"
                             "  m = map expr=k+1 inputs=k\n"
                             "  s = map expr=x+m inputs=x,m\n"
                             "  in.k -> m -> s.m\n  in.x -> s.x\n  s -> out.y\n}\n"
                             "in = app spec=u32[5000]\nup = upload\nin -> up -> l.k\nup -> l.x\n"
                             "l.y -> readback -> app name=out\nup -> readback -> app name=kept\n";
  g_autofree guint32 *x = g_new (guint32, MANY), *y = g_new (guint32, MANY);
  Loop loop;

  fused_open (&loop, text, "fused");
  for (guint i = 0; i < MANY; i++)
    {
      x[i] = i * 3;
      y[i] = x[i] + 4 * (x[i] + 1);
    }
  loop_push (&loop, "in", x, MANY * sizeof *x);
  loop_replay (&loop);
  fused_check_words (&loop, "out", y, MANY);
  fused_check_words (&loop, "kept", x, MANY);
  loop_close (&loop);
}

/* Stencils wait for the blocks around where they are done once, and for all in a loop. */
static void
test_fused_neighbours (void)
{
  static const char text[] = "leat 1\nl = loop max-iterations=9 carry=x:y method=METHOD {\n"
                             "  a = kernel source=KERNELS entry=spread block=64 access=stencil:1\n"
                             "  b = kernel source=KERNELS entry=spread block=64 access=stencil:1\n"
                             "  in.x -> a -> b -> out.y\n}\n"
                             "in = app spec=u32[5000]\nin -> upload -> l.x\nl.y -> readback -> app name=out\n";
  g_autofree guint32 *x = g_new (guint32, MANY), *y = g_new (guint32, MANY), *sent = NULL;
  Loop loop;

  fused_open (&loop, text, "fused");
  fused_check_plan (&loop, "blocks do not wait for each other one by one in a loop");
  for (guint i = 0; i < MANY; i++)
    x[i] = i * 2654435761u;
  sent = g_memdup2 (x, MANY * sizeof *x);
  for (guint iteration = 0; iteration < 9; iteration++)
    {
      step_spread (x, y, MANY);
      step_spread (y, x, MANY);
    }
  for (guint run = 0; run < 10; run++)
    {
      loop_push (&loop, "in", sent, MANY * sizeof *sent);
      loop_replay (&loop);
      fused_check_words (&loop, "out", x, MANY);
    }
  loop_close (&loop);
}

/* Bounded data whose number of items nobody changes goes on, in place and as a copy. */
static const struct
{
  const char *name, *body;
  guint steps[2]; /* of `steps` */
} bounded_rows[] = { { "in-place", "  r = map expr=x*5+3\n  in.x -> r\n", { 3, 3 } },
                     { "copied", "  r = kernel source=KERNELS entry=turn y=u32[<=5000]\n  in.x -> r\n", { 1, 1 } },
                     { "both",
                       "  t = kernel source=KERNELS entry=spread y=u32[<=5000]\n"
                       "  r = map expr=x*5+3\n  in.x -> t -> r\n",
                       { 0, 3 } } };

static void
test_fused_bounded (gconstpointer data)
{
  const guint row = GPOINTER_TO_UINT (data);
  static const char *const executors[] = { "while", "fused", "host" };
  static const guint sizes[] = { MANY, 0, 1, 300, MANY - 1 };
  const gboolean two = bounded_rows[row].steps[0] != bounded_rows[row].steps[1];
  g_autofree char *text = g_strdup_printf ("leat 1\nl = loop max-iterations=3 carry=x:y method=METHOD series=top {\n"
                                           "%s  r -> out.y\n  r -> reduce op=max -> out.top\n}\n"
                                           "app name=in spec=u32[<=5000] -> upload -> l.x\n"
                                           "l.y -> readback -> app name=out\nl.top -> discard\n"
                                           "l.series -> readback -> app name=series\n",
                                           bounded_rows[row].body);
  g_autofree guint32 *x = g_new (guint32, 2 * MANY);

  for (guint e = 0; e < G_N_ELEMENTS (executors); e++)
    {
      Loop loop;

      fused_open (&loop, text, executors[e]);
      for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
        {
          guint32 tops[3] = { 0 };

          for (guint i = 0; i < sizes[s]; i++)
            x[i] = i * 2654435761u;
          loop_push (&loop, "in", x, sizes[s] * sizeof *x);
          for (guint i = 0; i < (two ? 6 : 3); i++)
            {
              steps[bounded_rows[row].steps[i % 2]].step (x, x + MANY, sizes[s]);
              memcpy (x, x + MANY, sizes[s] * sizeof *x);
              for (guint k = 0; k < sizes[s] && (!two || i % 2 == 1); k++)
                tops[two ? i / 2 : i] = MAX (tops[two ? i / 2 : i], x[k]);
            }
          loop_replay (&loop);
          fused_check_words (&loop, "out", x, sizes[s]);
          fused_check_words (&loop, "series", tops, 3);
        }
      loop_close (&loop);
    }
}

/* In the body of another one, which goes on until the inner one has doubled as often as it takes. */
static void
test_fused_within (gconstpointer who)
{
  static const char text[] = "leat 1\nouter = loop max-iterations=3 carry=a:b method=METHOD {\n"
                             "  inner = loop until=\"top >= limit\" limit=1000 carry=x:y method=fused {\n"
                             "    s = kernel source=KERNELS entry=spread\n"
                             "    in.x -> s -> out.y\n    s -> reduce op=max -> out.top\n  }\n"
                             "  in.a -> inner.x\n  inner.y -> map expr=x/7 -> out.b\n}\n"
                             "app name=in spec=u32[5000] -> upload -> outer.a\nouter.b -> readback -> app name=out\n";
  g_autofree guint32 *x = g_new (guint32, MANY), *y = g_new (guint32, MANY);
  guint last = 0;
  Loop loop;

  fused_open (&loop, text, who);
  for (guint i = 0; i < MANY; i++)
    x[i] = i % 5;
  loop_push (&loop, "in", x, MANY * sizeof *x);
  loop_replay (&loop);
  for (guint k = 0; k < 3; k++)
    {
      guint32 top;

      last = 0;
      do
        {
          top = 0;
          step_spread (x, y, MANY);
          memcpy (x, y, MANY * sizeof *x);
          for (guint i = 0; i < MANY; i++)
            top = MAX (top, x[i]);
          last++;
        }
      while (top < 1000);
      for (guint i = 0; i < MANY; i++)
        x[i] /= 7;
    }
  fused_check_words (&loop, "out", x, MANY);
  loop_check_report (&loop, 0, 3, "cap", who);
  loop_check_report (&loop, 1, last, "converged", "fused");
  loop_close (&loop);
}

/* Over its budget it ends the one around it. */
static void
test_fused_budget_within (void)
{
  static const char text[] = "leat 1\nouter = loop max-iterations=1000000 carry=a:b budget=0 method=METHOD {\n"
                             "  inner = loop until=\"y < 0\" carry=x:y budget=0.1 method=fused {\n"
                             "    in.x -> map expr=x+1 -> out.y\n  }\n"
                             "  in.a -> inner.x\n  inner.y -> out.b\n}\n"
                             "app name=in spec=i32[1] -> upload -> outer.a\nouter.b -> readback -> app name=out\n";
  Loop loop;

  fused_open (&loop, text, "while");
  for (gint32 run = 0; run < 2; run++)
    {
      g_autoptr (GError) error = NULL;

      loop_push (&loop, "in", &run, sizeof run);
      g_assert_cmpint (leat_session_replay (loop.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
      g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
      g_assert_nonnull (strstr (error->message, "loop \"inner\" had not come to its end"));
      loop_check_report (&loop, 0, 1, "around", NULL);
      fused_check_end (&loop, 1, "budget");
    }
  loop_close (&loop);
}

/* Nodes by which lanes wait for each other, in the graphs of four. */
static guint64
count_turns (const char *entry, guint n)
{
  g_autofree char *raw = g_strdup_printf ("leat 1\nl = loop max-iterations=3 method=fused {\n"
                                          "  in.x -> kernel source=KERNELS entry=%s -> out.y\n}\n"
                                          "app name=in spec=u32[%u] -> upload -> l.x\n"
                                          "l.y -> readback -> app name=out\n",
                                          entry, n);
  g_autofree char *text = fused_dup_text (raw);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (NULL, &error);
  LeatDriver *driver;
  g_autofree guint32 *x = g_new0 (guint32, n);
  guint64 count;
  Loop loop;

  g_assert_no_error (error);
  driver = leat_device_get_driver (device);
  g_assert_true (leat_driver_trace_start (driver, FALSE, NULL));
  loop_open (&loop, text, "", LEAT_EXECUTOR_GRAPH, 4);
  for (guint run = 0; run < 8; run++)
    loop_push (&loop, "in", x, n * sizeof *x);
  leat_app_end (LEAT_APP (leat_pipeline_get_node (loop.pipeline, "in", NULL)));
  leat_session_run (loop.session, NULL, &error);
  g_assert_no_error (error);
  count = leat_driver_trace_get_count (driver, LEAT_DRIVER_ENTRY_cuGraphAddEventWaitNode);
  leat_driver_trace_stop (driver);
  loop_close (&loop);
  return count;
}

/* Where blocks meet is one place for all lanes, so that they do such loops one after the other; one block has its own.
 */
static void
test_fused_lanes_in_turn (void)
{
  g_assert_cmpuint (count_turns ("spread", MANY), >=, 4);
  g_assert_cmpuint (count_turns ("spread", 500), ==, 0);
}

/* A small one, a thousand times. */
static void
test_fused_again (void)
{
  Loop loop;

  loop_open (&loop, halve_text, "fused", LEAT_EXECUTOR_GRAPH, 1);
  for (guint i = 0; i < 1000; i++)
    halve_run (&loop, (float) (i % 3 + 1) / 600.0f, 0.5f, 0.5f, "fused");
  loop_close (&loop);
}

static const struct
{
  const char *name, *loop, *message;
} refused_rows[] = {
  { "no-end", "loop carry=x:y method=fused {\n  in.x -> map expr=x+1 -> out.y\n}", "nothing would end the loop" },
  { "loop",
    "loop max-iterations=2 carry=x:y method=fused {\n"
    "  i = loop max-iterations=2 carry=p:q {\n    in.p -> map expr=x+1 -> out.q\n  }\n"
    "  in.x -> i.p\n  i.q -> out.y\n}",
    "a loop within a loop is not part of one kernel" },
  { "megakernel",
    "loop max-iterations=2 carry=x:y method=fused {\n"
    "  m = megakernel {\n    in.p -> map expr=x+1 -> out.q\n  }\n  in.x -> m.p\n  m.q -> out.y\n}",
    "\"m\" cannot be in the body of loop \"l\" as one kernel: it is several kernels in one already" },
  { "reports",
    "loop max-iterations=2 carry=x:y method=fused {\n"
    "  k = kernel source=KERNELS entry=tell\n  in.x -> k -> out.y\n}",
    "\"k\" cannot be in the body of loop \"l\" as one kernel: kernel tell cannot be part of a larger one: "
    "it reports" },
  { "sort",
    "loop max-iterations=2 carry=x:y method=fused {\n  s = scan\n  in.x -> s -> map expr=x type=u32 -> "
    "out.y\n}",
    "\"s\" cannot be in the body of loop \"l\" as one kernel: kernel" },
  { "counted",
    "loop max-iterations=2 carry=x:y method=fused {\n"
    "  k = kernel source=KERNELS entry=odd y=u32[<=5000]\n  in.x -> k -> out.y\n}",
    "l.x is counted in the body by kernel \"k\", and how much there is of it is needed there when the kernel begins: "
    "set another method=" },
};

static void
test_fused_refused (gconstpointer data)
{
  const guint row = GPOINTER_TO_UINT (data);
  g_autofree char *raw =
    g_strdup_printf ("leat 1\nl = %s\napp name=in spec=u32[%s5000] -> upload -> l.x\n"
                     "l.y -> readback -> app name=out\n",
                     refused_rows[row].loop, g_str_has_prefix (refused_rows[row].name, "counted") ? "<=" : "");
  g_autofree char *text = fused_dup_text (raw);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "leat-refused-XXXXXX", NULL), *place = NULL;
  int file = g_mkstemp (path);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatPlan) plan = NULL;

  g_assert_true (g_close (file, NULL) && g_file_set_contents (path, text, -1, NULL));
  pipeline = leat_parse_file (path, NULL, &error);
  plan = pipeline != NULL ? leat_plan_new (pipeline, &error) : NULL;
  place = g_strdup_printf ("%s:2:1: loop \"l\": ", path);
  g_assert_null (plan);
  g_assert_nonnull (error);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, refused_rows[row].message));
  if (!g_str_has_prefix (error->message, place))
    g_error ("the place is not told: %s", error->message);
  g_assert_cmpint (g_remove (path), ==, 0);
}

/* More shared memory than a block has: not one is there at once, nor alone. */
static void
test_fused_too_large (gconstpointer n_items)
{
  g_autofree char *raw = g_strdup_printf ("leat 1\nl = loop max-iterations=2 method=fused {\n"
                                          "  in.x -> kernel source=KERNELS entry=large shared=900K -> out.y\n}\n"
                                          "app name=in spec=u32[%u] -> upload -> l.x\n"
                                          "l.y -> readback -> app name=out\n",
                                          GPOINTER_TO_UINT (n_items));
  g_autofree char *text = fused_dup_text (raw);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);

  g_assert_no_error (error);
  g_assert_false (leat_session_open (session, NULL, &error));
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "921600"));
  g_assert_nonnull (strstr (error->message, "; or set another method= for the loop"));
  g_assert_nonnull (strstr (error->message, "\"l\""));
}

#define ADD_ROWS(what, rows, test)                                                                                     \
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)                                                                      \
    {                                                                                                                  \
      g_autofree char *path = g_strconcat ("/leat/session/loop-fused/" what "/", rows[i].name, NULL);                  \
                                                                                                                       \
      g_test_add_data_func (path, GUINT_TO_POINTER (i), test);                                                         \
    }

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("leat-loop-XXXXXX", NULL);
  kernels_path = g_build_filename (folder, "kernels.cu", NULL);
  g_assert_true (g_file_set_contents (kernels_path, kernels_text, -1, NULL));
  g_test_add_func ("/leat/session/loop-fused/random", test_fused_random);
  g_test_add_func ("/leat/session/loop-fused/swap", test_fused_swap);
  ADD_ROWS ("one-block", small_rows, test_fused_one_block)
  ADD_ROWS ("early-test", early_rows, test_fused_early_test)
  g_test_add_func ("/leat/session/loop-fused/reads-alone", test_fused_reads_alone);
  g_test_add_func ("/leat/session/loop-fused/neighbours", test_fused_neighbours);
  ADD_ROWS ("bounded", bounded_rows, test_fused_bounded)
  g_test_add_data_func ("/leat/session/loop-fused/within/while", "while", test_fused_within);
  g_test_add_data_func ("/leat/session/loop-fused/within/host", "host", test_fused_within);
  g_test_add_func ("/leat/session/loop-fused/budget-within", test_fused_budget_within);
  g_test_add_func ("/leat/session/loop-fused/lanes-in-turn", test_fused_lanes_in_turn);
  g_test_add_func ("/leat/session/loop-fused/again", test_fused_again);
  ADD_ROWS ("refused", refused_rows, test_fused_refused)
  g_test_add_data_func ("/leat/session/loop-fused/too-large/blocks", GUINT_TO_POINTER (5000), test_fused_too_large);
  g_test_add_data_func ("/leat/session/loop-fused/too-large/block", GUINT_TO_POINTER (100), test_fused_too_large);
  result = g_test_run ();
  g_remove (kernels_path);
  g_rmdir (folder);
  g_free (kernels_path);
  g_free (folder);
  return result;
}
