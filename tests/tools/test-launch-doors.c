/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <string.h>

/* What options and nodes are pointed at: pipes, devices, links, files of others; and descriptors that are closed.  Each
 * is a few commands in a folder that has in.bin, copy.leat, which copies it to out.bin, and sum.leat, whose state
 * --save-state writes. */

static const char copy_text[] =
  "leat 1\nlet out = out.bin\nio:file path=in.bin out=u8[<=4096] -> upload -> readback -> io:file path=$out\n";
static const char sum_text[] =
  "leat 1\ns = state spec=u32[2]\nm = map inputs=x,b expr=x+b type=u32\n"
  "io:file path=in.bin out=u32[2] -> upload -> m.x\ns -> m.b -> s\nm -> readback -> io:file path=out.bin\n";

typedef struct
{
  const char *name;
  const char *commands;
  const char *out; /* all of standard output */
  const char *err; /* a part of standard error; "" for nothing at all */
} DoorCase;

#define CHAIN(in, out) "io:file path=" in " + upload + readback + io:file path=" out
#define INTERRUPT      "timeout --preserve-status -s INT 0.5 "

static const DoorCase door_cases[] = {
  /* A state is written as everything else is. */
  { "state/device", "ln -s /dev/full d; leat-launch -q --save-state=d sum.leat; echo $?; readlink d", "1\n/dev/full\n",
    "cannot save the state: cannot write \"d\": No space left on device" },
  { "state/pipe",
    "mkfifo p; cat p >saved & leat-launch -q --save-state=p sum.leat && wait && test -p p\n"
    "leat-launch -q --save-state=file sum.leat && cmp saved file && leat-launch -q --load-state=saved sum.leat; echo "
    "$?",
    "0\n", "" },
  { "state/link-and-mode",
    "echo old >f; chmod 604 f; ln -s f l; leat-launch -q --save-state=l sum.leat; readlink l; stat -c %a f; "
    "head -c 6 f",
    "f\n604\nLEATST", "" },
  { "state/saved-where-it-was-loaded",
    "leat-launch -q --save-state=f sum.leat && leat-launch -q --load-state=f --save-state=f sum.leat; echo $?", "0\n",
    "" },
  { "state/over-what-is-loaded-by-a-link",
    "leat-launch -q --save-state=f sum.leat; ln f g; leat-launch -q --load-state=f --save-state=g sum.leat; echo $?",
    "2\n", "--save-state would write over g (--load-state): name another file" },
  { "state/load-a-device", "leat-launch -q --load-state=/dev/zero sum.leat; echo $?", "1\n",
    "cannot load the state in \"/dev/zero\": it is a pipe or a device; a state is loaded from a regular file" },
  { "state/load-a-pipe", "mkfifo p; leat-launch -q --load-state=p sum.leat; echo $?", "1\n",
    "cannot load the state in \"p\": it is a pipe or a device" },
  { "trace/is-there-whole",
    "echo old >t; ln -s t l; leat-launch -q --trace=l copy.leat; readlink l; head -c 2 t; tail -n 1 t", "t\n[\n]\n",
    "" },

  /* Within one pipeline. */
  { "shared/two-sinks",
    "ln -s . sub; leat-launch -q " CHAIN ("in.bin", "same") " , " CHAIN ("in.bin", "sub/same") "; echo $?; ls same",
    "3\n", "\"path\" of node \"file1\" and \"path\" of node \"file3\" cannot both write to sub/same: name two files" },
  { "shared/two-sinks-are-found-by-check",
    "leat-launch --check " CHAIN ("in.bin", "same") " , " CHAIN ("in.bin", "same") "; echo $?", "3\n",
    "cannot both write to same" },
  { "shared/over-an-input", "ln in.bin b; leat-launch -q " CHAIN ("in.bin", "b") "; echo $?; cat b", "3\nsomebyte",
    "\"path\" of node \"file1\" would write over b (\"path\" of node \"file0\"): name another file" },
  { "shared/two-readers-of-standard-input",
    "leat-launch -q " CHAIN ("-", "a") " , " CHAIN ("-", "b") " <in.bin; echo $?; ls a b", "3\n",
    "cannot both read standard input, as each would have a part of it: name a file for one of them" },
  { "shared/the-pipeline-is-standard-input",
    "printf 'leat 1\\nio:file path=- -> upload -> readback -> io:file path=o\\n' | leat-launch -q -; echo $?", "2\n",
    "cannot both read standard input" },
  { "shared/standard-output-is-a-file-that-is-written",
    "leat-launch -q " CHAIN ("in.bin", "f") " , " CHAIN ("in.bin", "-") " >f; echo $?", "3\n", "cannot both write to" },
  { "shared/standard-output-is-for-all",
    "leat-launch -q " CHAIN ("in.bin", "-") " , " CHAIN ("in.bin", "-") "; echo $?", "somebytesomebyte0\n", "" },

  /* A pipe that nobody opens at its other end. */
  { "pipe/no-writer", "mkfifo p; " INTERRUPT "leat-launch -q " CHAIN ("p", "o") "; echo $?; ls o", "130\n", "" },
  { "pipe/no-reader", "mkfifo p; " INTERRUPT "leat-launch -q " CHAIN ("in.bin", "p") "; echo $?", "130\n", "" },
  { "pipe/no-reader-of-a-state", "mkfifo p; " INTERRUPT "leat-launch -q --save-state=p sum.leat; echo $?", "130\n",
    "" },
  { "pipe/no-reader-of-a-trace", "mkfifo p; " INTERRUPT "leat-launch -q --trace=p copy.leat; echo $?", "130\n", "" },
  { "pipe/no-reader-of-counts", "mkfifo p; " INTERRUPT "leat-launch -q --stats-file=p copy.leat; echo $?", "130\n",
    "" },
  { "pipe/no-reader-of-a-plan", "mkfifo p; " INTERRUPT "leat-launch -q --dot=p copy.leat; echo $?", "130\n", "" },
  { "pipe/reader-comes-later", "mkfifo p; (sleep 0.3; cat p) & leat-launch -q " CHAIN ("in.bin", "p") "; wait",
    "somebyte", "" },

  /* Standard input, output and error may be closed. */
  { "closed/all-of-them", "leat-launch -v copy.leat <&- >&- 2>&-; echo $?; cmp in.bin out.bin", "0\n", "" },
  { "closed/input-that-is-read", "timeout 20 leat-launch -q " CHAIN ("-", "o") " <&-; echo $?; ls o", "1\n",
    "cannot read \"standard input\": Bad file descriptor; it is closed, or open for writing only" },
  { "closed/output-that-is-written", "(leat-launch -q " CHAIN ("in.bin", "-") " >&-); echo $?", "1\n",
    "cannot write \"standard output\": Bad file descriptor; it is closed, or open for reading only" },
  { "closed/plan", "(leat-launch --plan=json copy.leat >&-); echo $?", "1\n",
    "cannot write \"standard output\": Bad file descriptor" },
  { "closed/error", "leat-launch --check " CHAIN ("none", "o") " 2>&-; echo $?", "1\n", "" },

  /* Whoever reads what is printed goes away: it knows that. */
  { "gone/plan", "(sleep 0.2; leat-launch --plan=json copy.leat; echo $? >code) | true; cat code", "1\n", "" },
  { "gone/dot", "(sleep 0.2; leat-launch --dot copy.leat; echo $? >code) | true; cat code", "1\n", "" },
  { "gone/bound", "(sleep 0.2; leat-launch -q --bound --plan copy.leat; echo $? >code) | true; cat code", "1\n", "" },
  { "gone/check", "(sleep 0.2; leat-launch -v --check copy.leat; echo $? >code) | true; cat code", "1\n", "" },
  { "gone/variables", "(sleep 0.2; leat-launch --variables copy.leat; echo $? >code) | true; cat code", "1\n", "" },
  { "gone/data",
    "(sleep 0.2; leat-launch -v " CHAIN ("in.bin", "-") " 2>log; echo $? >code) | true\n"
                                                        "cat code; grep -c 'roken pipe' log",
    "1\n0\n", "" },
  { "gone/notes", "(sleep 0.2; leat-launch -v copy.leat 2>&1; echo $? >code) | true; cat code", "0\n", "" },
  { "gone/nodes", "(trap '' PIPE; sleep 0.2; leat-inspect; echo $? >code) | true; cat code", "1\n", "" },

  /* What a terminal would take for a command is not passed on to one. */
  { "terminal/name-of-a-file", "leat-launch --check \"$(printf 'a\\033[31m.leat')\"; echo $?", "2\n",
    "cannot read a\\x1b[31m.leat: No such file or directory" },
  { "terminal/data-to-a-pipe",
    "printf 'a \\033cat\\n' >t; leat-launch -q io:file path=t + upload + "
    "text:scan patterns=cat emit=line + readback + text:report from=t total=false | od -An -c | tr -d ' '",
    "1:a033cat\\n\n", "" },

  /* Those of processes that are gone, and of no other. */
  { "folders/of-who-was-killed",
    "mkdir t t/leat-kernel-4194305-left12 t/leat-kernel-$$-live12 t/leat-kernel-other t/leat-kernel-4194305other\n"
    "touch t/leat-kernel-4194305-left12/x\n"
    "TMPDIR=$PWD/t XDG_CACHE_HOME=$PWD/c leat-launch -q --device=cpu io:file path=in.bin out=u8[8] + upload + "
    "map expr=x*3+1 + readback + discard\n"
    "ls t | sed s/$$/PID/ | LC_ALL=C sort; rm -r t c",
    "leat-kernel-4194305other\nleat-kernel-PID-live12\nleat-kernel-other\n", "" },

  /* Few files. */
  { "limit/files", "(ulimit -n 6; exec leat-launch -q copy.leat); echo $?", "1\n",
    "this process may have 6 files open (ulimit -n): raise the limit" },
};

static void
test_door (gconstpointer data)
{
  const DoorCase *row = data;
  g_autofree char *folder = tool_make_folder ();
  g_autofree char *script = g_strdup_printf ("cd '%s' || exit 99\n%s", folder, row->commands);
  g_autoptr (ToolResult) result = NULL;

  g_free (tool_write (folder, "in.bin", "somebyte"));
  g_free (tool_write (folder, "copy.leat", copy_text));
  g_free (tool_write (folder, "sum.leat", sum_text));
  result = tool_run (NULL, ((const char *const[]){ "sh", "-c", script, NULL }));
  g_test_message ("%s\n%s%s", row->commands, result->out, result->err);
  g_assert_cmpstr (result->out, ==, row->out);
  if (*row->err == '\0' && strstr (row->commands, "ls ") == NULL)
    g_assert_cmpstr (result->err, ==, "");
  else
    tool_assert_contains (result->err, row->err);
  tool_remove_folder (folder);
}

/* A terminal has what a file holds made visible. */
static void
test_door_terminal (void)
{
  g_autofree char *program = g_find_program_in_path ("script"), *folder = NULL, *commands = NULL;
  g_autoptr (ToolResult) result = NULL;

  if (program == NULL)
    {
      g_test_skip ("there is no `script` that makes a terminal");
      return;
    }
  folder = tool_make_folder ();
  g_free (tool_write (folder, "t", "a \33]0;cat\7\n"));
  commands = g_strdup_printf ("cd '%s' && script -qec 'leat-launch -q io:file path=t + upload + text:scan patterns=cat "
                              "emit=line + readback + text:report from=t total=false' /dev/null </dev/null",
                              folder);
  result = tool_run (NULL, ((const char *const[]){ "sh", "-c", commands, NULL }));
  g_test_message ("%s%s", result->out, result->err);
  tool_assert_contains (result->out, "1:a \\x1b]0;cat\\x07");
  g_assert_null (strpbrk (result->out, "\33\7"));
  tool_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (door_cases); i++)
    {
      g_autofree char *name = g_strconcat ("/leat/tools/launch/doors/", door_cases[i].name, NULL);

      g_test_add_data_func (name, &door_cases[i], test_door);
    }
  g_test_add_func ("/leat/tools/launch/doors/terminal/data", test_door_terminal);
  return g_test_run ();
}
