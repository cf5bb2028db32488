/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"
#include "session/leat-overseer-private.h"

#include <string.h>

/* `compact on-overflow=grow`: a run with too little room is done again with enough of it, and whoever asked for it sees
 * that one alone. */

#define MOST 5000

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatApp *source, *sink;
} Grow;

static void
grow_parse (Grow *self, const char *nodes, guint room)
{
  g_autofree char *text =
    g_strdup_printf ("leat 1\napp name=source spec=u32[<=%d] -> upload -> compact name=c where=x>=limit limit=100 "
                     "out=u32[<=%u] on-overflow=grow -> %s readback -> app name=sink\n",
                     MOST, room, nodes);
  GError *error = NULL;

  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  self->source = LEAT_APP (leat_pipeline_get_node (self->pipeline, "source", NULL));
  self->sink = LEAT_APP (leat_pipeline_get_node (self->pipeline, "sink", NULL));
  self->session = leat_session_new (self->pipeline, NULL);
}

static void
grow_open (Grow *self, const char *nodes, guint room)
{
  GError *error = NULL;

  grow_parse (self, nodes, room);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

static void
grow_close (Grow *self)
{
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

/* @n numbers of which @kept are 100 or more, here and there. */
static GBytes *
grow_make (guint n, guint kept, guint seed)
{
  guint32 *x = g_new (guint32, n + 1);

  for (guint i = 0; i < n; i++)
    {
      gboolean keep = (guint64) (i + 1) * kept / n > (guint64) i * kept / n;

      x[i] = (keep ? 100 : 0) + (i * 7919 + seed * 104729) % 100;
    }
  return g_bytes_new_take (x, n * sizeof *x);
}

/* What must come, by a loop. */
static GBytes *
grow_expect (GBytes *input, guint32 limit, guint32 more)
{
  gsize size;
  const guint32 *x = g_bytes_get_data (input, &size);
  guint32 *kept = g_malloc (size + 1);
  gsize k = 0;

  for (gsize i = 0; i < size / sizeof *x; i++)
    if (x[i] >= limit)
      kept[k++] = x[i] + more;
  return g_bytes_new_take (kept, k * sizeof *kept);
}

static void
grow_push (Grow *self, GBytes *input)
{
  GError *error = NULL;

  leat_app_push_bytes (self->source, input, &error);
  g_assert_no_error (error);
}

static void
grow_assert_bytes (GBytes *found, GBytes *expected)
{
  g_assert_nonnull (found);
  g_assert_cmpuint (g_bytes_get_size (found), ==, g_bytes_get_size (expected));
  g_assert_true (g_bytes_equal (found, expected));
}

static void
grow_assert_pull (Grow *self, GBytes *input, guint32 limit, guint32 more)
{
  GError *error = NULL;
  g_autoptr (GBytes) found = leat_app_pull_bytes (self->sink, 0, &error);
  g_autoptr (GBytes) expected = grow_expect (input, limit, more);

  g_assert_no_error (error);
  grow_assert_bytes (found, expected);
}

static void
grow_replay (Grow *self, guint n, guint kept, guint32 more)
{
  g_autoptr (GBytes) input = grow_make (n, kept, kept);
  GError *error = NULL;

  grow_push (self, input);
  g_assert_cmpint (leat_session_replay (self->session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  grow_assert_pull (self, input, 100, more);
}

static guint64
grow_get (Grow *self, const char *name)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (self->session);
  guint64 n = 0;

  g_assert_true (g_variant_lookup (stats, name, "t", &n));
  return n;
}

/* Any counts, one after the other: grows as often as must be, and where it did there is one message with the figures
 * that the statistics have. */
static void
test_replay (gconstpointer data)
{
  static const guint kept[] = { 0, 16, 17, 3, 200, 200, 1, 4999, 5000, 5000, 42 };
  static const guint64 needed[] = { 17, 200, 4999 };
  Grow self;
  g_autoptr (GVariant) stats = NULL, growths = NULL;
  LeatMessage *message;
  guint n_messages = 0;

  grow_parse (&self, "map expr=x+1 ->", 16);
  g_object_set (self.session, "executor", GPOINTER_TO_INT (data), NULL);
  g_assert_true (leat_session_open (self.session, NULL, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (kept); i++)
    grow_replay (&self, MOST, kept[i], 1);
  g_assert_cmpuint (grow_get (&self, "grown"), ==, G_N_ELEMENTS (needed));
  g_assert_cmpuint (grow_get (&self, "runs"), ==, G_N_ELEMENTS (kept));
  g_assert_cmpuint (grow_get (&self, "replans"), ==, 0);
  stats = leat_session_dup_stats (self.session);
  growths = g_variant_lookup_value (stats, "growths", G_VARIANT_TYPE ("a(sttt)"));
  for (; (message = leat_bus_pop (leat_pipeline_get_bus (self.pipeline), 0)) != NULL; leat_message_unref (message))
    {
      g_autoptr (GVariantDict) details = NULL;
      const char *output;
      guint64 told[3], counted[3];

      if (leat_message_get_kind (message) != LEAT_MESSAGE_CHANGE)
        continue;
      details = g_variant_dict_new (leat_message_get_details (message));
      g_variant_get_child (growths, n_messages, "(&sttt)", &output, &counted[0], &counted[1], &counted[2]);
      g_assert_cmpstr (output, ==, "c.out");
      g_assert_cmpuint (counted[0], ==, needed[n_messages]);
      g_assert_cmpuint (counted[2], >=, counted[0]);
      g_assert_cmpuint (counted[2], <=, MOST);
      g_assert_true (g_variant_dict_lookup (details, "grown", "&s", &output));
      g_assert_cmpstr (output, ==, "c.out");
      g_assert_true (g_variant_dict_lookup (details, "needed", "t", &told[0])
                     && g_variant_dict_lookup (details, "from", "t", &told[1])
                     && g_variant_dict_lookup (details, "to", "t", &told[2]));
      g_assert_cmpmem (told, sizeof told, counted, sizeof counted);
      n_messages++;
    }
  g_assert_cmpuint (n_messages, ==, G_N_ELEMENTS (needed));
  grow_close (&self);
}

/* The same room when it is opened again. */
static void
test_opened_again (void)
{
  Grow self;
  GError *error = NULL;

  grow_open (&self, "", 10);
  grow_replay (&self, 1000, 300, 0);
  leat_session_close (self.session);
  leat_session_open (self.session, NULL, &error);
  g_assert_no_error (error);
  grow_replay (&self, 1000, 300, 0);
  g_assert_cmpuint (grow_get (&self, "grown"), ==, 0);
  grow_close (&self);
}

/* What was cut off in the first is not there to be counted in the second, which so grows after it. */
static void
test_in_a_row (void)
{
  Grow self;

  grow_open (&self, "compact where=x>=0 out=u32[<=5] on-overflow=grow -> reduce op=count -> ", 7);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GBytes) input = grow_make (900, 300, 1);
      g_autoptr (GBytes) found = NULL;
      GError *error = NULL;

      grow_push (&self, input);
      g_assert_cmpint (leat_session_replay (self.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      found = leat_app_pull_bytes (self.sink, 0, NULL);
      g_assert_cmpuint (*(const guint64 *) g_bytes_get_data (found, NULL), ==, 300);
    }
  g_assert_cmpuint (grow_get (&self, "grown"), >=, 2);
  grow_close (&self);
}

/* Several outputs of one node have one room. */
static void
test_columns (void)
{
  GError *error = NULL;
  guint32 x[40], y[40];
  g_autoptr (LeatPipeline) pipeline =
    leat_parse_text ("leat 1\nc = compact inputs=x,y where=x>9 emit=both out=u32[<=3] out_y=u32[<=3] on-overflow=grow\n"
                     "app name=x spec=u32[40] -> upload -> c.x\napp name=y spec=u32[40] -> upload -> c.y\n"
                     "c.out -> discard\nc.out_y -> readback -> app name=kept\nc.indices -> readback -> app name=at\n",
                     LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatSession) session = NULL;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 40; i++)
    {
      x[i] = i % 2 == 0 ? 10 + i : 0;
      y[i] = 1000 + i;
    }
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GBytes) column = g_bytes_new (i == 0 ? x : y, sizeof x);

      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, i == 0 ? "x" : "y", NULL)), column, &error);
      g_assert_no_error (error);
    }
  g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GBytes) found =
        leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, i == 0 ? "kept" : "at", NULL)), 0, &error);
      const guint32 *data = g_bytes_get_data (found, NULL);

      g_assert_cmpuint (g_bytes_get_size (found), ==, 20 * sizeof *data);
      for (guint k = 0; k < 20; k++)
        g_assert_cmpuint (data[k], ==, 2 * k + (i == 0 ? 1000 : 0));
    }
  leat_session_close (session);
}

static void
test_given (void)
{
  Grow self;

  grow_open (&self, "map expr=x+1 ->", 10);
  for (guint i = 0; i < 6; i++)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
      g_autoptr (GPtrArray) results = NULL;
      g_autoptr (GBytes) expected = NULL;
      GError *error = NULL;

      g_ptr_array_add (inputs, grow_make (2000, 3 * i * i * i, i));
      leat_session_replay_given (self.session, inputs, &results, NULL, &error);
      g_assert_no_error (error);
      expected = grow_expect (inputs->pdata[0], 100, 1);
      grow_assert_bytes (results->pdata[0], expected);
    }
  g_assert_cmpuint (grow_get (&self, "grown"), >, 0);
  grow_close (&self);
}

/* Lanes that had too little room are done again, the others are not. */
static void
test_batch (void)
{
  Grow self;

  grow_open (&self, "map expr=x+1 ->", 10);
  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
      g_autoptr (GPtrArray) results = NULL;
      GError *error = NULL;

      for (guint i = 0; i < 21; i++)
        g_ptr_array_add (inputs, grow_make (1000, i % 5 == 3 ? 20 * i : i % 10, i));
      leat_session_replay_batch (self.session, 21, inputs, &results, NULL, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < 21; i++)
        {
          g_autoptr (GBytes) expected = grow_expect (inputs->pdata[i], 100, 1);

          error = leat_session_dup_entry_error (self.session, i);
          g_assert_no_error (error);
          grow_assert_bytes (results->pdata[i], expected);
        }
      g_assert_cmpuint (grow_get (&self, "runs"), ==, 21 * (round + 1));
      if (round == 1)
        break;
      g_assert_cmpuint (grow_get (&self, "grown"), >, 0);
      g_assert_cmpuint (grow_get (&self, "entry-errors"), ==, 0);
    }
  grow_close (&self);
}

/* Memory that was mapped has the room that it had: that lane says so, and after mapping once more it fits. */
static void
test_batch_mapped (void)
{
  Grow self;
  g_autoptr (GBytes) few = grow_make (1000, 3, 0), many = grow_make (1000, 400, 1);

  grow_open (&self, "", 10);
  for (guint round = 0; round < 2; round++)
    {
      LeatView in, out;
      guint64 stride, out_stride, count;
      GError *error = NULL;

      g_assert_true (leat_session_map_batch (self.session, "source", 2, &in, &stride, &error));
      g_assert_true (leat_session_map_batch (self.session, "sink", 2, &out, &out_stride, &error));
      for (guint i = 0; i < 2; i++)
        {
          memcpy ((guint8 *) in.data + i * stride, g_bytes_get_data (i == 0 ? few : many, NULL), 4000);
          g_assert_true (leat_session_set_entry_count (self.session, "source", i, 1000, &error));
        }
      leat_session_replay_batch (self.session, 2, NULL, NULL, NULL, &error);
      g_assert_no_error (error);
      error = leat_session_dup_entry_error (self.session, 0);
      g_assert_no_error (error);
      error = leat_session_dup_entry_error (self.session, 1);
      if (round == 0)
        {
          g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW);
          g_assert_nonnull (strstr (error->message, "map the batch again"));
          g_clear_error (&error);
          continue;
        }
      g_assert_no_error (error);
      for (guint i = 0; i < 2; i++)
        {
          g_autoptr (GBytes) expected = grow_expect (i == 0 ? few : many, 100, 0);

          g_assert_true (leat_session_get_entry_count (self.session, "sink", i, &count, &error));
          g_assert_cmpmem ((guint8 *) out.data + i * out_stride, count * 4, g_bytes_get_data (expected, NULL),
                           g_bytes_get_size (expected));
        }
    }
  grow_close (&self);
}

/* Streams, over one lane and several, and with many runs in a launch asked for: all results, in their order. */
static void
test_stream (gconstpointer data)
{
  guint lanes = GPOINTER_TO_UINT (data) % 16, batch = GPOINTER_TO_UINT (data) / 16;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  GError *error = NULL;
  Grow self;

  grow_parse (&self, "map expr=x+1 ->", 4);
  g_object_set (self.session, "lanes", lanes, "batch", batch, NULL);
  leat_session_open (self.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 60; i++)
    {
      g_ptr_array_add (inputs, grow_make (1000 + i, i % 7 == 6 ? 2 * i * (i / 20 + 1) : i % 5, i));
      grow_push (&self, inputs->pdata[i]);
    }
  leat_app_end (self.source);
  leat_session_run (self.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < inputs->len; i++)
    grow_assert_pull (&self, inputs->pdata[i], 100, 1);
  g_assert_null (leat_app_pull_bytes (self.sink, 0, NULL));
  g_assert_cmpuint (grow_get (&self, "runs"), ==, inputs->len);
  g_assert_cmpuint (grow_get (&self, "items-in"), ==, 60 * 1000 + 60 * 59 / 2);
  g_assert_cmpuint (grow_get (&self, "grown"), >=, 3);
  if (lanes > 1 && batch <= 1)
    g_assert_cmpuint (grow_get (&self, "in-flight-most"), <=, lanes);
  grow_close (&self);
}

static gpointer
grow_run_thread (gpointer data)
{
  GError *error = NULL;

  leat_session_run (((Grow *) data)->session, NULL, &error);
  g_assert_no_error (error);
  return NULL;
}

/* A program that gives the next data only when it has the last results: the lanes wait for these while one of them has
 * too little room. */
static void
test_lockstep (void)
{
  GThread *thread;
  Grow self;

  grow_parse (&self, "", 4);
  g_object_set (self.session, "lanes", 3, NULL);
  g_assert_true (leat_session_open (self.session, NULL, NULL));
  thread = g_thread_new ("run", grow_run_thread, &self);
  for (guint i = 0; i < 12; i++)
    {
      g_autoptr (GBytes) input = grow_make (1000, 1 + i * i, i);
      g_autoptr (GBytes) expected = grow_expect (input, 100, 0);
      g_autoptr (GBytes) found = NULL;

      grow_push (&self, input);
      found = leat_app_pull_bytes (self.sink, 30 * G_USEC_PER_SEC, NULL);
      grow_assert_bytes (found, expected);
    }
  leat_app_end (self.source);
  g_thread_join (thread);
  g_assert_cmpuint (grow_get (&self, "grown"), >, 2);
  grow_close (&self);
}

/* An argument that is set while the run is under way is for the next one, also where the run has to be done again. */
static void
test_two_halves (void)
{
  g_autoptr (GBytes) input = grow_make (1000, 300, 1);
  GError *error = NULL;
  Grow self;

  grow_open (&self, "", 10);
  for (guint i = 0; i < 2; i++)
    {
      grow_push (&self, input);
      g_assert_cmpint (leat_session_launch (self.session, NULL, &error), ==, LEAT_FLOW_DATA);
      leat_node_set_arg_int64 (leat_pipeline_get_node (self.pipeline, "c", NULL), "limit", 0, &error);
      g_assert_no_error (error);
      g_assert_cmpint (leat_session_complete (self.session, NULL, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      grow_assert_pull (&self, input, i == 0 ? 100 : 0, 0);
    }
  g_assert_cmpuint (grow_get (&self, "grown"), ==, 2);
  grow_close (&self);
}

/* The memo has the whole result. */
static void
test_memo (void)
{
  GError *error = NULL;
  Grow self;

  grow_parse (&self, "", 10);
  g_object_set (self.session, "memo", LEAT_MEMO_EXACT, NULL);
  leat_session_open (self.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 3; i++)
    {
      grow_replay (&self, 1000, 400, 0);
      grow_replay (&self, 1000, 5, 0);
    }
  g_assert_cmpuint (grow_get (&self, "memo-hits"), ==, 4);
  g_assert_cmpuint (grow_get (&self, "grown"), ==, 1);
  grow_close (&self);
}

/* Inputs that the program fills stay where they are, and need not be filled again; results may be elsewhere. */
static void
test_mapped (void)
{
  g_autoptr (GBytes) few = grow_make (1000, 5, 0), many = grow_make (1000, 500, 0);
  GError *error = NULL;
  LeatView in, out;
  gpointer was = NULL;
  Grow self;

  grow_open (&self, "", 10);
  for (guint i = 0; i < 4; i++)
    {
      GBytes *input = i % 2 == 0 ? few : many;
      g_autoptr (GBytes) expected = grow_expect (input, 100, 0);

      leat_session_map_input (self.session, "source", &in, &error);
      g_assert_no_error (error);
      g_assert_true (was == NULL || was == in.data);
      was = in.data;
      memcpy (in.data, g_bytes_get_data (input, NULL), 4000);
      leat_session_set_input_count (self.session, "source", 1000, &error);
      g_assert_no_error (error);
      leat_session_map_output (self.session, "sink", &out, &error);
      g_assert_no_error (error);
      for (guint again = 0; again < 2; again++)
        {
          g_assert_cmpint (leat_session_replay (self.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
          g_assert_no_error (error);
          leat_session_map_output (self.session, "sink", &out, &error);
          g_assert_cmpmem (out.data, out.count * 4, g_bytes_get_data (expected, NULL), g_bytes_get_size (expected));
        }
    }
  g_assert_cmpuint (grow_get (&self, "grown"), ==, 1);
  grow_close (&self);
}

/* Once it has grown a run is what it is for a pipeline that had the room from the beginning. */
static void
test_steady (void)
{
  GVariant *counts[2] = { NULL, NULL };
  GError *error = NULL;

  for (guint grows = 0; grows < 2; grows++)
    {
      g_autofree char *text = NULL;
      Grow self;

      grow_parse (&self, "map expr=x+1 ->", grows ? 10 : 600);
      g_object_set (self.session, "calibrate", FALSE, "wait", LEAT_WAIT_BLOCK, "executor", LEAT_EXECUTOR_GRAPH, NULL);
      g_assert_true (leat_session_open (self.session, NULL, NULL));
      grow_replay (&self, MOST, 500, 1);
      g_assert_cmpuint (grow_get (&self, "grown"), ==, grows);
      grow_replay (&self, MOST, 500, 1);
      g_assert_true (leat_session_start_counting (self.session, &error));
      g_assert_no_error (error);
      for (guint i = 0; i < 5; i++)
        grow_replay (&self, MOST, 500, 1);
      counts[grows] = leat_session_stop_counting (self.session, &error);
      g_assert_no_error (error);
      text = g_variant_print (counts[grows], TRUE);
      g_test_message ("%s", text);
      grow_close (&self);
    }
  g_assert_true (g_variant_equal (counts[0], counts[1]));
  g_variant_unref (counts[0]);
  g_variant_unref (counts[1]);
}

/* What it refuses before anything runs, since it could not be undone, or would break a word that was given. */
static void
test_refuses (void)
{
  static const struct
  {
    const char *text, *says;
  } table[] = {
    { "app name=a spec=u8[<=20] -> upload -> compact name=c where=x>1 out=u8[<=2] on-overflow=grow -> s.in\n"
      "app name=b spec=u8[<=20] -> upload -> text:scan name=s2 patterns=a -> discard\n"
      "s = discard\n",
      "\"s2\" changes s2." },
    { "app name=a spec=u8[<=20] -> upload -> compact name=c where=x>1 out=u8[<=2] on-overflow=grow -> readback -> "
      "app name=b memory=user\n",
      "\"b\" takes its result in memory of the program's" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *text = g_strconcat ("leat 1\n", table[i].text, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
      g_autoptr (LeatPlan) plan = NULL;

      g_assert_no_error (error);
      plan = leat_plan_new (pipeline, &error);
      g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, table[i].says));
      g_assert_nonnull (strstr (error->message, "c.out cannot grow"));
    }
}

static void
grow_fail (Grow *self, guint kept, GQuark domain, int code, const char *says)
{
  g_autoptr (GBytes) input = grow_make (1000, kept, 1);
  g_autoptr (GError) error = NULL;

  grow_push (self, input);
  g_assert_cmpint (leat_session_replay (self->session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, domain, code);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, says));
  g_assert_null (leat_app_pull_bytes (self->sink, 0, NULL));
}

/* A reader that takes so much and no more: the run has no result, and the next one that fits has. */
static void
test_sink_spec (void)
{
  GError *error = NULL;
  Grow self;

  self.pipeline = leat_parse_text ("leat 1\napp name=source spec=u32[<=5000] -> upload -> compact name=c where=x>=100 "
                                   "out=u32[<=10] on-overflow=grow -> readback -> app name=sink spec=u32[<=10]\n",
                                   LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  self.source = LEAT_APP (leat_pipeline_get_node (self.pipeline, "source", NULL));
  self.sink = LEAT_APP (leat_pipeline_get_node (self.pipeline, "sink", NULL));
  self.session = leat_session_new (self.pipeline, NULL);
  leat_session_open (self.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    {
      grow_replay (&self, 1000, 10, 0);
      grow_fail (&self, 11, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "there are 11 items to give in c.out");
    }
  g_assert_cmpuint (grow_get (&self, "grown"), ==, 0);
  grow_close (&self);
}

/* What the budget has no room for is refused with both numbers; less of it fits. */
static void
test_budget (void)
{
  guint64 before, budget;
  GError *error = NULL;
  Grow self;

  grow_parse (&self, "map expr=x+1 -> map expr=x*1 ->", 10);
  g_object_set (self.session, "calibrate", FALSE, NULL);
  leat_session_open (self.session, NULL, &error);
  g_assert_no_error (error);
  before = grow_get (&self, "device-bytes-most");
  leat_session_close (self.session);
  budget = before + 1000;
  g_object_set (self.session, "budget", budget, NULL);
  leat_session_open (self.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    {
      g_autofree char *allowed = g_strdup_printf ("its budget is %" G_GUINT64_FORMAT, budget);

      grow_replay (&self, 1000, 10, 1);
      grow_fail (&self, 900, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUDGET, allowed);
    }
  g_assert_cmpuint (grow_get (&self, "grown"), ==, 0);
  g_assert_cmpuint (grow_get (&self, "device-bytes-most"), <=, budget);
  grow_close (&self);
}

/* Two kernels after the one that grows; the input takes no memory of the device, so that what grows is most of it. */
static void
grow_parse_for_budget (Grow *self, guint room)
{
  grow_parse (self, "map expr=x+1 -> map expr=x*1 ->", room);
  g_object_set (leat_pipeline_get_node (self->pipeline, "upload0", NULL), "mode", LEAT_TRANSFER_MAPPED, NULL);
  g_object_set (self->session, "calibrate", FALSE, "lanes", 1, NULL);
}

static guint64
grow_predict (guint room)
{
  g_autoptr (GVariant) plan = NULL;
  GError *error = NULL;
  guint64 bytes;
  Grow self;

  grow_parse_for_budget (&self, room);
  plan = leat_session_predict (self.session, 1, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (plan, "device-bytes", "t", &bytes));
  grow_close (&self);
  return bytes;
}

/* An eighth more does not fit, and what was needed does.  While the plan is taken over both rooms are held. */
static void
test_budget_fits (void)
{
  g_autoptr (GVariant) stats = NULL, growths = NULL;
  guint64 held = grow_predict (10), to;
  GError *error = NULL;
  guint needed = 2000;
  Grow self;

  /* Memory is rounded. */
  while (needed < 4400 && grow_predict (needed + needed / 8) <= grow_predict (needed) + held)
    needed += 50;
  g_assert_cmpuint (needed, <, 4400);
  grow_parse_for_budget (&self, 10);
  g_object_set (self.session, "budget", grow_predict (needed) + held, NULL);
  leat_session_open (self.session, NULL, &error);
  g_assert_no_error (error);
  grow_replay (&self, MOST, needed, 1);
  stats = leat_session_dup_stats (self.session);
  growths = g_variant_lookup_value (stats, "growths", NULL);
  g_variant_get_child (growths, 0, "(sttt)", NULL, NULL, NULL, &to);
  g_assert_cmpuint (to, ==, needed);
  g_assert_cmpuint (grow_get (&self, "device-bytes-most"), <=, grow_predict (needed) + held);
  grow_close (&self);
}

/* Several runs on the same inputs, with the results of each or of the last. */
static void
test_repeat (gconstpointer data)
{
  LeatReadback readback = GPOINTER_TO_INT (data);
  g_autoptr (GBytes) input = grow_make (1000, 400, 1);
  GError *error = NULL;
  Grow self;

  grow_parse (&self, "map expr=x+1 ->", 10);
  g_object_set (self.session, "repeat", (guint64) 5, "readback", readback, NULL);
  leat_session_open (self.session, NULL, &error);
  g_assert_no_error (error);
  grow_push (&self, input);
  g_assert_cmpint (leat_session_replay (self.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  for (guint i = 0; i < (readback == LEAT_READBACK_EACH ? 5 : 1); i++)
    grow_assert_pull (&self, input, 100, 1);
  g_assert_null (leat_app_pull_bytes (self.sink, 0, NULL));
  g_assert_cmpuint (grow_get (&self, "grown"), ==, 1);
  g_assert_cmpuint (grow_get (&self, "runs"), ==, 5);
  grow_close (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/primitives/compact/grow/replay/auto", GINT_TO_POINTER (LEAT_EXECUTOR_AUTO), test_replay);
  g_test_add_data_func ("/primitives/compact/grow/replay/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test_replay);
  g_test_add_data_func ("/primitives/compact/grow/replay/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test_replay);
  g_test_add_func ("/primitives/compact/grow/opened-again", test_opened_again);
  g_test_add_func ("/primitives/compact/grow/in-a-row", test_in_a_row);
  g_test_add_func ("/primitives/compact/grow/columns", test_columns);
  g_test_add_func ("/primitives/compact/grow/given", test_given);
  g_test_add_func ("/primitives/compact/grow/batch", test_batch);
  g_test_add_func ("/primitives/compact/grow/batch-mapped", test_batch_mapped);
  g_test_add_data_func ("/primitives/compact/grow/stream/1", GUINT_TO_POINTER (1), test_stream);
  g_test_add_data_func ("/primitives/compact/grow/stream/3", GUINT_TO_POINTER (3), test_stream);
  g_test_add_data_func ("/primitives/compact/grow/stream/batch", GUINT_TO_POINTER (3 + 16 * 4), test_stream);
  g_test_add_func ("/primitives/compact/grow/lockstep", test_lockstep);
  g_test_add_func ("/primitives/compact/grow/two-halves", test_two_halves);
  g_test_add_func ("/primitives/compact/grow/memo", test_memo);
  g_test_add_func ("/primitives/compact/grow/mapped", test_mapped);
  g_test_add_func ("/primitives/compact/grow/steady", test_steady);
  g_test_add_func ("/primitives/compact/grow/refuses", test_refuses);
  g_test_add_func ("/primitives/compact/grow/sink-spec", test_sink_spec);
  g_test_add_func ("/primitives/compact/grow/budget", test_budget);
  g_test_add_func ("/primitives/compact/grow/budget-fits", test_budget_fits);
  g_test_add_data_func ("/primitives/compact/grow/repeat/each", GINT_TO_POINTER (LEAT_READBACK_EACH), test_repeat);
  g_test_add_data_func ("/primitives/compact/grow/repeat/final", GINT_TO_POINTER (LEAT_READBACK_FINAL), test_repeat);
  return g_test_run ();
}
