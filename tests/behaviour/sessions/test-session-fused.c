/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"

#include <stdlib.h>
#include <string.h>

/* Nodes that say how many items they give, as parts of one kernel: in a megakernel, in a persistent kernel, in a
 * loop.  What comes is held against C. */

#define ROOM 300
#define RUNS 3

typedef struct
{
  const char *name;
  const char *node;   /* called k */
  const char *inputs; /* of it, as far as it has not one alone */
  void (*compute) (guint32 *x, guint n);
} Joined;

static int
compare (gconstpointer a, gconstpointer b)
{
  const guint32 *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

static void
sort (guint32 *x, guint n)
{
  qsort (x, n, sizeof *x, compare);
}

/* (transfer full), also where there are none */
static guint32 *
dup_items (const guint32 *x, guint n)
{
  guint32 *items = g_new (guint32, n + 1);

  if (n > 0)
    memcpy (items, x, n * sizeof *x);
  return items;
}

static void
gather (guint32 *x, guint n)
{
  g_autofree guint32 *was = dup_items (x, n);

  for (guint i = 0; i < n; i++)
    x[i] = was[i] < n ? was[was[i]] : 0;
}

static void
partition (guint32 *x, guint n)
{
  g_autofree guint32 *was = dup_items (x, n);
  guint at = 0;

  for (guint pass = 0; pass < 2; pass++)
    for (guint i = 0; i < n; i++)
      if ((was[i] < 100) == (pass == 0))
        x[at++] = was[i];
}

static const Joined cases[] = {
  { "sort", "k = sort", NULL, sort },
  { "gather", "k = gather outside=zero", "items,at", gather },
  { "partition", "k = partition where=\"x < 100\"", NULL, partition },
};

/* The links from @from to all inputs, each behind @margin. */
static char *
joined_dup_links (const Joined *self, const char *margin, const char *from)
{
  g_auto (GStrv) inputs = g_strsplit (self->inputs != NULL ? self->inputs : "", ",", -1);
  GString *text = g_string_new (NULL);

  for (guint i = 0; inputs[i] != NULL; i++)
    g_string_append_printf (text, "%s%s -> k.%s\n", margin, from, inputs[i]);
  if (text->len == 0)
    g_string_append_printf (text, "%s%s -> k\n", margin, from);
  return g_string_free (text, FALSE);
}

static void
joined_check_run (SessionFixture *fixture, const Joined *self, guint n, guint32 more)
{
  guint32 x[ROOM] = { 0 };
  g_autoptr (GBytes) found = NULL;

  for (guint i = 0; i < n; i++)
    x[i] = (i * 37 + n) % 200;
  found = session_fixture_run (fixture, x, n * sizeof *x);
  self->compute (x, n);
  for (guint i = 0; i < n; i++)
    x[i] += more;
  g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), x, n * sizeof *x);
}

/* Takes @text. */
static void
joined_check (const Joined *self, char *text, LeatExecutor executor, LeatFuseMode fuse, guint32 more)
{
  static const guint counts[RUNS] = { 10, ROOM, 0 };
  g_autofree char *whole = g_strconcat ("leat 1\n", text, NULL);
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);
  SessionFixture fixture;

  g_assert_no_error (error);
  leat_pipeline_set_fuse (pipeline, fuse);
  session_fixture_open_pipeline (&fixture, pipeline, executor);
  for (guint run = 0; run < RUNS; run++)
    joined_check_run (&fixture, self, counts[run], more);
  session_fixture_close (&fixture);
  g_free (text);
}

static void
test_joined_in_a_megakernel (gconstpointer data)
{
  const Joined *self = data;
  g_autofree char *links = joined_dup_links (self, "  ", "in.x");

  joined_check (self,
                g_strdup_printf ("m = megakernel {\n  %s\n%s  k -> map expr=x+1 -> out.y\n}\n"
                                 "app name=source spec=u32[<=300] -> upload -> m.x\nm.y -> readback -> app name=sink\n",
                                 self->node, links),
                LEAT_EXECUTOR_GRAPH, LEAT_FUSE_MODE_OFF, 1);
}

static void
test_joined_staying (gconstpointer data)
{
  const Joined *self = data;
  g_autofree char *links = joined_dup_links (self, "", "up");

  joined_check (self,
                g_strdup_printf ("up = upload\n%s\n%sapp name=source spec=u32[<=300] -> up\n"
                                 "k -> map expr=x+1 -> readback -> app name=sink\n",
                                 self->node, links),
                LEAT_EXECUTOR_PERSISTENT, LEAT_FUSE_MODE_OFF, 1);
}

static void
test_joined_in_a_loop (gconstpointer data)
{
  const Joined *self = data;
  g_autofree char *links = joined_dup_links (self, "  ", "in.x");

  joined_check (self,
                g_strdup_printf ("m = loop max-iterations=1 method=fused carry=x:y {\n  %s\n%s  k -> out.y\n}\n"
                                 "app name=source spec=u32[<=300] -> upload -> m.x\nm.y -> readback -> app name=sink\n",
                                 self->node, links),
                LEAT_EXECUTOR_GRAPH, LEAT_FUSE_MODE_OFF, 0);
}

/* What changes how many there are is told by name where its number would be needed in the kernel. */
static void
test_joined_refuses_what_counts (void)
{
  g_autoptr (GError) error = session_fixture_fail ("m = megakernel {\n  k = map inputs=a,b expr=a+b\n"
                                                   "  in.x -> k.a\n  in.z -> k.b\n"
                                                   "  k -> map expr=x+1 -> out.y\n}\n"
                                                   "app name=source spec=u32[<=300] -> upload -> m.x\n"
                                                   "app name=second spec=u32[<=300] -> upload -> m.z\n"
                                                   "m.y -> readback -> app name=sink\n",
                                                   NULL);

  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, "counted in the body by map \"k\""));
}

/* The sorts have 4,096 keys each in shared memory. */
#define LARGE                                                                                                          \
  "s = sort\napp name=source spec=u32[<=300] -> upload -> map type=u64 expr=x -> sort -> map type=u32 expr=x -> s\n"   \
  "s -> readback -> app name=sink\n"

/* How much shared memory the whole has, nobody knows before it is loaded. */
static void
test_joined_too_large_to_stay (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_parse_text ("leat 1\n" LARGE, LEAT_TEXT_STYLE_FILE, NULL, NULL);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  g_autoptr (GError) error = NULL;

  g_object_set (session, "executor", LEAT_EXECUTOR_PERSISTENT, NULL);
  g_assert_false (leat_session_open (session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_PERSISTENT);
  g_assert_nonnull (strstr (error->message, "bytes of __shared__ memory"));
  joined_check (&cases[0], g_strdup (LARGE), LEAT_EXECUTOR_PERSISTENT_AUTO, LEAT_FUSE_MODE_OFF, 0);
}

/* The count of what two bring is written by a thread, which is there also where there are no items. */
static void
test_joined_counts_nothing (void)
{
  static const guint counts[RUNS] = { 5, 0, 7 };
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline = leat_parse_text ("leat 1\nup = upload\nk = map inputs=x,y expr=x+y\nfirst = map expr=x\n"
                                            "app name=source spec=u32[<=300] -> up\nup -> first -> k.x\nup -> k.y\n"
                                            "k -> map expr=x -> map expr=x -> readback mode=copy -> app name=sink\n",
                                            LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_no_error (error);
  leat_pipeline_set_fuse (pipeline, LEAT_FUSE_MODE_AUTO);
  session_fixture_open_pipeline (&fixture, pipeline, LEAT_EXECUTOR_GRAPH);
  for (guint run = 0; run < RUNS; run++)
    {
      guint32 x[ROOM] = { 1, 2, 3, 4, 5, 6, 7 };
      g_autoptr (GBytes) found = session_fixture_run (&fixture, x, counts[run] * sizeof *x);

      g_assert_cmpuint (g_bytes_get_size (found), ==, counts[run] * sizeof *x);
      for (guint i = 0; i < counts[run]; i++)
        g_assert_cmpuint (((const guint32 *) g_bytes_get_data (found, NULL))[i], ==, 2 * x[i]);
    }
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*test) (gconstpointer data);
  } ways[] = { { "in-a-megakernel", test_joined_in_a_megakernel },
               { "staying", test_joined_staying },
               { "in-a-loop", test_joined_in_a_loop } };

  g_test_init (&argc, &argv, NULL);
  for (guint way = 0; way < G_N_ELEMENTS (ways); way++)
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
      {
        g_autofree char *path = g_strdup_printf ("/leat/session/joined/%s/%s", ways[way].name, cases[i].name);

        g_test_add_data_func (path, &cases[i], ways[way].test);
      }
  g_test_add_func ("/leat/session/joined/refuses-what-counts", test_joined_refuses_what_counts);
  g_test_add_func ("/leat/session/joined/too-large-to-stay", test_joined_too_large_to_stay);
  g_test_add_func ("/leat/session/joined/counts-nothing", test_joined_counts_nothing);
  return g_test_run ();
}
