/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Measures the time until a pipeline is ready, and until a new process has its first result.  The device is open and
 * the images of the kernels are cached before anything is measured. */

#include "leat-bench-subject.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define FILE_BYTES 4096

static const struct
{
  const char *name, *stat; /* (nullable) stat: of the session */
} leat_bench_parts[] = {
  { "parse-to-ready", NULL },     { "parse", NULL },
  { "plan", "open-plan-us" },     { "plan-negotiate", "open-negotiate-us" },
  { "device", "open-attach-us" }, { "bind", "open-bind-us" },
  { "load", "open-load-us" },     { "load-contents", "open-contents-us" },
  { "build", "open-build-us" },   { "build-instantiate", "open-instantiate-us" },
  { "start", "open-start-us" },
};

#define N_PARTS G_N_ELEMENTS (leat_bench_parts)

/* @n nodes with the four at the ends. */
static char *
leat_bench_write_pipeline (const LeatBench *bench, guint n)
{
  GString *text = g_string_new ("leat 1\napp name=source spec=f32[256] -> upload mode=mapped\n");

  for (guint i = 4; i < n; i++)
    g_string_append_printf (text, "  -> kernel source=\"%s\" entry=step a=1 b=1 block=256\n", bench->kernels);
  g_string_append (text, "  -> readback mode=mapped -> app name=sink\n");
  return g_string_free (text, FALSE);
}

static void
leat_bench_add_parts (LeatSession *session, LeatBenchSeries *parts)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (session);
  gint64 us = 0;

  for (guint i = 0; i < N_PARTS; i++)
    if (leat_bench_parts[i].stat != NULL && g_variant_lookup (stats, leat_bench_parts[i].stat, "x", &us))
      leat_bench_series_add (&parts[i], us);
}

/* @parts: NULL where nothing is to be noted */
static gboolean
leat_bench_open_once (LeatBench *bench, const char *text, guint n_kernels, LeatBenchSeries *parts, GError **error)
{
  g_auto (LeatBenchSubject) subject = { 0 };
  const LeatBenchRule rule = { 1, n_kernels };
  double begin = leat_bench_now_us (), parsed;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  g_autoptr (LeatSession) session = NULL;

  parsed = leat_bench_now_us ();
  if (pipeline == NULL)
    return FALSE;
  session = leat_session_new (pipeline, bench->selector);
  g_object_set (session, "wait", bench->wait, NULL);
  if (!leat_session_open (session, NULL, error))
    return FALSE;
  if (parts != NULL)
    {
      leat_bench_series_add (&parts[0], leat_bench_now_us () - begin);
      leat_bench_series_add (&parts[1], parsed - begin);
      leat_bench_add_parts (session, parts);
    }
  return leat_bench_subject_take (&subject, g_steal_pointer (&pipeline), g_steal_pointer (&session), error)
         && leat_bench_subject_try (&subject, &rule, error);
}

static gboolean
leat_bench_run_open (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autofree char *text = leat_bench_write_pipeline (bench, kind->n);
  guint runs = leat_bench_case_get_runs (kind, bench);
  LeatBenchSeries parts[N_PARTS];
  gboolean good = TRUE;

  for (guint i = 0; i < N_PARTS; i++)
    leat_bench_series_init (&parts[i], runs);
  for (guint i = 0; i < 1 + runs && good; i++)
    good = leat_bench_open_once (bench, text, kind->n - 4, i > 0 ? parts : NULL, error);
  for (guint i = 0; i < N_PARTS; i++)
    {
      if (good)
        leat_bench_report_add_times (bench->report, leat_bench_parts[i].name, &parts[i]);
      leat_bench_series_clear (&parts[i]);
    }
  return good;
}

/* The one that belongs to this program. (transfer full) */
static char *
leat_bench_find_launch (GError **error)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *folder = self != NULL ? g_path_get_dirname (self) : NULL;
  char *path = folder != NULL ? g_build_filename (folder, "leat-launch", NULL) : NULL;

  if (path != NULL && g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
    return path;
  g_free (path);
  path = g_find_program_in_path ("leat-launch");
  if (path == NULL)
    g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "leat-launch is not beside leat-bench nor in PATH");
  return path;
}

static gboolean
leat_bench_fill_file (const char *path, guint round, GError **error)
{
  guint8 bytes[FILE_BYTES];

  for (guint i = 0; i < FILE_BYTES; i++)
    bytes[i] = (guint8) (i * 7 + round * 13);
  return g_file_set_contents (path, (const char *) bytes, sizeof bytes, error);
}

static gboolean
leat_bench_check_bytes (const guint8 *bytes, guint round, GError **error)
{
  for (guint i = 0; i < FILE_BYTES; i++)
    if (bytes[i] != (guint8) ~(i * 7 + round * 13))
      {
        g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "wrong result of leat-launch");
        return FALSE;
      }
  return TRUE;
}

typedef struct
{
  char *launch, *in, *pipeline;
  LeatBenchSeries first, process;
} LeatBenchStart;

static void
leat_bench_start_clear (LeatBenchStart *self)
{
  g_free (self->launch);
  g_free (self->in);
  g_free (self->pipeline);
  leat_bench_series_clear (&self->first);
  leat_bench_series_clear (&self->process);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchStart, leat_bench_start_clear)

static gboolean
leat_bench_start_prepare (LeatBenchStart *self, const LeatBench *bench, guint runs, GError **error)
{
  g_autofree char *text = NULL;

  leat_bench_series_init (&self->first, runs);
  leat_bench_series_init (&self->process, runs);
  self->launch = leat_bench_find_launch (error);
  self->in = g_build_filename (bench->folder, "in.bin", NULL);
  self->pipeline = g_build_filename (bench->folder, "start.leat", NULL);
  text = g_strdup_printf ("leat 1\nio:file path=\"%s\" -> upload -> kernel source=\"%s\" entry=invert -> readback -> "
                          "io:file path=\"-\"\n",
                          self->in, bench->kernels);
  return self->launch != NULL && g_file_set_contents (self->pipeline, text, -1, error);
}

/* All that the process writes, and when the last byte of it came. */
static double
leat_bench_start_read (int fd, guint8 *bytes)
{
  gsize had = 0;
  gssize got;

  while (had < FILE_BYTES && ((got = read (fd, bytes + had, FILE_BYTES - had)) > 0 || (got < 0 && errno == EINTR)))
    had += MAX (got, 0);
  return leat_bench_now_us ();
}

static gboolean
leat_bench_start_once (LeatBenchStart *self, const LeatBench *bench, guint round, GError **error)
{
  g_autofree char *device = g_strconcat ("--device=", leat_device_get_id (bench->device), NULL);
  char *words[] = { self->launch, "-q", device, self->pipeline, NULL };
  guint8 bytes[FILE_BYTES] = { 0 };
  double begin, first;
  int status = 0, fd;
  GPid pid;

  if (!leat_bench_fill_file (self->in, round, error))
    return FALSE;
  begin = leat_bench_now_us ();
  if (!g_spawn_async_with_pipes (NULL, words, NULL,
                                 G_SPAWN_LEAVE_DESCRIPTORS_OPEN | G_SPAWN_CHILD_INHERITS_STDIN
                                   | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CLOEXEC_PIPES,
                                 NULL, NULL, &pid, NULL, &fd, NULL, error))
    return FALSE;
  first = leat_bench_start_read (fd, bytes);
  while (waitpid (pid, &status, 0) < 0 && errno == EINTR)
    ;
  if (round > 0)
    leat_bench_series_add (&self->process, leat_bench_now_us () - begin);
  if (round > 0)
    leat_bench_series_add (&self->first, first - begin);
  close (fd);
  g_spawn_close_pid (pid);
  return g_spawn_check_wait_status (status, error) && leat_bench_check_bytes (bytes, round, error);
}

/* The first does not count: it may compile the kernel. */
static gboolean
leat_bench_run_start (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_auto (LeatBenchStart) start = { 0 };
  guint runs = leat_bench_case_get_runs (kind, bench);

  if (!leat_bench_start_prepare (&start, bench, runs, error))
    return FALSE;
  for (guint round = 0; round < 1 + runs; round++)
    if (!leat_bench_start_once (&start, bench, round, error))
      return FALSE;
  leat_bench_report_add_times (bench->report, "first-result", &start.first);
  leat_bench_report_add_times (bench->report, "process", &start.process);
  return TRUE;
}

/* clang-format off */
const LeatBenchCase leat_bench_opens[] = {
  { "open-10", "parse to ready, 10 nodes", leat_bench_run_open, 0, 10, NULL, 20, FALSE },
  { "open-100", "parse to ready, 100 nodes", leat_bench_run_open, 0, 100, NULL, 40, FALSE },
  { "open-1000", "parse to ready, 1000 nodes", leat_bench_run_open, 0, 1000, NULL, 100, FALSE },
  { "start", "leat-launch from its start to its result and to its end: 4 KiB from a file to a pipe", leat_bench_run_start, 0, 5, NULL, 100, FALSE },
  { NULL },
};
/* clang-format on */
