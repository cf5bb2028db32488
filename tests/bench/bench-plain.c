/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "bench.h"

#include "leat.h"
#include "plain.h"

#include <string.h>
#include <sys/mman.h>

/* The CPU driver against plain C with as many threads: both sides in one run, alternating, medians of the device part,
 * results compared first. Prints one line a job: ratio of medians, and both with their spread. */

#define ROUNDS 15

static guint threads;

typedef struct
{
  double leat[ROUNDS], plain[ROUNDS];
} Times;

static void
report (const char *job, Times *times, const char *bound)
{
  bench_sort (times->leat, ROUNDS);
  bench_sort (times->plain, ROUNDS);
  g_print ("%-22s ratio %5.2f  leat %8.3f ms [%.3f, %.3f]  plain %8.3f ms [%.3f, %.3f]  %s\n", job,
           times->leat[ROUNDS / 2] / times->plain[ROUNDS / 2], times->leat[ROUNDS / 2] * 1e3, times->leat[1] * 1e3,
           times->leat[ROUNDS - 2] * 1e3, times->plain[ROUNDS / 2] * 1e3, times->plain[1] * 1e3,
           times->plain[ROUNDS - 2] * 1e3, bound);
}

static void
check (gboolean good, const char *what)
{
  if (!good)
    g_error ("%s: the two sides differ", what);
}

static double
get_device_seconds (LeatSession *session)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (session);
  gint64 us = 0;

  g_variant_lookup (stats, "device-us", "x", &us);
  return us / 1e6;
}

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatApp *source, *sink;
} Side;

static void
side_open (Side *side, const char *text)
{
  g_autoptr (GError) error = NULL;

  side->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  if (side->pipeline == NULL)
    g_error ("%s", error->message);
  side->session = leat_session_new (side->pipeline, NULL);
  if (!leat_session_open (side->session, NULL, &error))
    g_error ("%s", error->message);
  side->source = LEAT_APP (leat_pipeline_get_node (side->pipeline, "source", NULL));
  side->sink = LEAT_APP (leat_pipeline_get_node (side->pipeline, "sink", NULL));
}

static void
side_close (Side *side)
{
  g_clear_object (&side->session);
  g_clear_object (&side->pipeline);
}

static GBytes *
side_run (Side *side, GBytes *input, double *seconds)
{
  g_autoptr (GError) error = NULL;
  double before = get_device_seconds (side->session);
  GBytes *output;

  leat_app_push_bytes (side->source, input, &error);
  if (error == NULL && leat_session_replay (side->session, FALSE, NULL, &error) == LEAT_FLOW_ERROR)
    g_error ("%s", error->message);
  output = leat_app_pull_bytes (side->sink, 0, &error);
  if (output == NULL)
    g_error ("%s", error != NULL ? error->message : "no result");
  *seconds = get_device_seconds (side->session) - before;
  return output;
}

static double
now (void)
{
  return g_get_monotonic_time () / 1e6;
}

static GBytes *
make_text (gsize length)
{
  static const char *const words[] = { "the ",     "license ", "of ",       "this ", "program ",
                                       "is ",      "without ", "warranty ", "and ",  "copyright ",
                                       "holders ", "may ",     "whale ",    "not ",  "\n" };
  GByteArray *text = g_byte_array_new ();
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);

  while (text->len < length)
    {
      const char *word = words[g_rand_int_range (rand, 0, G_N_ELEMENTS (words))];

      g_byte_array_append (text, (const guint8 *) word, (guint) strlen (word));
    }
  g_byte_array_set_size (text, (guint) length);
  return g_byte_array_free_to_bytes (text);
}

static void
bench_scan (void)
{
  static const char *const patterns[] = { "warranty", "copyright", "license", NULL };
  gsize n = 32 << 20;
  g_autoptr (GBytes) text = make_text (n);
  Side side;
  Times times;

  side_open (&side, "leat 1\napp name=source spec=u8[<=33554432] -> upload -> text:scan "
                    "patterns=warranty,copyright,license -> readback -> app name=sink\n");
  for (guint round = 0; round < ROUNDS; round++)
    {
      g_autoptr (GBytes) hits = side_run (&side, text, &times.leat[round]);
      double begin = now ();
      g_autoptr (GArray) expected = plain_scan (g_bytes_get_data (text, NULL), n, patterns, threads);

      times.plain[round] = now () - begin;
      /* All but what the longest pattern may still continue, which the next run would give. */
      check (g_bytes_get_size (hits) / 16 + 2 >= expected->len, "scan");
      if (round == 0)
        check (memcmp (g_bytes_get_data (hits, NULL), expected->data, MIN (g_bytes_get_size (hits), 1 << 16)) == 0,
               "scan");
    }
  report ("scan 32 MiB", &times, "(plain C variant; at most 3)");
  side_close (&side);
}

static GBytes *
make_noise (gsize n)
{
  guint8 *bytes = g_malloc (n);
  guint32 state = 1;

  for (gsize i = 0; i < n; i++)
    bytes[i] = (state = state * 1664525u + 1013904223u) >> 24;
  return g_bytes_new_take (bytes, n);
}

static void
bench_edges (void)
{
  guint w = 2048, h = 2048;
  g_autoptr (GBytes) rgb = make_noise ((gsize) 3 * w * h);
  g_autofree float *scratch = g_new (float, (gsize) 3 * w * h);
  g_autofree guint8 *expected = g_malloc ((gsize) w * h);
  g_autofree char *graphs = g_build_filename (g_getenv ("LEAT_BENCH_GRAPHS"), "edges.cu", NULL);
  g_autofree char *text =
    g_strdup_printf ("leat 1\nlet cu = \"%s\"\n"
                     "app name=source spec=u8[2048,2048,3] -> upload\n"
                     "  -> kernel source=$cu entry=gray block=16x16 rgb=u8[h,w,3] out=f32[h,w]\n"
                     "  -> kernel source=$cu entry=blur block=16x16 -> kernel source=$cu entry=sobel block=16x16\n"
                     "  -> kernel source=$cu entry=threshold limit=60 -> readback -> app name=sink\n",
                     graphs);
  Side side;
  Times times;

  side_open (&side, text);
  for (guint round = 0; round < ROUNDS; round++)
    {
      g_autoptr (GBytes) edges = side_run (&side, rgb, &times.leat[round]);
      double begin = now ();

      plain_edges (g_bytes_get_data (rgb, NULL), expected, scratch, w, h, 60.0f, threads);
      times.plain[round] = now () - begin;
      check (memcmp (g_bytes_get_data (edges, NULL), expected, (gsize) w * h) == 0, "edges");
    }
  report ("edges 2048 x 2048", &times, "(no barriers; at most 3)");
  side_close (&side);
}

static void
bench_stats (void)
{
  gsize n = 16 << 20;
  g_autoptr (GBytes) noise = make_noise (n * sizeof (float));
  float *x = g_new (float, n);
  g_autoptr (GBytes) input = NULL;
  g_autofree char *graphs = g_build_filename (g_getenv ("LEAT_BENCH_GRAPHS"), "stats.cu", NULL);
  g_autofree char *text =
    g_strdup_printf ("leat 1\nlet cu = \"%s\"\n"
                     "scaled = map expr=\"scale*x+offset\" scale=2 offset=-1\n"
                     "parts = kernel source=$cu entry=partials grid=64 block=256 x=f32[n] part=f64[64,4]\n"
                     "final = kernel source=$cu entry=finish grid=1 block=64 part=f64[64,4] x=f32[n] result=f64[4]\n"
                     "app name=source spec=f32[16777216] -> upload -> scaled\n"
                     "scaled -> parts -> final.part\nscaled -> final.x\nfinal -> readback -> app name=sink\n",
                     graphs);
  Side side;
  Times times;

  for (gsize i = 0; i < n; i++)
    x[i] = ((const guint8 *) g_bytes_get_data (noise, NULL))[i] / 256.0f;
  input = g_bytes_new_take (x, n * sizeof (float));
  side_open (&side, text);
  for (guint round = 0; round < ROUNDS; round++)
    {
      g_autoptr (GBytes) result = side_run (&side, input, &times.leat[round]);
      const double *got = g_bytes_get_data (result, NULL);
      double expected[4], begin = now ();

      plain_stats (x, n, 2.0f, -1.0f, expected, threads);
      times.plain[round] = now () - begin;
      for (guint i = 0; i < 4; i++)
        check (ABS (got[i] - expected[i]) <= 1e-9 * MAX (1, ABS (expected[i])), "stats");
    }
  report ("stats 2^24", &times, "(barriers in a reduction; ratio for information)");
  side_close (&side);
}

/* On huge pages, as the device's memory is. */
static gpointer
take_huge (gsize bytes)
{
  gpointer block = NULL;

  if (posix_memalign (&block, 2 << 20, bytes) != 0)
    g_error ("no memory");
  madvise (block, bytes, MADV_HUGEPAGE);
  return block;
}

/* One multiplication and one addition an item, as @node does them. */
static void
bench_flat (const char *job, const char *node)
{
  gsize n = 32 << 20;
  float *x = take_huge (n * sizeof (float)), *y = take_huge (n * sizeof (float));
  g_autoptr (GBytes) input = NULL;
  g_autofree char *text = NULL;
  Side side;
  Times times;

  for (gsize i = 0; i < n; i++)
    x[i] = (float) (i % 1000);
  input = g_bytes_new_with_free_func (x, n * sizeof (float), free, x);
  text = g_strdup_printf ("leat 1\nlet cu = \"%s\"\napp name=source spec=f32[33554432] -> upload -> %s a=2 b=1 -> "
                          "readback -> app name=sink\n",
                          g_getenv ("LEAT_BENCH_KERNELS"), node);
  side_open (&side, text);
  for (guint round = 0; round < ROUNDS; round++)
    {
      g_autoptr (GBytes) result = side_run (&side, input, &times.leat[round]);
      double begin = now ();

      plain_saxpy (x, y, n, 2.0f, 1.0f, threads);
      times.plain[round] = now () - begin;
      check (memcmp (g_bytes_get_data (result, NULL), y, n * sizeof (float)) == 0, job);
    }
  report (job, &times, "(no barriers; at most 1.3)");
  side_close (&side);
  free (y);
}

int
main (void)
{
  threads = g_get_num_processors ();
  g_print ("%u threads, medians of %u rounds [second least, second greatest]\n", threads, ROUNDS);
  bench_flat ("map a*x+b 2^25", "map expr=\"a*x+b\"");
  bench_flat ("kernel, one each 2^25", "kernel source=$cu entry=one_each");
  bench_flat ("kernel, stride 2^25", "kernel source=$cu entry=grid_stride grid=64");
  bench_scan ();
  bench_edges ();
  bench_stats ();
  return 0;
}
