/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS(...) ((const char *const[]){ "leat-launch", __VA_ARGS__, NULL })
#define PIECE      4096

/* leat-launch runs pipelines, on whatever LEAT_DEVICE says. */
static void
files_set_up (ToolFiles *files, gconstpointer data)
{
  tool_files_make (files, "in.txt", "one cat, two cats, a dog\n");
}

static const char *const scan_lines = "4:cat\n13:cat\n21:dog\n";

static void
test_run_stdout_is_the_result (ToolFiles *files, gconstpointer data)
{
  g_autoptr (ToolResult) plain =
    tool_run (NULL, WORDS ("io:file", files->in, "+", "upload", "+", "text:scan", "patterns=cat,dog", "+", "readback",
                           "+", "text:report", "patterns=cat,dog"));
  g_autoptr (ToolResult) talkative =
    tool_run (NULL, WORDS ("-v", "--stats", "--progress", "io:file", files->in, "!", "upload", "!", "text:scan",
                           "patterns=cat,dog", "!", "readback", "!", "text:report", "patterns=cat,dog"));

  g_test_message ("%s%s", plain->err, talkative->err);
  g_assert_cmpint (plain->code, ==, 0);
  g_assert_cmpstr (plain->out, ==, scan_lines);
  tool_assert_contains (plain->err, "3 occurrences");
  g_assert_cmpint (talkative->code, ==, 0);
  g_assert_cmpstr (talkative->out, ==, scan_lines);
  tool_assert_contains (talkative->err, "bound plan");
  tool_assert_contains (talkative->err, "predicted");
}

/* A sink that writes a file says where it is; standard output and a device need no word. */
/* A sink that takes what is on the device has no part of the host's memory for each lane. */
static void
test_run_batch_to_the_device (ToolFiles *files, gconstpointer data)
{
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS ("-q", "--batch=4", "io:file", files->in, "chunk=2", "+", "upload", "+", "discard"));

  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpstr (result->err, ==, "");
}

static void
test_run_says_where_the_result_is (ToolFiles *files, gconstpointer data)
{
  g_autoptr (ToolResult) file =
    tool_run (NULL, WORDS ("io:file", files->in, "+", "upload", "+", "readback", "+", "io:file", files->out));
  g_autoptr (ToolResult) quiet =
    tool_run (NULL, WORDS ("-q", "io:file", files->in, "+", "upload", "+", "readback", "+", "io:file", files->out));
  g_autoptr (ToolResult) device =
    tool_run (NULL, WORDS ("io:file", files->in, "+", "upload", "+", "readback", "+", "io:file", "path=/dev/null"));
  g_autofree char *line = g_strdup_printf ("leat-launch: wrote %s\n", files->out + strlen ("path="));

  tool_assert_contains (file->err, line);
  g_assert_cmpint (quiet->code, ==, 0);
  g_assert_cmpstr (quiet->err, ==, "");
  g_assert_cmpint (device->code, ==, 0);
  g_assert_null (strstr (device->err, "wrote"));
}

/* A cache that cannot be kept costs time and no more; where it is, why, and what to do are said once, or not with -q.
 */
static void
test_run_without_a_cache (ToolFiles *files, gconstpointer data)
{
  /* Nobody can make a folder below a file. */
  g_autofree char *folder = g_strconcat (files->in + strlen ("path="), "/leat", NULL);
  g_autofree char *setting = g_strconcat ("XDG_CACHE_HOME=", folder, NULL);
  g_autofree char *says = g_strdup_printf ("leat-launch: cannot keep compiled kernels in %s/leat/images: ", folder);
  const char *const nowhere[] = { setting, NULL };
  g_autofree char *path =
    tool_write (files->folder, "copy.cu",
                "__global__ void copy (const unsigned char *in, unsigned char *out) { out[0] = in[0]; }\n");
  g_autofree char *source = g_strconcat ("source=", path, NULL);
  g_autoptr (ToolResult) plain = NULL;
  g_autoptr (ToolResult) quiet = NULL;

#define RUN(option)                                                                                                    \
  tool_run (nowhere, WORDS (option, "io:file", files->in, "out=u8[25]", "+", "upload", "+", "kernel", source,          \
                            "grid=1", "block=1", "out=u8[25]", "+", "readback", "+", "io:file", files->out))
  plain = RUN ("--executor=graph");
  quiet = RUN ("-q");
  g_test_message ("%s", plain->err);
  g_assert_cmpint (plain->code, ==, 0);
  tool_assert_contains (plain->err, says);
  tool_assert_contains (plain->err, "XDG_CACHE_HOME");
  /* That it is not there is no reason why it cannot be. */
  g_assert_null (strstr (plain->err, "No such file"));
  g_assert_cmpint (quiet->code, ==, 0);
  g_assert_cmpstr (quiet->err, ==, "");
}

static void
test_run_eager_gives_the_same (ToolFiles *files, gconstpointer data)
{
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS ("--executor=eager", "io:file", files->in, "+", "upload", "+", "text:scan",
                           "patterns=cat,dog", "+", "readback", "+", "text:report", "patterns=cat,dog"));

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpstr (result->out, ==, scan_lines);
}

static void
test_run_waits_as_it_is_told (ToolFiles *files, gconstpointer data)
{
  static const char *const ways[] = { "--wait=auto", "--wait=spin", "--wait=block" };

  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      g_autoptr (ToolResult) result =
        tool_run (NULL, WORDS (ways[i], "io:file", files->in, "+", "upload", "+", "text:scan", "patterns=cat,dog", "+",
                               "readback", "+", "text:report", "patterns=cat,dog"));

      g_test_message ("%s", result->err);
      g_assert_cmpint (result->code, ==, 0);
      g_assert_cmpstr (result->out, ==, scan_lines);
    }
}

static guint
count_occurrences (const char *text, const char *part)
{
  guint n = 0;

  for (const char *p = text; (p = strstr (p, part)) != NULL; p++)
    n++;
  return n;
}

/* What is likely to be a mistake is said once, in a run as in a check, with -q too. */
static void
test_run_says_warnings (ToolFiles *files, gconstpointer data)
{
  static const char *const options[] = { "--check", "--plan", "--executor=graph", "--executor=eager" };
  g_autofree char *path = tool_write (files->folder, "count.cu",
                                      "__global__ void count (const uint8_t *in, uint64_t in_count, uint32_t *hist)\n"
                                      "{\n"
                                      "  GRID_FOR (i, in_count)\n"
                                      "    hist[in[i]]++;\n"
                                      "  while (in_count == 0xffffffffffull);\n"
                                      "}\n"
                                      "__global__ void other (uint32_t *x) { while (leat_load_relaxed (x) == 0); }\n");
  g_autofree char *source = g_strconcat ("source=", path, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      g_autoptr (ToolResult) loud =
        tool_run (NULL, WORDS (options[i], "io:file", files->in, "+", "upload", "+", "kernel", source, "entry=count",
                               "hist=u32[256]", "+", "discard"));
      g_autoptr (ToolResult) quiet =
        tool_run (NULL, WORDS ("-q", options[i], "io:file", files->in, "+", "upload", "+", "kernel", source,
                               "entry=count", "hist=u32[256]", "+", "discard"));

      g_test_message ("%s: %s%s", options[i], loud->err, quiet->err);
      g_assert_cmpint (loud->code, ==, 0);
      g_assert_cmpint (quiet->code, ==, 0);
      g_assert_cmpuint (count_occurrences (loud->err, "leat-launch: warning: kernel \"kernel0\": line 4 of "), ==, 1);
      tool_assert_contains (loud->err, "set clear=hist");
      tool_assert_contains (loud->err, "count.cu:5:3: this loop seems to wait for another thread");
      g_assert_cmpuint (count_occurrences (loud->err, "warning: kernel \""), ==, 2);
      g_assert_cmpuint (count_occurrences (quiet->err, "warning: kernel \""), ==, 2);
    }
}

/* A compiler that leaves open what a GPU defines works, and is told of once. */
static void
test_run_says_compiler (ToolFiles *files, gconstpointer data)
{
  static const char *const compilers[] = { "g++", "clang++" };
  g_autofree char *cache = g_strconcat ("XDG_CACHE_HOME=", files->folder, NULL);
  g_autofree char *path = tool_write (files->folder, "twice.cu",
                                      "__global__ void twice (const uint8_t *in, uint64_t in_count, uint8_t *out)\n"
                                      "{\n  GRID_FOR (i, in_count)\n    out[i] = in[i] * 2.0f;\n}\n"
                                      "__global__ void thrice (const uint8_t *in, uint64_t in_count, uint8_t *out)\n"
                                      "{\n  GRID_FOR (i, in_count)\n    out[i] = in[i] * 3.0f;\n}\n");
  g_autofree char *source = g_strconcat ("source=", path, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (compilers); i++)
    {
      g_autofree char *program = g_find_program_in_path (compilers[i]),
                      *named = g_strconcat ("LEAT_CXX=", program, NULL);
      const char *const env[] = { named, cache, "LEAT_KERNEL_SANITIZE=", NULL };
      g_autoptr (ToolResult) run = NULL, inspected = NULL;

      if (program == NULL)
        continue;
      run = tool_run (env, WORDS ("-q", "--device=cpu", "io:file", files->in, "+", "upload", "+", "kernel", source,
                                  "entry=twice", "+", "kernel", source, "entry=thrice", "+", "discard"));
      inspected = tool_run (env, (const char *const[]){ "leat-inspect", "kernel", source, "entry=twice", NULL });
      g_test_message ("%s%s", run->err, inspected->err);
      g_assert_cmpint (run->code, ==, 0);
      g_assert_cmpint (inspected->code, ==, 0);
      g_assert_cmpuint (count_occurrences (run->err, "kernels for the CPU are compiled by"), ==, i == 0 ? 1 : 0);
      g_assert_cmpuint (count_occurrences (inspected->err, "kernels for the CPU are compiled by"), ==, i == 0 ? 1 : 0);
    }
}

static void
test_run_stats_json (ToolFiles *files, gconstpointer data)
{
  g_autoptr (ToolResult) result = tool_run (NULL, WORDS ("-q", "--stats=json", "--stats-file=-", "io:file", files->in,
                                                         "+", "upload", "+", "readback", "+", "io:file", files->out));
  g_autoptr (JsonObject) stats = NULL;
  JsonObject *run, *counted, *predicted;

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpstr (result->err, ==, "");
  stats = tool_parse_json (result->out);
  run = json_object_get_object_member (stats, "run");
  g_assert_cmpint (json_object_get_int_member (run, "runs"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (run, "bytes-in"), ==, 25);
  g_assert_cmpint (json_object_get_int_member (run, "bytes-out"), ==, 25);
  g_assert_cmpstr (json_object_get_string_member (stats, "executor"), ==, "auto");
  counted = json_object_get_object_member (stats, "counted");
  predicted = json_object_get_object_member (stats, "predicted-a-run");
  g_assert_cmpint (json_object_get_int_member (counted, "copies"), ==,
                   json_object_get_int_member (predicted, "copies"));
  g_assert_cmpstr (json_object_get_string_member (json_object_get_object_member (stats, "device"), "name"), !=, "");
}

/* text:scan has one more run at the end, before which its nodes are told so. */
static void
test_run_stats_of_runs (ToolFiles *files, gconstpointer data)
{
  g_autoptr (ToolResult) json =
    tool_run (NULL, WORDS ("-q", "--stats=json", "--stats-file=-", "io:file", files->in, "+", "upload", "mode=copy",
                           "+", "text:scan", "patterns=cat,dog", "+", "readback", "mode=mapped", "+", "discard"));
  g_autoptr (ToolResult) text =
    tool_run (NULL, WORDS ("-q", "--stats", "io:file", files->in, "+", "upload", "mode=copy", "+", "text:scan",
                           "patterns=cat,dog", "+", "readback", "mode=mapped", "+", "discard"));
  g_autoptr (JsonObject) stats = NULL;
  JsonArray *transfers;
  gint64 runs;

  g_test_message ("%s%s%s", json->err, json->out, text->err);
  g_assert_cmpint (json->code, ==, 0);
  stats = tool_parse_json (json->out);
  runs = json_object_get_int_member (json_object_get_object_member (stats, "run"), "runs");
  g_assert_cmpint (runs, ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      const char *name = i == 0 ? "waits" : "kernels";

      g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (stats, "counted"), name), ==,
                       runs
                         * json_object_get_int_member (json_object_get_object_member (stats, "predicted-a-run"), name));
    }
  transfers = json_object_get_array_member (stats, "transfers");
  g_assert_cmpuint (json_array_get_length (transfers), ==, 2);
  g_assert_cmpstr (json_object_get_string_member (json_array_get_object_element (transfers, 0), "mode"), ==, "copy");
  tool_assert_contains (text->err, "\ntransfers     upload0: copy (");
  tool_assert_contains (text->err, "\n              readback0: mapped (");
  tool_assert_contains (text->err, "\ncopied up     ");
}

static void
test_run_bound_plan_runs_nothing (ToolFiles *files, gconstpointer data)
{
  g_autoptr (ToolResult) result = tool_run (NULL, WORDS ("-q", "--plan=json", "--bound", "io:file", files->in, "+",
                                                         "upload", "+", "readback", "+", "io:file", files->out));
  g_autoptr (JsonObject) plan = NULL;
  g_autofree char *left = NULL;

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  plan = tool_parse_json (result->out);
  g_assert_true (json_object_get_boolean_member (plan, "bound"));
  left = tool_list_folder (files->folder);
  g_assert_cmpstr (left, ==, "in.txt");
}

/* With --batch, the plan tells what becomes of each op, and the run has many in each launch. */
static void
test_run_batch (ToolFiles *files, gconstpointer data)
{
  g_autoptr (ToolResult) plan =
    tool_run (NULL, WORDS ("-q", "--plan", "--batch=8", "io:file", files->in, "+", "upload", "+", "map", "expr=x", "+",
                           "readback", "+", "io:file", files->out));
  g_autoptr (ToolResult) run = NULL, wrong = tool_run (NULL, WORDS ("--batch=0", "a.leat"));
  g_autofree char *in = NULL, *out = NULL;

  g_test_message ("%s", plan->err);
  g_assert_cmpint (plan->code, ==, 0);
  tool_assert_contains (plan->out, "8 entries at once");
  tool_assert_contains (plan->out, "coalesced");
  run = tool_run (NULL, WORDS ("-v", "--batch=8", "--stats", "io:file", files->in, "chunk=3", "+", "upload", "+", "map",
                               "expr=x", "+", "readback", "+", "io:file", files->out));
  g_test_message ("%s", run->err);
  g_assert_cmpint (run->code, ==, 0);
  tool_assert_contains (run->err, "8 entries at once");
  g_assert_true (g_file_get_contents (strchr (files->in, '/'), &in, NULL, NULL));
  g_assert_true (g_file_get_contents (strchr (files->out, '/'), &out, NULL, NULL));
  g_assert_cmpstr (in, ==, out);
  g_assert_cmpint (wrong->code, ==, 2);
}

typedef struct
{
  const char *option;
  const char *kernel;
  const char *missing; /* a file to read that is not there */
  int code;
  const char *err;
} FailCase;

static const FailCase fail_cases[] = {
  { "--device=nonsense", NULL, NULL, 2, "nonsense" },
  { "--device=cuda:99", NULL, NULL, 4, "" },
  { "-q", NULL, "missing.txt", 1, "missing.txt" },
  { "-q", "__global__ void copy (const unsigned char *in, unsigned char *out) { out[0] = in[0] +; }", NULL, 5,
    "bad.cu:1:" },
  { "-q", "not a declaration", NULL, 5, "bad.cu:1:1:" },
  { "-q", "int no_kernel_here (void);", NULL, 3, "bad.cu" },
};

static void
test_run_fails_with_its_code (ToolFiles *files, gconstpointer data)
{
  const FailCase *row = data;
  g_autofree char *source = g_strdup_printf ("source=%s/bad.cu", files->folder);
  g_autofree char *missing = g_strdup_printf ("path=%s/%s", files->folder, row->missing);
  g_autofree char *left = NULL;
  g_autoptr (ToolResult) result = NULL;

  if (row->kernel != NULL)
    g_free (tool_write (files->folder, "bad.cu", row->kernel));
  if (row->kernel != NULL)
    result = tool_run (NULL, WORDS (row->option, "io:file", files->in, "+", "upload", "+", "kernel", source, "+",
                                    "readback", "+", "io:file", files->out));
  else
    result = tool_run (NULL, WORDS (row->option, "io:file", row->missing != NULL ? missing : files->in, "+", "upload",
                                    "+", "readback", "+", "io:file", files->out));
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, row->code);
  g_assert_cmpstr (result->out, ==, "");
  tool_assert_contains (result->err, row->err);
  left = tool_list_folder (files->folder);
  g_assert_cmpstr (left, ==, row->kernel != NULL ? "bad.cu in.txt" : "in.txt");
}

static void
test_run_output_that_cannot_be_written (ToolFiles *files, gconstpointer data)
{
  g_autofree char *script =
    g_strdup_printf ("exec leat-launch -q io:file %s + upload + readback + io:file path=- >/dev/full", files->in);
  g_autoptr (ToolResult) result = tool_run (NULL, ((const char *const[]){ "sh", "-c", script, NULL }));

  g_assert_cmpint (result->code, ==, 1);
  tool_assert_contains (result->err, "No space left on device");
}

/* The writer of a pipe that a pipeline reads; the file is the folder's "pipe". */
typedef struct
{
  GSubprocess *process;
  int fd;
} Stream;

static Stream
stream_start (ToolFiles *files, const char *option)
{
  g_autofree char *path = g_build_filename (files->folder, "pipe", NULL);
  g_autofree char *in = g_strconcat ("path=", path, NULL);
  Stream self;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  self.process = tool_start (
    WORDS (option, "io:file", in, "out=u8[<=4096]", "+", "upload", "+", "readback", "+", "io:file", files->out));
  /* Waits until the pipeline has opened it. */
  self.fd = open (path, O_WRONLY | O_CLOEXEC);
  g_assert_cmpint (self.fd, >=, 0);
  return self;
}

static void
stream_write (Stream *self)
{
  char piece[PIECE] = { 0 };

  g_assert_cmpint (write (self->fd, piece, sizeof piece), ==, sizeof piece);
}

/* What is in the pipe is read when the run before has ended. */
static void
stream_await_reader (Stream *self)
{
  int waiting = 1;

  while (waiting > 0)
    {
      g_usleep (1000);
      g_assert_cmpint (ioctl (self->fd, FIONREAD, &waiting), ==, 0);
    }
}

static void
test_run_interrupted (ToolFiles *files, gconstpointer data)
{
  Stream stream = stream_start (files, "--stats");
  g_autoptr (GSubprocess) process = stream.process;
  g_autoptr (ToolResult) result = NULL;
  g_autofree char *left = NULL;
  const char *runs;

  if (g_getenv ("LEAT_DEVICE") != NULL)
    g_test_message ("LEAT_DEVICE=%s", g_getenv ("LEAT_DEVICE"));
  for (guint i = 0; i < 3; i++)
    {
      stream_write (&stream);
      stream_await_reader (&stream);
    }
  g_subprocess_send_signal (process, GPOINTER_TO_INT (data));
  result = tool_collect (process);
  close (stream.fd);
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 130);
  tool_assert_contains (result->err, "interrupted; ending the run");
  tool_assert_contains (result->err, "up to then");
  runs = strstr (result->err, "\nruns ");
  g_assert_nonnull (runs);
  g_assert_cmpint (strtol (runs + strlen ("\nruns "), NULL, 10), >=, 2);
  left = tool_list_folder (files->folder);
  g_assert_cmpstr (left, ==, "in.txt pipe");
}

static void
test_run_progress (ToolFiles *files, gconstpointer data)
{
  Stream stream = stream_start (files, "--progress");
  g_autoptr (GSubprocess) process = stream.process;
  g_autoptr (ToolResult) result = NULL;

  for (guint i = 0; i < 14; i++)
    {
      stream_write (&stream);
      g_usleep (100000);
    }
  close (stream.fd);
  result = tool_collect (process);
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  tool_assert_contains (result->err, "KiB/s");
  tool_assert_contains (result->err, " runs ");
}

/* Standard error is no terminal here, so nothing is drawn unless asked for. */
static void
test_run_no_progress (ToolFiles *files, gconstpointer data)
{
  Stream stream = stream_start (files, "--executor=graph");
  g_autoptr (GSubprocess) process = stream.process;
  g_autoptr (ToolResult) result = NULL;

  for (guint i = 0; i < 14; i++)
    {
      stream_write (&stream);
      g_usleep (100000);
    }
  close (stream.fd);
  result = tool_collect (process);
  g_assert_cmpint (result->code, ==, 0);
  g_assert_null (strstr (result->err, "KiB/s"));
}

/* The reader has what it wants; nothing need be said. */
typedef struct
{
  const char *statement;
  int signal;
  const char *says;
  const char *advises;
  const char *compiler; /* NULL: any */
} CrashCase;

static const CrashCase crash_cases[] = {
  { "*(volatile unsigned char *) 0x10 = 1;", SIGSEGV,
    "leat-launch: ended by SIGSEGV in kernel poke: ", "LEAT_KERNEL_SANITIZE=address" },
  { "*(volatile int *) 0 = 1;", SIGSEGV,
    "leat-launch: ended by SIGSEGV in kernel poke: ", "LEAT_KERNEL_SANITIZE=address" },
  { "int *p = 0; p[threadIdx.x] = in[0]; out[0] = p[0];", SIGSEGV,
    "leat-launch: ended by SIGSEGV in kernel poke: ", "LEAT_KERNEL_SANITIZE=address" },
  { "volatile char big[200000]; big[in[0]] = 1; __syncthreads (); out[0] = big[in[1]];", SIGSEGV,
    "poke, block (0,0,0), thread (0,0,0): it overflowed its stack of 64 KiB", "LEAT_CPU_STACK=256K" },
#ifdef __x86_64__ /* others divide by zero without a word */
  { "out[0] = in[0] / (in[3] - in[8]);", SIGFPE,
    "leat-launch: ended by SIGFPE in kernel poke: ", "LEAT_KERNEL_SANITIZE=address", "g++" },
#endif
};

/* Runs the pipeline @text, which takes `in` and `out`, with @kernels in poke.cu; NULL where others would speak, which
 * is a skip. */
static ToolResult *
crash_run (ToolFiles *files, const char *compiler, const char *kernels, const char *text)
{
  g_autofree char *program = compiler != NULL ? g_find_program_in_path (compiler) : NULL;
  g_autofree char *named = g_strconcat ("LEAT_CXX=", program, NULL);
  const char *const env[] = { named, NULL };
  g_autofree char *source = tool_write (files->folder, "poke.cu", kernels);
  g_autofree char *path = tool_write (files->folder, "poke.leat", text);
  g_autofree char *in = g_strconcat ("in=", files->in + strlen ("path="), NULL);
  g_autofree char *out = g_strconcat ("out=", files->out + strlen ("path="), NULL);
  const char *const words[] = {
    "sh", "-c", "ulimit -c 0; exec \"$@\"", "sh", "leat-launch", "-q", "--device=cpu", path, in, out, NULL
  };
  ToolResult *result;

  if (LEAT_TEST_SANITIZED
      || g_str_has_prefix (g_getenv ("LEAT_DEVICE") != NULL ? g_getenv ("LEAT_DEVICE") : "", "cuda"))
    {
      g_test_skip ("only without a sanitizer, which speaks itself, and where the CPU driver is what is tested");
      return NULL;
    }
  if (compiler != NULL && program == NULL)
    {
      g_test_skip ("the compiler is not here");
      return NULL;
    }
  result = tool_run (program != NULL ? env : NULL, words);
  g_test_message ("%s", result->err);
  return result;
}

/* On the CPU a kernel's wrong pointer ends the process, which says so, and ends by the signal all the same. */
static void
test_run_kernel_crashes (ToolFiles *files, gconstpointer data)
{
  const CrashCase *row = data;
  g_autofree char *kernels =
    g_strdup_printf ("__global__ void poke (const unsigned char *in, unsigned char *out) { %s }\n", row->statement);
  g_autoptr (ToolResult) result =
    crash_run (files, row->compiler, kernels,
               "leat 1\nlet in = x\nlet out = y\nio:file path=$in out=u8[25] -> upload -> "
               "kernel source=poke.cu grid=1 block=1 out=u8[25] -> readback -> io:file path=$out\n");

  if (result == NULL)
    return;
  g_assert_cmpint (result->code, ==, 128 + row->signal);
  tool_assert_contains (result->err, row->says);
  tool_assert_contains (result->err, row->advises);
  g_assert_null (strstr (result->err, "check=true"));
}

/* Of several kernels that became one, what they say of themselves may be at fault. */
static void
test_run_joint_crashes (ToolFiles *files, gconstpointer data)
{
  static const char kernels[] =
    "__global__ void poke (const unsigned char *in, unsigned char *out, unsigned int in_count)\n"
    "{ GRID_FOR (i, in_count) { *(volatile unsigned char *) 0x10 = in[i]; out[i] = 1; } }\n";
  g_autoptr (ToolResult) result =
    crash_run (files, NULL, kernels,
               "leat 1\nlet in = x\nlet out = y\nio:file path=$in out=u8[25] -> upload -> megakernel {\n"
               "  in.a -> map expr=x+1 -> kernel source=poke.cu access=elementwise -> out.b\n"
               "} -> readback -> io:file path=$out\n");

  if (result == NULL)
    return;
  g_assert_cmpint (result->code, ==, 128 + SIGSEGV);
  tool_assert_contains (result->err, "leat-launch: ended by SIGSEGV in kernel megakernel: ");
  tool_assert_contains (result->err, "check=true on a megakernel");
  tool_assert_contains (result->err, "LEAT_KERNEL_SANITIZE=address");
}

/* What shows only when a session opens has its place too. */
static void
test_run_opening_tells_where (ToolFiles *files, gconstpointer data)
{
  static const struct
  {
    const char *kernel, *properties, *says;
  } table[] = {
    { "__global__ void k (const unsigned char *in, unsigned char *out) { out[0] = nope; }\n", "out=u8[25]",
      "does not compile" },
  };

  if (LEAT_TEST_SANITIZED)
    {
      g_test_skip ("a sanitizer ends the process where memory is asked for that there is not");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *source = tool_write (files->folder, "k.cu", table[i].kernel);
      g_autofree char *text =
        g_strdup_printf ("leat 1\nio:file path=in.txt out=u8[25] -> upload -> k -> readback -> discard\n"
                         "k = kernel source=k.cu %s\n",
                         table[i].properties);
      g_autofree char *file = tool_write (files->folder, "opening.leat", text);
      g_autofree char *where = g_strconcat (file, ":3:1: kernel \"k\": ", NULL);
      g_autoptr (ToolResult) result = tool_run (NULL, WORDS ("-q", file));

      g_test_message ("%s", result->err);
      g_assert_cmpint (result->code, !=, 0);
      tool_assert_contains (result->err, where);
      tool_assert_contains (result->err, table[i].says);
    }
}

static void
test_run_reader_goes_away (ToolFiles *files, gconstpointer data)
{
  const char *script = "leat-launch io:file path=/dev/zero out=u8:max64K + upload + readback + io:file path=- "
                       "| head -c 1000 | wc -c";
  g_autoptr (ToolResult) result = tool_run (NULL, ((const char *const[]){ "sh", "-c", script, NULL }));

  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpint (atoi (result->out), ==, 1000);
  g_assert_null (strstr (result->err, "roken pipe"));
}

/* Each format by itself, and what it must hold. */
static void
test_run_tells_nodes (ToolFiles *files, gconstpointer data)
{
  g_autofree char *dot = g_strdup_printf ("--dot=%s/plan.dot", files->folder);
  g_autofree char *trace = g_strdup_printf ("--trace=%s/trace.json", files->folder);
  g_autofree char *drawn = NULL, *traced = NULL;
  g_autoptr (ToolResult) result = tool_run (
    NULL, WORDS ("-q", "--stats=nodes", "--timing", dot, trace, "io:file", files->in, "+", "upload", "name=up",
                 "mode=copy", "+", "readback", "name=back", "mode=copy", "+", "io:file", files->out));
  const char *paths[] = { strchr (dot, '/'), strchr (trace, '/') };

  g_assert_cmpint (result->code, ==, 0);
  tool_assert_contains (result->err, "measured      1 of the runs; means: wall ");
  tool_assert_contains (result->err, "  up (transfer)\n");
  tool_assert_contains (result->err, "  back (transfer)\n");
  g_assert_true (g_file_get_contents (paths[0], &drawn, NULL, NULL));
  tool_assert_contains (drawn, "label=\"up\\ntransfer\\n");
  tool_assert_contains (drawn, " us, ");
  g_assert_true (g_file_get_contents (paths[1], &traced, NULL, NULL));
  tool_assert_contains (traced, "\"name\":\"back\",\"cat\":\"transfer\"");
}

/* The label is the file's name. */
static void
test_run_prometheus (ToolFiles *files, gconstpointer data)
{
  g_autofree char *text =
    g_strdup_printf ("leat 1\nio:file %s -> upload -> readback -> io:file %s\n", files->in, files->out);
  g_autofree char *path = tool_write (files->folder, "copy me.leat", text);
  g_autoptr (ToolResult) result = tool_run (NULL, WORDS ("-q", "--stats=prometheus", path));

  g_assert_cmpint (result->code, ==, 0);
  g_assert_true (g_str_has_prefix (result->err, "# HELP leat_runs_total "));
  tool_assert_contains (result->err, ",pipeline=\"copy me\"} 1\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, data, function) g_test_add (name, ToolFiles, data, files_set_up, function, tool_files_remove)
  ADD ("/leat/tools/launch/run/tells-nodes", NULL, test_run_tells_nodes);
  ADD ("/leat/tools/launch/run/stats-of-runs", NULL, test_run_stats_of_runs);
  ADD ("/leat/tools/launch/run/prometheus", NULL, test_run_prometheus);
  ADD ("/leat/tools/launch/run/stdout-is-the-result", NULL, test_run_stdout_is_the_result);
  ADD ("/leat/tools/launch/run/eager-gives-the-same", NULL, test_run_eager_gives_the_same);
  ADD ("/leat/tools/launch/run/waits-as-it-is-told", NULL, test_run_waits_as_it_is_told);
  ADD ("/leat/tools/launch/run/says-where-the-result-is", NULL, test_run_says_where_the_result_is);
  ADD ("/leat/tools/launch/run/batch-to-the-device", NULL, test_run_batch_to_the_device);
  ADD ("/leat/tools/launch/run/without-a-cache", NULL, test_run_without_a_cache);
  ADD ("/leat/tools/launch/run/says-warnings", NULL, test_run_says_warnings);
  ADD ("/leat/tools/launch/run/says-compiler", NULL, test_run_says_compiler);
  ADD ("/leat/tools/launch/run/stats-json", NULL, test_run_stats_json);
  ADD ("/leat/tools/launch/run/bound-plan-runs-nothing", NULL, test_run_bound_plan_runs_nothing);
  ADD ("/leat/tools/launch/run/batch", NULL, test_run_batch);
  for (guint i = 0; i < G_N_ELEMENTS (fail_cases); i++)
    {
      g_autofree char *name = g_strdup_printf ("/leat/tools/launch/run/fails-with-its-code/%u", i);

      ADD (name, &fail_cases[i], test_run_fails_with_its_code);
    }
  ADD ("/leat/tools/launch/run/output-that-cannot-be-written", NULL, test_run_output_that_cannot_be_written);
  ADD ("/leat/tools/launch/run/interrupted/sigint", GINT_TO_POINTER (SIGINT), test_run_interrupted);
  ADD ("/leat/tools/launch/run/interrupted/sigterm", GINT_TO_POINTER (SIGTERM), test_run_interrupted);
  ADD ("/leat/tools/launch/run/progress/asked-for", NULL, test_run_progress);
  ADD ("/leat/tools/launch/run/progress/no-terminal", NULL, test_run_no_progress);
  ADD ("/leat/tools/launch/run/opening-tells-where", NULL, test_run_opening_tells_where);
  ADD ("/leat/tools/launch/run/reader-goes-away", NULL, test_run_reader_goes_away);
  for (guint i = 0; i < G_N_ELEMENTS (crash_cases); i++)
    {
      g_autofree char *name = g_strdup_printf ("/leat/tools/launch/run/kernel-crashes/%u", i);

      ADD (name, &crash_cases[i], test_run_kernel_crashes);
    }
  ADD ("/leat/tools/launch/run/joint-crashes", NULL, test_run_joint_crashes);
  return g_test_run ();
}
