/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-scenario.h"

#include "fault-driver.h"
#include "foreign-node.h"

#include <string.h>

/* The ways to use a session. */

void
fault_fill (guint8 *bytes, gsize n, guint seed)
{
  for (gsize i = 0; i < n; i++)
    bytes[i] = (guint8) ("the cab of a black cat"[(i * 5 + seed) % 22] & 0x7f);
}

static LeatNode *
get_node (FaultDrive *self, const char *name)
{
  g_autoptr (GError) unexpected = NULL;
  LeatNode *node = leat_pipeline_get_node (self->pipeline, name, &unexpected);

  g_assert_no_error (unexpected);
  return node;
}

static void
set (gpointer object, const char *name, const char *value)
{
  g_autoptr (GError) unexpected = NULL;

  leat_node_set_from_string (object, name, value, &unexpected);
  g_assert_no_error (unexpected);
}

typedef LeatFlow (*FaultReplay) (LeatSession *session, GError **error);

static LeatFlow
replay (LeatSession *session, GError **error)
{
  return leat_session_replay (session, FALSE, NULL, error);
}

static LeatFlow
replay_in_halves (LeatSession *session, GError **error)
{
  LeatFlow flow = leat_session_launch (session, NULL, error);

  return flow == LEAT_FLOW_DATA ? leat_session_complete (session, NULL, error) : flow;
}

/* One run by the queues; NULL with an error. */
static GBytes *
get_output (FaultDrive *self, FaultReplay replay_it, guint seed, GError **error)
{
  g_autofree guint8 *data = g_malloc (self->bytes);
  g_autoptr (GBytes) input = NULL;
  g_autoptr (GError) unexpected = NULL;
  GBytes *output;

  fault_fill (data, self->bytes, seed);
  input = g_bytes_new (data, self->bytes);
  leat_app_push_bytes (self->source, input, &unexpected);
  g_assert_no_error (unexpected);
  if ((*replay_it) (self->session, error) == LEAT_FLOW_ERROR)
    {
      g_assert_null (leat_app_pull_bytes (self->sink, 0, NULL));
      return NULL;
    }
  output = leat_app_pull_bytes (self->sink, 0, &unexpected);
  g_assert_no_error (unexpected);
  g_assert_nonnull (output);
  return output;
}

static gboolean
run_by (FaultDrive *self, FaultReplay replay_it, guint seed, GError **error)
{
  GBytes *output = get_output (self, replay_it, seed, error);

  if (output != NULL)
    g_ptr_array_add (self->outputs, output);
  return output != NULL;
}

static gboolean
run (FaultDrive *self, guint seed, GError **error)
{
  return run_by (self, replay, seed, error);
}

static void
map_input (FaultDrive *self, guint seed)
{
  g_autoptr (GError) unexpected = NULL;
  LeatView in;

  leat_session_map_input (self->session, "source", &in, &unexpected);
  g_assert_no_error (unexpected);
  fault_fill (in.data, in.capacity, seed);
  leat_session_set_input_count (self->session, "source", leat_spec_get_dim (in.spec, 0), &unexpected);
  g_assert_no_error (unexpected);
}

static GBytes *
dup_mapped_output (FaultDrive *self)
{
  g_autoptr (GError) unexpected = NULL;
  LeatView out;

  leat_session_map_output (self->session, "sink", &out, &unexpected);
  g_assert_no_error (unexpected);
  return g_bytes_new (out.data, leat_view_get_bytes (&out));
}

/* One run on what the input's memory holds. */
static gboolean
run_in_place (FaultDrive *self, GError **error)
{
  g_bytes_unref (dup_mapped_output (self));
  if (leat_session_replay (self->session, FALSE, NULL, error) == LEAT_FLOW_ERROR)
    return FALSE;
  g_ptr_array_add (self->outputs, dup_mapped_output (self));
  return TRUE;
}

static void
change_arg (FaultDrive *self, double value)
{
  g_autoptr (GError) unexpected = NULL;

  if (self->scenario->arg == NULL)
    return;
  leat_node_set_arg (get_node (self, self->scenario->arg_node), self->scenario->arg, g_variant_new_double (value),
                     &unexpected);
  g_assert_no_error (unexpected);
}

/* A change between runs, and the end of the stream. */
static gboolean
drive_queues (FaultDrive *self, GError **error)
{
  if (!run (self, 1, error) || !run (self, 2, error))
    return FALSE;
  change_arg (self, 3);
  if (!run (self, 1, error))
    return FALSE;
  leat_app_end (self->source);
  return leat_session_run (self->session, NULL, error);
}

static gboolean
drive_in_place (FaultDrive *self, GError **error)
{
  map_input (self, 2);
  if (!run_in_place (self, error) || !run_in_place (self, error))
    return FALSE;
  change_arg (self, 2);
  return run_in_place (self, error);
}

static gboolean
drive_again (FaultDrive *self, GError **error)
{
  return run (self, 1, error) && run (self, 1, error);
}

/* Runs whose ends are slept for, and told of by another thread.  Looking would be as many calls as it takes time. */
static gboolean
drive_waits (FaultDrive *self, GError **error)
{
  return run (self, 3, error) && run_by (self, replay_in_halves, 4, error)
         && leat_session_get_fd (self->session, error) >= 0 && run_by (self, replay_in_halves, 5, error);
}

static gboolean
is_given_up (const GError *error)
{
  return g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED) || error->domain == LEAT_DRIVER_ERROR;
}

static char *
dup_value (FaultDrive *self, const FaultChange *change)
{
  GValue value = G_VALUE_INIT;
  char *text;

  g_object_get_property (G_OBJECT (get_node (self, change->node)), change->prop, &value);
  text = g_strdup_value_contents (&value);
  g_value_unset (&value);
  return text;
}

/* After a fault: the session is what it was before the change, or says that it has failed. */
static void
check_what_is_left (FaultDrive *self, const FaultChange *change, const char *was, GBytes *expected, GBytes *output,
                    const GError *error)
{
  g_autofree char *is = NULL;

  self->given_up = output == NULL;
  if (output == NULL && !is_given_up (error))
    fault_driver_complain ("%s of %s: the session that goes on says: %s", change->prop, change->node, error->message);
  if (output == NULL)
    return;
  is = dup_value (self, change);
  if (!g_str_equal (is, was))
    fault_driver_complain ("%s of %s is %s, and was %s", change->prop, change->node, is, was);
  if (self->scenario->keeps_nothing && !g_bytes_equal (output, expected))
    fault_driver_complain ("%s of %s: the session that goes on gives something else", change->prop, change->node);
}

static guint64
count_replans (FaultDrive *self)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (self->session);
  guint64 n = 0;

  g_assert_true (g_variant_lookup (stats, "replans", "t", &n));
  return n;
}

/* The plan is made anew by a run that has no data.  Where the call is one before that, the next run does it. */
static gboolean
take_change (FaultDrive *self, const FaultChange *change, GError **error)
{
  g_autofree char *was = dup_value (self, change);
  g_autoptr (GBytes) before = get_output (self, replay, 7, error);
  g_autoptr (GBytes) after = NULL;
  g_autoptr (GError) inner = NULL;
  const guint64 n = count_replans (self);

  if (before == NULL)
    return FALSE;
  set (get_node (self, change->node), change->prop, change->value);
  if (replay (self->session, error) != LEAT_FLOW_ERROR)
    {
      self->bytes = change->bytes > 0 ? change->bytes : self->bytes;
      return TRUE;
    }
  if (replay (self->session, &inner) != LEAT_FLOW_ERROR && count_replans (self) == n)
    after = get_output (self, replay, 7, &inner);
  if (count_replans (self) == n)
    check_what_is_left (self, change, was, before, after, inner);
  return FALSE;
}

static gboolean
drive_replan (FaultDrive *self, GError **error)
{
  for (const FaultChange *change = self->scenario->changes; change->node != NULL; change++)
    if (!take_change (self, change, error) || !run (self, 1, error))
      return FALSE;
  return TRUE;
}

/* By the run itself, which may be what fails. */
static gboolean
take_change_in_place (FaultDrive *self, const FaultChange *change, GError **error)
{
  g_autofree char *was = dup_value (self, change);
  g_autoptr (GBytes) before = dup_mapped_output (self);
  g_autoptr (GBytes) after = NULL;
  g_autoptr (GError) inner = NULL;
  const guint64 n = count_replans (self);

  set (get_node (self, change->node), change->prop, change->value);
  if (replay (self->session, error) != LEAT_FLOW_ERROR)
    return TRUE;
  if (count_replans (self) > n)
    return FALSE;
  if (replay (self->session, &inner) != LEAT_FLOW_ERROR)
    after = dup_mapped_output (self);
  if (count_replans (self) == n)
    check_what_is_left (self, change, was, before, after, inner);
  return FALSE;
}

/* With the graph for inputs that are there already. */
static gboolean
drive_replan_in_place (FaultDrive *self, GError **error)
{
  map_input (self, 2);
  if (!run_in_place (self, error) || !run_in_place (self, error))
    return FALSE;
  for (const FaultChange *change = self->scenario->changes; change->node != NULL; change++)
    {
      if (!take_change_in_place (self, change, error))
        return FALSE;
      map_input (self, 2);
      if (!run_in_place (self, error) || !run_in_place (self, error))
        return FALSE;
    }
  return TRUE;
}

static GBytes *
make_input (FaultDrive *self, guint seed)
{
  guint8 *data = g_malloc (self->bytes);

  fault_fill (data, self->bytes, seed);
  return g_bytes_new_take (data, self->bytes);
}

/* More inputs than go into a launch, and the rest. */
static gboolean
drive_batch (FaultDrive *self, GError **error)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint seed = 1; seed <= 3; seed++)
    g_ptr_array_add (inputs, make_input (self, seed));
  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (GPtrArray) results = NULL;

      change_arg (self, round + 2);
      if (!leat_session_replay_batch (self->session, inputs->len, inputs, &results, NULL, error))
        return FALSE;
      for (guint i = 0; i < results->len; i++)
        g_ptr_array_add (self->outputs, g_bytes_ref (g_ptr_array_index (results, i)));
    }
  return TRUE;
}

/* With several runs under way: those before the one that fails give their results. */
static gboolean
drive_stream (FaultDrive *self, GError **error)
{
  gboolean good;
  GBytes *output;

  for (guint seed = 1; seed <= 5; seed++)
    {
      g_autoptr (GBytes) input = make_input (self, seed);
      g_autoptr (GError) unexpected = NULL;

      leat_app_push_bytes (self->source, input, &unexpected);
      g_assert_no_error (unexpected);
    }
  leat_app_end (self->source);
  good = leat_session_run (self->session, NULL, error);
  while ((output = leat_app_pull_bytes (self->sink, 0, NULL)) != NULL)
    g_ptr_array_add (self->outputs, output);
  return good;
}

/* What had the output's name before must be there after an error. */
static void
take_file (FaultDrive *self, const char *path, gboolean good)
{
  char *contents;
  gsize size;

  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  if (good)
    {
      g_ptr_array_add (self->outputs, g_bytes_new_take (contents, size));
      return;
    }
  g_assert_cmpstr (contents, ==, "before");
  g_free (contents);
}

static gboolean
drive_file (FaultDrive *self, GError **error)
{
  char *outputs[2];
  gboolean good;

  self->pipeline = fault_scenario_parse_file (self->scenario, outputs);
  for (guint i = 0; i < G_N_ELEMENTS (outputs) && outputs[i] != NULL; i++)
    g_assert_true (g_file_set_contents (outputs[i], "before", -1, NULL));
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", self->executor, NULL);
  good = leat_session_open (self->session, NULL, error) && leat_session_run (self->session, NULL, error);
  g_clear_object (&self->session);
  for (guint i = 0; i < G_N_ELEMENTS (outputs) && outputs[i] != NULL; i++)
    {
      take_file (self, outputs[i], good);
      g_free (outputs[i]);
    }
  return good;
}

static gboolean
is_file (const FaultScenario *scenario)
{
  return scenario->out != NULL;
}

static gboolean
keeps_nothing (const FaultScenario *scenario)
{
  return scenario->keeps_nothing;
}

static gboolean
binds (const FaultScenario *scenario)
{
  return scenario->binds;
}

/* A change of shape gives the input memory that is filled after the run which takes the change over. */
static gboolean
takes_any_data (const FaultScenario *scenario)
{
  return !is_file (scenario) && !binds (scenario) && !scenario->minds_data;
}

static gboolean
takes_foreign (const FaultScenario *scenario)
{
  return scenario->first != NULL;
}

const FaultPart fault_parts[] = {
  { .name = "file", .drive = drive_file, .suits = is_file },
  { .name = "queues", .drive = drive_queues },
  { .name = "in-place", .drive = drive_in_place, .opens_as_others = TRUE },
  { .name = "memo",
    .drive = drive_again,
    .suits = keeps_nothing,
    .prop = "memo",
    .value = LEAT_MEMO_EXACT,
    .opens_as_others = TRUE },
  { .name = "waits", .drive = drive_waits, .prop = "wait", .value = LEAT_WAIT_BLOCK, .opens_as_others = TRUE },
  { .name = "timing", .drive = drive_queues, .prop = "timing", .value = LEAT_TIMING_NODES },
  { .name = "replan", .drive = drive_replan, .replans = TRUE, .opens_as_others = TRUE },
  { .name = "replan-timing",
    .drive = drive_replan,
    .prop = "timing",
    .value = LEAT_TIMING_NODES,
    .replans = TRUE,
    .opens_as_others = TRUE },
  { .name = "replan-without-a-cache",
    .drive = drive_replan,
    .prop = "cache-bytes",
    .value = 0,
    .replans = TRUE,
    .opens_as_others = TRUE },
  { .name = "replan-in-place",
    .drive = drive_replan_in_place,
    .suits = takes_any_data,
    .replans = TRUE,
    .opens_as_others = TRUE },
  { .name = "bound", .drive = fault_drive_bound, .suits = binds },
  { .name = "bound-buffers", .drive = fault_drive_bound_buffers, .suits = binds, .opens_as_others = TRUE },
  { .name = "lanes", .drive = drive_stream, .prop = "lanes", .value = 3, .opens_as_others = TRUE },
  { .name = "wide", .drive = drive_stream, .prop = "batch", .value = 2, .opens_as_others = TRUE },
  { .name = "batch", .drive = drive_batch, .prop = "batch", .value = 2, .opens_as_others = TRUE },
  { .name = "foreign", .drive = drive_queues, .suits = takes_foreign, .foreign = TRUE },
  { .name = "foreign-outside", .drive = drive_queues, .suits = takes_foreign, .foreign = TRUE, .outside = "as asked" },
};
const guint fault_n_parts = G_N_ELEMENTS (fault_parts);

gboolean
fault_part_suits (const FaultPart *self, const FaultScenario *scenario)
{
  return self->suits != NULL ? (*self->suits) (scenario) : !is_file (scenario) && !binds (scenario);
}

/* Between the upload and the first kernel. */
static void
add_foreign (FaultDrive *self)
{
  ForeignNode *foreign = foreign_node_new ("foreign");
  g_autoptr (LeatNode) node = LEAT_NODE (foreign);
  LeatNode *first = get_node (self, self->scenario->first);
  g_autoptr (GPtrArray) ports = leat_node_list_ports (first);
  g_autoptr (GError) unexpected = NULL;

  foreign->why_not_captured = self->part->outside;
  leat_port_unlink (g_ptr_array_index (ports, 0));
  leat_pipeline_add (self->pipeline, node, &unexpected);
  g_assert_no_error (unexpected);
  g_assert_true (leat_pipeline_link (self->pipeline, "up", "foreign", &unexpected));
  g_assert_true (leat_pipeline_link (self->pipeline, "foreign", self->scenario->first, &unexpected));
}

static void
set_session (FaultDrive *self)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_INT);
  g_value_set_int (&value, self->part->value);
  if (self->part->prop != NULL)
    g_object_set_property (G_OBJECT (self->session), self->part->prop, &value);
}

static gboolean
drive_app (FaultDrive *self, GError **error)
{
  g_autofree char *text = fault_scenario_dup_text (self->scenario);
  g_autoptr (GError) unexpected = NULL;

  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &unexpected);
  g_assert_no_error (unexpected);
  self->source = LEAT_APP (get_node (self, "source"));
  self->sink = LEAT_APP (get_node (self, "sink"));
  self->bytes = self->scenario->bytes;
  if (self->part->foreign)
    add_foreign (self);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", self->executor, NULL);
  set_session (self);
  if (!leat_session_open (self->session, NULL, error))
    return FALSE;
  self->n_opening = fault_driver_count_calls ();
  return (*self->part->drive) (self, error);
}

gboolean
fault_drive_run (FaultDrive *self, GError **error)
{
  gboolean good = is_file (self->scenario) ? drive_file (self, error) : drive_app (self, error);

  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
  return good;
}
