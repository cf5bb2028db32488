/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "leat-regex-oracle.h"

#include <string.h>

/* `text:scan` with regexes, fed run by run; GLib's regexes say line by line what is right. */

typedef enum
{
  TEST_SCAN_OFFSET,
  TEST_SCAN_LINE,
  TEST_SCAN_COUNT,
} TestScanEmit;

static const char *const emits[] = { "offset", "line", "count" };

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  TestScanEmit emit;
} TestScan;

/* Properties are set one by one, so that no quoting stands between a regex and its node. */
static void
test_scan_init (TestScan *self, const char *regex, TestScanEmit emit, guint capacity)
{
  g_autofree char *text =
    g_strdup_printf ("app name=in spec=u8[<=%u] + upload + text:scan name=scan emit=%s + readback + app name=result",
                     capacity, emits[emit]);
  GError *error = NULL;

  self->emit = emit;
  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_TERMINAL, NULL, &error);
  g_assert_no_error (error);
  leat_harness_set (leat_pipeline_get_node (self->pipeline, "scan", NULL), "regex", regex);
  self->session = leat_session_new (self->pipeline, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

static void
test_scan_clear (TestScan *self)
{
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

static gboolean
test_scan_replay (TestScan *self)
{
  GError *error = NULL;
  LeatFlow flow = leat_session_replay (self->session, TRUE, NULL, &error);

  g_assert_no_error (error);
  return flow == LEAT_FLOW_DATA;
}

/* The rows of a run as text. */
static void
test_scan_pull (TestScan *self, GString *found)
{
  LeatApp *app = LEAT_APP (leat_pipeline_get_node (self->pipeline, "result", NULL));
  GError *error = NULL;
  g_autoptr (GBytes) bytes = leat_app_pull_bytes (app, -1, &error);
  gsize width = self->emit == TEST_SCAN_OFFSET ? 3 : 2, size;
  const guint64 *rows;

  g_assert_no_error (error);
  g_assert_nonnull (bytes);
  rows = g_bytes_get_data (bytes, &size);
  for (gsize i = 0; i < size / 8; i++)
    g_string_append_printf (found, "%" G_GUINT64_FORMAT "%c", rows[i], i % width == width - 1 ? ' ' : ':');
}

static void
test_scan_push (TestScan *self, const char *text, gsize length, GString *found)
{
  LeatApp *app = LEAT_APP (leat_pipeline_get_node (self->pipeline, "in", NULL));
  g_autoptr (GBytes) bytes = g_bytes_new (text, length);
  GError *error = NULL;

  leat_app_push_bytes (app, bytes, &error);
  g_assert_no_error (error);
  g_assert_true (test_scan_replay (self));
  test_scan_pull (self, found);
}

static void
test_scan_end (TestScan *self, GString *found)
{
  leat_app_end (LEAT_APP (leat_pipeline_get_node (self->pipeline, "in", NULL)));
  while (test_scan_replay (self))
    test_scan_pull (self, found);
}

/* The stream begins again. */
static void
test_scan_reopen (TestScan *self)
{
  GError *error = NULL;

  leat_session_close (self->session);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

/* What the rows must be. */
static char *
test_scan_get_wanted (GRegex *oracle, const char *text, gsize length, TestScanEmit emit)
{
  GString *wanted = g_string_new (NULL);
  guint64 number = 0, matching = 0;

  for (gsize begin = 0; begin < length;)
    {
      const char *end = memchr (text + begin, '\n', length - begin);
      gsize size = end != NULL ? (gsize) (end - text) - begin : length - begin;
      g_autoptr (GArray) hits = leat_regex_oracle_find (oracle, text + begin, size);
      gboolean matches = leat_regex_oracle_test (oracle, text + begin, size);

      number++;
      matching += matches;
      for (guint i = 0; emit == TEST_SCAN_OFFSET && i < hits->len; i++)
        g_string_append_printf (wanted, "%zu:0:%zu ", begin + g_array_index (hits, LeatRegexHit, i).begin,
                                g_array_index (hits, LeatRegexHit, i).length);
      if (emit == TEST_SCAN_LINE && matches)
        g_string_append_printf (wanted, "%zu:%" G_GUINT64_FORMAT " ", begin, number);
      begin += size + 1;
    }
  if (emit == TEST_SCAN_COUNT)
    g_string_append_printf (wanted, "%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT " ", matching, number);
  return g_string_free (wanted, FALSE);
}

/* Every pair of borders, empty runs among them. */
static void
test_scan_regex_borders (void)
{
  static const char *const regexes[] = { "ab+c", "a|a*b", "^a|b$", "\\bab|.\\b", "[^b]*", "a*", "^$", "b.*b" };
  static const char text[] = "abbc ab\n\naab\nb abc b";
  const gsize length = sizeof text - 1;

  for (guint i = 0; i < G_N_ELEMENTS (regexes); i++)
    {
      g_autoptr (GRegex) oracle = leat_regex_oracle_new (regexes[i], FALSE);
      TestScanEmit emit = i % 2 ? TEST_SCAN_LINE : TEST_SCAN_OFFSET;
      g_autofree char *wanted = test_scan_get_wanted (oracle, text, length, emit);
      TestScan scan;

      test_scan_init (&scan, regexes[i], emit, 32);
      for (gsize first = 0; first <= length; first++)
        for (gsize second = first; second <= length; second += 1 + (first + i) % 4)
          {
            g_autoptr (GString) found = g_string_new (NULL);

            test_scan_push (&scan, text, first, found);
            test_scan_push (&scan, text + first, second - first, found);
            test_scan_push (&scan, text + second, length - second, found);
            test_scan_end (&scan, found);
            if (strcmp (found->str, wanted) != 0)
              g_test_message ("%s, borders at %zu and %zu", regexes[i], first, second);
            g_assert_cmpstr (found->str, ==, wanted);
            test_scan_reopen (&scan);
          }
      test_scan_clear (&scan);
    }
}

/* A byte in each run, and all in one. */
static void
test_scan_regex_bytes (void)
{
  static const char text[] = "a line\nanother line\n\nthe last";

  for (guint emit = TEST_SCAN_OFFSET; emit <= TEST_SCAN_COUNT; emit++)
    for (gsize step = 1; step <= sizeof text; step += sizeof text - 1)
      {
        g_autoptr (GRegex) oracle = leat_regex_oracle_new ("[a-m]+[n-z]?", FALSE);
        g_autofree char *wanted = test_scan_get_wanted (oracle, text, sizeof text - 1, emit);
        g_autoptr (GString) found = g_string_new (NULL);
        TestScan scan;

        test_scan_init (&scan, "[a-m]+[n-z]?", emit, sizeof text);
        for (gsize at = 0; at < sizeof text - 1; at += step)
          test_scan_push (&scan, text + at, MIN (step, sizeof text - 1 - at), found);
        test_scan_end (&scan, found);
        g_assert_cmpstr (found->str, ==, wanted);
        test_scan_clear (&scan);
      }
}

/* Random regexes, texts and borders; some texts have more than one tile. */
static void
test_scan_regex_random (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (19);

  for (guint round = 0; round < 60; round++)
    {
      g_autofree char *regex = leat_regex_random_new (random);
      g_autoptr (GRegex) oracle = leat_regex_oracle_new (regex, FALSE);
      gsize length = (gsize) g_rand_int_range (random, 0, round % 8 == 0 ? 30000 : 300);
      g_autofree char *text = leat_regex_random_text (random, length, round % 3 ? "aabbc1 _\n" : "abcdefgh ijklmnop\n");
      g_autofree char *wanted = test_scan_get_wanted (oracle, text, length, round % 3);
      g_autoptr (GString) found = g_string_new (NULL);
      TestScan scan;

      test_scan_init (&scan, regex, round % 3, 20000);
      for (gsize at = 0, step; at < length; at += step)
        {
          step = (gsize) g_rand_int_range (random, 0, 20000);
          step = MIN (step, length - at);
          test_scan_push (&scan, text + at, step, found);
        }
      test_scan_end (&scan, found);
      if (strcmp (found->str, wanted) != 0)
        g_test_message ("%s", regex);
      g_assert_cmpstr (found->str, ==, wanted);
      test_scan_clear (&scan);
    }
}

/* The kinds of text that ways of skipping are for: rare and common keys, first bytes, none. */
static void
test_scan_regex_skips (void)
{
  static const char *const regexes[] = { "needle", "ne+d(le)?", "[0-9]+",         "^x",        "x$",   "(xy|yx|zz)x",
                                         ".*9",    "[^a-z]",    "[^\\x00-\\xff]", "needle.+$", "7.*$", ".$" };
  g_autoptr (GRand) random = g_rand_new_with_seed (23);

  for (guint i = 0; i < 2 * G_N_ELEMENTS (regexes); i++)
    {
      const char *regex = regexes[i / 2];
      g_autoptr (GRegex) oracle = leat_regex_oracle_new (regex, FALSE);
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (GString) found = g_string_new (NULL);
      g_autofree char *wanted = NULL;
      TestScan scan;

      while (text->len < 40000)
        {
          g_autofree char *part =
            leat_regex_random_text (random, (gsize) g_rand_int_range (random, 0, 400), "qrstuvwxyz \n");

          g_string_append (text, part);
          g_string_append (text, g_rand_int_range (random, 0, 4) ? "" : i % 2 ? "needle" : "7");
        }
      wanted = test_scan_get_wanted (oracle, text->str, text->len, i % 2);
      test_scan_init (&scan, regex, i % 2, (guint) text->len);
      test_scan_push (&scan, text->str, text->len, found);
      test_scan_end (&scan, found);
      g_test_message ("%s: %zu", regex, found->len);
      g_assert_cmpstr (found->str, ==, wanted);
      test_scan_clear (&scan);
    }
}

/* Lines that end in two bytes, where a regex has a $ before the second only: matched as grep does, and told. */
static void
test_scan_regex_returns (void)
{
  static const struct
  {
    const char *regex, *text;
    const char *lines; /* the offset of each and its number, as grep finds them */
    gboolean told;
  } table[] = {
    { "a$", "a\r\nb\r\na\na\r\n", "6:3 ", TRUE },
    { "a\\r?$", "a\r\nb\r\na\n", "0:1 6:3 ", FALSE },
    { "a", "a\r\nb\r\n", "0:1 ", FALSE },
    { "^b$", "a\nb\n", "2:2 ", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GString) found = g_string_new (NULL);
      g_autoptr (LeatMessage) message = NULL;
      TestScan scan;

      test_scan_init (&scan, table[i].regex, TEST_SCAN_LINE, 64);
      test_scan_push (&scan, table[i].text, strlen (table[i].text), found);
      test_scan_end (&scan, found);
      while ((message = leat_bus_pop (leat_pipeline_get_bus (scan.pipeline), 0)) != NULL
             && leat_message_get_kind (message) != LEAT_MESSAGE_WARNING)
        g_clear_pointer (&message, leat_message_unref);
      g_test_message ("%s: %s", table[i].regex, found->str);
      g_assert_cmpstr (found->str, ==, table[i].lines);
      g_assert_true ((message != NULL) == table[i].told);
      if (message != NULL)
        {
          g_assert_nonnull (strstr (leat_message_get_error (message)->message, "a line ends in \\r\\n at byte 2 of"));
          g_assert_nonnull (strstr (leat_message_get_error (message)->message, "(and 2 more)"));
        }
      test_scan_clear (&scan);
    }
}

/* Sizes that no memory has are refused while planning. */
static void
test_scan_regex_refuses_sizes (void)
{
  static const char *const capacities[] = { "4611686018427387904", "288230376151711744", "70368744177664" };

  for (guint i = 0; i < G_N_ELEMENTS (capacities); i++)
    for (guint emit = TEST_SCAN_OFFSET; emit <= TEST_SCAN_COUNT; emit++)
      {
        g_autofree char *text = g_strdup_printf (
          "app spec=u8[<=%s] + upload + text:scan regex=a emit=%s + readback + app", capacities[i], emits[emit]);
        GError *error = NULL;
        g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_TERMINAL, NULL, &error);

        g_assert_no_error (error);
        g_assert_null (leat_plan_new (pipeline, &error));
        leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "more than one run can scan");
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/text/scan-regex/borders", test_scan_regex_borders);
  g_test_add_func ("/leat/text/scan-regex/bytes", test_scan_regex_bytes);
  g_test_add_func ("/leat/text/scan-regex/random", test_scan_regex_random);
  g_test_add_func ("/leat/text/scan-regex/skips", test_scan_regex_skips);
  g_test_add_func ("/leat/text/scan-regex/returns", test_scan_regex_returns);
  g_test_add_func ("/leat/text/scan-regex/refuses-sizes", test_scan_regex_refuses_sizes);
  return g_test_run ();
}
