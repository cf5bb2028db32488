/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "tool-run.h"

#include <string.h>

/* What is known need not be run; a file of four equal pieces is one run and three pieces that are known. */

#define WORDS(...) ((const char *const[]){ "leat-launch", __VA_ARGS__, NULL })
#define PIECE      "abcdefgh"

static void
files_set_up (ToolFiles *self, gconstpointer data)
{
  tool_files_make (self, "in.bin", PIECE PIECE PIECE PIECE);
}

static void
test_memo_knows_pieces (ToolFiles *self, gconstpointer data)
{
  const char *const option = data;
  const gint64 hits = g_str_has_prefix (option, "--memo=exact") ? 3 : 0;
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS ("-q", option, "--stats=json", "--stats-file=-", "io:file", self->in, "chunk=8", "+",
                           "upload", "+", "map", "expr=x+1", "+", "readback", "+", "io:file", self->out));
  g_autofree char *path = g_build_filename (self->folder, "out.bin", NULL);
  g_autofree char *text = NULL;
  g_autoptr (JsonObject) stats = NULL;
  JsonObject *run;

  g_test_message ("%s%s", result->err, result->out);
  g_assert_cmpint (result->code, ==, 0);
  stats = tool_parse_json (result->out);
  run = json_object_get_object_member (stats, "run");
  g_assert_cmpint (json_object_get_int_member (run, "memo-hits"), ==, hits);
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "bcdefghibcdefghibcdefghibcdefghi");
}

static void
test_memo_is_bounded (ToolFiles *self, gconstpointer data)
{
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS ("-q", "--memo=exact", data, "--stats=json", "--stats-file=-", "io:file", self->in, "chunk=8",
                           "+", "upload", "+", "map", "expr=x+1", "+", "readback", "+", "discard"));
  g_autoptr (JsonObject) stats = NULL;

  g_test_message ("%s%s", result->err, result->out);
  g_assert_cmpint (result->code, ==, 0);
  stats = tool_parse_json (result->out);
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (stats, "run"), "memo-hits"), ==, 0);
}

static void
test_memo_refuses_state (ToolFiles *self, gconstpointer data)
{
  g_autoptr (ToolResult) result = tool_run (NULL, WORDS ("-q", "--memo=exact", "io:file", self->in, "+", "upload", "+",
                                                         "text:scan", "patterns=cat", "+", "readback", "+", "discard"));

  g_assert_cmpint (result->code, !=, 0);
  tool_assert_contains (result->err, "memo");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/leat/tools/launch/memo/knows-pieces/exact", ToolFiles, "--memo=exact", files_set_up,
              test_memo_knows_pieces, tool_files_remove);
  g_test_add ("/leat/tools/launch/memo/knows-pieces/off", ToolFiles, "--memo=off", files_set_up, test_memo_knows_pieces,
              tool_files_remove);
  g_test_add ("/leat/tools/launch/memo/is-bounded/entries", ToolFiles, "--memo-entries=0", files_set_up,
              test_memo_is_bounded, tool_files_remove);
  g_test_add ("/leat/tools/launch/memo/is-bounded/bytes", ToolFiles, "--memo-bytes=100", files_set_up,
              test_memo_is_bounded, tool_files_remove);
  g_test_add ("/leat/tools/launch/memo/refuses-state", ToolFiles, NULL, files_set_up, test_memo_refuses_state,
              tool_files_remove);
  return g_test_run ();
}
