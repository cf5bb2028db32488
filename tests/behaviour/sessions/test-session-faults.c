/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"
#include "fault-scenario.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* Every driver call of a session of each example graph is made to fail, one after the other; all of them in the slow
 * suite, else one in so many, and others for each graph, executor and code.
 *
 *   test-core-session-faults [SCENARIO EXECUTOR]: all calls of these */

static guint every_nth = 307;
static guint again_every_nth = 1;                   /* of them, the next session is tried */
static const char *asked_scenario, *asked_executor; /* NULL: all */
static char *folder;

typedef struct
{
  const FaultScenario *scenario;
  const FaultPart *part;
  LeatExecutor executor;
  const char *code;
  gboolean sticky;
  gboolean lasting; /* all calls from there on fail, until the session is gone */
  guint number;     /* so that not all sweeps leave out the same calls */
} Sweep;

/* What there is without a fault. */
typedef struct
{
  GPtrArray *outputs; /* GBytes */
  guint64 n_calls, first;
} Whole;

static GHashTable *wholes; /* by scenario, part and executor */

static FaultDrive
drive (const Sweep *self, GError **error)
{
  FaultDrive drive = { .scenario = self->scenario, .part = self->part, .executor = self->executor };

  drive.outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  fault_drive_run (&drive, error);
  return drive;
}

/* All of @found are the first of @expected; all of them where the run went well. */
static void
assert_outputs (const char *when, GPtrArray *found, GPtrArray *expected, gboolean all)
{
  if (all ? found->len != expected->len : found->len > expected->len)
    fault_driver_complain ("%s: %u results and not %u", when, found->len, expected->len);
  for (guint i = 0; i < found->len; i++)
    if (!g_bytes_equal (found->pdata[i], expected->pdata[i]))
      fault_driver_complain ("%s: result %u is wrong", when, i);
}

/* Calls after which a program can go on, and does: they give something back, or tell what only messages need, or are
 * made once more. */
static gboolean
may_go_on_after (const Sweep *self, const char *call)
{
  static const char *const words[] = { "Destroy", "Free", "Unload", "Release", "Pop", "GetInfo", "GetError", "GetUuid",
                                       "GetPCIBusId", "cuStreamSynchronize", "cuCtxSynchronize", "cuCtxPushCurrent",
                                       /* figures, and what is given back early */
                                       "cuMemGetInfo", "cuCtxGetDevice", "GraphMem" };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (call, words[i]) != NULL)
      return TRUE;
  return g_str_equal (self->code, "OUT_OF_MEMORY")
         && (g_str_equal (call, "cuMemAlloc") || g_str_has_prefix (call, "cuMemHost")
             || g_str_equal (call, "cuArray3DCreate"));
}

/* What cannot be captured is done outside of the graph; a graph that not every run takes is made later; and what there
 * is no room for is tried once more without the shapes that were kept. */
static gboolean
may_do_otherwise_after (const Sweep *self, const char *call)
{
  return self->part->foreign
         || (self->part->replans && (g_str_has_prefix (call, "cuGraph") || g_str_equal (self->code, "OUT_OF_MEMORY")));
}

/* Calls that write memory which a session is to go on with, and for that make the context current: nobody knows what it
 * holds after them. */
static gboolean
may_give_up_after (const char *call)
{
  return g_str_equal (call, "cuMemcpyHtoD") || g_str_equal (call, "cuMemsetD8")
         || g_str_equal (call, "cuStreamSynchronize") || g_str_equal (call, "cuCtxPushCurrent");
}

/* Calls that are made for one node. */
static gboolean
is_for_a_node (const char *call)
{
  static const char *const words[] = { "cuGraphAdd", "cuLaunch",     "cuGraphExecKernelNode",
                                       "cuFunc",     "cuModuleLoad", "cuModuleGetFunction",
                                       "Async",      "cuOccupancy" };

  for (gsize i = 0; i < G_N_ELEMENTS (words); i++)
    if (strstr (call, words[i]) != NULL)
      return TRUE;
  return FALSE;
}

static void
assert_error (const Sweep *self, const char *when, const char *call, const GError *error)
{
  if (error == NULL)
    {
      if (!may_go_on_after (self, call) && !may_do_otherwise_after (self, call))
        fault_driver_complain ("%s: no error", when);
      return;
    }
  /* What has failed for good says so at the next call that matters. */
  if (self->sticky && (may_go_on_after (self, call) || may_do_otherwise_after (self, call)))
    return;
  if (error->domain != LEAT_DRIVER_ERROR || strstr (error->message, call) == NULL)
    fault_driver_complain ("%s: the error does not name the call: %s", when, error->message);
  if (is_for_a_node (call) && strchr (error->message, '"') == NULL
      && strstr (error->message, "resident buffers") == NULL)
    fault_driver_complain ("%s: the error does not name the node: %s", when, error->message);
}

static void
try_again (const Sweep *self, const char *when, GPtrArray *expected)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) outputs = drive (self, &error).outputs;

  if (error != NULL)
    fault_driver_complain ("%s: the next session fails: %s", when, error->message);
  assert_outputs (when, outputs, expected, TRUE);
}

/* Nothing proves that what was begun has ended, so it is kept until the next session can prove it; when that one is
 * closed nothing is left of either. */
static void
sweep_from (const Sweep *self, guint64 n, GPtrArray *expected)
{
  g_autofree char *plan = g_strdup_printf ("call:%" G_GUINT64_FORMAT "+=%s", n, self->code);
  g_autofree char *when = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  const char *failed;

  fault_driver_plant (plan);
  outputs = drive (self, &error).outputs;
  failed = fault_driver_get_failed ();
  when = g_strdup_printf ("%s (%s)", plan, failed != NULL ? failed : "not reached");
  assert_outputs (when, outputs, expected, error == NULL);
  if (error != NULL && error->domain != LEAT_DRIVER_ERROR && error->domain != LEAT_SESSION_ERROR)
    fault_driver_complain ("%s: the error is not the driver's: %s", when, error->message);
  fault_driver_plant_on ("");
  try_again (self, when, expected);
  fault_driver_assert_empty (when, FALSE);
}

static void
sweep_one (const Sweep *self, guint64 n, GPtrArray *expected)
{
  g_autofree char *plan = g_strdup_printf ("call:%" G_GUINT64_FORMAT "=%s", n, self->code);
  g_autofree char *when = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) outputs = NULL;
  const char *failed;
  FaultDrive found;

  fault_driver_plant (plan);
  found = drive (self, &error);
  outputs = found.outputs;
  failed = fault_driver_get_failed ();
  when = g_strdup_printf ("%s (%s)", plan, failed != NULL ? failed : "not reached");
  /* A run whose clean-up differs may end before; all that is asked for comes from the one without faults. */
  if (failed != NULL)
    assert_error (self, when, failed, error);
  else
    g_assert_no_error (error);
  if (found.given_up && !self->sticky && !may_give_up_after (failed))
    fault_driver_complain ("%s: the session is given up", when);
  assert_outputs (when, outputs, expected, error == NULL);
  fault_driver_assert_empty (when, !self->sticky);

  if (n % again_every_nth != 0)
    return;
  fault_driver_plant ("");
  try_again (self, when, expected);
  fault_driver_assert_empty (when, TRUE);
}

/* Most codes go the same way, so that fewer will do where a sweep is long. */
static guint64
get_step (const Sweep *self)
{
  return every_nth * (self->part->replans && !g_str_equal (self->code, "UNKNOWN") ? 5 : 1);
}

static Whole *
whole_new (const Sweep *sweep)
{
  Whole *self = g_new (Whole, 1);
  g_autoptr (GError) error = NULL;
  FaultDrive found;

  g_ptr_array_unref (drive (sweep, &error).outputs); /* compiles the kernels */
  g_assert_no_error (error);
  fault_driver_plant ("");
  found = drive (sweep, &error);
  g_assert_no_error (error);
  self->outputs = found.outputs;
  self->n_calls = fault_driver_count_calls ();
  self->first = sweep->part->opens_as_others ? found.n_opening : 0;
  fault_driver_assert_empty ("without a fault", TRUE);
  return self;
}

static void
whole_free (gpointer data)
{
  Whole *self = data;

  g_ptr_array_unref (self->outputs);
  g_free (self);
}

/* It is the same for all codes. */
static const Whole *
get_whole (const Sweep *sweep)
{
  g_autofree char *key = g_strdup_printf ("%s %s %d", sweep->scenario->name, sweep->part->name, (int) sweep->executor);
  Whole *whole = g_hash_table_lookup (wholes, key);

  if (whole != NULL)
    return whole;
  whole = whole_new (sweep);
  g_hash_table_insert (wholes, g_steal_pointer (&key), whole);
  return whole;
}

static void
test_sweep (gconstpointer data)
{
  const Sweep *self = data;
  const guint64 step = get_step (self);
  const Whole *whole = get_whole (self);

  g_test_message ("%" G_GUINT64_FORMAT " driver calls, %" G_GUINT64_FORMAT " left out", whole->n_calls, whole->first);
  g_assert_cmpuint (whole->n_calls, >, 50);
  for (guint64 n = whole->first + 1 + self->number % step; n <= whole->n_calls; n += step)
    self->lasting ? sweep_from (self, n, whole->outputs) : sweep_one (self, n, whole->outputs);
}

static void
remove_files (void)
{
  static const char *const names[] = { "in.txt",  "in.png",  "in.npy",           "in.packages",     "out.txt",
                                       "out.png", "out.npy", "out.npy-also.npy", "out.png-also.png" };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *path = g_build_filename (folder, names[i], NULL);

      g_unlink (path);
    }
  /* Half a file that was left would be in the way. */
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

static void
copy_file (const char *from, const char *to)
{
  g_autofree char *path = g_build_filename (folder, to, NULL);
  g_autofree char *contents = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (from, &contents, &size, NULL));
  g_assert_true (g_file_set_contents (path, contents, size, NULL));
}

static void
make_files (void)
{
  g_autofree char *samples = g_test_build_filename (G_TEST_DIST, "..", "graphs", "samples.npy", NULL);
  g_autofree char *text = g_build_filename (folder, "in.txt", NULL);
  /* 3 x 2 pixels */
  static const char png[] =
    "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAHElEQVR42mNg4BJxC4jqmbaAQcPIJq+iacu+EwA1DAcJgvYC"
    "wgAAAABJRU5ErkJggg==";
  g_autofree guchar *bytes = NULL;
  g_autofree char *picture = g_build_filename (folder, "in.png", NULL);
  g_autofree char *packages = g_build_filename (folder, "in.packages", NULL);
  static const char depends[] = "Package: cab\nStatus: install ok installed\nDepends: cat, black\n\n"
                                "Package: cat\nStatus: install ok installed\nDepends: libc\n\n"
                                "Package: black\nStatus: install ok installed\nDepends: libc, cat\n\n"
                                "Package: libc\nStatus: install ok installed\n\n"
                                "Package: lonely\nStatus: install ok installed\n";
  gsize size;

  bytes = g_base64_decode (png, &size);
  g_assert_true (g_file_set_contents (picture, (const char *) bytes, size, NULL));
  g_assert_true (
    g_file_set_contents (text, "a cat in a cab sees a cat that is in another cab, and so on: cat, cab", -1, NULL));
  copy_file (samples, "in.npy");
  g_assert_true (g_file_set_contents (packages, depends, -1, NULL));
}

static void
read_arguments (int argc, char **argv)
{
  if (argc < 3)
    return;
  asked_scenario = argv[1];
  asked_executor = argv[2];
  every_nth = 1;
  again_every_nth = 4;
}

static gboolean
is_asked_for (const char *scenario, const char *executor)
{
  return asked_scenario == NULL
         || (strstr (scenario, asked_scenario) != NULL && g_str_equal (executor, asked_executor));
}

static void
add_sweeps (Sweep wanted)
{
  static guint n_sweeps;

  for (int executor = LEAT_EXECUTOR_GRAPH; executor <= LEAT_EXECUTOR_EAGER; executor++)
    {
      Sweep *sweep = g_new (Sweep, 1); /* read until the program ends */
      const char *name = executor == LEAT_EXECUTOR_GRAPH ? "graph" : "eager";
      g_autofree char *path =
        g_strdup_printf ("/leat/session/faults/%s/%s/%s/%s%s", wanted.scenario->name, wanted.part->name, name,
                         wanted.code, wanted.lasting ? "-from-then-on" : "");

      *sweep = wanted;
      sweep->executor = executor;
      sweep->number = n_sweeps++;
      if (is_asked_for (wanted.scenario->name, name))
        g_test_add_data_func_full (path, sweep, test_sweep, g_free);
      else
        g_free (sweep);
    }
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *code;
    gboolean sticky, lasting;
  } codes[] = { { "UNKNOWN", FALSE, FALSE },
                { "OUT_OF_MEMORY", FALSE, FALSE },
                { "ILLEGAL_ADDRESS", TRUE, FALSE },
                { "UNKNOWN", FALSE, TRUE } };
  int status;

  g_test_init (&argc, &argv, NULL);
  read_arguments (argc, argv);
  if (!fault_driver_init_or_skip ())
    return 0;
  folder = g_dir_make_tmp ("leat-faults-XXXXXX", NULL);
  fault_scenario_init (folder);
  make_files ();
  for (gsize c = 0; c < G_N_ELEMENTS (codes); c++)
    for (guint i = 0; i < fault_n_scenarios; i++)
      for (guint k = 0; k < fault_n_parts; k++)
        if (fault_part_suits (&fault_parts[k], &fault_scenarios[i]))
          add_sweeps (
            (Sweep){ &fault_scenarios[i], &fault_parts[k], 0, codes[c].code, codes[c].sticky, codes[c].lasting, 0 });
  wholes = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, whole_free);
  status = g_test_run ();
  g_hash_table_unref (wholes);
  remove_files ();
  return status;
}
