/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <glib.h>
#include <string.h>
#include <sys/wait.h>

#include "cuda-script.h"
#include "cuda-table.h"

/* What the environment does to the driver: profiles and planted faults.  Each case runs in a process of its own, which
 * is this program called with --run. */
typedef struct
{
  const char *name;
  const char *profile;
  const char *fault;
  const char *script; /* NULL: opening the driver fails */
} EnvironmentCase;

/* A loop that has no end of its own. */
#define LOOP                                                                                                           \
  "graph g0; alloc d0 64; condition c0 g0 1 assign; add-if n0 g0 c0 1 1 g1; add-set n1 g1 d0 5; instantiate x0 g0; "

static const EnvironmentCase cases[] = {
  { "profile/memory", "memory=1M", NULL,
    "attribute 16 ? ; alloc d0 1048577 = OUT_OF_MEMORY; alloc d0 1000000; alloc d1 100000 = OUT_OF_MEMORY; free d0; "
    "alloc d1 100000;"
    "memory 1048576 948576" },
  { "profile/named", "h100", NULL,
    "attribute 16 132; attribute 75 9; attribute 76 0; attribute 97 232448; attribute 106 32" },
  { "profile/named-and-changed", "laptop,multiprocessors=3,cc=7.5,memory=2G", NULL,
    "attribute 16 3; attribute 75 7; attribute 76 5; memory 2147483648 2147483648" },
  { "profile/fields", "threads-per-block=512,block-x=256,grid-y=7,shared=16K,async-engines=1,integrated=0", NULL,
    "attribute 1 512; attribute 2 256; attribute 6 7; attribute 8 16384; attribute 40 1; attribute 18 0" },
  { "profile/unknown-field", "colour=blue", NULL, NULL },
  { "profile/unknown-name", "h9000", NULL, NULL },
  { "profile/bad-number", "multiprocessors=many", NULL, NULL },

  /* In a process where no thread is left over from anything before. */
  { "threads/work-one-after-the-other-shares-them", NULL, NULL, "stream s0; host-often s0 60 6; sync s0; check c 60" },
  { "threads/work-side-by-side-has-one-each", NULL, NULL,
    "stream s0 nb; stream s1 nb; stream s2 nb; stream s3 nb; block s0; block s1; block s2; host-often s3 3 4; "
    "check c 3; open; sync s0; sync s1; sync s2; host-often s3 60 6" },
  { "context/flags", NULL, NULL,
    "context 0 1 0; context-flags 0 8; context 0 1 8; context-flags 0 65536 = INVALID_VALUE; context-flags 1 8 = "
    "INVALID_DEVICE; context 0 1 8; context 1 1 = INVALID_DEVICE" },

  { "fault/init", NULL, "init=NO_DEVICE", NULL },
  { "fault/alloc-third", NULL, "alloc:3", "alloc d0 64; alloc d1 64; alloc d2 64 = OUT_OF_MEMORY; alloc d2 64" },
  { "fault/alloc-from-second", NULL, "alloc:2+",
    "alloc d0 64; alloc d1 64 = OUT_OF_MEMORY; alloc d2 64 = OUT_OF_MEMORY" },
  { "fault/host-alloc", NULL, "host-alloc:1", "alloc-host h0 64 = OUT_OF_MEMORY; alloc d0 64; alloc-host h0 64" },
  { "fault/instantiate", NULL, "instantiate:1", "graph g0; instantiate x0 g0 = OUT_OF_MEMORY; instantiate x0 g0" },
  { "fault/stream", NULL, "stream:2=UNKNOWN", "stream s0; stream s1 = UNKNOWN" },
  { "fault/event", NULL, "event:1", "event e0 = OUT_OF_MEMORY; event e0" },
  { "fault/copy-is-sticky", NULL, "copy:2=ILLEGAL_ADDRESS",
    "stream s0; alloc d0 64; alloc-host h0 64; copy s0 d0 h0; sync s0; copy s0 d0 h0; sync s0 = ILLEGAL_ADDRESS;"
    "copy s0 d0 h0 = ILLEGAL_ADDRESS; alloc d1 64 = ILLEGAL_ADDRESS; sync-context = ILLEGAL_ADDRESS; event e0 = "
    "ILLEGAL_ADDRESS" },
  { "fault/set", NULL, "set:1=LAUNCH_FAILED",
    "stream s0; alloc d0 64; set s0 d0 1; sync s0 = LAUNCH_FAILED; query s0 = LAUNCH_FAILED" },
  { "fault/host-function", NULL, "host-function:1", "stream s0; host s0; sync s0 = LAUNCH_FAILED; check c 0" },
  { "fault/reset-heals", NULL, "set:1=ILLEGAL_ADDRESS",
    "stream s0; alloc d0 64; set s0 d0 1; sync s0 = ILLEGAL_ADDRESS; reset; stream s0; alloc d0 64; set s0 d0 1; sync "
    "s0" },
  { "fault/graph-node", NULL, "set:2=ILLEGAL_ADDRESS",
    "graph g0; alloc d0 64; add-set n0 g0 d0 1; add-set n1 g0 d0 2 n0; add-host n2 g0 n1; instantiate x0 g0; stream "
    "s0; launch x0 s0;"
    "sync s0 = ILLEGAL_ADDRESS; check c 0" },
  { "fault/waiting-thread-sees-it", NULL, "set:1=ILLEGAL_ADDRESS",
    "stream s0 nb; stream s1 nb; alloc d0 64; event e0; block s0; record e0 s0; set s1 d0 1; sync s1 = ILLEGAL_ADDRESS;"
    "sync-event e0 = ILLEGAL_ADDRESS; open" },
  /* What has begun when the device fails ends before the context does. */
  { "fault/reset-waits-for-what-runs", NULL, "set:1=ILLEGAL_ADDRESS",
    "stream s0 nb; stream s1 nb; alloc d0 64; host-late s1; set s0 d0 1; sync s0 = ILLEGAL_ADDRESS; reset; check c 1" },
  { "fault/hang-and-reset", NULL, "copy:1=hang",
    "stream s0 nb; stream s1 nb; alloc d0 64; alloc-host h0 64; copy s0 d0 h0; query s0 = NOT_READY; host s1; sync s1; "
    "check c 1;"
    "query s0 = NOT_READY; reset; stream s0; alloc d0 64; alloc-host h0 64; copy s0 d0 h0; sync s0" },
  { "fault/device-lost", NULL, "device-lost:2",
    "stream s0; alloc d0 64; set s0 d0 1; sync s0; set s0 d0 1; sync s0 = DEVICE_UNAVAILABLE; reset; stream s0 = "
    "DEVICE_UNAVAILABLE" },
  { "fault/loop", NULL, "set:500=ILLEGAL_ADDRESS",
    LOOP "stream s0; launch x0 s0; sync s0 = ILLEGAL_ADDRESS; launch x0 s0 = ILLEGAL_ADDRESS; reset; stream s0; alloc "
         "d0 64; set s0 d0 7; sync s0; check d0 7" },
  { "fault/loop-sees-other-stream", NULL, "copy:1=ILLEGAL_ADDRESS",
    LOOP
    "stream s0 nb; stream s1 nb; alloc d1 64; alloc-host h0 64; launch x0 s0; query s0 = NOT_READY; copy s1 d1 h0; "
    "sync s1 = ILLEGAL_ADDRESS; sync s0 = ILLEGAL_ADDRESS" },
  { "fault/loop-hangs", NULL, "set:100=hang",
    LOOP "stream s0 nb; launch x0 s0; query s0 = NOT_READY; reset; stream s0; alloc d0 64; set s0 d0 7; sync s0" },
  { "fault/loop-loses-device", NULL, "device-lost:200",
    LOOP "stream s0; launch x0 s0; sync s0 = DEVICE_UNAVAILABLE; reset; stream s0 = DEVICE_UNAVAILABLE" },
  { "fault/nested-loop", NULL, "set:500=ILLEGAL_ADDRESS",
    "graph g0; alloc d0 64; condition c0 g0 1 assign; condition c1 g0 1 assign; add-if n0 g0 c0 1 1 g1; "
    "add-if n1 g1 c1 1 1 g2; add-set n2 g2 d0 5; add-set n3 g2 d0 5; add-host n4 g0 n0; instantiate x0 g0; stream s0; "
    "launch x0 s0; sync s0 = ILLEGAL_ADDRESS; check c 0" },
  { "loop/ends-with-context", NULL, NULL,
    LOOP "stream s0 nb; stream s1; launch x0 s0; query s0 = NOT_READY; host s1; sync s1; check c 1; reset; stream s0; "
         "alloc d0 64; set s0 d0 7; sync s0; check d0 7" },
  { "condition/is-0-where-nobody-sets-it", NULL, NULL,
    "graph g0; alloc d0 64; set-sync d0 3; condition c0 g0 1; add-if n0 g0 c0 0 1 g1; add-set n1 g1 d0 5; "
    "instantiate x0 g0; stream s0; launch x0 s0; sync s0; check d0 3" },
  { "condition/begins-as-it-was-made", NULL, NULL,
    "graph g0; alloc d0 64; set-sync d0 3; condition c0 g0 1 assign; add-if n0 g0 c0 0 1 g1; add-set n1 g1 d0 5; "
    "instantiate x0 g0; stream s0; launch x0 s0; sync s0; check d0 5; condition c1 g0 2 assign; "
    "add-if n2 g0 c0 0 1 g2 = INVALID_VALUE" },
  { "fault/two", NULL, "alloc:1,host-alloc:2",
    "alloc d0 64 = OUT_OF_MEMORY; alloc-host h0 64; alloc-host h1 64 = OUT_OF_MEMORY" },
  { "fault/first-call", NULL, "call:1=INVALID_VALUE", NULL },
  { "fault/not-understood", NULL, "breakfast:2", "alloc d0 64" },
};

static char *environment_program;

static void
test_environment_case (gconstpointer data)
{
  const EnvironmentCase *c = data;
  g_auto (GStrv) environment = g_get_environ ();
  const char *argv[] = { environment_program, "--run", c->script != NULL ? c->script : "", NULL };
  g_autofree char *errors = NULL;
  g_autoptr (GError) error = NULL;
  int status = 0;

  environment = g_environ_setenv (environment, "LEAT_CPU_PROFILE", c->profile != NULL ? c->profile : "", TRUE);
  environment = g_environ_setenv (environment, "LEAT_CPU_FAULT", c->fault != NULL ? c->fault : "", TRUE);
  g_spawn_sync (NULL, (char **) argv, environment, G_SPAWN_DEFAULT, NULL, NULL, NULL, &errors, &status, &error);
  g_assert_no_error (error);
  g_test_message ("%s", errors);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, c->script != NULL ? 0 : 2);
}

static int
test_environment_run (const char *script)
{
  char report[512];

  if (cuda_table_open (g_getenv ("LEAT_CPU_DRIVER")) != 0)
    return 2;
  if (cuda_script_run (script, report, sizeof report, 0) == 0)
    return 0;
  g_printerr ("%s\n", report);
  return 1;
}

int
main (int argc, char **argv)
{
  if (argc == 3 && strcmp (argv[1], "--run") == 0)
    return test_environment_run (argv[2]);
  environment_program = argv[0];
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/cpu/%s", cases[i].name);

      g_test_add_data_func (path, &cases[i], test_environment_case);
    }
  return g_test_run ();
}
