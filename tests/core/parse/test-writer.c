/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"

/* Pipelines in the spelling in which they are written: text in, the same text out. */
static const char *const file_texts[] = {
  "leat 1\n"
  "t:source path=a.txt -> t:up -> t:scan patterns=\"a b\" -> t:down -> t:sink\n",

  "leat 1\n"
  "scan = t:scan patterns=a,b chunk=1048576 level=-2 rate=0.25 fast=true mode=mapped\n"
  "t:source path=/a.txt -> t:up -> scan -> t:down -> t:sink title=\"two words\"\n",

  "leat 1\n"
  "t:source path=a -> u8[480,640,3] -> t:up -> t:down -> t:sink\n",

  "leat 1\n"
  "join0 = t:join\n"
  "split0 = t:split\n"
  "t:source path=a -> t:up -> split0\n"
  "split0.low -> join0.left\n"
  "split0.high -> join0.right\n"
  "join0 -> t:down -> t:sink\n",

  /* One output, many readers. */
  "leat 1\n"
  "up0 = t:up\n"
  "t:source path=a -> up0 -> t:down -> t:sink\n"
  "up0 -> t:down -> t:sink\n",

  /* Ports and arguments that follow from a property; what a property hides has a prefix. */
  "leat 1\n"
  "t:source path=a -> t:up -> t:kernel source=x.cu threshold=0.5 arg.source=7 in=f32[h,640]\n"
  "    -> f32[480,640] -> t:down -> t:sink\n",

  "leat 1\n"
  "t:source path=\"\\u{1}$$ \\\" -> # x\" -> t:sink title=\"\\n\\t\\\\\"\n",
};

static const char *const terminal_texts[] = {
  "t:source path=a.txt + t:up + t:scan patterns='a b' + t:down + t:sink",
  "t:source path=a + u8:480x640x3 + t:up name=u + t:down + t:sink , u. + t:down + t:sink title='it'\\''s'",
  "t:join name=join0 , t:source path=a + t:up + t:split name=s , s.low + join0.left , s.high + join0.right , join0. + "
  "t:down + t:sink",
  "t:source path=a + t:up + t:kernel source=x.cu in=f32:hx640 + t:down + t:sink",
};

static LeatPipeline *
read_text (const char *text, LeatTextStyle style)
{
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline = leat_parse_text (text, style, NULL, &error);

  g_assert_no_error (error);
  return pipeline;
}

static void
test_pipeline_text_file (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (file_texts); i++)
    {
      g_autoptr (LeatPipeline) pipeline = read_text (file_texts[i], LEAT_TEXT_STYLE_FILE);
      g_autofree char *text = leat_pipeline_to_text (pipeline, LEAT_TEXT_STYLE_FILE, NULL);

      g_assert_cmpstr (text, ==, file_texts[i]);
    }
}

static void
test_pipeline_text_terminal (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (terminal_texts); i++)
    {
      g_autoptr (LeatPipeline) pipeline = read_text (terminal_texts[i], LEAT_TEXT_STYLE_TERMINAL);
      g_autofree char *text = leat_pipeline_to_text (pipeline, LEAT_TEXT_STYLE_TERMINAL, NULL);

      g_assert_cmpstr (text, ==, terminal_texts[i]);
    }
}

/* From one spelling to the other and back. */
static void
test_pipeline_text_across (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (file_texts); i++)
    {
      g_autoptr (LeatPipeline) first = read_text (file_texts[i], LEAT_TEXT_STYLE_FILE);
      g_autofree char *terminal = leat_pipeline_to_text (first, LEAT_TEXT_STYLE_TERMINAL, NULL);
      g_autoptr (LeatPipeline) second = read_text (terminal, LEAT_TEXT_STYLE_TERMINAL);
      g_autofree char *file = leat_pipeline_to_text (second, LEAT_TEXT_STYLE_FILE, NULL);

      g_assert_cmpstr (file, ==, file_texts[i]);
    }
}

/* The shell reads the terminal form as we do. */
static void
test_pipeline_text_shell (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (file_texts); i++)
    {
      g_autoptr (LeatPipeline) first = read_text (file_texts[i], LEAT_TEXT_STYLE_FILE);
      g_autofree char *terminal = leat_pipeline_to_text (first, LEAT_TEXT_STYLE_TERMINAL, NULL);
      g_autofree char *script = g_strdup_printf ("printf '%%s\\037' %s", terminal);
      const char *const argv[] = { "/bin/sh", "-c", script, NULL };
      g_autofree char *output = NULL;
      g_auto (GStrv) words = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) second = NULL;
      g_autofree char *file = NULL;

      g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, NULL, &error);
      g_assert_no_error (error);
      output[strlen (output) - 1] = '\0';
      words = g_strsplit (output, "\037", -1);
      second = leat_parse_args ((const char *const *) words, &error);
      g_assert_no_error (error);
      file = leat_pipeline_to_text (second, LEAT_TEXT_STYLE_FILE, NULL);
      g_assert_cmpstr (file, ==, file_texts[i]);
    }
}

/* Names that would come out otherwise are written. */
static void
test_pipeline_text_names (void)
{
  static const char *const cases[][2] = {
    { "leat 1\nt:source path=a name=source0 -> t:sink\n", "leat 1\nt:source path=a -> t:sink\n" },
    { "leat 1\nt:source path=a name=source1 -> t:sink\n", "leat 1\nsource1 = t:source path=a\nsource1 -> t:sink\n" },
    { "leat 1\nt:source path=a -> t:sink name=source0\n",
      "leat 1\nsource1 = t:source path=a\nsource0 = t:sink\nsource1 -> source0\n" },
    { "leat 1\nt:source path=a -> t:lift -> t:down -> t:sink\n",
      "leat 1\nt:source path=a -> t:up -> t:down -> t:sink\n" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (LeatPipeline) pipeline = read_text (cases[i][0], LEAT_TEXT_STYLE_FILE);
      g_autofree char *text = leat_pipeline_to_text (pipeline, LEAT_TEXT_STYLE_FILE, NULL);

      g_assert_cmpstr (text, ==, cases[i][1]);
    }
}

static void
test_pipeline_text_folder (void)
{
  g_autoptr (LeatPipeline) pipeline = read_text ("leat 1\nt:source path=a/b -> t:sink\n", LEAT_TEXT_STYLE_FILE);
  g_autofree char *below = NULL, *beside = NULL, *none = NULL;

  leat_node_set_base_path (leat_pipeline_get_node (pipeline, "source0", NULL), "/x/y");
  below = leat_pipeline_to_text (pipeline, LEAT_TEXT_STYLE_FILE, "/x");
  beside = leat_pipeline_to_text (pipeline, LEAT_TEXT_STYLE_FILE, "/x/yy");
  none = leat_pipeline_to_text (pipeline, LEAT_TEXT_STYLE_FILE, NULL);
  g_assert_cmpstr (below, ==, "leat 1\nt:source path=y/a/b -> t:sink\n");
  g_assert_cmpstr (beside, ==, "leat 1\nt:source path=/x/y/a/b -> t:sink\n");
  g_assert_cmpstr (none, ==, "leat 1\nt:source path=/x/y/a/b -> t:sink\n");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/parse/text/file", test_pipeline_text_file);
  g_test_add_func ("/leat/parse/text/terminal", test_pipeline_text_terminal);
  g_test_add_func ("/leat/parse/text/across", test_pipeline_text_across);
  g_test_add_func ("/leat/parse/text/shell", test_pipeline_text_shell);
  g_test_add_func ("/leat/parse/text/names", test_pipeline_text_names);
  g_test_add_func ("/leat/parse/text/folder", test_pipeline_text_folder);
  return g_test_run ();
}
