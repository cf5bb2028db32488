/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* Files in a folder of their own, which is also the current folder. */
typedef struct
{
  char *folder;
  GPtrArray *errors;
} Files;

static void
files_set_up (Files *files, gconstpointer data)
{
  g_autofree char *made = g_dir_make_tmp ("leat-parse-XXXXXX", NULL);
  char *real = realpath (made, NULL);

  files->folder = g_strdup (real);
  free (real);
  files->errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  g_assert_no_errno (chdir (files->folder));
}

static void
files_remove (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);

      if (g_unlink (inside) != 0)
        files_remove (inside);
    }
  g_rmdir (path);
}

static void
files_tear_down (Files *files, gconstpointer data)
{
  g_assert_no_errno (chdir ("/"));
  files_remove (files->folder);
  g_free (files->folder);
  g_ptr_array_unref (files->errors);
}

static void
files_write (const char *name, const char *text)
{
  g_autofree char *folder = g_path_get_dirname (name);
  g_autoptr (GError) error = NULL;

  g_assert_no_errno (g_mkdir_with_parents (folder, 0755));
  g_file_set_contents (name, text, -1, &error);
  g_assert_no_error (error);
}

static LeatPipeline *
files_parse (Files *files, const char *name, const char *first_variable, const char *second_variable)
{
  const char *const variables[] = { first_variable, second_variable, NULL };
  LeatPipeline *pipeline = leat_parse_file_full (name, variables, files->errors);

  for (guint i = 0; i < files->errors->len; i++)
    g_test_message ("%s", ((GError *) g_ptr_array_index (files->errors, i))->message);
  return pipeline;
}

static void
files_assert_error (Files *files, guint index, LeatParseError code, const char *message)
{
  const GError *error;

  g_assert_cmpuint (files->errors->len, >, index);
  error = g_ptr_array_index (files->errors, index);
  g_assert_error (error, LEAT_PARSE_ERROR, (int) code);
  g_assert_cmpstr (error->message, ==, message);
}

static LeatNode *
get_node (LeatPipeline *pipeline, const char *name)
{
  g_autoptr (GError) error = NULL;
  LeatNode *node = leat_pipeline_get_node (pipeline, name, &error);

  g_assert_no_error (error);
  return node;
}

static void
assert_set (LeatPipeline *pipeline, const char *node, const char *property, const char *text)
{
  g_autofree char *value = leat_node_dup_as_string (get_node (pipeline, node), property);

  g_assert_cmpstr (value, ==, text);
}

static void
assert_path (LeatPipeline *pipeline, const char *node, const char *property, const char *folder, const char *name)
{
  g_autofree char *path = leat_node_dup_path (get_node (pipeline, node), property);
  g_autofree char *expected = g_build_filename (folder, name, NULL);

  g_assert_cmpstr (path, ==, expected);
}

static void
assert_linked (LeatPipeline *pipeline, const char *from, const char *to_node, const char *to_port)
{
  LeatPort *input = leat_node_get_port (get_node (pipeline, to_node), to_port, NULL);
  g_autofree char *path = NULL;

  g_assert_nonnull (leat_port_get_peer (input));
  path = leat_port_dup_path (leat_port_get_peer (input));
  g_assert_cmpstr (path, ==, from);
}

static void
test_parse_file_variables (Files *files, gconstpointer data)
{
  g_autoptr (LeatPipeline) plain = NULL;
  g_autoptr (LeatPipeline) changed = NULL;

  files_write ("a.leat", "leat 1\n"
                         "let word = foo\n"
                         "let words = \"$word,${word}s $$\"\n"
                         "s = t:scan patterns=$words chunk=2M\n"
                         "t:source path=x -> t:up -> s -> t:down -> t:sink title=\"a $word b\"\n");
  plain = files_parse (files, "a.leat", NULL, NULL);
  g_assert_nonnull (plain);
  assert_set (plain, "s", "patterns", "foo,foos $");
  assert_set (plain, "sink0", "title", "a foo b");
  changed = files_parse (files, "a.leat", "word=$bar \"x", NULL);
  g_assert_nonnull (changed);
  assert_set (changed, "s", "patterns", "$bar \"x,$bar \"xs $");
  assert_set (changed, "s", "chunk", "2097152");
}

static void
test_parse_file_override_unknown (Files *files, gconstpointer data)
{
  files_write ("a.leat", "leat 1\nlet patterns = a\nlet input = x\n"
                         "t:source path=$input -> t:up -> t:scan patterns=$patterns -> t:down -> t:sink\n");
  g_assert_null (files_parse (files, "a.leat", "patern=b", "other=x"));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_VARIABLE_OVERRIDE,
                      "the pipeline has no variable \"patern\" (did you mean \"patterns\"?)");
  files_assert_error (files, 1, LEAT_PARSE_ERROR_VARIABLE_OVERRIDE,
                      "the pipeline has no variable \"other\" (there are patterns and input)");
  g_assert_cmpuint (files->errors->len, ==, 2);
  g_ptr_array_set_size (files->errors, 0);
  g_assert_null (files_parse (files, "a.leat", "input=x", "input=y"));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_VARIABLE_OVERRIDE,
                      "variable \"input\" is given twice, \"x\" and \"y\"; give it one value");
  g_ptr_array_set_size (files->errors, 0);
  g_assert_null (files_parse (files, "a.leat", "b", "=x"));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_VALUE, "\"b\" sets no variable; expected NAME=VALUE");
  files_assert_error (files, 1, LEAT_PARSE_ERROR_VALUE, "\"=x\" sets no variable; expected NAME=VALUE");
}

static void
test_parse_file_include (Files *files, gconstpointer data)
{
  g_autoptr (LeatPipeline) pipeline = NULL;

  files_write ("main.leat", "leat 1\ninclude parts/one.leat\ninclude \"parts/two.leat\"\n"
                            "t:source path=in -> t:up -> scan\nscan -> t:down -> t:sink title=$both\n");
  files_write ("parts/one.leat", "leat 1\ninclude common.leat\nscan = t:scan patterns=$word\n");
  files_write ("parts/two.leat", "leat 1\ninclude common.leat\nlet both = \"$word two\"\n");
  files_write ("parts/common.leat", "leat 1\nlet word = w\n");
  pipeline = files_parse (files, "main.leat", "word=x", NULL);
  g_assert_nonnull (pipeline);
  assert_set (pipeline, "scan", "patterns", "x");
  assert_set (pipeline, "sink0", "title", "x two");
  assert_linked (pipeline, "up0.out", "scan", "in");
}

/* A path belongs to the folder of who wrote its beginning. */
static void
test_parse_file_paths (Files *files, gconstpointer data)
{
  g_autoptr (LeatPipeline) plain = NULL;
  g_autoptr (LeatPipeline) changed = NULL;
  g_autofree char *graphs = g_build_filename (files->folder, "graphs", NULL);
  g_autofree char *deep = g_build_filename (graphs, "deep", NULL);

  files_write ("graphs/a.leat", "leat 1\ninclude deep/b.leat\nlet input = data/x\n"
                                "a = t:source path=$input\nb = t:source path=data/y\nc = t:source path=$far\n"
                                "d = t:source path=/$input\ne = t:source path=-\nf = t:source path=${far}/more\n"
                                "a -> t:sink\nb -> t:sink\nc -> t:sink\nd -> t:sink\ne -> t:sink\nf -> t:sink\n");
  files_write ("graphs/deep/b.leat", "leat 1\nlet far = z\ng = t:source path=$far\ng -> t:sink path=out\n");
  plain = files_parse (files, "graphs/a.leat", NULL, NULL);
  g_assert_nonnull (plain);
  assert_path (plain, "a", "path", graphs, "data/x");
  assert_path (plain, "b", "path", graphs, "data/y");
  assert_path (plain, "c", "path", deep, "z");
  assert_path (plain, "d", "path", "/", "data/x");
  assert_set (plain, "e", "path", "-");
  assert_path (plain, "f", "path", deep, "z/more");
  assert_path (plain, "g", "path", deep, "z");
  assert_path (plain, "sink0", "path", deep, "out");
  changed = files_parse (files, "graphs/a.leat", "input=data/x", "far=/abs");
  g_assert_nonnull (changed);
  assert_path (changed, "a", "path", files->folder, "data/x");
  assert_path (changed, "b", "path", graphs, "data/y");
  assert_path (changed, "f", "path", "/abs", "more");
  assert_path (changed, "d", "path", "/", "data/x");
}

static void
test_parse_file_include_errors (Files *files, gconstpointer data)
{
  files_write ("main.leat", "leat 1\ninclude no.leat\ninclude sub\ninclude a.leat\ninclude main.leat\ninclude $x\n"
                            "include bad.leat\nt:source path=x -> t:sink\n");
  files_write ("a.leat", "leat 1\ninclude b.leat\n");
  files_write ("b.leat", "leat 1\n\ninclude ./a.leat\n");
  files_write ("bad.leat", "leat 1\n  x\nlet = 1\n");
  files_write ("sub/x", "");
  g_assert_null (files_parse (files, "main.leat", NULL, NULL));
  g_assert_cmpuint (files->errors->len, ==, 7);
  files_assert_error (files, 0, LEAT_PARSE_ERROR_INCLUDE, "main.leat:2:9: cannot include no.leat: no such file");
  files_assert_error (files, 1, LEAT_PARSE_ERROR_INCLUDE, "main.leat:3:9: cannot include sub: not a regular file");
  files_assert_error (files, 2, LEAT_PARSE_ERROR_INCLUDE_CYCLE,
                      "main.leat:5:9: a file includes itself: main.leat -> main.leat");
  files_assert_error (files, 3, LEAT_PARSE_ERROR_SYNTAX,
                      "main.leat:6:9: unexpected \"$x\"; expected a file name without variables after include");
  files_assert_error (files, 4, LEAT_PARSE_ERROR_INCLUDE_CYCLE,
                      "b.leat:3:9: a file includes itself: a.leat -> b.leat -> ./a.leat");
  files_assert_error (
    files, 5, LEAT_PARSE_ERROR_SYNTAX,
    "bad.leat:2:3: unexpected \"x\"; expected the end of the line after the version (an indented line "
    "goes on with the statement above it)");
  files_assert_error (files, 6, LEAT_PARSE_ERROR_SYNTAX,
                      "bad.leat:3:5: unexpected \"=\"; expected NAME = VALUE after let");
}

static void
test_parse_file_unreadable (Files *files, gconstpointer data)
{
  g_assert_null (files_parse (files, "none.leat", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_IO, "cannot read none.leat: No such file or directory");
  g_ptr_array_set_size (files->errors, 0);
  g_assert_null (files_parse (files, ".", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_IO, "cannot read .: Is a directory");
}

static void
test_parse_file_near_name (Files *files, gconstpointer data)
{
  files_write ("here.leat", "leat 1\n");
  files_write ("there.txt", "");
  files_write ("graphs/scan.leat", "leat 1\ninclude \"tabel.leat\"\n");
  files_write ("graphs/table.leat", "leat 1\n");
  g_assert_null (files_parse (files, "graphs/scn.leat", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_IO,
                      "cannot read graphs/scn.leat: No such file or directory (did you mean \"graphs/scan.leat\"?)");
  g_ptr_array_set_size (files->errors, 0);
  g_assert_null (files_parse (files, "heer.leat", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_IO,
                      "cannot read heer.leat: No such file or directory (did you mean \"here.leat\"?)");
  g_ptr_array_set_size (files->errors, 0);
  g_assert_null (files_parse (files, "no.leat", NULL, NULL)); /* not here.leat, most of which is its ending */
  files_assert_error (files, 0, LEAT_PARSE_ERROR_IO, "cannot read no.leat: No such file or directory");
  g_ptr_array_set_size (files->errors, 0);
  g_assert_null (files_parse (files, "there.text", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_IO,
                      "cannot read there.text: No such file or directory (did you mean \"there.txt\"?)");
  g_ptr_array_set_size (files->errors, 0);
  g_assert_null (files_parse (files, "graphs/wholly-different.leat", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_IO,
                      "cannot read graphs/wholly-different.leat: No such file or directory");
  g_ptr_array_set_size (files->errors, 0);
  g_assert_null (files_parse (files, "graphs/scan.leat", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_INCLUDE,
                      "graphs/scan.leat:2:9: cannot include graphs/tabel.leat: no such file (did you mean "
                      "\"graphs/table.leat\"?)");
}

static void
files_assert_fault (Files *files, guint index, GQuark domain, int code, const char *message)
{
  const GError *error;

  g_assert_cmpuint (files->errors->len, >, index);
  error = g_ptr_array_index (files->errors, index);
  g_assert_error (error, domain, code);
  g_assert_cmpstr (error->message, ==, message);
}

/* What a program does to a pipeline that it has read: the places are still the file's. */
static void
test_parse_file_places_of_faults (Files *files, gconstpointer data)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (GError) error = NULL;

  files_write ("a.leat", "leat 1\n"
                         "s = t:scan patterns=x\n"
                         "k = t:kernel source=good.cu\n"
                         "t:source path=x -> t:up -> s -> t:down -> t:sink\n"
                         "t:source path=x -> t:up -> k -> t:down -> t:sink\n");
  pipeline = files_parse (files, "a.leat", NULL, NULL);
  g_assert_nonnull (pipeline);
  g_assert_true (leat_pipeline_validate (pipeline, files->errors));
  leat_port_unlink (leat_node_get_port (get_node (pipeline, "s"), "in", NULL));
  g_assert_true (leat_node_set_from_string (get_node (pipeline, "k"), "source", "bad.cu", &error));
  g_assert_no_error (error);
  g_assert_false (leat_pipeline_validate (pipeline, files->errors));
  files_assert_fault (files, 0, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                      "a.leat:3:1: t:kernel \"k\": bad.cu:1: no kernel");
  files_assert_fault (files, 1, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNLINKED,
                      "a.leat:2:1: t:scan \"s\" needs a link to its port \"in\"");
}

static void
test_parse_file_limit_size (Files *files, gconstpointer data)
{
  g_autofree char *big = g_strnfill (1024 * 1024 + 1, '#');

  files_write ("big.leat", big);
  g_assert_null (files_parse (files, "big.leat", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_LIMIT,
                      "cannot read big.leat: larger than the 1048576 bytes that a pipeline file may have");
  g_ptr_array_set_size (files->errors, 0);
  g_assert_null (files_parse (files, "/dev/zero", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_LIMIT,
                      "cannot read /dev/zero: larger than the 1048576 bytes that a pipeline file may have");
}

static void
test_parse_file_limit_depth (Files *files, gconstpointer data)
{
  for (int i = 0; i < 20; i++)
    {
      g_autofree char *name = g_strdup_printf ("f%d.leat", i);
      g_autofree char *text = g_strdup_printf ("leat 1\ninclude f%d.leat\n", i + 1);

      files_write (name, text);
    }
  g_assert_null (files_parse (files, "f0.leat", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_LIMIT, "f15.leat:2:9: includes are nested deeper than 16 files");
  g_assert_cmpuint (files->errors->len, ==, 1);
}

static void
test_parse_file_limit_files (Files *files, gconstpointer data)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");

  for (int i = 0; i < 64; i++)
    {
      g_autofree char *name = g_strdup_printf ("g%d.leat", i);

      files_write (name, "leat 1\n");
      g_string_append_printf (text, "include %s\n", name);
    }
  files_write ("all.leat", text->str);
  g_assert_null (files_parse (files, "all.leat", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_LIMIT, "all.leat:65:9: more than 64 files in one pipeline");
}

/* Each doubles the one before: no more memory than the limits say. */
static void
test_parse_file_limit_expansion (Files *files, gconstpointer data)
{
  g_autoptr (GString) text = g_string_new ("leat 1\nlet v0 = 0123456789\n");

  for (int i = 1; i < 60; i++)
    g_string_append_printf (text, "let v%d = $v%d$v%d\n", i, i - 1, i - 1);
  files_write ("a.leat", text->str);
  g_string_append (text, "t:source path=$v59 -> t:sink\n");
  files_write ("a.leat", text->str);
  g_assert_null (files_parse (files, "a.leat", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_LIMIT,
                      "a.leat:15:11: with its variables put in, the value is longer than 65536 bytes");
  g_assert_cmpuint (files->errors->len, ==, 1);
}

static void
test_parse_file_limit_total (Files *files, gconstpointer data)
{
  g_autofree char *long_value = g_strnfill (60000, 'x');
  g_autoptr (GString) text = g_string_new ("leat 1\n");

  g_string_append_printf (text, "let a = %s\n", long_value);
  for (int i = 0; i < 300; i++)
    g_string_append_printf (text, "let b%d = $a\n", i);
  g_string_append (text, "t:source path=$a -> t:sink\n");
  files_write ("a.leat", text->str);
  g_assert_null (files_parse (files, "a.leat", NULL, NULL));
  g_assert_cmpuint (files->errors->len, ==, 1);
  files_assert_error (files, 0, LEAT_PARSE_ERROR_LIMIT,
                      "a.leat:281:12: with their variables put in, the values up to here are together longer than "
                      "16777216 bytes");
}

static void
test_parse_file_limit_word (Files *files, gconstpointer data)
{
  g_autofree char *long_word = g_strnfill (70000, 'x');
  g_autofree char *text = g_strdup_printf ("leat 1\nt:source path=%s -> t:sink\n", long_word);

  files_write ("a.leat", text);
  g_assert_null (files_parse (files, "a.leat", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_LIMIT, "a.leat:2:10: a word longer than 65536 bytes");
}

/* With its property's name, at the border: 65536 bytes are a word. */
static void
test_parse_file_limit_word_border (Files *files, gconstpointer data)
{
  for (gsize bytes = 65535; bytes <= 65537; bytes++)
    {
      g_autofree char *value = g_strnfill (bytes - strlen ("path=") - 2, 'x');
      g_autofree char *quoted = g_strdup_printf ("leat 1\nt:source path=\"%s\" -> t:sink\n", value);
      g_autofree char *bare = g_strdup_printf ("leat 1\nt:source path=%sxx -> t:sink\n", value);
      const char *texts[] = { quoted, bare };

      for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
        {
          g_autoptr (LeatPipeline) pipeline = NULL;

          files_write ("a.leat", texts[i]);
          g_ptr_array_set_size (files->errors, 0);
          pipeline = files_parse (files, "a.leat", NULL, NULL);
          g_assert_cmpint (pipeline != NULL, ==, bytes <= 65536);
          g_assert_cmpuint (files->errors->len, ==, bytes <= 65536 ? 0 : 1);
          if (pipeline == NULL)
            files_assert_error (files, 0, LEAT_PARSE_ERROR_LIMIT, "a.leat:2:10: a word longer than 65536 bytes");
        }
    }
}

static void
test_parse_file_limit_words (Files *files, gconstpointer data)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");

  for (int i = 0; i < 60000; i++)
    g_string_append (text, "a ->\n");
  files_write ("a.leat", text->str);
  g_assert_null (files_parse (files, "a.leat", NULL, NULL));
  files_assert_error (files, 1, LEAT_PARSE_ERROR_LIMIT,
                      "a.leat:50000:3: more than 100000 words; split the text with include");
}

static void
test_parse_file_limit_nodes (Files *files, gconstpointer data)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");

  for (int i = 0; i < 5000; i++)
    g_string_append (text, "t:up\n");
  files_write ("a.leat", text->str);
  g_assert_null (files_parse (files, "a.leat", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_LIMIT, "a.leat:4098:1: more than 4096 nodes");
  g_assert_cmpuint (files->errors->len, ==, 1);
}

static void
test_parse_file_limit_props (Files *files, gconstpointer data)
{
  g_autoptr (GString) text = g_string_new ("leat 1\nt:up");

  for (int i = 0; i < 1001; i++)
    g_string_append_printf (text, " p%d=1", i);
  files_write ("a.leat", text->str);
  g_assert_null (files_parse (files, "a.leat", NULL, NULL));
  files_assert_error (files, 0, LEAT_PARSE_ERROR_LIMIT, "a.leat:2:6896: more than 1000 properties on one node");
}

static void
test_parse_file_list_variables (Files *files, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) variables = NULL;
  g_autofree char *text = NULL;

  files_write ("a.leat", "leat 1\n# where the text is\nlet input = /x\nlet words = \"$input,b\" # what to find\n"
                         "no:such-node -> neither:this\n");
  variables = leat_parse_list_variables ("a.leat", &error);
  g_assert_no_error (error);
  text = g_variant_print (variables, FALSE);
  g_assert_cmpstr (text, ==, "[('input', '/x', 'where the text is'), ('words', '/x,b', 'what to find')]");
  files_write ("b.leat", "leat 1\nlet a = $b\nx\n");
  g_assert_null (leat_parse_list_variables ("b.leat", &error));
  g_assert_error (error, LEAT_PARSE_ERROR, LEAT_PARSE_ERROR_VARIABLE_UNKNOWN);
}

#define ADD(name, func) g_test_add ("/leat/parse/file/" name, Files, NULL, files_set_up, func, files_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("variables", test_parse_file_variables);
  ADD ("override-unknown", test_parse_file_override_unknown);
  ADD ("include", test_parse_file_include);
  ADD ("include-errors", test_parse_file_include_errors);
  ADD ("paths", test_parse_file_paths);
  ADD ("unreadable", test_parse_file_unreadable);
  ADD ("near-name", test_parse_file_near_name);
  ADD ("places-of-faults", test_parse_file_places_of_faults);
  ADD ("limit-size", test_parse_file_limit_size);
  ADD ("limit-depth", test_parse_file_limit_depth);
  ADD ("limit-files", test_parse_file_limit_files);
  ADD ("limit-expansion", test_parse_file_limit_expansion);
  ADD ("limit-total", test_parse_file_limit_total);
  ADD ("limit-word", test_parse_file_limit_word);
  ADD ("limit-word-border", test_parse_file_limit_word_border);
  ADD ("limit-words", test_parse_file_limit_words);
  ADD ("limit-nodes", test_parse_file_limit_nodes);
  ADD ("limit-props", test_parse_file_limit_props);
  ADD ("list-variables", test_parse_file_list_variables);
  return g_test_run ();
}
