/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"
#include "leat-top-table.h"

#include "monitor/leat-monitor-private.h"

#include <string.h>

const char *const leat_fuzz_words[] = {
  "snapshot",
  "\r",
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  "\"sessions\"",
  "\"counters\"",
  "\"schedulers\"",
  "\"members\"",
  "\"share\"",
  "\"runs\"",
  "\"id\"",
  "\"name\"",
  "\"queues\"",
  "\"length\"",
  "\"is-source\"",
  "\"time-us\"",
  "null",
  "true",
  "-1",
  "9223372036854775807",
  "1e300",
  "18446744073709551616",
  "\\u001b[2J",
  "\\ud800",
  "\xff",
  NULL,
};

/* json-glib 1.6 loses what it had read of a text that turns out to be malformed; what leat-top itself does not free,
 * its own test finds. */
void __lsan_disable (void) __attribute__ ((weak));
void __lsan_enable (void) __attribute__ ((weak));

static LeatTopSample *
parse (const guint8 *data, gsize size, GError **error)
{
  LeatTopSample *sample;

  if (__lsan_disable != NULL)
    __lsan_disable ();
  sample = leat_top_sample_parse ((const char *) data, size, error);
  if (__lsan_enable != NULL)
    __lsan_enable ();
  return sample;
}

/* What is sent to a process is answered by one line, and what is shown of an answer is text without commands to the
 * terminal. */
int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *answer = leat_monitor_answer ((const char *) data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatTopSample) sample = parse (data, size, &error);
  g_autoptr (GString) text = g_string_new (NULL);

  g_assert_true (strchr (answer, '\n') == answer + strlen (answer) - 1);
  g_assert_cmpint (sample == NULL, ==, error != NULL);
  if (sample == NULL)
    return 0;
  for (guint width = 0; width < 200; width += 40)
    leat_top_append_process (text, width > 80 ? sample : NULL, sample, width);
  g_assert_true (g_utf8_validate_len (text->str, text->len, NULL));
  for (const char *at = text->str; *at != '\0'; at++)
    g_assert_true ((guchar) *at >= ' ' || *at == '\n');
  return 0;
}
