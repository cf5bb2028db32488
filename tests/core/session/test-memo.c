/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"
#include "session/leat-memo-private.h"

#include <string.h>

static LeatSpan
span (gconstpointer data, gsize bytes)
{
  return (LeatSpan){ (gpointer) data, bytes };
}

/* The next output of one number for an input of one number, both of the same size. */
static void
keep (LeatMemo *memo, guint64 input, guint64 output)
{
  LeatSpan in = span (&input, sizeof input), out = span (&output, sizeof output);
  guint64 known = 0;
  LeatSpan place = span (&known, sizeof known);

  leat_memo_find (memo, &in, 1, &place, 1);
  leat_memo_store (memo, &in, 1, &out, 1);
}

/* 0: not known */
static guint64
look (LeatMemo *memo, guint64 input)
{
  LeatSpan in = span (&input, sizeof input);
  guint64 known = 0;
  LeatSpan place = span (&known, sizeof known);

  return leat_memo_find (memo, &in, 1, &place, 1) ? known : 0;
}

static void
test_memo_knows_what_it_kept (void)
{
  g_autoptr (LeatMemo) memo = leat_memo_new (5000, G_MAXUINT64);

  for (guint64 i = 1; i <= 4096; i++)
    keep (memo, i, i * i);
  for (guint64 i = 1; i <= 4096; i++)
    g_assert_cmpuint (look (memo, i), ==, i * i);
  g_assert_cmpuint (look (memo, 4097), ==, 0);
  g_assert_cmpuint (look (memo, 0), ==, 0);
}

/* One byte more or less, or another, anywhere in a long input. */
static void
test_memo_tells_every_byte (void)
{
  g_autoptr (LeatMemo) memo = leat_memo_new (4, G_MAXUINT64);
  guint8 data[1000], result[8];
  LeatSpan in = span (data, sizeof data), out = span (result, sizeof result);

  memset (data, 7, sizeof data);
  g_assert_false (leat_memo_find (memo, &in, 1, &out, 1));
  leat_memo_store (memo, &in, 1, &out, 1);
  g_assert_true (leat_memo_find (memo, &in, 1, &out, 1));
  for (guint i = 0; i < sizeof data; i++)
    {
      data[i] ^= 1;
      g_assert_false (leat_memo_find (memo, &in, 1, &out, 1));
      data[i] ^= 1;
    }
  in.bytes--;
  g_assert_false (leat_memo_find (memo, &in, 1, &out, 1));
}

/* The same bytes, cut in another place. */
static void
test_memo_tells_where_one_input_ends (void)
{
  g_autoptr (LeatMemo) memo = leat_memo_new (4, G_MAXUINT64);
  LeatSpan first[] = { span ("a", 1), span ("bcd", 3) };
  LeatSpan second[] = { span ("ab", 2), span ("cd", 2) };
  char result[2] = "x";
  LeatSpan out = span (result, 1);

  g_assert_false (leat_memo_find (memo, first, 2, &out, 1));
  leat_memo_store (memo, first, 2, &out, 1);
  g_assert_false (leat_memo_find (memo, second, 2, &out, 1));
  g_assert_true (leat_memo_find (memo, first, 2, &out, 1));
}

static void
test_memo_lets_the_oldest_go (void)
{
  g_autoptr (LeatMemo) memo = leat_memo_new (3, G_MAXUINT64);

  for (guint64 i = 1; i <= 5; i++)
    keep (memo, i, 10 * i);
  g_assert_cmpuint (leat_memo_get_n_entries (memo), ==, 3);
  g_assert_cmpuint (look (memo, 1), ==, 0);
  g_assert_cmpuint (look (memo, 2), ==, 0);
  for (guint64 i = 3; i <= 5; i++)
    g_assert_cmpuint (look (memo, i), ==, 10 * i);
}

static void
test_memo_stays_within_its_bytes (void)
{
  g_autoptr (LeatMemo) memo = leat_memo_new (100, 100);
  guint8 large[101] = { 0 };
  LeatSpan in = span (large, sizeof large);
  guint64 result = 0;
  LeatSpan out = span (&result, sizeof result);

  for (guint64 i = 1; i <= 50; i++)
    {
      keep (memo, i, i);
      g_assert_cmpuint (leat_memo_get_bytes (memo), <=, 100);
    }
  g_assert_cmpuint (look (memo, 50), ==, 50);
  g_assert_false (leat_memo_find (memo, &in, 1, &out, 1));
  leat_memo_store (memo, &in, 1, &out, 1);
  g_assert_false (leat_memo_find (memo, &in, 1, &out, 1));
  g_assert_cmpuint (look (memo, 50), ==, 50); /* what could not fit drove nothing out */
}

static void
test_memo_replaces (void)
{
  g_autoptr (LeatMemo) memo = leat_memo_new (3, G_MAXUINT64);
  guint64 bytes;

  keep (memo, 1, 10);
  bytes = leat_memo_get_bytes (memo);
  keep (memo, 1, 20);
  g_assert_cmpuint (leat_memo_get_n_entries (memo), ==, 1);
  g_assert_cmpuint (leat_memo_get_bytes (memo), ==, bytes);
  g_assert_cmpuint (look (memo, 1), ==, 20);
  leat_memo_clear (memo);
  g_assert_cmpuint (leat_memo_get_bytes (memo), ==, 0);
  g_assert_cmpuint (look (memo, 1), ==, 0);
}

/* Inputs of which the sample is the same, with others between them: each is found, by whatever order they come in. */
static void
test_memo_tells_inputs_with_one_sample (void)
{
  g_autoptr (LeatMemo) memo = leat_memo_new (20, G_MAXUINT64);
  guint8 data[4096] = { 0 };
  LeatSpan in = span (data, sizeof data);
  guint64 result;
  LeatSpan out = span (&result, sizeof result);

  for (guint i = 0; i < 32; i++)
    {
      memcpy (data + 100, &i, sizeof i);
      g_assert_false (leat_memo_find (memo, &in, 1, &out, 1));
      result = 1000 + i;
      leat_memo_store (memo, &in, 1, &out, 1);
    }
  g_assert_cmpuint (leat_memo_get_n_entries (memo), ==, 20);
  for (guint round = 0; round < 200; round++)
    {
      guint i = round * 7 % 32;

      memcpy (data + 100, &i, sizeof i);
      g_assert_cmpint (leat_memo_find (memo, &in, 1, &out, 1), ==, i >= 12);
      g_assert_true (i < 12 || result == 1000 + i);
    }
  leat_memo_clear (memo);
  g_assert_false (leat_memo_find (memo, &in, 1, &out, 1));
}

/* A program may not do this; where it is noticed nothing is remembered. */
static void
test_memo_drops_inputs_that_changed (void)
{
  g_autoptr (LeatMemo) memo = leat_memo_new (4, G_MAXUINT64);
  guint64 data = 1, result = 2;
  LeatSpan in = span (&data, sizeof data), out = span (&result, sizeof result);

  g_assert_false (leat_memo_find (memo, &in, 1, &out, 1));
  data = 3;
  leat_memo_store (memo, &in, 1, &out, 1);
  g_assert_false (leat_memo_find (memo, &in, 1, &out, 1));
  g_assert_cmpuint (leat_memo_get_n_entries (memo), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/memo/knows-what-it-kept", test_memo_knows_what_it_kept);
  g_test_add_func ("/leat/memo/tells-every-byte", test_memo_tells_every_byte);
  g_test_add_func ("/leat/memo/tells-where-one-input-ends", test_memo_tells_where_one_input_ends);
  g_test_add_func ("/leat/memo/lets-the-oldest-go", test_memo_lets_the_oldest_go);
  g_test_add_func ("/leat/memo/stays-within-its-bytes", test_memo_stays_within_its_bytes);
  g_test_add_func ("/leat/memo/replaces", test_memo_replaces);
  g_test_add_func ("/leat/memo/tells-inputs-with-one-sample", test_memo_tells_inputs_with_one_sample);
  g_test_add_func ("/leat/memo/drops-inputs-that-changed", test_memo_drops_inputs_that_changed);
  return g_test_run ();
}
