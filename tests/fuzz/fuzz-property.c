/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"

#include "toy.h"

#include <string.h>

const char *const leat_fuzz_words[] = {
  "patterns=", "chunk=",
  "radius=",   "level=",
  "rate=",     "fast=",
  "mode=",     "in=",
  "out=",      "port.in=",
  "arg.",      "4M",
  "-5",        "1e300",
  "nan",       "inf",
  "0x10",      "true",
  "no",        "mapped",
  "u8[<=4]",   "18446744073709551616",
  " ",         "",
  "p=",        "{",
  "}",         "[",
  "]",         ",",
  "\"gain\":", "clip:",
  "on:",       "inner:",
  "[1,2]",     "p={clip:[1,2]}",
  NULL,
};

/* A value that a node took is written and taken again: the same. */
static void
check_again (LeatNode *node, const char *name)
{
  g_autofree char *text = leat_node_dup_as_string (node, name);
  g_autofree char *text_again = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  LeatNode *other = leat_pipeline_make (pipeline, leat_node_get_id (node), NULL, &error);

  g_assert_no_error (error);
  if (text == NULL)
    return;
  leat_node_set_from_string (other, name, text, &error);
  g_assert_no_error (error);
  text_again = leat_node_dup_as_string (other, name);
  g_assert_cmpstr (text, ==, text_again);
}

/* JSON for all that begins with "p.": all or nothing, and single values that mean what they are printed as. */
static void
check_members (const char *text)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatNode) node =
    g_object_new (toy_kernel_get_type (), "name", "k", "signature",
                  "arg:p.gain=f arg:p.clip.0=i arg:p.clip.1=i arg:p.on=b arg:p.inner.0.s=n", NULL);
  g_auto (GStrv) names = NULL;
  gboolean good;

  good = leat_node_set_from_string (node, "p", text, &error);
  g_assert_cmpint (good, ==, error == NULL);
  names = leat_node_list_args (node);
  for (guint i = 0; names[i] != NULL; i++)
    {
      g_autofree char *value = leat_node_dup_as_string (node, names[i]), *again = NULL;

      g_assert_true (good || value == NULL);
      if (value == NULL)
        continue;
      g_assert_true (leat_node_set_from_string (node, names[i], value, NULL));
      again = leat_node_dup_as_string (node, names[i]);
      g_assert_cmpstr (value, ==, again);
    }
}

/* @data: NAME=VALUE */
int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *raw = g_strndup ((const char *) data, size);
  g_autofree char *text = g_utf8_make_valid (raw, -1);
  char *equals = strchr (text, '=');
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  LeatNode *node = leat_pipeline_make (pipeline, "t:scan", NULL, &error);

  g_assert_no_error (error);
  if (equals == NULL)
    return 0;
  *equals = '\0';
  check_members (equals + 1);
  if (leat_node_set_from_string (node, text, equals + 1, &error))
    {
      g_assert_no_error (error);
      check_again (node, text);
    }
  else
    g_assert_nonnull (error);
  return 0;
}
