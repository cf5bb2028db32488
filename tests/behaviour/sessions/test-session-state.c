/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include <string.h>

/* What a pipeline with `state` nodes gives in each run, in graphs and one by one, and what its plan says of it. */

#define MEAN                                                                                                           \
  "mean = state spec=f32[4] init=8\n"                                                                                  \
  "m = map inputs=x,mean expr=\"mean+0.5*(x-mean)\"\n"                                                                 \
  "app name=source spec=f32[4] -> upload mode=copy -> m.x\n"                                                           \
  "mean -> m.mean -> mean\n"                                                                                           \
  "m -> readback mode=copy -> app name=sink\n"

/* The frame before: read by one and taken over from another. */
#define DIFFERENCE                                                                                                     \
  "before = state spec=f32[4]\n"                                                                                       \
  "up = upload mode=copy\n"                                                                                            \
  "d = map inputs=x,before expr=x-before\n"                                                                            \
  "app name=source spec=f32[4] -> up -> d.x\n"                                                                         \
  "before -> d.before\n"                                                                                               \
  "up -> before\n"                                                                                                     \
  "d -> readback mode=copy -> app name=sink\n"

/* Two runs late. */
#define REGISTER                                                                                                       \
  "app name=source spec=f32[4] -> upload mode=copy -> one -> two -> readback mode=copy -> app name=sink\n"             \
  "one = state spec=f32[4] init=-1\n"                                                                                  \
  "two = state spec=f32[4] init=-2\n"

/* Two that take each other's place, and a sum that shows which is which. */
#define SWAP                                                                                                           \
  "a = state spec=f32[4] init=1\n"                                                                                     \
  "b = state spec=f32[4] init=2\n"                                                                                     \
  "s = map inputs=x,a,b expr=x+10*a+b\n"                                                                               \
  "app name=source spec=f32[4] -> upload mode=copy -> s.x\n"                                                           \
  "a -> b\n"                                                                                                           \
  "b -> a\n"                                                                                                           \
  "a -> s.a\n"                                                                                                         \
  "b -> s.b\n"                                                                                                         \
  "s -> readback mode=copy -> app name=sink\n"

/* What it was is read by somebody else too, so that it cannot be written over. */
#define SHOWN                                                                                                          \
  "sum = state spec=f32[4]\n"                                                                                          \
  "m = map inputs=x,sum expr=x+sum\n"                                                                                  \
  "app name=source spec=f32[4] -> upload mode=copy -> m.x\n"                                                           \
  "sum -> m.sum\n"                                                                                                     \
  "m -> sum\n"                                                                                                         \
  "sum -> readback mode=copy -> app name=sink\n"

#define CONSTANT                                                                                                       \
  "c = state spec=f32[4] init=3\n"                                                                                     \
  "m = map inputs=x,c expr=x+c\n"                                                                                      \
  "app name=source spec=f32[4] -> upload mode=copy -> m.x\n"                                                           \
  "c -> m.c\n"                                                                                                         \
  "m -> readback mode=copy -> app name=sink\n"

#define N_RUNS 5

typedef struct
{
  const char *name, *text;
  const char *plan; /* a line of it */
  guint64 copies;   /* on the device, in each run */
  float results[N_RUNS];
} Case;

/* The inputs are 0, 16, 32, 48, 64. */
static const Case cases[] = {
  { "mean", MEAN, "mean           16 bytes of the session, becomes m.out in place", 0, { 4, 10, 21, 34.5, 49.25 } },
  { "difference",
    DIFFERENCE,
    "before         16 bytes of the session, becomes up.out by a copy",
    1,
    { 0, 16, 16, 16, 16 } },
  { "register",
    REGISTER,
    "two            16 bytes of the session, becomes one.out by a copy",
    2,
    { -2, -1, 0, 16, 32 } },
  { "swap", SWAP, "becomes a.out by a copy", 3, { 12, 16 + 21, 32 + 12, 48 + 21, 64 + 12 } },
  { "shown", SHOWN, "becomes m.out by a copy", 1, { 0, 0, 16, 48, 96 } },
  { "constant", CONSTANT, "stays what it is", 0, { 3, 19, 35, 51, 67 } },
};

static float
run (SessionFixture *fixture, float x)
{
  const float items[4] = { x, x, x, x };
  g_autoptr (GBytes) result = session_fixture_run (fixture, items, sizeof items);
  const float *y = g_bytes_get_data (result, NULL);

  g_assert_cmpfloat (y[0], ==, y[3]);
  return y[0];
}

static guint64
predicted (SessionFixture *fixture, const char *name)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (fixture->session);
  g_autoptr (GVariant) prediction = leat_plan_dup_prediction (plan);
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (prediction, name, "t", &value));
  return value;
}

static void
check_case (const Case *self, LeatExecutor executor)
{
  SessionFixture fixture;
  g_autofree char *plan = NULL;
  g_autoptr (LeatPlan) bound = NULL;

  session_fixture_open (&fixture, self->text, executor);
  bound = leat_session_dup_plan (fixture.session);
  plan = leat_plan_to_text (bound);
  if (strstr (plan, self->plan) == NULL)
    g_test_message ("%s", plan);
  g_assert_nonnull (strstr (plan, self->plan));
  g_assert_cmpuint (predicted (&fixture, "device-copy-bytes"), ==, 16 * self->copies);
  for (guint i = 0; i < N_RUNS; i++)
    g_assert_cmpfloat (run (&fixture, 16.0f * i), ==, self->results[i]);
  g_clear_object (&bound);
  session_fixture_close (&fixture);
}

static void
test_session_state_goes_on (gconstpointer data)
{
  check_case (data, LEAT_EXECUTOR_GRAPH);
  check_case (data, LEAT_EXECUTOR_EAGER);
}

/* A session that is opened again begins anew, one that plans anew goes on. */
static void
test_session_state_lasts_as_long_as_the_session (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture,
                        "sum = state spec=f32[4]\n"
                        "m = map inputs=x,sum expr=x*g+sum g=1\n"
                        "app name=source spec=f32[4] -> upload mode=copy -> m.x\n"
                        "sum -> m.sum -> sum\n"
                        "m -> readback mode=copy -> app name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  g_assert_cmpfloat (run (&fixture, 3), ==, 3);
  g_assert_cmpfloat (run (&fixture, 4), ==, 7);
  leat_node_set_from_string (leat_pipeline_get_node (fixture.pipeline, "m", NULL), "expr", "x*g-sum", &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (run (&fixture, 1), ==, -6);
  leat_session_close (fixture.session);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpfloat (run (&fixture, 1), ==, 1);
  session_fixture_close (&fixture);
}

/* The text of a loop gives the same loop again. */
static void
test_session_state_is_written_as_text (gconstpointer data)
{
  const Case *self = data;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = g_strconcat ("leat 1\n", self->text, NULL);
  g_autoptr (LeatPipeline) first = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error), second = NULL;
  g_autofree char *once = NULL, *again = NULL;

  g_assert_no_error (error);
  once = leat_pipeline_to_text (first, LEAT_TEXT_STYLE_FILE, NULL);
  second = leat_parse_text (once, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  again = leat_pipeline_to_text (second, LEAT_TEXT_STYLE_FILE, NULL);
  g_assert_cmpstr (once, ==, again);
  g_assert_nonnull (strstr (once, "state"));
}

static const struct
{
  const char *name, *text;
  int code;
  const char *words;
} faults[] = {
  { "other-spec",
    "s = state spec=f32[4]\napp name=source spec=f32[5] -> upload mode=copy -> s\ns -> readback mode=copy -> app "
    "name=sink\n",
    LEAT_GRAPH_ERROR_SPEC, "would become f32[5], which upload0.out gives" },
  { "no-spec",
    "s = state\napp name=source spec=f32[5] -> upload mode=copy -> s\ns -> readback mode=copy -> app name=sink\n",
    LEAT_GRAPH_ERROR_SPEC, "cannot tell the spec of s.out" },
  { "open-spec", "s = state spec=f32[n]\ns -> readback mode=copy -> app name=sink\n", LEAT_GRAPH_ERROR_SPEC,
    "a state has a size that is known" },
  { "init-type", "s = state spec=u8[4] init=256\ns -> readback mode=copy -> app name=sink\n", LEAT_GRAPH_ERROR_RANGE,
    "init=256 is not a number that u8 holds" },
  { "init-sign", "s = state spec=u64[4] init=-1\ns -> readback mode=copy -> app name=sink\n", LEAT_GRAPH_ERROR_RANGE,
    "not a number that u64 holds" },
  { "init-text", "s = state spec=f32[4] init=one\ns -> readback mode=copy -> app name=sink\n", LEAT_GRAPH_ERROR_RANGE,
    "not a number that f32 holds" },
  { "init-twice", "s = state spec=f32[4] init=1 path=none\ns -> readback mode=copy -> app name=sink\n",
    LEAT_GRAPH_ERROR_RANGE, "both give its first value" },
  { "clear-and-update",
    "s = state spec=u32[256]\nk = kernel source=\"GRAPHS/counts.cu\" update=hist clear=hist\n"
    "app name=source spec=u8[4] -> upload mode=copy -> k.in\ns -> k.hist_in -> s\n",
    LEAT_GRAPH_ERROR_RANGE, "leave one of them out" },
  { "update-of-what",
    "s = state spec=u32[256]\nk = kernel source=\"GRAPHS/counts.cu\" update=his\n"
    "app name=source spec=u8[4] -> upload mode=copy -> k.in\ns -> k.his_in -> s\n",
    LEAT_GRAPH_ERROR_UNKNOWN_PORT, "did you mean \"hist\"?" },
  { "no-file", "s = state spec=f32[4] path=/proc/nowhere\ns -> readback mode=copy -> app name=sink\n",
    LEAT_GRAPH_ERROR_IO, "/proc/nowhere" },
};

static void
test_session_state_refuses (gconstpointer data)
{
  const guint i = GPOINTER_TO_UINT (data);
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "..", "graphs", NULL);
  g_auto (GStrv) parts = g_strsplit (faults[i].text, "GRAPHS", 2);
  g_autofree char *text = g_strjoinv (folder, parts), *whole = g_strconcat ("leat 1\n", text, NULL);
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, NULL);
  g_autoptr (GError) error = NULL;

  /* What can be told without a plan is told before. */
  if (pipeline == NULL)
    g_assert_null (leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error));
  else
    error = session_fixture_fail (text, NULL);
  g_assert_error (error, LEAT_GRAPH_ERROR, faults[i].code);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, faults[i].words));
}

/* Without a state in it a circle stays one. */
static void
test_session_state_alone_closes_circles (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (
    leat_parse_text ("leat 1\na = map expr=x\nb = map expr=x\na -> b -> a\n", LEAT_TEXT_STYLE_FILE, NULL, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_CYCLE);
}

static void
test_session_state_has_a_scope (void)
{
  SessionFixture fixture;
  g_autofree char *plan = NULL, *json = NULL;
  g_autoptr (LeatPlan) bound = NULL;

  session_fixture_open (
    &fixture,
    "s = state spec=f32[4] scope=lane\nm = map inputs=x,s expr=x+s\n"
    "app name=source spec=f32[4] -> upload mode=copy -> m.x\ns -> m.s -> s\nm -> readback mode=copy -> app name=sink\n",
    LEAT_EXECUTOR_GRAPH);
  bound = leat_session_dup_plan (fixture.session);
  plan = leat_plan_to_text (bound);
  json = leat_plan_to_json (bound);
  g_assert_nonnull (strstr (plan, "16 bytes of the lane, becomes m.out in place"));
  g_assert_nonnull (strstr (json, "\"scope\" : \"lane\""));
  g_assert_nonnull (strstr (json, "\"way\" : \"in-place\""));
  g_assert_cmpfloat (run (&fixture, 1), ==, 1);
  g_assert_cmpfloat (run (&fixture, 1), ==, 2);
  g_clear_object (&bound);
  session_fixture_close (&fixture);
}

#define LANES 3

/* Run i is in lane i modulo their number, and finds what the run before it in that lane has left. */
static void
test_session_state_of_each_lane (gconstpointer executor)
{
  SessionFixture fixture;
  g_autoptr (GVariant) plan = NULL;
  g_autoptr (GError) error = NULL;
  const float one[4] = { 1, 1, 1, 1 };
  guint64 planned = 0;

  session_fixture_open (
    &fixture,
    "s = state spec=f32[4] scope=lane init=100\nm = map inputs=x,s expr=x+s\n"
    "app name=source spec=f32[4] -> upload mode=copy -> m.x\ns -> m.s -> s\nm -> readback mode=copy -> app name=sink\n",
    (LeatExecutor) GPOINTER_TO_INT (executor));
  leat_session_close (fixture.session);
  g_object_set (fixture.session, "lanes", LANES, NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 7; i++)
    {
      g_autoptr (GBytes) bytes = g_bytes_new (one, sizeof one);

      g_assert_true (leat_app_push_bytes (fixture.source, bytes, NULL));
    }
  leat_app_end (fixture.source);
  leat_session_run (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 7; i++)
    {
      g_autoptr (GBytes) result = leat_app_pull_bytes (fixture.sink, 0, NULL);

      g_assert_nonnull (result);
      g_assert_cmpfloat (*(const float *) g_bytes_get_data (result, NULL), ==, (float) (101 + i / LANES));
    }
  plan = leat_session_predict (fixture.session, 7, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (plan, "state-bytes", "t", &planned));
  g_assert_cmpuint (planned, >=, LANES * sizeof one);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "device-bytes"), >=, planned);
  session_fixture_close (&fixture);
}

/* A kernel that adds to what is there: in the memory of the state, or in a copy where that is read by others. */
#define COUNTS                                                                                                         \
  "leat 1\n"                                                                                                           \
  "far = state spec=u32[256]\n"                                                                                        \
  "k = kernel source=\"%s/counts.cu\" update=hist grid=items:in\n"                                                     \
  "app name=source spec=u8[4] -> upload mode=copy -> k.in\n"                                                           \
  "far -> k.hist_in\n"                                                                                                 \
  "k -> far\n"                                                                                                         \
  "k -> readback mode=copy -> app name=sink\n"

static void
test_session_state_is_updated_by_kernels (gconstpointer data)
{
  const gboolean shown = GPOINTER_TO_INT (data);
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "..", "graphs", NULL);
  g_autofree char *text = g_strdup_printf (COUNTS "%s", folder, shown ? "far -> readback mode=copy -> discard\n" : "");
  SessionFixture fixture;

  session_fixture_open (&fixture, text + strlen ("leat 1\n"), LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (predicted (&fixture, "device-copy-bytes"), ==, shown ? 2 * 1024 : 0);
  for (guint run = 1; run <= 3; run++)
    {
      g_autoptr (GBytes) result = session_fixture_run (&fixture, "abca", 4);
      const guint32 *counts = g_bytes_get_data (result, NULL);

      g_assert_cmpuint (counts['a'], ==, 2 * run);
      g_assert_cmpuint (counts['c'], ==, run);
      g_assert_cmpuint (counts['d'], ==, 0);
    }
  session_fixture_close (&fixture);
}

/* By the name of the node or of the buffer; what it is not is told with what may be meant. */
static void
test_session_state_by_name (void)
{
  static const struct
  {
    const char *name, *error;
  } names[] = {
    { "mean", NULL },
    { "mean.out", NULL },
    { "mean.ou", "there is no state \"mean.ou\" (did you mean \"mean.out\"?)" },
    { "m", "there is no state \"m\" (there is mean.out)" },
    { "", "there is no state \"\" (there is mean.out)" },
  };
  SessionFixture fixture;

  session_fixture_open (&fixture, MEAN, LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatDeviceBuffer) state = leat_session_get_state (fixture.session, names[i].name, &error);

      g_assert_cmpstr (error != NULL ? error->message : NULL, ==, names[i].error);
      g_assert_true ((state != NULL) == (error == NULL));
      if (error != NULL)
        g_assert_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_UNKNOWN_NAME);
    }
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/session-state/goes-on/%s", cases[i].name);
      g_autofree char *text_path = g_strdup_printf ("/leat/session-state/is-written-as-text/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_session_state_goes_on);
      g_test_add_data_func (text_path, &cases[i], test_session_state_is_written_as_text);
    }
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/session-state/refuses/%s", faults[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_session_state_refuses);
    }
  g_test_add_func ("/leat/session-state/lasts-as-long-as-the-session", test_session_state_lasts_as_long_as_the_session);
  g_test_add_func ("/leat/session-state/alone-closes-circles", test_session_state_alone_closes_circles);
  g_test_add_func ("/leat/session-state/has-a-scope", test_session_state_has_a_scope);
  g_test_add_data_func ("/leat/session-state/of-each-lane/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH),
                        test_session_state_of_each_lane);
  g_test_add_data_func ("/leat/session-state/of-each-lane/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER),
                        test_session_state_of_each_lane);
  g_test_add_data_func ("/leat/session-state/is-updated-by-kernels/in-place", GINT_TO_POINTER (FALSE),
                        test_session_state_is_updated_by_kernels);
  g_test_add_data_func ("/leat/session-state/is-updated-by-kernels/by-a-copy", GINT_TO_POINTER (TRUE),
                        test_session_state_is_updated_by_kernels);
  g_test_add_func ("/leat/session-state/by-name", test_session_state_by_name);
  return g_test_run ();
}
