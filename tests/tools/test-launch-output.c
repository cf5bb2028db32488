/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where plans and counts go: written as a sink writes its result. */
typedef struct
{
  char *folder;
  char *file; /* a pipeline that runs; its output is out.bin */
} Fixture;

static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = tool_make_folder ();
  g_free (tool_write (fixture->folder, "in.bin", "some bytes"));
  fixture->file =
    tool_write (fixture->folder, "copy.leat",
                "leat 1\nio:file path=in.bin out=u8[<=4096] -> upload -> readback -> io:file path=out.bin\n");
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
  tool_remove_folder (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->file);
}

/* In the fixture's folder, by a shell. */
static ToolResult *
fixture_run (Fixture *fixture, const char *commands)
{
  g_autofree char *script = g_strdup_printf ("cd '%s' || exit 99\n%s", fixture->folder, commands);
  ToolResult *result = tool_run (NULL, ((const char *const[]){ "sh", "-c", script, NULL }));

  g_test_message ("%s\n%s%s", commands, result->out, result->err);
  return result;
}

typedef struct
{
  const char *name;
  const char *commands;
  int code;
  const char *out; /* how standard output ends */
  const char *err; /* a part of it; "" for nothing at all */
  const char *left;
} OutputCase;

static const OutputCase output_cases[] = {
  { "plan/link-to-a-device", "ln -s /dev/full d; leat-launch --dot=d copy.leat; c=$?; readlink d; exit $c", 1,
    "/dev/full\n", "cannot write \"d\": No space left on device", "copy.leat d in.bin" },
  { "stats/link-to-a-device", "ln -s /dev/null d; leat-launch -q --stats-file=d copy.leat; c=$?; readlink d; exit $c",
    0, "/dev/null\n", "", "copy.leat d in.bin out.bin" },
  { "plan/pipe", "mkfifo p; cat p | tail -n 1 & leat-launch --dot=p copy.leat; wait; test -p p", 0, "}\n", "",
    "copy.leat in.bin p" },
  { "stats/pipe", "mkfifo p; cat p | tail -n 1 & leat-launch -q --stats=json --stats-file=p copy.leat; wait; test -p p",
    0, "}\n", "", "copy.leat in.bin out.bin p" },
  { "plan/link-to-a-file", "echo old >f; ln -s f l; leat-launch --dot=l copy.leat && readlink l && tail -n 1 f", 0,
    "f\n}\n", "", "copy.leat f in.bin l" },
  { "plan/descriptor-is-appended-to",
    "(echo first; leat-launch --dot=/dev/stdout copy.leat; echo last) >f; head -n 1 f; tail -n 2 f", 0,
    "first\n}\nlast\n", "", "copy.leat f in.bin" },
  { "stats/descriptor", "leat-launch -q --stats=json --stats-file=/dev/fd/3 copy.leat 3>f; tail -n 1 f", 0, "}\n", "",
    "copy.leat f in.bin out.bin" },
  { "plan/file-is-replaced", "echo old >f; exec 3<f; leat-launch --dot=f copy.leat; cat <&3; tail -n 1 f", 0,
    "old\n}\n", "", "copy.leat f in.bin" },
  { "plan/no-folder", "leat-launch --dot=none/f copy.leat", 2, "",
    "leat-launch: --dot: cannot write \"none/f\": No such file or directory; its folder must exist\n",
    "copy.leat in.bin" },
  { "plan/bound-no-folder", "leat-launch --bound --device=cuda:99 --dot=none/f copy.leat", 2, "",
    "leat-launch: --dot: cannot write \"none/f\": No such file or directory", "copy.leat in.bin" },
  /* Found before the run, which would leave out.bin. */
  { "stats/no-folder", "leat-launch --stats-file=none/f copy.leat", 2, "",
    "leat-launch: --stats-file: cannot write \"none/f\": No such file or directory; its folder must exist\n",
    "copy.leat in.bin" },
  { "stats/folder", "mkdir f; leat-launch --stats-file=f copy.leat; c=$?; rmdir f; exit $c", 2, "",
    "--stats-file: cannot write \"f\": Is a directory", "copy.leat in.bin" },
};

static void
test_output (Fixture *fixture, gconstpointer data)
{
  const OutputCase *row = data;
  g_autoptr (ToolResult) result = fixture_run (fixture, row->commands);
  g_autofree char *left = tool_list_folder (fixture->folder);

  g_assert_cmpint (result->code, ==, row->code);
  g_assert_true (g_str_has_suffix (result->out, row->out));
  if (*row->err == '\0')
    g_assert_cmpstr (result->err, ==, "");
  else
    tool_assert_contains (result->err, row->err);
  g_assert_cmpstr (left, ==, row->left);
}

typedef struct
{
  const char *name;
  const char *text; /* after "leat 1" */
  const char *says;
} PlaceCase;

static const PlaceCase place_cases[] = {
  { "start-of-a-sink", "io:file path=in.bin out=u8[<=4096] -> upload -> readback\n  -> io:npy path=none/o.npy\n",
    ":3:6: io:npy \"npy0\": cannot write \"" },
  { "drain", "io:file path=in.bin out=u8[<=4096] -> upload -> readback\n  -> io:file path=/dev/full\n",
    ":3:6: io:file \"file1\": cannot write \"/dev/full\": No space left on device" },
  { "start-of-a-source", "s -> upload -> readback -> discard\ns = io:file path=in.bin out=u32[<=4096]\n",
    ":3:1: io:file \"s\": \"" },
  { "fill", "s -> upload -> readback -> discard\ns = io:file path=- out=u32[<=4096]\n",
    ":3:1: io:file \"s\": \"standard input\" does not end with a whole piece" },
};

/* What goes wrong in a run is told at the node, as mistakes in the text are. */
static void
test_output_place (Fixture *fixture, gconstpointer data)
{
  const PlaceCase *row = data;
  g_autofree char *text = g_strconcat ("leat 1\n", row->text, NULL);
  g_autofree char *file = tool_write (fixture->folder, "fails.leat", text);
  g_autoptr (ToolResult) result = fixture_run (fixture, "printf 123456 | leat-launch -q fails.leat");
  g_autofree char *begin = g_strconcat ("fails.leat", row->says, NULL);

  g_assert_cmpint (result->code, ==, 1);
  g_assert_true (g_str_has_prefix (result->err, begin));
}

static void
test_output_fails_once (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ToolResult) result = fixture_run (fixture, data);

  g_assert_cmpint (result->code, ==, 1);
  tool_assert_contains (result->err, "No space left on device");
  g_assert_cmpint (strchr (result->err, '\n') - result->err + 1, ==, strlen (result->err));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, data, function) g_test_add (name, Fixture, data, fixture_set_up, function, fixture_tear_down)
  for (guint i = 0; i < G_N_ELEMENTS (output_cases); i++)
    {
      g_autofree char *name = g_strconcat ("/leat/tools/launch/output/", output_cases[i].name, NULL);

      ADD (name, &output_cases[i], test_output);
    }
  for (guint i = 0; i < G_N_ELEMENTS (place_cases); i++)
    {
      g_autofree char *name = g_strconcat ("/leat/tools/launch/output/has-a-place/", place_cases[i].name, NULL);

      ADD (name, &place_cases[i], test_output_place);
    }
  ADD ("/leat/tools/launch/output/fails-once/plan", "leat-launch --plan copy.leat >/dev/full", test_output_fails_once);
  ADD ("/leat/tools/launch/output/fails-once/dot", "leat-launch --dot copy.leat >/dev/full", test_output_fails_once);
  ADD ("/leat/tools/launch/output/fails-once/check", "leat-launch --check -v copy.leat >/dev/full",
       test_output_fails_once);
  ADD ("/leat/tools/launch/output/fails-once/inspect", "leat-inspect upload >/dev/full", test_output_fails_once);
  return g_test_run ();
}
